"""The interval of a sequence whose sum is largest. Source: J. Kadane, in J. Bentley, Commun. ACM 27 (9), 1984."""
from typing import Tuple


def scan(x) -> Tuple[float, int, int]:
    """Returns the largest sum of a non-empty interval, its first index and the index behind its last."""
    best, first, last = x[0], 0, 1
    running, begin = x[0], 0
    for i in range(1, len(x)):
        if running > 0.0:
            running += x[i]
        else:
            running, begin = x[i], i
        if running > best:
            best, first, last = running, begin, i + 1
    return best, first, last


def best_interval(x, best, interval):
    """x: shape (length,); best: shape (1,); interval: int64, shape (2,)."""
    best[0], interval[0], interval[1] = scan(x)
