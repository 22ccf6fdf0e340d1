"""One implicit Euler step of diffusion on every row: a tridiagonal system (-r, 1 + 2r, -r) solved by Thomas' method.

Diagonally dominant for r >= 0, so that no pivoting is needed.
Source: L. H. Thomas, 1949; Press et al., Numerical Recipes, 2.4.
"""
import numpy as np


def thomas(rhs, lower, diagonal, upper):
    """rhs: shape (rows, cells); the three bands are constants. Returns the solution, shape (rows, cells)."""
    cells = rhs.shape[1]
    factor = np.empty((cells,), dtype=rhs.dtype)
    x = np.empty_like(rhs)
    factor[0] = upper / diagonal
    x[:, 0] = rhs[:, 0] / diagonal
    for i in range(1, cells):
        pivot = diagonal - lower * factor[i - 1]
        factor[i] = upper / pivot
        x[:, i] = (rhs[:, i] - lower * x[:, i - 1]) / pivot
    for i in range(cells - 2, -1, -1):
        x[:, i] -= factor[i] * x[:, i + 1]
    return x


def implicit_diffusion(u, rate, out):
    """u, out: shape (rows, cells); rate: scalar, dt * diffusivity / h**2."""
    out[...] = thomas(u, -rate, 1.0 + 2.0 * rate, -rate)
