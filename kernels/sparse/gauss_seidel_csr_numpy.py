"""Symmetric Gauss-Seidel sweeps for a sparse system by rows: forward, then backward, always with the newest values.

Source: Saad, Iterative Methods for Sparse Linear Systems, 4.1.
"""


def relax_row(i, start, column, value, b, x):
    """Solves equation i for x[i]."""
    rest = b[i]
    pivot = 0.0
    for k in range(start[i], start[i + 1]):
        j = column[k]
        if j == i:
            pivot += value[k]
        else:
            rest -= value[k] * x[j]
    if pivot != 0.0:
        x[i] = rest / pivot


def gauss_seidel_csr(start, column, value, b, x, sweeps=1):
    """start: int64, shape (n + 1,); column: int64 and value, shape (entries,); b, x: shape (n,)."""
    n = len(b)
    for _ in range(sweeps):
        for i in range(n):
            relax_row(i, start, column, value, b, x)
        for i in range(n - 1, -1, -1):
            relax_row(i, start, column, value, b, x)
