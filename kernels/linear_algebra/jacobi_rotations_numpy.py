"""Eigenvalues of a symmetric matrix: sweeps of plane rotations, each of which makes one off-diagonal entry zero.

Source: C. G. J. Jacobi, Crelle's Journal 30, 1846; Golub, Van Loan, Matrix Computations, 8.5 (the stable formula
for t).
"""
import math


def rotation(app, aqq, apq):
    """Returns cosine and sine of the rotation that annihilates apq."""
    theta = (aqq - app) / (2.0 * apq)
    if theta >= 0:
        t = 1.0 / (theta + math.sqrt(1.0 + theta * theta))
    else:
        t = -1.0 / (-theta + math.sqrt(1.0 + theta * theta))
    c = 1.0 / math.sqrt(1.0 + t * t)
    return c, t * c


def jacobi_rotations(a, most, negligible, values):
    """a: (n, n), symmetric, overwritten; most: sweeps at most; negligible: relative to the diagonal; values: (n,)."""
    n = len(a)
    for _ in range(most):
        rotated = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) <= negligible * (abs(a[p, p]) + abs(a[q, q])):
                    continue
                rotated = True
                c, s = rotation(a[p, p], a[q, q], a[p, q])
                for k in range(n):
                    akp, akq = a[k, p], a[k, q]
                    a[k, p] = c * akp - s * akq
                    a[k, q] = s * akp + c * akq
                for k in range(n):
                    apk, aqk = a[p, k], a[q, k]
                    a[p, k] = c * apk - s * aqk
                    a[q, k] = s * apk + c * aqk
        if not rotated:
            break
    for i in range(n):
        values[i] = a[i, i]
