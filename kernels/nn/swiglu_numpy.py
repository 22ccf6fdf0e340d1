"""A gated feed-forward block with its residual: x + (silu(x G) * (x U)) D.

Source: N. Shazeer, arXiv 2002.05202, eq. 6.
"""
import numpy as np

silu = lambda z: z / (1 + np.exp(-z))


def swiglu(x, gate, up, down):
    """x: shape (rows, features), overwritten; gate, up: shape (features, inner); down: shape (inner, features)."""
    x += (silu(x @ gate) * (x @ up)) @ down
