"""Means over square windows, cut off at the border, from a summed-area table: four look-ups whatever the window's size.

Source: F. C. Crow, SIGGRAPH 1984.
"""
import numpy as np


def integral_image(image, radius, out):
    """image, out: shape (height, width)."""
    h, w = image.shape
    table = np.zeros((h + 1, w + 1), dtype=image.dtype)
    table[1:, 1:] = image.cumsum(axis=0).cumsum(axis=1)
    top = np.maximum(np.arange(h) - radius, 0)[:, None]
    bottom = np.minimum(np.arange(h) + radius + 1, h)[:, None]
    left = np.maximum(np.arange(w) - radius, 0)[None, :]
    right = np.minimum(np.arange(w) + radius + 1, w)[None, :]
    total = table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]
    out[:] = total / ((bottom - top) * (right - left))
