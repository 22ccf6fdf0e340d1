"""The mean cross entropy of softmax against labels, and its gradient, softmax minus one-hot over the number of rows.

Source: C. M. Bishop, Pattern Recognition and Machine Learning, 4.3.4.
"""
import numpy as np


def cross_entropy(logits, label, loss, gradient):
    """logits, gradient: shape (rows, classes); label: int64, shape (rows,), used modulo classes; loss: shape (1,)."""
    rows, classes = logits.shape
    target = label % classes
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    log_p = shifted - log_sum
    loss[0] = -log_p[np.arange(rows), target].mean()
    gradient[:] = np.exp(log_p)
    gradient[np.arange(rows), target] -= 1
    gradient /= rows
