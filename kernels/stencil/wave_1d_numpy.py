"""The wave equation on a string with fixed ends, by central differences in time and space, starting at rest.

Source: Courant, Friedrichs, Lewy, Math. Ann. 100, 1928; LeVeque, Finite Difference Methods, 10.
"""


def wave_1d(u, courant, steps, out):
    """u, out: shape (cells,); courant: speed * dt / h, at most 1."""
    c2 = courant**2
    previous = u.copy()
    current = u.copy()
    for _ in range(steps):
        following = current.copy()
        following[1:-1] = 2 * current[1:-1] - previous[1:-1] + c2 * (current[2:] - 2 * current[1:-1] + current[:-2])
        previous, current = current, following
    out[:] = current
