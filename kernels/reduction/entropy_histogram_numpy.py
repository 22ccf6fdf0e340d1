"""Mutual information of two samples from their joint histogram. Source: C. E. Shannon, Bell Syst. Tech. J. 27, 1948."""
import numpy as np


def entropy(p):
    """p: probabilities, any shape; zeros contribute nothing."""
    return -np.sum(p * np.log(np.where(p > 0, p, 1)))


def entropy_histogram(x, y, joint, information):
    """x, y: shape (samples,), in [0, 1]; joint: int64, shape (bins, bins); information: shape (1,), in nats."""
    bins = joint.shape[0]
    row = np.minimum((x * bins).astype(int), bins - 1)
    column = np.minimum((y * bins).astype(int), bins - 1)
    joint[:] = 0
    np.add.at(joint, (row, column), 1)
    p = joint / x.size
    information[0] = entropy(p.sum(axis=0)) + entropy(p.sum(axis=1)) - entropy(p)
