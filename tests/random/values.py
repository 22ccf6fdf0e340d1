"""Inputs of random programs: tame numbers, and those on which implementations differ."""

import numpy as np

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 7.0, 0.1, 1e-3, 1e10, -1e17, 88.5, 127.5, 255.5]
AWKWARD_FLOATS = [np.inf, -np.inf, np.nan, 2.0**31, 2.0**63, -(2.0**63)]
INTEGERS = [0, 1, 2, 3, 5, 7, -1, -2, -3, -7, 8, 13]


def scalar_of(rng, dtype, awkward):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return dtype.type(rng.random() < 0.5)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        pool = INTEGERS
        if awkward and rng.random() < 0.3:
            pool = [info.min, info.max, info.max - 1, info.min + 1, info.max // 2, dtype.itemsize * 8, 63, 64]
        value = rng.choice(pool)
        return dtype.type(value if info.min <= value <= info.max else abs(value) % 100)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        if awkward and rng.random() < 0.25:
            pool = AWKWARD_FLOATS + [float(info.tiny), float(info.smallest_subnormal), float(info.max)]
            return dtype.type(rng.choice(pool))
        if rng.random() < 0.5:
            return dtype.type(rng.choice(FLOATS))
        return dtype.type(round(rng.gauss(0, 2), 3))
    part = np.float32 if dtype == np.complex64 else np.float64
    real, imaginary = (part(round(rng.gauss(0, 2), 2)) for _ in range(2))
    return dtype.type(complex(real, imaginary))


def array_of(rng, dtype, shape, awkward):
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([scalar_of(rng, dtype, awkward) for _ in range(count)], dtype=dtype).reshape(shape)


def indices_of(rng, dtype, shape, bound):
    """Valid for an extent of `bound`, negative ones among them (where the dtype has them)."""
    least = -bound if np.dtype(dtype).kind == "i" else 0
    count = int(np.prod(shape, dtype=np.int64))
    picks = [rng.randrange(least, bound) if bound > 0 else 0 for _ in range(count)]
    return np.array(picks, dtype=dtype).reshape(shape)
