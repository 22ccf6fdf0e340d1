"""Normalisation over groups of channels. Source: Y. Wu, K. He, arXiv 1803.08494, eq. 1 and 7."""
import numpy as np


def group_norm(x, gain, bias, groups, out, eps=1e-5):
    """x, out: (batch, channels, height, columns), channels a multiple of groups; gain, bias: (channels,)."""
    n, c, h, w = x.shape
    g = x.reshape(n, groups, -1)
    g = (g - g.mean(axis=-1, keepdims=True)) / np.sqrt(g.var(axis=-1, keepdims=True) + eps)
    out[:] = g.reshape(n, c, h, w) * gain.reshape(1, c, 1, 1) + bias.reshape(1, c, 1, 1)
