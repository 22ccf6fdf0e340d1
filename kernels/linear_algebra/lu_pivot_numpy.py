"""Solves A X = B by LU factorisation with partial pivoting, all in place.

Source: Golub, Van Loan, Matrix Computations, algorithm 3.4.1 (outer product form) and 3.1 (substitution).
"""
import numpy as np


def find_pivot(a: np.ndarray, k: int) -> int:
    """The row at or below k whose entry in column k is largest in magnitude."""
    best = k
    for i in range(k + 1, a.shape[0]):
        if abs(a[i, k]) > abs(a[best, k]):
            best = i
    return best


def swap_rows(m: np.ndarray, p: int, q: int) -> None:
    for j in range(m.shape[1]):
        m[p, j], m[q, j] = m[q, j], m[p, j]


def lu_pivot(a, b, pivots):
    """a: (n, n), becomes L and U; b: (n, systems), becomes the solution; pivots: int64, (n,), the rows exchanged."""
    n = a.shape[0]
    if b.shape[0] != n:
        raise ValueError(f"{b.shape[0]} right sides for {n} equations")
    for k in range(n):
        p = find_pivot(a, k)
        pivots[k] = p
        if a[p, k] == 0.0:
            raise ValueError(f"singular: no pivot in column {k}")
        if p != k:
            swap_rows(a, p, k)
            swap_rows(b, p, k)
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1:] -= a[i, k] * a[k, k + 1:]

    # forward with unit L, then backward with U
    for i in range(n):
        for j in range(i):
            b[i] -= a[i, j] * b[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
