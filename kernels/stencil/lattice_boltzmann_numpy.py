"""A fluid by the lattice Boltzmann method: nine velocities, one relaxation rate, periodic borders.

Source: Qian, d'Humieres, Lallemand, Europhys. Lett. 17, 1992 (D2Q9).
"""
import numpy as np

VELOCITIES = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
WEIGHTS = [4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]


def moments(f):
    """f: shape (9, rows, columns). Returns the density and both components of the velocity, shape (rows, columns)."""
    density = np.sum(f, axis=0)
    ux = np.zeros_like(density)
    uy = np.zeros_like(density)
    for k, (cx, cy) in enumerate(VELOCITIES):
        ux += cx * f[k]
        uy += cy * f[k]
    return density, ux / density, uy / density


def equilibrium(k, density, ux, uy):
    cx, cy = VELOCITIES[k]
    along = cx * ux + cy * uy
    return WEIGHTS[k] * density * (1 + 3 * along + 4.5 * along**2 - 1.5 * (ux**2 + uy**2))


def lattice_boltzmann(f, omega, steps, speed):
    """f: shape (9, rows, columns), populations; omega: relaxation rate, below 2; speed: (rows, columns), at the end."""
    for _ in range(steps):
        density, ux, uy = moments(f)
        for k in range(9):
            f[k] += omega * (equilibrium(k, density, ux, uy) - f[k])
        for k, (cx, cy) in enumerate(VELOCITIES):
            f[k] = np.roll(np.roll(f[k], cx, axis=1), cy, axis=0)
    density, ux, uy = moments(f)
    speed[:, :] = np.sqrt(ux * ux + uy * uy)
