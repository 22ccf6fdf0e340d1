"""The shortest tree that joins points of the plane, grown from point 0 by the nearest point outside.

Source: R. C. Prim, Bell Syst. Tech. J. 36, 1957.
"""
import numpy as np


def minimum_spanning_tree(x, y, parent, total):
    """x, y: shape (nodes,); parent: int64, shape (nodes,), -1 at the root; total: shape (1,), the tree's length."""
    n = len(x)
    outside = np.ones(n, dtype=bool)
    best = np.full(n, np.inf, dtype=x.dtype)
    parent[:] = -1
    here = 0
    length = 0.0
    for _ in range(n - 1):
        outside[here] = False
        squared = (x - x[here])**2 + (y - y[here])**2
        nearer = outside & (squared < best)
        best[nearer] = squared[nearer]
        parent[nearer] = here
        here = np.argmin(np.where(outside, best, np.inf))
        length += np.sqrt(best[here])
    total[0] = length
