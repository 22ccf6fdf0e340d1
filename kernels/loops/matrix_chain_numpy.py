"""The cheapest order of a chain of matrix products: triangular bounds, diagonal by diagonal.

Source: S. S. Godbole, IEEE Trans. Comput. C-22 (9), 1973; Cormen et al., Introduction to Algorithms, 15.2.
"""


def matrix_chain(size, cost, split):
    """size: int64, (matrices + 1,), plus one: rows of each matrix, then columns of the last; cost, split: int64,
    (matrices, matrices), of the product from row to column; below the diagonal zero and -1."""
    n = cost.shape[0]
    cost[:] = 0
    split[:] = -1
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width - 1
            for k in range(i, j):
                q = cost[i, k] + cost[k + 1, j] + (size[i] + 1) * (size[k + 1] + 1) * (size[j + 1] + 1)
                if k == i or q < cost[i, j]:
                    cost[i, j] = q
                    split[i, j] = k
