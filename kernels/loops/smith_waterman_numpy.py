"""Local alignment of two sequences over four letters: a wavefront, for every cell needs three neighbours.

Source: T. F. Smith, M. S. Waterman, J. Mol. Biol. 147, 1981 (linear gap cost).
"""


def similarity(p, q, match=3, mismatch=-1):
    return match if p == q else mismatch


def smith_waterman(a, b, gap, score, best):
    """a: int64, (first,); b: int64, (second,), used modulo 4; score: int64, (first + 1, second + 1); best: value, row,
    column."""
    score[0, :] = 0
    score[:, 0] = 0
    best[:] = 0
    for i in range(1, score.shape[0]):
        for j in range(1, score.shape[1]):
            here = max(0, score[i - 1, j - 1] + similarity(a[i - 1] % 4, b[j - 1] % 4), score[i - 1, j] - gap,
                       score[i, j - 1] - gap)
            score[i, j] = here
            if here > best[0]:
                best[0], best[1], best[2] = here, i, j
