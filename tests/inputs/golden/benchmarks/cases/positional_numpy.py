import numpy as np


def initialize(N, mode, precision):
    return np.arange(N, dtype=precision) / mode


def positional(x, mode, flag):
    x[:] = 0
