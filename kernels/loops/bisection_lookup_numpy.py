"""Linear interpolation in a table: the interval by binary search, ends held, hits of a knot counted.

Source: Knuth, TAOCP 3, 6.2.1 (algorithm B).
"""


def search(knot, q):
    """Returns the knot's index and True where q is a knot, else the index of the interval and False."""
    low, high = 0, len(knot) - 1
    while low <= high:
        middle = (low + high) // 2
        if knot[middle] == q:
            return middle, True
        if knot[middle] < q:
            low = middle + 1
        else:
            high = middle - 1
    return high, False


def bisection_lookup(knot, value, query, out, found):
    """knot, value: shape (knots,), knots rise; query, out: shape (queries,); found: int64, shape (1,)."""
    hits = 0
    for i in range(query.shape[0]):
        k, hit = search(knot, query[i])
        if hit:
            out[i] = value[k]
            hits += 1
        elif k < 0:
            out[i] = value[0]
        elif k >= knot.shape[0] - 1:
            out[i] = value[-1]
        else:
            t = (query[i] - knot[k]) / (knot[k + 1] - knot[k])
            out[i] = (1 - t) * value[k] + t * value[k + 1]
    found[0] = hits
