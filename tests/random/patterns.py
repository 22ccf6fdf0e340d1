"""Statements made from templates of several lines: joins, aliasing stores, selections, traps, calls of functions.

A template is filled line by line, and carried out as soon as a statement of it is complete. Its holes:

- A, any array of numbers; V, one of one dimension; M, of two; S, square; R, of floats and one dimension; J, of integers; C too,
  but only to be read; and D, an index array with T, what it indexes. E and W are an array of the shape and kind of A and V. Each is the same wherever it stands.
- s1 t1 r1 m1 g1 h1: fresh names, and i, j of loops. What several paths bind to a Python and a NumPy number is an r: nothing
  else reads those, since division by a 0 tells the two apart (design.md 3: they become the wider of the two).
- F I Q: a new float, integer, bool. {e:A}: an expression that broadcasts to A; {full:A}: of its shape; {x:A}: a number of its kind;
  {l:A}: a literal; {m:A}: a mask of its shape; {n:A}: its length; {p:A}: a place in it.
- rare, often: conditions that are seldom and mostly true. op, aug, cmp: an operator. N: a small literal.
"""

import re

import numpy as np

from expressions import SIZES, Skip, allowed, kind_of

RARE = 3  # what the arrays that a program is made with do not hold: a test for it leads to a trap in few calls
ARRAYS = {"A": ("if", None), "V": ("if", 1), "M": ("if", 2), "S": ("if", 2), "R": ("f", 1), "C": ("i", 1), "J": ("i", 1)}
LIKE = {"E": "A", "W": "V"}
OPERATORS = {"op": "+ - * + -", "aug": "+= -= += *=", "cmp": "< > <= >= == !="}
LEAVING = re.compile(r"\s*(else|elif|except|finally)\b")


class Filling:
    """One use of a template in a body."""

    def __init__(self, body, names):
        self.body = body
        self.names = dict(names)
        self.loops = []  # (indentation, index name) of the template's own loops at hand

    def hole(self, what, of):
        body, rng = self.body, self.body.rng
        if what in OPERATORS:
            return rng.choice(OPERATORS[what].split())
        if what == "N":
            return rng.choice("0 1 2 3".split())
        if what in "FIQ":
            return body.expression((), {"F": "f", "I": "i", "Q": "b"}[what], 1)
        if what in ("rare", "often"):
            return self.condition(what == "often")
        if of:
            return self.about(what, self.name(of))
        return self.name(what)

    def name(self, what):
        if what not in self.names:
            self.names[what] = self.new_name(what)
        return self.names[what]

    def new_name(self, what):
        body = self.body
        if what in "ij":
            free = [n for n in "ijl" if n not in body.env and n not in self.names.values()]
            if not free:
                raise Skip
            return free[0]
        if what in LIKE:
            return self.like(self.name(LIKE[what]))
        if what in "DT" and len(what) == 1:
            return self.indexed(what)
        if what not in ARRAYS:
            return body.fresh(what[0])
        kinds, rank = ARRAYS[what]
        fitting = [n for k in kinds for n in body.arrays(k, rank) if n not in body.frozen or what == "C"]
        fitting = [n for n in fitting if what != "S" or len(set(body.env[n].shape)) == 1]
        if not fitting:
            raise Skip
        return body.rng.choice(fitting)

    def like(self, name):
        """Another array of this one's shape and dtype; made where there is none."""
        body = self.body
        have = body.env[name]
        same = [n for n in body.arrays(kind_of(have)) if body.env[n].shape == have.shape and n != name and n not in body.frozen]
        same = [n for n in same if body.env[n].dtype == have.dtype]
        if same and body.chance(0.7):
            return body.rng.choice(same)
        made = body.fresh("t")
        text = body.full(have.shape, kind_of(have), 1)
        body.emit(f"{made} = ({text}).astype({name}.dtype)")
        return made

    def indexed(self, what):
        body = self.body
        index = body.rng.choice(list(body.index_arrays) or [None])
        if index is None or index not in body.env:
            raise Skip
        self.names["D"] = index
        extent = SIZES[body.index_arrays[index]]
        fitting = [n for n in body.arrays("i") + body.arrays("f") if n not in body.frozen and body.env[n].shape[0] == extent]
        if not fitting:
            raise Skip
        self.names["T"] = body.rng.choice(fitting)
        return self.names[what]

    def about(self, what, name):
        body = self.body
        have = body.env[name]
        kind = kind_of(have)
        if what == "e":
            return body.expression(have.shape, kind, body.rng.choice([0, 1, 2]))
        if what == "full":
            return body.full(have.shape, kind, body.rng.choice([1, 2]))
        if what == "x":
            return body.expression((), kind, 1)
        if what == "l":
            return body.literal(kind).replace("-", "") if "u" in have.dtype.str else body.literal(kind)
        if what == "n":
            names = [n for n, s in SIZES.items() if s == len(have) and n in body.env]
            return body.rng.choice(names + [f"len({name})", f"{name}.shape[0]"])
        if what == "p":
            return body.position(len(have))
        if what == "m":
            mask = body.full(have.shape, "b", 1)
            # NumPy reads a mask that lies in the array as it stores.
            return f"({mask}).copy()" if np.may_share_memory(body.value(mask), have) else mask
        raise KeyError(what)

    def condition(self, wanted):
        body = self.body

        def one():
            array = body.rng.choice(body.arrays("f") + body.arrays("i") or [None])
            if array is None:
                raise Skip
            place = ", ".join(body.position(s) for s in body.env[array].shape)
            text = body.rng.choice([f"{array}[{place}] == {RARE}", f"np.any({array} == {RARE})", f"{array}[{place}] > 6", f"{array}[{place}] < -2"])
            if bool(body.value(text)):
                raise Skip
            return text

        return f"not {body.tried(one)}" if wanted else body.tried(one)

    def line(self, text):
        indent = len(text) - len(text.lstrip())
        body = self.body
        while self.loops and indent <= self.loops[-1][0]:
            _, index, before, had = self.loops.pop()
            body.indices = before
            if not had:
                body.env.pop(index, None)
        out = re.sub(r"\{(\w+)(?::(\w+))?\}", lambda m: self.hole(m[1], m[2]), text)
        loop = re.match(r"for (\w) in range", out.lstrip())
        if loop:
            index = loop[1]
            self.loops.append((indent, index, list(body.indices), index in body.env))
            body.env[index] = 1
            body.indices = [(index, 1)] * 3 + body.indices
        return out

    def run(self, template):
        body = self.body
        chunk = []
        for text in template.strip("\n").split("\n"):
            if chunk and not text.startswith(" ") and not LEAVING.match(text):
                body.emit_all(chunk)
                chunk = []
            chunk.append(self.line(text))
        self.line("")  # leaves the template's loops
        body.emit_all(chunk)


class Patterns:
    """Part of Body."""

    def emit_all(self, lines):
        """Writes a statement of several lines and carries it out; functions in it see the names around it."""
        scope = {**self.hidden, **self.env}
        with np.errstate(all="ignore"):
            try:
                exec("\n".join(lines), scope)
            except Exception as error:
                raise Skip from error
        for name, value in scope.items():
            if name in self.hidden or name.startswith("__"):
                continue
            if not allowed(value) and not callable(value) and not isinstance(value, (tuple, list, type(None))):
                raise Skip
            self.env[name] = value
        self.lines += ["    " * self.depth + line for line in lines]

    def pattern(self, rows, names=()):
        """One of the templates of a table {row: templates}; gives the names in it."""
        row = self.rng.choice(list(rows))
        filling = Filling(self, dict(names))
        filling.run(self.rng.choice(rows[row]))
        self.rows.append(row)
        for name in filling.names.values():  # indices and joined numbers are read by their templates only
            if name in self.env and name[0] in "ijlrg" and name not in SIZES and name not in self.index_arrays:
                del self.env[name]
        return filling.names
