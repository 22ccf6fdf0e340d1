"""Hubs and authorities of linked pages: a = A^T h and h = A a, each scaled to length one, which is power iteration.

Source: J. M. Kleinberg, Journal of the ACM 46, 1999.
"""
import numpy as np


def hubs_authorities(A, hub, authority, sweeps):
    """A: sparse, shape (pages, pages), weights of links from row to column; hub, authority: shape (pages,)."""
    hub[:] = 1.0
    for _ in range(sweeps):
        authority[:] = A.T @ hub
        authority /= np.linalg.norm(authority)
        hub[:] = A @ authority
        hub /= np.linalg.norm(hub)
