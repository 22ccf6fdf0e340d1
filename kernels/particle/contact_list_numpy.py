"""Repulsion of soft disks: the pairs that touch are listed first, then each pushes its two disks apart.

Cundall and Strack, "A discrete numerical model for granular assemblies", 1979: a linear spring along the line of centres.
"""

import numpy as np


def touching_pairs(positions, radii):
    pairs = []
    depths = []
    for i in range(positions.shape[0]):
        for j in range(i + 1, positions.shape[0]):
            gap = positions[j] - positions[i]
            depth = radii[i] + radii[j] - np.sqrt(gap[0] ** 2 + gap[1] ** 2)
            if depth > 0:
                pairs.append((i, j))
                depths.append(depth)
    return pairs, np.array(depths)


def contact_list(positions, radii, forces, energy, contacts):
    stiffness = 10.0
    pairs, depths = touching_pairs(positions, radii)
    forces[:] = 0.0
    contacts[:] = 0
    for k, (i, j) in enumerate(pairs):
        along = positions[j] - positions[i]
        push = stiffness * depths[k] * along / np.sqrt(along[0] ** 2 + along[1] ** 2)
        forces[i] -= push
        forces[j] += push
        contacts[i] += 1
        contacts[j] += 1
    energy[0] = 0.5 * stiffness * np.sum(depths**2)
