"""What every program calls one or two of, so that no row of ops.def and no way of indexing is rare.

Holes: f i b c expressions of one shape; F I B scalars; W a Python integer of run time, V one from an array; A, X arrays of floats, of any
kind; D the index array, T an array that it indexes.
"""

FLOAT = """sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh
floor ceil trunc rint abs sign negative""".split()
PAIRS = "add subtract multiply divide floor_divide remainder fmod power minimum maximum fmin fmax copysign arctan2 hypot logaddexp logaddexp2".split()
COMPARE = "equal not_equal less less_equal greater greater_equal".split()
INTEGER = """add subtract multiply floor_divide remainder fmod minimum maximum fmin fmax bitwise_and bitwise_or bitwise_xor
left_shift right_shift gcd lcm""".split()
FOLDS = "sum prod max min any all argmax argmin mean".split()

TEMPLATES = (
    [("f", f"np.{f}({{f}})") for f in FLOAT * 2]
    + [("f", f"np.{f}({{f}}, {{f}})") for f in ("arctan2", "hypot", "logaddexp", "logaddexp2")]
    + [("f", f"np.{f}({{f}}, {{f}})") for f in PAIRS]
    + [("b", f"np.{f}({{f}}, {{f}})") for f in COMPARE]
    + [("i", f"np.{f}({{i}}, {{i}})") for f in INTEGER]
    + [("b", f"np.logical_{f}({{b}}, {{b}})") for f in ("and", "or", "xor")] * 2
    + [("b", f"np.{f}({{f}})") for f in ("isnan", "isinf", "isfinite")] * 2
    + [("i", "np.invert({i})"), ("i", "(~{i})"), ("b", "np.logical_not({b})"), ("b", "({b} ^ {b})")]
    # SciPy's gammaln is infinite at the least subnormal.
    + [("f", "scipy.special.erfc({f})"), ("f", "scipy.special.gamma({f})"), ("f", "scipy.special.gammaln(np.abs({f}) + 0.5)")] * 4
    + [("f", "scipy.special.erf({f})"), ("F", "math.erf({F})"), ("f", "np.where({b}, {f}, {f})"), ("i", "np.where({b}, {i}, {i})")] * 2
    + [("f", "np.real({f} + 1j * {f})"), ("f", "np.imag({f} * (0.5 - 2j) + {f})"), ("c", "np.conj({f} - 1j * {f})")] * 3
    + [("F", "complex({F}, {F}).imag"), ("C", "complex({F}, {F})"), ("f", "np.abs({f} + 1j * {f})")] * 3
    + [("W", "({W} * {W} - 3)"), ("W", "({W} + {W} * 2)"), ("W", "({W} - {W})"), ("W", "({W} // ({W} * {W} + 1))")] * 3
    + [("W", "({V} + {V})"), ("W", "({V} - {V})")] * 3
    + [("a", f"np.{f}({{X}}, axis=0)") for f in FOLDS]
    + [("a", f"{{A}}.{f}(axis=-1)") for f in FOLDS]
    + [("F", f"np.{f}({{A}})") for f in FOLDS]
    + [("a", "{T}[{D}]"), ("a", "np.take({T}, {D}, axis=0)"), ("a", "{T2}[:, {D}]"), ("a", "{TT}[{D}, {D}]"), ("a", "{TT}[{D}, ::-1]")] * 5
    + [("a", "{TT}[{D}, {D}]")] * 4
    + [("a", "{T}[{D}] * 2"), ("a", "{T2}[..., {D}]"), ("a", "{TT}[:, {D}].T")] * 3
    + [("s", "{T}[{D}] = {t}"), ("s", "{T}[{D}] += {t}"), ("s", "np.add.at({T}, {D}, {t})"), ("s", "{T}[{D}] -= 1")] * 5
)
