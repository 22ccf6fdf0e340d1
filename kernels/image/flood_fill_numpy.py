"""Connected regions of bright pixels, each filled from its first pixel with a stack, and how large they are.

Source: A. Rosenfeld, J. L. Pfaltz, Journal of the ACM 13 (4), 1966 (connected components, four neighbours).
"""
import numpy as np


def flood_fill(image, level, label, size):
    """image: (height, width); label: int64, the same, -1 in the dark; size: int64, (height width,), zero at the end."""
    height, width = image.shape
    label[:] = -1
    size[:] = 0
    stack = np.zeros((height * width, 2), dtype=np.int64)
    regions = 0
    for y0 in range(height):
        for x0 in range(width):
            if image[y0, x0] <= level or label[y0, x0] >= 0:
                continue
            stack[0] = y0, x0
            label[y0, x0] = regions
            depth = 1
            while depth > 0:
                depth -= 1
                y, x = stack[depth]
                size[regions] += 1
                for dy, dx in [(-1, 0), (1, 0), (0, -1), (0, 1)]:
                    ny, nx = y + dy, x + dx
                    inside = 0 <= ny < height and 0 <= nx < width
                    if inside and image[ny, nx] > level and label[ny, nx] < 0:
                        label[ny, nx] = regions
                        stack[depth] = ny, nx
                        depth += 1
            regions += 1
