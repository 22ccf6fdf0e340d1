"""Shortest paths from node 0 along edges no longer than reach, nearest node first, on a dense graph.

Source: E. W. Dijkstra, Numer. Math. 1, 1959.
"""
import numpy as np


def dijkstra(length, reach, distance, previous):
    """length: shape (nodes, nodes), positive; distance: (nodes,), infinite where unreached; previous: int64."""
    n = length.shape[0]
    done = np.zeros(n, dtype=bool)
    distance[:] = np.inf
    distance[0] = 0.0
    previous[:] = -1
    for _ in range(n):
        here = -1
        for i in range(n):
            if not done[i] and (here < 0 or distance[i] < distance[here]):
                here = i
        if distance[here] == np.inf:
            break
        done[here] = True
        for i in range(n):
            if done[i] or length[here, i] > reach:
                continue
            through = distance[here] + length[here, i]
            if through < distance[i]:
                distance[i] = through
                previous[i] = here
