"""Reaction and diffusion of two substances on a torus: U + 2V -> 3V, U is fed and V removed.

u' = du Laplace(u) - u v**2 + feed (1 - u);  v' = dv Laplace(v) + u v**2 - (feed + kill) v.
Source: Gray, Scott, Chem. Eng. Sci. 38, 1983; J. E. Pearson, Science 261, 1993.
"""
import numpy as np


def gray_scott(u, v, feed, kill, du, dv, steps, dt=1.0):
    """u, v: shape (rows, columns), concentrations; Euler steps of length dt."""

    def laplacian(field):
        total = -4.0 * field
        for axis in range(2):
            for shift in (-1, 1):
                total += np.roll(field, shift, axis=axis)
        return total

    for _ in range(steps):
        uvv = u * v**2
        change_u = du * laplacian(u) - uvv + feed * (1.0 - u)
        change_v = dv * laplacian(v) + uvv - (feed + kill) * v
        u += dt * change_u
        v += dt * change_v
