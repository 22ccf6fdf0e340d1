"""Lennard-Jones forces and energy in reduced units with a sharp cutoff, pair by pair.

u(r) = 4 (r**-12 - r**-6); the force on i from j is 24 (2 r**-12 - r**-6) / r**2 (r_i - r_j). Pairs closer than 0.5 are
held at 0.5, as codes do while they relax a random start.
Source: J. E. Jones, Proc. R. Soc. A 106, 1924.
"""
import numpy as np


def lennard_jones(position, cutoff, force, energy):
    """position, force: shape (atoms, 3); energy: shape (1,); cutoff: scalar."""
    atoms = position.shape[0]
    force[:] = 0.0
    total = 0.0
    for i in range(atoms):
        for j in range(i + 1, atoms):
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            squared = dx * dx + dy * dy + dz * dz
            if squared > cutoff * cutoff:
                continue
            inverse = 1.0 / max(squared, 0.25)
            sixth = inverse * inverse * inverse
            total += 4.0 * sixth * (sixth - 1.0)
            strength = 24.0 * sixth * (2.0 * sixth - 1.0) * inverse
            for axis, d in enumerate((dx, dy, dz)):
                force[i, axis] += strength * d
                force[j, axis] -= strength * d
    energy[0] = total
