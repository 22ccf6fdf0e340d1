"""Comparisons, NaN, and what orders: max, min, argmax, sort, searchsorted, unique, sign, clip."""

from case import *

ODD = f64([1.5, np.nan, -0.0, 0.0, np.inf, -np.inf, 5e-324, -2.0])
PLAIN = f64([0.5, -0.5, 0.0, -0.0, 3.0])


@case(page("equal"), (ODD, ODD[::-1].copy()), (ODD, ODD), (f32([np.nan, 1, -0.0]), f32([np.nan, 1, 0.0])))
def comparisons_with_nan_are_false(a, b):
    return a < b, a <= b, a == b, a != b, a >= b, a > b


@case(EXPRESSIONS + "#comparisons", (np.nan, 1.0), (1.0, np.nan), (np.nan, np.nan), (0.0, -0.0), (np.inf, np.inf))
def python_comparisons_with_nan(x, y):
    return x < y, x == y, x != y, not x < y, not (x >= y)


@case(page("max"), f64([1, np.nan, 3]), f64([np.nan, 1, 1]), right=[np.nan, np.nan], fault="B19")
def max_of_nan_is_nan(a):
    return np.max(a)


@case(page("min"), ODD, f32([3, np.nan, 1]), f32([2, 1, 1]), f64([-0.5]))
def extremes_of_nan(a):
    return np.min(a), np.max(a), a.min(), a.max()


@case(page("fmax"), (ODD, ODD[::-1].copy()), (f32([np.nan, 1]), f32([2, np.nan])))
def fmax_and_fmin_ignore_nan(a, b):
    return np.fmax(a, b), np.fmin(a, b)


@case(page("maximum"), (f64([1, np.nan, 3, np.nan]), f64([np.nan, 1, 2, np.nan])), (f32([1, np.nan]), f32([np.nan, 1])), fault="B19")
def maximum_propagates_nan(a, b):
    return np.maximum(a, b), np.minimum(a, b)


@case(page("argmax"), f64([1, np.nan, 3]), f64([np.nan, np.nan, 1]), f64([3, 1, np.nan]), right=[1, 0, 2], fault="B18")
def argmax_is_the_first_nan(a):
    return np.argmax(a)


@case(page("argmin"), f64([1, np.nan, 0]), f64([2, 1, 1]), f32([0.0, -0.0]), f64([np.inf, np.inf]), right=[1, 1, 0, 0])
def argmin_is_the_first(a):
    return np.argmin(a)


@case(page("argmax"), f64([-1, -0.0, 5e-324]), f64([-1, 0.0, -0.0]), right=[2, 1], fault="B18")
def argmax_sees_subnormals(a):
    return np.argmax(a)


@case(page("argmax"), f32([-1, -0.0, 1e-45]), right=[2], fault="B18")
def argmax_sees_float32_subnormals(a):
    return np.argmax(a)


@case(page("argmax"), i64([[3, 7, 7], [9, 1, 9]]), b1([[False, True, True], [False, False, False]]), f64([[1, np.nan, np.nan], [2, 2, 1]]))
def argmax_takes_the_first_of_ties(a):
    return np.argmax(a), np.argmax(a, axis=0), np.argmin(a, axis=1), a.T.argmax(axis=1), a.T.argmin()


@case(page("argsort"), f64([2, 1, 2, 1, np.nan, 2, np.nan, 1]), i64([2, 1, 2, 1, 3, 2, 3, 1]), f64([0.0, -0.0, 0.0, -0.0]), fault="B18")
def stable_sort_keeps_ties(a):
    return np.argsort(a, kind="stable")


@case(page("sort"), f64([3, np.nan, 1, np.inf, np.nan, -np.inf]), f32([2, np.nan, -1]), i8([3, -128, 127]), u64([2**63, 1, 2**64 - 1]), b1([1, 0, 1]))
def sort_puts_nan_last(a):
    return np.sort(a), np.sort(a)[::-1]


@case(page("sort"), f64([[3, 1, 2], [9, 7, 8]]), i32([[3, 1, 2], [9, 7, 8]]))
def sort_along_axes(a):
    b = a.copy()
    b.sort(axis=0)
    return np.sort(a), np.sort(a, axis=0), np.sort(a, axis=None), b


@case(page("searchsorted"), (f64([1, 2, np.nan, 4]), 5.0), fault="B25")
def searchsorted_beside_nan(a, x):
    return np.searchsorted(a, x)


@case(page("searchsorted"), (f64([1, 2, 2, 3, np.nan]), f64([0, 2, 2.5, np.nan, 9, np.inf])), (f32([1, np.nan]), f32([np.nan, 5])), (i64([1, 2, 2, 3]), i64([0, 2, 9])), fault="B25")
def searchsorted_of_both_sides(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, side="right")


@case(page("digitize"), (f64([-1, 0, 0.5, 1, 2]), f64([0, 1])))
def digitize_of_both_sides(x, bins):
    return np.digitize(x, bins), np.digitize(x, bins, right=True)


@case(page("unique"), f64([3, 1, 3, 2, 1]), i64([5, 5, 5]), f64([np.nan, 1, np.nan]), f64([0.0, -0.0]))
def unique_sorts_and_counts(a):
    return np.unique(a)


@case(page("sign"), ODD, f32([np.nan, -0.0, -1e-45]), fault="B19")
def sign_of_nan_is_nan(a):
    return np.sign(a)


@case(page("sign"), f64([-0.0, 0.0, np.nan]), right=[[0.0, 0.0, np.nan]], fault="B20")
def sign_of_minus_zero_is_zero(a):
    return np.sign(a)


@case(page("clip"), f64([np.nan, -2, 0.5, 2]), right=[[np.nan, -1, 0.5, 1]], fault="B19")
def clip_keeps_nan(a):
    return np.clip(a, -1, 1)


@case(page("clip"), (f64([1, 5, 9]), 7.0, 3.0), (f64([1, 5, 9]), np.nan, 3.0), (f64([1, 5, 9]), 2.0, np.nan), (i64([1, 5, 9]), 7, 3))
def clip_with_crossed_bounds(a, low, high):
    return np.clip(a, low, high)


@case(BUILTINS + "#max", (1.0, np.nan), (np.nan, 1.0), (0.0, -0.0), (-0.0, 0.0), (np.nan, np.nan))
def python_max_keeps_the_first_unless_the_next_is_greater(x, y):
    return max(x, y), min(x, y)


@case(BUILTINS + "#max", (3, 2.5), (2, 2.0), (-1, 4.0))
def python_max_of_three(p, x):
    return max(p, 1, 2), min(x, 2.0, 0.5), max(x, 2.0, 2.0)


@case(BUILTINS + "#max", f64([3, np.nan, 1]), f64([np.nan, 3, 1]), f64([1, 3, 2]), refused="numpy-unsupported")
def python_max_of_an_array(a):
    return max(a), min(a)


@case(TYPES, (u8([255]), i8([-1])), (u32([2**32 - 1, 5]), i32([-1, 5])), (i64([2**53 + 1]), f64([2.0**53])))
def comparisons_of_different_dtypes(a, b):
    return a < b, a == b, a > b


@case(TYPES, (u64([2**63, 0]), i64([-1, 0])), refused="numpy-op-type")
def comparisons_of_uint64_with_int64_are_exact(a, b):
    return a < b, a == b, a > b


@case(EXPRESSIONS + "#comparisons", (0.5, 1), (0.0, 1), (1.0, 1), (np.nan, 1))
def chained_comparisons(x, k):
    return 0 < x < k, 0 <= x <= k, 0 < x == x <= k


@case(page("any"), ODD, f64([0.0, -0.0]), f64([np.nan]), i8([0, 0]), b1([True]))
def truth_of_nan_is_true(a):
    return np.any(a), np.all(a), np.count_nonzero(a), a.astype(bool), np.logical_not(a)


@case(page("logical_and"), (f64([np.nan, 0.0, -0.0, 2]), f64([1, 1, 1, 0])), (i64([2, 0, 1, 3]), i64([1, 1, 0, 4])))
def logical_functions_take_truths(a, b):
    return np.logical_and(a, b), np.logical_or(a, b), np.logical_xor(a, b)


@case(page("isclose"), (f64([1, np.nan, np.inf, 1e-9]), f64([1 + 1e-9, np.nan, np.inf, 0])))
def isclose_of_odd_values(a, b):
    return np.isclose(a, b), np.allclose(a, b)


@case(page("nanmax"), f64([[1, np.nan], [np.nan, -3]]), f32([[np.nan, 2], [5, np.nan]]))
def nan_functions_leave_nan_out(a):
    return np.nanmax(a), np.nanmin(a), np.nanmax(a, axis=0), np.nansum(a, axis=1)


@case(page("array_equal"), (f64([1, 2]), f64([1, 2])), (f64([1, np.nan]), f64([1, np.nan])), (f64([0.0, 2]), f64([-0.0, 2])))
def array_equal_of_nan_is_false(a, b):
    return np.array_equal(a, b), np.all(a == b)


@case(page("median"), f64([3, 1, 2, 4]), f64([3, 1, 2]), f64([3, np.nan, 2]), i64([1, 2]))
def median_of_nan_is_nan(a):
    return np.median(a)


@case(page("percentile"), f64([0, 1, 2, 3, 4]), f64([4, 0, 3, 1, 2]))
def percentiles_interpolate(a):
    return np.percentile(a, 50), np.percentile(a, 25), np.quantile(a, 1.0), np.percentile(a, 0)


@case(page("histogram"), (f64([1.0]), 1), right=[(i64([1]), f64([0.5, 1.5]))], fault="B25")
def histogram_of_one_value(a, bins):
    return np.histogram(a, bins=1)


@case(page("histogram"), f64([0, 0.5, 1, 1, 2, -1, 3]), fault="B25")
def histogram_counts_the_last_edge(a):
    counts, edges = np.histogram(a, bins=4, range=(0.0, 2.0))
    return counts, edges


@case(page("bincount"), i64([0, 3, 3, 1]), i32([5]), refused="numpy-return-kind")
def bincount_counts(a):
    return np.bincount(a, minlength=6)


@case(page("maximum"), (PLAIN, -PLAIN), (f32([-0.0, 0.0]), f32([0.0, -0.0])))
def where_chooses_zeros_by_comparison(a, b):
    return np.where(a > b, a, b), np.where(a < b, a, b)


@case(page("lexsort"), (i64([1, 1, 0, 0]), f64([2, 1, 2, 1])))
def argsort_twice_sorts_by_two_keys(a, b):
    first = np.argsort(b, kind="stable")
    return first[np.argsort(a[first], kind="stable")]


@case(page("isin"), (i64([1, 2, 3, 2]), i64([2, 5])))
def membership_in_an_array(a, b):
    return np.isin(a, b)


@case(page("interp"), (f64([-1, 0, 0.25, 1, 2, 5]), f64([0, 1, 2]), f64([10, 20, 0])))
def interp_is_constant_outside(x, xp, fp):
    return np.interp(x, xp, fp)


@case(page("flatnonzero"), f64([0.0, np.nan, -0.0, 3]), i8([0, -1, 0, 2]))
def nonzero_positions(a):
    return np.flatnonzero(a), np.nonzero(a)[0], np.argwhere(a > 0)


@case(BUILTINS + "#max", (u64([5, 6]), -1), (u64([5, 6]), 3), declines=True)
def python_int_beside_a_uint64_in_max(a, k):
    return min(k, a[0]) + a[1], max(a[1], k) + a[0]


@case(BUILTINS + "#max", (u8([7, 9]), -2), (i8([7, -9]), 300), refused="numpy-join-precision")
def python_int_beside_a_smaller_numpy_int_in_max(a, k):
    return min(k, a[0]) + a[1], max(a[1], k) + a[0]


@case(BUILTINS + "#max", u8([7, 9]), i32([7, -9]), i64([7, -9]), u64([7, 200]))
def literal_beside_a_numpy_int_in_max(a):
    return max(0, a[0]) + a[1], min(a[1], 100) + a[0], a[max(0, int(a[0]) - 6)], max(int(a[0]), 2)
