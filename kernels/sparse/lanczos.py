"""Inputs of lanczos: a symmetric matrix with a spread diagonal, and a start vector."""
import numpy as np
import scipy.sparse


def initialize(n, entries, datatype=np.float64, rng=None):
    """Returns A: sparse, symmetric, shape (n, n); start: shape (n,); alpha: (6,) and beta: (5,), zeros."""
    i = rng.integers(0, n, size=entries // 4)
    j = rng.integers(0, n, size=entries // 4)
    value = rng.normal(size=entries // 4)
    off = scipy.sparse.coo_matrix((value, (i, j)), shape=(n, n))
    A = (off + off.T + scipy.sparse.diags(np.linspace(1.0, 20.0, n))).tocsr().astype(datatype)
    start = rng.normal(size=n).astype(datatype)
    return A, start, np.zeros(6, dtype=datatype), np.zeros(5, dtype=datatype)
