"""Inputs of breadth_first: random directed edges, grouped by the node that they leave."""
import numpy as np


def initialize(nodes, edges, datatype=np.float64, rng=None):
    """Returns first: int64, (nodes + 1,); target: int64, (edges,); distance, parent: int64, (nodes,), -7."""
    source = np.sort(rng.integers(0, nodes, size=edges))
    first = np.searchsorted(source, np.arange(nodes + 1)).astype(np.int64)
    target = rng.integers(0, nodes, size=edges, dtype=np.int64)
    return first, target, np.full(nodes, -7), np.full(nodes, -7)
