"""Ridges of the gradient: a pixel keeps its strength where no neighbour along its gradient is stronger, else gets zero.

Source: J. Canny, IEEE Trans. Pattern Anal. Mach. Intell. 8 (6), 1986 (non-maximum suppression, directions by slope).
"""
import numpy as np


def shifted(a, dy, dx):
    """The inner part of a, moved by (dy, dx)."""
    return a[2 + dy:a.shape[0] - 2 + dy, 2 + dx:a.shape[1] - 2 + dx]


def canny_direction(image, edge):
    """image, edge: shape (height, width), at least 5 by 5; a border of two pixels of the edges is zero."""
    if min(image.shape) < 5:
        raise ValueError("the image is too small")
    gx, gy = np.zeros_like(image), np.zeros_like(image)
    gx[:, 1:-1] = (image[:, 2:] - image[:, :-2]) / 2
    gy[1:-1, :] = (image[2:, :] - image[:-2, :]) / 2
    strength = gx * gx + gy * gy
    here, x, y = (shifted(a, 0, 0) for a in (strength, gx, gy))
    flat = np.abs(y) * 2 < np.abs(x)
    steep = np.abs(x) * 2 < np.abs(y)
    falling = x * y > 0
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    pairs = [np.maximum(shifted(strength, dy, dx), shifted(strength, -dy, -dx)) for dy, dx in steps]
    along = np.where(flat, pairs[0], np.where(steep, pairs[1], np.where(falling, pairs[2], pairs[3])))
    edge[:] = 0
    edge[2:-2, 2:-2] = np.where(here >= along, np.sqrt(here), 0)
