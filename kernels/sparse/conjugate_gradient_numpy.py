"""Steps of the method of conjugate gradients for A x = b, preconditioned by the diagonal of A.

Source: M. R. Hestenes, E. Stiefel, J. Res. Natl. Bur. Stand. 49, 1952; Saad, Iterative Methods for Sparse Linear
Systems, algorithm 9.1.
"""


def conjugate_gradient(A, b, x, steps):
    """A: sparse, symmetric and positive definite, shape (n, n); b, x: shape (n,), x the guess to be improved."""
    scale = 1.0 / A.diagonal()
    residual = b - A @ x
    z = scale * residual
    direction = z.copy()
    energy = residual @ z
    for _ in range(steps):
        image = A @ direction
        step = energy / (direction @ image)
        x += step * direction
        residual -= step * image
        z = scale * residual
        next_energy = residual @ z
        direction = z + (next_energy / energy) * direction
        energy = next_energy
