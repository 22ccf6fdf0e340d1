"""Softmax of every row, shifted by the row's maximum so that no exponential overflows.

softmax(x)[i] = exp(x[i] - max x) / sum_j exp(x[j] - max x).
"""
import numpy as np


def softmax(x, out):
    """x, out: shape (rows, columns)."""
    shifted = np.exp(x - np.max(x, axis=1, keepdims=True))
    out[:, :] = shifted / np.sum(shifted, axis=1, keepdims=True)
