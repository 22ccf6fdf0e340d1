"""Inputs of critical_path: every task needs some before it, or -1 for none; durations are multiples of 1/8."""
import numpy as np


def initialize(tasks, needs, datatype=np.float64, rng=None):
    """Returns duration: (tasks,); need: int64, (tasks, needs); earliest, latest: (tasks,); critical: int64, (1,)."""
    duration = (rng.integers(1, 40, size=tasks) / 8).astype(datatype)
    need = [[rng.integers(-1, i) if i > 0 else -1 for _ in range(needs)] for i in range(tasks)]
    need = np.array(need, dtype=np.int64)
    zeros = np.zeros(tasks, dtype=datatype)
    return duration, need.reshape(tasks, needs), zeros, zeros.copy(), np.full(1, -1)
