"""The largest error in ulps of each elementary function, of NumPy and of ports: measure.py PORTWRIGHT ULP_ERRORS [--points N] [--only OP,...].

Each op of src/ir/ops.def that is not exact is a kernel of one statement, which is ported to C, built by the command that its header
gives, and called on N points, NumPy beside it; `ulp_errors` holds both against MPFR. Points: all magnitudes on which the result is a
number, moderate ones, neighbours of zeros and poles, and where the result leaves the range. scripts/ulps builds both programs.
"""

import argparse
import ctypes
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FLOATS = ("float32", "float64")
ONE = {
    "cbrt": "np.cbrt(a)", "exp": "np.exp(a)", "exp2": "np.exp2(a)", "expm1": "np.expm1(a)", "log": "np.log(a)",
    "log2": "np.log2(a)", "log10": "np.log10(a)", "log1p": "np.log1p(a)", "sin": "np.sin(a)", "cos": "np.cos(a)",
    "tan": "np.tan(a)", "asin": "np.arcsin(a)", "acos": "np.arccos(a)", "atan": "np.arctan(a)", "sinh": "np.sinh(a)",
    "cosh": "np.cosh(a)", "tanh": "np.tanh(a)", "asinh": "np.arcsinh(a)", "acosh": "np.arccosh(a)",
    "atanh": "np.arctanh(a)", "gamma": "scipy.special.gamma(a)", "lgamma": "scipy.special.gammaln(a)",
    "erf": "scipy.special.erf(a)", "erfc": "scipy.special.erfc(a)",
}  # fmt: skip
TWO = {"pow": "np.power(a, b)", "atan2": "np.arctan2(a, b)", "hypot": "np.hypot(a, b)",
       "logaddexp": "np.logaddexp(a, b)", "logaddexp2": "np.logaddexp2(a, b)"}  # fmt: skip
COMPLEX_ONE = {"sqrt": "np.sqrt(a)", "exp": "np.exp(a)", "log": "np.log(a)", "sin": "np.sin(a)", "cos": "np.cos(a)",
               "tan": "np.tan(a)", "sinh": "np.sinh(a)", "cosh": "np.cosh(a)", "tanh": "np.tanh(a)"}  # fmt: skip
COMPLEX_TWO = {"mul": "a * b", "div": "a / b", "pow": "np.power(a, b)"}
# Where the result is a number, and the values around which it is 0, infinite or hard to reduce.
DOMAINS = {
    "log": (0, np.inf), "log2": (0, np.inf), "log10": (0, np.inf), "log1p": (-1, np.inf), "asin": (-1, 1), "acos": (-1, 1),
    "atanh": (-1, 1), "acosh": (1, np.inf), "pow": (0, np.inf), "gamma": (0, np.inf), "lgamma": (0, np.inf),
}  # fmt: skip
MODERATE = {"exp": (-750, 715), "exp2": (-1080, 1030), "expm1": (-40, 715), "sinh": (-715, 715), "cosh": (-715, 715), "tanh": (-25, 25),
            "gamma": (0, 172), "lgamma": (0, 100), "erf": (-6, 6), "erfc": (-6, 27), "sin": (-1e5, 1e5), "cos": (-1e5, 1e5),
            "tan": (-1e5, 1e5), "logaddexp": (-800, 800), "logaddexp2": (-1100, 1100)}  # fmt: skip
NEAR = {"log": [1], "log2": [1], "log10": [1], "acosh": [1], "sin": list(np.arange(1, 200) * np.pi), "asin": [1, -1], "acos": [1, -1],
        "cos": list((np.arange(200) + 0.5) * np.pi), "tan": list(np.arange(1, 400) * np.pi / 2), "lgamma": [1, 2], "atanh": [1, -1]}  # fmt: skip


def spread(rng, count, dtype, low, high):
    """Magnitudes of all binades between the bounds, of both signs where both are inside."""
    info = np.finfo(dtype)
    exponents = rng.uniform(np.log2(info.smallest_subnormal), np.log2(info.max), count)
    values = np.exp2(exponents) * np.where(rng.random(count) < 0.5, -1, 1)
    return within(values.astype(dtype), low, high, rng)


def within(values, low, high, rng):
    outside = ~((values >= low) & (values <= high))
    values[outside] = np.abs(values[outside]) if low >= 0 else values[outside]
    outside = ~((values >= low) & (values <= high))
    top = min(high, 10.0) if np.isfinite(high) else max(low, 0) + 10.0
    values[outside] = rng.uniform(max(low, -10.0), top, int(outside.sum())).astype(values.dtype)
    return np.clip(values, low, high) if np.isfinite(high) else values


def points(rng, op, count, dtype):
    low, high = DOMAINS.get(op, (-np.inf, np.inf))
    scale = 1.0 if dtype == "float64" else 0.13  # the exponents of float32 reach an eighth as far
    least, most = MODERATE.get(op, (-20, 20))
    if op in ("exp", "exp2", "expm1", "sinh", "cosh", "gamma", "erfc", "logaddexp", "logaddexp2") and dtype == "float32":
        least, most = least * scale, most * (0.35 if op == "erfc" else 0.21 if op == "gamma" else scale)
    quarter = count // 4
    parts = [spread(rng, quarter, dtype, low, high)]
    parts.append(rng.uniform(max(least, low), min(most, high), count - 3 * quarter).astype(dtype))
    parts.append(within(rng.uniform(-2, 2, quarter).astype(dtype), low, high, rng))
    centres = np.array(NEAR.get(op, [0.0]))
    away = np.exp2(rng.uniform(-40 if dtype == "float64" else -20, -1, quarter)) * np.where(rng.random(quarter) < 0.5, -1, 1)
    parts.append(within((rng.choice(centres, quarter) * (1 + away)).astype(dtype) if op in NEAR else away.astype(dtype), low, high, rng))
    return np.concatenate(parts)


def kernel(op, expression, arguments, is_complex):
    """(source, names of the arrays in order)."""
    names = [f"{name}{part}" for name in arguments for part in (("_re", "_im") if is_complex else ("",))]
    outs = ["out"] if not is_complex or op == "abs" else ["out_re", "out_im"]
    lines = ["import numpy as np", "import scipy.special", "", "", f"def ulps_{op}({', '.join(names + outs)}):"]
    lines += [f"    {name} = {name}_re + 1j * {name}_im" for name in arguments if is_complex]
    lines.append(f"    z = {expression}")
    lines += [f"    {out}[:] = z{'.' + out[4:].replace('re', 'real').replace('im', 'imag') if len(outs) == 2 else ''}" for out in outs]
    return "\n".join(lines) + "\n", names, outs


def built_port(program, folder, op, text, arrays, dtype):
    name = f"ulps_{op}"
    shapes = "".join(f"    {array}: (n,)\n" for array in arrays)
    (folder / f"{name}.yaml").write_text(
        f"name: {name}\nfunc_name: {name}\nkind: microkernel\nlevel: 1\nparameters:\n  S: {{n: 100}}\ninit:\n  arrays:\n{shapes}"
        f"output_args: [{', '.join(a for a in arrays if a.startswith('out'))}]\n"
    )
    (folder / f"{name}_numpy.py").write_text(text)
    command = [program, "port", str(folder / f"{name}.yaml"), "--to", "c", "-o", str(folder), "--no-format", "--dtype", dtype]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    stem = name + ("_f32" if dtype == "float32" else "")
    comment = re.search(r"((?://   +\S.*\n)+)//\n// Arguments", (folder / f"{stem}.h").read_text()).group(1)
    build = [word for word in shlex.split(comment.replace("//", " ")) if word not in ("-c", f"{stem}.c")]
    library = folder / f"{stem}.so"
    subprocess.run([*build, "-shared", "-fPIC", "-o", str(library), str(folder / f"{stem}.c"), "-lm"], check=True)
    return ctypes.CDLL(str(library))[stem]


def measured(programs, folder, rng, op, expression, arguments, dtype, is_complex, count):
    text, names, outs = kernel(op, expression, arguments, is_complex)
    port = built_port(programs.portwright, folder, op, text, names + outs, dtype)
    values = []
    for name in names:
        kind = op if not is_complex else "complex"
        values.append(np.ascontiguousarray(rng.permutation(points(rng, kind if name[0] == "a" or op != "pow" else "exponent", count, dtype))))
    got = [np.zeros(count, dtype) for _ in outs]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in values + got]
    if port(*pointers, ctypes.c_int64(count)) != 0:
        raise RuntimeError(f"{op}: the port returns a status")
    reference = [np.zeros(count, dtype) for _ in outs]
    scope = {}
    exec(text, scope)
    with np.errstate(all="ignore"):
        scope[f"ulps_{op}"](*values, *reference)

    def write(label, parts):
        path = folder / label
        (np.stack(parts, axis=-1) if len(parts) > 1 else parts[0]).tofile(path)
        return str(path)

    step = 2 if is_complex else 1
    files = [write(f"argument{k}", values[k : k + step]) for k in range(0, len(values), step)]
    results = [write("numpy", reference), write("port", got)]
    kind = {"float32": "complex64", "float64": "complex128"}[dtype] if is_complex else dtype
    words = [programs.ulp_errors, op, kind, *files, "--", *results]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\n")
    out = []
    for line in said[:2]:
        ulps, index, other = line.split()
        at = ", ".join(repr(v[int(index)].item()) for v in values)
        out.append((float(ulps), at, int(other)))
    return kind, out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("portwright")
    parser.add_argument("ulp_errors")
    parser.add_argument("--points", type=int, default=10**7)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rows = [(op, text, "a", False) for op, text in ONE.items()] + [(op, text, "ab", False) for op, text in TWO.items()]
    rows += [(op, text, "a", True) for op, text in COMPLEX_ONE.items()] + [(op, text, "ab", True) for op, text in COMPLEX_TWO.items()]
    rows.append(("abs", "np.abs(a)", "a", True))
    only = set(filter(None, chosen.only.split(",")))
    print(f"{'op':12} {'dtype':10} {'NumPy':>10} {'C':>10}   {chosen.points} points; results of another kind; worst arguments of each")
    for op, text, arguments, is_complex in rows:
        if only and op not in only:
            continue
        for dtype in FLOATS:
            with tempfile.TemporaryDirectory() as folder:
                rng = np.random.default_rng(chosen.seed)
                kind, (reference, port) = measured(
                    chosen, Path(folder), rng, op, text, arguments, dtype, is_complex, chosen.points
                )
            print(
                f"{op:12} {kind:10} {reference[0]:10.3f} {port[0]:10.3f}   {reference[2]} {port[2]}   {reference[1]}; {port[1]}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
