"""Smoothing in two buffers that change their roles after every step, as other codes swap two pointers.

Source: the binomial filter (1, 2, 1) / 4.
"""
import numpy as np


def ping_pong(u, steps, out):
    """u, out: shape (cells,); the ends are held."""
    buffer = np.stack([u, u])
    now = 0
    for _ in range(steps):
        source = buffer[now]
        buffer[1 - now, 1:-1] = 0.25 * source[:-2] + 0.5 * source[1:-1] + 0.25 * source[2:]
        now = 1 - now
    out[:] = buffer[now]
