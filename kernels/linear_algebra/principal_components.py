"""Inputs of principal_components: samples whose spread differs from direction to direction."""

import numpy as np


def initialize(rows, features, kept, datatype=np.float64):
    rng = np.random.default_rng(13)
    scales = 1.3 ** np.arange(features, 0, -1.0) / 1.3 ** features
    turn = np.linalg.qr(rng.standard_normal((features, features)))[0]
    samples = ((rng.standard_normal((rows, features)) * scales) @ turn + 2.0).astype(datatype)
    return (samples, np.zeros(kept, datatype), np.zeros((kept, features), datatype),
            np.zeros((rows, kept), datatype))
