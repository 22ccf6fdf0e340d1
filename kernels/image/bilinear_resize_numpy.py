"""Resizing by bilinear interpolation, centres of pixels aligned.

Source: Gonzalez, Woods, Digital Image Processing, 2.4.4.
"""
import numpy as np


def axis_weights(old, new):
    """For every new pixel along one axis: the old ones before and behind it, and the weight of the latter."""
    place = (np.arange(new) + 0.5) * (old / new) - 0.5
    place = np.clip(place, 0, old - 1)
    before = place.astype(int)
    behind = np.minimum(before + 1, old - 1)
    return before, behind, place - before


def bilinear_resize(image, out):
    """image: shape (height, width); out: shape (new_height, new_width)."""
    y0, y1, wy = axis_weights(image.shape[0], out.shape[0])
    x0, x1, wx = axis_weights(image.shape[1], out.shape[1])
    rows = image[y0] * (1 - wy)[:, None] + image[y1] * wy[:, None]
    out[:] = rows[:, x0] * (1 - wx) + rows[:, x1] * wx
