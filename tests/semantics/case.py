"""What a case file is written with: the decorator, the arrays, the pages. README.md says how to add a case."""

import ast
import functools
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

b1, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, c64, c128 = (
    functools.partial(np.array, dtype=t)
    for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
)
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SIGNED = INTEGERS[:4]
FLOATS = ("float32", "float64")

NUMPY = "https://numpy.org/doc/stable/"
PYTHON = "https://docs.python.org/3/"
PROMOTION = NUMPY + "reference/arrays.promotion.html"
INDEXING = NUMPY + "user/basics.indexing.html"
COPIES = NUMPY + "user/basics.copies.html"
UFUNCS = NUMPY + "user/basics.ufuncs.html"
SCALARS = NUMPY + "reference/arrays.scalars.html"
TYPES = NUMPY + "user/basics.types.html"
BROADCASTING = NUMPY + "user/basics.broadcasting.html"
EXPRESSIONS = PYTHON + "reference/expressions.html"
STATEMENTS = PYTHON + "reference/simple_stmts.html"
COMPOUND = PYTHON + "reference/compound_stmts.html"
NUMBERS = PYTHON + "library/stdtypes.html#numeric-types-int-float-complex"
SCOPES = PYTHON + "reference/executionmodel.html#naming-and-binding"
BUILTINS = PYTHON + "library/functions.html"
MATH = PYTHON + "library/math.html"


def page(name):
    """The reference page of one NumPy function: "remainder", "ufunc.at", "linalg.inv"."""
    return f"{NUMPY}reference/generated/numpy.{name}.html"


@dataclass
class Case:
    name: str  # unique
    subject: str  # the case file
    source: str  # of the function, named `name`
    page: str
    calls: list  # of tuples of arguments
    right: list | None = None  # one a call: what the page or section B says; a text is an exception's name
    fault: str = ""  # "B3": of ../shared/facts/demands-and-faults.md
    refused: str = ""  # the rule
    declines: bool = False  # the port may say that it was not made for this (an Assumption)
    ulps: int = 0  # only for sums that NumPy may reassociate


CASES: list[Case] = []


@functools.cache
def functions_of(file):
    """The text of each top-level function without its decorator."""
    text = Path(file).read_text()
    return {n.name: ast.get_source_segment(text, n) + "\n" for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}


def case(where, *calls, before="", **more):
    """A test: `where` is the page, each call a tuple of arguments (one argument may stand alone); no call: no argument.
    `before` is put above the function."""

    def add(function):
        file = function.__code__.co_filename
        source = textwrap.dedent(before) + functions_of(file)[function.__name__]
        given = [c if isinstance(c, tuple) else (c,) for c in calls] or [()]
        CASES.append(Case(function.__name__, Path(file).stem, source, where, given, **more))
        return function

    return add
