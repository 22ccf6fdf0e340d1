"""Slices, negative and run-time indices, boolean masks, integer arrays, ufunc.at."""

from case import *

TEN = f64(range(10))
GRID = i64(range(12)).reshape(3, 4)
SLICES = PYTHON + "reference/expressions.html#slicings"


@case(INDEXING + "#slicing-and-striding", TEN, f64([]), f64([1, 2]))
def slices_clamp(a):
    return a[2:100], a[-100:3], a[100:], a[5:2], a[-3:], a[:-3], a[-2:-1], a[8:-1]


@case(INDEXING + "#slicing-and-striding", TEN, f64([1, 2, 3]))
def slices_with_steps(a):
    return a[::2], a[1::3], a[::-1], a[::-2], a[7:2:-1], a[-1:-100:-3], a[2:7:-1], a[100::-4]


@case(INDEXING + "#slicing-and-striding", (TEN, 2, 5), (TEN, -4, -1), (TEN, -100, 100), (TEN, 7, 3), (TEN, 0, 0), (TEN, 5, -2), (TEN, 10, 11))
def slices_with_run_time_bounds(a, i, j):
    return np.sum(a[i:j]), a[i:].sum(), a[:j].sum(), a[i:j:2].sum()


@case(INDEXING + "#slicing-and-striding", (TEN, 3), (TEN, 0), (TEN, 12))
def last_k_elements_of_none_are_all(a, k):
    return np.sum(a[-k:]), np.sum(a[:-k])


@case(INDEXING + "#slicing-and-striding", TEN, f64([1, 2, 3, 4]))
def windows_run_over_the_end(a):
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = np.sum(a[i : i + 3]) - np.sum(a[i - 1 : i + 1])
    return out


@case(INDEXING + "#slicing-and-striding", (TEN.copy(), 8, 20), (TEN.copy(), -3, 100), (TEN.copy(), 5, 2))
def stores_into_slices_clamp(a, i, j):
    a[i:j] = -1.0
    a[j:] += 10.0
    return a


@case(INDEXING + "#single-element-indexing", (TEN, -1), (TEN, -10), (TEN, 9), fault="B24")
def negative_run_time_index_wraps(a, i):
    return a[i], a[i] * 2


@case(INDEXING + "#single-element-indexing", GRID, fault="B24")
def negative_index_from_a_loop_wraps(q):
    out = np.zeros(3, np.int64)
    for i in range(3):
        out[i] = q[-i - 1, 1] + q[i - 1, -i]
    return out


@case(INDEXING + "#single-element-indexing", (TEN, 10), (TEN, -11), right=["IndexError"] * 2)
def index_out_of_range_raises(a, i):
    return a[i]


@case(INDEXING + "#single-element-indexing", (TEN.copy(), 10), (TEN.copy(), -11), right=["IndexError"] * 2)
def store_out_of_range_raises(a, i):
    a[i] = 1.0
    return a


@case(INDEXING + "#dimensional-indexing-tools", GRID)
def ellipsis_and_newaxis(a):
    return a[..., 0], a[0, ...], a[:, None, 1], a[..., None].shape[2], a[None].sum(), a[1, np.newaxis]


@case(INDEXING, GRID)
def rows_columns_and_blocks(a):
    return a[1], a[:, -1], a[1:, :2], a[-1, -2], a[::2, ::-1], a[(1, 2)], a[-2:, [0]]


@case(INDEXING + "#integer-array-indexing", (TEN, i64([0, -1, 3, 3, -10])), (TEN, i32([2, 2])), (TEN, u8([9, 0])), (TEN, i64([])))
def gathers_with_repeats_and_negatives(a, at):
    return a[at], a.take(at), np.take(a, at)


@case(INDEXING + "#integer-array-indexing", (TEN, i64([3, 13])), (TEN, i64([-11, 0])), right=["IndexError"] * 2, fault="B24")
def gather_out_of_range_raises(a, at):
    return a[at]


@case(page("take"), (TEN, i64([13])), right=["IndexError"], fault="B24")
def take_out_of_range_raises(a, at):
    return a.take(at)


@case(INDEXING + "#integer-array-indexing", (GRID, i64([0, 2, -1]), i64([1, -1, 0])), (GRID, i32([1, 1, 1]), i32([0, 0, 3])))
def gathers_of_two_indices(a, i, j):
    return a[i, j], a[i], a[:, j], a[i, 1], a[i[:, None], j], a[i, :2]


@case(INDEXING + "#combining-advanced-and-basic-indexing", (i64(range(24)).reshape(2, 3, 4), i64([0, 1, 1])))
def advanced_indices_apart_come_first(a, i):
    return a[i, :, i], a[:, i, 1:3], a[0, :, i], a[i, 0]


@case(page("ix_"), (GRID, i64([2, 0]), i64([3, 1, 1])))
def open_mesh(a, i, j):
    return a[np.ix_(i, j)]


@case(page("ix_"), (GRID.copy(), i64([2, 0]), i64([3, 1])))
def open_mesh_store(a, i, j):
    a[np.ix_(i, j)] = 0
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (TEN.copy(), i64([1, 1, 2]), f64([5, 6, 7])), (TEN.copy(), i64([-1, 9, 0]), f64([5, 6, 7])))
def scatter_keeps_the_last_of_repeats(a, at, v):
    a[at] = v
    return a


@case(INDEXING + "#assigning-values-to-indexed-arrays", (np.zeros(2), i64([0, 0])), right=[[1.0, 0.0]], fault="B24")
def fancy_increment_is_buffered(y, at):
    y[at] += 1
    return y


@case(INDEXING + "#assigning-values-to-indexed-arrays", (f64([1, 2, 3]), i64([1, 1, 0])), (f64([1, 2, 3]), i64([2, -1, 2])), fault="B24")
def fancy_increment_by_itself_is_buffered(y, at):
    y[at] += y[at]
    y[at] *= 3
    return y


@case(INDEXING + "#assigning-values-to-indexed-arrays", (f64([1, 2, 3]), i64([1, 1, 0]), f64([10, 20, 30])))
def fancy_increment_takes_the_last_of_repeats(y, at, v):
    y[at] += v
    y[at] -= 0.5 * v
    return y


AT = (f64([1, 2, 3, 4]), i64([1, 1, -1, 1, 0]), f64([2, 4, 8, -0.5, 3]))


@case(page("ufunc.at"), AT, (f64([1, 2]), i64([0, 0]), f64([5, 6])))
def add_at_counts_repeats(y, at, v):
    np.add.at(y, at, v)
    return y


@case(page("ufunc.at"), AT)
def subtract_at_counts_repeats(y, at, v):
    np.subtract.at(y, at, v)
    return y


@case(page("ufunc.at"), AT)
def multiply_at_counts_repeats(y, at, v):
    np.multiply.at(y, at, v)
    return y


@case(page("ufunc.at"), AT)
def divide_at_counts_repeats(y, at, v):
    np.divide.at(y, at, v)
    return y


@case(page("ufunc.at"), (f64([1, 2, 3, 4]), i64([1, 1, -1, 1, 0]), f64([2, np.nan, 8, -0.5, -0.0])))
def maximum_at_keeps_nan(y, at, v):
    np.maximum.at(y, at, v)
    return y


@case(page("ufunc.at"), (f64([1, 2, 3, 4]), i64([1, 1, -1, 1, 0]), f64([2, np.nan, 8, -0.5, -0.0])))
def minimum_at_keeps_nan(y, at, v):
    np.minimum.at(y, at, v)
    return y


@case(page("ufunc.at"), (np.zeros(3, np.uint8), i64([0, 0, 2])), (np.zeros(3, np.int64), i64([1, 1, 1])))
def add_at_of_a_number(y, at):
    np.add.at(y, at, 200)
    return y


@case(page("ufunc.at"), (np.zeros((2, 3)), i64([0, 1, 0]), i64([2, 2, 2])))
def add_at_of_two_indices(y, i, j):
    np.add.at(y, (i, j), 1.5)
    return y


@case(page("ufunc.at"), (np.zeros(3), i64([3])), (np.zeros(3), i64([-4])), right=["IndexError"] * 2)
def add_at_out_of_range_raises(y, at):
    np.add.at(y, at, 1.0)
    return y


MASKS = INDEXING + "#boolean-array-indexing"


@case(MASKS, TEN, f64([-1, -2]), f64([]), f64([np.nan, 5, -0.0]))
def mask_selects(a):
    return a[a > 2], a[~(a > 2)].sum(), a[(a > 1) & (a < 7)]


@case(MASKS, TEN.copy(), f64([np.nan, -1, 5]))
def mask_stores(a):
    a[a < 3] = 0.0
    a[a > 7] += 100.0
    a[a != a] = -1.0
    return a


@case(MASKS, (GRID.copy(), b1([True, False, True])), (GRID.copy(), b1([False] * 3)))
def mask_of_rows(a, rows):
    b = a[rows].sum()
    a[rows] *= 2
    a[rows, 0] = -1
    return a, b


@case(MASKS, (TEN.copy(), f64([1, 2, 3])), right=[[1, 2, 3, 3, 4, 5, 6, 7, 8, 9]])
def mask_stores_an_array_in_order(a, v):
    a[a < 3] = v
    return a


@case(MASKS, (TEN.copy(), f64([1, 2])), right=["ValueError"])
def mask_store_of_a_wrong_length_raises(a, v):
    a[a < 3] = v
    return a


@case(MASKS, (GRID.copy(), GRID % 2 == 0))
def mask_of_two_dimensions(a, m):
    b = a[m]
    a[m] = a[m] * 10
    return a, b


@case(page("where"), TEN.copy(), f64([0.0, -0.0, np.nan, 1]))
def where_against_masks(a):
    b = np.where(a > 0, a, 0.0)
    a[~(a > 0)] = 0.0
    return a, b


@case(page("nonzero"), GRID % 3, GRID * 0)
def nonzero_in_row_order(a):
    i, j = np.nonzero(a)
    return i, j, a[i, j]


@case(page("compress"), TEN, f64([5, 1]))
def compress_by_a_mask(a):
    return np.compress(a > 4, a)


@case(page("put"), (TEN.copy(), i64([0, -1, 0]), f64([5, 6, 7])), refused="numpy-unsupported")
def put_keeps_the_last(a, at, v):
    np.put(a, at, v)
    return a


@case(page("select"), TEN, f64([np.nan, 2.5]))
def select_takes_the_first_true(a):
    return np.select([a < 3, a < 6], [a, a * 10], default=-1.0)


@case(page("choose"), (i64([0, 1, 1]), f64([1, 2, 3]), f64([4, 5, 6])))
def choose_by_where(k, a, b):
    return np.where(k == 0, a, b)


@case(page("fill_diagonal"), GRID[:, :3].astype(float).copy())
def diagonals(a):
    d = np.diag(a).copy()
    np.fill_diagonal(a, -1.0)
    i = np.arange(3)
    a[i, i[::-1]] = 7.0
    return a, d, np.trace(a)


@case(INDEXING, (GRID, 1), (GRID, -1))
def index_by_a_numpy_int(a, k):
    i = np.int32(k)
    return a[i, i], a[a[0, 1]], a[np.argmax(a[:, 0])]


@case(page("roll"), TEN, f64([1]), f64([]))
def roll_by_negative_and_large(a):
    return np.roll(a, 1), np.roll(a, -3), np.roll(a, 23)


@case(page("take_along_axis"), (GRID.astype(float), np.argsort(GRID, axis=1)))
def take_along_an_axis(a, at):
    return np.take_along_axis(a, at, axis=1)


@case(INDEXING, GRID)
def loops_index_like_numpy(a):
    s = 0
    for i in range(-1, 2):
        for j in range(-2, 2):
            s = s * 3 + int(a[i, j])
    return s
