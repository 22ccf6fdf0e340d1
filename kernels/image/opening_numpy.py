"""Morphological opening of a grey image with a square: an erosion (minimum), then a dilation (maximum).

Source: J. Serra, Image Analysis and Mathematical Morphology, 1982.
"""
import numpy as np


def sweep(image, radius, better, edge):
    """The best value in the window of every pixel, one axis after the other; outside the image is the edge value."""
    for axis in (0, 1):
        width = [(0, 0), (0, 0)]
        width[axis] = (radius, radius)
        padded = np.pad(image, width, mode="constant", constant_values=edge)
        windows = [np.take(padded, np.arange(k, k + image.shape[axis]), axis=axis) for k in range(2 * radius + 1)]
        image = windows[0]
        for window in windows[1:]:
            image = better(image, window)
    return image


def opening(image, radius, out):
    """image, out: shape (height, width)."""
    eroded = sweep(image, radius, np.minimum, edge=np.inf)
    out[:] = sweep(eroded, radius, np.maximum, edge=-np.inf)
