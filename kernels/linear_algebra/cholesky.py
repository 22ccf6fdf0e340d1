"""Inputs of cholesky: a random matrix is not positive definite, its Gram matrix plus a multiple of one is."""
import numpy as np


def initialize(n, datatype=np.float64, rng=None):
    """Returns a: shape (n, n), symmetric positive definite; lower: shape (n, n), zeros."""
    factor = rng.random((n, n))
    a = (factor @ factor.T + n * np.eye(n)).astype(datatype)
    return a, np.zeros((n, n), dtype=datatype)
