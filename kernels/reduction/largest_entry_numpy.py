"""The entry of largest magnitude and where it stands (the first of equals), as a scalar search."""


def largest_entry(x, rows, columns, value, place):
    """x: shape (rows, columns); value: shape (1,); place: int64, shape (2,), row and column."""
    best = abs(x[0, 0])
    best_row = 0
    best_column = 0
    for i in range(rows):
        for j in range(columns):
            size = x[i, j] if x[i, j] >= 0.0 else -x[i, j]
            if size > best:
                best = size
                best_row = i
                best_column = j
    value[0] = best
    place[0] = best_row
    place[1] = best_column
