"""The best that fits into a bag, each thing at most once: in place from the top down, so that a cell reads one that
this item has not yet changed (an anti-dependence of a distance known only at run time).

Source: R. Bellman, Dynamic Programming, 1957; Cormen et al., Introduction to Algorithms, 16.2.
"""


def knapsack(weight, worth, best):
    """weight: int64, shape (items,), plus one; worth: shape (items,); best: shape (capacity + 1,)."""
    capacity = best.shape[0] - 1
    best[:] = 0.0
    for i in range(weight.shape[0]):
        w = weight[i] + 1
        for room in range(capacity, w - 1, -1):
            best[room] = max(best[room], best[room - w] + worth[i])
