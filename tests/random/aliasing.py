"""Templates of stores that read, or have names on, the memory they store to.

Left out: a plain store between overlapping views of one dimension with other strides of one sign (A[::2] = A[:n]): NumPy then
stores in place and reads what it has stored, against its own rule.
"""

ROWS = {
    "alias: overlapping slices": [
        "{A}[1:] {aug} {A}[:-1]",
        "{A}[:-1] {aug} {A}[1:]",
        "{A}[1:] = {A}[:-1]",
        "{A}[:-1] = {A}[1:] {op} {A}[:-1]",
        "{A}[1:-1] = {A}[2:] - {A}[:-2]",
        "{A}[2:] {aug} {A}[1:-1] {op} {A}[:-2]",
        "{M}[1:, :-1] {aug} {M}[:-1, 1:]",
        "{M}[1:, 1:] = {M}[:-1, :-1] {op} {M}[1:, :-1]",
        "{M}[:, 1:] {aug} {M}[:, :-1]",
        "{A}[1:], {A}[:-1] = {A}[:-1] + 0, {A}[1:] + 0",
    ],
    "alias: reversed views": [
        "{A} {aug} {A}[::-1]",
        "{A}[::-1] {aug} {A}",
        "{A}[:] = {A}[::-1]",
        "{A}[1:] {aug} {A}[-2::-1]",
        "{M}[:, ::-1] {aug} {M}",
        "{M}[::-1] = {M}[:, ::-1] {op} {M}",
        "{A}[...] = {A}[::-1] {op} {A}",
    ],
    "alias: transposes": [
        "{S} {aug} {S}.T",
        "{S}[:] = {S}.T",
        "{S}.T[1:] {aug} {S}[:-1]",
        "{S}[0] {aug} {S}[:, 0]",
        "{S}[:, -1] = {S}[0] {op} {S}[:, 0]",
        "{S}[:] = {S} @ {S}",
        """
{t1} = {S}.T
{t1}[0] {aug} {S}[0]
{S}[1] = {t1}[1] {op} {t1}[0]""",
        "np.transpose({M})[1:] {aug} {l:M}",
    ],
    "alias: named views": [
        """
{t1} = {A}[1:]
{t1} {aug} {A}[:-1]
{A}[0] = {t1}[0]""",
        """
{t1} = {A}[::-1]
{t2} = {t1}[1:]
{t2}[:] = {A}[:-1] {op} {t1}[:-1]""",
        """
{t1} = {M}[1]
{t1} {aug} {M}[0]
{M}[:, 0] {aug} {t1}[0]""",
        """
{t1} = {V}[::2]
{t2} = {V}[1::2]
{t1}[{p:V} // 2 % 2] = {x:V}
{t2}[:] = {x:V}
{s1} = np.sum({t1})""",
        """
{t1} = {A}
{t1}[0] = {l:A}
{A}[-1] = {t1}[0] + {A}[0]""",
        """
{t1} = {A} * 2
{t2} = {t1}[1:]
{t1} = {t1} + 1
{t1}[0] = {l:A}
{t2}[0] = {l:A}""",
    ],
    "alias: a value made before the store": [
        """
{t1} = {A} + {A}
{A}[0] = {l:A}
{t2} = {t1} {op} {A}""",
        """
{t1} = {A} {op} {A}[::-1]
{A}[...] = {e:A}
{A} {aug} {t1}""",
        """
{s1} = {V}[0]
{V}[0] = {x:V}
{V}[1:] {aug} {s1}""",
        """
{t1} = np.where({m:A}, {A}, 0)
{A} {aug} {l:A}
{A}[...] = {t1} {op} {A}""",
        """
{t1} = {M}.sum(axis=0)
{M}[0] = {t1}
{M} {aug} {t1}""",
        "{V}[:] = {V}[{p:V}]",
        "{V}[::-1] {aug} {V}[{p:V}]",
        "{M}[...] = {M}[0, 1]",
        "{M}[:, 0] = {M}[1, 0] {op} {M}[0, 0]",
    ],
    "alias: two stores of one statement": [
        "{A}[0], {A}[-1] = {A}[-1], {A}[0]",
        "{V}[{p:V}], {V}[{p:V}] = {V}[{p:V}], {V}[{p:V}] + 1",
        "{M}[0, 0], {M}[-1, -1] = {M}[-1, -1] * 2, {M}[0, 0]",
        """
for {i} in range({n:V} // 2):
    {V}[{i}], {V}[-{i} - 1] = {V}[-{i} - 1], {V}[{i}]""",
        "{M}[[0, 1]] = {M}[[1, 0]]",
        "{A}[0] = {A}[1] = {A}[-1] + 1",
    ],
    "alias: out=": [
        "np.add({A}[1:], {A}[:-1], out={A}[1:])",
        "np.multiply({A}, {A}[::-1], out={A})",
        "np.subtract({A}, {e:A}, out={A})",
        "np.maximum({A}[:-1], {A}[1:], out={A}[:-1])",
    ],
    "alias: a loop over overlapping elements": [
        """
for {i} in range(1, {n:V}):
    {V}[{i}] = {V}[{i} - 1] {op} {V}[{i}]""",
        """
for {i} in range({n:V} - 1):
    {V}[{i}] {aug} {V}[{i} + 1]""",
        """
for {i} in range(1, {n:M}):
    {M}[{i}] {aug} {M}[{i} - 1]""",
        """
for {i} in range({n:S}):
    {S}[{i}] = {S}[:, {i}] {op} {S}[{i}]""",
        """
for {i} in range({n:V}):
    {V}[{i}:] {aug} {V}[{i}]""",
    ],
}
