"""Inputs of contact_list: disks in a box, close enough that some of them overlap."""

import numpy as np


def initialize(count, datatype=np.float64):
    rng = np.random.default_rng(3)
    side = np.sqrt(count)
    positions = rng.uniform(0.0, side, (count, 2)).astype(datatype)
    radii = rng.uniform(0.3, 0.6, count).astype(datatype)
    return positions, radii, np.zeros((count, 2), datatype), np.zeros(1, datatype), np.zeros(count, np.int64)
