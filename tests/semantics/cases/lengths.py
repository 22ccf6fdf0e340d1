"""Names that hold arrays of two lengths, by the path taken: the port has one length, and a check."""

from case import *

SLICES = NUMPY + "user/basics.indexing.html#slicing-and-striding"
LONG = f64([3, -1, 4, -1, 5, -9, 2, 6])


@case(SLICES, (LONG, 8), (LONG, 20), (LONG, 3), declines=True)
def array_cut_in_a_branch(a, n):
    x = a
    if a[0] > 0:
        x = a[:n]
    return x.sum()


@case(SLICES, (LONG, 8), (LONG, 3), declines=True)
def argument_cut_in_a_branch(a, n):
    if n > 0:
        a = a[:n]
    return a.mean() if len(a) else 0.0


@case(SLICES, (LONG, 8), (LONG, 3), declines=True)
def array_cut_before_a_loop(a, n):
    if n < a.shape[0]:
        a = a[:n]
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * i
    return s


@case(SLICES, (LONG, 2), (LONG, 1), (LONG, 3), declines=True)
def indices_cut_in_a_branch(a, k):
    idx = np.argsort(-a)[:k]
    if len(idx) > 2:
        idx = idx[:2]
    return a[idx].sum()


@case(SLICES, (LONG, 4.5), (LONG, 0.0), declines=True)
def compressed_array_cut_in_a_branch(a, least):
    found = a[a > least]
    if len(found) > 2:
        found = found[:2]
    return found.sum()


@case(SLICES, (LONG, 8), (LONG, 5), declines=True, before='''
def first(a, k):
    if a.shape[0] <= k:
        return a * 1.0
    return a[:k] * 1.0
''')
def helper_returns_two_lengths(a, k):
    return first(a, k).sum()


@case(SLICES, (f64([1, 2]), 2), (LONG, 2), (LONG, 8), declines=True, before='''
def made(a, n):
    if a.shape[0] == n:
        return np.zeros(2)
    return a + 1
''')
def helper_returns_a_known_length_and_another(a, n):
    return made(a, n).sum()


@case(SLICES, (LONG, 8), (LONG, 4), declines=True)
def tuple_item_cut_in_a_branch(a, n):
    state = (a * 1.0, 0)
    if a.shape[0] > n:
        state = (state[0][:n] * 1.0, 1)
    return state[0].sum() + state[1]


@case(SLICES, f64([-1, 2]), f64([-1, 2, 5]), f64([1, 2, 5]), declines=True)
def none_or_arrays_of_two_lengths(a):
    x = None
    if a[0] < 0:
        x = np.zeros(2)
    elif a[1] > 0:
        x = a + 1
    return 0.0 if x is None else x.sum()


@case(SLICES, f64([1, 2, 3, 4]), LONG, declines=True)
def array_cut_by_a_loop_to_a_size_made_there(a):
    x = a
    k = len(a)
    while k > 4:
        k = k // 2
        x = x[:k]
    return x.sum()


@case(SLICES, (LONG, 0), (f64([]), 3), (LONG, 2), refused="numpy-join-shape")
def array_halved_by_a_loop(a, rounds):
    x = a
    for i in range(rounds):
        n = len(x) // 2
        x = x[:n]
    return x.sum()
