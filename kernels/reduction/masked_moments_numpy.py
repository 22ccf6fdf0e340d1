"""Weighted mean, variance, skewness and kurtosis of what lies within the limit.

Source: Kendall, Stuart, The Advanced Theory of Statistics 1, chapter 3 (moments about the mean).
"""
import numpy as np


def masked_moments(x, weight, limit, moments, used):
    """x, weight: shape (length,), weights positive; moments: shape (4,); used: int64, shape (1,)."""
    keep = np.abs(x) <= limit
    used[0] = keep.sum()
    if used[0] < 2:
        moments[:] = 0
        return
    v, w = x[keep], weight[keep]
    w = w / w.sum()
    mean = np.sum(w * v)
    d = v - mean
    m2, m3, m4 = [np.sum(w * d**k) for k in (2, 3, 4)]
    moments[:] = mean, m2, m3 / m2**1.5, m4 / m2**2
