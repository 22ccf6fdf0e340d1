"""A European, an Asian and a barrier call under stochastic variance, by simulation with full truncation.

Source: S. L. Heston, Rev. Financ. Stud. 6 (2), 1993; R. Lord et al., Quant. Finance 10 (2), 2010 (full truncation).
"""
import numpy as np


def heston_paths(normals, spot, strike, rate, kappa, theta, xi, rho, dt, price):
    """normals: shape (steps, 2, paths); price: shape (3,)."""
    steps, _, paths = normals.shape
    log_s = np.full(paths, np.log(spot), dtype=normals.dtype)
    v = np.full(paths, theta, dtype=normals.dtype)
    total = np.zeros(paths, dtype=normals.dtype)
    alive = np.ones(paths, dtype=bool)
    for z1, z2 in normals:
        z2 = rho * z1 + np.sqrt(1 - rho**2) * z2
        vp = np.maximum(v, 0)
        log_s += (rate - 0.5 * vp) * dt + np.sqrt(vp * dt) * z1
        v += kappa * (theta - vp) * dt + xi * np.sqrt(vp * dt) * z2
        s = np.exp(log_s)
        total += s
        alive &= s > 0.8 * spot
    discount = np.exp(-rate * steps * dt)
    payoff = np.maximum(s - strike, 0)
    price[0] = discount * payoff.mean()
    price[1] = discount * np.maximum(total / steps - strike, 0).mean()
    price[2] = discount * np.where(alive, payoff, 0).mean()
