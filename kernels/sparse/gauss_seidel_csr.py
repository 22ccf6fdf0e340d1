"""Inputs of gauss_seidel_csr: each row begins with its dominant diagonal entry, the rest is spread at random."""
import numpy as np


def initialize(n, entries, datatype=np.float64, rng=None):
    """Returns start: int64, (n + 1,); column: int64 and value: (entries,); b, x: (n,). Needs entries >= n."""
    spare = max(entries - n, 0)
    owner = np.sort(np.concatenate([np.arange(n), rng.integers(0, n, size=spare)]))[:entries]
    start = np.searchsorted(owner, np.arange(n + 1)).astype(np.int64)
    column = rng.integers(0, n, size=entries, dtype=np.int64)
    value = rng.uniform(-1.0, 1.0, size=entries)
    for i in range(n):
        row = slice(start[i], start[i + 1])
        column[row][column[row] == i] = (i + 1) % n
        if start[i] < start[i + 1]:
            column[start[i]] = i
            value[start[i]] = 1.0 + np.sum(np.abs(value[row]))
    return start, column, value.astype(datatype), rng.normal(size=n).astype(datatype), np.zeros(n, dtype=datatype)
