"""The rotation and shift that bring one set of points nearest to another, and how far apart they stay.

Kabsch, Acta Crystallographica A32 (1976) 922.
"""

import numpy as np


def superpose(fixed, moving, rotation, shift, deviation):
    fixed_centre = fixed.mean(axis=0)
    moving_centre = moving.mean(axis=0)
    covariance = (moving - moving_centre).T @ (fixed - fixed_centre)
    u, _, vt = np.linalg.svd(covariance)
    turn = vt.T @ u.T
    if np.linalg.det(turn) < 0:
        vt[-1, :] *= -1
        turn = vt.T @ u.T
    rotation[:] = turn
    shift[:] = fixed_centre - turn @ moving_centre
    moved = moving @ turn.T + shift
    deviation[0] = np.sqrt(np.sum((moved - fixed) ** 2) / fixed.shape[0])
