"""Primes below a limit by crossing out multiples, and every other number's smallest prime factor.

Source: Eratosthenes, in Nicomachus' Introduction to Arithmetic, I 13.
"""
import numpy as np


def sieve(limit, smallest, count):
    """smallest: int64, shape (limit,), 0 for 0 and 1; count: int64, shape (1,), of primes."""
    smallest[:] = np.arange(limit)
    smallest[:2] = 0
    p = 2
    while p * p < limit:
        if smallest[p] == p:
            for multiple in range(p * p, limit, p):
                if smallest[multiple] == multiple:
                    smallest[multiple] = p
        p += 1
    count[0] = np.count_nonzero(smallest[2:] == np.arange(2, limit))
