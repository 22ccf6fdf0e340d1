"""Inputs of mandelbrot: the grid of the complex plane that shows the whole set."""
import numpy as np


def initialize(rows, columns, datatype=np.float64):
    """Returns real: shape (columns,); imaginary: shape (rows,); count: int64, shape (rows, columns), zeros."""
    real = np.linspace(-2.25, 0.75, columns).astype(datatype)
    imaginary = np.linspace(-1.25, 1.25, rows).astype(datatype)
    return real, imaginary, np.zeros((rows, columns), dtype=np.int64)
