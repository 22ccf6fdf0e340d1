"""One level of the orthonormal Haar wavelet transform of every row. Source: A. Haar, Math. Ann. 69, 1910."""
import numpy as np


def haar_wavelet(x, smooth, detail):
    """x: shape (rows, 2 half); smooth, detail: shape (rows, half)."""
    smooth[:, :] = (x[:, ::2] + x[:, 1::2]) / np.sqrt(2.0)
    detail[:, :] = (x[:, ::2] - x[:, 1::2]) / np.sqrt(2.0)
