"""The assignment step of k-means: for every point the nearest centre (the first of equals) and its squared distance.

Source: S. Lloyd, IEEE Trans. Inf. Theory 28 (2), 1982.
"""
import numpy as np


def nearest_centre(x, centre, points, centres, label, distance):
    """x: shape (points, dimensions); centre: shape (centres, dimensions); label: int64, shape (points,)."""
    squared = np.zeros((points, centres), dtype=x.dtype)
    for j in range(centres):
        away = x - centre[j][None, :]
        squared[:, j] = np.sum(away * away, axis=1)
    label[:] = np.argmax(-squared, axis=1)
    distance[:] = np.min(squared, axis=1)
