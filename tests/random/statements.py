"""Random statements of one function around the expressions of expressions.py; each is carried out as it is written."""

import re

import numpy as np

import aliasing
import joins
import raising
import selections
import spotlight
from expressions import SIZES, Expressions, Skip, kind_of
from functions import Functions
from patterns import Patterns

CAST_SAFE = {"b": "b", "i": "bi", "f": "bif", "c": "bifc"}


class Body(Patterns, Functions, Expressions):
    """One function's statements."""

    def __init__(self, rng, file):
        super().__init__(rng, file.hidden)
        self.file = file
        self.lines = []
        self.call_helper = None  # makes a function of random statements, and gives a call of it
        self.rows = []  # of coverage, that the lines stand for
        self.depth = 1
        self.dynamic = 0  # how many blocks that may not run, or run often, are open
        self.loops = 0
        self.counter = 0
        self.frozen = set()  # names that are not rebound

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def emit(self, text, run=True):
        """Writes a statement and carries it out on the sample values."""
        if run:
            with np.errstate(all="ignore"):
                try:
                    exec(text, self.hidden, self.env)
                except Exception as error:
                    raise Skip(text) from error
        self.lines.append("    " * self.depth + text)

    def open(self, text):
        self.lines.append("    " * self.depth + text)
        self.depth += 1

    def shape_of_some(self):
        names = self.arrays()
        shape = self.env[self.rng.choice(names)].shape if names else ()
        if len(shape) > 2 and self.chance(0.7):
            shape = shape[:2]
        return shape if self.chance(0.85) else shape[1:]

    # ---- simple statements

    def new_name(self):
        """A temporary of some shape, or a number."""
        if self.chance(0.35):
            return self.new_scalar()
        kind = self.any_kind("ffffiiibc" if self.arrays("c") else "ffffiiib")
        text = self.full(self.shape_of_some(), kind, self.rng.choice([1, 2, 2, 3]))
        if text in self.env:
            text = f"{text}.copy()"
        self.emit(f"{self.fresh('t')} = {text}")

    def new_scalar(self):
        kind = self.any_kind("fffiiib")
        self.emit(f"{self.fresh('s')} = {self.expression((), kind, self.rng.choice([0, 1, 2, 3]))}")

    def reshaped(self):
        """A temporary made from an array's own form."""
        names = self.arrays()
        if not names:
            raise Skip
        name = self.rng.choice(names)
        a = self.env[name]
        kind = kind_of(a)
        forms = [f"{name}.reshape(-1)", f"np.ravel({name})", f"{name}.T.copy()", f"{name}[::-1]", f"{name}[..., ::2]"]
        forms += [f"{name}.copy()", f"np.zeros_like({name})", f"np.full({name}.shape, {self.literal(kind)}, dtype={name}.dtype)"]
        forms += [f"{name}[1:] - {name}[:-1]" if kind in "if" else f"{name}[1:]", f"np.flip({name})", f"{name}[None]"]
        if kind != "b":
            forms += [f"np.cumsum({name}, axis={self.rng.randrange(a.ndim)})", f"np.roll({name}, {self.rng.choice(['1', '-1', '2'])}, axis=0)"]
            forms += [f"np.concatenate(({name}, {name}[::-1]))", f"np.repeat({name}, 2, axis=0)"]
        if a.ndim == 2:
            names = [next((n for n, s in SIZES.items() if s == e and n in self.env), None) for e in a.shape]
            if all(names):
                forms += [f"{name}.reshape({names[1]}, {names[0]})", f"np.reshape({name}, ({names[0]}, {names[1]}, 1))"] * 2
            forms += [f"{name}[:, 1:-1]", f"np.swapaxes({name}, 0, 1)", f"{name}[:, ::-1]"]
        text = self.rng.choice(forms)
        if self.dynamic or text.endswith(("reshape(-1)", "::2]", "::-1]")) or self.chance(0.5):
            text = f"{text} + {'0' if kind == 'i' else 'False' if kind == 'b' else '0.0'}" if kind != "b" else f"~({text})"
        self.emit(f"{self.fresh('t')} = {text}")

    def target(self):
        """An array's view to store into: (text, value)."""
        name = self.rng.choice([n for n in self.arrays() if n not in self.frozen] or [None])
        if name is None:
            raise Skip
        a = self.env[name]
        pick = self.rng.random()
        if pick < 0.2:
            text = f"{name}[:]" if self.chance(0.7) else f"{name}[...]"
        elif pick < 0.45 or (self.indices and pick < 0.75):
            text = f"{name}[{', '.join(self.position(s) for s in a.shape)}]"
        else:
            items = []
            for extent in a.shape:
                if self.chance(0.3):
                    items.append(self.position(extent))
                else:
                    items.append(self.rng.choice("1: :-1 ::-1 ::2 1::2 : : -2::-1 2: :-2 1:-1 :3 -3: -4:-1 ::4".split()))
            text = f"{name}[{', '.join(items)}]"
        return name, text, self.value(text)

    def apart(self, view, value):
        """What may be stored to the view: NumPy stores overlapping views of one dimension in place where their strides have one
        sign, also where they differ, and then reads what it has stored. Of one element the strides say nothing of other sizes."""
        source = self.value(value)
        differ = np.ndim(view) == np.ndim(source) == 1 and (view.strides != source.strides or view.size <= 1)
        return f"({value}).copy()" if differ and np.may_share_memory(view, source) else value

    def store(self):
        name, text, view = self.target()
        kind = kind_of(view)
        source = kind if self.chance(0.8) else self.rng.choice(CAST_SAFE[kind])
        value = self.expression(np.shape(view), source, self.rng.choice([1, 2, 2, 3]))
        if kind == "i" and source == "i" and "u" in self.env[name].dtype.str and np.ndim(view) == 0:
            value = f"abs({value}) % 50"
        self.emit(f"{text} = {self.apart(view, value)}")

    def augment(self):
        name, text, view = self.target()
        kind = kind_of(view)
        if text.endswith("[:]") and self.chance(0.7):
            text = name
        ops = {"b": "|= &= ^=", "i": "+= -= *= //= %= &= |= ^= <<= >>=", "f": "+= -= *= /= += -=", "c": "+= -= *="}[kind]
        source = kind if self.chance(0.85) else self.rng.choice(CAST_SAFE[kind])
        value = self.expression(np.shape(view), source, self.rng.choice([0, 1, 2]))
        self.emit(f"{text} {self.rng.choice(ops.split())} {value}")

    def scalar_update(self):
        names = [n for n in self.env if n[0] in "sxq" and not np.ndim(self.env[n]) and n not in self.frozen]
        if not names:
            raise Skip
        name = self.rng.choice(names)
        have = self.env[name]
        kind = kind_of(have)
        wanted = "f" if kind == "i" and isinstance(have, int) and self.chance(0.15) else kind
        if self.chance(0.5):
            op = {"b": "|= &= ^=", "i": "+= -= += //= %= &=", "f": "+= -= *= /=", "c": "+="}[kind].split()
            text = f"{name} {self.rng.choice(op)} {self.expression((), wanted, 1)}"
        else:
            text = f"{name} = {self.expression((), wanted, 2)}"
        before = dict(self.env)
        lines = len(self.lines)
        self.emit(text)
        now = self.env[name]
        widened = type(have) is int and type(now) is float
        if self.dynamic and type(now) is not type(have) and not widened:
            self.env = before
            del self.lines[lines:]
            raise Skip

    def swap(self):
        groups = {}
        for name, v in self.env.items():
            if isinstance(v, np.ndarray) and name not in self.frozen:
                groups.setdefault((v.dtype, v.shape), []).append(name)
        pairs = [g for g in groups.values() if len(g) > 1] if not self.dynamic or self.chance(0.3) else []
        scalars = [n for n in self.env if n[0] == "s" and isinstance(self.env[n], (float, np.float64)) and n not in self.frozen]
        if pairs and (self.chance(0.6) or len(scalars) < 2):
            a, b = self.rng.sample(self.rng.choice(pairs), 2)
            # What is stored to after a swap is still the caller's array.
            return self.emit(f"{a}, {b} = {b}, {a}")
        same = [n for n in scalars if type(self.env[n]) is type(self.env[scalars[0]])] if scalars else []
        if len(same) < 2:
            raise Skip
        a, b = self.rng.sample(same, 2)
        self.emit(f"{a}, {b} = {b}, {a} + {b}" if self.chance(0.5) else f"{a}, {b} = {b}, {a}")

    def scatter(self):
        options = []
        for name, bound in self.index_arrays.items():
            index = self.env.get(name)
            if index is None:
                continue
            for target in self.arrays():
                have = self.env[target].shape
                if target in self.frozen or not have or have[0] != SIZES[bound]:
                    continue
                options.append((target, name, index.shape + have[1:], f"{target}[{name}]"))
                if len(have) == 2 and have[1] == SIZES[bound]:
                    options.append((target, name, (have[0],) + index.shape, f"{target}[:, {name}]"))
        if not options:
            raise Skip
        target, index, shape, place = self.rng.choice(options)
        kind = kind_of(self.env[target])
        value = self.expression(shape, kind, 1)
        pick = self.rng.random()
        if pick < 0.4:
            return self.emit(f"{place} = {value}")
        if pick < 0.75 and kind != "b":
            return self.emit(f"{place} {self.rng.choice(['+=', '-=', '*='])} {value}")
        if ":" in place or kind == "b":
            raise Skip
        f = self.rng.choice(["add", "subtract", "maximum", "minimum"] if kind in "if" else ["add"])
        self.emit(f"np.{f}.at({target}, {index}, {value})")

    def masked(self):
        names = [n for n in self.arrays() if n not in self.frozen]
        if not names:
            raise Skip
        name = self.rng.choice(names)
        a = self.env[name]
        mask = self.full(a.shape, "b", 1)
        if np.may_share_memory(self.value(mask), a):
            mask = f"({mask}).copy()"  # NumPy reads the mask as it stores
        if self.chance(0.5):
            return self.selected(name, mask)
        self.emit(f"{name}[{mask}] = {self.expression((), kind_of(a), 1)}")

    def selected(self, name, mask):
        """Loads through a mask, and stores of as many values."""
        a = self.env[name]
        kind = kind_of(a)
        chosen = self.fresh("m")
        self.emit(f"{chosen} = {mask}" + ("" if mask not in self.env else ".copy()"))
        forms = [f"{name}[{chosen}] = {self.full(a.shape, kind, 1)}[{chosen}]"]
        forms += [f"{name}[{chosen}] = {name}[{chosen}][::-1]"]
        if kind in "if":
            forms += [f"{name}[{chosen}] {self.rng.choice(['+=', '-='])} {self.expression((), kind, 1)}"]
            forms += [f"{self.fresh('s')} = np.{self.rng.choice(['sum', 'max'])}({name}[{chosen}])"]
        forms += [f"{self.fresh('s')} = len({name}[{chosen}])", f"{self.fresh('s')} = np.sum(np.nonzero({chosen})[-1])"]
        if a.ndim == 2:
            row = f"{chosen}[{self.position(a.shape[0])}]"
            forms += [f"{name}[:, {row}] = {self.expression((), kind, 1)}", f"{self.fresh('s')} = {name}[:, {row}].shape[1]"]
        self.emit(self.rng.choice(forms))

    def chosen_array(self):
        """One of two arrays, by a condition."""
        names = self.arrays()
        if not names:
            raise Skip
        name = self.rng.choice(names)
        a = self.env[name]
        other = self.full(a.shape, kind_of(a), 1)
        if self.value(other).dtype != a.dtype:
            raise Skip
        text = f"({name} if {self.condition((), 1)} else {other})"
        keep = {"i": "+ 0", "f": "+ 0.0", "c": "+ 0.0"}.get(kind_of(a))
        self.emit(f"{self.fresh('t')} = {text} {keep}" if keep else f"{self.fresh('t')} = ~{text}")

    def element(self):
        """A Python int that memory holds."""
        arrays = [n for n in self.arrays("i") if self.env[n].ndim == 1 and len(self.env[n]) > 2]
        if not arrays:
            raise Skip
        return f"int({self.rng.choice(arrays)}[{self.rng.choice(['0', '1', '-1', '-2'])}])"

    def found_index(self):
        """A place in an array that is known only at run time, loaded or stored to."""
        names = [(n, s) for n in self.arrays() if n not in self.frozen for s in SIZES if s in self.env and SIZES[s] == len(self.env[n])]
        if not names:
            raise Skip
        name, size = self.rng.choice(names)
        at = self.fresh("s")
        self.emit(f"{at} = {self.element()} % {size}")
        self.frozen.add(at)
        rank = self.env[name].ndim
        if rank == 1 or self.chance(0.5):
            place = f"{name}[{at}]"
            value = self.expression(self.env[name].shape[1:], kind_of(self.env[name]), 1)
            return self.emit(f"{place} = {self.apart(self.value(place), value)}")
        self.emit(f"{self.fresh('t')} = {name}[{at}] * 1")

    def holes(self, shape):
        """What may stand in each hole of a spotlight's template."""

        def indexed(rank, axis):
            index = next(iter(self.index_arrays))
            extent = SIZES[self.index_arrays[index]]
            names = [n for n in self.arrays() if self.env[n].ndim >= rank and n != index]
            fitting = [n for n in names if all(self.env[n].shape[k] == extent for k in axis) and kind_of(self.env[n]) in "if"]
            if not fitting:
                raise Skip
            return self.rng.choice(fitting)

        def integer():
            names = [n for n in self.scalars("i") if type(self.env[n]) is int]
            arrays = [n for n in self.arrays("i") if self.env[n].ndim == 1]
            if arrays and self.chance(0.4):
                return f"int({self.rng.choice(arrays)}[{self.position(3)}])"
            return self.rng.choice(names)

        return {
            **{k: (lambda k=k: self.expression(shape, k, 1)) for k in "fibc"},
            **{k.upper(): (lambda k=k: self.expression((), k, 1)) for k in "fib"},
            "W": integer,
            "V": self.element,
            "A": lambda: self.rng.choice(self.arrays("f") or self.arrays("i")),
            "X": lambda: self.rng.choice(self.arrays("f") + self.arrays("i")),
            "D": lambda: next(iter(self.index_arrays)),
            "T": lambda: indexed(1, [0]),
            "T2": lambda: indexed(2, [1]),
            "TT": lambda: indexed(2, [0, 1]),
            "t": lambda: self.literal("i"),
        }

    def spotlit(self):
        if self.chance(0.03):
            return self.found_index()
        kind, template = self.rng.choice(spotlight.TEMPLATES)
        if kind in "as" and "{D}" in template and not self.index_arrays:
            raise Skip
        shape = self.shape_of_some()
        makers = self.holes(shape)
        text = re.sub(r"\{(\w+)\}", lambda m: makers[m[1]](), template)
        if kind == "s":
            return self.emit(text)
        value = self.value(text)
        stem = "t" if isinstance(value, np.ndarray) and value.ndim else "s"
        self.emit(f"{self.fresh(stem)} = {text}")

    def unpack(self):
        first = self.expression((), "f", 1)
        second = self.expression((), self.any_kind("fi"), 1)
        self.emit(f"{self.fresh('s')}, {self.fresh('s')} = {first}, {second}")

    # ---- blocks

    def block(self, count):
        for _ in range(count):
            self.statement()
        if not self.lines or self.lines[-1].endswith(":"):
            self.lines.append("    " * self.depth + "pass")

    def scoped(self, make):
        """Runs `make`; names that it binds are unknown afterwards, and kinds stay what they were."""
        known = set(self.env)
        self.dynamic += 1
        indices = list(self.indices)
        make()
        self.dynamic -= 1
        self.depth -= 1
        self.indices = indices
        for name in set(self.env) - known:
            del self.env[name]

    def for_loop(self):
        if self.loops >= 2:
            raise Skip
        index = "ijl"[self.loops]
        if index in self.env:
            raise Skip
        sizes = [n for n in SIZES if n in self.env]
        if not sizes:
            raise Skip
        size = self.rng.choice(sizes)
        forms = [f"range({size})"] * 3 + [f"range(1, {size})", f"range({size} - 1, -1, -1)", f"range(0, {size}, 2)"]
        forms += [f"range({size}, 0, -3)", "range(3)", f"range(2, {size} - 1)", f"range({size} - 2, 0, -1)", "range(4, 4)", "range(-2, 2)"]
        forms += [f"range({self.position(3)}, {size}, 3)", f"range({size}, 2)"]
        ints = [n for n in self.scalars("i") if isinstance(self.env[n], int) and n not in SIZES and abs(self.env[n]) < 20]
        if ints:
            forms += [f"range({self.rng.choice(ints)}, {size})", f"range({size}, {self.rng.choice(ints)}, -1)"]
        text = self.rng.choice(forms)
        steps = list(self.value_of_range(text))
        self.open(f"for {index} in {text}:")

        def body():
            self.loops += 1
            self.env[index] = steps[0] if steps else 1
            self.frozen.add(index)
            base = self.env[index]
            self.indices = [(index, base)] * 3 + self.indices
            for extra in (f"{index} - 1", f"{index} // 2", f"-{index} - 1", f"{size} - 1 - {index}", f"({index} * 2) % {size}", f"{index} + 1"):
                if self.chance(0.2 if extra.endswith("+ 1") else 0.4):
                    self.indices.append((extra, eval(extra, {}, {**SIZES, index: base})))
            self.block(self.rng.choice([1, 1, 2, 2, 3]))
            self.leave()
            self.loops -= 1

        self.scoped(body)
        self.otherwise()

    def otherwise(self):
        """The else of a loop."""
        if self.chance(0.15):
            self.open("else:")
            self.scoped(lambda: self.block(1))

    def value_of_range(self, text):
        try:
            return eval(text, self.hidden, self.env)
        except Exception as error:
            raise Skip from error

    def leave(self):
        if self.loops and self.chance(0.2):
            word = self.rng.choice(["break", "continue"])
            self.lines.append("    " * self.depth + f"if {self.condition((), 1)}:")
            self.lines.append("    " * (self.depth + 1) + word)
            if self.chance(0.7):
                self.statement()

    def while_loop(self):
        if self.loops >= 2:
            raise Skip
        counter = self.fresh("w")
        self.emit(f"{counter} = 0")
        self.frozen.add(counter)
        limit = self.rng.choice(["5", "3"] + [n for n in SIZES if n in self.env])
        extra = f" and {self.condition((), 1)}" if self.chance(0.4) else ""
        self.open(f"while {counter} < {limit}{extra}:")

        def body():
            self.loops += 1
            self.emit(f"{counter} += 1")
            self.indices = [(f"{counter} - 1", 0)] * 2 + self.indices
            self.block(self.rng.choice([1, 2]))
            self.leave()
            self.loops -= 1

        self.scoped(body)
        self.otherwise()

    def branch(self):
        self.open(f"if {self.condition((), self.rng.choice([1, 2]))}:")
        both = self.fresh("s") if self.chance(0.3) else None
        kind = self.any_kind("ffi")

        def arm():
            self.block(self.rng.choice([1, 1, 2]))
            if both:
                form = {"f": "float({})", "i": "int({})"}[kind] if kind == "f" or self.chance(0.5) else "np.int64({})"
                self.emit(f"{both} = {form.format(self.expression((), kind, 1))}")

        self.scoped(arm)
        if self.chance(0.25):
            self.open(f"elif {self.condition((), 1)}:")
            self.scoped(arm)
        if both or self.chance(0.5):
            self.open("else:")
            self.scoped(arm)
        if both:
            self.emit(f"{both} = {both} + {self.literal(kind)}", run=False)
            self.env[both] = 1.5 if kind == "f" else 1
            if kind == "i":
                self.frozen.add(both)

    def random_function(self):
        if self.call_helper is None:
            raise Skip
        self.emit(f"{self.fresh('t')} = {self.call_helper(self.shape_of_some(), self.any_kind(), 2)}")

    def templated(self):
        """A statement by one of the tables of templates."""
        pick = self.rng.random()
        if pick < 0.36:
            return self.function_call() if pick < 0.25 else self.closure() if pick < 0.32 else self.random_function()
        table = joins if pick < 0.53 else aliasing if pick < 0.71 else selections if pick < 0.91 else raising
        self.pattern(table.ROWS)

    def statement(self):
        simple = [self.new_name] * 3 + [self.reshaped, self.store, self.store, self.store, self.augment, self.augment]
        simple += [self.scalar_update, self.scalar_update, self.swap, self.scatter, self.masked, self.unpack]
        simple += [self.chosen_array] if self.chance(0.15) else []
        blocks = [self.for_loop] * 2 + [self.while_loop, self.branch]
        simple += [self.templated] * 4
        pool = simple + (blocks if self.depth <= 2 else blocks[:2] if self.depth == 3 else [])
        try:
            self.tried(lambda: self.whole(self.rng.choice(pool)))
        except Skip:
            self.lines.append("    " * self.depth + "pass")

    def whole(self, make):
        """Runs `make`; what it had begun is undone where it comes to nothing."""
        lines, rows, env, depth = len(self.lines), len(self.rows), dict(self.env), self.depth
        state = (self.dynamic, list(self.indices), self.loops, set(self.frozen))
        texts, known = len(self.file.texts), len(self.file.known)
        try:
            make()
        except (Skip, ValueError, IndexError):
            del self.lines[lines:]
            del self.rows[rows:]
            del self.file.texts[texts:]
            del self.file.known[known:]
            self.env, self.depth = env, depth
            self.dynamic, self.indices, self.loops, self.frozen = state
            raise Skip from None
