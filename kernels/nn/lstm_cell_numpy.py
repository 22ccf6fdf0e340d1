"""A long short-term memory cell run over a sequence. Gates in the order input, forget, candidate, output.

Source: Hochreiter, Schmidhuber, 1997, with the forget gate of Gers et al., 2000.
"""
import numpy as np


def sigmoid(x):
    """The logistic function, elementwise."""
    return 1.0 / (1.0 + np.exp(-x))


def lstm_cell(x, weight_input, weight_hidden, bias, hidden, h, c):
    """x: shape (steps, batch, inputs); h, c: shape (batch, hidden), state before and after."""
    for t in range(x.shape[0]):
        gates = x[t] @ weight_input.T + h @ weight_hidden.T + bias
        i, f, g, o = (gates[:, k * hidden:(k + 1) * hidden] for k in range(4))
        c[:] = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h[:] = sigmoid(o) * np.tanh(c)
