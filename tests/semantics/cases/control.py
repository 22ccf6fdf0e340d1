"""Loops, conditions, assignment, functions: Python's order and names."""

from case import *

FOR = COMPOUND + "#the-for-statement"
WHILE = COMPOUND + "#the-while-statement"
ASSIGN = STATEMENTS + "#assignment-statements"
CALLS = EXPRESSIONS + "#calls"
FUNCTIONS = COMPOUND + "#function-definitions"


@case(FOR, 5, 1, 3)
def loop_variable_keeps_its_last_value(n):
    for i in range(n):
        pass
    for j in range(10, 10 - n, -2):
        pass
    return i, j


@case(FOR, 0, right=["UnboundLocalError"])
def loop_variable_of_no_round_is_unbound(n):
    for i in range(n):
        pass
    return i


@case(FOR, 0, 3)
def loop_variable_bound_before_stays(n):
    i = 77
    for i in range(n):
        pass
    return i


@case(SCOPES, (f64([1, 2]), 1), (f64([1, 2]), -1), right=[5.0, "UnboundLocalError"])
def name_bound_on_one_path(a, k):
    if k > 0:
        x = 5.0
    return x


@case(FOR, f64([1, 5, 2]), f64([1, 2, 3]), f64([]))
def else_of_a_loop_runs_without_break(a):
    where = 0
    for i in range(len(a)):
        if a[i] > 4:
            where = i
            break
    else:
        where = -1
    return where


@case(WHILE, 7, 8, 1, 0)
def else_of_a_while(n):
    i = 2
    while i < n:
        if n % i == 0:
            r = i
            break
        i += 1
    else:
        r = 0
    return r, i


@case(FOR, (i64([3, -1, 4, 0, 5]), 0), (i64([0, 1]), 1), (i64([2, 2, 2]), 5))
def break_and_continue(a, k):
    s = 0
    for x in a:
        if x < 0:
            continue
        if x == 0:
            break
        s += x
    for i in range(3):
        for j in range(3):
            if j > i:
                break
            if i == k:
                continue
            s = s * 2 + j
    return s


@case(FOR, 4, 0)
def changing_the_loop_variable_changes_no_round(n):
    s = 0
    for i in range(n):
        s += i
        i = 100
        s += i
    return s


@case(FOR, 4)
def bounds_are_evaluated_once(n):
    s = 0
    for i in range(n):
        n = 10
        s += 1
    return s, n


@case(FOR, f64([1, 2, 3, 4]))
def iteration_sees_stores(a):
    s = 0.0
    for i, x in enumerate(a):
        if i < 3:
            a[i + 1] += x
        s += x
    return a, s


@case(FOR, (f64([1, 2, 3]), f64([4, 5, 6])))
def zip_and_enumerate(a, b):
    s = 0.0
    for k, (x, y) in enumerate(zip(a, b), 1):
        s = s * 10 + k * x * y
    return s


@case(WHILE, f64([8, 3, -1, 0.5]), f64([0.0]))
def while_with_array_state(a):
    rounds = 0
    while np.max(np.abs(a)) > 1e-2:
        a = a * 0.5
        a[0] -= 0.001
        rounds += 1
        if rounds > 20:
            break
    return a, rounds


@case(WHILE, (f64([4, 1, 3, 2]),), (f64([1, 2, 3, 4]),))
def bubble_sort_in_place(a):
    changed = True
    while changed:
        changed = False
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                changed = True
    return a


@case(WHILE, 27, 1, 6)
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case(STATEMENTS + "#the-return-statement", (f64([1, -2, 3]), 0.0), (f64([1, 2, 3]), 0.0), (f64([]), 1.0))
def early_return_from_a_loop(a, x):
    for i in range(len(a)):
        if a[i] < x:
            return i
    return -1


@case(ASSIGN, 3)
def targets_are_stored_from_left_to_right(n):
    a = np.zeros(5, np.int64)
    i = 0
    i = a[i] = n
    x = y = n + 1
    y += 1
    return a, i, x, y


@case(ASSIGN, i64([0, 0, 0, 0]))
def index_of_a_target_is_read_when_its_turn_comes(a):
    i = 0
    i, a[i] = 2, 5
    return a, i


@case(ASSIGN, (1, 2.5), (-3, 0.5))
def tuples_swap(p, x):
    a, b, c = p, x, p + x
    a, b, c = c, a, b
    (d, e), *f = (a, b), c, p
    return a, b, c, d, e, f[1]


@case(STATEMENTS + "#augmented-assignment-statements", 2)
def augmented_target_is_evaluated_once(n):
    a = np.zeros(6)
    a[n] += 2
    a[n] **= 3
    a[n] -= 0.5
    a[n] /= 4
    a[n] //= 0.5
    a[n] %= 2
    k = n
    k <<= 3
    k |= 1
    k ^= 5
    k >>= 1
    k &= 14
    return a, k


@case(EXPRESSIONS + "#boolean-operations", (f64([1, 2, 3]), 7), (f64([1, 2, 3]), 2), (f64([1, 2, 3]), 0))
def and_guards_an_index(a, i):
    hit = i < len(a) and a[i] > 2
    miss = i >= len(a) or a[i] < 2
    if i >= len(a) or a[i] > 2:
        return 1, hit, miss
    return 0, hit, miss


@case(EXPRESSIONS + "#conditional-expressions", (4.0, 0), (4.0, 2), (-1.0, 1))
def conditional_expression_evaluates_one_side(x, k):
    y = x / k if k != 0 else 0.0
    z = math.sqrt(x) if x >= 0 else -1.0
    return y, z


@case(EXPRESSIONS + "#assignment-expressions", 5, refused="numpy-construct")
def named_expressions(n):
    s = 0
    while (n := n - 1) > 0:
        s += n
    return s, n


@case(FUNCTIONS, (f64([1, 2]), 3), before="def scaled(v, k=2, *, shift=1):\n    return v * k + shift\n\n\n")
def defaults_and_keywords(a, k):
    return scaled(a), scaled(a, k), scaled(a, shift=k), scaled(k=k, v=a), scaled(*(a, 5), **{"shift": 0})


@case(FUNCTIONS, 4)
def default_is_evaluated_at_the_def(n):
    x = n

    def f(y=x):
        return y * 10

    x = 100
    return f(), f(x)


@case(SCOPES, 4)
def closure_reads_the_name_when_called(n):
    x = n

    def f(y):
        return x + y

    first = f(0)
    x = 100
    return first, f(1)


@case(SCOPES, 3, before="def adder(k):\n    def add(v):\n        return v + k\n\n    return add\n\n\n")
def returned_closure(n):
    f, g = adder(n), adder(10)
    h = lambda v: f(g(v)) * 2
    return f(1), g(1), h(1)


@case(SCOPES, 3)
def lambdas_of_a_loop_share_the_name(n):
    some = [lambda: i * 10 for i in range(3)]
    kept = [lambda i=i: i * 10 for i in range(3)]
    return some[0]() + n, kept[0]() + n, kept[2]()


@case(STATEMENTS + "#the-nonlocal-statement", 3, refused="numpy-construct")
def nonlocal_counts(n):
    count = 0

    def step(k):
        nonlocal count
        count += k
        return count

    a = step(n)
    b = step(n) * 10
    return a, b, count


@case(CALLS, 6, before="def power(x, n):\n    if n == 0:\n        return 1\n    return x * power(x, n - 1)\n\n\n")
def static_recursion(x):
    return power(x, 5), power(2.5, 3)


@case(EXPRESSIONS + "#displays-for-lists-sets-and-dictionaries", (f64([1, 2, 3]), 2))
def comprehensions(a, k):
    t = [x * k for x in (1, 2, 3) if x != 2]
    d = {"a": a[0], "b": a[2]}
    return np.array([a[i] + i for i in range(3)]), t[1], sum(i * i for i in range(4)), d["b"]


@case(BUILTINS + "#any", 3, 5)
def builtins_over_tuples(n):
    t = (n, 4, 1)
    return any(x > 4 for x in t), all(x > 0 for x in t), max(t), min(t), sum(t), len(t), abs(-n), sorted((3, 1, 2))[0]


@case(EXPRESSIONS + "#evaluation-order", f64([1, 2, 3]))
def operands_are_evaluated_from_left_to_right(a):
    def bump(k):
        a[0] += k
        return a[0]

    x = a[0] + bump(10) * bump(1)
    y = bump(2) - bump(3)
    return x, y, a


@case(STATEMENTS + "#the-assert-statement", (3,), (-1,), right=[3, "AssertionError"])
def assertion(n):
    assert n > 0, "n"
    return n


@case(STATEMENTS + "#the-raise-statement", (f64([1]), 3), (f64([1]), -1), right=[1.0, "ValueError"])
def raising(a, n):
    if n < 0:
        raise ValueError(f"n is {n}")
    return a[0]


@case(FOR, (0, 10, 3), (10, 0, -3), (0, 10, -1), (5, 5, 1), (-3, 4, 2))
def ranges_with_run_time_steps(i, j, k):
    s = 0
    n = 0
    for x in range(i, j, k):
        s = s * 2 + x
        n += 1
    return s, n


@case(FOR, 0, right=["ValueError"])
def range_with_a_zero_step_raises(k):
    s = 0
    for x in range(0, 5, k):
        s += x
    return s


@case(WHILE, (1.0, 2.0), (0.0, 0.0), (np.nan, 1.0))
def loop_until_a_float_condition(x, y):
    n = 0
    while x < y and n < 60:
        x += 0.1
        n += 1
    return x, n


@case(WHILE, f64([2.0]), f64([0.0]), f64([1e-300]))
def newton_iterations(a):
    x = 1.0
    for k in range(60):
        new = 0.5 * (x + a[0] / x)
        if new == x:
            break
        x = new
    return x, k


@case(COMPOUND + "#the-try-statement", f64([[2.0, 0.0], [0.0, 1.0]]), f64([[0.0, 0.0], [0.0, 1.0]]))
def singular_matrix_caught(a):
    try:
        x = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        x = np.zeros((2, 2))
    return x


@case(ASSIGN, (f64([1, 2, 3]), 1), (f64([1, 2, 3]), 0))
def number_that_widens_in_a_loop(a, k):
    udiff = 1
    n = 0
    while udiff > 0.3 and n < 9:
        udiff = a[n % 3] / (n + 2)
        n += 1 + k
    return udiff, n


@case(ASSIGN, (f64([1, 2, 3]), 1), (f64([1, 2, 3]), 0))
def array_bound_on_two_paths(a, k):
    if k > 0:
        b = a * 2
    else:
        b = a + 1
    return b, a


@case(EXPRESSIONS + "#is-not", (f64([1, 2]),), before="def shifted(v, by=None):\n    if by is None:\n        return v\n    return v + by\n\n\n")
def none_as_a_default(a):
    return shifted(a) * 1, shifted(a, 0), shifted(a, by=a)


@case(FOR, f64([3, 1, 4]), f64([]))
def name_of_the_round_before(a):
    s = 0.0
    for i in range(a.shape[0]):
        if i > 0:
            s += prev * a[i]
        prev = a[i]
    return s


@case(FOR, (f64([3, 1, 4, 1]), 2.0), (f64([1, 3]), 2.0), (f64([3]), 5.0), (f64([]), 0.0))
def names_that_a_round_before_may_have_bound(a, least):
    s = 0.0
    for i in range(a.shape[0]):
        if a[i] < least:
            s += last * kept[0] + k
        else:
            last = a[i]
            kept = a * i
            k = i
    return s


@case(WHILE, (f64([3, 1, 4, 1]), 3), (f64([3, 1]), 0))
def names_of_rounds_before_in_nested_loops(a, n):
    s = 0.0
    i = 0
    while i < n:
        for j in range(a.shape[0]):
            if i + j > 0:
                s = s * 0.5 + prev
            prev = a[j] * i
        i += 1
    return s


@case(FOR, 38, 1)
def name_of_the_round_before_keeps_its_type(n):
    k = 0.5
    for i in range(n):
        if i > 0:
            k = (prev * 3 + 1) % 1000003
        else:
            k = 1
        prev = k
    return prev * 2


@case(FOR, (f64([5]), 3), (f64([5]), 1))
def division_by_what_the_round_before_left(a, n):
    k = a[0]
    s = 0.0
    for i in range(n):
        if i > 0:
            k = prev - 1.0
        else:
            k = 2.0
        prev = k
        s += 1.0 / k
    return s


@case(FOR, (f64([3, 1, 4]), f64([2, 7, 1])), (f64([3]), f64([2])))
def two_names_of_the_round_before(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        if i > 0:
            s += 0.5 * (x[i] - px) * (y[i] + py)
        px, py = x[i], y[i]
    return s


@case(FOR, 5, 1)
def number_bound_anew_on_both_sides_keeps_its_type(n):
    k = 0.5
    prev = 7
    for i in range(n):
        if i > 0:
            k = i * 3 + 1
        else:
            k = 1
        prev = k
    return prev * 2


@case(FOR, f64([3, 1, 4, 1, 5]), f64([3]), f64([]))
def names_of_two_rounds_before(a):
    s = 0.0
    for i in range(a.shape[0]):
        if i > 1:
            s += q
        if i > 0:
            q = p * 2
        p = a[i]
    return s
