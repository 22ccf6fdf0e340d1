"""A chain of unit masses between fixed ends with springs that harden, moved by the velocity Verlet scheme.

The spring energy is d**2 / 2 + d**4 / 4 of its length d. Source: Swope et al., J. Chem. Phys. 76, 1982; Fermi, Pasta,
Ulam, Los Alamos report LA-1940, 1955 (the chain).
"""
import numpy as np


def velocity_verlet(x, v, energy, dt=0.01):
    """x, v: shape (masses,), displacements and velocities; energy: shape (steps,), after each step."""

    def stretch(x):
        lengths = np.zeros(x.size + 1, dtype=x.dtype)
        lengths[:-1] += x
        lengths[1:] -= x
        return lengths

    def acceleration(x):
        d = stretch(x)
        pull = d + d**3
        return pull[1:] - pull[:-1]

    a = acceleration(x)
    for step in range(energy.size):
        x += v * dt + 0.5 * a * dt**2
        new_a = acceleration(x)
        v += 0.5 * (a + new_a) * dt
        a = new_a
        d = stretch(x)
        energy[step] = 0.5 * np.sum(v**2) + np.sum(0.5 * d**2 + 0.25 * d**4)
