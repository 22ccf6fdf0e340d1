"""The tridiagonal matrix of Lanczos' method: diagonal alpha, beside it beta, of a symmetric sparse matrix.

Source: C. Lanczos, J. Res. Natl. Bur. Stand. 45, 1950; Golub, Van Loan, Matrix Computations, 10.1.
"""
import numpy as np


def lanczos(A, start, alpha, beta):
    """A: sparse, symmetric, shape (n, n); start: shape (n,), not zero; alpha: (steps,); beta: (steps - 1,)."""
    steps = alpha.shape[0]
    v = start / np.linalg.norm(start)
    old = np.zeros_like(v)
    length = 0.0
    for k in range(steps):
        w = A @ v - length * old
        alpha[k] = w @ v
        w -= alpha[k] * v
        if k == steps - 1:
            break
        length = np.linalg.norm(w)
        beta[k] = length
        old, v = v, w / length
