"""Symmetric rank-k update, C becomes alpha A A^T + beta C, of the lower triangle only. Source: BLAS level 3, SYRK."""


def rank_k_update(a, c, alpha=1.0, beta=0.0):
    """a: shape (n, k); c: shape (n, n), entries above the diagonal are left alone."""
    for i in range(a.shape[0]):
        c[i, :i + 1] *= beta
        for p in range(a.shape[1]):
            c[i, :i + 1] += alpha * a[i, p] * a[:i + 1, p]
