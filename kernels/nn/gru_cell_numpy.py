"""A gated recurrent unit over sequences of several lengths: a sequence that has ended keeps its state.

Source: K. Cho et al., arXiv 1406.1078 (gates in the order reset, update, candidate).
"""
import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def gru_cell(x, lengths, weight_x, weight_h, bias, h):
    """x: (steps, batch, inputs); lengths: int64, (batch,), plus one; weights: (inputs or hidden, 3 hidden); bias:
    (3 hidden,); h: (batch, hidden), state before and after."""
    hidden = h.shape[1]
    for t in range(x.shape[0]):
        from_x = x[t] @ weight_x + bias
        from_h = h @ weight_h
        r = sigmoid(from_x[:, :hidden] + from_h[:, :hidden])
        z = sigmoid(from_x[:, hidden:2 * hidden] + from_h[:, hidden:2 * hidden])
        n = np.tanh(from_x[:, 2 * hidden:] + r * from_h[:, 2 * hidden:])
        running = (t < lengths + 1)[:, None]
        h[:] = np.where(running, (1.0 - z) * n + z * h, h)
