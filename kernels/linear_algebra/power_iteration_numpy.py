"""The dominant eigenpair of a positive matrix by repeated multiplication (it is real and simple: Perron, 1907).

Source: R. von Mises, 1929.
"""
import numpy as np


def power_iteration(matrix, n, sweeps, vector, value):
    """matrix: shape (n, n), positive; vector: shape (n,), unit length; value: shape (1,)."""
    vector[:] = 1.0 / np.sqrt(n)
    for _ in range(sweeps):
        image = matrix @ vector
        value[0] = np.dot(vector, image)
        vector[:] = image / np.sqrt(np.sum(image * image))
