"""Poisson's equation on a torus, Laplace(u) = f - mean(f) with the five-point Laplacian, exactly, by Fourier transform.

Source: R. W. Hockney, Journal of the ACM 12, 1965; Press et al., Numerical Recipes, 20.4.
"""
import numpy as np


def poisson_fft(f, h, u):
    """f, u: shape (rows, columns); the mean of u is zero."""
    m, n = f.shape
    i, j = np.meshgrid(np.arange(m), np.arange(n), indexing="ij")
    eigenvalue = (2 * np.cos(2 * np.pi * i / m) + 2 * np.cos(2 * np.pi * j / n) - 4) / h**2
    eigenvalue[0, 0] = 1
    spectrum = np.fft.fft2(f) / eigenvalue
    spectrum[0, 0] = 0
    u[:, :] = np.real(np.fft.ifft2(spectrum))
