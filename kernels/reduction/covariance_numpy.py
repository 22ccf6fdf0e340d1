"""The matrix of correlation coefficients of the columns. Source: K. Pearson, Proc. R. Soc. 58, 1895."""
import numpy as np


def covariance(x, correlation):
    """x: shape (samples, features); correlation: shape (features, features); a constant column counts as unit."""
    centred = x - x.mean(axis=0)
    c = centred.T @ centred
    size = np.sqrt(np.diag(c))
    size = np.where(size > 0, size, 1)
    correlation[:] = c / np.outer(size, size)
