#!/usr/bin/env python3
"""Every row of functions.def against NumPy: each case is one expression, staged and evaluated by stage_eval.

usage: compare_functions.py STAGE_EVAL [--filter TEXT] [--verbose] [--page]

A case agrees if both give the same dtypes, shapes and values (bit for bit but for reductions and functions of
the C library, which get a few ulps), or if both raise the same exception. A refusal counts as such and fails
unless the case says that it is one. Needs NumPy 2; exits with 77 where there is none. --page prints
docs/numpy-functions.md: the table of stage_eval with the dtypes that the cases call each function with; a run without a
filter fails where the file is another.
"""

import argparse
import ast
import json
import math
import re
import subprocess
import sys
import warnings
from pathlib import Path

try:
    import numpy as np
    import scipy.special
except ImportError:
    sys.exit(77)
if int(np.__version__.split(".")[0]) < 2:
    sys.exit(77)

from function_cases import CASES, REFUSED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "numpy-functions.md"

np.seterr(all="ignore")
warnings.simplefilter("ignore")


def pool():
    rng = np.random.default_rng(7)
    a = rng.uniform(-3, 3, (3, 4))
    a[0, 0], a[1, 2], a[2, 3] = 0.0, -0.0, 2.5
    nan = rng.uniform(-3, 3, (3, 4))
    nan[0, 1], nan[1, 1], nan[2, 2] = np.nan, np.inf, -np.inf
    c = rng.uniform(-2, 2, (3, 4)) + 1j * rng.uniform(-2, 2, (3, 4))
    spd = rng.uniform(-1, 1, (4, 4))
    return {
        "a": a,
        "b": rng.uniform(-3, 3, (3, 4)),
        "p": rng.uniform(0.05, 0.95, (3, 4)),
        "nan": nan,
        "empty": np.zeros((0, 4)),
        "row": rng.uniform(-3, 3, (1, 4)),
        "col": rng.uniform(-3, 3, (3, 1)),
        "v": rng.uniform(-3, 3, 4),
        "w": rng.uniform(-3, 3, 4),
        "q": spd @ spd.T + 4 * np.eye(4),
        "t": rng.uniform(-3, 3, (2, 3, 4)),
        "r": rng.uniform(-3, 3, (5, 3, 4)),
        "x3": rng.uniform(-3, 3, (2, 3)),
        "y3": rng.uniform(-3, 3, 3),
        "big": rng.uniform(-3, 3, 37),
        "fa": rng.uniform(-3, 3, (3, 4)).astype(np.float32),
        "fb": rng.uniform(-3, 3, (3, 4)).astype(np.float32),
        "fv": rng.uniform(-3, 3, 4).astype(np.float32),
        "i": rng.integers(-7, 8, (3, 4)),
        "m": rng.integers(1, 9, (3, 4)),
        "j": rng.integers(-7, 8, 4).astype(np.int32),
        "h": rng.integers(-7, 8, (3, 4)).astype(np.int16),
        "o": rng.integers(-7, 8, (3, 4)).astype(np.int8),
        "u": rng.integers(0, 9, 4).astype(np.uint8),
        "uu": rng.integers(0, 9, (3, 4)).astype(np.uint64),
        "l": rng.integers(0, 2, (3, 4)).astype(bool),
        "k": rng.integers(0, 2, 4).astype(bool),
        "c": c,
        "d": rng.uniform(-2, 2, 4) + 1j * rng.uniform(-2, 2, 4),
        "cf": c.astype(np.complex64),
        "idx": np.array([0, 2, -1, 1, 1, 2]),
        "far": np.array([0, 9]),
        "wave": rng.uniform(-2, 2, 1009) + 1j * rng.uniform(-2, 2, 1009),
        "waves": rng.uniform(-2, 2, (37, 30)) + 1j * rng.uniform(-2, 2, (37, 30)),
        "s": 1.75,
        "neg": -0.5,
        "zero": 0.0,
        "huge": 1e200,
        "whole": 5,
        "minus": -3,
        "ns": np.float64(2.25),
        "nf": np.float32(1.5),
        "ni": np.int64(-6),
        "flag": True,
        "tied": rng.integers(0, 5, 30),
        "gaps": np.array([2.0, np.nan, 1.0, -0.5, 1.0, np.nan, 3.5, 0.0, 2.0]),
    }


POOL = pool()


def argument(name):
    value = POOL[name]
    if isinstance(value, np.ndarray):
        extents = ["1" if n == 1 else f"n{n}" for n in value.shape]
        return {
            "name": name,
            "dtype": value.dtype.name,
            "shape": list(value.shape),
            "extents": extents,
            "data": np.ascontiguousarray(value).tobytes().hex(),
        }
    weak = not isinstance(value, np.generic)
    scalar = np.asarray(value)
    return {"name": name, "dtype": scalar.dtype.name, "weak": weak, "data": scalar.tobytes().hex()}


def request(text):
    lines = [line.strip() for line in text.split(";")]
    names = [n for n in POOL if re.search(rf"(?<![\w.'\"]){n}(?![\w'\"]|=[^=])", text)]
    body = lines[:-1] + ["return " + lines[-1]]
    source = "import numpy as np\nimport math\nimport scipy.special\ndef f({}):\n    {}\n".format(
        ", ".join(names), "\n    ".join(body)
    )
    symbols = {}
    for name in names:
        if isinstance(POOL[name], np.ndarray):
            symbols.update({f"n{n}": n for n in POOL[name].shape if n != 1})
    return names, {
        "source": source,
        "function": "f",
        "symbols": symbols,
        "arguments": [argument(n) for n in names],
    }


def reference(names, source):
    scope = {}
    exec(compile(source, "case", "exec"), scope)
    arguments = [np.array(POOL[n]) if isinstance(POOL[n], np.ndarray) else POOL[n] for n in names]
    try:
        out = scope["f"](*arguments)
    except Exception as error:
        return type(error), None, None
    items = list(out) if isinstance(out, tuple) else [] if out is None else [out]
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    return None, [np.asarray(x) for x in items], arrays


def decode(array):
    return np.frombuffer(bytes.fromhex(array["data"]), dtype=array["dtype"]).reshape(array["shape"])


def differs(got, want):
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, not {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if got.dtype.kind not in "fc":
        return None if np.array_equal(got, want) else f"{got.ravel()[:6]}, not {want.ravel()[:6]}"
    if got.tobytes() == want.tobytes():
        return None
    single = got.dtype in (np.float32, np.complex64)
    scale = max(1.0, float(np.max(np.abs(want[np.isfinite(want)]), initial=0)))
    if np.allclose(got, want, rtol=3e-6 if single else 1e-13, atol=scale * (3e-7 if single else 1e-15), equal_nan=True):
        return None
    return f"{got.ravel()[:6]}, not {want.ravel()[:6]}"


def judge(text, names, case, outcome):
    error, items, arrays = reference(names, case["source"])
    if outcome["end"] in ("refused", "invalid", "broken"):
        return outcome["end"], outcome["text"].strip().split("\n")[0]
    if error is not None:
        if outcome["end"] == "trapped" and (outcome["trap"] == error.__name__ or outcome["trap"] == "Assumption"):
            return "agrees", ""
        return "differs", f"{outcome['end']} {outcome['text']}, but NumPy raises {error.__name__}"
    if outcome["end"] == "trapped":
        return "differs", f"trap {outcome['trap']}: {outcome['text']}"
    if len(items) != len(outcome["results"]):
        return "differs", f"{len(outcome['results'])} results, not {len(items)}"
    for got, want in list(zip(outcome["results"], items)) + list(zip(outcome["arguments"], arrays)):
        found = differs(decode(got), want)
        if found:
            return "differs", found
    return "agrees", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stage_eval")
    parser.add_argument("--filter", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        print(page(options.stage_eval), end="")
        return 0
    cases = [t for t in CASES + REFUSED if options.filter in t]
    requests = [request(t) for t in cases]
    lines = "".join(json.dumps(case) + "\n" for _, case in requests)
    ran = subprocess.run([options.stage_eval], input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    failures = 0
    counts = {}
    for text, (names, case), outcome in zip(cases, requests, answers):
        verdict, detail = judge(text, names, case, outcome)
        wanted = "refused" if text in REFUSED else "agrees"
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict != wanted or options.verbose:
            print(f"{verdict}: {text}\n    {detail}")
        failures += verdict != wanted
    if len(answers) != len(cases):
        print(f"stage_eval stopped at: {cases[len(answers)]}\n{ran.stderr}")
        failures += 1
    if not options.filter:
        failures += untested_rows(cases)
        if PAGE.read_text() != page(options.stage_eval):
            print("docs/numpy-functions.md is not what --page prints")
            failures += 1
    print(f"{len(cases)} cases:", ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    return 1 if failures else 0


# Rows that are subscripted, not called.
SUBSCRIPTED = "numpy.mgrid numpy.ogrid numpy.s_ numpy.index_exp numpy.r_ numpy.c_".split()


def row_name(expression, scope):
    """The row of functions.def that a call or subscript of `expression` is of, and what it is a method of."""
    text = ast.unparse(expression)
    if re.match(r"(np|math|scipy)\.", text):
        return re.sub(r"^np\.", "numpy.", text), None
    if not isinstance(expression, ast.Attribute):
        return text, None
    try:
        owner = eval(compile(ast.Expression(expression.value), "case", "eval"), scope)
    except Exception:
        return None, None
    kinds = {list: "list", dict: "dict", str: "str"}
    return f"{kinds.get(type(owner), 'ndarray')}.{expression.attr}", owner


def dtypes_in(value):
    """Names of the dtypes of arrays and NumPy numbers in an argument, and "Python number"."""
    if isinstance(value, (tuple, list)):
        return set().union(*(dtypes_in(item) for item in value)) if value else set()
    if isinstance(value, type) and issubclass(value, np.generic):
        return {np.dtype(value).name}
    if isinstance(value, (np.ndarray, np.generic)):
        return {value.dtype.name}
    return {"Python number"} if isinstance(value, (bool, int, float, complex)) else set()


def note_calls(statement, scope, found):
    """Adds to `found` the dtypes of the arguments of each call in a statement."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name, owner = row_name(node.func, scope)
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Subscript):
            name, owner = row_name(node.value, scope)
            arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if name not in SUBSCRIPTED:
                continue
        else:
            continue
        kinds = found.setdefault(name, set())
        kinds |= dtypes_in(owner)
        for argument in arguments:
            parts = [argument.lower, argument.upper] if isinstance(argument, ast.Slice) else [argument]
            for part in filter(None, parts):
                try:
                    kinds |= dtypes_in(eval(compile(ast.Expression(part), "case", "eval"), scope))
                except Exception:  # a name of a comprehension, a starred argument
                    pass


def tested_dtypes():
    """For each row, what the cases call it with that are compared with NumPy."""
    found = {}
    for text in CASES:
        scope = {"np": np, "math": math, "scipy": scipy}
        scope.update({n: np.array(v) if isinstance(v, np.ndarray) else v for n, v in POOL.items()})
        for statement in ast.parse(text.replace("; ", "\n")).body:
            note_calls(statement, scope, found)
            try:
                exec(compile(ast.Module([statement], []), "case", "exec"), scope)
            except Exception:
                break
    return found


def page(stage_eval):
    made = subprocess.run([stage_eval, "--page"], check=True, capture_output=True, text=True).stdout
    found = tested_dtypes()
    order = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
    out = []
    for line in made.splitlines():
        if line.startswith("| function"):
            line += " dtypes tested |"
        elif line.startswith("|---"):
            line += "---|"
        elif match := re.match(r"\| `([\w.]+)` ", line):
            kinds = found.get(match[1])
            named = [d for d in order if d in (kinds or ())]
            line += f" {' '.join(named) or ('Python numbers' if kinds else '' if kinds is not None else 'C++ tests')} |"
        out.append(line)
    return "\n".join(out) + "\n"


def untested_rows(cases):
    """Rows of the documentation's list that no case calls."""
    missing = 0
    for name in re.findall(r"^\| `([\w.]+)` ", PAGE.read_text(), re.M):
        if name in SUBSCRIPTED:
            continue
        if name.startswith(("spmatrix.", "scipy.sparse.")):
            continue  # no case has a sparse matrix: src/frontends/numpy/sparse_test.cc
        if name.startswith("scipy.linalg."):
            continue  # cases do not import it: src/frontends/numpy/functions_test.cc
        short = name.replace("numpy.", "np.")
        if name.startswith(("ndarray.", "list.", "dict.", "str.")):
            short = "." + name.split(".", 1)[1]
        if not any(re.search(rf"(?<![\w]){re.escape(short)}\(" if short[0] != "." else rf"{re.escape(short)}\(", t) for t in cases):
            print(f"untested: {name}")
            missing += 1
    return missing


if __name__ == "__main__":
    sys.exit(main())
