"""Derivatives of periodic functions: the transform times i k, transformed back.

Source: L. N. Trefethen, Spectral Methods in MATLAB, chapter 3.
"""
import numpy as np


def spectral_derivative(u, period, out):
    """u, out: shape (rows, points), one function a row over one period."""
    n = u.shape[-1]
    k = 2 * np.pi / period * np.fft.fftfreq(n, d=1 / n)
    if n % 2 == 0:
        k[n // 2] = 0
    out[:] = np.fft.ifft(1j * k * np.fft.fft(u)).real
