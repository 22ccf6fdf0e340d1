"""Distances in edges from node 0, and the tree that found them; -1 where there is no way.

Source: E. F. Moore, The shortest path through a maze, 1959; Cormen et al., Introduction to Algorithms, 22.2.
"""
import numpy as np


def breadth_first(first, target, distance, parent, source=0):
    """first: shape (nodes + 1,); target: (edges,), the edges of node i at first[i]:first[i + 1]; all int64."""
    nodes = distance.shape[0]
    distance[:] = -1
    parent[:] = -1
    queue = np.empty(nodes, dtype=np.int64)
    queue[0] = source
    distance[source] = 0
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for e in range(first[node], first[node + 1]):
            other = target[e]
            if distance[other] >= 0:
                continue
            distance[other] = distance[node] + 1
            parent[other] = node
            queue[tail] = other
            tail += 1
