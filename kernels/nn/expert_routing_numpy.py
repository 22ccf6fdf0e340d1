"""A layer of experts, each token to its best one while that has room; others pass through unchanged.

Source: W. Fedus et al., arXiv 2101.03961, section 2 (switch routing with a capacity).
"""
import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z))
    return e / np.sum(e)


def expert_routing(x, router, weight, capacity, out, load):
    """x, out: (tokens, features); router: (features, experts); weight: (experts, features, features); load: int64."""
    load[:] = 0
    for t in range(x.shape[0]):
        p = softmax(x[t] @ router)
        best = int(np.argmax(p))
        if load[best] == capacity:
            out[t] = x[t]
            continue
        load[best] += 1
        out[t] = x[t] + p[best] * (x[t] @ weight[best])
