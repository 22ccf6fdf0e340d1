"""One loop with a dependence of each kind: anti (a is read one ahead of its store), flow (b, from the iteration
before), output (an entry of c is stored to in two iterations, and the later store counts).

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2.2.
"""


def shift_statements(a, b, c, factor=0.5):
    """a, b, c: shape (length,)."""
    for i in range(1, len(a) - 1):
        a[i] = factor * (a[i] + a[i + 1])
        b[i] = factor * b[i - 1] + a[i]
        c[i + 1] = a[i] - b[i]
        c[i] = c[i] + c[i - 1] * factor
