"""Jacobi relaxation of Laplace's equation in two dimensions: each inner point becomes the mean of its cross of five.

Source: C. Jacobi's method on the five-point stencil, e.g. Quarteroni, Sacco, Saleri, Numerical Mathematics, 4.2.
"""


def jacobi_2d(a, b, steps):
    """a, b: shape (rows, columns), overwritten; steps: pairs of sweeps, a to b and back."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
