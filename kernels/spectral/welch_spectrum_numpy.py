"""The power spectrum of a signal: windowed segments that overlap by half, their periodograms averaged.

Source: P. D. Welch, IEEE Trans. Audio Electroacoust. 15, 1967 (Hann's window).
"""
import numpy as np


def hann(n):
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / n)


def welch_spectrum(x, length, segments, power, detrend=True):
    """x: shape (length (segments + 1) // 2,); power: shape (length // 2 + 1,), one-sided."""
    hop = length // 2
    window = hann(length)
    kept = power.shape[0]
    power[:] = 0.0
    for s in range(segments):
        piece = x[s * hop:s * hop + length]
        if detrend:
            piece = piece - piece.mean()
        spectrum = np.fft.fft(window * piece)[:kept]
        power += spectrum.real**2 + spectrum.imag**2
    power /= segments * np.sum(window**2)
    power[1:-1] *= 2.0
