"""Inputs of ridge_regression: samples around zero, targets that a linear model nearly gives."""

import numpy as np


def initialize(rows, features, targets_per_row, datatype=np.float64):
    rng = np.random.default_rng(11)
    samples = rng.standard_normal((rows, features)).astype(datatype)
    model = rng.standard_normal((features, targets_per_row))
    targets = (samples @ model + 0.1 * rng.standard_normal((rows, targets_per_row))).astype(datatype)
    return (samples, targets, np.zeros((features, targets_per_row), datatype), np.zeros(features, datatype),
            np.zeros(targets_per_row, datatype))
