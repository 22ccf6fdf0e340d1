"""A low-pass filter as a cascade of second-order sections in the transposed direct form II.

The sections are those of a fourth-order Butterworth filter at a quarter of the sampling frequency, by the bilinear
transform: b = (1, 2, 1) / (2 + s_k) and a = (0, (2 - s_k) / (2 + s_k)) with s_k = 2 sin(pi (2k + 1) / 8).
Source: Oppenheim, Schafer, Discrete-Time Signal Processing, 6.3 and 7.1.
"""
import math


def section(k):
    """Coefficients of section k: (b0, b1, b2), (a1, a2)."""
    s = 2.0 * math.sin(math.pi * (2 * k + 1) / 8.0)
    gain = 1.0 / (2.0 + s)
    return (gain, 2.0 * gain, gain), (0.0, (2.0 - s) * gain)


def run_section(signal, b, a):
    """Filters one channel in place."""
    b0, b1, b2 = b
    a1, a2 = a
    z1 = z2 = 0.0
    for t in range(len(signal)):
        value = signal[t]
        y = b0 * value + z1
        z1 = b1 * value - a1 * y + z2
        z2 = b2 * value - a2 * y
        signal[t] = y


def biquad_cascade(x, out):
    """x, out: shape (channels, samples)."""
    cascade = [section(k) for k in range(2)]
    out[:] = x
    for channel in out:
        for b, a in cascade:
            run_section(channel, b, a)
