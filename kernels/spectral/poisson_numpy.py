"""Poisson's equation on a periodic grid, diagonal in Fourier space. Source: Canuto, Hussaini, Quarteroni and Zang, Spectral
Methods, section 3.1."""
import numpy as np


def poisson(source, potential):
    """source: shape (rows, columns), of which the mean is left out; potential: its solution, of mean zero."""
    rows, columns = source.shape
    k = 2 * np.pi * np.fft.fftfreq(rows)
    l = 2 * np.pi * np.fft.fftfreq(columns)
    squares = k[:, None] ** 2 + l[None, :] ** 2
    squares[0, 0] = 1.0
    modes = np.fft.fft2(source) / squares
    modes[0, 0] = 0.0
    potential[:, :] = np.fft.ifft2(modes).real
