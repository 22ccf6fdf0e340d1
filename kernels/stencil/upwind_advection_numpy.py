"""First-order upwind transport on a line with inflow held: the difference is taken on the side the flow comes from.

u'[i] = u[i] - c (u[i] - u[i-1]) for c >= 0, u[i] - c (u[i+1] - u[i]) for c < 0; stable for |c| <= 1.
Source: Courant, Isaacson, Rees, 1952.
"""
import numpy as np


def upwind_difference(u, courant):
    """u: shape (n,). Returns shape (n,): the one-sided difference, zero at the inflow."""
    difference = np.zeros_like(u)
    if courant >= 0.0:
        difference[1:] = u[1:] - u[:-1]
    else:
        difference[:-1] = u[1:] - u[:-1]
    return difference


def upwind_advection(u, courant, steps, out):
    """u, out: shape (cells,); courant: scalar, velocity * dt / h."""
    out[:] = u
    for _ in range(steps):
        out[:] = out - courant * upwind_difference(out, courant)
