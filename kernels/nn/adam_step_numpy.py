"""One step of Adam with decoupled weight decay, on gradients clipped by their norm.

Source: D. P. Kingma, J. Ba, arXiv 1412.6980, algorithm 1; I. Loshchilov, F. Hutter, arXiv 1711.05101.
"""
import numpy as np


def clip_by_norm(g, largest):
    norm = np.sqrt(np.sum(g * g))
    if norm > largest:
        return g * (largest / norm)
    return g


def update_moment(moment, value, decay):
    moment *= decay
    moment += (1 - decay) * value


def adam_step(parameter, gradient, first, second, step, rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=1e-2):
    """parameter, gradient, first, second (moments): shape (rows, columns); step: counts from 1."""
    g = clip_by_norm(gradient, largest=1.0)
    update_moment(first, g, beta1)
    update_moment(second, g**2, beta2)
    m = first / (1 - beta1**step)
    v = second / (1 - beta2**step)
    parameter -= rate * (m / (np.sqrt(v) + eps) + decay * parameter)
