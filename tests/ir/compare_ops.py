"""Compares eval with NumPy: every op of ops.def on every dtype it takes, every cast, on awkward values.

compare_ops.py IR_EVAL. Exact ops must agree bit for bit (any NaN equals any NaN; for minimum and kin either zero
may win a tie), others within ULPS of the result (of its modulus, if complex). Exit code 1 where they do not.
"""

import itertools
import math
import subprocess
import sys
import tempfile
import warnings
from decimal import Decimal, getcontext

import numpy as np

np.seterr(all="ignore")
warnings.simplefilter("ignore")  # casts that drop imaginary parts
getcontext().prec = 60

DTYPES = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
}  # fmt: skip
CHOOSING = {"minimum", "maximum", "fmin", "fmax"}
# NumPy's own vectorised functions are within 4 ulp: https://numpy.org/neps/nep-0038-SIMD-optimizations.html
ULPS = 4
COMPLEX_ULPS = 8
ROUNDING = {}  # of each op, as ops.def has it


def awkward(name):
    """One-dimensional array of values on which implementations tend to differ."""
    dtype = np.dtype(DTYPES[name])
    if name == "bool":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        width = dtype.itemsize * 8
        values = [0, 1, 2, 3, 5, 7, width - 1, width, width + 1, 63, 64, 100, info.max, info.max - 1, info.max // 2]
        values += [-v for v in values] + [info.min, info.min + 1, info.min // 2]
        return np.array(sorted({v for v in values if info.min <= v <= info.max}), dtype=dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        tiny, least, big = float(info.tiny), float(info.smallest_subnormal), float(info.max)
        values = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 7.0, 10.0, 0.1, 1 / 3, math.pi, math.pi / 2]
        values += [88.5, 709.5, 1e-10, 1e10, 1e17, 127.5, 255.5, 32767.5, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
        values += [2.0**31 - 1, 2.0**53 - 1, tiny, least, 3 * least, big, big / 3, math.inf, math.nan]
        array = np.array(values + [-v for v in values], dtype=dtype)
        return np.concatenate([array, np.nextafter(array[1:6], dtype.type(0))])
    part = "f32" if dtype == np.complex64 else "f64"
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-5, 1e5, 20.0, math.inf, -math.inf, math.nan]
    pairs = np.array(list(itertools.product(parts, parts)), dtype=DTYPES[part])
    return pairs.view(dtype).ravel()


# Python's math.gamma and lgamma are not within 4 ulp; these are, by Stirling's series with 60 digits:
# https://dlmf.nist.gov/5.11 and, for negative numbers, the reflection formula https://dlmf.nist.gov/5.5#E3
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707")
BERNOULLI = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798), (-174611, 330)]


def log_gamma_of_positive(x):
    factor = Decimal(1)
    while x < 100:
        factor *= x
        x += 1
    series = sum(Decimal(a) / b / (2 * k * (2 * k - 1)) / x ** (2 * k - 1) for k, (a, b) in enumerate(BERNOULLI, 1))
    return (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + series - factor.ln()


def log_and_sign(v):
    """log(abs(gamma(v))) and the sign of gamma(v), of a number that is no pole."""
    if v > 0:
        return log_gamma_of_positive(Decimal(v)), 1
    angle = PI * (Decimal(v) % 2)
    term = sine = angle
    for k in range(1, 80):
        term *= -angle * angle / (2 * k * (2 * k + 1))
        sine += term
    return PI.ln() - abs(sine).ln() - log_gamma_of_positive(1 - Decimal(v)), 1 if sine > 0 else -1


def true_gamma(v):
    if v == 0 or v == math.inf:
        return math.copysign(math.inf, v)
    if not math.isfinite(v) or (v < 0 and v == math.floor(v)):
        return math.nan
    log, sign = log_and_sign(v)
    return sign * (math.inf if log > 710 else 0.0 if log < -800 else float(log.exp()))


def true_log_gamma(v):
    if math.isnan(v):
        return v
    if math.isinf(v) or (v <= 0 and v == math.floor(v)):
        return math.inf
    return 0.0 if v in (1, 2) else float(log_and_sign(v)[0])


def reference(op, numpy_name, arguments):
    """What NumPy gives for the op; integers of unlimited range for the overflow tests."""
    if op == "select":
        return np.where(*arguments)
    if op == "complex":
        out = np.empty(len(arguments[0]), dtype=np.result_type(arguments[0].dtype, np.complex64))
        out.real, out.imag = arguments
        return out
    if op in ("erf", "erfc", "gamma", "lgamma"):
        function = {"erf": math.erf, "erfc": math.erfc, "gamma": true_gamma, "lgamma": true_log_gamma}[op]
        return np.array([function(float(v)) for v in arguments[0]]).astype(arguments[0].dtype)
    if op.endswith("_overflows"):
        function = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}[op.split("_")[0]]
        return np.array([not -(2**63) <= function(int(a), int(b)) < 2**63 for a, b in zip(*arguments)])
    return getattr(np, numpy_name)(*arguments)


def ulps_apart(got, want):
    """Distance in units in the last place of `want`; 0 where both are NaN or equal."""
    with np.errstate(all="ignore"):
        spacing = np.abs(np.spacing(np.where(np.isfinite(want), want, 1)))
        distance = np.abs(got.astype(np.longdouble) - want.astype(np.longdouble)) / spacing
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.where(same, 0, np.where(np.isnan(distance), np.inf, distance)).astype(float)


def differences(op, got, want):
    """Indices where eval and NumPy disagree."""
    kind = want.dtype.kind
    if kind in "biu":
        return np.flatnonzero(got != want)
    if kind == "c":
        inexact = ROUNDING.get(op, "exact") != "exact"
        modulus_bad = np.zeros(len(want), dtype=bool)
        exact_bad = np.zeros(len(want), dtype=bool)
        # Where a part overflows or is NaN, C's library and NumPy's differ in which part says so (C11 G.3): one
        # infinite part makes the value infinite, else one NaN part makes it NaN.
        def status(z):
            infinite = np.isinf(z.real) | np.isinf(z.imag)
            return np.where(infinite, 2, np.where(np.isnan(z.real) | np.isnan(z.imag), 1, 0))
        if inexact:
            finite = (status(got) == 0) & (status(want) == 0)
            scale = np.spacing(np.abs(np.where(finite, want, 1)))
            apart = np.abs(np.where(finite, got.astype(np.clongdouble) - want, 0)) / np.maximum(scale, 1e-320)
            modulus_bad = (status(got) != status(want)) | (apart > COMPLEX_ULPS)
        else:
            for g, w in ((got.real, want.real), (got.imag, want.imag)):
                bits = np.uint32 if g.dtype == np.float32 else np.uint64
                g, w = np.ascontiguousarray(g), np.ascontiguousarray(w)
                exact_bad |= (g.view(bits) != w.view(bits)) & ~(np.isnan(g) & np.isnan(w))
        return np.flatnonzero(modulus_bad | exact_bad)
    if ROUNDING.get(op) == "library" or op == "abs_complex":
        return np.flatnonzero(ulps_apart(got, want) > ULPS)
    nan = np.isnan(got) & np.isnan(want)
    if op in CHOOSING:
        return np.flatnonzero((got != want) & ~nan)
    bits = np.uint32 if got.dtype == np.float32 else np.uint64
    return np.flatnonzero((got.view(bits) != want.view(bits)) & ~nan)


def operands(op, arity, name):
    """Arguments of every pair of awkward values (and both conditions of select)."""
    values = awkward(name)
    if op == "select":
        condition, a, b = zip(*itertools.product([False, True], values, values[:20]))
        return [np.array(condition), np.array(a, dtype=DTYPES[name]), np.array(b, dtype=DTYPES[name])]
    if arity == 1:
        return [values]
    left = np.repeat(values, len(values))
    right = np.tile(values, len(values))
    if op == "pow" and np.dtype(DTYPES[name]).kind in "iu":
        keep = right >= 0  # NumPy raises, the front end traps
        left, right = left[keep], right[keep]
    return [left, right]


def cast_values(source, target):
    """Floats beyond uint32 come out differently in the vectorised and the last elements of one NumPy array."""
    values = awkward(source)
    if target == "u32" and values.dtype.kind in "fc":
        values = values[(values.real > -(2.0**31)) & (values.real < 2.0**32)]
    return values


class Eval:
    """A running ir_eval on functions of one statement each."""

    def __init__(self, program, table):
        self.functions, lines = {}, []
        for number, (key, types, result, expression) in enumerate(table):
            self.functions[key] = f"f{number}"
            parameters = ", ".join(f"{v}: {t}[n]" for v, t in zip("abc", types))
            lines.append(f"func @f{number}(n: symbol, {parameters}, out: {result}[n]) promoted 1 {{\n"
                         f"  map (i < n) {{\n    store out[i] = {expression}\n  }}\n}}\n")  # fmt: skip
        self.file = tempfile.NamedTemporaryFile("w", suffix=".pwir")
        self.file.write("\n".join(lines))
        self.file.flush()
        self.child = subprocess.Popen([program, self.file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, key, arguments, result):
        count = len(arguments[0])
        self.child.stdin.write(f"{self.functions[key]} {count}\n".encode())
        for argument in arguments:
            self.child.stdin.write(argument.tobytes())
        self.child.stdin.flush()
        size = count * np.dtype(DTYPES[result]).itemsize
        return np.frombuffer(self.child.stdout.read(size), dtype=DTYPES[result])


def main(program):
    cases = []
    for line in subprocess.run([program, "--ops"], check=True, capture_output=True, text=True).stdout.splitlines():
        op, arity, ROUNDING[op], numpy_name, *types = line.split()
        for name, result in (pair.split("=") for pair in types):
            names = ["bool", name, name] if op == "select" else [name] * int(arity)
            expression = f"{op}({', '.join(f'{v}[i]' for v, _ in zip('abc', names))})"
            cases.append(((op, name), names, result, expression, numpy_name))
    for source, target in itertools.product(DTYPES, DTYPES):
        cases.append((("cast " + target, source), [source], target, f"{target}(a[i])", None))
    run = Eval(program, [case[:4] for case in cases])
    failed = 0
    for (op, name), names, result, _, numpy_name in cases:
        if op.startswith("cast"):
            arguments = [cast_values(name, result)]
            want = arguments[0].astype(DTYPES[result])
        else:
            arguments = operands(op, len(names), name)
            want = reference(op, numpy_name, arguments).astype(DTYPES[result])
        got = run((op, name), arguments, result)
        kind = "abs_complex" if op == "abs" and name in ("c64", "c128") else op
        wrong = differences(kind, got, want)
        if len(wrong):
            failed += 1
            print(f"{op} {name}: {len(wrong)} of {len(want)} differ")
            for i in wrong[:4]:
                print(f"   {', '.join(str(a[i]) for a in arguments)}: eval {got[i]!r}, NumPy {want[i]!r}")
    print(f"{len(cases)} ops and casts on dtypes, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
