"""Stores through an index that repeats: sums (order does not matter but for rounding), the last one wins (order does),
and a gather of what the loop itself has just scattered."""


def scatter_gather(index, x, total, last, chained):
    """index: int64, shape (length,), used modulo targets; x, chained: shape (length,); total, last: shape (targets,)."""
    targets = total.shape[0]
    total[:] = 0
    last[:] = 0
    for i in range(len(index)):
        k = index[i] % targets
        total[k] += x[i]
        chained[i] = x[i] - last[k]
        last[k] = x[i]
