"""Inputs of bisection_lookup: rising knots, and queries that are halfway between, at, or outside them."""
import numpy as np


def initialize(knots, queries, datatype=np.float64, rng=None):
    """Returns knot, value: shape (knots,), knots rise by one; query, out: (queries,); found: int64, (1,), -1."""
    knot = np.arange(knots).astype(datatype)
    query = (rng.integers(-4, 2 * knots + 4, size=queries) / 2).astype(datatype)
    return knot, rng.normal(size=knots).astype(datatype), query, np.zeros(queries, dtype=datatype), np.full(1, -1)
