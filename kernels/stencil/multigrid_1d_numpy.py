"""-u'' = f on the unit interval with zero ends, by V-cycles: damped Jacobi, full weighting, linear interpolation.

Source: Briggs, Henson, McCormick, A Multigrid Tutorial, chapter 3.
"""
import numpy as np


def smooth(u, f, h, sweeps):
    for _ in range(sweeps):
        u[1:-1] += (2 / 3) * (0.5 * (u[:-2] + u[2:] + h * h * f[1:-1]) - u[1:-1])


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
    return r


def v_cycle(u, f, h, level):
    """Improves u in place; level: how often the grid may still be halved."""
    if level == 0:
        smooth(u, f, h, sweeps=40)
        return
    smooth(u, f, h, sweeps=2)
    r = residual(u, f, h)
    coarse = np.zeros(len(u) // 2 + 1, dtype=u.dtype)
    coarse[1:-1] = 0.25 * (r[1:-2:2] + 2 * r[2:-1:2] + r[3::2])
    error = np.zeros_like(coarse)
    v_cycle(error, coarse, 2 * h, level - 1)
    u[::2] += error
    u[1::2] += 0.5 * (error[:-1] + error[1:])
    smooth(u, f, h, sweeps=2)


def multigrid_1d(f, cycles, u):
    """f, u: shape (16 coarse + 1,), values at the grid points; u starts at zero."""
    u[:] = 0
    for _ in range(cycles):
        v_cycle(u, f, 1 / (len(u) - 1), level=4)
