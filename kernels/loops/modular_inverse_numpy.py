"""Greatest common divisors, and the inverse of a modulo b where there is one (else -1), by Euclid's extended algorithm.

Source: Knuth, TAOCP 2, 4.5.2 (algorithm X).
"""


def extended_gcd(a, b):
    """Returns g and x with g = gcd(a, b) and a x = g modulo b."""
    x, next_x = 1, 0
    while b != 0:
        q = a // b
        a, b = b, a - q * b
        x, next_x = next_x, x - q * next_x
    return a, x


def modular_inverse(a, b, divisor, inverse):
    """a, b: int64, shape (pairs,), plus one and plus two; divisor, inverse: int64, shape (pairs,)."""
    for i in range(len(a)):
        m = b[i] + 2
        g, x = extended_gcd(a[i] + 1, m)
        divisor[i] = g
        inverse[i] = x % m if g == 1 else -1
