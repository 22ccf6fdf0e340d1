"""Inputs of jacobi_rotations: a symmetric matrix with well separated eigenvalues."""
import numpy as np


def initialize(n, datatype=np.float64, rng=None):
    """Returns a: shape (n, n), symmetric; values: shape (n,), zeros."""
    noise = rng.normal(size=(n, n))
    a = (np.diag(3.0 * np.arange(n)) + 0.2 * (noise + noise.T)).astype(datatype)
    return a, np.zeros((n,), dtype=datatype)
