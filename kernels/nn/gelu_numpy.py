"""The Gaussian error linear unit in its tanh form. Source: Hendrycks, Gimpel, arXiv 1606.08415, section 2."""
import numpy as np


def gelu(x, out):
    """x, out: shape (rows, columns)."""
    inner = np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)
    out[:, :] = 0.5 * x * (1.0 + np.tanh(inner))
