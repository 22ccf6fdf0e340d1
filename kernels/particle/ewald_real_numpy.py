"""The real-space part of the Ewald sum: screened charges in a periodic box, nearest images within a cutoff.

Source: P. P. Ewald, Ann. Phys. 64, 1921; Frenkel, Smit, Understanding Molecular Simulation, 12.1.
"""
import math


def nearest_image(d: float, box: float) -> float:
    return d - box * round(d / box)


def ewald_real(position, charge, box, alpha, cutoff, force, energy):
    """position, force: shape (atoms, 3); charge: shape (atoms,); energy: shape (1,)."""
    n = charge.shape[0]
    force[:] = 0.0
    energy[0] = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            d = [nearest_image(position[i, k] - position[j, k], box) for k in range(3)]
            r2 = sum([c * c for c in d])
            if r2 >= cutoff * cutoff or r2 < 1e-4:
                continue
            r = math.sqrt(r2)
            qq = charge[i] * charge[j]
            screened = qq * (1.0 - math.erf(alpha * r)) / r
            energy[0] += screened
            strength = (screened + qq * 2.0 * alpha / math.sqrt(math.pi) * math.exp(-(alpha * r)**2)) / r2
            for k in range(3):
                force[i, k] += strength * d[k]
                force[j, k] -= strength * d[k]
