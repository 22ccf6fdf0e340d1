"""Inputs of normal_modes: masses and springs of one order of size, all above zero."""

import numpy as np


def initialize(count, datatype=np.float64):
    rng = np.random.default_rng(5)
    masses = rng.uniform(1.0, 3.0, count).astype(datatype)
    springs = rng.uniform(2.0, 8.0, count + 1).astype(datatype)
    return masses, springs, np.zeros(count, datatype), np.zeros(count, datatype)
