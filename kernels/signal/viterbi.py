"""Inputs of viterbi: logarithms of random probabilities."""
import numpy as np


def initialize(steps, states, symbols, datatype=np.float64, rng=None):
    """Returns observed: int64, (steps,); log probabilities start: (states,), transition: (states, states), emission:
    (states, symbols); path: int64, (steps,), -1; score: (1,), zero."""

    def logs(*shape):
        p = rng.uniform(0.05, 1.0, size=shape)
        return np.log(p / p.sum(axis=-1, keepdims=True)).astype(datatype)

    observed = rng.integers(0, symbols, size=steps, dtype=np.int64)
    return (observed, logs(states), logs(states, states), logs(states, symbols), np.full(steps, -1),
            np.zeros(1, dtype=datatype))
