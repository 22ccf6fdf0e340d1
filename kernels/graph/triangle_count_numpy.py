"""Triangles through each node of the graph of large weights, and how many of a node's pairs of neighbours are joined.

Source: Watts, Strogatz, Nature 393, 1998 (the clustering coefficient).
"""
import numpy as np


def triangle_count(weight, threshold, triangles, clustering):
    """weight: shape (nodes, nodes); triangles: int64, shape (nodes,); clustering: shape (nodes,)."""
    linked = np.abs(weight + weight.T) > threshold
    linked &= ~np.eye(linked.shape[0], dtype=bool)
    a = linked.astype(np.int64)
    triangles[:] = np.sum((a @ a) * a, axis=1) // 2
    degree = a.sum(axis=1)
    pairs = degree * (degree - 1) // 2
    clustering[:] = triangles / np.maximum(pairs, 1)
