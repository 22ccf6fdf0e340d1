"""Position and speed of a body from noisy positions, by a Kalman filter with constant speed.

Source: R. E. Kalman, J. Basic Eng. 82, 1960; Bar-Shalom et al., Estimation with Applications to Tracking, 6.3.2.
"""
import numpy as np


def predict(state, cov, f, q):
    return f @ state, f @ cov @ f.T + q


def update(state, cov, measurement, h, r):
    """One scalar measurement. Returns the new state and covariance, and the gain."""
    innovation = measurement - h @ state
    s = h @ cov @ h + r
    k = cov @ h / s
    return state + k * innovation, cov - np.outer(k, h @ cov), k


def kalman_track(measured, dt, process, noise, estimate, gain):
    """measured: shape (steps,); estimate, gain: shape (steps, 2)."""
    f = np.array([[1.0, dt], [0.0, 1.0]], dtype=measured.dtype)
    h = np.array([1.0, 0.0], dtype=measured.dtype)
    q = process * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]], dtype=measured.dtype)
    state = np.zeros(2, dtype=measured.dtype)
    cov = np.eye(2, dtype=measured.dtype) * 10.0
    for t in range(len(measured)):
        state, cov = predict(state, cov, f, q)
        state, cov, k = update(state, cov, measured[t], h, r=noise)
        estimate[t] = state
        gain[t] = k
