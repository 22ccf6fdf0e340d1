"""American puts on a recombining binomial tree, spot one, all strikes at once, worked back from expiry.

Source: Cox, Ross, Rubinstein, J. Financ. Econ. 7 (3), 1979.
"""
import numpy as np


def american_put(strike, up, discount, chance, strikes, steps, price):
    """strike, price: shape (strikes,); up: factor of an up move (down is 1/up); chance: risk-neutral, of up."""
    spot = np.empty((2 * steps + 1,), dtype=strike.dtype)
    spot[steps] = 1.0
    for k in range(steps):
        spot[steps + k + 1] = spot[steps + k] * up
        spot[steps - k - 1] = spot[steps - k] / up
    value = np.maximum(strike[:, None] - spot[None, ::2], 0.0)
    step = steps - 1
    while step >= 0:
        hold = discount * (chance * value[:, 1:step + 2] + (1.0 - chance) * value[:, 0:step + 1])
        first = steps - step
        exercise = strike[:, None] - spot[None, first:first + 2 * step + 1:2]
        value[:, 0:step + 1] = np.maximum(hold, exercise)
        step -= 1
    price[:] = value[:, 0]
