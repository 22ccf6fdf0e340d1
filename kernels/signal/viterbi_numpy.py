"""The likeliest states of a hidden Markov model, from logarithms of probabilities.

Source: A. J. Viterbi, IEEE Trans. Inf. Theory 13 (2), 1967; L. R. Rabiner, Proc. IEEE 77 (2), 1989, section III B.
"""
import numpy as np


def viterbi(observed, start, transition, emission, path, score):
    """observed, path: int64, shape (steps,); start: (states,); transition: (states, states), from row to column;
    emission: (states, symbols); score: (1,)."""
    steps, states = len(observed), len(start)
    came_from = np.zeros((steps, states), dtype=np.int64)
    best = start + emission[:, observed[0]]
    for t in range(1, steps):
        ways = best[:, None] + transition
        came_from[t] = ways.argmax(axis=0)
        best = ways.max(axis=0) + emission[:, observed[t]]
    path[-1] = best.argmax()
    score[0] = best[path[-1]]
    for t in range(steps - 2, -1, -1):
        path[t] = came_from[t + 1, path[t + 1]]
