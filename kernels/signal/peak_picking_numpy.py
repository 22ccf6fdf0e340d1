"""Peaks above the mean of a signal, between samples by the parabola through three of them, and how prominent they are.

Smith, Spectral Audio Signal Processing, "Quadratic Interpolation of Spectral Peaks".
"""

import numpy as np


def peak_picking(signal, positions, heights, count):
    level = np.mean(signal)
    peaks = []
    for i in range(1, signal.shape[0] - 1):
        left, middle, right = signal[i - 1], signal[i], signal[i + 1]
        if middle > level and middle > left and middle >= right:
            shift = 0.5 * (left - right) / (left - 2.0 * middle + right)
            peaks.append((i + shift, middle - 0.25 * (left - right) * shift))
    for k, (where, height) in enumerate(peaks):
        positions[k] = where
        heights[k] = height - level
    count[0] = len(peaks)
