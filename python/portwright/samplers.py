"""Random fills of input arrays, value for value those of HPCAgent-Bench's loader.

What is fixed here because the corpus's inputs depend on it: the order in which a generator is drawn from, the four bit
generators dealt out to arrays in turn, float64 draws cast to the run's dtype, and the folding onto a declared domain.
Facts from HPCAgent-Bench (support/distributions, initialize.py, commit 11d625f9); no code of it.
"""

from __future__ import annotations

import numpy as np

BIT_GENERATORS = (np.random.PCG64, np.random.PCG64DXSM, np.random.SFC64, np.random.Philox)

SIGN_DOMAINS = ("positive", "nonneg", "negative", "nonpos")

# Distributions that shape the whole array: a domain on top of one is a contradiction.
STRUCTURAL = ("well_conditioned", "near_singular", "stable", "unstable")


class SamplerError(ValueError):
    """A manifest asks for a distribution or domain that does not exist or contradicts itself."""


def streams(seed, count):
    """`count` independent generators: stream k depends on (seed, k) only."""
    children = np.random.SeedSequence(seed).spawn(count)
    return [np.random.Generator(BIT_GENERATORS[k % 4](child)) for k, child in enumerate(children)]


def magnitude_cap(dtype):
    """The largest magnitude drawn for a dtype; float16 would overflow to inf otherwise."""
    return 6.5e4 if np.dtype(dtype) == np.float16 else float("inf")


def _number(options, name, default):
    return float(options.get(name, default))


def _uniform(rng, o, shape):
    return rng.uniform(_number(o, "low", -1000.0), _number(o, "high", 1000.0), size=shape)


def _normal(rng, o, shape):
    return rng.normal(loc=_number(o, "loc", 0.0), scale=_number(o, "scale", 1.0), size=shape)


def _lognormal(rng, o, shape):
    mean = float(np.log(_number(o, "scale", 1.0)))
    return rng.lognormal(mean=mean, sigma=_number(o, "sigma", 0.5), size=shape)


def _exponential(rng, o, shape):
    return rng.exponential(scale=_number(o, "scale", 1.0), size=shape)


def _gamma(rng, o, shape):
    return rng.gamma(shape=_number(o, "shape", 2.0), scale=_number(o, "scale", 1.0), size=shape)


def _beta(rng, o, shape):
    return rng.beta(a=_number(o, "a", 2.0), b=_number(o, "b", 2.0), size=shape) * _number(o, "scale", 1.0)


def _laplace(rng, o, shape):
    return rng.laplace(loc=_number(o, "loc", 0.0), scale=_number(o, "scale", 1.0), size=shape)


def _is_matrix(shape):
    return len(shape) == 2 and shape[0] == shape[1] > 1


def _signed(rng, low, high, shape):
    magnitudes = rng.uniform(low, high, size=shape)
    return magnitudes * rng.choice([-1.0, 1.0], size=shape)


def _well_conditioned(rng, shape, cap):
    out = _signed(rng, 0.5, 1.5, shape)
    if _is_matrix(shape):
        np.fill_diagonal(out, min(2.0 * shape[0], cap))
    return out


def _near_singular(rng, shape, cap):
    if not _is_matrix(shape):
        return np.ones(shape) + 1.0e-8 * rng.standard_normal(shape)
    n = shape[0]
    column = rng.uniform(-1.0, 1.0, size=(n, 1))
    row = rng.uniform(-1.0, 1.0, size=(1, n))
    return column @ row + 1.0e-8 * rng.standard_normal((n, n))


def _stable(rng, shape, cap):
    return rng.uniform(-0.9, 0.9, size=shape)


def _unstable(rng, shape, cap):
    return _signed(rng, 1.1, min(2.0, cap), shape)


PLAIN_SAMPLERS = {
    "uniform": _uniform,
    "normal": _normal,
    "lognormal": _lognormal,
    "exponential": _exponential,
    "gamma": _gamma,
    "beta": _beta,
    "laplace": _laplace,
}

STRUCTURAL_SAMPLERS = {
    "well_conditioned": _well_conditioned,
    "near_singular": _near_singular,
    "stable": _stable,
    "unstable": _unstable,
}


def parse_domain(declared):
    """None (unconstrained), a sign name, or (low, high)."""
    if declared is None or declared == "any":
        return None
    if isinstance(declared, str):
        if declared not in SIGN_DOMAINS:
            raise SamplerError(f"unknown domain {declared!r}; one of {', '.join(SIGN_DOMAINS)}, any, [low, high]")
        return declared
    low, high = (float(bound) for bound in declared)
    if not low < high:
        raise SamplerError(f"the domain [{low}, {high}] is empty")
    return (low, high)


def fold(values, domain, dtype):
    """Moves values into a domain: an interval affinely, a sign by |x|; an exact zero leaves a strict sign's border."""
    if domain is None:
        return values
    if isinstance(domain, tuple):
        low, high = domain
        spread = np.ptp(values)
        if spread == 0:
            values[...] = 0.5 * (low + high)
            return values
        shifted = np.subtract(values, values.min(), out=values)
        return np.multiply(shifted, (high - low) / spread, out=shifted) + low
    np.abs(values, out=values)
    if domain in ("negative", "nonpos"):
        np.negative(values, out=values)
    if domain in ("positive", "negative"):
        tiny = np.finfo(dtype).tiny
        values[values == 0] = tiny if domain == "positive" else -tiny
    return values


def sample(distribution, shape, dtype, rng, options, domain=None, array="an array"):
    """One array.

    Parameters
    ----------
    distribution : str
        A key of PLAIN_SAMPLERS or STRUCTURAL_SAMPLERS.
    shape : tuple of int
    dtype : numpy scalar type
        Of the result; draws are float64 whatever it is.
    rng : numpy.random.Generator
    options : dict
        Parameters of the distribution (the variant's keys).
    domain : None, str or (float, float)
    array : str
        Named in errors.

    Raises
    ------
    SamplerError
    """
    cap = magnitude_cap(dtype)
    if distribution in STRUCTURAL_SAMPLERS:
        if domain is not None:
            raise SamplerError(f"{array}: {distribution} fixes the whole array, so the domain {domain!r} cannot hold too")
        drawn = STRUCTURAL_SAMPLERS[distribution](rng, shape, cap)
        capped = distribution in ("well_conditioned", "near_singular")
    elif distribution in PLAIN_SAMPLERS:
        drawn = np.asarray(PLAIN_SAMPLERS[distribution](rng, options, shape), dtype=np.float64)
        capped = True
    else:
        known = ", ".join(sorted([*PLAIN_SAMPLERS, *STRUCTURAL_SAMPLERS]))
        raise SamplerError(f"{array}: unknown distribution {distribution!r}; known: {known}")
    if capped:
        drawn = np.clip(drawn, -cap, cap)
    values = np.asarray(drawn).astype(dtype)
    if domain is None or not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return values
    return fold(values, domain, dtype).astype(values.dtype, copy=False)


def indices(shape, dtype, rng):
    """Valid subscripts: a permutation in one dimension, else uniform in [0, smallest extent)."""
    if len(shape) == 1:
        return rng.permutation(shape[0]).astype(dtype)
    return rng.integers(0, max(2, min(shape)), size=shape, dtype=dtype)
