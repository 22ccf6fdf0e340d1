"""Log likelihoods of GARCH(1, 1) models of one series, the long-run variance fixed to the sample's, and the best model.

Source: T. Bollerslev, J. Econom. 31 (3), 1986.
"""
import math

import numpy as np


def log_likelihood(returns, alpha, beta, long_run):
    variance = long_run
    total = 0.0
    for r in returns:
        total -= 0.5 * (math.log(2.0 * math.pi * variance) + r * r / variance)
        variance = (1.0 - alpha - beta) * long_run + alpha * r * r + beta * variance
    return total


def garch_likelihood(returns, alpha, beta, score, best):
    """returns: shape (days,); alpha, beta, score: (models,), alpha + beta < 1; best: int64, (1,)."""
    long_run = np.mean(returns * returns)
    winner = 0
    for m in range(len(score)):
        score[m] = log_likelihood(returns, alpha[m], beta[m], long_run)
        if score[m] > score[winner]:
            winner = m
    best[0] = winner
