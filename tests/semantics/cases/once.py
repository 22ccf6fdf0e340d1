"""What runs once, late, or not at all: changes of lists and dicts in what is staged again, and, or, chains, :=, iterators."""

from case import BUILTINS, COMPOUND, EXPRESSIONS, PYTHON, STATEMENTS, case, f64, page

import numpy as np

A = f64([3, -1, 2, 5, -3, 4])
STRUCTURES = PYTHON + "tutorial/datastructures.html"


@case(STATEMENTS + "#the-return-statement", (A, 0), (A, 1), (A, -1))
def counted_call_with_two_kinds_of_return(a, k):
    stats = {"calls": 0}

    def inverse(x):
        stats["calls"] += 1
        if x < 0:
            return None
        return 1.0 / x

    first = inverse(a[k])
    second = inverse(a[1])
    out = a.copy()
    if first is not None:
        out[0] = first
    if second is not None:
        out[1] = second
    out[2] = stats["calls"]
    return out


@case(STATEMENTS + "#the-return-statement", (A, 0), (A, 5))
def appended_before_an_int_or_a_float(a, k):
    def note(seen, x):
        seen.append(x)
        if x > 3:
            return 1
        return 2.5

    seen = []
    r = note(seen, a[k])
    return a[1] * r, len(seen), seen[0]


@case(STATEMENTS + "#the-return-statement", (A, 0), (A, 3))
def popped_before_a_tuple_or_none(a, k):
    order = [4, 2, 0]

    def take(limit):
        i = order.pop()
        if a[i + k - k] > limit:
            return None
        return i, a[i]

    first = take(k)
    second = take(2.5)
    s = 0.0
    if first is not None:
        s += first[1]
    if second is not None:
        s += 10 * second[1]
    return s, len(order)


@case(STATEMENTS + "#the-return-statement", (A, 0), (A, 3))
def swapped_before_an_int_or_a_float(a, k):
    def turn(order, x):
        order[0], order[1] = order[1], order[0]
        if x > 3:
            return 1
        return 2.5

    order = [0, 1]
    r = turn(order, a[k])
    return r * a[order[0]]


@case(COMPOUND + "#the-try-statement", 2, 0)
def counted_in_a_try(k):
    info = {"tries": 0}
    seen = [1.5]
    try:
        info["tries"] += 1
        seen.append(2.5)
        y = np.linalg.solve(np.eye(2) * k, np.ones(2))
    except np.linalg.LinAlgError:
        y = np.zeros(2)
    return y, info["tries"], len(seen)


@case(EXPRESSIONS + "#assignment-expressions", (A, 3), (A, 9), refused="numpy-construct")
def walrus_behind_and(a, k):
    if len(a) > k and (top := a.max()) > 0:
        return top
    return 1.0


@case(EXPRESSIONS + "#assignment-expressions", (A, 3), (A, 0), refused="numpy-construct")
def walrus_in_a_conditional(a, k):
    step = 1
    y = (step := 3) if k > 1 else 0
    return a * step + y


@case(EXPRESSIONS + "#assignment-expressions", A, refused="numpy-construct")
def walrus_in_a_comprehension(a):
    total = 0.0
    partial = [total := total + v for v in a]
    return np.array(partial) / total


@case(EXPRESSIONS + "#assignment-expressions", (A, 3), (A, 0))
def walrus_in_an_elif(a, k):
    if k > 1:
        y = 1.0
    elif (m := a.max()) > 3:
        y = m + k
    else:
        y = -1.0
    return y


@case(EXPRESSIONS + "#assignment-expressions", (A, 3), (A, 0))
def walrus_first_of_and(a, k):
    if (m := a.max()) > k and m < 10:
        return m
    return m - k


@case(EXPRESSIONS + "#comparisons", (A, 3), (A, 0), (A, 9))
def chain_that_stops_before_an_index_error(a, k):
    out = np.zeros(6)
    for i in range(6):
        d = 3 * i - 4
        if 0 <= d < 6 and 0 < i + k < 6 + a[d]:
            out[i] = a[d]
        elif k <= d < a[min(d, 5)]:
            out[i] = -1.0
    return out


@case(EXPRESSIONS + "#comparisons", (A, 1), (A, 7), (A, -20))
def chain_with_an_index_behind(a, d):
    return 0 <= d < 5 + a[d] < 9


@case(EXPRESSIONS + "#comparisons", (A, 1), (A, -1))
def chain_that_stops_before_a_call(a, k):
    def bump():
        a[0] += 1
        return a[0]

    r = 0 < k < bump()
    return r, a


@case(BUILTINS + "#any", (A, 3), (A, 0), refused="numpy-construct")
def any_of_calls_that_change_an_array(a, k):
    def step(i):
        a[i] += 1
        return a[i] > k

    found = any(step(i) for i in range(6))
    return a, found


@case(BUILTINS + "#all", (A, 3), (A, 0), refused="numpy-construct")
def all_of_calls_that_note(a, k):
    seen = []

    def step(i):
        seen.append(i)
        return a[i] > k

    found = all(step(i) for i in range(3))
    return len(seen), found


@case(BUILTINS + "#any", (A, 3), (A, 9))
def any_of_calls_without_effects(a, k):
    def far(i):
        t = np.zeros(2)
        t[0] = a.sum() * i
        return t[0] + t[1] > k

    return any(far(i) for i in range(6)), all(far(i) for i in range(2, 4))


@case(EXPRESSIONS + "#generator-expressions", A, refused="numpy-construct")
def loop_over_a_generator(a):
    for i, v in enumerate(0.5 * (a[j] + a[j + 1]) for j in range(5)):
        a[i + 1] = v
    return a


@case(EXPRESSIONS + "#generator-expressions", A, refused="numpy-construct")
def generator_passed_to_a_helper(a):
    def total(steps):
        a[1] = 100.0
        return sum(steps)

    return total(a[i + 1] - a[i] for i in range(3))


@case(EXPRESSIONS + "#generator-expressions", A, refused="numpy-construct")
def generator_returned(a):
    def doubled():
        return (a[i] * 2 for i in range(3))

    g = list(doubled())
    return sum(g)


@case(BUILTINS + "#zip", A, refused="numpy-construct")
def zip_returned_and_walked_twice(a):
    def pairs():
        return zip(range(3), range(1, 4))

    links = pairs()
    s = 0.0
    for i, j in links:
        s += a[i] * a[j]
    for i, j in links:
        s += 100 * a[i]
    return s


@case(BUILTINS + "#zip", A)
def iterators_used_up_at_once(a):
    d = {"x": 2.0, "y": 3.0}
    s = sum(v for v in d.values()) + max(d.values()) + sum(a[i] for i in range(2))
    pairs = list(zip(d.keys(), d.values()))
    first, second = (a[i] * 2 for i in range(2))
    for k, (name, v) in enumerate(d.items()):
        s += k * v
    for i in reversed(range(3)):
        s = s * 2 + a[i]
    return s, len(pairs), pairs[1][1], first - second, "x" in d.keys()


@case(STRUCTURES + "#looping-techniques", A, refused="numpy-construct")
def dict_changed_while_its_items_are_walked(a):
    state = {"a": 1.0, "b": 2.0, "c": 3.0}
    s = 0.0
    for name, v in state.items():
        s = s * 10 + v
        state["c"] = state["c"] + a[0]
    return s


@case(STRUCTURES + "#dictionaries", A, refused="numpy-construct")
def items_kept_for_later(a):
    d = {"x": 1.0}
    items = d.items()
    d["x"] = 7.0
    s = 0.0
    for _, v in items:
        s += v * a[0]
    return s


@case(BUILTINS + "#reversed", A, refused="numpy-construct")
def list_changed_while_it_is_walked_backwards(a):
    items = [1.0, 2.0, 3.0]
    s = 0.0
    for x in reversed(items):
        s = s * 10 + x
        items[0] = a[0]
    return s


@case(STRUCTURES + "#looping-techniques", A)
def dict_changed_while_a_list_of_its_items_is_walked(a):
    state = {"a": 1.0, "b": 2.0, "c": 3.0}
    for name, v in list(state.items()):
        state[name] = v * a[0]
    for name in state:
        state[name] = state[name] + 1
    return state["a"] + 10 * state["c"]


@case(COMPOUND + "#the-try-statement", 2, 0, refused="numpy-construct")
def popped_behind_what_raises(k):
    left = [1.0, 2.0, 3.0, 4.0, 5.0]
    try:
        y = np.linalg.inv(np.eye(2) * k) * left.pop()
    except np.linalg.LinAlgError:
        y = np.zeros((2, 2))
    return y, len(left)
