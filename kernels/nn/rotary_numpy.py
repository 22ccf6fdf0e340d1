"""Root-mean-square normalisation of each head, then its halves rotated by angles that grow with the position.

Source: B. Zhang, R. Sennrich, arXiv 1910.07467; J. Su et al., arXiv 2104.09864, eq. 34 (halves instead of pairs).
"""
import numpy as np


def rotary(x, gain, out, base=10000.0, eps=1e-6):
    """x, out: shape (batch, length, heads, 2 half); gain: shape (2 half,)."""
    half = x.shape[-1] // 2
    frequency = base**(-np.arange(half) / half)
    angle = np.arange(x.shape[1])[:, np.newaxis] * frequency[np.newaxis, :]
    cos = np.cos(angle)[:, np.newaxis, :].astype(x.dtype)
    sin = np.sin(angle)[:, np.newaxis, :].astype(x.dtype)
    y = x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + eps) * gain
    first, second = y[..., :half], y[..., half:]
    out[:] = np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
