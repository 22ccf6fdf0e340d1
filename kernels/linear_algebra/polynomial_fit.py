"""Inputs of polynomial_fit: points near a wave between -1 and 1."""

import numpy as np


def initialize(points, degree, datatype=np.float64):
    rng = np.random.default_rng(17)
    x = np.linspace(-1.0, 1.0, points).astype(datatype)
    y = (np.sin(3.0 * x) + 0.05 * rng.standard_normal(points)).astype(datatype)
    return x, y, np.zeros(degree + 1, datatype), np.zeros(1, datatype)
