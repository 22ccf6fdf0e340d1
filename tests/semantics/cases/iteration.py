"""What a for loop runs over, read in its round: arrays, rows, zip, enumerate; what is read at once: list, unpacking."""

from case import *

FOR = COMPOUND + "#the-for-statement"
ZIP = BUILTINS + "#zip"
ENUMERATE = BUILTINS + "#enumerate"


@case(ENUMERATE, f64([1, 2, 3, 4]))
def enumeration_of_a_known_length_sees_stores(b):
    a = np.zeros(4)
    a += b
    s = 0.0
    for i, x in enumerate(a):
        if i < 3:
            a[i + 1] += x
        s += x
    return a, s


@case(ZIP, f64([1, 2, 3, 4]))
def zip_of_a_known_length_sees_stores(b):
    a = np.zeros(4)
    a += b
    s = 0.0
    for i, x in zip(range(4), a):
        if i < 3:
            a[i + 1] += x
        s += x
    return a, s


@case(FOR, f64([1, 2, 3, 4]))
def unrolled_iteration_sees_stores(b):
    a = np.zeros(4)
    a += b
    t = [1, 2, 3, 4, 5]
    i = 0
    s = 0.0
    for x in a:
        i += 1
        a[i % 4] += x * t[i]
        s += x
    return a, s


@case(FOR, f64([[1, 2], [3, 4]]))
def rows_of_a_known_length_are_views(b):
    a = np.zeros((2, 2))
    a += b
    for i, row in enumerate(a):
        row[0] = 10.0 * i
        a[(i + 1) % 2, 1] += row[1]
    return a


@case(FOR, f64([1, 2, 3]))
def list_of_an_array_is_a_copy(b):
    a = np.zeros(3)
    a += b
    t = list(a)
    u = [x for x in a]
    v = max(a[0], a[1])
    a[:] = 7.0
    return t[0] + t[2], u[1], v, a


@case(STATEMENTS + "#assignment-statements", f64([1, 2, 3]))
def unpacked_rows_are_views(b):
    a = np.zeros((2, 3))
    r, s = a
    r[0] = b[0]
    s[1] = b[1]
    a[0, 2] = 9.0
    return a, r * 1


@case(STATEMENTS + "#assignment-statements", (f64([1, 2, 3]), f64([1.0, 5.0])))
def unpacked_elements_are_copies(a, b):
    x, y = b[0], b[1]
    b[0] = 100.0
    p, q, r = a[0], a[1], a[2]
    a[:] = 0.0
    return x, y, p + q + r, a, b


@case(STATEMENTS + "#assignment-statements", f64([1.0, 5.0]), refused="numpy-static-needed")
def array_of_a_run_time_length_unpacked(b):
    x, y = b
    return x - y


@case(ZIP, (f64([1, 2, 3, 4]), f64([10, 20])), (f64([1]), f64([10, 20])), (f64([]), f64([1.0, 2])))
def zip_ends_with_the_shortest(a, b):
    s = 0.0
    n = 0
    for x, y in zip(a, b):
        s = s * 3 + x * y
        n += 1
    return s, n


@case(ZIP, f64([1, 4, 9, 16]), f64([3.0, 5]), f64([7.0, 7, 7]))
def neighbours(a):
    s = 0.0
    for x, y in zip(a, a[1:]):
        s += (y - x) * 2
    for x, y, z in zip(a[:-2], a[1:-1], a[2:]):
        s = s * 0.5 + x - y + z
    return s


@case(ENUMERATE, (f64([1, 2, 3]), 5), (f64([4]), -2), (f64([]), 0))
def enumerations_from_a_start(a, k):
    s = 0.0
    for i, x in enumerate(a, k):
        s = s * 10 + i * x
    for i, j in enumerate(range(k)):
        s += i - 2 * j
    return s


@case(ENUMERATE, f64([[1, 2, 3], [4, 5, 6]]))
def enumerated_rows_and_elements(a):
    out = np.zeros((2, 3))
    for i, row in enumerate(a):
        for j, x in enumerate(row):
            out[i, j] = x * (i + 1) - j
        row *= 2
    return out, a


@case(ZIP, (f64([[1, 2], [3, 4], [5, 6]]), i64([2, 0, 1])))
def zip_of_rows_and_integers(a, at):
    s = np.zeros(2)
    for row, k in zip(a, at):
        s += row * k
        a[k] += 1
    return s, a


@case(ENUMERATE, (f64([1, 2, 3]), f64([4, 5, 6])))
def enumerated_zip(a, b):
    s = 0.0
    for k, (x, (j, y)) in enumerate(zip(a, enumerate(b, 1)), 10):
        s += k * x + j * y
        b[2] = s
    return s, b


@case(ENUMERATE, (f64([1, -2, 3]), 0.0), (f64([1, 2, 3]), 0.0), (f64([]), 1.0))
def search_with_enumerate(a, x):
    found = -1
    for i, y in enumerate(a):
        if y < x:
            found = i
            break
    else:
        found = -7
    return found


@case(ENUMERATE, f64([1, 2, 3]), f64([5.0]))
def last_pair_of_a_loop(a):
    for i, x in enumerate(a):
        pass
    return i, x


@case(ENUMERATE, f64([]), right=["UnboundLocalError"])
def pair_of_no_round_is_unbound(a):
    for i, x in enumerate(a):
        pass
    return i


@case(ZIP, (f64([1, 2, 3]), 2), (f64([1, 2, 3]), 9), (f64([1, 2, 3]), 0))
def zip_with_a_range(a, n):
    s = 0.0
    for k, x in zip(range(n), a):
        s += k * x
    return s


@case(ZIP, f64([1, 2]))
def zip_of_static_sequences(a):
    s = 0.0
    for name, k in zip(("x", "y"), [3, 4]):
        s += a[0] * k if name == "x" else a[1] * k
    for k, (i, w) in enumerate([(0, 0.5), (1, 0.25)]):
        s += a[i] * w + k
    for d in {"a": 1, "b": 2}:
        s += len(d)
    return s


@case(FOR, f64([1, 2, 3]))
def rebinding_the_array_changes_no_round(a):
    b = np.zeros(3)
    s = 0.0
    for x in a:
        s += x
        b = b + x
    return s, b


@case(ZIP, (f64([1.0, 2.0]), 3), refused="numpy-construct")
def kept_iterator_reads_when_it_runs(b, k):
    a = np.zeros(2)
    a += b
    z = enumerate(a)
    a[1] = 50.0
    s = 0.0
    for i, x in z:
        s += i * x
    for i, x in z:
        s += 1000
    return s


@case(ZIP, (f64([1.0, 2.0]), 3))
def list_of_a_zip_reads_at_once(b, k):
    a = np.zeros(2)
    a += b
    z = list(zip(a, (k, k + 1)))
    a[1] = 50.0
    s = 0.0
    for x, i in z:
        s += i * x
    for x, i in z:
        s += x
    return s


@case(BUILTINS + "#zip", (f64([0.5, -2, 3, 1]), 0.0), (f64([0.5, -2, 3, 1]), 1.0), (f64([0.5, -2, 3, 1]), 9.0))
def break_out_of_tuples_in_step(x, t):
    total = 0.0
    for w, c, k in zip((1.0, 2.5, 4.0), (3, 5, 7, 9), range(2, 9)):
        if w * x[0] > t:
            total += c // 2
            break
        total += w / k
    else:
        total += 100
    for k, (w, v) in enumerate(zip((1, 2, 3), x)):
        if w * v > t:
            total += k / 4
            break
        x[k + 1] += w
    return total, x


@case(FOR, (f64([0.5, -2, 3, 1]), 0.0), (f64([0.5, -2, 3, 1]), 1.0), (f64([0.5, -2, 3, 1]), 9.0))
def break_out_of_a_tuple_of_tuples(x, t):
    total = 0.0
    last = -1
    for pair in ((1.0, 2), (2.5, 3), (t + 0.5, 4)):
        x[2] += 1
        if pair[0] * x[0] > t:
            total += pair[1] // 2
            break
        total += pair[0]
        last = pair[1]
    return total, last, x


@case(FOR, (f64([0.5, -2, 3, 1]), 1.0), refused="numpy-break-unrolled")
def break_out_of_items_of_several_types(x, t):
    for w in (1, 2.5, "three"):
        if x[0] > t:
            break
    return x


@case(NUMBERS, (f64([0.5, -2]), 0.0), (f64([0.5, 2]), 1.0), (f64([0.5, -2]), 9.0))
def text_of_run_time_as_a_key(x, t):
    low = 1 if x[1] > 0 else 4
    table = {"low": (low, x * 2), "mid": (2, x), "high": (3, x + 1)}
    rates = {"low": None, "mid": 0.5}
    mode = "low"
    if x[0] > t:
        mode = "mid"
    elif x[1] > t:
        mode = "high"
    level, row = table[mode]
    rate = rates.get(mode, 2.0)
    return level, row, -1.0 if rate is None else rate, len(mode), mode in rates, rates.get(mode) is None


@case(PYTHON + "library/exceptions.html#KeyError", (f64([0.5]), 0.0), (f64([0.5]), 9.0), right=[1.5, "KeyError"])
def text_of_run_time_that_is_no_key(x, t):
    return {"low": 1.5, "mid": 2.5}["low" if x[0] > t else "other"]


@case(NUMBERS, (f64([0.5]), 1), (f64([0.5]), 7), refused="numpy-static-needed")
def number_of_run_time_as_a_key(x, k):
    return {1: 2.0, 2: 3.0}.get(k, 0.0) + x


@case(NUMBERS, (f64([0.5]), 1.0), (f64([0.5]), 0.0), refused="numpy-static-needed")
def text_of_run_time_as_a_new_key(x, t):
    d = {}
    d["a" if x[0] > t else "b"] = 1
    return x + len(d)


@case(FOR, f64([1, 2, 3, 4]))
def a_known_list_is_read_in_its_round(a):
    values = [a[0], a[1], a[2]]
    total = 0.0
    for k, x in enumerate(values):
        if k < 2:
            values[k + 1] = values[k + 1] + x
        total += x
    return total


@case(FOR, f64([1, 2, 3, 4]), refused="numpy-construct")
def a_known_list_that_its_loop_makes_longer(a):
    values = [a[0], a[1]]
    total = 0.0
    for x in values:
        if len(values) < 4:
            values.append(a[3])
        total += x
    return total
