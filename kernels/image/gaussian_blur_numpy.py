"""Separable binomial blur, five taps (1, 4, 6, 4, 1) / 16 an axis, the border repeated.

Source: the binomial approximation of a Gaussian, e.g. Burt, Adelson, IEEE Trans. Commun. 31 (4), 1983.
"""
import numpy as np

TAPS = (0.0625, 0.25, 0.375, 0.25, 0.0625)


def blur_rows(image):
    """image: shape (h, w). Returns it blurred along its second axis."""
    h, w = image.shape
    reach = len(TAPS) // 2
    padded = np.empty((h, w + 2 * reach), dtype=image.dtype)
    padded[:, reach:reach + w] = image
    padded[:, :reach] = image[:, :1]
    padded[:, reach + w:] = image[:, -1:]
    blurred = np.zeros_like(image)
    for k, tap in enumerate(TAPS):
        blurred = blurred + tap * padded[:, slice(k, k + w)]
    return blurred


def gaussian_blur(image, out):
    """image, out: shape (height, width)."""
    out[:] = blur_rows(blur_rows(image).T).T
