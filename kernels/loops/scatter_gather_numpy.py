"""Stores through an index that repeats: sums (order does not matter but for rounding), the last one wins (order does),
and a gather of what the loop itself has just scattered.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2.3 (subscripts that are arrays).
"""


def scatter_gather(index, x, total, last, chained):
    """index: int64, shape (length,), used modulo targets; x, chained: (length,); total, last: (targets,)."""
    targets = total.shape[0]
    total[:] = 0
    last[:] = 0
    for i in range(len(index)):
        k = index[i] % targets
        total[k] += x[i]
        chained[i] = x[i] - last[k]
        last[k] = x[i]
