import numpy as np


def initialize(N, **offered):
    names = sorted(offered)
    return offered["rng"].integers(0, 9, N).astype(offered["datatype"]), len("".join(names))


def any_keyword(x, names, step, pinned):
    x[:] = 0
