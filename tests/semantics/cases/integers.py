"""Integers: wrapping at every step, unsigned arithmetic, shifts, bits, powers, Python ints beside NumPy's."""

from case import *

ENDS = [np.array([np.iinfo(t).min, np.iinfo(t).max, 1, 2, 77], t) for t in INTEGERS]


@case(TYPES + "#overflow-errors", *[(a, a[::-1].copy()) for a in ENDS])
def arithmetic_wraps(a, b):
    return a + b, a - b, a * b, a + 1, a - 1, a * 3


@case(TYPES + "#overflow-errors", *ENDS)
def negation_and_absolute_value_wrap(a):
    return -a, np.abs(a), np.square(a), np.negative(a)


@case(TYPES + "#overflow-errors", (i8([3, 3]), i8([100, 100]), i8([50, -50])), right=[i8([-62, -106])], fault="B8")
def int8_wraps_at_each_step(c, x, y):
    return c * (x + y)


@case(TYPES + "#overflow-errors", (np.int8(3), np.int8(100), np.int8(50)), right=[np.int8(-62)], fault="B8")
def int8_scalars_wrap_at_each_step(c, x, y):
    return c * (x + y)


@case(TYPES + "#overflow-errors", (u8([200]), u8([200])), right=[u8([144])], fault="B8")
def uint8_sum_wraps(a, b):
    return a + b


@case(TYPES + "#overflow-errors", (u16([50000, 3]), u16([50000, 65535])), (u8([200, 255]), u8([200, 255])))
def product_of_small_unsigned_wraps(a, b):
    return a * b


@case(TYPES, (u64([1700000000000000000, 5000]), u64([1700000000000000000, 0])), right=[[False, True]], fault="B10")
def uint64_is_compared_as_itself(a, b):
    return a >= b + 5000


@case(TYPES, u64([11400714819323198485, 12345678901234567, 7]), fault="B10")
def uint64_remainder_is_unsigned(v):
    return (v[0] * v[1] + v[2]) % np.uint64(515024571323837), (v * v[::-1]) % 515024571323837


@case(TYPES, u64([2**64 - 1, 2**63, 0, 1]))
def uint64_beyond_int64(a):
    return a + 1, a - 1, a // 2, a > 5, a.astype(np.float64), a >> 1, a % 10


@case(page("left_shift"), (u8([255, 1, 128]), 1), (np.full(3, 255, np.uint8), 7), (i8([127, -1, 64]), 1), right=[u8([254, 2, 0]), u8([128] * 3), i8([-2, -2, -128])], fault="B7")
def shift_keeps_the_width(a, n):
    return np.left_shift(a, n)


@case(page("left_shift"), (i64([1000]), i64([64])), (i64([1000]), i64([65])), (i32([1000]), i32([32])), (u8([255]), u8([8])), right=[[0]] * 4, fault="B7")
def shift_by_the_width_gives_zero(a, n):
    return a << n


@case(page("right_shift"), *[(np.array([np.iinfo(t).min, np.iinfo(t).max, 5], t), np.array([1, np.iinfo(t).bits, 200 % 128], t)) for t in INTEGERS])
def right_shift_of_ends(a, n):
    return a >> n


@case(page("right_shift"), (i64([-1, -8, 7]), 1), (i8([-128, -1, 127]), 6), right=[[-1, -4, 3], [-2, -1, 1]])
def right_shift_keeps_the_sign(a, n):
    return a >> n


@case(page("left_shift"), (i64([1, -3]), i64([62, 63])), (i8([1, -3]), i8([6, 7])), (u32([1, 3]), u32([31, 31])))
def left_shift_into_the_sign(a, n):
    return a << n


@case(EXPRESSIONS + "#shifting-operations", (5, 3), (-5, 1), (0, 60), (1, 62))
def python_shifts(p, n):
    return p << n, p >> n


@case(EXPRESSIONS + "#shifting-operations", (1, -1), right=["ValueError"])
def python_shift_by_a_negative_raises(p, n):
    return p << n


@case(EXPRESSIONS + "#shifting-operations", (-5, 64), (5, 100), (-1, 1000), right=[-1, 0, -1])
def python_right_shift_beyond_the_width(p, n):
    return p >> n


@case(EXPRESSIONS + "#binary-bitwise-operations", (6, 3), (-6, 3), (-1, -(2**31)))
def python_bits(p, q):
    return p & q, p | q, p ^ q, ~p


@case(page("invert"), *ENDS, b1([True, False]))
def inversion(a):
    return ~a


@case(page("bitwise_xor"), *[(a, a[::-1].copy()) for a in ENDS], (b1([True, False]), b1([True, True])))
def bits_of_two_arrays(a, b):
    return a & b, a | b, a ^ b


@case(page("bitwise_and"), (i64([-1, 255, 256]), 255), (u8([255, 15, 16]), 15), (i32([-1, 7, 8]), 7))
def masks_by_a_python_int(a, k):
    return a & k, a | k, (a ^ k) >> 1


@case(page("power"), (i64([3, -3, 2]), i64([39, 41, 64])), (i32([3, 10, 2]), i32([20, 10, 31])), (u8([3, 2, 255]), u8([6, 8, 2])))
def integer_power_wraps(a, b):
    return a**b


@case(page("power"), (i64([2, 0, -1]), 0), (i64([2, 0, -1]), 1), (i64([2, 0, -1]), 2), (i64([2, 3, -1]), 3), (i8([2, 3, -1]), 7))
def integer_power_by_a_python_int(a, k):
    return a**k


@case(page("power"), (i64([2, 1]), i64([-2, 0])), (i64([1, 1]), i64([-1, 0])), right=["ValueError"] * 2, fault="B11")
def integer_to_a_negative_power_raises(a, b):
    return a**b


@case(page("power"), (i64([2, 4]), -2), (i32([1, 4]), -1), right=["ValueError"] * 2, fault="B11")
def integers_to_a_negative_python_power_raise(a, k):
    return a**k


@case(page("power"), (np.int8(2), np.int8(64)), (np.int8(-2), np.int8(7)), (np.int64(10), np.int64(19)), fault="B11")
def numpy_int_power_wraps(x, y):
    return x**y


@case(NUMBERS, (2, -2), (4, -1), (-2, -3), right=[0.25, 0.25, -0.125], fault="B11")
def python_int_to_a_negative_power_is_float(p, q):
    if q < 0:
        return float(p) ** q
    return 0.0


@case(NUMBERS, right=[(0.25, 8, -0.125)], fault="B11")
def python_powers_of_literals():
    return 2**-2, 2**3, (-2) ** -3


@case(NUMBERS, (3, 4), (-3, 3), (2, 62), (10, 18), (0, 0), (-1, 5))
def python_int_power(p, q):
    r = 1
    for _ in range(q):
        r = r * p
    return r


@case(NUMBERS, i64([2**62, 4]), i64([-(2**62), 5]), i64([2**63 - 1, 2]), declines=True)
def python_ints_do_not_wrap(a):
    return int(a[0]) * int(a[1]) % 7


@case(NUMBERS, (2**31, 2**31), (-(2**31), 2**31), declines=True)
def products_of_python_ints_do_not_wrap(p, q):
    return float(p * q * 1000003)


@case(SCALARS, (i64([2**63 - 1, 1]), 1), (i64([-(2**63), 1]), -1))
def elements_wrap_as_numpy_does(a, k):
    return a[0] + k, a[0] * 2, a[0] - a[1]


@case(SCALARS, (np.int32(2**31 - 1), 1), (np.int16(32767), 1), (np.uint8(255), 1), right=[np.int32(-(2**31)), np.int16(-32768), np.uint8(0)])
def numpy_ints_wrap(x, k):
    return x + k


@case(NUMBERS, 41, 0, 1)
def fibonacci_in_python_ints(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case(TYPES, 41, 100)
def fibonacci_in_an_array_wraps(n):
    a = np.zeros(102, np.int64)
    a[1] = 1
    for i in range(2, n + 2):
        a[i] = a[i - 1] + a[i - 2]
    return a


@case(TYPES, i64([1, 2**40, -5, 2**62]))
def hash_by_wrapping_products(a):
    h = np.zeros(1, np.uint64)
    for i in range(len(a)):
        h = (h ^ a[i].astype(np.uint64)) * np.uint64(1099511628211)
    return h


@case(page("subtract"), (u8([1, 0, 200]), u8([2, 255, 100])), (u64([0, 1, 2]), u64([1, 2, 1])))
def unsigned_difference_wraps(a, b):
    return a - b, (a - b) > 0


@case(page("diff"), u8([5, 3, 250]), i8([-128, 127, -1]), u64([2, 1, 0]))
def differences_of_neighbours_wrap(a):
    return np.diff(a)


@case(page("abs"), -5, 5, 0)
def python_int_functions(p):
    return abs(p), -p, +p, pow(p, 2), int(p > 0) - int(p < 0), divmod(p, 3)[1]


@case(page("sign"), *ENDS)
def sign_of_integers(a):
    return np.sign(a)
