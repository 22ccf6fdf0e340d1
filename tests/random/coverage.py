"""Which ways of indexing a program uses, and which ops and ways came too seldom."""

import ast
import re
from pathlib import Path

import aliasing
import functions
import joins
import raising
import selections

ROOT = Path(__file__).resolve().parents[2]
FORMS = """integer | negative integer | run-time integer | loop index | index arithmetic | full slice | lower bound | upper bound |
both bounds | negative bound | run-time bound | clamped bound | step | negative step | newaxis | ellipsis | transpose | reshape |
gather | gather beside a slice | gather by two arrays | scatter | scatter in place | ufunc.at | mask load | mask store |
mask store of an array | element store |
slice store | slice store in place | take | one array given twice"""
FORMS = [" ".join(form.split()) for form in FORMS.split("|")]


def constant(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def bound_forms(part):
    if part is None:
        return
    value = constant(part)
    if value is None:
        yield "run-time bound"
    elif value < 0:
        yield "negative bound"
    if value is not None and abs(value) >= 20:
        yield "clamped bound"


def slice_forms(item):
    if item.lower is None and item.upper is None and item.step is None:
        yield "full slice"
    if item.lower is not None and item.upper is not None:
        yield "both bounds"
    elif item.lower is not None:
        yield "lower bound"
    elif item.upper is not None:
        yield "upper bound"
    yield from bound_forms(item.lower)
    yield from bound_forms(item.upper)
    if item.step is not None:
        step = constant(item.step)
        yield "negative step" if isinstance(step, int) and step < 0 else "step"


def item_forms(item):
    if isinstance(item, ast.Slice):
        yield from slice_forms(item)
    elif isinstance(item, ast.Constant) and item.value is Ellipsis:
        yield "ellipsis"
    elif constant(item) is None and isinstance(item, ast.Constant) or isinstance(item, ast.Attribute) and item.attr == "newaxis":
        yield "newaxis"
    elif isinstance(constant(item), int):
        yield "negative integer" if constant(item) < 0 else "integer"
    elif isinstance(item, ast.Name) and item.id == "idx":
        yield "gather"
    elif isinstance(item, ast.Name):
        yield "loop index" if item.id in "ijl" else "run-time integer"
    elif isinstance(item, ast.BinOp):
        yield "index arithmetic"


def is_named_mask(item):
    return isinstance(item, ast.Name) and re.fullmatch(r"m\d+", item.id) is not None


def subscript_forms(node, stored, in_place):
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    forms = {form for item in items for form in item_forms(item)}
    gathers = sum(1 for item in items if isinstance(item, ast.Name) and item.id.startswith("idx"))
    if any(is_named_mask(item) for item in items):
        forms.add("mask store of an array" if stored else "mask load")
    if gathers and stored:
        forms |= {"scatter in place" if in_place else "scatter"}
        forms.discard("gather")
    if gathers and any(isinstance(item, ast.Slice) for item in items):
        forms.add("gather beside a slice")
    if gathers > 1:
        forms.add("gather by two arrays")
    if stored and len(items) == 1 and isinstance(items[0], (ast.Compare, ast.Call, ast.UnaryOp)) and constant(items[0]) is None:
        forms.add("mask store")
    elif stored and not gathers:
        sliced = any(isinstance(item, ast.Slice) or constant(item) is Ellipsis for item in items)
        forms.add(("slice store in place" if in_place else "slice store") if sliced else "element store")
    return forms


def forms(source):
    found = set()
    for node in ast.walk(ast.parse(source)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        for target in targets:
            if isinstance(target, ast.Subscript):
                found |= subscript_forms(target, True, isinstance(node, ast.AugAssign))
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            found |= subscript_forms(node, False, False)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and re.fullmatch(r"h\d+_\w+", node.func.id):
            given = [a.id for a in node.args if isinstance(a, ast.Name)]
            found |= {"one array given twice"} if len(set(given)) < len(given) else set()
        if isinstance(node, ast.Attribute):
            name = {"T": "transpose", "transpose": "transpose", "reshape": "reshape", "at": "ufunc.at", "take": "take"}
            if node.attr in name:
                found.add(name[node.attr])
    return {f"form {f}" for f in found}


def rows():
    """Every op of ops.def by its text form."""
    return re.findall(r'^OP\(\w+, "(\w+)"', (ROOT / "src/ir/ops.def").read_text(), re.M)


def wanted():
    """Every name that is counted."""
    out = [f"op {r}" for r in rows()] + [f"form {f}" for f in FORMS]
    out += [f"reduce {r}" for r in "sum product max min any all argmax argmin".split()]
    out += ["stmt Call", "function: of random statements", "function: called in a loop", "function: called in a branch"]
    tables = (joins.ROWS, aliasing.ROWS, selections.ROWS, raising.ROWS, functions.CLOSURES)
    out += [row for table in tables for row in table]
    out += sorted({row for row, _, _ in functions.TOP_LEVEL})
    out += [f"raises {e}" for e in "IndexError ValueError ZeroDivisionError UnboundLocalError AssertionError RuntimeError".split()]
    return out


def seldom(features, least):
    """'name (count)' of what was in fewer programs than that."""
    return [f"{w} ({features[w]})" for w in wanted() if features[w] < least]
