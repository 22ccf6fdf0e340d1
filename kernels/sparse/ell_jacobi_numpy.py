"""Jacobi sweeps for (D + R) x = b, R with one number of entries a row, held as two arrays (the ELLPACK format).

Source: Saad, Iterative Methods for Sparse Linear Systems, 3.4 and 4.1.
"""
import numpy as np


def ell_jacobi(column, value, diagonal, b, x, sweeps):
    """column: int64, shape (n, width); value: (n, width); diagonal, b, x: (n,)."""
    for _ in range(sweeps):
        x[:] = (b - np.sum(value * x[column], axis=1)) / diagonal
