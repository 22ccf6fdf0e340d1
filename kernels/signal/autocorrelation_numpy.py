"""Autocorrelation at the first lags, one at lag zero. Source: Box, Jenkins, Time Series Analysis, 2.1."""
import numpy as np


def autocorrelation(x, out):
    """x: shape (channels, samples), samples >= lags; out: shape (channels, lags)."""
    n = x.shape[1]
    assert n >= out.shape[1], "more lags than samples"
    d = x - np.mean(x, axis=1, keepdims=True)
    for lag in range(out.shape[1]):
        out[:, lag] = np.einsum("ct,ct->c", d[:, lag:], d[:, :n - lag])
    out /= np.maximum(out[:, :1], 1e-30)
