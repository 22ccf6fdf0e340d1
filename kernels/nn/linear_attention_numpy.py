"""Causal linear attention as a recurrence over positions, features elu(x) + 1.

Source: A. Katharopoulos et al., arXiv 2006.16236, eq. 18 to 20.
"""
import numpy as np


def feature_map(x):
    """elu(x) + 1, positive everywhere."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(q, k, v, out):
    """q, k: shape (heads, length, features); v, out: shape (heads, length, values)."""
    q, k = feature_map(q), feature_map(k)
    heads, length, features = q.shape
    for h in range(heads):
        state = np.zeros((features, v.shape[-1]), dtype=q.dtype)
        norm = np.zeros(features, dtype=q.dtype)
        for t in range(length):
            state += k[h, t, :, None] * v[h, t, None, :]
            norm += k[h, t]
            out[h, t] = (q[h, t] @ state) / (q[h, t] @ norm)
