"""A finite impulse response filter, causal, silence before the start: y[t] = sum_k c[k] x[t-k].

Source: Oppenheim, Schafer, Discrete-Time Signal Processing, 6.5.
"""
import numpy as np


def fir_filter(x, coefficient, channels, samples, taps, out):
    """x, out: shape (channels, samples); coefficient: shape (taps,)."""
    padded = np.zeros((channels, samples + taps - 1), dtype=x.dtype)
    padded[:, taps - 1:] = x
    reversed_taps = coefficient[::-1]
    out[:, :] = 0.0
    for k in range(taps):
        out[:, :] = out + reversed_taps[k] * padded[:, k:k + samples]
