"""Cases of compare_functions.py: every elementwise function and reduction on every kind of operand, and function_cases.txt."""

from pathlib import Path

UNARY = """absolute abs fabs sign negative positive square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos
tan arcsin arccos arctan asin acos atan sinh cosh tanh arcsinh arccosh arctanh asinh acosh atanh floor ceil trunc fix rint isnan
isinf isfinite signbit degrees radians rad2deg deg2rad logical_not conj conjugate""".split()
BINARY = """add subtract multiply divide true_divide floor_divide remainder mod fmod power pow float_power minimum maximum fmin
fmax equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor arctan2 atan2 copysign heaviside
hypot logaddexp logaddexp2""".split()
INTEGER = "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift gcd lcm".split()
INVERT = "invert bitwise_not bitwise_invert".split()
REDUCTIONS = "sum prod mean var std max min amax amin any all argmax argmin nansum nanmean".split()

CASES = []
for f in UNARY:
    CASES += [f"np.{f}(p)", f"np.{f}(a)", f"np.{f}(nan)", f"np.{f}(fa)", f"np.{f}(s)", f"np.{f}(ns)", f"np.{f}(empty)"]
    if f not in ("reciprocal",):
        CASES += [f"np.{f}(i)"]
for f in BINARY:
    CASES += [f"np.{f}(a, b)", f"np.{f}(a, 2.0)", f"np.{f}(fa, 0.5)", f"np.{f}(nan, b)", f"np.{f}(v, col)"]
    CASES += [f"np.{f}(s, ns)", f"np.{f}(p, fv)", f"np.{f}(2.0, p)"]
    if f not in ("power", "pow"):
        CASES += [f"np.{f}(i, m)", f"np.{f}(uu, 3)", f"np.{f}(j, a)"]
for f in INTEGER:
    CASES += [f"np.{f}(i, m)", f"np.{f}(m, 2)", f"np.{f}(j, m)", f"np.{f}(ni, 3)"]
for f in INVERT:
    CASES += [f"np.{f}(i)", f"np.{f}(l)", f"np.{f}(u)"]
for f in REDUCTIONS:
    CASES += [f"np.{f}(a)", f"np.{f}(a, axis=0)", f"np.{f}(a, axis=-1)", f"np.{f}(nan, axis=0)", f"np.{f}(fa, axis=1)"]
    CASES += [f"np.{f}(i, axis=1)", f"np.{f}(l)", f"np.{f}(empty)", f"np.{f}(empty, axis=1)", f"np.{f}(uu)", f"np.{f}(o)"]
    if f not in ("argmax", "argmin"):
        CASES += [f"np.{f}(t, axis=(0, 2))", f"np.{f}(s)"]
    CASES += [f"np.{f}(t, axis=1, keepdims=True)", f"np.{f}(a, keepdims=True)"]
    if f not in ("nansum", "nanmean", "amax", "amin"):
        CASES += [f"a.{f}()", f"t.{f}(axis=1)"]

for n in [*range(1, 65), 97, 101, 127, 128, 210, 1000, 1009]:
    CASES += [f"np.fft.fft(wave[:{n}])", f"np.fft.ifft(wave[:{n}])"]

REFUSED = []
kind = CASES
for line in (Path(__file__).parent / "function_cases.txt").read_text().splitlines():
    if line == "# refused":
        kind = REFUSED
    elif line and not line.startswith("#"):
        kind.append(line)
