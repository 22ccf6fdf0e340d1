"""Densities by smoothed particle hydrodynamics in the plane, with the cubic spline kernel.

Source: J. J. Monaghan, Annu. Rev. Astron. Astrophys. 30, 1992, section 4.
"""
import numpy as np


def cubic_spline(q, h):
    """The kernel at distances q h, normalised in two dimensions; zero from q = 2 on."""
    near = 1.0 - 1.5 * q**2 + 0.75 * q**3
    far = 0.25 * (2.0 - q)**3
    return 10.0 / (7.0 * np.pi * h**2) * np.where(q < 1.0, near, np.where(q < 2.0, far, 0.0))


def sph_density(position, mass, h, density, neighbours):
    """position: shape (particles, 2); mass, density: (particles,); neighbours: int64, those within 2 h, itself too."""
    for i in range(len(mass)):
        x, y = position[i]
        distance = np.sqrt((position[:, 0] - x)**2 + (position[:, 1] - y)**2)
        w = cubic_spline(distance / h, h)
        density[i] = np.dot(mass, w)
        neighbours[i] = np.count_nonzero(w)
