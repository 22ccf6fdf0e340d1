"""Linear prediction from autocorrelations, order by order.

Source: N. Levinson, J. Math. Phys. 25, 1946; J. Durbin, Rev. Inst. Int. Stat. 28, 1960; J. Makhoul, Proc. IEEE 63 (4),
1975.
"""


def levinson(r, coefficient, reflection):
    """r, coefficient: shape (order + 1,), coefficient[0] is one; reflection: shape (order,)."""
    order = reflection.shape[0]
    coefficient[:] = 0.0
    coefficient[0] = 1.0
    error = r[0]
    for m in range(1, order + 1):
        if error <= 0.0:
            raise ValueError(f"no positive definite sequence beyond order {m - 1}")
        total = r[m]
        for i in range(1, m):
            total += coefficient[i] * r[m - i]
        k = -total / error
        reflection[m - 1] = k
        for i in range(1, m // 2 + 1):
            low, high = coefficient[i], coefficient[m - i]
            coefficient[i] = low + k * high
            coefficient[m - i] = high + k * low
        coefficient[m] = k
        error *= 1.0 - k * k
