"""A recurrence whose value depends on those four and seven steps back: four neighbours at a time are independent.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2.2 (dependence distance).
"""


def lagged_recurrence(x, y):
    """x, y: shape (length,), the first seven of y are given."""
    for i in range(7, len(y)):
        y[i] = 0.5 * y[i - 4] - 0.25 * y[i - 7] + x[i]
