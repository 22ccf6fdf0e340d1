"""A sparse matrix by rows times a vector, y = A x. Source: Saad, Iterative Methods for Sparse Linear Systems, 3.5."""


def csr_matvec(start, column, value, x, y):
    """start: int64, shape (rows + 1,); column: int64 and value, shape (entries,); x: (columns,); y: (rows,)."""
    for i in range(len(start) - 1):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total
