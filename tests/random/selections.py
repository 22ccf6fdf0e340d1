"""Templates of masks, and of gathers and scatters by integer arrays.

Left out: a mask that lies in the array it selects from, which NumPy reads while it stores.
"""

ROWS = {
    "mask: loads": [
        "{s1} = np.sum({A}[{m:A}])",
        """
{t1} = {A}[{A} {cmp} {x:A}]
{s1} = len({t1})
{s2} = np.sum({t1} * 2)""",
        """
{m1} = {V} {cmp} {x:V}
{s1} = np.sum({V}[{m1}] {op} {W}[{m1}])
{s2} = np.count_nonzero(~{m1})""",
        """
{m1} = {V} {cmp} {x:V}
{V}[{m1}] = {V}[{m1}][::-1]""",
        """
{m1} = {M}[:, 0] {cmp} {x:M}
{s1} = np.sum({M}[{m1}], axis=0)[0]
{s2} = {M}[{m1}, 1].sum()""",
    ],
    "mask: stores": [
        "{A}[{A} {cmp} {x:A}] = {x:A}",
        "{A}[{m:A}] {aug} {x:A}",
        """
{m1} = {A} {cmp} {x:A}
{A}[{m1}] {aug} {x:A}
{A}[~{m1}] = {x:A}""",
        """
{m1} = {A} {cmp} {x:A}
{A}[{m1}] = {E}[{m1}]""",
        """
{m1} = {A} {cmp} {x:A}
{t1} = {A}[{m1}]
{A}[...] = {e:A}
{A}[{m1}] {aug} {t1}""",
        """
{m1} = {M}[0] {cmp} {x:M}
{M}[:, {m1}] {aug} {x:M}
{M}[1, {m1}] = {x:M}""",
        """
{m1} = {M}[:, 0] {cmp} {x:M}
{M}[{m1}] {aug} {M}[0]
{M}[{m1}, -1] = {x:M}""",
        "{A}[{m:A} & ({A} {cmp} {x:A})] {aug} {x:A}",
        """
for {i} in range({n:M}):
    {M}[{i}, {M}[{i}] {cmp} {x:M}] {aug} {x:M}""",
    ],
    "mask: np.where": [
        "{t1} = np.where({m:A}, {A}, {e:A})",
        "{A}[...] = np.where({A} {cmp} {e:A}, {e:A}, {A}[::-1])",
        "{A} {aug} np.where({m:A}, {x:A}, {A})",
        """
{t1} = np.where({V} {cmp} {x:V})[0]
{s1} = len({t1})
{V}[{t1}] {aug} {x:V}""",
        "{s1} = np.sum(np.where({M} {cmp} {M}[0], {M}, {x:M}), axis=0)[0]",
    ],
    "mask: compress, extract, nonzero": [
        "{s1} = np.sum(np.compress({V} {cmp} {x:V}, {V}))",
        "{s1} = np.sum(np.compress({M}[:, 0] {cmp} {x:M}, {M}, axis=0))",
        "{s1} = np.sum({M}.compress({M}[0] {cmp} {x:M}, axis=1))",
        "{s1} = np.sum(np.extract({A} {cmp} {x:A}, {A}))",
        "{s1} = np.sum({A}[np.nonzero({A} {cmp} {x:A})])",
        "{A}[np.nonzero({A} {cmp} {x:A})] = {x:A}",
        "{V}[np.flatnonzero({V} {cmp} {x:V})] {aug} {x:V}",
    ],
    "gather: made indices": [
        "{t1} = {V}[np.argsort({V}, kind='stable')]",
        "{t1} = {V}[np.arange({n:V})[::-1]] {op} {V}",
        "{t1} = {A}[np.array([0, 1, -1, 0])] * 1",
        "{t1} = {M}[:, [0, -1]] {op} {M}[0, 0]",
        "{t1} = {A}[np.abs(np.arange({n:A}) - 1)] * 2",
        "{t1} = {M}[np.arange(2)[:, None], np.array([0, 1, -1])] + 0",
        "{t1} = np.take({A}, [1, 0, -1], axis=0)",
        "{t1} = {A}[-np.arange({n:A})] + 0",
    ],
    "gather: by an argument": [
        "{t1} = {T}[{D}] {op} 1",
        "{t1} = {T}[{D}[::-1]] * 2",
        "{t1} = {T}[{D}][::-1] {op} {T}[{D}]",
        "{t1} = {T}[np.stack(({D}, {D}[::-1]))] + 0",
        "{t1} = {T}[{D}[:, None]] + 0",
        "{t1} = {T}[-{D} - 1] * 1",
        """
for {i} in range({n:D}):
    {T}[{D}[{i}]] {aug} {l:T}""",
        """
{s1} = 0
for {i} in range({n:D}):
    {s1} = {s1} + int({D}[{i}])
{t1} = {T}[{D}] {op} {s1}""",
    ],
    "scatter: repeats, the last wins": [
        "{T}[{D}] = {T}[{D}][::-1]",
        "{T}[{D}] = {T}[{D}[::-1]] {op} 1",
        "{V}[np.array([0, 1, 0, -1])] = {V}[np.array([1, 1, 0, 0])] {op} np.arange(4).astype({V}.dtype)",
        "{V}[[0, 0, -1]] = np.array([1, 2, 3])",
        "{V}[[0, 1, -1]] = {V}[1:4]",
        "{T}[{D}[:2]] = {T}[1:3]",
        "{T}[{D}] = np.arange({n:D}).astype({T}.dtype).reshape((-1,) + (1,) * ({T}.ndim - 1))",
    ],
    "scatter: repeats, += once": [
        "{T}[{D}] {aug} {l:T}",
        "{T}[{D}] {aug} {T}[{D}[::-1]]",
        "{V}[[0, 1, 0, -1]] {aug} {V}[:4]",
        "{V}[np.array([0, 0, -1])] {aug} np.array([1, 2, 3]).astype({V}.dtype)",
        "{M}[[0, 0], [1, -1]] {aug} {x:M}",
    ],
    "scatter: ufunc.at": [
        "np.add.at({T}, {D}, {l:T})",
        "np.subtract.at({T}, {D}, {T}[{D}])",
        "np.add.at({V}, np.array([0, 0, -1]), {l:V})",
        "np.maximum.at({T}, {D}, {T}[{D}[::-1]])",
        "np.multiply.at({T}, {D}, {l:T})",
        "np.add.at({V}, [0, 1, 0, -1], np.arange(4).astype({V}.dtype))",
    ],
}
