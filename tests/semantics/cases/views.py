"""Views share memory, copies do not; the right side is read before the store; overlap in place."""

from case import *

SIX = f64(range(6))
GRID = f64(range(12)).reshape(3, 4)
SQUARE = f64(range(9)).reshape(3, 3)
STORES = STATEMENTS + "#assignment-statements"


@case(COPIES, SIX.copy(), right=[[0, 2, 3, 4, 5, 5]], fault="B27")
def increment_of_a_view_changes_the_array(a):
    b = a[1:-1]
    b += 1
    return a


@case(COPIES, SIX.copy(), right=[[3, 4, 5, 6, 7, 8]], fault="B27")
def increment_of_another_name_changes_the_array(a):
    b = a
    b += 3
    return a


@case(COPIES, SIX.copy())
def sum_makes_a_new_array(a):
    b = a
    b = b + 3
    return a, b


@case(COPIES, SIX.copy(), fault="B27")
def view_read_after_a_later_store(a):
    b = a[::2]
    c = b.copy()
    a[2] = 50.0
    return b + 0, c


@case(COPIES, GRID.copy())
def transposed_store(a):
    t = a.T
    t[1] = -1.0
    t[0, 2] = 9.0
    a.T[3] += 0.5
    return a


@case(COPIES, GRID.copy())
def views_of_views(a):
    b = a[1:, ::-1]
    c = b[:, 1:3].T
    c[0] = 77.0
    b[0, 0] = -5.0
    return a, c + 0


@case(COPIES, SIX.copy())
def reversed_view_store(a):
    r = a[::-1]
    r[0] = 10.0
    r[1:3] *= -1.0
    return a


@case(page("reshape"), SIX.copy())
def reshape_is_a_view(a):
    m = a.reshape(2, 3)
    m[1] = 0.0
    m[:, 0] += 0.25
    return a


@case(page("ravel"), GRID.copy(), refused="numpy-detached-view")
def ravel_is_a_view_and_flatten_a_copy(a):
    r = a.ravel()
    f = a.flatten()
    r[5] = -1.0
    f[6] = -2.0
    return a


@case(page("transpose"), GRID.copy(), refused="numpy-detached-view")
def ravel_of_a_transpose_is_a_copy(a):
    r = a.T.ravel()
    r[1] = -1.0
    return a, r


@case(page("swapaxes"), GRID.copy())
def swapped_axes_are_a_view(a):
    s = np.swapaxes(a, 0, 1)
    s[2] = 4.0
    m = np.moveaxis(a, 0, -1)
    m[0, 0] = 8.0
    return a


@case(COPIES, SIX.copy())
def copies_are_separate(a):
    b = a.copy()
    c = np.array(a)
    d = a[:]
    b[0], c[1], d[2] = 10.0, 20.0, 30.0
    return a, b, c


@case(page("asarray"), SIX.copy())
def asarray_is_the_array_itself(a):
    b = np.asarray(a)
    b[0] = -3.0
    return a


@case(INDEXING + "#advanced-indexing", (SIX.copy(), i64([1, 2])))
def fancy_reads_are_copies(a, at):
    b = a[at]
    b[:] = -1.0
    c = a[a > 3]
    c[:] = -2.0
    return a, b


@case(COPIES, SIX.copy())
def elements_are_copies(a):
    x = a[0]
    a[0] = 9.0
    y = a[1:2]
    a[1] = 8.0
    return x, y + 0, a


@case(COPIES, GRID.copy())
def rows_are_views(a):
    for row in a:
        row[0] = row[1] + row[2]
    for i in range(len(a)):
        r = a[i]
        r *= 2.0
    return a


@case(page("squeeze"), f64([[1], [2], [3]]))
def squeezed_is_a_view(a):
    s = a.squeeze()
    s[1] = 7.0
    n = a[:, 0]
    n[2] = 8.0
    return a


@case(page("broadcast_to"), f64([1, 2, 3]))
def broadcast_reads_one_row(a):
    b = np.broadcast_to(a, (2, 3))
    c = b + 0
    a[0] = 5.0
    return c, b + 0


@case(SCOPES, SIX.copy(), before="def bump(v):\n    v += 1\n    v = v * 2\n    return v\n\n\n")
def helper_changes_its_argument(a):
    b = bump(a[2:4])
    c = bump(a)
    return a, b, c


@case(STORES, SIX.copy())
def chained_assignment_is_one_array(a):
    b = c = np.zeros(3)
    b[0] = 5.0
    a[0] = a[1] = 7.0
    return a, b, c


@case(COPIES, SIX.copy(), right=[[0, 1, 3, 5, 7, 9]], fault="B1")
def shifted_increment_in_place(z):
    z[1:] += z[:-1]
    return z


@case(COPIES, SIX.copy(), right=[[0, 0, 1, 2, 3, 4]], fault="B1")
def shifted_store_in_place(z):
    z[1:] = z[:-1]
    return z


@case(COPIES, SIX.copy(), right=[[1, 2, 3, 4, 5, 5]], fault="B1")
def shifted_store_to_the_left(z):
    z[:-1] = z[1:]
    return z


@case(COPIES, f64([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), right=[[[2, 6, 10], [6, 10, 14], [10, 14, 18]]], fault="B1")
def increment_by_the_transpose(h):
    h += h.T
    return h


@case(COPIES, SQUARE.copy(), fault="B1")
def transposed_in_place(h):
    h[:] = h.T
    h[1:, 1:] -= h[:-1, :-1]
    h -= 2 * h.T
    return h


@case(COPIES, SIX.copy(), right=[[5, 4, 3, 2, 1, 0]], fault="B2")
def reversed_in_place(a):
    a[:] = a[::-1]
    return a


@case(COPIES, SIX.copy(), fault="B2")
def increment_by_the_reverse(a):
    a += a[::-1]
    a[1:5] *= a[4:0:-1]
    return a


@case(COPIES, GRID.copy(), fault="B2")
def flipped_in_place(a):
    a[...] = a[::-1, ::-1]
    a[:, :] = np.flip(a, 1)
    return a


@case(COPIES, SIX.copy())
def interleaved_in_place(a):
    a[::2] = a[1::2]
    a[1::2] += a[::2]
    return a


@case(COPIES, f64(range(8)), i64(range(8)))
def stencil_in_place(u):
    u[1:-1] = u[:-2] + u[2:] - u[1:-1]
    u[2:] += u[:-2] * 2
    return u


@case(COPIES, GRID.copy())
def stencil_in_place_of_two_dimensions(u):
    u[1:, 1:] = u[:-1, :-1] + u[1:, :-1]
    u[:-1] += u[1:]
    return u


@case(page("add"), SIX.copy())
def out_that_overlaps(z):
    np.add(z[:-1], z[1:], out=z[1:])
    np.multiply(z, z[::-1], out=z)
    return z


@case(page("cumsum"), SIX.copy())
def scan_into_its_own_input(z):
    np.cumsum(z, out=z)
    return z


@case(STORES, SIX.copy())
def swapped_elements(a):
    a[0], a[1] = a[1], a[0]
    a[2], a[3], a[4] = a[4], a[2], a[3]
    return a


@case(COPIES, GRID.copy(), right=[[[4, 5, 6, 7], [4, 5, 6, 7], [8, 9, 10, 11]]])
def swapped_rows_share_memory(a):
    a[0], a[1] = a[1], a[0]
    return a


@case(INDEXING + "#advanced-indexing", GRID.copy(), right=[[[4, 5, 6, 7], [0, 1, 2, 3], [8, 9, 10, 11]]])
def swapped_rows_by_fancy_index(a):
    a[[0, 1]] = a[[1, 0]]
    return a


@case(COPIES, GRID.copy())
def swapped_rows_through_a_copy(a):
    t = a[0].copy()
    a[0] = a[2]
    a[2] = t
    a[:, [0, 3]] = a[:, [3, 0]]
    return a


@case(page("matmul"), f64([[1, 2], [3, 4]]))
def product_into_its_own_operand(a):
    a[:] = a @ a
    a[0] = a @ a[0]
    return a


@case(STORES, (SIX.copy(), i64([3, 0, 5])))
def gather_and_scatter_in_place(a, at):
    a[at] = a[at[::-1]] + 1
    a[1:4] = a[at]
    return a


@case(COPIES, SIX.copy())
def names_swapped(a):
    b = a * 2
    a, b = b, a
    a[0] = 100.0
    return a, b


@case(COPIES, (SIX.copy(), 4), (SIX.copy(), 5))
def buffers_swapped_in_a_loop(a, k):
    b = np.zeros_like(a)
    for _ in range(k):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a, b = b.copy(), a.copy()
    return a, b


@case(COPIES, (SIX.copy(), 4), refused="numpy-detached-view")
def arguments_swapped_in_a_loop(a, k):
    b = np.zeros_like(a)
    for _ in range(k):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a, b = b, a
    return a


@case(COPIES, (SIX.copy(), 4), (SIX.copy(), 5), (SIX.copy(), 0))
def buffers_swapped_in_a_loop_without_copies(x, k):
    a = x.copy()
    b = np.zeros_like(a)
    for _ in range(k):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a, b = b, a
    return a


@case(COPIES, (SIX.copy(), 4))
def buffers_of_a_known_size_swapped(a, k):
    b = np.zeros(6)
    for _ in range(k):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a, b = b.copy(), a.copy()
    return a


@case(COPIES, (SIX.copy(), 1), (SIX.copy(), -1), refused="numpy-conditional-kinds")
def name_of_one_of_two_arrays(a, k):
    b = np.ones(6)
    c = a if k > 0 else b
    c[0] = 50.0
    return a, b


@case(STORES, SIX.copy())
def right_side_is_read_first(a):
    a[1:4] = [a[3], a[1], a[2]]
    a[4:] = (a[5], a[4])
    a[0] = np.sum(a)
    a[:] = a - a[0]
    return a


@case(BROADCASTING, GRID.copy())
def rows_reduced_into_the_array(a):
    a -= a[0]
    a += a.sum(axis=0)
    a[:, 0] = a.max(axis=1)
    a *= a[:, :1]
    return a


@case(page("copyto"), (SIX.copy(), f64([9, 8, 7, 6, 5, 4])))
def copyto_stores(a, b):
    np.copyto(a, b)
    np.copyto(a[1:], b[:-1])
    return a


@case(COPIES, c128([1 + 2j, 3 - 4j]))
def stores_to_the_real_part(a):
    a.real[0] = 9.0
    return a


@case(COPIES, c128([1 + 2j, 3 - 4j]), refused="numpy-construct")
def real_and_imaginary_parts_are_views(a):
    a.real[0] = 9.0
    a.imag[:] = a.real * 2
    a.real *= -1
    return a


@case(COPIES, GRID.copy(), fault="B27")
def sliced_matrix_as_an_argument(a):
    def total(m):
        return m[1] * 2 + m.sum()

    return total(a[1:, :3]), total(a.T[1:, 1:])


@case(page("ndarray.imag"), (c128([1 + 2j, 3 - 4j, 5]), 1, 2.5), (c128([1 + 2j, 3 - 4j, 5]), -1, -0.0))
def stores_to_parts_of_a_complex_array(z, k, v):
    z.imag[k] = v
    z.real[: k + 1] = 8
    w = z.copy()
    w.real = np.abs(z)
    w.imag = 0
    return w


@case(page("ndarray.imag"), c64([1 + 2j, 3 - 4j]))
def stores_a_wider_real_to_a_part(z):
    z.real = np.array([0.1, 1e300])
    return z


@case(page("ndarray.flat"), (GRID, 5, 2.5), (GRID, -1, -1.0), (GRID, 12, 0.0))
def element_of_flat(a, k, v):
    a.flat[k] = v
    a.T.flat[k] = 9.0
    total = 0.0
    for e in a.flat:
        total = total * 0.5 + e
    part = a.flat[1:7]
    part[0] = 100.0
    return a.flat[k], part, total


@case(page("ndarray.flat"), GRID, refused="numpy-construct")
def several_numbers_to_flat(a):
    a.flat[:4] = [1.0, 2.0]
    return a


@case(page("ndarray.flat"), GRID)
def flat_of_a_transpose(a):
    return a.T.flat[1], a.T.flat[::3]
