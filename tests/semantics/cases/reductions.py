"""Reductions and scans: the dtype they accumulate in, axes, empty ones, the order of explicit loops."""

from case import *

SUM = page("sum")
SMALL = [np.array([100, 27, 100], t) for t in INTEGERS] + [b1([True, True, False])]


@case(SUM, *SMALL, *[np.array([0.1, 3], t) for t in FLOATS], fault="B13")
def sums_of_small_integers_widen(a):
    return np.sum(a), a.sum(), np.prod(a), np.add.reduce(a)


@case(SUM, i8([100] * 3), u8([200] * 3), i32([2**31 - 1] * 2), right=[300, np.uint64(600), 2**32 - 2], fault="B13")
def sum_does_not_wrap_in_the_small_dtype(a):
    return np.sum(a)


@case(SUM, f64([[1, -1, 2], [-1, -1, 0]]), right=[[2, 0]], fault="B13")
def sum_of_comparisons_counts(a):
    return np.sum(a > 0, axis=1)


@case(SUM, i64([2**63 - 1, 1, 5]), u64([2**64 - 1, 2]))
def sum_of_int64_wraps(a):
    return np.sum(a), np.prod(a)


@case(SUM, u8([200] * 3), i64([300, 300]), f64([0.1, 0.2]))
def sum_with_a_dtype(a):
    return np.sum(a, dtype=np.uint8), a.sum(dtype=np.float32), np.sum(a, dtype=np.int64)


@case(page("cumsum"), u8([200] * 3), right=[u64([200, 400, 600])], fault="B15")
def cumsum_widens(a):
    return np.cumsum(a)


@case(page("cumsum"), *SMALL, f32([0.1, 0.2, 3]), fault="B15")
def scans_widen_like_sums(a):
    return np.cumsum(a), np.cumprod(a), a.cumsum(dtype=np.int16), np.cumprod(a, dtype=np.float64)


@case(page("cumsum"), i64(range(6)).reshape(2, 3), f64([[1, np.nan], [2, 3]]), f64([[]]))
def scans_along_axes(a):
    return np.cumsum(a), np.cumsum(a, axis=0), np.cumsum(a, axis=-1), np.cumprod(a, axis=0)


@case(page("ufunc.accumulate"), f64([1, 3, np.nan, 2, 5]), f64([2, -1, 4]), i8([5, -128, 127]))
def running_extremes(a):
    return np.maximum.accumulate(a), np.minimum.accumulate(a)


@case(page("ufunc.accumulate"), i8([100, 100, 100]), u8([255, 2]))
def add_accumulate_of_small_integers(a):
    return np.add.accumulate(a), np.multiply.accumulate(a)


@case(page("mean"), i8([127, 127, 127]), u8([255, 254]), b1([True, False]), i64([2**53, 2, 2]), f64([1, 2, 4]))
def means_of_integers_are_float64(a):
    return np.mean(a), a.mean()


@case(page("mean"), f32([0.5, 0.25, 8]), f32([1, 3]))
def means_of_float32_stay(a):
    return np.mean(a), np.mean(a, dtype=np.float64)


@case(page("var"), f64([1, 2, 4, 9]), i64([1, 2, 4, 9]), f64([3, 3]))
def variance_and_deviation(a):
    return np.var(a), np.var(a, ddof=1), np.std(a)


@case(page("var"), f64([3.0]), right=[(np.nan, 0.0)])
def variance_of_too_few_is_nan(a):
    return np.var(a, ddof=1), np.var(a)


@case(page("dot"), (i8([100, 100]), i8([100, 2])), (u8([200, 200]), u8([2, 3])), (i32([2**30, 4]), i32([4, 5])))
def products_of_small_integers_wrap(a, b):
    return np.dot(a, b), a @ b, np.inner(a, b), np.vdot(a, b)


@case(page("matmul"), (i8([[100, 100], [1, 2]]), i8([[2, 1], [3, 4]])), (b1([[1, 0], [1, 1]]), b1([[0, 1], [1, 1]])), (i64([[1, 2]]), i64([[3], [4]])))
def matrix_products_of_integers(a, b):
    return a @ b, np.matmul(a, b)


@case(page("outer"), (i8([100, -128]), i8([2, -1])), (f32([0.1]), f64([0.1, 3])))
def outer_products(a, b):
    return np.outer(a, b), np.multiply.outer(a, b)


@case(page("trace"), i8([[100, 1], [2, 100]]), b1([[1, 0], [0, 1]]), f32([[0.5, 1], [2, 0.25]]))
def traces_widen(a):
    return np.trace(a), a.trace()


@case(page("einsum"), (i64([[1, 2], [3, 4]]), i64([[5, 6], [7, 8]])))
def einsum_of_integers(a, b):
    return np.einsum("ij,jk->ik", a, b), np.einsum("ij,ij->", a, b), np.einsum("ii->i", a), np.einsum("ij->j", a)


@case(SUM, f64([]), i8([]), b1([]))
def reductions_of_nothing(a):
    return np.sum(a), np.prod(a), np.any(a), np.all(a), np.cumsum(a), np.count_nonzero(a)


@case(page("mean"), f64([]), right=[(np.nan, np.nan)])
def mean_of_nothing_is_nan(a):
    return np.mean(a), np.var(a)


@case(page("max"), f64([]), i64([]), right=["ValueError"] * 2)
def max_of_nothing_raises(a):
    return np.max(a)


@case(page("argmin"), f64([]), right=["ValueError"])
def argmin_of_nothing_raises(a):
    return np.argmin(a)


@case(SUM, np.zeros((0, 3)), np.zeros((0, 3), np.int8))
def reductions_along_an_empty_axis(a):
    return np.sum(a, axis=0), np.prod(a, axis=0), np.sum(a, axis=1), np.all(a, axis=0), a.max(axis=1)


@case(page("max"), np.zeros((0, 3)), right=["ValueError"])
def max_along_an_empty_axis_raises(a):
    return np.max(a, axis=0)


@case(SUM, i64(range(24)).reshape(2, 3, 4), i8(range(24)).reshape(2, 3, 4))
def reductions_along_axes(a):
    return a.sum(axis=-1), a.sum(axis=(0, 2)), a.max(axis=1), a.sum(axis=1, keepdims=True), a.min(axis=(0, 1), keepdims=True), np.any(a > 20, axis=(1, 2))


@case(page("ufunc.reduce"), i64([[1, 5], [7, 2]]), i8([[100, 100], [-1, 3]]))
def ufunc_reductions(a):
    return np.add.reduce(a), np.multiply.reduce(a, axis=1), np.maximum.reduce(a), np.minimum.reduce(a, axis=1)


@case(SUM, f32([1e8, 1, -1e8, 0.5]), f64([1e16, 1, -1e16, 0.5, 1.0]))
def explicit_sum_is_sequential(a):
    s = np.zeros(1, a.dtype)
    for i in range(len(a)):
        s[0] += a[i]
    return s


@case(SUM, f64([1e16, 1, -1e16, 0.5, 1.0]), f64([0.1] * 11), f64([np.inf, 1, -np.inf]))
def explicit_sum_of_a_python_float_is_sequential(a):
    s = 0.0
    for x in a:
        s += x
    t = 0.0
    for i in range(len(a) - 1, -1, -1):
        t = t + a[i]
    return s, t


@case(SUM, f32([0.1] * 40))
def explicit_sum_of_float32_rounds_at_each_step(a):
    s = np.float32(0)
    for x in a:
        s = s + x * x
    return s


@case(BUILTINS + "#sum", f32([1e8, 1, -1e8]), i8([100, 27, 1]), f64([1e16, 1, 1]))
def python_sum_is_sequential_in_the_dtype(a):
    return sum(a)


@case(SUM, f32([1.0]), fault="B16", ulps=2)
def sum_of_many_tenths(one):
    a = np.full(20000, 0.1, dtype=one.dtype) * one[0]
    return a.sum(), np.sum(a.reshape(2, 10000), axis=1)


@case(SUM, f32([255.0]), fault="B16", ulps=2)
def sum_of_many_quotients(d):
    return np.sum(np.ones(20000, dtype=np.float32) / d)


@case(page("mean"), f32([0.5]), right=[np.float32(0.5)], fault="B16")
def mean_of_many_halves(x):
    return np.mean(np.full(30000, 1.0, dtype=np.float32) * x[0])


@case(SUM, f32([1e8, 1, 1, 1, 1, 1, 1, 1]), ulps=1)
def sum_of_float32_of_mixed_scale(a):
    return np.sum(a), np.mean(a)


@case(SUM, f64([-0.0, -0.0]), f32([-0.0]))
def sum_of_minus_zeros(a):
    return np.sum(a), np.prod(a), np.max(a)


@case(SUM, f64([np.inf, -np.inf]), f64([np.nan, 1]), f64([1e308, 1e308]), f64([np.inf, 1]))
def sums_of_odd_values(a):
    return np.sum(a), np.mean(a), np.prod(a), np.cumsum(a)


@case(page("average"), (f64([1, 2, 3]), f64([1, 1, 2])), (i64([1, 2, 3]), i64([0, 0, 4])))
def weighted_average(a, w):
    return np.average(a, weights=w)


@case(page("linalg.norm"), f64([3, -4]), f32([3, -4]), f64([0.0, 0.0]), i64([3, 4]))
def norms(a):
    return np.linalg.norm(a), np.linalg.norm(a, 1), np.linalg.norm(a, np.inf)


@case(page("convolve"), (i64([1, 2, 3]), i64([1, -1])), (i8([100, 100]), i8([2, 1])))
def convolution_of_integers(a, b):
    return np.convolve(a, b), np.convolve(a, b, mode="valid")


PARALLEL = PYTHON + "reference/compound_stmts.html#the-for-statement"


@case(PARALLEL, np.ones(1000), right=[1000.0], fault="B28")
def sum_into_one_element(x):
    y = np.zeros(2)
    for i in range(len(x)):
        y[0] += x[i]
    return y[0]


@case(PARALLEL, i64(range(100)), right=[33], fault="B28")
def conditional_count(x):
    c = 0
    for i in range(len(x)):
        if x[i] % 3 == 1:
            c += 1
    return c


@case(page("max"), f64([2.0, 4.0, 8.0]), right=[[0.25, 0.5, 1.0]], fault="B28")
def quotient_by_its_own_max(a):
    return a / a.max()


@case(BROADCASTING, (f64([[2], [3]]), f64(range(12)).reshape(2, 6)), right=[183.0], fault="B28")
def sum_of_a_broadcast_product(a, b):
    return np.sum(a * b)


@case(PARALLEL, (np.zeros((4, 3)), f64([1, 2, 3])), fault="B28")
def broadcast_store_in_a_loop(a, v):
    for i in range(4):
        a[i] = v * i
        a[:, 0] += v[1]
    return a


@case(PARALLEL, f64([1, 2, 3, 4, 5, 6]))
def recurrence_is_sequential(a):
    for i in range(1, len(a)):
        a[i] = a[i - 1] * 0.5 + a[i]
    for i in range(len(a) - 2, -1, -1):
        a[i] -= a[i + 1] / 3
    return a


@case(PARALLEL, (np.zeros(4, np.int64), i64([3, 1, 3, 3, 0])), fault="B28")
def histogram_by_hand(h, a):
    for k in a:
        h[k] += 1
    return h
