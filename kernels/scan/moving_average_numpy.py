"""Exponential moving average: y[0] = x[0], y[t] = weight x[t] + (1 - weight) y[t-1]. Source: R. G. Brown, 1956."""


def moving_average(x, weight, series, length, out):
    """x, out: shape (series, length); weight: scalar in (0, 1]."""
    for s in range(series):
        level = x[s, 0]
        for t in range(length):
            level = weight * x[s, t] + (1.0 - weight) * level
            out[s, t] = level
