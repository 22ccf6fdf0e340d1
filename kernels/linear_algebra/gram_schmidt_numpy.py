"""Thin QR factorisation by the modified Gram-Schmidt process.

Source: A. Bjoerck, BIT 7, 1967; Golub, Van Loan, Matrix Computations, 5.2.8.
"""
import numpy as np


def project_out(v, direction):
    """Takes the part along a unit direction off v. Returns how long that part was."""
    amount = np.dot(direction, v)
    v -= amount * direction
    return amount


def gram_schmidt(a):
    """a: shape (rows, columns), full rank. Returns q: the same shape, orthonormal columns; r: upper triangular."""
    m, n = a.shape
    if m < n:
        raise ValueError(f"{n} vectors of length {m} are dependent")
    q = np.array(a)
    r = np.zeros((n, n), dtype=a.dtype)
    for k in range(n):
        r[k, k] = np.sqrt(np.dot(q[:, k], q[:, k]))
        q[:, k] /= r[k, k]
        for j in range(k + 1, n):
            r[k, j] = project_out(q[:, j], q[:, k])
    return q, r
