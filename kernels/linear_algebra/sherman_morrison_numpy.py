"""The inverse of A + u v^T from that of A, one rank-one update after another.

Source: J. Sherman, W. J. Morrison, Annals of Mathematical Statistics 21, 1950.
"""
import numpy as np


def sherman_morrison(inverse, u, v):
    """inverse: shape (n, n); u, v: shape (updates, n)."""
    for k in range(u.shape[0]):
        column = inverse @ u[k]
        row = v[k] @ inverse
        inverse -= np.outer(column, row) / (1.0 + v[k] @ column)
