"""A stable sort by small integer keys: count, scan, scatter. Source: H. H. Seward, 1954; Knuth, TAOCP 3, 5.2."""
import numpy as np


def counting_sort(key, payload, keys, sorted_key, sorted_payload):
    """key, sorted_key: int64, shape (length,), used modulo keys; payload, sorted_payload: shape (length,)."""
    small = key % keys
    place = np.zeros(keys, dtype=np.int64)
    for k in small:
        place[k] += 1
    total = 0
    for k in range(keys):
        place[k], total = total, total + place[k]
    for i in range(len(key)):
        k = small[i]
        sorted_key[place[k]] = k
        sorted_payload[place[k]] = payload[i]
        place[k] += 1
