"""Rounding, casts and casts on store."""

from case import *

HALVES = f64([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 4503599627370497.5, np.nan, np.inf, -0.0])


@case(page("round"), f64([0.5, 2.5, -0.5, -1.5]), right=[[0.0, 2.0, -0.0, -2.0]], fault="B22")
def round_is_half_to_even(a):
    return np.round(a)


@case(page("rint"), HALVES, HALVES.astype(np.float32))
def rounding_functions(a):
    return np.rint(a), np.floor(a), np.ceil(a), np.trunc(a), np.round(a), np.fix(a)


@case(page("round"), f64([0.15, 2.675, -1.25, 1234.5678, 1e300]), f32([0.15, 2.675, -1.25]))
def round_to_decimals(a):
    return np.round(a, 1), np.round(a, 2), a.round(3), np.round(a, -2)


@case(page("around"), f64([12345.6789]), right=[[np.inf]], fault="B22")
def round_to_too_many_decimals_is_inf(a):
    return np.around(a, 308)


@case(page("round"), i64([15, 25, 35, -15, -25, 149]), i32([5, 15, -5]), refused="numpy-unsupported")
def integers_round_to_tens(a):
    return np.round(a), np.round(a, -1), np.round(a, 2)


@case(BUILTINS + "#round", 0.5, 1.5, 2.5, -0.5, -2.5, 1e15 + 0.5, 7.0)
def python_round_gives_an_int(x):
    return round(x)


@case(BUILTINS + "#round", 2.675, 0.15, -1.005, 1234.5, refused="numpy-unsupported")
def python_round_to_decimals(x):
    return round(x, 2), round(x, 1), round(x, 0)


@case(BUILTINS + "#int", 2.9, -2.9, 0.0, -0.5, 1e15)
def int_truncates(x):
    return int(x), math.floor(x), math.ceil(x), math.trunc(x)


@case(BUILTINS + "#int", np.nan, np.inf, right=["ValueError", "OverflowError"])
def int_of_no_number_raises(x):
    return int(x)


@case(page("ndarray.astype"), f64([2.9, -2.9, 0.5, -0.5, 100.99]), f32([2.9, -2.9, 0.5, -0.5, 100.99]))
def floats_to_integers_truncate(a):
    return a.astype(np.int64), a.astype(np.int32), a.astype(np.int8), a.astype(int)


@case(page("ndarray.astype"), i64([300, -1, 2**40 + 5, -129]), i32([300, -1, 65536, -129]))
def integers_to_narrower_ones_wrap(a):
    return a.astype(np.int8), a.astype(np.uint8), a.astype(np.int16), a.astype(np.uint32), a.astype(np.uint64)


@case(page("ndarray.astype"), f64([0.0, -0.0, np.nan, 1e-300]), i8([0, 1, -1, 0]), c128([0, 1j, 1, 0]))
def casts_to_bool_are_nonzero(a):
    return a.astype(bool), a != 0


@case(page("ndarray.astype"), f64([0.1, 1e300, -1e-50, 1e-45, 16777217, np.nan, -0.0]))
def float64_to_float32_rounds(a):
    return a.astype(np.float32), a.astype(np.float32).astype(np.float64)


@case(page("ndarray.astype"), i64([2**53 + 1, 2**62 + 1, -(2**63), 16777217]), u64([2**64 - 1, 2**63 + 1025, 1, 0]))
def integers_to_floats_round(a):
    return a.astype(np.float64), a.astype(np.float32)


@case(page("ndarray.astype"), b1([True, False]))
def bools_to_numbers(a):
    return a.astype(np.int8), a.astype(np.float32), a.astype(np.uint64), a.astype(np.complex64)


@case(page("ndarray.astype"), c128([1.5 - 2j, np.nan + 1j]))
def complex_to_narrower_complex(a):
    return a.astype(np.complex64), a.real, a.imag


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(3, np.int64), f64([1.9, -1.9, 0.5])), (np.zeros(3, np.int8), f64([1.9, -1.9, 0.5])), right=[[1, -1, 0]] * 2)
def stores_of_floats_into_integers_truncate(a, b):
    a[:] = b
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(3, np.float32), f64([0.1, 1e300, 16777217])), (np.zeros(3, np.uint8), i64([256, -1, 300])), (np.zeros(3, bool), f64([0.5, 0.0, np.nan])))
def stores_cast(a, b):
    a[:] = b
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(3, np.int64), 2.7), (np.zeros(3, np.int64), -2.7), (np.zeros(3, np.float32), 0.1), (np.zeros(3, np.uint8), 255.9))
def stores_of_a_python_float(a, x):
    a[0] = x
    a[1:] = x
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(2, np.uint8), -1), (np.zeros(2, np.int8), 128), (np.zeros(2, np.uint8), 256), right=["OverflowError"] * 3)
def stores_of_a_python_int_out_of_range_raise(a, k):
    a[0] = k
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(2, np.int64), np.nan), (np.zeros(2, np.int64), np.inf), right=["ValueError", "OverflowError"])
def stores_of_a_python_nan_into_integers_raise(a, x):
    a[0] = x
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(2, np.int8), np.int64(200)), (np.zeros(2, np.uint8), np.int32(-1)), (np.zeros(2, np.int16), np.float64(3.9)))
def stores_of_a_numpy_scalar_cast(a, x):
    a[0] = x
    a[1:] = x
    return a


@case(page("ndarray.fill"), (np.zeros(3, np.float32), 0.1), (np.zeros(3, np.int32), 2.9), (np.zeros(3, bool), 2))
def fill_casts(a, x):
    a.fill(x)
    return a


@case(page("array"), (1.7, 2), (-0.0, 0))
def arrays_of_numbers_cast(x, k):
    return np.array([x, k]), np.array([x, k], dtype=np.int32), np.array([k, k], dtype=np.float32), np.float32(x), np.int8(k)


@case(BUILTINS + "#float", (3, True), (-7, False), (2**31, True))
def python_conversions(p, flag):
    return float(p), int(flag), bool(p), float(flag), complex(p), int(p > 2)


@case(page("floor"), i64([3, -3]), i8([3, -3]), u64([3, 2**64 - 1]))
def rounding_functions_keep_integers(a):
    return np.floor(a), np.ceil(a), np.trunc(a)


@case(page("floor"), f64([2.5, -2.5, 1e300]))
def floor_of_an_element_is_a_float(a):
    return np.floor(a[0]), np.floor(a[1]) * 2, np.round(a[0]), np.ceil(a[2])


@case(page("modf"), f64([2.5, -2.5, -0.0, np.inf]))
def fraction_by_hand(a):
    return a - np.trunc(a), a - np.floor(a), np.floor(a + 0.5)


@case(page("full"), (300,), (-1,), right=["OverflowError"] * 2)
def full_of_a_python_int_out_of_range_raises(k):
    return np.full(3, k, dtype=np.uint8)


@case(page("ndarray.astype"), (i64([1, 2]), f32([0.5, 0.25])))
def astype_makes_a_copy(a, b):
    c = a.astype(np.int64)
    c[0] = 9
    d = b.astype(np.float32)
    d += 1
    return a, b, c, d
