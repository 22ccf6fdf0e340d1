"""Inputs of sherman_morrison: updates so small that every denominator stays near one."""
import numpy as np


def initialize(n, updates, datatype=np.float64, rng=None):
    """Returns inverse: shape (n, n), the identity; u, v: shape (updates, n)."""
    size = 0.3 / np.sqrt(n)
    u = (size * rng.normal(size=(updates, n))).astype(datatype)
    v = (size * rng.normal(size=(updates, n))).astype(datatype)
    return np.eye(n, dtype=datatype), u, v
