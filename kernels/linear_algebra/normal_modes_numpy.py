"""Frequencies of a chain of masses held by springs, and how far each mass swings in the slowest mode.

Goldstein, Classical Mechanics, chapter 6: the squares of the frequencies are the eigenvalues of M^-1/2 K M^-1/2.
"""

import numpy as np


def normal_modes(masses, springs, frequencies, swing):
    n = masses.shape[0]
    stiffness = np.zeros((n, n))
    for i in range(n):
        stiffness[i, i] = springs[i] + springs[i + 1]
        if i > 0:
            stiffness[i, i - 1] = -springs[i]
    root = np.sqrt(masses)
    squares, modes = np.linalg.eigh(stiffness / (root[:, None] * root[None, :]))
    frequencies[:] = np.sqrt(squares) / (2 * np.pi)
    slowest = modes[:, 0] / root
    swing[:] = np.abs(slowest) / np.max(np.abs(slowest))
