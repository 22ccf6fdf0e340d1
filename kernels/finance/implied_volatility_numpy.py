"""The volatility that explains a call's price, by Newton's method held between bounds that close in.

Prices are made from known volatilities; spot one, no interest. The steps end below 1e-9, out of float32's reach: double
precision only. Source: Black, Scholes, J. Polit. Econ. 81 (3), 1973; Press et al., Numerical Recipes, 9.4 (rtsafe).
"""
import math


def call_and_vega(strike: float, years: float, sigma: float):
    """The price of a call on spot one, and its derivative by the volatility."""
    width = sigma * math.sqrt(years)
    d1 = -math.log(strike) / width + 0.5 * width
    d2 = d1 - width
    cdf = lambda z: 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))
    vega = math.sqrt(years) * math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    return cdf(d1) - strike * cdf(d2), vega


def implied_volatility(strike, true_volatility, years, most, volatility, rounds):
    """strike, true_volatility, volatility: shape (options,); rounds: int64, (options,), -1 where it did not settle."""
    for i in range(len(strike)):
        target, _ = call_and_vega(strike[i], years, true_volatility[i])
        low, high = 0.01, 2.0
        sigma = 0.3
        for k in range(most):
            price, vega = call_and_vega(strike[i], years, sigma)
            if price > target:
                high = sigma
            else:
                low = sigma
            step = (price - target) / max(vega, 1e-12)
            guess = sigma - step
            if not low < guess < high:
                guess = 0.5 * (low + high)
            moved = abs(guess - sigma)
            sigma = guess
            if moved < 1e-9:
                rounds[i] = k + 1
                break
        else:
            rounds[i] = -1
        volatility[i] = sigma
