"""Floor division, remainders and true division: signs, zeros, infinities, the ends of the integers."""

from case import *

PAIRS = [(i64([-7, 7, -7, 7, -8, 8, 0, -1]), i64([4, -4, -4, 4, 4, -4, -3, 5]))]
PAIRS += [(a.astype(t), b.astype(t)) for t in (np.int8, np.int16, np.int32, np.float32, np.float64) for a, b in PAIRS]


@case(page("remainder"), *PAIRS, fault="B3")
def remainder_has_the_sign_of_the_divisor(a, b):
    return a % b, np.mod(a, b), np.remainder(a, b)


@case(page("remainder"), (i64([-2]), 4), (i64([7]), -3), right=[[2], [-2]], fault="B3")
def remainder_by_a_python_int(a, k):
    return a % k


@case(page("floor_divide"), *PAIRS, fault="B4")
def floor_division_rounds_down(a, b):
    return a // b, np.floor_divide(a, b)


@case(page("floor_divide"), (i64([-2, -135]), i64([4, 360])), (i32([299999, 7]), i32([100000, -2])), right=[[-1, -1], [2, -4]], fault="B4")
def floor_division_of_negatives_by_larger(a, b):
    return a // b


@case(page("fmod"), *PAIRS, fault="B6")
def fmod_has_the_sign_of_the_dividend(a, b):
    return np.fmod(a, b)


@case(page("fmod"), (i64([-4]), i64([10])), (f64([-4.0]), f64([10.0])), right=[[-4], [-4.0]], fault="B6")
def fmod_of_a_small_negative(a, b):
    return np.fmod(a, b)


@case(page("floor_divide"), *[(np.array([5, 0, 100], t), np.zeros(3, t)) for t in INTEGERS], right=[([0] * 3, [0] * 3)] * 8)
def integer_division_of_arrays_by_zero_gives_zero(a, b):
    return a // b, a % b


@case(page("floor_divide"), *[np.array([np.iinfo(t).min, np.iinfo(t).max, 7], t) for t in SIGNED], fault="B5")
def least_integer_by_minus_one_wraps(a):
    return a // -1, a % -1, -a, np.fmod(a, -1)


@case(page("floor_divide"), *[(np.array([np.iinfo(t).min] * 2, t), np.array([-1, 0], t)) for t in SIGNED])
def least_integer_by_minus_one_in_an_array(a, b):
    return a // b, a % b


@case(page("divmod"), *PAIRS)
def divmod_gives_both(a, b):
    q, r = np.divmod(a, b)
    s, t = divmod(a, b)
    return q, r, s, t


ODD = f64([5.5, -5.5, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, 5e-324])


@case(page("remainder"), *[(ODD.astype(t), x) for t in FLOATS for x in (3.0, -3.0, np.inf, -np.inf, 0.0, -0.0, np.nan)])
def float_remainder_of_odd_values(a, x):
    return a % x, np.fmod(a, x)


@case(page("floor_divide"), *[(ODD, x) for x in (3.0, -3.0, np.inf, -np.inf, 0.0, -0.0, 0.1)])
def float_floor_division_of_odd_values(a, x):
    return a // x


@case(page("floor_divide"), (f64([1.0, 0.3, -1.0]), 0.1), (f32([1.0, 0.3, -1.0]), 0.1))
def float_floor_division_is_of_the_exact_quotient(a, x):
    return a // x, a % x


@case(page("divide"), (f64([1, -1, 0, np.nan, np.inf]), f64([0.0, 0.0, 0.0, 0.0, -0.0])), (f64([1, -1, 0, 2, 3]), f64([-0.0] * 5)))
def float_division_by_zero_gives_infinities(a, b):
    return a / b


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7, 3), (-7, 3), (0, 5), (2**31, 3), (-(2**31), 7))
def python_ints_divided(p, q):
    return p // q, p % q


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7, -3), (-7, -3), (0, -5), (6, -3), right=[(-3, -2), (2, -1), (0, 0), (-2, 0)], fault="B3", declines=True)
def python_ints_divided_by_a_negative(p, q):
    return p // q, p % q


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7, 2), (-7, 2), (1, 3), (2, -3), (0, 5))
def python_ints_truly_divided(p, q):
    return p / q


@case(NUMBERS, right=[(3002399751580331.0, 658812288346769700.0, -1.0)])
def python_true_division_rounds_the_exact_quotient():
    return 9007199254740993 / 3, (2**62 + 1) / 7, (-(2**62) - 1) / (2**62 + 1)


@case(NUMBERS, i64([2**53 + 1, 3]), i64([2**62 + 1, 7]), i64([5, 2**53 + 1]), declines=True)
def true_division_of_ints_beyond_a_double(a):
    return int(a[0]) / int(a[1])


@case(page("true_divide"), (i64([2**53 + 1, 2**62 + 1]), 3), right=[[2.0**53 / 3, 2.0**62 / 3]])
def array_true_division_rounds_its_operands_first(a, k):
    return a / k


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, np.inf), (1.0, 0.1), (0.0, -3.0))
def python_floats_divided(x, y):
    return x // y, x % y


@case(EXPRESSIONS + "#binary-arithmetic-operations", (1.5, 0.0), (0.0, -0.0), right=["ZeroDivisionError"] * 2)
def python_float_by_zero_raises(x, y):
    return x / y


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7, 0), (0, 0), right=["ZeroDivisionError"] * 2)
def python_int_by_zero_raises(p, q):
    return p // q


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7, 0), (0, 0), right=["ZeroDivisionError"] * 2)
def python_int_remainder_by_zero_raises(p, q):
    return p % q


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7, 0), right=["ZeroDivisionError"])
def python_int_truly_by_zero_raises(p, q):
    return p / q


@case(EXPRESSIONS + "#binary-arithmetic-operations", (7.0, 0.0), (7.0, -0.0), right=["ZeroDivisionError"] * 2)
def python_float_remainder_by_zero_raises(x, y):
    return x % y


@case(SCALARS, (np.float64(1), np.float64(0)), (np.float64(-1), np.float64(0)), (np.float64(0), np.float64(0)), right=[np.inf, -np.inf, np.nan])
def numpy_float_by_zero_does_not_raise(x, y):
    return x / y


@case(SCALARS, (np.int64(5), np.int64(0)), (np.int64(-7), np.int64(-2)), declines=True)
def numpy_int64s_divided(x, y):
    return x // y, x % y, x / y


@case(SCALARS, (np.int8(-128), np.int8(-1)), (np.uint8(7), np.uint8(0)), (np.int64(-7), np.int64(2)), (np.int32(7), np.int32(-2)))
def numpy_ints_divided(x, y):
    return x // y, x % y, x / y


@case(SCALARS, (f64([1.0, 0.0]), 0), (f64([0.0, 2.0]), 1))
def elements_divide_as_numpy_does(a, i):
    return a[0] / a[i], a[1] / a[0]


@case(page("floor_divide"), (u64([2**64 - 1, 2**63, 10]), u64([2, 3, 7])), (u8([255, 200, 10]), u8([2, 3, 7])), (u32([2**32 - 1, 5, 6]), u32([2, 3, 7])))
def unsigned_division(a, b):
    return a // b, a % b


@case(page("floor_divide"), (i64([7, -7, 0]), 2.0), (i64([2**53 + 1, -1, 0]), -0.5), (u8([7, 8, 9]), 2.5))
def integers_floor_divided_by_floats(a, x):
    return a // x, a % x


@case(page("reciprocal"), (f64([0.0, -0.0, np.inf, 3.0, 49.0]),), (f32([0.0, -0.0, np.inf, 3.0, 49.0]),))
def division_is_no_product_with_the_reciprocal(a):
    return a / 49.0, 1.0 / a, np.reciprocal(a)


@case(page("floor_divide"), (i64([-7, 7]), i64([2, -2])))
def augmented_division(a, b):
    a //= b
    c = a.copy()
    a %= 3
    return a, c


@case(page("gcd"), 12, -12, 0)
def remainders_by_hand(p):
    a, b = p, 18
    while b != 0:
        a, b = b, a % b
    return a


@case(EXPRESSIONS + "#value-comparisons", i64([2**53 + 1]), i64([2**53]), i64([7]), declines=True)
def python_int_beyond_a_double_beside_a_float(a):
    p = int(a[0])
    return p == 9007199254740992.0, p > 9007199254740992.0, p < 9007199254740993


@case(EXPRESSIONS + "#value-comparisons", right=[(False, True, True)])
def literal_ints_are_compared_with_floats_exactly():
    return 9007199254740993 == 9007199254740992.0, 9007199254740993 > 9007199254740992.0, 9007199254740992 == 9007199254740992.0


@case(EXPRESSIONS + "#value-comparisons", (3, 3.0), (-3, -2.5), (0, -0.0), (5, np.inf), (5, np.nan))
def python_ints_are_compared_with_floats(p, x):
    return p < x, p == x, p >= x, x > p, x != p
