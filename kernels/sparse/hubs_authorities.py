"""Inputs of hubs_authorities: a ring of links, so that every page has one, and random ones."""
import numpy as np
import scipy.sparse


def initialize(pages, links, datatype=np.float64, rng=None):
    """Returns A: shape (pages, pages), weights of links from row to column; hub and authority: zeros, shape (pages,)."""
    start = np.concatenate([np.arange(pages), rng.integers(0, pages, size=links)])
    end = np.concatenate([(np.arange(pages) + 1) % pages, rng.integers(0, pages, size=links)])
    weight = rng.uniform(0.5, 1.5, size=pages + links)
    A = scipy.sparse.coo_matrix((weight, (start, end)), shape=(pages, pages)).tocsr().astype(datatype)
    return A, np.zeros(pages, dtype=datatype), np.zeros(pages, dtype=datatype)
