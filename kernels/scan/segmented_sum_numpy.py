"""Running sums that begin anew wherever a segment does, and the number of each element's segment.

Source: G. E. Blelloch, Vector Models for Data-Parallel Computing, 4.3.
"""


def segmented_sum(x, flag, out, segment):
    """x, out: shape (length,); flag, segment: int64, shape (length,); a flag that 7 divides begins a segment."""
    running = 0.0
    number = -1
    for i in range(len(x)):
        if i == 0 or flag[i] % 7 == 0:
            running = 0.0
            number += 1
        running += x[i]
        out[i] = running
        segment[i] = number
