"""Inputs of conjugate_gradient: a symmetric sparse matrix, positive definite because each row's diagonal outweighs it."""
import numpy as np
import scipy.sparse


def initialize(n, entries, datatype=np.float64, rng=None):
    """Returns A: shape (n, n), about two `entries` and a diagonal; b: shape (n,); x: zeros, shape (n,)."""
    places = rng.integers(0, n, size=(2, entries))
    values = rng.uniform(-1.0, 1.0, size=entries)
    half = scipy.sparse.coo_matrix((values, (places[0], places[1])), shape=(n, n)).tocsr()
    both = half + half.T
    diagonal = np.asarray(abs(both).sum(axis=1)).ravel() + 1.0
    A = (both + scipy.sparse.diags(diagonal)).tocsr().astype(datatype)
    return A, rng.uniform(-8.0, 8.0, size=n).astype(datatype), np.zeros(n, dtype=datatype)
