"""Integrals of 1 / (1 + w x**2) over [0, 1] by Romberg's rule: a triangular table that ends when two levels agree.

Source: W. Romberg, 1955; Press et al., Numerical Recipes, 4.3.
"""
import numpy as np


def trapezoid_refined(f, previous, level):
    """The previous estimate over [0, 1] with every interval halved: only the points in the middle are new."""
    intervals = 1 << (level - 1)
    h = 1.0 / intervals
    middle = 0.0
    for k in range(intervals):
        middle += f((k + 0.5) * h)
    return 0.5 * (previous + h * middle)


def romberg(frequency, tolerance, levels, integral, used):
    """frequency, integral: shape (integrals,); used: int64, shape (integrals,), levels until they agreed."""
    table = np.zeros((levels, levels))
    for i in range(frequency.shape[0]):
        w = frequency[i]
        f = lambda x: 1.0 / (1.0 + w * x * x)
        table[0, 0] = 0.5 * (f(0.0) + f(1.0))
        for level in range(1, levels):
            table[level, 0] = trapezoid_refined(f, table[level - 1, 0], level)
            power = 1.0
            for m in range(1, level + 1):
                power *= 4.0
                table[level, m] = table[level, m - 1] + (table[level, m - 1] - table[level - 1, m - 1]) / (power - 1.0)
            integral[i] = table[level, level]
            used[i] = level + 1
            if level > 1 and abs(table[level, level] - table[level - 1, level - 1]) < tolerance:
                break
