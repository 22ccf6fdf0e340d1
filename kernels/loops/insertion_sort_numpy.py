"""Rows sorted in place by insertion, and where each element came from. Source: Knuth, TAOCP 3, 5.2.1."""


def sort_row(row, order):
    for i in range(1, row.size):
        value, origin = row[i], order[i]
        j = i - 1
        while j >= 0 and row[j] > value:
            row[j + 1] = row[j]
            order[j + 1] = order[j]
            j -= 1
        row[j + 1] = value
        order[j + 1] = origin


def insertion_sort(x, order):
    """x: shape (rows, length); order: int64, shape (rows, length)."""
    rows, length = x.shape
    for r in range(rows):
        for i in range(length):
            order[r, i] = i
        sort_row(x[r], order[r])
