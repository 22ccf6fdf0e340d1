"""Least squares, min |A x - b|, by Householder reflections.

Source: A. S. Householder, Journal of the ACM 5, 1958; Trefethen, Bau, Numerical Linear Algebra, lectures 10 and 11.
"""
import numpy as np


def reflector(column):
    """A vector v such that (I - 2 v v^T / v^T v) maps the column onto a multiple of e_1, without cancellation."""
    v = column.copy()
    norm = np.sqrt(np.sum(column * column))
    v[0] += norm if column[0] >= 0 else -norm
    return v


def householder_qr(a, b, x):
    """a: shape (equations, unknowns), full rank, and b: shape (equations,), are overwritten; x: shape (unknowns,)."""
    m, n = a.shape
    for k in range(n):
        v = reflector(a[k:, k])
        scale = 2.0 / np.dot(v, v)
        a[k:, k:] -= scale * np.outer(v, v @ a[k:, k:])
        b[k:] -= scale * np.dot(v, b[k:]) * v
    for i in reversed(range(n)):
        x[i] = (b[i] - np.dot(a[i, i + 1:], x[i + 1:])) / a[i, i]
