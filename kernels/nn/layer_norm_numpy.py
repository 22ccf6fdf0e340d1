"""Layer normalisation over the last axis. Source: Ba, Kiros, Hinton, arXiv 1607.06450, eq. 4 (biased variance)."""
import numpy as np


def layer_norm(x, gain, bias, epsilon, out):
    """x, out: shape (batch, length, features); gain, bias: shape (features,); epsilon: scalar."""
    centre = np.mean(x, axis=-1, keepdims=True)
    spread = np.var(x, axis=-1, keepdims=True)
    out[:] = (x - centre) / np.sqrt(spread + epsilon) * gain + bias
