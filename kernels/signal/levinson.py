"""Inputs of levinson: the autocorrelation of noise, which is positive definite."""
import numpy as np


def initialize(order, datatype=np.float64, rng=None):
    """Returns r: shape (order + 1,), autocorrelations; coefficient: (order + 1,) and reflection: (order,), zeros."""
    x = rng.normal(size=8 * (order + 1))
    r = np.array([x[lag:] @ x[:x.size - lag] for lag in range(order + 1)]).astype(datatype)
    return r, np.zeros(order + 1, dtype=datatype), np.zeros(order, dtype=datatype)
