"""Inputs of csr_transpose: rows of random lengths that use up all entries, columns at random."""
import numpy as np


def initialize(rows, columns, entries, datatype=np.float64, rng=None):
    """Returns the matrix by rows (start, column, value), and room for it by columns, -1 or zero everywhere."""
    start = np.zeros(rows + 1, dtype=np.int64)
    start[1:-1] = np.sort(rng.integers(0, entries + 1, size=rows - 1))
    start[-1] = entries
    column = rng.integers(0, columns, size=entries, dtype=np.int64)
    value = rng.normal(size=entries).astype(datatype)
    return (start, column, value, np.full(columns + 1, -1), np.full(entries, -1), np.zeros(entries, dtype=datatype))
