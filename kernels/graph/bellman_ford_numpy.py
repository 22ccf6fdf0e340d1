"""Shortest paths from node 0 by relaxing every edge until nothing changes; unreached nodes stay at infinity.

Source: R. Bellman, Q. Appl. Math. 16, 1958; L. R. Ford, 1956.
"""
import numpy as np


def bellman_ford(start, end, length, nodes, edges, distance):
    """start, end: int64, shape (edges,); length: shape (edges,), positive; distance: shape (nodes,)."""
    distance[:] = np.inf
    distance[0] = 0.0
    for _ in range(nodes):
        changed = False
        for e in range(edges):
            through = distance[start[e]] + length[e]
            if through < distance[end[e]]:
                distance[end[e]] = through
                changed = True
        if not changed:
            break
