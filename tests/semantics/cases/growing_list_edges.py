"""Where lists that grow meet views, early returns, helpers and other state."""

from case import *

LISTS = PYTHON + "tutorial/datastructures.html#more-on-lists"
LONG = f64([3, -1, 4, -1, 5, -9, 2, 6])


@case(LISTS, (f64([[1, 2], [3, 4]]), 2), refused="numpy-detached-view")
def an_appended_array_that_changes_by_another_name(a, n):
    out = []
    base = a * 2
    row = np.zeros(2)
    for i in range(n):
        row = base[i]
        out.append(row)
    base[0, 0] = 50.0
    return np.array(out)


@case(LISTS, (LONG, f64([3])), (LONG, f64([100])))
def kernel_returns_inside_the_loop_that_appends(a, limit):
    out = []
    for i in range(a.shape[0]):
        out.append(a[i])
        if a[i] > limit[0]:
            return np.array(out)
    return np.array(out)


@case(LISTS, (LONG, 3), before="""
def some_of(a, n):
    found = []
    if n > 2:
        for i in range(n):
            found.append(a[i])
        return found
    found.append(a[0])
    return found
""")
def helper_returns_its_list_from_two_places(a, n):
    found = some_of(a, n)
    return len(found), found[-1]


@case(LISTS, (LONG, 5))
def items_that_change_places(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    for i in range(n):
        for j in range(n - 1 - i):
            if out[j] > out[j + 1]:
                out[j], out[j + 1] = out[j + 1], out[j]
    return np.array(out), out[0] + out.pop() * out[-1]


@case(LISTS, (i64([3, 1, 2]), 3))
def numpy_ints_stay_numpy_ints(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    return np.array(out) * 9223372036854775807, out[0] // out[1], sum(out)


@case(LISTS, (c128([1 + 2j, 3j]), 2))
def complex_numbers_in_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i] * 1j)
    return np.array(out), out[-1].real


@case(LISTS, (LONG, 4))
def bools_in_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(i % 2 == 0)
    return np.array(out), out[1]


@case(LISTS, (f64([1, 2, 3, 4]), 3))
def two_rounds_over_lists_of_a_round(a, n):
    total = 0.0
    kept = []
    for i in range(n):
        level = [a[i]]
        for j in range(i):
            level.append(level[-1] * 2)
        kept.append(level[-1])
        for x in level:
            total += x
    return total, np.array(kept)


@case(LISTS, (LONG, 2))
def lists_swapped_by_unpacking(a, n):
    xs, ys = [], []
    for i in range(a.shape[0]):
        if a[i] > n:
            xs.append(i)
        ys.append(a[i])
    xs, ys = ys, xs
    return np.array(xs), len(ys)


@case(LISTS, (f64([[1, 2], [3, 4], [5, 6]]), 3))
def appended_arrays_are_read_back(a, n):
    path = [a[0] * 1.0]
    for i in range(1, n):
        path.append(path[-1] + a[i])
    total = np.zeros(2)
    for p in path:
        total += p
    return total, path[-1] - path[0], np.sum(np.concatenate(path)), np.vstack(path)


@case(LISTS, (f64([0, 1, 2]), 3), (f64([1, 2, 0]), 3))
def division_that_raises_while_a_list_grows(a, n):
    out = []
    for i in range(n):
        out.append(1 / float(a[i]))
    return np.array(out)
