"""Softened gravity of all pairs: a[i] = sum_j m[j] (r[j] - r[i]) / (|r[j] - r[i]|**2 + s**2)**(3/2), with G = 1.

Source: Plummer softening; Aarseth, MNRAS 126, 1963.
"""
import numpy as np


def nbody_acceleration(position, mass, softening, acceleration):
    """position, acceleration: shape (bodies, 3); mass: shape (bodies,), positive."""
    away = position[np.newaxis, :, :] - position[:, np.newaxis, :]
    squared = np.sum(away * away, axis=2) + softening * softening
    weight = mass[np.newaxis, :] / (squared * np.sqrt(squared))
    acceleration[:, :] = np.sum(weight[:, :, np.newaxis] * away, axis=1)
