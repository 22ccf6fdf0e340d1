"""Python numbers beside NumPy scalars, bools as ints, empty and zero-dimensional arrays."""

from case import *


@case(NUMBERS, (True, False), (True, True), (False, False))
def python_bools_are_ints(p, q):
    return p + q, p - q, p * 3, -p, p & q, p | q, p ^ q, p < q, int(p), p == 1, not p


@case(TYPES, (b1([1, 0, 1]), b1([1, 1, 0])), right=[(b1([1, 1, 1]), b1([0, 1, 1]), b1([0, 1, 0]), b1([0, 0, 1]))])
def bits_of_bools(a, b):
    return a | b, a ^ b, ~a, a > b


@case(TYPES, (b1([1, 0, 1]), f64([0.5, 2, -3])))
def bools_times_numbers(m, a):
    return m * a, (a > 0) * 2, (a > 0) + (a < 1), (a > 0).astype(int) + (a < 1), m * 1.0, a[0] * (a[1] > 0)


@case(page("subtract"), (b1([1, 0]), b1([1, 1])), refused="numpy-op-type")
def difference_of_bools_is_no_operation(a, b):
    return a - b


@case(TYPES, f64([1, -2, 3]))
def comparisons_of_elements_count(a):
    n = 0
    for x in a:
        n += x > 0
        n += int(x < 0) * 10
    return n, (a[0] > 0) + 1, True + (a[1] > 0)


@case(SCALARS, (f64([7.5]), i64([7]), i8([7])))
def elements_are_numpy_scalars(a, i, b):
    return a[0] / 2, i[0] / 2, b[0] * 100, i[0] // 2, b[0] + 1.5, a[0] // 0.0, i[0] ** 2, b[0] / b[0]


@case(SCALARS, (i32([2**31 - 1]), 1))
def element_of_int32_wraps_with_a_python_int(a, k):
    return a[0] + k, a[0] * 2, int(a[0]) + k, a[0] + np.int64(k)


@case(page("ndarray.item"), (i32([2**31 - 1]), f32([0.1])))
def item_gives_a_python_number(a, b):
    return a.item() + 1, b.item() * 3, float(b[0]) + 0.1, b[0] * 3


@case(SCALARS, (np.float32(0.1), 3), (np.float32(16777216.0), 1))
def float32_scalars_stay(x, k):
    return x * k, x + k, x * 0.1, x + np.float32(1), x * np.float64(1), x + True


@case(SCALARS, (np.int8(-128), np.uint8(255)))
def small_scalars_wrap(x, y):
    return -x, abs(x), x - 1, y + 1, y * y, x + y, ~x, y << 1, -y, x // 3, x % 3


@case(SCALARS, (np.float64(2.5), np.float64(-0.5)))
def numpy_floats_as_python_floats(x, y):
    return x // y, x % y, round(x), int(x), abs(y), math.floor(y), x**2, divmod(x, y)[0]


@case(SCALARS, (3, np.int64(4)), (3, np.float32(0.5)), (2.5, np.int8(2)))
def python_number_with_numpy_scalar(p, x):
    return p + x, p * x, x - p, x / p


@case(page("zeros"), right=[(0.0, 0, 0.0)])
def zero_dimensional_zeros():
    a = np.zeros(())
    b = np.zeros((), np.int64)
    return a + 0, b[()], a[...] * 1


@case(page("array"), 2.5, -0.0)
def zero_dimensional_stores(x):
    a = np.array(x)
    a[...] = a * 2
    a += 1
    b = np.array(3)
    b[()] = 7
    return a + 0, a[()], b * 2, a.ndim, a.shape == ()


@case(SCALARS, f64([1, 2, 4]))
def reductions_give_scalars(a):
    s = a.sum()
    t = s
    t += 1
    return s, t, a.sum() / 0.0, np.float32(s) * 0.1


@case(page("empty"), f64([]), i64([]))
def loops_over_nothing(a):
    s = 0
    for x in a:
        s += 1
    b = a * 2
    b[:] = 5
    a[1:] = a[:-1]
    return s, b, a[::-1], len(a), a.size, np.concatenate((a, a))


@case(page("matmul"), (np.zeros((2, 0)), np.zeros((0, 3))), (np.zeros((0, 2)), np.zeros((2, 3))))
def products_over_nothing_are_zero(a, b):
    return a @ b, np.dot(a, b), a.sum(axis=1), b.sum(axis=0)


@case(BROADCASTING, (np.zeros((0, 3)), f64([1, 2, 3])), (f64([[1, 2, 3]]), f64([1, 2, 3])), (f64([[1], [2]]), f64([1, 2, 3])))
def broadcasting_with_empty_and_one(a, b):
    return a + b, a * b[None, :], (a - b).sum(), np.maximum(a, b)


@case(page("arange"), 0, 1, 7)
def ranges_of_arrays(n):
    return np.arange(n), np.arange(2, n), np.arange(n, 0, -2), np.arange(n)[::-1] * 2, np.sum(np.arange(n))


@case(page("arange"), (0.0, 1.0, 0.1), (1.0, 0.0, -0.25), (0.0, 0.95, 0.3), refused="numpy-unsupported")
def ranges_of_floats(x, y, z):
    return np.arange(x, y, z)


@case(page("linspace"), (0.0, 1.0), (1.0, -2.0), (0.1, 0.1))
def linspace_ends_at_its_end(x, y):
    return np.linspace(x, y, 7), np.linspace(x, y, 4, endpoint=False), np.linspace(x, y, 1)


@case(BUILTINS + "#len", np.zeros((3, 0)), np.zeros((2, 5)))
def sizes_of_arrays(a):
    return len(a), a.shape[0] * 10 + a.shape[1], a.size, a.ndim, a.T.shape[0], a.reshape(-1).shape[0]


@case(BUILTINS + "#pow", (2, 10), (3, 4), (7, 0))
def python_pow_of_a_run_time_exponent(p, q):
    return p**q


@case(NUMBERS, (2.0, 3), (2.0, -3), (-2.0, 3), (-2.0, -3), (0.5, 0), (0.0, 0))
def python_float_to_an_int(x, k):
    return x**k


@case(NUMBERS, (2.0, 0.5), (4.0, -0.5), (0.0, 0.5), (np.inf, -1.0), (1.0, np.nan))
def python_float_to_a_float(x, y):
    return x**y


@case(NUMBERS, 7, -7, 0)
def python_int_methods_of_ints(p):
    return p // 2, -p // 2, p % 5, -p % 5, (p + 1) * (p - 1), p * p - 1, ~p, p << 2, p >> 1, float(p) / 2


@case(NUMBERS, (3, 2.0), (-3, 0.5))
def ints_with_floats(p, x):
    return p + x, p * x, p / x, p - x, p // x, p % x, p**2 * x, p == x, p > x


@case(MATH, (2.25, 3), (0.25, -3))
def math_functions_of_exact_values(x, p):
    return math.sqrt(x), math.fabs(p), math.floor(x), math.ceil(-x), math.copysign(x, p), math.fmod(x, 0.5), math.isnan(x)


@case(EXPRESSIONS + "#boolean-operations", f64([3, 1, 2]), f64([3, 4, 5]), f64([-1, 4, 5]))
def and_of_numpy_bools_is_a_numpy_bool(a):
    p = a[0] > 1 and a[1] > 1
    q = a[0] > 1 or a[2] > 1
    r = a[0] > 1 and not a[1] > 1
    return p + q, p * q, (p and q) + True, int(p) + int(q), (p or q) + (a > 1), r
