"""Smoothing that keeps edges: neighbours count by their distance and by how alike they are.

Source: C. Tomasi, R. Manduchi, ICCV 1998.
"""
import numpy as np


def clamp(i, n):
    return min(max(i, 0), n - 1)


def bilateral(image, radius, sigma_space, sigma_value, out):
    """image, out: shape (height, width); the border is repeated."""
    height, width = image.shape
    offsets = range(-radius, radius + 1)
    for y in range(height):
        for x in range(width):
            total = 0.0
            norm = 0.0
            for dy in offsets:
                for dx in offsets:
                    other = image[clamp(y + dy, height), clamp(x + dx, width)]
                    away = (dx * dx + dy * dy) / (2 * sigma_space**2)
                    unlike = (other - image[y, x])**2 / (2 * sigma_value**2)
                    weight = np.exp(-away - unlike)
                    total += weight * other
                    norm += weight
            out[y, x] = total / norm
