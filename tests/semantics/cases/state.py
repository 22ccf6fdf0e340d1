"""Arrays carried through loops and conditions."""

from case import *

WHILE = COMPOUND + "#the-while-statement"
IF = COMPOUND + "#the-if-statement"


@case(WHILE, f64([8, 3, -1, 0.5]), f64([0.0]), f64([np.nan]))
def array_rebound_in_a_while(a):
    rounds = 0
    while np.max(np.abs(a)) > 1e-2 and rounds < 20:
        a = a * 0.5 - 0.001
        rounds += 1
    return a, rounds


@case(WHILE, f64([8, 3, -1, 0.5]))
def array_stored_to_in_a_while(a):
    k = 0
    while a[k] > 0:
        a[k + 1] += a[k]
        a[k] = -1.0
        k += 1
        if k == 3:
            break
    return a, k


@case(WHILE, (f64([1, 2, 4]), 5), (f64([1, 2, 4]), 0))
def two_arrays_rebound_together(a, n):
    b = np.ones(len(a))
    for _ in range(n):
        a, b = a + b, a - b
    return a, b


@case(WHILE, (i64([0, 1]), 10), (i64([0, 1]), 0))
def shifted_state(a, n):
    x, y = a[0], a[1]
    for _ in range(n):
        x, y = y, x + y
    return x, y


@case(IF, (f64([1, 2]), 1), (f64([1, 2]), 0))
def store_on_one_path(a, k):
    if k:
        a[0] = 5.0
        n = 1.0
    else:
        a[1] *= 2
        n = 2.5
    return a, n


@case(IF, f64([1, -2, 0.0, np.nan]))
def conditions_of_elements(a):
    out = np.zeros(4, np.int64)
    for i in range(4):
        if a[i] > 0:
            out[i] = 1
        elif a[i] < 0:
            out[i] = 2
        elif a[i] == 0:
            out[i] = 3
        else:
            out[i] = 4
    return out


@case(IF, 0, 1, -1, 2)
def truth_of_numbers(k):
    n = 0
    if k:
        n += 1
    if not k:
        n += 2
    if k - 1:
        n += 4
    if float(k):
        n += 8
    return n


@case(IF, f64([0.0, -0.0, np.nan, 2.0]))
def truth_of_elements(a):
    n = 0
    for x in a:
        n = n * 2 + (1 if x else 0)
    return n


@case(WHILE, f64([[4, 1], [1, 3]]))
def power_iteration(a):
    v = np.ones(2)
    for _ in range(5):
        w = a @ v
        v = w / w[0]
    return v


@case(WHILE, (f64([1, 2, 3, 4]), 3), (f64([1, 2, 3, 4]), 0))
def accumulated_slices(a, n):
    s = np.zeros(2)
    for k in range(n):
        s += a[k : k + 2]
        s[0] = s[1] - s[0]
    return s


@case(WHILE, i64([5, 3, 9, 1]))
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@case(WHILE, (i64([1, 3, 5, 7, 9]), 7), (i64([1, 3, 5, 7, 9]), 2), (i64([1, 3, 5, 7, 9]), 10))
def binary_search(a, x):
    low, high = 0, len(a)
    while low < high:
        mid = (low + high) // 2
        if a[mid] < x:
            low = mid + 1
        else:
            high = mid
    return low


@case(WHILE, i64([3, 1, 0, 2]))
def linked_list(following):
    seen = np.zeros(4, bool)
    k = 0
    n = 0
    while not seen[k]:
        seen[k] = True
        k = following[k]
        n += 1
    return n, seen, k


@case(
    STATEMENTS + "#assignment-statements",
    f64([5, -1, 3]),
    before="""
def filled(a):
    for i in range(1, len(a)):
        a[i] = a[0]
    return 0
""",
)
def value_read_before_the_targets_call(a):
    a[filled(a)] = a[-1]
    return a
