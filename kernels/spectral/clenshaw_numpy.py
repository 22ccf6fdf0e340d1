"""A sum of Chebyshev polynomials and its derivative, by the backward recurrence.

Source: C. W. Clenshaw, Mathematical Tables and Other Aids to Computation 9, 1955.
"""
import numpy as np


def derivative_coefficients(c):
    """Chebyshev coefficients of the derivative, as many as c has (the last is zero)."""
    n = len(c) - 1
    d = np.zeros(n + 2, dtype=c.dtype)
    for k in range(n - 1, -1, -1):
        d[k] = d[k + 2] + 2 * (k + 1) * c[k + 1]
    d[0] /= 2
    return d[:-1]


def clenshaw_sum(c, x):
    b1, b2 = np.zeros_like(x), np.zeros_like(x)
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


def clenshaw(coefficient, x, value, slope):
    """coefficient: shape (degree + 1,); x, value, slope: shape (points,), x in [-1, 1]."""
    value[:] = clenshaw_sum(coefficient, x)
    slope[:] = clenshaw_sum(derivative_coefficients(coefficient), x)
