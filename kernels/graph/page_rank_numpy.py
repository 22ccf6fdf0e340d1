"""PageRank on a dense weighted graph: rank = (1 - d) / n + d M rank, M the links with columns scaled to sum one.

Source: Brin, Page, Comput. Netw. 30, 1998.
"""
import numpy as np


def page_rank(link, damping, pages, sweeps, rank):
    """link: shape (pages, pages), positive weights of links from column to row; rank: shape (pages,)."""
    flow = link / np.sum(link, axis=0, keepdims=True)
    rank[:] = 1.0 / pages
    for _ in range(sweeps):
        rank[:] = (1.0 - damping) / pages + damping * (flow @ rank)
