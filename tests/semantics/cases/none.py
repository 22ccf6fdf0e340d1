"""Names that hold None, tuples or strings on some paths; returns of None; try around what leaves a number."""

from case import *

RETURN = STATEMENTS + "#the-return-statement"
TRY = COMPOUND + "#the-try-statement"
FOR = COMPOUND + "#the-for-statement"
NONE = PYTHON + "library/constants.html#None"
X = f64([0.5, -2, 3, 1])


@case(NONE, X, f64([1.0]), f64([]))
def best_so_far(x):
    best = None
    for k in range(len(x)):
        if best is None or x[k] > best[0]:
            best = (x[k], k, x * k)
    if best is None:
        return x - 1, -1
    value, at, row = best
    return row + value, at


@case(NONE, (X, 0.2), (X, 9.0))
def first_of_many(x, t):
    hit = None
    for k in range(len(x)):
        if x[k] > t:
            hit = k
            break
    return -1 if hit is None else hit


@case(NONE, X)
def differences_to_the_last_round(x):
    prev = None
    total = 0.0
    for k in range(len(x)):
        now = x * x[k]
        if prev is not None:
            total += (now - prev).sum()
        prev = now
    return total


@case(NONE, (X, 0.7), (X, 9.0))
def set_and_unset(x, t):
    kept = None
    out = np.zeros(len(x))
    for k in range(len(x)):
        if x[k] > t:
            kept = x[k]
        elif x[k] < 0:
            kept = None
        out[k] = -9.0 if kept is None else kept
    return out, kept is None, kept == 3.0, kept != 3.0


@case(NONE, (X, 9.0), right=["TypeError"])
def arithmetic_with_none_raises(x, t):
    hit = None
    for v in x:
        if v > t:
            hit = v
    return hit + 1.0


@case(NONE, (X, 9.0), (X, 0.0))
def truth_of_what_may_be_none(x, t):
    hit = None
    for k in range(len(x)):
        if x[k] > t:
            hit = (k, x[k])
    if hit:
        return hit[1]
    return -1.0


@case(RETURN, (X, 2.5), (X, 9.0), before="""
    def find(x, t):
        for k in range(len(x)):
            if x[k] > t:
                return k

    def split(x, t):
        if t > 2:
            return None
        elif t > 1:
            return x * 2, t
        return x, 0.0
    """)
def helpers_that_give_none(x, t):
    at = find(x, t)
    out = np.zeros(3)
    out[0] = -1 if at is None else at
    for k in range(len(x)):
        pair = split(x, x[k])
        if pair is None:
            continue
        y, more = pair
        out[1] += y[0]
        out[2] += more
    return out


@case(FOR, X)
def state_by_name(x):
    state = "start"
    runs = 0
    for v in x:
        if state == "start" and v < 0:
            state = "run"
        elif state == "run":
            runs += 1
            if v < 2:
                state = "stop"
    return runs, state == "stop", state != "run"


@case(FOR, X)
def tuples_carried_by_a_loop(x):
    pair = (x[0], x[1])
    rows = (x, x * 2)
    for k in range(3):
        pair = (pair[1], pair[0] + k)
        rows = (rows[1], rows[0] + pair[0])
    return pair[0], pair[1], rows[0] - rows[1]


@case(FOR, X)
def tuple_of_the_last_round(x):
    for k in range(len(x)):
        t = (x[k], k)
    return t[0] * t[1]


@case(NONE, (X, 1.0), (X, -1.0))
def chosen_values_of_other_kinds(x, s):
    a = None if s > 0 else x[1]
    b = (x[0], 1.0) if s > 0 else (x[2], 2.0)
    c = "up" if s > 0 else "down"
    return 4.0 if a is None else a, b[0] * b[1], c == "up"


@case(FOR, X)
def breaks_in_a_loop_over_a_tuple(x):
    out = np.zeros(len(x))
    for k in range(len(x)):
        for t in (1, 2, 3):
            if x[k] < t:
                break
            out[k] += t // 2 + 0.5
        for t in [0.25, 0.75]:
            if x[k] > t:
                continue
            out[k] -= t
    return out


@case(TRY, (f64([[2, 1], [1, 3]]), X[:2]), (np.ones((2, 2)), X[:2]), ulps=4)
def solve_of_a_singular_matrix_caught(a, b):
    try:
        y = np.linalg.solve(a, b)
        z = y * 2
    except np.linalg.LinAlgError:
        z = b - 1
    return z


@case(TRY, (f64([[4, 2], [2, 3]]),), (f64([[1, 2], [2, 1]]),), ulps=4, before="""
    def root(a):
        try:
            return np.linalg.cholesky(a)
        except ValueError:
            return None
    """)
def not_positive_definite_caught(a):
    l = root(a)
    if l is None:
        return a - a
    return l


@case(TRY, X)
def division_by_zero_caught(x):
    out = np.zeros(len(x))
    last = -7.0
    for k in range(len(x)):
        d = float(x[k]) if x[k] > 0 else 0.0
        try:
            last = 6.0 / d
            last += 1
        except ZeroDivisionError:
            out[k] = 100.0
        out[k] += last
    return out


@case(TRY, X, refused="numpy-construct")
def index_error_caught(x):
    try:
        y = x[len(x)]
    except IndexError:
        y = -1.0
    return y


@case(FOR, (X, 0.0), (X, 9.0))
def tuple_changed_by_an_if_in_a_loop(x, t):
    pair = (1, 2)
    total = 0
    for k in range(len(x)):
        if x[k] > t:
            pair = (2, 3)
        for j in range(2):
            if x[j] > t + j:
                pair = (pair[1], j)
            total += pair[0]
        total += pair[0] * 10
    return total, pair[0], pair[1]


@case(FOR, (X, 0.0), (X, 9.0), refused="numpy-join-static", before="""
    def wave(x):
        return x * 100.0
    """)
def function_chosen_by_an_if_is_not_the_files_own(x, t):
    if x[0] > t:
        wave = np.sin
    else:
        wave = np.cos
    return wave(x)


@case(SCOPES, (X, 0.0), before="STEP = 5\n", right=["UnboundLocalError"], refused="numpy-unknown-name")
def global_hidden_by_a_later_assignment(x, t):
    y = x + STEP
    STEP = t
    return y + STEP


@case(FOR, X, f64([1.0]))
def first_bound_to_none_in_a_loop(x):
    total = 0
    for i in range(len(x)):
        found = None
        for j in range(len(x)):
            if x[j] > x[i]:
                found = j
        if found is not None:
            total += found
    return -1 if found is None else found, total


@case(FOR, X, f64([]), right=[2, "UnboundLocalError"])
def none_of_the_last_round(x):
    for i in range(len(x)):
        found = None
        for j in range(i):
            if x[j] > x[i]:
                found = j
    return -1 if found is None else found


@case(FOR, (X, 0.0), (X, 9.0), right=[1, "UnboundLocalError"])
def text_of_some_rounds(x, t):
    for k in range(len(x)):
        if x[k] > t:
            mode = "above"
        elif x[k] < -t - 1:
            mode = "below"
        else:
            continue
    return 1 if mode == "above" else 2


@case(FOR, (X, 0.0), (X, 9.0))
def none_or_a_number_of_an_if(x, t):
    if x[0] > t:
        a = None
    else:
        a = 3
    if a is None:
        return -1
    return a


@case(FOR, (X, 0.0), (X, 9.0))
def tuple_with_none_in_it_of_some_rounds(x, t):
    total = 0.0
    for k in range(len(x)):
        if x[k] > t:
            w = (k, None)
        elif k > 1 or k == 0:
            w = (k, 3.0)
        if w[1] is not None:
            total += w[1] * 10
        total += w[0]
    return total


PICK = """
    def pick(x, t):
        for k in range(len(x)):
            if x[k] > t:
                return k
        return None
    """


@case(NONE, (X, 0.0), (X, 2.0), (X, 9.0), before=PICK)
def membership_of_what_may_be_none(x, t):
    h = pick(x, t)
    if h in (1, 2):
        return h + 10, h in (None, 7), h not in [0, 1], 3 in (h, 4)
    return -1, h in (None, 7), h not in [0, 1], 3 in (h, 4)


@case(NONE, (X, 0.0), (X, 9.0), before=PICK)
def isinstance_of_what_may_be_none(x, t):
    h = pick(x, t)
    pair = None if h is None else (h, x[h])
    row = x * 2 if x[0] > t else None
    if not isinstance(h, int):
        h = 4
    return h + 1, isinstance(pair, tuple), isinstance(row, np.ndarray), isinstance(pair, (int, object))


@case(NONE, (X, 0.0), (X, 9.0))
def accumulated_behind_a_test_for_none(x, t):
    total, rows = None, None
    for k in range(len(x)):
        if x[k] > t:
            row = x * k
            if total is None:
                total = x[k]
                rows = row
            else:
                total += x[k]
                rows += row
    if rows is None or total is None:
        return -1.0, x
    return total, rows


@case(NONE, (X, 0.0), (X, 9.0), before=PICK)
def accumulated_onto_none_raises(x, t):
    h = pick(x, t)
    h += 1
    return h


@case(NONE, (X, 0.0), (X, 9.0), before=PICK)
def uses_of_none_that_raise_nothing(x, t):
    h = pick(x, t)
    pick(x, t + 1)
    flag = not h
    table = {"k": h, "m": 2}
    items = [h, 1]
    items.append(h)
    later = [pick(x, t + k) for k in range(2)]
    out = -1 if table["k"] is None else table["k"] + table["m"]
    return flag, bool(h), out, items[2] is None, later[1] is None


@case(NONE, (X, 0.0), (X, 9.0))
def method_of_none_raises_attribute_error(x, t):
    row = None
    if x[0] > t:
        row = x * 2
    return row.sum()


@case(NONE, (X, 0.0), (X, 9.0), before=PICK, declines=True)
def none_as_an_end_of_a_slice(x, t):
    return x[: pick(x, t)]


@case(NONE, (X, 0.0), (X, 9.0), before=PICK, refused="numpy-static-needed")
def none_as_an_axis(x, t):
    return np.sum(x, axis=pick(x, t))


@case(NONE, (X, 0.0), (X, 9.0), before=PICK, declines=True)
def none_as_an_index(x, t):
    return x[pick(x, t)]


@case(BUILTINS + "#isinstance", (X, 0.0), (X, 9.0), refused="numpy-static-needed")
def isinstance_of_an_int_or_float(x, t):
    h = 1
    if x[0] > t:
        h = 2.5
    return isinstance(h, float)


@case(BUILTINS + "#isinstance", (X, 0.0), (X, 9.0), refused="numpy-static-needed")
def isinstance_of_what_a_later_round_makes_a_float(x, t):
    h = 1
    total = 0
    for k in range(len(x)):
        if isinstance(h, int):
            total += 1
        if x[k] > t:
            h = 2.5
    return total


@case(BUILTINS + "#isinstance", (X, 0.0), (X, 9.0), refused="numpy-static-needed", before="""
    def make(x, t):
        if x[0] > t:
            return 1
        return 2.5


    def is_float(h):
        return isinstance(h, float)
    """)
def isinstance_of_a_choice_through_functions(x, t):
    return is_float(make(x, t) * 2)


@case(BUILTINS + "#isinstance", (X, 0.0), (X, 9.0), refused="numpy-static-needed")
def isinstance_of_pythons_or_numpys_float(x, t):
    return isinstance(max(t, x[0]), np.floating), isinstance(t if t > 0 else x[0], np.floating)


@case(BUILTINS + "#isinstance", X)
def isinstance_of_one_type_on_all_paths(x):
    h = max(x[1], x[0])
    n = 1
    if x[0] > 0:
        n = 2
    return isinstance(h, np.floating), isinstance(x[0] + 1, float), isinstance(n, int), isinstance(len(x), int)


SPD, INDEFINITE = f64([[4, 1], [1, 3]]), f64([[1, 2], [2, 1]])


@case(TRY, SPD, INDEFINITE)
def jitter_until_a_factor_is_found(a):
    jitter = 0.0
    for k in range(9):
        try:
            l = np.linalg.cholesky(a + jitter * np.eye(2))
            break
        except np.linalg.LinAlgError:
            jitter = 0.25 if jitter == 0.0 else jitter * 2
    else:
        l = np.eye(2)
    return l, jitter


@case(TRY, (X, 0.0), (X, 2.0), (X, -1.0))
def number_updated_in_a_try(x, t):
    total, calls = 1.0, 0
    for k in range(len(x)):
        try:
            total += 1.0 / float(max(x[k] - t, 0.0))
            calls += 1
            if calls > 1:
                continue
        except ZeroDivisionError:
            total -= 1
            if k == 2:
                break
        else:
            total *= 2
        calls += 10
    return total, calls


@case(TRY, (X, 0.0), (X, 2.0), (X, -1.0), before="""
    def first(x, t):
        total = 0.5
        for k in range(len(x)):
            try:
                total -= 1.0 / float(max(x[k] - t, 0.0))
                return total
            except ZeroDivisionError:
                total += k
        return None
    """)
def return_behind_an_update_in_a_try(x, t):
    got = first(x, t)
    return -9.0 if got is None else got


@case(TRY, (X, 0.0), (X, 9.0), refused="numpy-construct")
def array_updated_in_a_try(x, t):
    try:
        x += 1.0 / float(max(x[0] - t, 0.0))
    except ZeroDivisionError:
        x -= 1
    return x


@case(FOR, (X, 0.0), (X, 9.0), (X, 1.0))
def tuple_behind_an_if_of_other_names(x, t):
    best = (1, 2)
    for k in range(4):
        if x[k] > t:
            best = (k, 3)
    total = 0
    if x[0] > t:
        total = 1
    for k in range(2):
        if x[k] > t:
            total += 2
    return best[0] + total, best[1]


@case(FOR, (X, 0.0), (X, 9.0), (X, 1.0))
def what_an_if_leaves_alone_is_kept(x, t):
    import math

    table, part, rounds = {"a": 1.0, "b": 2.0}, slice(0, 2), range(3)
    wave, kind, z = np.sin, int, 2j
    total, key = 0.0, "a"
    if x[0] > t:
        total = 1.0
        key = "b"
    for k in rounds:
        total += k
        if x[k] > t:
            total += 1
    return total + math.floor(2.5) + table[key] + x[part].sum() + wave(0.0) + kind(2.5), z * 2
