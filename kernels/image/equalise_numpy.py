"""Histogram equalisation: grey levels replaced through the cumulated histogram, stretched to the whole range.

Source: Gonzalez, Woods, Digital Image Processing, 3.3.1.
"""
import numpy as np


def equalise(image, levels, out):
    """image, out: int64, shape (height, width), in [0, levels)."""
    grey = np.clip(image, 0, levels - 1)
    histogram = np.zeros(levels, dtype=np.int64)
    np.add.at(histogram, grey.ravel(), 1)
    cumulated = np.cumsum(histogram)
    lowest = cumulated[cumulated > 0][0]
    spread = max(image.size - lowest, 1)
    table = (cumulated - lowest) * (levels - 1) // spread
    out[:] = table[grey]
