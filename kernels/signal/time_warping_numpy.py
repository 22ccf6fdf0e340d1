"""Dynamic time warping of two sequences: the least cost of a monotone path, and the path, from its end.

Source: H. Sakoe, S. Chiba, IEEE Trans. Acoust. 26 (1), 1978.
"""
import numpy as np


def time_warping(a, b, path, distance):
    """a: shape (first,); b: shape (second,); path: int64, shape (first + second, 2), -1 where it is over."""
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            step = abs(a[i - 1] - b[j - 1])
            cost[i, j] = step + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    distance[0] = cost[-1, -1]

    path[:] = -1
    i, j, k = n, m, 0
    while i > 0 and j > 0:
        path[k] = i - 1, j - 1
        k += 1
        diagonal, up, left = cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]
        if diagonal <= up and diagonal <= left:
            i, j = i - 1, j - 1
        elif up <= left:
            i -= 1
        else:
            j -= 1
