"""Inputs of peak_picking: a few tones under noise."""

import numpy as np


def initialize(samples, datatype=np.float64):
    rng = np.random.default_rng(11)
    t = np.arange(samples)
    signal = np.sin(0.21 * t) + 0.6 * np.sin(0.53 * t + 1.0) + 0.1 * rng.standard_normal(samples)
    return signal.astype(datatype), np.zeros(samples, datatype), np.zeros(samples, datatype), np.zeros(1, np.int64)
