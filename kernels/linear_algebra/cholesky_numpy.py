"""Cholesky factorisation by columns: A = L L^T with L lower triangular.

Source: Golub, Van Loan, Matrix Computations, 4.2 (the left-looking form).
"""
import numpy as np


def cholesky(a, n, lower):
    """a: shape (n, n), symmetric positive definite; lower: shape (n, n), its upper part becomes zero."""
    lower[:, :] = 0.0
    for j in range(n):
        pivot = a[j, j]
        for k in range(j):
            pivot -= lower[j, k] * lower[j, k]
        lower[j, j] = np.sqrt(pivot)
        for i in range(j + 1, n):
            rest = a[i, j]
            for k in range(j):
                rest -= lower[i, k] * lower[j, k]
            lower[i, j] = rest / lower[j, j]
