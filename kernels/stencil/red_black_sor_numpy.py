"""Successive over-relaxation of Laplace's equation, the points of one colour of the checkerboard after the others.

Source: D. M. Young, Iterative Solution of Large Linear Systems, 1971.
"""


def relax(u, omega, row, column):
    """Every second inner point along both axes, from (row, column) on."""
    here = u[row:-1:2, column:-1:2]
    cross = (u[row - 1:-2:2, column:-1:2] + u[row + 1::2, column:-1:2] + u[row:-1:2, column - 1:-2:2] +
             u[row:-1:2, column + 1::2])
    here += omega * (cross / 4 - here)


def red_black_sor(u, omega, sweeps):
    """u: shape (rows, columns), its border is held; omega: between 0 and 2."""
    if not 0 < omega < 2:
        raise ValueError(f"diverges for omega = {omega}")
    for _ in range(sweeps):
        for colour in (0, 1):
            relax(u, omega, 1, 1 + colour)
            relax(u, omega, 2, 2 - colour)
