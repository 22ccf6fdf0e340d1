"""Shortest paths between all nodes: d[i, j] becomes min(d[i, j], d[i, k] + d[k, j]) for every k in turn.

Source: R. W. Floyd, Commun. ACM 5 (6), 1962.
"""
import numpy as np


def floyd_warshall(length, nodes, distance):
    """length, distance: shape (nodes, nodes), lengths positive."""
    distance[:, :] = length
    for k in range(nodes):
        distance[k, k] = 0.0
    for k in range(nodes):
        distance[:, :] = np.minimum(distance, distance[:, k, np.newaxis] + distance[np.newaxis, k, :])
