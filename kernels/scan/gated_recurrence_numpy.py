"""A linear recurrence with gates, h[t] = a[t] h[t-1] + (1 - a[t]) x[t], a the logistic function of the gate.

Source: E. Martin, C. Cundy, arXiv 1709.04057.
"""
import numpy as np


def gated_recurrence(x, gate, out):
    """x, gate, out: shape (batch, steps, channels)."""
    a = 1 / (1 + np.exp(-gate))
    out[:] = (1 - a) * x
    for t in range(1, x.shape[1]):
        out[:, t] += a[:, t] * out[:, t - 1]
