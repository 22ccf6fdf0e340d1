"""Euclidean distances of all pairs through one matrix product: |x - y|**2 = |x|**2 + |y|**2 - 2 x . y.

Source: the law of cosines.
"""
import numpy as np


def pairwise_distance(x, y):
    """x: shape (queries, features); y: shape (points, features). Returns shape (queries, points)."""
    squared = (x * x).sum(axis=1)[:, np.newaxis] + (y * y).sum(axis=1)[np.newaxis] - 2 * x @ y.T
    distance = np.sqrt(np.maximum(squared, 0))
    return distance
