"""Comprehensions and generators over what only running tells."""

from case import *

COMPREHENSIONS = PYTHON + "tutorial/datastructures.html#list-comprehensions"
LONG = f64([3, -1, 4, -1, 5, -9, 2, 6])


@case(COMPREHENSIONS, (LONG, 4), (LONG, 0))
def comprehension_over_a_range_of_run_time(a, n):
    return np.array([a[i] * i for i in range(n)])


@case(COMPREHENSIONS, LONG)
def comprehension_with_conditions(a):
    found = [x + k for k, x in enumerate(a) if x > 0 if k > 0]
    return np.array(found), len(found)


@case(COMPREHENSIONS, (f64([1, 2, 3]), 3))
def comprehension_of_rows(a, n):
    return np.array([[i, a[i], a[i] ** 2] for i in range(n)])


@case(COMPREHENSIONS, (3, 4))
def comprehension_of_two_ranges(n, m):
    return np.array([i * 10 + j for i in range(n) for j in range(i, m)])


@case(COMPREHENSIONS, (f64([[1, 2], [3, 4]]), 2))
def comprehension_of_arrays(a, n):
    rows = [a[i] * 2 for i in range(n)]
    return np.array(rows), rows[1]


@case(BUILTINS + "#sum", (LONG, 4))
def sum_of_a_generator_over_run_time(a, n):
    return sum(a[i] * 2 for i in range(n)), any(x > 4 for x in a)


@case(BUILTINS + "#sum", (4,), (0,))
def sum_of_ints_in_a_growing_list(n):
    return sum([i * i for i in range(n)]), sum(i for i in range(n) if i % 2)


@case(COMPREHENSIONS, (f64([1, 2, 3]), 3), (f64([1, 2, 3]), 2))
def a_list_that_a_comprehension_makes_in_a_loop(a, n):
    total = np.zeros(n)
    for i in range(n):
        row = [a[j] * i for j in range(i + 1)]
        total[i] = sum(row) + len(row)
    return total


@case(COMPREHENSIONS, (LONG, 3))
def comprehension_over_a_growing_list(a, n):
    out = []
    for i in range(n):
        out.append(a[i])
    doubled = [2 * x for x in out if x > 0]
    pairs = [(x, y) for x in out for y in doubled]
    return np.array(doubled), np.sum(np.array(pairs)), len(pairs)


@case(COMPREHENSIONS, (LONG, 3))
def comprehension_that_calls_a_function(a, n):
    def clipped(x):
        if x > 2:
            return 2.0
        return float(x)

    return np.array([clipped(a[i]) for i in range(n)])


@case(COMPREHENSIONS, (LONG, 3))
def comprehension_inside_a_comprehension(a, n):
    return np.array([sum([a[j] for j in range(i + 1)]) for i in range(n)])
