"""Edge strength by Sobel's operator, clipped; the border is zero. Source: I. Sobel, G. Feldman, 1968."""
import numpy as np


def sobel(image, ceiling, out):
    """image, out: shape (height, width); ceiling: scalar, the largest strength kept."""
    left = image[:-2, :-2] + 2.0 * image[1:-1, :-2] + image[2:, :-2]
    right = image[:-2, 2:] + 2.0 * image[1:-1, 2:] + image[2:, 2:]
    above = image[:-2, :-2] + 2.0 * image[:-2, 1:-1] + image[:-2, 2:]
    below = image[2:, :-2] + 2.0 * image[2:, 1:-1] + image[2:, 2:]
    out[:, :] = 0.0
    out[1:-1, 1:-1] = np.clip(np.sqrt((right - left)**2 + (below - above)**2), 0.0, ceiling)
