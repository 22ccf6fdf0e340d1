"""Random NumPy expressions of a wanted shape and kind.

Every expression is evaluated as it is made, on arrays whose sizes all differ, so that its dtype and shape are known:
equal sizes there are equal for every size. Kinds: b bool, i integer, f float, c complex.
"""

import itertools
import warnings

import numpy as np

warnings.simplefilter("ignore")

# No slice of one is as long as one of the others, or a slice of it.
SIZES = {"n": 11, "m": 19, "k": 41}
REAL_UNARY = """np.sqrt np.cbrt np.exp np.exp2 np.expm1 np.log np.log2 np.log10 np.log1p np.sin np.cos np.tan np.arcsin np.arccos
np.arctan np.sinh np.cosh np.tanh np.arcsinh np.arccosh np.arctanh np.floor np.ceil np.trunc np.rint np.sign np.square np.abs
np.negative np.reciprocal np.degrees scipy.special.erf scipy.special.erfc scipy.special.gamma np.nan_to_num np.fabs np.conj""".split()
EXACT_UNARY = "np.sqrt np.floor np.ceil np.trunc np.rint np.sign np.square np.abs np.negative np.reciprocal np.nan_to_num".split()
REAL_BINARY = """np.add np.subtract np.multiply np.divide np.minimum np.maximum np.fmin np.fmax np.fmod np.remainder np.floor_divide
np.copysign np.arctan2 np.power np.hypot np.logaddexp np.logaddexp2""".split()
EXACT_BINARY = [f for f in REAL_BINARY if f not in ("np.arctan2", "np.power", "np.hypot", "np.logaddexp", "np.logaddexp2")]
INTEGER_BINARY = """np.add np.subtract np.multiply np.minimum np.maximum np.fmin np.fmax np.fmod np.remainder np.floor_divide
np.bitwise_and np.bitwise_or np.bitwise_xor np.left_shift np.right_shift np.gcd np.lcm""".split()
SLICES = """: 1: :-1 1:-1 2: :-2 ::-1 ::2 1::2 ::3 -2::-1 :0:-1 -1:0:-1 ::-2 :-1:2 1:-1:2 5:1:-1 :3 1:4 2:5 3:20 :50 -50:2
-60: 60::-1 :-70:-1 :1 0:0 3:1 -1: 1:2 4:0:-2""".split()
DTYPES = {
    "b": ["bool"],
    "i": ["int64"] * 8 + ["int32"] * 4 + ["int8", "int16", "uint8", "uint16", "uint32", "uint64"],
    "f": ["float64"] * 4 + ["float32"],
    "c": ["complex128"] * 2 + ["complex64"],
}
FLOAT_TEXTS = "0.5 -1.5 2.0 0.1 3.0 1e-3 0.25 -0.0 1.0 100.0 7.5".split()
INTEGER_TEXTS = "0 1 2 3 5 7 -1 -2 -3 4 8 13".split()


class Skip(Exception):
    """This try came to nothing; make another."""


def kind_of(value):
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int):
        return "i"
    if isinstance(value, float):
        return "f"
    if isinstance(value, complex):
        return "c"
    kind = value.dtype.kind
    return "i" if kind == "u" else kind


def allowed(value):
    if isinstance(value, int):
        return abs(value) < 2**62
    if isinstance(value, (bool, float, complex)):
        return True
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc" and value.dtype != np.float16


class Expressions:
    def __init__(self, rng, hidden):
        self.rng = rng
        self.env = {}  # name: value, of what may be read
        self.hidden = hidden  # what every function of the file sees
        self.index_arrays = {}  # name: the symbol that bounds its elements
        self.indices = []  # texts of integers that index well here: (text, value)
        self.exact = True  # no transcendental function

    def chance(self, probability):
        return self.rng.random() < probability

    def value(self, text):
        with np.errstate(all="ignore"):
            try:
                out = eval(text, self.hidden, self.env)
            except Exception as error:
                raise Skip(text) from error
        if not allowed(out):
            raise Skip(text)
        return out

    def tried(self, make, times=12):
        for _ in range(times):
            try:
                return make()
            except (Skip, IndexError):
                pass
        raise Skip

    # ---- leaves

    def arrays(self, kind=None, rank=None):
        return [
            name
            for name, v in self.env.items()
            if isinstance(v, np.ndarray) and v.ndim and (kind is None or kind_of(v) == kind) and (rank is None or v.ndim == rank)
        ]

    def scalars(self, kind):
        return [n for n, v in self.env.items() if not np.ndim(v) and allowed(v) and kind_of(v) == kind]

    def slice_to(self, have, want):
        """A slice that takes `want` of `have` elements."""
        fitting = [s for s in SLICES if len(range(have)[eval(f"slice({','.join(p or 'None' for p in s.split(':'))})")]) == want]
        extra = []
        for name, size in SIZES.items():
            if name in self.env:
                for text in (f":{name}", f"{name} - {have}:", f":{name} - 1", f"1:{name}", f"1:{name} - 1", f"{name} - 1::-1"):
                    parts = [p.strip() for p in text.split(":")]
                    bounds = [eval(p, {}, SIZES) if p else None for p in parts]
                    if str(have) not in text and len(range(have)[slice(*bounds)]) == want:
                        extra.append(text)
        pool = fitting + extra
        if not pool:
            raise Skip
        plain = have == want and self.chance(0.6)
        return ":" if plain else self.rng.choice(pool)

    def position(self, extent):
        """An integer that indexes an extent."""
        local = [text for text, value in self.indices if -extent <= value < extent]
        if local and self.chance(0.75):
            return self.rng.choice(local)
        choice = self.rng.choice(["0", "0", "1", "-1", "-1", "2", "-2", "last", "last"])
        if choice == "last":
            names = [n for n, s in SIZES.items() if s == extent and n in self.env]
            return f"{self.rng.choice(names)} - 1" if names else "-1"
        return choice

    def view(self, name, shape, broadcast=True):
        """A basic-index view of the array, of the shape, or (sometimes) of one that broadcasts to it."""
        base = self.env[name]
        text = name
        extents = list(base.shape)
        if base.ndim > 1 and self.chance(0.15):
            text, extents = (f"{name}.T", extents[::-1]) if self.chance(0.6) else (f"np.transpose({name})", extents[::-1])
        wanted = list(shape)
        if broadcast and wanted and self.chance(0.12):
            wanted = wanted[1:]
        if broadcast and wanted and self.chance(0.08):
            wanted[self.rng.randrange(len(wanted))] = 1
        if base.ndim == 0:
            return text
        items = []
        left = len(extents)
        for k, want in enumerate(wanted):
            need = len(wanted) - k
            while left > need - wanted[k:].count(1) and left > 0 and self.chance(0.5) and left > need - 1:
                if left - 1 < sum(1 for w in wanted[k:] if w != 1):
                    break
                items.append(self.position(extents[len(extents) - left]))
                left -= 1
            if want == 1 and self.chance(0.8):
                items.append("None" if self.chance(0.5) else "np.newaxis")
                continue
            if left == 0:
                raise Skip
            items.append(self.slice_to(extents[len(extents) - left], want))
            left -= 1
        while left:
            items.append(self.position(extents[len(extents) - left]))
            left -= 1
        if all(i == ":" for i in items) and self.chance(0.7):
            return text
        while len(items) > 1 and items[-1] == ":" and self.chance(0.5):
            items.pop()
        if len(items) > 1 and items[0] == ":" and self.chance(0.4) and "..." not in items:
            first = next((i for i, x in enumerate(items) if x != ":"), None)
            if first is not None and first >= 1:
                items = ["..."] + items[first:]
        return f"{text}[{', '.join(items)}]"

    def leaf(self, shape, kind):
        if not shape:
            return self.scalar_leaf(kind)
        names = self.arrays(kind)
        if names and self.chance(0.85):

            def one():
                text = self.view(self.rng.choice(names), shape)
                if np.broadcast_shapes(np.shape(self.value(text)), shape) != tuple(shape):
                    raise Skip
                return text

            try:
                return self.tried(one, 8)
            except (Skip, ValueError):
                pass
        if self.chance(0.3) and kind in "if":
            names = [n for n, s in SIZES.items() if s == shape[-1] and n in self.env]
            if names:
                dtype = "" if kind == "i" and self.chance(0.5) else f", dtype=np.{self.rng.choice(DTYPES[kind])}"
                return f"np.arange({names[0]}{dtype})"
        return self.scalar_leaf(kind)

    def literal(self, kind):
        if kind == "b":
            names = self.scalars("f") + self.scalars("i")
            if names and self.chance(0.8):
                return f"({self.rng.choice(names)} {self.rng.choice(['<', '>=', '!='])} {self.rng.choice(['1', '0', '2.5'])})"
            return self.rng.choice(["True", "False"])
        if kind == "i":
            return self.rng.choice(INTEGER_TEXTS)
        if kind == "f":
            return self.rng.choice(FLOAT_TEXTS)
        return self.rng.choice(["1j", "(0.5+2j)", "-1.5j", "complex(2.0, 0.5)"])

    def scalar_leaf(self, kind):
        if self.chance(0.04) and kind == "f" and (self.arrays("c") or self.scalars("c")):
            return f"np.{self.rng.choice(['real', 'imag', 'abs'])}({self.scalar_leaf('c')})"
        names = self.scalars(kind)
        if names and self.chance(0.6):
            return self.rng.choice(names)
        arrays = self.arrays(kind)
        if arrays and self.chance(0.6):
            name = self.rng.choice(arrays)
            return f"{name}[{', '.join(self.position(s) for s in self.env[name].shape) or '()'}]"
        if kind == "i" and self.indices and self.chance(0.5):
            return self.rng.choice(self.indices)[0]
        return self.literal(kind)

    # ---- inner nodes

    def expression(self, shape, kind, depth):
        """Text whose value broadcasts to the shape (equals it if that is ())."""

        def one():
            if depth <= 0 or self.chance(0.12):
                text = self.leaf(shape, kind)
            else:
                text = getattr(self, f"make_{kind}")(shape, depth - 1)
            got = self.value(text)
            if kind_of(got) != kind or np.broadcast_shapes(np.shape(got), shape) != tuple(shape):
                raise Skip
            return text

        try:
            return self.tried(one)
        except (Skip, ValueError):
            text = self.literal(kind)
            return text

    def any_kind(self, weights="fffffiiib"):
        return self.rng.choice(weights)

    def condition(self, shape, depth):
        return self.expression(shape, "b", depth)

    def shared(self, shape, kind, depth):
        """What arrays of every kind can be made by."""
        pick = self.rng.choice("where fold fold matmul gather gather cast cast conditional swap stack helper".split())
        sub = lambda k=kind, s=shape: self.expression(s, k, depth)
        if pick == "where":
            return f"np.where({self.condition(shape, depth)}, {sub()}, {sub()})"
        if pick == "conditional" and not shape:
            one, other = sub(), sub()
            # Of numbers of two types staging makes one, where Python gives the one that was chosen.
            if type(self.value(one)) is not type(self.value(other)):
                raise Skip
            return f"({one} if {self.condition((), depth)} else {other})"
        if pick == "gather" and shape:
            return self.gather(shape, kind)
        if pick == "swap" and len(shape) == 2:
            inner = self.expression(shape[::-1], kind, depth)
            return f"({inner}).T" if np.shape(self.value(inner)) == shape[::-1] else inner
        if pick == "stack" and shape and shape[0] in (2, 3):
            parts = [self.expression(shape[1:], kind, depth) for _ in range(shape[0])]
            if any(np.shape(self.value(p)) != shape[1:] for p in parts):
                raise Skip
            return f"np.stack(({', '.join(parts)}))" if shape[1:] else f"np.array([{', '.join(parts)}])"
        if pick == "cast":
            source = self.any_kind("ffiib")
            inner = self.expression(shape, source, depth)
            got = self.value(inner)
            options = [d for d in DTYPES[kind] if d != "uint32" or source != "f"]
            if not options:
                raise Skip
            dtype = self.rng.choice(options)
            if isinstance(got, (np.ndarray, np.generic)) and np.ndim(got) == len(shape):
                return f"({inner}).astype(np.{dtype})"
            if kind == "b":
                return f"bool({inner})" if not np.ndim(got) else f"({inner}).astype(bool)"
            if kind == "i" and source == "f":
                return f"int(np.clip({inner}, -1000.0, 1000.0))" if np.isfinite(got) else sub()
            return f"{ {'i': 'int', 'f': 'float', 'c': 'complex'}[kind]}({inner})" if self.chance(0.5) else f"np.{dtype}({inner})"
        if pick == "fold":
            return self.fold(shape, kind, depth)
        if pick == "matmul" and kind in "ifc":
            return self.matmul(shape, kind, depth)
        if pick == "helper" and self.call_helper and self.chance(0.25):
            return self.call_helper(shape, kind, depth)
        raise Skip

    def inner_extent(self):
        names = [n for n in SIZES if n in self.env]
        return SIZES[self.rng.choice(names)] if names and self.chance(0.8) else 3

    def full(self, shape, kind, depth):
        """An expression of exactly this shape."""

        def one():
            text = self.expression(shape, kind, depth)
            if np.shape(self.value(text)) != tuple(shape):
                raise Skip
            return text

        return self.tried(one, 6)

    def fold(self, shape, kind, depth):
        axis = self.rng.randrange(len(shape) + 1)
        inner_shape = shape[:axis] + (self.inner_extent(),) + shape[axis:]
        if len(inner_shape) > 3:
            raise Skip
        whole = not shape and self.chance(0.5)
        keep = ""
        at = str(axis - len(inner_shape) if self.chance(0.3) else axis)
        if shape and shape[axis % len(shape)] == 1 and self.chance(0.7):
            keep, inner_shape = ", keepdims=True", shape[:axis] + (self.inner_extent(),) + shape[axis + 1 :]
        if kind == "b":
            f = self.rng.choice(["any", "all"])
            source = self.any_kind("bbif")
        elif kind == "i":
            f = self.rng.choice(["sum", "prod", "max", "min", "argmax", "argmin", "sum", "count_nonzero"])
            source = "b" if f == "sum" and self.chance(0.3) else self.any_kind("if") if f.startswith("arg") else "i"
        elif kind == "f":
            f = self.rng.choice(["sum", "prod", "max", "min", "mean", "sum"] + ([] if self.exact else ["var", "std"]))
            source = "i" if f == "mean" and self.chance(0.3) else "f"
        else:
            f, source = self.rng.choice(["sum", "prod", "mean"]), "c"
        inner = self.full(inner_shape, source, depth)
        argument = "" if whole else at if self.chance(0.2) and not keep else f"axis={at}"
        if f == "count_nonzero" or self.chance(0.6):
            return f"np.{f}({inner}{', ' if argument or keep else ''}{argument}{keep})"
        return f"({inner}).{f}({argument}{keep})"

    def matmul(self, shape, kind, depth):
        extent = self.inner_extent()
        if len(shape) == 2:
            left, right = (shape[0], extent), (extent, shape[1])
        elif len(shape) == 1:
            left, right = ((extent,), (extent, shape[0])) if self.chance(0.5) else ((shape[0], extent), (extent,))
        elif not shape:
            left, right = (extent,), (extent,)
        else:
            raise Skip
        a, b = self.full(left, kind, depth - 1), self.full(right, kind, depth - 1)
        form = self.rng.choice(["({}) @ ({})", "np.dot({}, {})", "np.matmul({}, {})"])
        return form.format(a, b)

    def gather(self, shape, kind):
        options = []
        for name, bound in self.index_arrays.items():
            index = self.env.get(name)
            if index is None:
                continue
            for source in self.arrays(kind):
                have = self.env[source].shape
                extent = SIZES[bound]
                if have and have[0] == extent and index.shape + have[1:] == tuple(shape):
                    options += [f"{source}[{name}]", f"np.take({source}, {name}, axis=0)"]
                if len(have) == 2 and have[1] == extent and (have[0],) + index.shape == tuple(shape):
                    options += [f"{source}[:, {name}]", f"{source}[..., {name}]"]
                if len(have) == 2 and have[1] == extent and index.shape == tuple(shape):
                    options.append(f"{source}[{self.position(have[0])}, {name}]")
                if len(have) == 2 and have[0] == extent:
                    for other, other_bound in self.index_arrays.items():
                        if other in self.env and SIZES[other_bound] == have[1] and self.env[other].shape == index.shape == tuple(shape):
                            options.append(f"{source}[{name}, {other}]")
        if not options:
            raise Skip
        return self.rng.choice(options)

    def make_f(self, shape, depth):
        sub = lambda k="f": self.expression(shape, k, depth)
        pick = self.rng.random()
        if pick < 0.35:
            op = self.rng.choice("+ - * / + - * / + - * // %".split())
            left, right = sub(), sub(self.any_kind("fffi"))
            return f"({right} {op} {left})" if self.chance(0.3) else f"({left} {op} {right})"
        if pick < 0.42:
            return f"(-{sub()})" if self.chance(0.7) else f"abs({sub()})"
        if pick < 0.58:
            f = self.rng.choice(EXACT_UNARY if self.exact else REAL_UNARY)
            source = "i" if self.chance(0.15) and f not in ("np.reciprocal", "np.square", "np.abs", "np.negative") else "f"
            return f"{f}({sub(source)})"
        if pick < 0.68:
            return f"{self.rng.choice(EXACT_BINARY if self.exact else REAL_BINARY)}({sub()}, {sub()})"
        if pick < 0.72:
            return f"np.clip({sub()}, {self.rng.choice(['-1.5', '0.0', 'None'])}, {self.rng.choice(['2.0', '0.5'])})"
        if pick < 0.76:
            return f"({sub('i')} / {sub('i')})"
        if pick < 0.80 and (self.arrays("c") or self.scalars("c")):
            return self.rng.choice(["np.real({})", "np.imag({})", "({}).real", "({}).imag", "np.abs({})"]).format(sub("c"))
        if pick < 0.83:
            power = self.rng.choice(["2", "2.0", "0.5", "3"]) if self.exact is False else "2"
            return f"({sub()}) ** {power}"
        if not self.exact and not shape and pick < 0.86:
            return f"math.{self.rng.choice(['sin', 'cos', 'atan', 'tanh', 'erf', 'fabs'])}({sub()})"
        return self.shared(shape, "f", depth)

    def make_i(self, shape, depth):
        sub = lambda k="i": self.expression(shape, k, depth)
        pick = self.rng.random()
        if pick < 0.4:
            op = self.rng.choice("+ - * + - * // % & | ^ << >>".split())
            right = self.rng.choice("0 1 2 3 5 7".split()) if op in ("<<", ">>", "//", "%") and self.chance(0.5) else sub()
            return f"({sub()} {op} {right})"
        if pick < 0.5:
            return self.rng.choice(["(-{})", "(~{})", "abs({})", "np.sign({})", "np.abs({})", "np.square({})", "np.invert({})"]).format(sub())
        if pick < 0.62:
            return f"{self.rng.choice(INTEGER_BINARY)}({sub()}, {sub()})"
        if pick < 0.67:
            return f"np.clip({sub()}, {self.rng.choice(['-2', '0', '1'])}, {self.rng.choice(['3', '5', 'None'])})"
        if pick < 0.71:
            return f"({sub()}) ** {self.rng.choice(['2', '3', '0'])}"
        if pick < 0.73 and not shape:
            chosen = [sub(), sub()]
            # Which of Python's and NumPy's the winner is, only running tells; ports take the wider.
            if isinstance(self.value(chosen[0]), int) != isinstance(self.value(chosen[1]), int):
                chosen = [f"int({each})" for each in chosen]
            return f"{self.rng.choice(['min', 'max'])}({', '.join(chosen)})"
        if pick < 0.76 and not shape and self.arrays():
            name = self.rng.choice(self.arrays())
            return f"len({name})" if self.chance(0.5) else f"{name}.shape[0]" if self.chance(0.7) else f"{name}.size"
        if pick < 0.78:
            return f"({sub('b')} + {sub('i')})"
        return self.shared(shape, "i", depth)

    def make_b(self, shape, depth):
        pick = self.rng.random()
        if pick < 0.6:
            kind = self.any_kind("ffiii")
            op = self.rng.choice("< <= > >= == !=".split())
            return f"({self.expression(shape, kind, depth)} {op} {self.expression(shape, self.any_kind('fi') if self.chance(0.2) else kind, depth)})"
        sub = lambda: self.expression(shape, "b", depth)
        if pick < 0.7:
            f = self.rng.choice(["np.isnan", "np.isinf", "np.isfinite", "np.signbit"][: 3 if self.chance(0.9) else 4])
            return f"{f}({self.expression(shape, 'f', depth)})"
        if pick < 0.85:
            form = self.rng.choice(["({} & {})", "({} | {})", "({} ^ {})", "np.logical_and({}, {})", "np.logical_or({}, {})", "np.logical_xor({}, {})"])
            if not shape and self.chance(0.4):
                form = self.rng.choice(["({} and {})", "({} or {})"])
            return form.format(sub(), sub())
        if pick < 0.9:
            return f"(not {sub()})" if not shape else f"np.logical_not({sub()})" if self.chance(0.5) else f"(~({self.full(shape, 'b', depth)}))"
        return self.shared(shape, "b", depth)

    def make_c(self, shape, depth):
        sub = lambda k="c": self.expression(shape, k, depth)
        pick = self.rng.random()
        if pick < 0.5:
            return f"({sub()} {self.rng.choice('+ - * + - /'.split())} {sub(self.any_kind('ccf'))})"
        if pick < 0.65:
            return self.rng.choice(["np.conj({})", "(-{})", "({}).conj()", "np.square({})"] + ([] if self.exact else ["np.exp({})", "np.sqrt({})"])).format(sub())
        if pick < 0.75:
            return f"({sub('f')} + 1j * {sub('f')})"
        return self.shared(shape, "c", depth)


def distinct_shapes(rng, symbols):
    """Extents of an argument: texts over the symbols."""
    pool = list(symbols) * 3 + ["3", "2"] + ([f"{symbols[0]} + 1"] if rng.random() < 0.2 else [])
    rank = rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 2, 3]) or 1
    return [rng.choice(pool) for _ in range(rank)]


assert len(set(itertools.chain(SIZES.values(), [3, 2]))) == 5
