"""Mean and sample deviation in one pass that does not cancel. Source: B. P. Welford, Technometrics 4 (3), 1962."""
import math


def running_moments(sample):
    """Returns the mean and the sum of squared deviations from it."""
    mean, squares, count = 0.0, 0.0, 0
    for value in sample:
        count += 1
        delta = value - mean
        mean += delta / count
        squares += delta * (value - mean)
    return mean, squares


def welford(x, mean, deviation, ddof=1):
    """x: shape (series, length); mean, deviation: shape (series,)."""
    for s in range(x.shape[0]):
        m, squares = running_moments(x[s])
        mean[s] = m
        deviation[s] = math.sqrt(squares / max(x.shape[1] - ddof, 1))
