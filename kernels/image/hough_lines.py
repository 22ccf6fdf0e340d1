"""Inputs of hough_lines: noise with a bright diagonal."""
import numpy as np


def initialize(height, width, angles, datatype=np.float64, rng=None):
    """Returns image: shape (height, width); votes: int64, (angles, 2 (height + width) + 1), and strongest: (3,), -1."""
    image = rng.uniform(0.0, 0.9, size=(height, width))
    for k in range(min(height, width)):
        image[k, k] = 1.0
    return image.astype(datatype), np.full((angles, 2 * (height + width) + 1), -1), np.full(3, -1)
