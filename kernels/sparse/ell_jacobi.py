"""Inputs of ell_jacobi: a strictly dominant diagonal, so that the sweeps converge."""
import numpy as np


def initialize(n, width, datatype=np.float64, rng=None):
    """Returns column: int64, (n, width); value: (n, width), off the diagonal; diagonal, b, x: (n,)."""
    column = rng.integers(0, n, size=(n, width), dtype=np.int64)
    value = rng.uniform(-1.0, 1.0, size=(n, width)).astype(datatype)
    diagonal = (width + rng.uniform(0.5, 1.5, size=n)).astype(datatype)
    return column, value, diagonal, rng.normal(size=n).astype(datatype), np.zeros(n, dtype=datatype)
