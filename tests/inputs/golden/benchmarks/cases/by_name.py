import numpy as np


def initialize(N, scale, datatype=np.float32, rng=None, dist="", variant_spec=None):
    return rng.random(N).astype(datatype) * scale, np.asfortranarray(rng.random((N, N))), len(dist), variant_spec["width"]
