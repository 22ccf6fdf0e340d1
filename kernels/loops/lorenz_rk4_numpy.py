"""Lorenz's system from many starts by the classical Runge-Kutta method, and the mean square of all states.

Source: E. N. Lorenz, J. Atmos. Sci. 20, 1963; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1.
"""


def lorenz(x, y, z, sigma=10.0, rho=28.0, beta=8.0 / 3.0):
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def rk4_step(f, s, h):
    """One step of length h from the tuple s."""
    shift = lambda k, c: tuple(a + c * h * b for a, b in zip(s, k))
    k1 = f(*s)
    k2 = f(*shift(k1, 0.5))
    k3 = f(*shift(k2, 0.5))
    k4 = f(*shift(k3, 1.0))
    return tuple(a + h / 6.0 * (p + 2.0 * q + 2.0 * r + t) for a, p, q, r, t in zip(s, k1, k2, k3, k4))


def lorenz_rk4(state, energy, h=0.01):
    """state: shape (bodies, 3); energy: shape (steps,)."""
    bodies = state.shape[0]
    for n in range(energy.shape[0]):
        total = 0.0
        for i in range(bodies):
            s = rk4_step(lorenz, (state[i, 0], state[i, 1], state[i, 2]), h)
            state[i, 0], state[i, 1], state[i, 2] = s
            total += sum(c * c for c in s)
        energy[n] = total / bodies
