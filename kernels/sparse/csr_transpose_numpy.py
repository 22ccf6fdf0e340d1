"""A sparse matrix by rows turned into one by columns: count, prefix sum, scatter.

Source: F. G. Gustavson, ACM Trans. Math. Softw. 4 (3), 1978.
"""


def csr_transpose(start, column, value, t_start, t_row, t_value):
    """start: (rows + 1,); column, value: (entries,); t_start: (columns + 1,); t_row, t_value: (entries,); all but the
    values int64."""
    rows = start.shape[0] - 1
    columns = t_start.shape[0] - 1
    t_start[:] = 0
    for c in range(column.shape[0]):
        t_start[column[c] + 1] += 1
    for j in range(columns):
        t_start[j + 1] += t_start[j]
    for i in range(rows):
        for k in range(start[i], start[i + 1]):
            j = column[k]
            target = t_start[j]
            t_row[target] = i
            t_value[target] = value[k]
            t_start[j] += 1
    # every start has run on to the next one: shift back
    for j in range(columns, 0, -1):
        t_start[j] = t_start[j - 1]
    t_start[0] = 0
