"""Inputs of union_find: random edges."""
import numpy as np


def initialize(nodes, edges, datatype=np.float64, rng=None):
    """Returns start, end: int64, (edges,), node numbers; label: int64, (nodes,), -1; count: int64, (1,), -1."""
    start = rng.integers(0, nodes, size=edges, dtype=np.int64)
    end = rng.integers(0, nodes, size=edges, dtype=np.int64)
    return start, end, np.full(nodes, -1), np.full(1, -1)
