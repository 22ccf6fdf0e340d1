"""General matrix product with accumulation: C becomes alpha A B + beta C. Source: BLAS level 3, GEMM."""


def gemm(a, b, alpha, beta, c):
    """a: shape (rows, inner); b: (inner, columns); c: (rows, columns), overwritten."""
    c[:, :] = alpha * (a @ b) + beta * c
