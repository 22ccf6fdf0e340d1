"""Inputs of csr_matvec: rows of random lengths that use up all entries, columns at random."""
import numpy as np


def initialize(rows, columns, entries, datatype=np.float64, rng=None):
    """Returns start: int64, (rows + 1,); column: int64, (entries,); value: (entries,); x: (columns,); y: (rows,)."""
    start = np.zeros(rows + 1, dtype=np.int64)
    start[1:-1] = np.sort(rng.integers(0, entries + 1, size=rows - 1))
    start[-1] = entries
    column = rng.integers(0, columns, size=entries, dtype=np.int64)
    value = rng.normal(size=entries).astype(datatype)
    x = rng.normal(size=columns).astype(datatype)
    return start, column, value, x, np.zeros(rows, dtype=datatype)
