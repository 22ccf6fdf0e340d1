"""Sums of rows with what rounding loses added back at the end; an optimiser that reassociates undoes it.

Source: A. Neumaier, ZAMM 54, 1974.
"""


def compensated_sum(x, total):
    """x: shape (rows, columns); total: shape (rows,)."""
    for r in range(x.shape[0]):
        s = x[r, 0]
        lost = 0 * s
        for c in range(1, x.shape[1]):
            t = s + x[r, c]
            if abs(s) >= abs(x[r, c]):
                lost += (s - t) + x[r, c]
            else:
                lost += (x[r, c] - t) + s
            s = t
        total[r] = s + lost
