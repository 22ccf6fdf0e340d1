"""European options by the Black-Scholes formula; the normal distribution by a polynomial, good to 7.5e-8.

Source: Black, Scholes, J. Polit. Econ. 81 (3), 1973; Abramowitz, Stegun, 26.2.17.
"""
import numpy as np


def normal_cdf(x):
    """x: shape (n,). Returns the standard normal distribution function."""
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * series
    return np.where(x >= 0.0, 1.0 - tail, tail)


def black_scholes(spot, strike, years, rate, volatility, call, put):
    """spot, strike, years, call, put: shape (options,), the inputs positive; rate, volatility: scalars, a year."""
    deviation = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * np.exp(-rate * years)
    call[:] = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    put[:] = discounted * normal_cdf(-d2) - spot * normal_cdf(-d1)
