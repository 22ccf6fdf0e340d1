"""One level of Strassen's product: seven products of blocks for eight. Source: V. Strassen, Numer. Math. 13, 1969."""


def block_product(a, b, half, c):
    """a, b, c: shape (2 half, 2 half)."""
    a11, a12, a21, a22 = a[:half, :half], a[:half, half:], a[half:, :half], a[half:, half:]
    b11, b12, b21, b22 = b[:half, :half], b[:half, half:], b[half:, :half], b[half:, half:]
    m1 = (a11 + a22) @ (b11 + b22)
    m2 = (a21 + a22) @ b11
    m3 = a11 @ (b12 - b22)
    m4 = a22 @ (b21 - b11)
    m5 = (a11 + a12) @ b22
    m6 = (a21 - a11) @ (b11 + b12)
    m7 = (a12 - a22) @ (b21 + b22)
    c[:half, :half] = m1 + m4 - m5 + m7
    c[:half, half:] = m3 + m5
    c[half:, :half] = m2 + m4
    c[half:, half:] = m1 - m2 + m3 + m6
