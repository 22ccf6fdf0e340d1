"""Inputs of superpose: points, and the same ones turned, shifted and shaken."""

import numpy as np


def initialize(points, datatype=np.float64):
    rng = np.random.default_rng(19)
    fixed = rng.standard_normal((points, 3)) * np.array([3.0, 2.0, 1.0])
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    moving = fixed @ turn + np.array([1.0, -2.0, 0.5]) + 0.05 * rng.standard_normal((points, 3))
    return (fixed.astype(datatype), moving.astype(datatype), np.zeros((3, 3), datatype), np.zeros(3, datatype),
            np.zeros(1, datatype))
