"""An American put by Crank and Nicolson's scheme on [0, 3 strike], projected over-relaxation in every step.

Source: C. W. Cryer, SIAM J. Control 9, 1971; P. Wilmott et al., Option Pricing, chapter 21.
"""
import numpy as np


def crank_nicolson_put(strike, rate, sigma, dt, cells, steps, sweeps, value):
    """value: shape (cells + 1,), the option's at spots 3 strike i / cells."""
    spot = np.linspace(0, 3 * strike, cells + 1).astype(value.dtype)
    payoff = np.maximum(strike - spot, 0)
    value[:] = payoff
    i = np.arange(1, cells)
    down = 0.25 * dt * (sigma**2 * i**2 - rate * i)
    middle = -0.5 * dt * (sigma**2 * i**2 + rate)
    up = 0.25 * dt * (sigma**2 * i**2 + rate * i)
    for _ in range(steps):
        right = down * value[:-2] + (1 + middle) * value[1:-1] + up * value[2:]
        for _ in range(sweeps):
            for j in range(1, cells):
                new = (right[j - 1] + down[j - 1] * value[j - 1] + up[j - 1] * value[j + 1]) / (1 - middle[j - 1])
                value[j] = max(payoff[j], value[j] + 1.2 * (new - value[j]))
