"""Coefficients of the polynomial that is nearest to points, and how far from it they lie.

numpy.polynomial's fits do the same; columns are scaled so that their lengths are one.
"""

import numpy as np


def polynomial_fit(x, y, coefficients, distance):
    degree = coefficients.shape[0] - 1
    columns = x[:, None] ** np.arange(degree + 1)
    lengths = np.sqrt((columns * columns).sum(axis=0))
    scaled, _, rank, _ = np.linalg.lstsq(columns / lengths, y, rcond=None)
    coefficients[:] = scaled / lengths
    if rank <= degree:
        coefficients[:] = 0.0
    distance[0] = np.linalg.norm(y - columns @ coefficients)
