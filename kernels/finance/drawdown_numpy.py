"""The largest fall from a peak, the day of its bottom, and the ratio of mean to deviation of the returns.

Source: Magdon-Ismail, Atiya, Risk 17 (10), 2004; W. F. Sharpe, J. Portfolio Manag. 21 (1), 1994.
"""
import numpy as np


def drawdown(returns, worst, day, sharpe):
    """returns: shape (assets, days), above -1; worst, sharpe: (assets,); day: int64, (assets,)."""
    wealth = np.cumprod(1 + returns, axis=1)
    peak = np.maximum.accumulate(wealth, axis=1)
    fall = 1 - wealth / peak
    worst[:] = fall.max(axis=1)
    day[:] = fall.argmax(axis=1)
    sharpe[:] = returns.mean(axis=1) / (returns.std(axis=1) + 1e-12)
