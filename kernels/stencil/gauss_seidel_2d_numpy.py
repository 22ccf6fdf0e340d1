"""Gauss-Seidel sweeps for -Laplace(u) = f on a grid of spacing h: every point at once uses what was just computed, so a
sweep runs as a wavefront from the first corner.

Source: Quarteroni, Sacco, Saleri, Numerical Mathematics, 4.2.1.
"""


def sweep(u, f, h):
    """One pass over the inner points, in place. Returns the largest change."""
    largest = 0.0
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            new = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + h * h * f[i, j])
            largest = max(largest, abs(new - u[i, j]))
            u[i, j] = new
    return largest


def gauss_seidel_2d(u, f, h, tolerance, most, change):
    """u, f: shape (rows, columns), u's border is held; most: sweeps at most; change: shape (1,), the last sweep's."""
    done = 0
    last = tolerance + 1.0
    while done < most and last > tolerance:
        last = sweep(u, f, h)
        done += 1
    change[0] = last
