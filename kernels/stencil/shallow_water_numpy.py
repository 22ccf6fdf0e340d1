"""Shallow water in a channel with walls, by the two-step Lax-Wendroff scheme of Richtmyer.

Source: Richtmyer, Morton, Difference Methods for Initial-Value Problems, 12.7.
"""
from typing import Tuple

import numpy as np


def flux(h: np.ndarray, q: np.ndarray, gravity: float) -> Tuple[np.ndarray, np.ndarray]:
    """Fluxes of depth and of momentum."""
    return q, q * q / h + 0.5 * gravity * h * h


def reflect(h: np.ndarray, q: np.ndarray) -> None:
    """Walls at both ends."""
    h[0], h[-1] = h[1], h[-2]
    q[0], q[-1] = -q[1], -q[-2]


def step(h, q, gravity, ratio):
    fh, fq = flux(h, q, gravity)
    h_mid = 0.5 * (h[1:] + h[:-1]) - 0.5 * ratio * (fh[1:] - fh[:-1])
    q_mid = 0.5 * (q[1:] + q[:-1]) - 0.5 * ratio * (fq[1:] - fq[:-1])
    fh, fq = flux(h_mid, q_mid, gravity)
    h[1:-1] -= ratio * (fh[1:] - fh[:-1])
    q[1:-1] -= ratio * (fq[1:] - fq[:-1])


def shallow_water(depth, momentum, gravity, ratio, steps):
    """depth: shape (cells,), positive; momentum: shape (cells,); ratio: dt / dx."""
    for _ in range(steps):
        reflect(depth, momentum)
        step(depth, momentum, gravity, ratio=ratio)
