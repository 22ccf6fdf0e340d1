"""Scaled dot-product attention. Source: Vaswani et al., arXiv 1706.03762, eq. 1."""
import numpy as np


def softmax_last(x):
    """x: any shape. Returns the softmax over its last axis."""
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def attention(q, k, v, out):
    """q, out: shape (batch, heads, queries, features); k, v: shape (batch, heads, keys, features)."""
    scale = 1.0 / np.sqrt(q.shape[-1])
    scores = np.matmul(q, np.transpose(k, (0, 1, 3, 2))) * scale
    out[:] = np.matmul(softmax_last(scores), v)
