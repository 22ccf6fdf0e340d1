"""Signs of a sequence as runs, value and length: how far the output is filled is known only at the end.

Source: S. W. Golomb, IEEE Trans. Inf. Theory 12 (3), 1966 (run-length encodings).
"""


def run_lengths(x, value, run):
    """x: shape (length,); value, run: int64, shape (length,), zero past the last run. Returns nothing."""
    value[:] = 0
    run[:] = 0
    runs = 0
    i = 0
    while i < len(x):
        sign = 1 if x[i] > 0 else -1
        j = i + 1
        while j < len(x) and (x[j] > 0) == (sign > 0):
            j += 1
        value[runs] = sign
        run[runs] = j - i
        runs += 1
        i = j
