"""One explicit Euler step of the heat equation in three dimensions, with the boundary held.

u'[p] = u[p] + rate * (sum of the six neighbours - 6 u[p]); stable for rate <= 1/6.
Source: the forward-time centred-space scheme, e.g. LeVeque, Finite Difference Methods, 9.1.
"""


def heat_3d(u, rate, depth, rows, columns, out):
    """u, out: shape (depth, rows, columns); rate: scalar, dt * diffusivity / h**2."""
    out[:, :, :] = u
    for z in range(1, depth - 1):
        for y in range(1, rows - 1):
            centre = u[z, y, 1:columns - 1]
            neighbours = (u[z - 1, y, 1:columns - 1] + u[z + 1, y, 1:columns - 1] + u[z, y - 1, 1:columns - 1] +
                          u[z, y + 1, 1:columns - 1] + u[z, y, :-2] + u[z, y, 2:])
            out[z, y, 1:columns - 1] = centre + rate * (neighbours - 6.0 * centre)
