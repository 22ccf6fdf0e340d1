"""Inputs of bellman_ford: a ring, so that every node is reached, and random chords."""
import numpy as np


def initialize(nodes, edges, datatype=np.float64, rng=None):
    """Returns start, end: int64, shape (edges,), node numbers; length: shape (edges,), positive; distance: zeros."""
    start = rng.integers(0, nodes, size=edges, dtype=np.int64)
    end = rng.integers(0, nodes, size=edges, dtype=np.int64)
    ring = min(nodes, edges)
    start[:ring] = np.arange(ring)
    end[:ring] = (np.arange(ring) + 1) % nodes
    length = rng.uniform(0.5, 2.0, size=edges).astype(datatype)
    return start, end, length, np.zeros((nodes,), dtype=datatype)
