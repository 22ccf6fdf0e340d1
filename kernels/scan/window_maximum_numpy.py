"""Maxima of all windows of one width in linear time, by a queue of candidates that fall.

Source: D. Lemire, Nordic Journal of Computing 13 (4), 2006.
"""
import numpy as np


def window_maximum(x, width, out):
    """x: shape (length,); out: shape (length - width + 1,)."""
    candidate = np.zeros(len(x), dtype=np.int64)
    head = 0
    tail = 0
    for i in range(len(x)):
        while tail > head and x[candidate[tail - 1]] <= x[i]:
            tail -= 1
        candidate[tail] = i
        tail += 1
        if candidate[head] <= i - width:
            head += 1
        if i >= width - 1:
            out[i - width + 1] = x[candidate[head]]
