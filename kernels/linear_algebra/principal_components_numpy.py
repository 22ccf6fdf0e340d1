"""Directions in which samples spread the most, what share of the spread each has, and the samples' places along them.

Jolliffe, Principal Component Analysis, chapter 1. A direction points to where its greatest part is above zero.
"""

import numpy as np


def principal_components(samples, kept, shares, directions, places):
    centred = samples - samples.mean(axis=0)
    covariance = centred.T @ centred / (samples.shape[0] - 1)
    spread, vectors = np.linalg.eigh(covariance)
    spread = spread[::-1]
    vectors = vectors[:, ::-1]
    for k in range(kept):
        vector = vectors[:, k]
        largest = np.argmax(np.abs(vector))
        directions[k] = vector * np.sign(vector[largest])
        shares[k] = spread[k] / np.sum(spread)
    places[:] = centred @ directions.T
