"""An adaptive filter by normalised least mean squares.

Source: Widrow, Hoff, IRE WESCON, 1960; S. Haykin, Adaptive Filter Theory, 6.
"""
import numpy as np


def lms_filter(x, wanted, weight, error, rate=0.5, eps=1e-3):
    """x, wanted, error: shape (samples,); weight: shape (taps,), the newest sample's first."""
    taps = weight.size
    weight[:] = 0
    error[:] = 0
    for t in range(taps - 1, x.size):
        window = x[t - taps + 1:t + 1][::-1]
        error[t] = wanted[t] - weight @ window
        weight += rate * error[t] / (eps + window @ window) * window
