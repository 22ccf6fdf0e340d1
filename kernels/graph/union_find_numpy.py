"""Connected components by union and find with halving of paths; a component's label is its smallest node.

Source: Tarjan, van Leeuwen, Journal of the ACM 31 (2), 1984.
"""
import numpy as np


def find(parent: np.ndarray, node: int) -> int:
    """The root of the node's tree; every second node of the way is hung one higher."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def union_find(start, end, label, count):
    """start, end: int64, shape (edges,); label: int64, (nodes,); count: int64, (1,), the number of components."""
    nodes = len(label)
    parent = np.arange(nodes)
    components = nodes
    for e in range(len(start)):
        a = find(parent, start[e])
        b = find(parent, end[e])
        if a == b:
            continue
        if a > b:
            a, b = b, a
        parent[b] = a
        components -= 1
    for node in range(nodes):
        label[node] = find(parent, node)
    count[0] = components
