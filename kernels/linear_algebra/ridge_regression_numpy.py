"""Coefficients of a regularised linear model, how sure each is, and how likely the model.

Bishop, Pattern Recognition and Machine Learning, 3.49 to 3.51 and 3.86.
"""

import numpy as np


def ridge_regression(samples, targets, weight, coefficients, deviations, evidence):
    features = samples.shape[1]
    normal = samples.T @ samples + weight * np.eye(features)
    coefficients[:] = np.linalg.solve(normal, samples.T @ targets)
    deviations[:] = np.sqrt(np.diag(np.linalg.inv(normal)))
    factor = np.linalg.cholesky(normal)
    residual = targets - samples @ coefficients
    misfit = 0.5 * np.sum(residual ** 2, axis=0) + 0.5 * weight * np.sum(coefficients ** 2, axis=0)
    evidence[:] = 0.5 * features * np.log(weight) - misfit - np.sum(np.log(np.diag(factor)))
