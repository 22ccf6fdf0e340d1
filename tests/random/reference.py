"""Runs a program under NumPy; and again with the last bits of its inexact steps moved, to see what depends on them."""

import ast
import copy
import math
import random
import signal
import warnings

import numpy as np
import scipy.special

warnings.simplefilter("ignore")

UNDERFLOWING = {"exp", "exp2", "erfc"}
INEXACT = set(
    """cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan asin acos atan arctan2 atan2 sinh cosh tanh
    arcsinh arccosh arctanh asinh acosh atanh erf erfc gamma gammaln logaddexp logaddexp2 power pow float_power absolute abs multiply divide true_divide square
    reciprocal sqrt hypot angle degrees radians norm reduce cumprod""".split()
)
FOLDS = set("sum prod mean var std average dot matmul inner outer vdot einsum trace nansum nanmean cumsum".split())
AVERAGES = {"mean", "var", "std", "average", "nanmean"}  # sums of floats, of integers too
CHOOSING = set("minimum maximum fmin fmax clip max min amax amin copysign sign".split())
TRAPS = set(
    """IndexError ValueError ZeroDivisionError OverflowError FloatingPointError AssertionError RuntimeError NotImplementedError
    UnboundLocalError""".split()
)


class Unfit(Exception):
    """The program is no fair test: it raises what ports do not."""


def out_of_time(*_):
    raise Unfit("a loop that does not end")


signal.signal(signal.SIGVTALRM, out_of_time)


def namespace():
    return {"np": np, "math": math, "scipy": scipy}


def call(source, name, values):
    """(exception's name or "", results as arrays, arguments after)."""
    return run(compile(source, name, "exec"), namespace(), name, values)


def run(code, scope, name, values):
    values = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in values.items()}
    with np.errstate(all="warn"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What a float becomes that the integer's dtype does not hold, NumPy leaves open.
        warnings.filterwarnings("error", message="invalid value encountered in cast")
        exec(code, scope)
        signal.setitimer(signal.ITIMER_VIRTUAL, 1)
        try:
            out = scope[name](*values.values())
        except Exception as error:
            kind = type(error).__name__
            if "too large to convert" in str(error):
                raise Unfit("a Python int beyond int64 meets NumPy's numbers") from error
            if kind in TRAPS:
                return kind, [], {}
            raise Unfit(f"{kind}: {error}") from error
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    items = list(out) if isinstance(out, tuple) else [] if out is None else [out]
    results = [np.array(item) for item in items]
    if any(r.dtype.kind not in "biufc" or r.dtype.itemsize > 16 or r.dtype == np.float16 for r in results):
        raise Unfit("a result that ports do not have")
    if any(isinstance(item, int) and not -(2**63) <= item < 2**63 for item in items):
        raise Unfit("a result beyond int64")
    return "", results, {k: v for k, v in values.items() if isinstance(v, np.ndarray)}


class Shaker(ast.NodeTransformer):
    """Wraps what may differ in the last bits."""

    def shaken(self, kind, node):
        name = ast.Name(f"_shake_{kind}", ast.Load())
        return ast.copy_location(ast.Call(name, [node], []), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in FOLDS:
            method = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in ("np", "math", "scipy")
            whole = name in ("sum", "prod") and not node.keywords and len(node.args) == (0 if method else 1)
            how = "averaged" if name in AVERAGES else "shuffled" if whole else "summed"
            if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
                node.func.value = self.shaken(how, node.func.value)
            elif isinstance(node.func, ast.Attribute) and node.func.value.id not in ("np", "math", "scipy"):
                node.func.value = self.shaken(how, node.func.value)
            node.args = [a if isinstance(a, (ast.Starred, ast.Constant)) else self.shaken(how, a) for a in node.args]
            return self.shaken("ulp", node)
        if name in ("signbit", "copysign"):
            node.args = [self.shaken("nan", a) for a in node.args]
        if name in CHOOSING:
            return self.shaken("sign", node)
        if name in UNDERFLOWING:
            node = self.shaken("underflow", node)
        return self.shaken("ulp", node) if name in INEXACT else node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            node.left, node.right = self.shaken("summed", node.left), self.shaken("summed", node.right)
        if isinstance(node.op, (ast.MatMult, ast.Pow)):
            return self.shaken("ulp", node)
        if isinstance(node.op, (ast.Mult, ast.Div)):
            return self.shaken("complex", node)
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.op, (ast.Pow, ast.Mult, ast.Div)):
            node.value = self.shaken("ulp" if isinstance(node.op, ast.Pow) else "complex", node.value)
        return node


def shakers(rng, seed):
    def ulp(value):
        kind = np.asarray(value).dtype.kind
        if kind not in "fc" or isinstance(value, tuple):
            return value
        array = np.asarray(value)
        ulps = [(1,), (-1,)][seed] if seed < 2 else (-1, -0.5, 0, 0, 0.5, 1)  # all up, all down, at random
        step = np.finfo(array.dtype).eps * np.array([rng.choice(ulps) for _ in range(array.size)])
        out = (array + array * step.reshape(array.shape)).astype(array.dtype)
        out = np.where(np.isfinite(array), out, array)
        return out if isinstance(value, np.ndarray) else type(value)(out)

    def underflow(value):
        """Libraries give 0 for some results below the least normal number (scipy.special.erfc(26.8)), others the number."""
        array = np.asarray(value)
        if array.dtype.kind != "f":
            return value
        least = np.finfo(array.dtype).tiny
        small = np.array([rng.choice((0.0, 1.0)) for _ in range(array.size)], dtype=array.dtype).reshape(array.shape) * least
        out = np.where(np.abs(array) < least, small, array)
        return out if isinstance(value, np.ndarray) else type(value)(out)

    def nan(value):
        """The sign of a NaN is nobody's choice."""
        array = np.asarray(value)
        if array.dtype.kind != "f" or isinstance(value, tuple):
            return value
        out = np.where(np.isnan(array), np.copysign(array, rng.choice((1.0, -1.0))).astype(array.dtype), array)
        return out if isinstance(value, np.ndarray) else type(value)(out)

    def absorbed(value):
        """In another order the great ones of a sum take in the small ones before they cancel."""
        array = np.asarray(value)
        if array.dtype.kind not in "fc" or isinstance(value, tuple) or not array.size:
            return value
        sizes = np.abs(array)
        least = np.finfo(array.dtype).eps * sizes[np.isfinite(sizes)].max(initial=0)
        out = np.where(sizes < least, array.dtype.type(0), array)
        return out if isinstance(value, np.ndarray) else type(value)(out)

    def summed(value):
        """What is summed in another order overflows elsewhere: huge numbers are made small in some runs."""
        if seed == 2:
            return absorbed(value)
        out = ulp(value)
        if np.asarray(out).dtype.kind not in "fc" or isinstance(out, tuple) or rng.random() < 0.7:
            return out
        array = np.asarray(out)
        small = np.where(np.abs(array) > np.sqrt(np.finfo(array.dtype).max) / 1e4, array.dtype.type(1), array)
        return small if isinstance(value, np.ndarray) else type(value)(small)

    def shuffled(value):
        """Where all is summed, the order is open too."""
        out = summed(value)
        if not isinstance(out, np.ndarray) or out.dtype.kind not in "fc":
            return out
        return out.ravel()[rng.sample(range(out.size), out.size)].reshape(out.shape)

    def averaged(value):
        array = np.asarray(value)
        return summed(array.astype(float) if array.dtype.kind in "iub" and not isinstance(value, tuple) else value)

    def complex_only(value):
        """Whether a part of a product overflows hangs on which of its own products NumPy's loop rounds."""
        return summed(value) if np.asarray(value).dtype.kind == "c" else value

    def sign(value):
        array = np.asarray(value)
        if array.dtype.kind != "f":
            return value
        if array.dtype == np.float16:
            return value
        free = (array == 0) | np.isnan(array)
        signs = [(1.0,), (-1.0,)][seed] if seed < 2 else (1.0, -1.0)  # each is seen at least once
        flip = np.array([rng.choice(signs) for _ in range(array.size)], dtype=array.dtype).reshape(array.shape)
        out = np.where(free, array * flip, array)
        # copysign's sign of a NaN is nobody's choice; that of a number is.
        return out if isinstance(value, np.ndarray) else type(value)(out)

    return {"_shake_ulp": ulp, "_shake_underflow": underflow, "_shake_summed": summed, "_shake_shuffled": shuffled, "_shake_averaged": averaged, "_shake_nan": nan, "_shake_complex": complex_only, "_shake_sign": sign}


def shaken_runs(source, name, values, count=24):
    """The outcomes of `count` runs with moved last bits; one that cannot be made is None."""
    tree = ast.fix_missing_locations(Shaker().visit(copy.deepcopy(ast.parse(source))))
    code = compile(tree, name, "exec")
    out = []
    for seed in range(count):
        rng = random.Random(seed)
        try:
            out.append(run(code, {**namespace(), **shakers(rng, seed)}, name, values))
        except Unfit:
            out.append(None)
    return out
