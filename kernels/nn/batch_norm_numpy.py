"""Batch normalisation at inference: statistics are given. Source: Ioffe, Szegedy, arXiv 1502.03167, algorithm 2."""
import numpy as np


def batch_norm(x, running_mean, running_variance, gain, bias, epsilon, out):
    """x, out: shape (batch, channels, height, width); the others: shape (channels,), the variance positive."""
    scale = gain / np.sqrt(running_variance + epsilon)
    offset = bias - running_mean * scale
    out[:, :, :, :] = x * scale[np.newaxis, :, np.newaxis, np.newaxis] + offset[np.newaxis, :, np.newaxis, np.newaxis]
