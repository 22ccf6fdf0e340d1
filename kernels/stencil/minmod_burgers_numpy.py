"""Burgers' equation u_t + (u**2 / 2)_x = 0 on a ring: slopes limited by minmod, local Lax-Friedrichs fluxes.

Source: R. J. LeVeque, Finite Volume Methods for Hyperbolic Problems, 6.9, 12.5.
"""
import numpy as np


def minmod(a, b):
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0)


def minmod_burgers(u, ratio, steps):
    """u: shape (cells,); ratio: dt / dx, at most 1 / (2 max|u|)."""
    for _ in range(steps):
        slope = minmod(u - np.roll(u, 1), np.roll(u, -1) - u)
        left = u + 0.5 * slope
        right = np.roll(u - 0.5 * slope, -1)
        fastest = np.maximum(np.abs(left), np.abs(right))
        flux = 0.25 * (left**2 + right**2) - 0.5 * fastest * (right - left)
        u -= ratio * (flux - np.roll(flux, 1))
