"""Charged particles in constant fields: half a kick, a rotation about the magnetic field, half a kick, a drift.

Source: J. P. Boris, 4th Conference on Numerical Simulation of Plasmas, 1970; Birdsall, Langdon, Plasma Physics via
Computer Simulation, 4.4.
"""
import numpy as np


def boris_push(position, velocity, electric, magnetic, charge_to_mass, dt, steps):
    """position, velocity: shape (particles, 3); electric, magnetic: shape (3,)."""
    kick = 0.5 * dt * charge_to_mass * electric
    t = 0.5 * dt * charge_to_mass * magnetic
    s = 2 * t / (1 + t @ t)
    for _ in range(steps):
        minus = velocity + kick
        prime = minus + np.cross(minus, t)
        velocity[:] = minus + np.cross(prime, s) + kick
        position += dt * velocity
