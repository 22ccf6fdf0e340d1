"""Lists that grow under loops and conditions of run time: what they hold, who shares them, and how long they are."""

from case import *

LISTS = PYTHON + "tutorial/datastructures.html#more-on-lists"
LONG = f64([3, -1, 4, -1, 5, -9, 2, 6])


@case(LISTS, LONG, f64([1.0]))
def appended_in_a_loop(a):
    out = []
    for i in range(a.shape[0]):
        out.append(a[i] * 2.0)
    return np.array(out)


@case(LISTS, LONG, f64([-1.0, -2.0]))
def appended_under_a_condition(a):
    out = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            out.append(a[i])
    return np.array(out)


@case(LISTS, LONG)
def appended_in_both_branches(a):
    out = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            out.append(a[i])
        else:
            out.append(-a[i])
            out.append(0.5)
    return np.array(out), len(out)


@case(LISTS, (f64([1, 2, 3]), 4), (f64([1, 2, 3]), 0))
def appended_in_nested_loops(a, m):
    out = []
    for i in range(a.shape[0]):
        for j in range(i, m):
            out.append(a[i] + j)
    return np.array(out), len(out)


@case(LISTS, LONG)
def appended_behind_a_continue_and_a_break(a):
    out = [7.0]
    for i in range(a.shape[0]):
        if a[i] < -5:
            break
        if a[i] < 0:
            continue
        out.append(a[i])
    else:
        out.append(100.0)
    return np.array(out), out[0], out[-1]


@case(LISTS, (f64([1, 2, 3]), 3), (f64([1, 2, 3]), 0))
def int_at_birth_among_floats(a, n):
    out = [0]
    for i in range(n):
        out.append(out[-1] + a[i])
    return out[-1] + 0.5, len(out)


@case(LISTS, (f64([1, 2, 3]), 0), declines=True)
def int_at_birth_alone_makes_an_array_of_ints(a, n):
    out = [0]
    for i in range(n):
        out.append(out[-1] + a[i])
    return np.array(out) // 2


@case(LISTS, (3,), (0,))
def list_of_python_ints(n):
    out = []
    for i in range(n):
        out.append(i * i)
    total = 0
    for v in out:
        total += v
    return total, len(out)


@case(LISTS, (0,), declines=True)
def no_ints_make_an_array_of_floats(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return np.array(out)


@case(LISTS, (5,), (0,))
def ints_of_a_dtype_make_an_array_of_it(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return np.array(out, dtype=np.int64)


@case(LISTS, LONG)
def alias_of_a_growing_list_is_the_list(a):
    out = []
    other = out
    for i in range(a.shape[0]):
        other.append(a[i])
    out.append(1.0)
    return len(other), np.array(other)


@case(LISTS, LONG)
def helper_appends_to_the_list_of_its_caller(a):
    def keep(values, x):
        if x > 0:
            values.append(x)

    out = []
    for i in range(a.shape[0]):
        keep(out, a[i])
    return np.array(out)


@case(LISTS, LONG)
def closure_appends_to_the_list_around_it(a):
    out = []

    def keep(x):
        out.append(x + 1)

    for i in range(a.shape[0]):
        keep(a[i])
        keep(-a[i])
    return np.array(out)


@case(LISTS, LONG, before="""
def positive_of(a):
    found = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            found.append(a[i])
    return found
""")
def helper_returns_a_growing_list(a):
    found = positive_of(a)
    total = 0.0
    for v in found:
        total += v
    return np.array(found), total, len(found)


@case(LISTS, LONG, before="""
def both_of(a):
    low, high = [], []
    for i in range(a.shape[0]):
        if a[i] > 0:
            high.append(a[i])
        else:
            low.append(i)
    return low, np.array(high)
""")
def helper_returns_a_tuple_of_lists(a):
    low, high = both_of(a)
    return len(low), low[0], high


@case(LISTS, LONG, f64([-1]))
def two_lists_grow_in_step(a):
    xs = []
    ys = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            xs.append(i)
            ys.append(a[i])
    total = 0.0
    for i, y in zip(xs, ys):
        total += i * y
    return total, np.array(ys)


@case(LISTS, LONG)
def tuples_in_a_growing_list(a):
    pairs = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            pairs.append((i, a[i]))
    total = 0.0
    for k, (i, x) in enumerate(pairs):
        total += k * i + x
    i, x = pairs[-1]
    return np.array(pairs), total + pairs[0][1], i


@case(LISTS, (f64([[1, 2], [3, 4], [5, 6]]), 3))
def copies_of_rows_in_a_growing_list(a, n):
    out = []
    row = np.zeros(2)
    for i in range(n):
        row = row + a[i]
        out.append(row)
    return np.array(out), out[1]


@case(LISTS, (f64([[1, 2], [3, 4], [5, 6]]), 3), refused="numpy-detached-view")
def an_appended_array_that_changes_later(a, n):
    out = []
    row = np.zeros(2)
    for i in range(n):
        row += a[i]
        out.append(row)
    return np.array(out)


@case(LISTS, (f64([[1, 2], [3, 4], [5, 6]]), 3))
def an_appended_copy_keeps_its_values(a, n):
    out = []
    row = np.zeros(2)
    for i in range(n):
        row += a[i]
        out.append(row.copy())
    return np.array(out), len(out)


@case(LISTS, (f64([[1, 2], [3, 4]]), 2), refused="numpy-grown-list")
def a_store_to_an_array_in_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i] + 1)
    out[0][1] = 5.0
    return np.array(out)


@case(LISTS, (f64([[1, 2], [3, 4]]), 2), refused="numpy-detached-view")
def rows_of_an_argument_that_changes_later(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    a[0, 0] = 100.0
    return np.array(out)


@case(LISTS, (LONG, 3))
def list_emptied_by_a_new_binding(a, width):
    best = 0.0
    cur = []
    for i in range(a.shape[0]):
        cur.append(a[i])
        if len(cur) == width:
            best = max(best, sum(cur))
            cur = []
    return best, len(cur)


@case(LISTS, (LONG, 3))
def list_emptied_before_it_ever_grew(a, width):
    runs = []
    cur = []
    for i in range(a.shape[0]):
        if a[i] < 0:
            cur = []
        cur.append(a[i])
        runs.append(len(cur))
    return np.array(runs, dtype=np.int64), np.array(cur)


@case(LISTS, (LONG, 3), refused="numpy-join-static")
def a_list_bound_anew_that_another_name_holds(a, width):
    cur = []
    kept = cur
    for i in range(a.shape[0]):
        if a[i] < 0:
            cur = []
        cur.append(a[i])
    return len(kept), len(cur)


@case(LISTS, (f64([[1, -2, 3], [-4, 5, 6]]), 2))
def list_born_in_a_loop(a, n):
    sizes = np.zeros(n)
    for i in range(n):
        row = []
        for j in range(a.shape[1]):
            if a[i, j] > 0:
                row.append(a[i, j])
        sizes[i] = len(row) * 100 + max(row)
    return sizes


@case(LISTS, (LONG, 0), (LONG, 5))
def loop_without_rounds_leaves_the_list_empty(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    if not out:
        return -1.0
    return out[-1]


@case(LISTS, (f32([1, 2, 3]), 3))
def float32_numbers_in_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i] * np.float32(0.1))
    return np.array(out), out[-1] * 3


@case(LISTS, (f32([1, 2, 3]), 3), refused="numpy-list-kinds")
def float32_and_python_floats(a, n):
    out = []
    for i in range(n):
        if a[i] > 1:
            out.append(a[i])
        else:
            out.append(0.5)
    return np.array(out)


@case(LISTS, (f64([1, 2, 3]), 3), refused="numpy-list-kinds")
def ints_and_floats(a, n):
    out = []
    for i in range(n):
        if a[i] > 1:
            out.append(a[i])
        else:
            out.append(1)
    return np.array(out)


@case(LISTS, (f64([5, 2, 3]), 3), refused="numpy-list-capacity")
def while_loops_say_no_largest_length(a, n):
    out = []
    x = a[0]
    while x > 1:
        out.append(x)
        x = x / 2
    return np.array(out)


@case(LISTS, (LONG, 3), refused="numpy-grown-list")
def a_loop_that_appends_to_what_it_walks(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    for x in out:
        if x > 3:
            out.append(x - 3)
    return len(out)


@case(LISTS, (LONG, 3), refused="numpy-grown-list")
def a_slice_of_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    return np.array(out[1:])


@case(LISTS, (LONG, 4))
def stores_while_a_list_is_walked(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    k = 0
    total = 0.0
    for x in out:
        if k + 1 < n:
            out[k + 1] = out[k + 1] + x
        total += x
        k += 1
    return total


@case(LISTS, (LONG, 5))
def length_read_before_and_behind_an_append(a, n):
    out = []
    lengths = np.zeros(n)
    for i in range(n):
        before = len(out)
        if a[i] > 0:
            out.append(a[i])
        lengths[i] = 10 * len(out) + before
    return lengths


@case(LISTS, (LONG, 6))
def static_lists_beside_a_growing_one(a, n):
    names = []
    out = []
    names.append(1.0)
    names.append(2.0)
    for i in range(n):
        out.append(a[i])
    names.append(3.0)
    return np.array(names), np.array(out)


@case(LISTS, (LONG, 6))
def item_read_before_the_list_changes(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    last = out[-1]
    first = out[0]
    out[0] = 50.0
    out.pop()
    out.append(60.0)
    return last, first, out[-1]


@case(LISTS, (LONG, 3), (LONG, 6))
def return_from_within_a_loop_that_appends(a, n):
    def first_above(x, limit):
        seen = []
        for i in range(x.shape[0]):
            seen.append(x[i])
            if x[i] > limit:
                return len(seen)
        return -len(seen)

    return first_above(a, n)


@case(LISTS, (LONG, 3))
def index_by_a_growing_list(a, n):
    places = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            places.append(i)
    b = a[places]
    b[:2] = 0.0
    return b, np.mean(b), a + len(places)


@case(LISTS, (LONG, 3))
def functions_take_growing_lists(a, n):
    values = []
    for i in range(n):
        values.append(a[i])
    return np.mean(values), np.sum(values), np.cumsum(values), np.max(values), np.sqrt(np.abs(values))


@case(LISTS, (LONG, 4, 3), (LONG, 0, 3), (LONG, 4, 0))
def lists_at_their_capacity(a, n, m):
    out = []
    for i in range(n):
        for j in range(m):
            for k in range(j, m):
                out.append(a[i] + 10 * j + k)
                out.append(1.0)
    return np.array(out), len(out)


@case(LISTS, (LONG, 2), (LONG, 7))
def steps_and_downward_loops(a, n):
    out = []
    for i in range(n, 0, -1):
        out.append(a[i])
    for i in range(0, n, 3):
        out.append(a[i] + 0.5)
    for i in range(n, -1, -2):
        out.append(-a[i])
    return np.array(out)


@case(LISTS, (LONG, 3))
def list_of_one_round_in_that_of_another(a, n):
    longest = 0
    ends = []
    for i in range(n):
        row = []
        for j in range(i, a.shape[0]):
            if a[j] > a[i]:
                row.append(j)
        if len(row) > 0:
            ends.append((i, row[-1]))
        longest = max(longest, len(row))
    return longest, np.array(ends), len(ends)


@case(LISTS, LONG, refused="numpy-join-static")
def a_list_read_behind_the_loop_that_makes_it(a):
    for i in range(a.shape[0]):
        row = []
        for j in range(i):
            row.append(a[j])
    return len(row)


@case(LISTS, (LONG, 3), refused="numpy-join-static")
def two_lists_on_two_paths(a, n):
    low = []
    high = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            out = low
        else:
            out = high
        out.append(a[i])
    return len(low), len(high)


@case(LISTS, (LONG, 3), refused="numpy-join-static")
def a_list_that_is_kept_while_its_name_goes_on(a, n):
    cur = []
    best = None
    for i in range(a.shape[0]):
        cur.append(a[i])
        if a[i] < 0:
            best = cur
            cur = []
    return len(cur)
