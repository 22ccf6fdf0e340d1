"""What people write, several rules at once."""

from case import *

FOR = COMPOUND + "#the-for-statement"
SIX = f64(range(6))
G = f64(range(12)).reshape(3, 4)
NAN = f64([[1, np.nan, 3], [4, 5, np.nan], [-1, -2, -3]])


@case(page("stack"), (G.copy(), 1))
def stack_then_store(a, k):
    b = np.stack((a[0], a[1]))
    c = np.concatenate([a, a[:1]])
    d = np.vstack((a[k], a[0]))
    a[0] = -1
    return b, c, d, np.hstack((a[:, :1], a[:, 2:])), np.tile(a[0], 2), np.repeat(a[1], 2)


@case(page("where"), (G.copy(), 1))
def where_reads_before(a, k):
    w = np.where(a > 3, a, 0)
    e = np.expand_dims(a, 0)
    a[:] = 7
    return w, e + 0


@case(BROADCASTING, (G.copy(),))
def broadcast_views_read_late(a):
    m = a.max(axis=0)
    n = a.T @ a
    b = a[None, :, :] * a[:, None, :]
    t = a.T
    a *= 2
    return m, n, b.sum(), t + 0


@case(COPIES, (SIX.copy(), 3))
def lists_of_views(a, k):
    parts = [a[:k], a[k:]]
    parts[0][0] = 9.0
    for p in parts:
        p += 1
    x, y = parts
    y[0] = -5
    return a, x * 2


@case(COPIES, (SIX.copy(), 3))
def dict_of_views(a, k):
    d = {"left": a[:k], "right": a[k:]}
    d["left"] += 1
    d["right"][:] = d["left"]
    return a


@case(COPIES, (SIX.copy(), 3))
def tuple_return_of_views(a, k):
    def split(v):
        return v[:3], v[3:]
    p, q = split(a)
    p += 10
    q[:] = p
    return a, p + q


@case(page("s_"), (SIX.copy(), 3))
def class_of_slices(a, k):
    s = np.s_[1:4]
    a[s] = 0
    return a


@case(INDEXING, (i64([3, 1, 2]), f64([0.5, 1.5, 2.5])))
def index_with_computed(a, b):
    out = np.zeros(4)
    for i in range(3):
        out[a[i]] += b[i]
        out[-a[i]] -= 1
        out[a[i] // 2] *= 2
        out[int(b[i])] += 100
    return out


@case(COMPOUND + "#the-while-statement", (i64([3, 1, 2]), 2))
def while_on_element(a, k):
    n = 0
    while a[0] > 0 and n < 100:
        a[0] -= 1
        a[1] += a[0]
        n += 1
    return a, n


@case(FOR, (f64([1, 2, 3]), 2))
def scalar_state_types(a, k):
    total = 0
    count = 0
    best = -np.inf
    where = -1
    for i in range(3):
        total += a[i]
        count += 1
        if a[i] > best:
            best = a[i]
            where = i
    return total / count, best, where


@case(FOR, (f64([1, 2, 3]), 2), (f64([1, 2, 3]), 0))
def int_then_float_loops(a, k):
    x = 0
    for i in range(k):
        x = x + a[i]
    return x * 1.0


@case(BUILTINS + "#max", (f64([4, 2, 3]),))
def min_max_builtin_reduce(a):
    m = a[0]
    for i in range(1, 3):
        m = min(m, a[i])
    M = max(a[0], a[1], a[2])
    return m, M


@case(page("ndarray.real"), (f64([4, 2, 3]), 1))
def complex_build(a, k):
    z = np.zeros(3, dtype=complex)
    z.real = a
    z[k] = 1 + 2j
    w = z * 1j
    w[0] += 3
    return z, w, np.abs(w[1]) ** 2 > 0, w.imag


@case(INDEXING, (G.copy(), i64([0, 1, 2]), i64([3, 0, 1])))
def paired_fancy_store(a, i, j):
    a[i, j] = a[j[:, None] % 3, i].sum(axis=1)
    a[i[:2], 1:3] = 0
    a[..., j] += 1
    return a


@case(page("sum"), (G.copy(),))
def negative_axes(a):
    return a.sum(axis=-2), np.flip(a, -1), np.roll(a, 1, axis=-1), np.argmax(a, axis=-1), np.swapaxes(a, -1, -2), np.cumsum(a, axis=-1), np.diff(a, axis=0)


@case(page("diff"), (G.copy(), 2))
def trapezoid(a, k):
    x = np.linspace(0, 1, 4)
    return ((a[:, 1:] + a[:, :-1]) * np.diff(x) / 2).sum(axis=1)


@case(BUILTINS + "#int", (f64([0.2, 0.8, 1.5]), 3))
def integer_valued_floats(a, k):
    n = int(a[2] * 2)
    b = np.zeros(n)
    b[: n - 1] = a[1]
    return b.sum(), np.arange(n).sum() + k // n


@case(INDEXING + "#boolean-array-indexing", (b1([True, False, True]), f64([1, 2, 3])))
def bool_arithmetic_store(m, a):
    a[m] = -a[m]
    a *= ~m
    c = np.sum(m & (a < 0))
    return a, c, m.sum(), m.mean(), m.argmax(), np.where(m)[0]


@case(PROMOTION, (f32([1.5, 2.5]), f64([0.1, 0.2])))
def mixed_precision_store(a, b):
    a[:] = a * b
    a[0] += b[1]
    c = a + b
    d = np.dot(a, b)
    e = a.astype(np.float64).sum()
    return a, c, e, c.dtype == np.float64


@case(FOR, (f64([1, 2, 3, 4, 5]), 2))
def rolling_window(a, w):
    out = np.empty(len(a) - w + 1)
    for i in range(len(out)):
        out[i] = a[i:i + w].mean()
    return out


@case(INDEXING + "#slicing-and-striding", (f64([1, 2, 3, 4, 5]), 7), (f64([1, 2, 3, 4, 5]), 2))
def clamped_neighbours(a, w):
    n = len(a)
    out = np.zeros(n)
    for i in range(n):
        lo = max(0, i - w)
        hi = min(n, i + w + 1)
        out[i] = a[lo:hi].sum() / (hi - lo)
    return out


@case(INDEXING, (G.copy(),))
def in_place_ops_rows(a):
    a[0], a[1] = a[1].copy(), a[0].copy()
    a[[0, 2]] *= 2
    a[:, ::2] -= a[:, 1::2]
    a.T[0] = a[:, 0][::-1]
    return a


@case(page("tril"), (G[:, :3].copy(),))
def triangular(a):
    return np.tril(a), np.triu(a, 1), np.tril(a, -1) + np.eye(3), np.diag(a), np.diag(np.diag(a))


@case(FOR, (f64([[4, 2], [2, 3]]),))
def cholesky_by_hand(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] ** 2
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            t = A[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k]
            L[i, j] = t / L[j, j]
    return L


@case(page("outer"), (f64([[4, 2, 1], [2, 3, 1], [1, 5, 9]]),))
def lu_in_place(A):
    n = len(A)
    for k in range(n):
        A[k + 1:, k] /= A[k, k]
        A[k + 1:, k + 1:] -= np.outer(A[k + 1:, k], A[k, k + 1:])
    return A


@case(page("roll"), (i64([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),))
def game_of_life(g):
    n = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((n == 3) | ((g == 1) & (n == 2))).astype(np.int64)


@case(FOR, (f64([1, 2, 3, 4]), 3), (f64([1, 2, 3, 4]), 0))
def time_steps_with_boundary(u, n):
    for _ in range(n):
        un = u.copy()
        u[1:-1] = un[1:-1] + 0.1 * (un[2:] - 2 * un[1:-1] + un[:-2])
        u[0] = u[1]
        u[-1] = 0
    return u


@case(FOR, (f64([1, 2, 3, 4]), 3), (f64([1, 2, 3, 4]), 0))
def time_steps_that_rebind(u, n):
    for _ in range(n):
        u = u + 0.1 * np.roll(u, 1)
        u[0] = 0.0
    return u


@case(COPIES, SIX.copy())
def augmented_slices_of_slices(a):
    a[1:][1:][::2] += 10
    a[::-1][:2] -= 1
    a[1:4][::-1][0] *= 100
    return a


@case(INDEXING + "#advanced-indexing", (G.copy(), i64([2, 0])))
def augmented_fancy_of_views(a, at):
    a[at][:, 0] += 100
    a.T[at] += 1
    a[:, 1:][at, :2] *= -1
    a[1:, at] -= 0.5
    return a


@case(SCALARS, (u8([250, 3]), 10), (u8([250, 3]), 3))
def elements_of_uint8(a, k):
    a[0] += 5
    return a, a[0] + a[1], np.uint8(7) - a[1], int(a[0]) + k, a[0] > k


@case(SCALARS, (f32([1.1, 2.2]), 0.1))
def elements_of_float32(a, x):
    y = a[0] * x + x
    a[1] = y * 3.0
    return y, a, float(a[0]) * x, np.float64(a[0]) * x, a[0] / 3, 1 / a[0], a[0] ** 2, abs(-a[0])


@case(EXPRESSIONS + "#operator-precedence", (SIX.copy(), 3))
def precedence_of_operators(a, k):
    return -(a**2), -a**2, 2**-1 * a, not a[0] > k, -k % 4, ~k & 7, k << 1 + 1, a[0] - -k, +k - k**2, 7 - 3 - 2, 2**3**0


@case(page("max"), NAN, NAN.astype(np.float32))
def nan_axes(a):
    return a.max(axis=0), a.min(axis=1), a.argmax(axis=1), a.argmin(axis=0), np.any(np.isnan(a), axis=1), np.nansum(a), np.where(np.isnan(a), 0, a).sum(axis=0)


@case(page("nanmean"), NAN)
def nan_functions(a):
    return np.nanmean(a, axis=0), np.nansum(a, axis=1)


@case(STATEMENTS + "#the-return-statement", (f64([1, 2]), 1), (f64([1, 2]), 0), (f64([1, 2]), -1))
def returns_on_paths(a, k):
    if k > 0:
        return a * 2
    if k < 0:
        return a - 1
    return a + 0


@case(STATEMENTS + "#the-return-statement", (f64([1, 2]), 1), (f64([1, 2]), 0))
def helper_early_return(a, k):
    def f(x, n):
        for i in range(n):
            if x[i] > 1:
                return i
        return -1
    return f(a, k), f(a, 2)


@case(SCOPES, (f64([1, 2]), 3))
def mutual_functions(a, n):
    def even(k):
        return k % 2 == 0
    def step(x, k):
        return x * 2 if even(k) else x + 1
    x = a[0]
    for k in range(n):
        x = step(x, k)
    return x


@case(page("max"), (f64([0.1, 0.7, 0.2]), 3))
def softmax_and_normalise(a, n):
    e = a - a.max()
    e /= e.min()
    return e, a / a.sum(), (a - a.mean()), np.cumsum(a)[-1]


@case(page("divide"), (f64([1, 2, 3]), f64([1, 0, 2])), refused="numpy-argument")
def masked_division(a, b):
    out = np.zeros_like(a)
    m = b != 0
    out[m] = a[m] / b[m]
    c = np.where(b != 0, a / b, -1.0)
    d = np.divide(a, b, out=np.zeros_like(a), where=b != 0)
    return out, c, d


@case(UFUNCS + "#type-casting-rules", (i64([5, 3, 9]), 4))
def int_arrays_division_store(a, k):
    a //= k
    b = a / k
    a[0] = b[2] * 10
    a[1:] = a[:2] + b[:2]
    a %= 3
    a **= 2
    a <<= 1
    return a, b


@case(NUMBERS, (i64([5, 3, 9]),), (i64([-5, 3, 9]),))
def python_int_loop(a):
    s = 0
    p = 1
    for x in a:
        s += int(x)
        p *= int(x) % 7
    return s, p, s // 3, s % 3, s / 3, s ** 2, -s // 2, abs(s)


@case(INDEXING, (f64([1, 2, 3]), 2))
def unsigned_index(a, k):
    i = np.uint8(k)
    j = np.uint64(k)
    return a[i], a[j - 1], a[-1], a[i - 2]


@case(INDEXING, (u8([1, 2, 0]), f64([1, 2, 3])))
def unsigned_gather(i, a):
    b = a[i]
    c = a[i - 1] if i[0] > 0 else a[i]
    return b, c[0]


@case(INDEXING + "#slicing-and-striding", (G.copy(), 2), (G.copy(), 0))
def empty_runtime_slices(a, k):
    b = a[:k]
    c = a[k:]
    return b.sum(), c.sum(axis=0), np.concatenate((b, c)), b.shape[0], (b * 2)[:, 0].sum()


@case(SCALARS, (f64([3, 1, 2]), 2))
def zero_d_results(a, k):
    s = np.sum(a)
    s += 1
    m = np.asarray(a.max())
    n = np.array(a[0]) + a
    return s, m, n, np.mean(a) * np.ones(k), np.array([a.sum(), s])


@case(SCALARS, (f64([3, 1, 2]), 2))
def aug_on_scalar_alias(a, k):
    x = a[0]
    y = x
    y += 1
    z = a[:1]
    w = z
    w += 5
    return x, y, z + 0, a


@case(EXPRESSIONS + "#boolean-operations", (f64([3, 1, 2]), 2))
def bool_ops(a, k):
    p = a[0] > 1 and a[1] > 1
    q = a[0] > 1 or a[5 % 3] > 1
    r = not (p or q)
    t = (a > 1) & (a < 3) | (a == 1)
    return p, q, r, t, bool(k), np.bool_(k > 3), p + q, int(q) * 3, p ^ q


@case(EXPRESSIONS + "#boolean-operations", (f64([3, 1, 2]), 2), (f64([3, 1, 2]), 0), refused="numpy-bool-operand")
def and_or_values(a, k):
    n = k or 5
    m = k and 7
    z = (k > 0 and a[0]) if k else 0.0
    return n, m, z


@case(page("ufunc.at"), (f64([0.5, 1.5, 2.5, 3.5]), 1))
def float_keys(a, k):
    i = np.floor(a).astype(int)
    f = a - i
    h = np.zeros(5)
    np.add.at(h, i, 1 - f)
    np.add.at(h, i + 1, f)
    return h, i.dtype == np.int64, np.rint(a).astype(np.int32)


@case(INDEXING, (f64(range(27)).reshape(3, 3, 3),))
def three_dims(u):
    v = u.copy()
    v[1:-1, 1:-1, 1:-1] = (u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1]) / 2
    v[:, 0] = u[:, 1]
    v[..., -1] = 0
    v[0, :, :] -= u[0].T
    w = np.transpose(u, (2, 0, 1))
    w[0] = 1
    return v, u, u.reshape(9, 3).sum(0), u.sum((0, 2))


@case(page("cross"), (f64([1, 2, 3]), f64([4, 5, 6])))
def cross_and_outer(a, b):
    return np.cross(a, b), np.outer(a, b), np.kron(a, b), np.dot(a, b), np.einsum("i,j->ij", a, b), np.tensordot(a, b, 1)


@case(page("meshgrid"), (f64([1, 2, 3]),))
def meshgrids(a):
    X, Y = np.meshgrid(a, a[:2])
    P, Q = np.meshgrid(a, a[:2], indexing="ij")
    i, j = np.mgrid[0:2, 0:3]
    return X, Y, P, i + j, np.indices((2, 2))[0]


@case(page("reshape"), (f64([1, 2, 3, 4, 5, 6]), 2))
def reshape_orders(a, k):
    m = a.reshape(2, 3)
    return m.ravel(), m.T.ravel(), m.flatten(), m.reshape(-1, 2), m.T.reshape(2, 3), a.reshape((k, -1))[1], np.ravel(m.T)


@case(page("pad"), (f64([1, 2, 3, 4, 5, 6]), 2))
def pads(a, k):
    return np.pad(a, 2), np.pad(a, (1, 2), mode="edge"), np.pad(a, 1, constant_values=9), np.pad(a, 2, mode="reflect"), np.pad(a, 2, mode="wrap")
