"""What is read from lists that grow, and the changes of them other than append."""

from case import *

SEQUENCES = PYTHON + "library/stdtypes.html#mutable-sequence-types"
LONG = f64([3, -1, 4, -1, 5, -9, 2, 6])


@case(SEQUENCES, (f64([1, 2, 3]), 2), (f64([1, 2, 3]), -3), (f64([1, 2, 3]), 3), (f64([1, 2, 3]), -4))
def index_of_a_growing_list_wraps_or_raises(a, k):
    out = []
    for i in range(a.shape[0]):
        out.append(a[i])
    return out[k]


@case(SEQUENCES, (f64([1, 2, 3]), -1), (f64([1, 2, 3]), 0), (f64([1, 2, 3]), 5))
def store_into_a_growing_list(a, k):
    out = []
    for i in range(a.shape[0]):
        out.append(a[i])
    out[k] = 9.0
    out[0] += 0.5
    return np.array(out)


@case(SEQUENCES, (f64([1, 2, 3]), 3), (f64([1, 2, 3]), 4))
def pop_in_a_loop(a, n):
    out = []
    for i in range(a.shape[0]):
        out.append(a[i])
    total = 0.0
    for i in range(n):
        total = total * 10 + out.pop()
    return total, len(out)


@case(SEQUENCES, f64([3, 1, 2, 5, 4]))
def pop_and_append_as_a_stack(a):
    stack = []
    best = 0
    for i in range(a.shape[0]):
        if stack and stack[-1] > a[i]:
            stack.pop()
        stack.append(a[i])
        best = max(best, len(stack))
    return best, len(stack), np.array(stack)


@case(SEQUENCES, LONG)
def list_cleared_in_a_loop(a):
    cur = []
    longest = 0
    for i in range(a.shape[0]):
        if a[i] < 0:
            cur.clear()
        else:
            cur.append(a[i])
        longest = max(longest, len(cur))
    return longest, len(cur)


@case(BUILTINS + "#max", (LONG, 5), (LONG, 0))
def max_of_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    return max(out) - min(out)


@case(BUILTINS + "#max", (f64([1, np.nan, 3, 2]), 4), (f64([np.nan, 3]), 2), (f64([0.0, -0.0]), 2))
def max_of_a_growing_list_keeps_the_first(a, n):
    out = []
    for i in range(n):
        out.append(float(a[i]))
    return max(out), min(out)


@case(BUILTINS + "#sum", (f32([1e8, 1, 1, 1]), 4), (f32([1]), 1))
def sum_of_a_growing_list_goes_in_order(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    return sum(out)


@case(BUILTINS + "#any", (LONG, 2), (LONG, 0))
def any_and_all_of_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i] > 0)
    return any(out), all(out)


@case(EXPRESSIONS + "#membership-test-operations", (LONG, 4), (LONG, -1), (LONG, 8))
def membership_in_a_growing_list(a, k):
    out = []
    for i in range(a.shape[0]):
        if a[i] > 0:
            out.append(i)
    return k in out, k not in out


@case(SEQUENCES, LONG)
def extend_and_augmented_assignment(a):
    out = []
    for i in range(a.shape[0]):
        out += [a[i], 1.0]
        if a[i] > 3:
            out.extend((2.0, a[i]))
    return np.array(out)


@case(SEQUENCES, (f64([[1, 2], [3, 4]]), 2))
def extend_by_an_array(a, n):
    out = []
    for i in range(n):
        out.extend(a[i])
    return np.array(out)


@case(BUILTINS + "#sum", (LONG, 0), declines=True)
def sum_of_no_items_is_an_int(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    return sum(out) / 2


@case(SEQUENCES, (LONG, 4.5), (LONG, 99.0))
def list_of_no_items_as_an_index(a, least):
    idx = [i for i in range(len(a)) if a[i] > least]
    b = a.copy()
    b[idx] = 0.0
    return b, a[idx].sum(), len(idx)


@case(SEQUENCES, (LONG, 3), (LONG, 0), (LONG, 9))
def comprehension_over_a_range_backwards(a, n):
    back = [a[i % 3] * i for i in range(n - 1, -1, -1)]
    odd = [i * i for i in range(1, n, 2)]
    total = 0.0
    for v in back:
        total = total * 2 + v
    for v in odd:
        total -= v
    return total, len(back), len(odd)
