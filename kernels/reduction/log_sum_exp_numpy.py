"""log(sum(exp(x))) over the last two axes, shifted by the maximum so that nothing overflows."""
import numpy as np


def log_sum_exp(x, out):
    """x: shape (batch, rows, columns); out: shape (batch,)."""
    top = np.max(x, axis=(1, 2), keepdims=True)
    out[:] = np.log(np.sum(np.exp(x - top), axis=(1, 2))) + top[:, 0, 0]
