"""Functions of the program's file, closures and lambdas: templates of definitions, and calls of each.

A definition is (row, text, calls). Each call is a template of its own, so that one function gets arguments of several dtypes,
ranks and known values. The text is a template too, whose only holes are {h1}, op, aug, cmp and literals {N}.
"""

import re

import numpy as np

from patterns import OPERATORS

TOP_LEVEL = [
    (
        "function: early return of a number",
        """
def {h1}(u, p):
    for i in range(len(u)):
        if u[i] {cmp} p:
            return u[i] * 2
    return u[0] {op} 1
""",
        ["{t1} = {V} {op} {h1}({V}, {x:V})", "{V}[0] = {h1}({V}, {x:V})", "{V}[1] = {h1}({M}[0], {x:M})"],
    ),
    (
        "function: early return of a number",
        """
def {h1}(u, p=0):
    total = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            if u[i, j] {cmp} p:
                continue
            if total > {N}:
                return total
            total = total + float(u[i, j])
    return -1.0
""",
        ["{s1} = {h1}({M})", "{s1} = {h1}({M}, {x:M})", "{s1} = {h1}({S}, p={x:S})", "{s1} = {h1}({M}.T) + {h1}({M})"],
    ),
    (
        "function: early return of a number",
        """
def {h1}(u, p):
    for i in range(1, len(u)):
        if u[i] == p:
            return i
        u[i] = u[i - 1] {op} u[i]
    else:
        u[0] = p
    return -1
""",
        ["{s1} = {h1}({V}, {x:V})", "{V}[{h1}({V}, 1)] = {x:V}", "{s1} = {h1}({M}[0], 0) + {h1}({M}[:, 0], 2)"],
    ),
    (
        "function: early return of an array",
        """
def {h1}(u, p):
    if p > {N}:
        return u * 2
    if p == {N}:
        v = u + 1
        v[0] = u[-1]
        return v
    return u - 1
""",
        ["{t1} = {h1}({A}, {I}) {op} 1", "{A}[...] = {h1}({A}, {F})", "{t1} = {h1}({A}, 2)", "{t1} = {h1}({M}[:, 1:], {I}) * 1"],
    ),
    (
        "function: early return without a value",
        """
def {h1}(u, p):
    if p {cmp} u[0]:
        return
    u[0] = p
    for i in range(1, len(u)):
        if u[i] == u[0]:
            return
        u[i] {aug} u[i - 1]
""",
        ["{h1}({V}, {V}[-1])", "{h1}({M}[0], {M}[-1, -1])", "{h1}({V}[::-1], {V}[1])", "{h1}({M}[:, 0], {M}[0, 1])"],
    ),
    (
        "function: stores into arguments",
        """
def {h1}(u, v):
    u[1:] {aug} v[:-1]
    for i in range(1, len(v)):
        v[i] = u[i - 1] {op} v[i]
    u[0] = v[-1]
""",
        ["{h1}({A}, {A})", "{h1}({A}, {E})", "{h1}({A}, {A}[::-1])", "{h1}({S}, {S}.T)", "{h1}({M}[:, 0], {M}[:, 1])", "{h1}({V}, {V})"],
    ),
    (
        "function: stores into arguments",
        """
def {h1}(out, u):
    out[...] = u[::-1]
    out {aug} u
    return out.sum()
""",
        [
            "{s1} = {h1}({A}, {A})",
            "{s1} = {h1}({A}, {E}) + {h1}({E}, {A})",
            "{t1} = {V} + {h1}({V}, {W})",
            "{s1} = {V}[0] + {h1}({V}, {W})",
            "{V}[1] {aug} {h1}({V}, {W})",
            "{s1} = {V}[1] * {V}[-1] - {h1}({V}, {V}) * {V}[1]",
            "{s1} = {h1}({M}[1:], {M}[:-1])",
            "{t1} = {V}[::-1] * 1 + {h1}({V}, {V} * 2)",
        ],
    ),
    (
        "function: stores into arguments",
        """
def {h1}(u, at, v=3):
    u[at] = u[at - 1] + v
    return u
""",
        ["{t1} = {h1}({A}, 1) * 2", "{t1} = {h1}({A}, {p:A}, 1) + {A}", "{A}[0] = {h1}({A}, -1)[1]", "{t1} = {h1}({A}.copy(), 2) + {A}"],
    ),
    (
        "function: returns a tuple",
        """
def {h1}(u, v):
    w = u {op} v
    w[0] = {N}
    return w, u.sum(), v * 2
""",
        ["{t1}, {s1}, {t2} = {h1}({A}, {E})", "{t1} = {h1}({A}, {A})[0] + 1", "{t1} = {h1}({A}, {l:A})[0]\n{t2} = {h1}({A}, {A}[0])[2] * 1"],
    ),
    (
        "function: returns a tuple",
        """
def {h1}(u):
    best, at = u[0], 0
    for i in range(1, len(u)):
        if u[i] > best:
            best, at = u[i], i
    return best, at
""",
        ["{s1}, {s2} = {h1}({V})", "{s1} = {V}[{h1}({V})[1]]", "{s1}, {s2} = {h1}({M}[:, 0])\n{M}[{s2}, 0] = {x:M}"],
    ),
    (
        "function: default and keyword arguments",
        """
def {h1}(u, p={N}, q=None, *, scale=2, how="sum"):
    if q is None:
        q = u
    if how == "sum":
        return (u * p {op} q).sum() * scale
    out = u * scale
    for i in range(len(out)):
        out[i] = out[i] - p
    return out {op} q
""",
        [
            "{s1} = {h1}({A})",
            "{s1} = {h1}({A}, {I}, scale={N})",
            "{t1} = {h1}({A}, q={E}, how='all')",
            "{t1} = {h1}({A}, how='all', scale=1)",
            "{s1} = {h1}({V}, {I}) + {h1}({V}, 3, {x:V})",
            "{s1} = {h1}(q={A}, u={E}, p=1)",
        ],
    ),
    (
        "function: known values",
        """
def {h1}(u, k, double=False):
    out = u * 1
    for j in range(k):
        out[j:] {aug} u[: len(u) - j]
    if double:
        out = out * 2
    return out
""",
        ["{t1} = {h1}({A}, 1) {op} {h1}({A}, 2)", "{t1} = {h1}({A}, 3, True)", "{t1} = {h1}({A}, 2, double={N} > 2)", "{t1} = {h1}({A}, {N}) + 1"],
    ),
    (
        "function: known values",
        """
def {h1}(u, axis, keep=False):
    top = np.max(u, axis=axis, keepdims=keep)
    return np.sum(u, axis=axis, keepdims=keep) - top
""",
        ["{t1} = {h1}({M}, 0) * 1", "{t1} = {h1}({M}, 1)", "{t1} = {h1}({M}, -1, True) + {M}", "{s1} = {h1}({A}, None)", "{t1} = {h1}({M}, 0, keep=True)"],
    ),
    (
        "function: known values",
        """
def {h1}(u, dtype, p):
    out = np.zeros(u.shape, dtype=dtype)
    out[...] = u + p
    out[0] {aug} p
    return out
""",
        ["{t1} = {h1}({R}, np.float32, 1)", "{t1} = {h1}({R}, np.float64, 2) + 1", "{t1} = {h1}({C}, np.float64, {N})", "{t1} = {h1}({R}, {R}.dtype, 3)"],
    ),
    (
        "function: recursion",
        """
def {h1}(u, k):
    if k == 0:
        return u {op} 1
    return {h1}(u * 2, k - 1) - u
""",
        ["{t1} = {h1}({A}, 2)", "{t1} = {h1}({A}, 0) + {h1}({A}, 1)", "{s1} = {h1}({x:A}, 3)"],
    ),
    (
        "function: takes a function",
        """
def {h1}(f, u, v):
    return f(u, v) {op} f(v, u)
""",
        [
            "{t1} = {h1}(np.maximum, {A}, {E})",
            "{t1} = {h1}(lambda y, z: y * 2 - z, {A}, {A}[0])",
            "{t1} = {h1}(np.subtract, {A}, {x:A})",
            "{s1} = {x:A}\n{t1} = {h1}(lambda y, z: y + z * {s1}, {A}, {e:A})",
        ],
    ),
    (
        "function: calls in its own loop",
        """
def {h1}_one(p, u, i):
    s = p
    for j in range(i):
        s = s {op} u[j]
    return s


def {h1}(u, out):
    for i in range(len(u)):
        out[i] = {h1}_one(u[i], u, i)
""",
        ["{h1}({V}, {W})", "{h1}({V}, {V})", "{h1}({M}[0], {M}[1])", "{t1} = np.zeros_like({V})\n{h1}({V}, {t1})"],
    ),
    (
        "function: raises",
        """
def {h1}(u, p):
    if u[0] == p:
        raise ValueError("the first")
    for i in range(len(u)):
        if u[i] == 3:
            raise RuntimeError("a three")
        u[i] {aug} 1
    return u[-1]
""",
        ["{s1} = {h1}({V}, 7)", "{s1} = {h1}({V}, {x:V})", "{s1} = {h1}({M}[0], 0) + {h1}({M}[1], 1)", "{h1}({V}, -1)"],
    ),
]

# Defined where they stand, in the kernel.
CLOSURES = {
    "function: a closure": [
        """
{s1} = {F}
def {g1}(z):
    return z * {s1} {op} {R}[0]
{t1} = {g1}({R})
{s1} = {F}
{t2} = {g1}({t1}) + {g1}({R})""",
        """
def {g1}(z, k=2):
    {A}[0] = z
    return {A} * k
{t1} = {g1}({x:A})
{t2} = {g1}({x:A}, 3) {op} {A}""",
        """
{t1} = {A} * 1
def {g1}(z):
    {t1}[z] {aug} {A}[z]
{g1}(0)
{g1}(-1)
{t1} {aug} 1
{g1}(1)""",
    ],
    "function: a lambda": [
        """
{g1} = lambda z, k={N}: z * k {op} {l:A}
{t1} = {g1}({A}) + {g1}({A}[0])
{t2} = {g1}({A}, k=2)""",
        """
{g1} = lambda y, z: np.where(y {cmp} z, y, z)
{t1} = {g1}({A}, {e:A}) {op} {g1}({A}[0], {A})""",
        """
{s1} = {I}
{g1} = lambda z: z + {s1}
{s1} = {I}
{t1} = {g1}({C}) - {C}""",
        """
{g1} = [lambda z, k=k: z * k {op} 1 for k in range(3)]
{t1} = {g1}[2]({A}) - {g1}[1]({A})""",
    ],
    "function: a closure in a loop": [
        """
def {g1}(z, k):
    return z[k] {op} {V}[0]
for {i} in range(1, {n:V}):
    {V}[{i}] = {g1}({V}, {i} - 1)""",
        """
for {i} in range({n:V}):
    {g1} = lambda z: z + {i}
    {V}[{i}] {aug} {g1}({V}[{i}])""",
    ],
}


class File:
    """The functions of a program's file, and the namespace in which they and the kernel's statements run."""

    def __init__(self, identity, hidden):
        self.id = identity
        self.hidden = hidden
        self.texts = []
        self.known = []  # (row, name, calls)
        self.names = 0

    def new_name(self):
        self.names += 1
        return f"h{self.names}_{self.id}"

    def define(self, text):
        with np.errstate(all="ignore"):
            exec(text, self.hidden)
        self.texts.append(text)


class Functions:
    """Part of Body: definitions of the file, and calls of those that there are."""

    def function_call(self):
        known = self.file.known
        if not known or (len(self.file.texts) < 3 and self.chance(0.5)):
            self.define_function()
            if self.chance(0.5):
                self.call_known(known[-1])
        self.call_known(self.rng.choice(known))

    def define_function(self):
        row, text, calls = self.rng.choice(TOP_LEVEL)
        name = self.file.new_name()
        choices = {**OPERATORS, "N": "0 1 2 3", "h1": name}
        text = re.sub(r"\{(\w+)\}", lambda m: self.rng.choice(choices[m[1]].split()), text.strip("\n"))
        self.file.define(text + "\n")
        self.file.known.append((row, name, calls))

    def call_known(self, function):
        row, name, calls = function
        self.pattern({row: calls}, {"h1": name})
        if self.loops:
            self.rows.append("function: called in a loop")
        if self.dynamic > self.loops:
            self.rows.append("function: called in a branch")

    def closure(self):
        self.pattern(CLOSURES)
