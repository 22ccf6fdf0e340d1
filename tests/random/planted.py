"""planted.py [-k NAME] [--seconds 300]: plants one bug of lowering at a time, and asks whether the random test finds it.

No file of the checkout is changed: a copy of one with the bug in it is compiled, and linked before what build/release holds. Then
random_test.py runs to the first difference; it counts if the program without the bug agrees on the same seed. Exit code 1 if a
bug stays hidden.
"""

import argparse
import dataclasses
import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
SOUND = BUILD / "bin/random_programs"
UNIT_OF = {"src/backends/c/prelude.def": "src/backends/c/prelude.cc"}  # what includes a file that is no unit itself


@dataclasses.dataclass
class Bug:
    name: str
    file: str
    old: str
    new: str


NUMPY = "src/frontends/numpy/"
BUGS = [
    Bug(
        "broadcasting lines up the first axes",
        NUMPY + "arrays.cc",
        "at_most_one(array.shape[k]) ? size(0) : indices[result_rank - rank + k]",
        "at_most_one(array.shape[k]) ? size(0) : indices[std::min(k, result_rank - 1)]",
    ),
    Bug(
        "a slice with a step loses its last element",
        NUMPY + "indexing.cc",
        "out.length = floor_divide(extents().add(length, extents().add(stride, size(-1))), stride);",
        "out.length = floor_divide(length, stride);",
    ),
    Bug(
        "an upper bound of a slice is not clamped",
        NUMPY + "indexing.cc",
        "stop = counted && extents().as_constant(bound) ? at : at_most(at, extent);",
        "stop = at;",
    ),
    Bug(
        "a negative run-time index wraps to the place before",
        NUMPY + "indexing.cc",
        "apply(ir::Op::Add, {index, this->index(extent)});",
        "apply(ir::Op::Add, {index, this->index(extents().add(extent, size(-1)))});",
    ),
    Bug(
        "an index checked in a branch is taken as checked behind it",
        NUMPY + "indexing.cc",
        "checked_.insert({blocks_.back(), index, extent});\n    return index;",
        "checked_.insert({blocks_.front(), index, extent});\n    return index;",
    ),
    Bug(
        "a store between overlapping views copies nothing first",
        NUMPY + "stores.cc",
        "if (from.buffer == target.buffer && from.map != target.map) from = copy(from, type_of(from));",
        "",
    ),
    Bug(
        "a scatter from the array itself copies nothing first",
        NUMPY + "stores.cc",
        "if (from->buffer == array.buffer) source = value(copy(*from, type_of(*from)));",
        "",
    ),
    Bug(
        "a number stored to a slice is read anew for each element",
        NUMPY + "stores.cc",
        "    source = snapshot(source, {});\n",
        "",
    ),
    Bug(
        "a number stored through a mask is read anew for each element",
        NUMPY + "masks.cc",
        "store(array, indices, module.add(ir::Read{filled}, span_));",
        "store(array, indices, cast(scalar->expr, type_of(array)));",
    ),
    Bug(
        "what a mask stores of an array begins at the second value",
        NUMPY + "masks.cc",
        "const ir::ExprId value = element(source, joined({at}, inner), shape.size(), type);",
        "const ir::ExprId value = element(source, joined({extents().apply(ir::ExtentOp::Min, extents().add(at, size(1)), "
        "extents().add(counted, size(-1)))}, inner), shape.size(), type);",
    ),
    Bug(
        "ufunc.at counts a repeated index once",
        NUMPY + "functions/ufunc_methods.cc",
        "store(indexed.view, at, update(load(indexed.view, at), operand));",
        "store(indexed.view, at, update(load(before, at), operand));",
    ),
    Bug(
        "an operand is not kept from the call beside it",
        NUMPY + "expressions.cc",
        "if (contains_call(tree_, n.right)) left = snapshot(left, {});",
        "",
    ),
    Bug(
        "what += adds to is not kept from the call beside it",
        NUMPY + "statements.cc",
        "if (contains_call(tree_, node.value)) old = snapshot(old, {});",
        "",
    ),
    Bug(
        "two arrays swapped in a loop become one",
        NUMPY + "statements.cc",
        "if (lies_in(items[k])) items[k] = lasting(items[k]);",
        "if (!lies_in(items[k])) items[k] = lasting(items[k]);",
    ),
    Bug(
        "arrays of two lengths that meet are not checked",
        NUMPY + "forms.cc",
        "PW_CHECK_OK(require_equal(array.shape[k], held.shape[k], span));",
        "PW_CHECK_OK(require_equal(held.shape[k], held.shape[k], span));",
    ),
    Bug(
        "what several paths assign is Python's number behind them",
        NUMPY + "forms.cc",
        "held = value(Scalar{read_of(variable.local), variable.number.weak});",
        "held = value(Scalar{read_of(variable.local), true});",
    ),
    Bug(
        "functions are kept for any known int",
        NUMPY + "call_shape.cc",
        'key += fmt::format("i{}", *number);',
        'key += "i";',
    ),
    Bug(
        "functions are kept as if no array were given twice",
        NUMPY + "call_shape.cc",
        "if (arrays[k].given != array.buffer) continue;",
        "if (arrays[k].given.valid()) continue;",
    ),
    Bug(
        "a return inside a loop of a helper does not leave the loop",
        NUMPY + "returns.cc",
        "    emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});\n  }\n  emit(ir::Break{});",
        "    emit(ir::Assign{loop.broke_flag, constant(ir::const_bool(true))});\n  }",
    ),
    Bug(
        "a reduction that keeps its axis forgets to pass over it",
        NUMPY + "arrays.cc",
        "if (keepdims) ++next_outer;",
        "",
    ),
    Bug(
        "a negative axis counts from the one before the last",
        NUMPY + "extents.cc",
        "if (axis < 0) axis += signed_rank;",
        "if (axis < 0) axis = std::max<std::int64_t>(axis + signed_rank - 1, 0);",
    ),
    Bug(
        "narrow integers are summed in their own dtype",
        NUMPY + "functions/reduction.cc",
        "if (type == ir::DType::Bool || ir::kind(type) == ir::DTypeKind::Int) return ir::DType::I64;",
        "if (type == ir::DType::Bool) return ir::DType::I64;\n  if (ir::kind(type) == ir::DTypeKind::Int) return type;",
    ),
    Bug(
        "np.where gives x where its condition is false",
        NUMPY + "functions/elementwise.cc",
        "return stager.apply(ir::Op::Select, {v[0], v[1], v[2]});",
        "return stager.apply(ir::Op::Select, {v[0], v[2], v[1]});",
    ),
    Bug(
        "a name is taken as bound behind a branch that read it",
        NUMPY + "unbound.cc",
        "frame->checked_bound.emplace(blocks_.back(), name)",
        "frame->checked_bound.emplace(blocks_.front(), name)",
    ),
    Bug(
        "int32 and int64 promote to int32",
        "src/ir/dtype.cc",
        "const std::size_t wider = std::max(row(a).bytes, row(b).bytes);",
        "const std::size_t wider = std::min(row(a).bytes, row(b).bytes);",
    ),
    Bug(
        "fusion passes over stores",
        "src/passes/fuse.cc",
        "return slots_[producer.slot].written >= to && slots_[producer.slot].assigned >= to;",
        "return slots_[producer.slot].assigned >= to;",
    ),
    Bug(
        "loops are merged although one reads what the other stores",
        "src/passes/merge.cc",
        "if (x.buffer != y.buffer || (!x.writes && !y.writes)) continue;",
        "if (x.buffer != y.buffer || !x.writes || !y.writes) continue;",
    ),
    Bug(
        "a result is computed in place although the place is still read",
        "src/passes/forward.cc",
        "if (next(touching_[to], made) < q || next(touching_[*from], q) < slots_.size()) return;",
        "if (next(touching_[*from], q) < slots_.size()) return;",
    ),
    Bug(
        "a loop with a[i] = a[i - 1] is parallel",
        "src/passes/parallel.cc",
        "if (constant && in_w->rest == extents.constant(0)) return true;",
        "if (constant) return true;",
    ),
    Bug(
        "x < y is decided where x <= y",
        "src/passes/simplify.cc",
        "return at_least(gap, 1) ? decided(true) : at_least(back, 0) ? decided(false) : ExprId();\n    case Op::Le:",
        "return at_least(gap, 0) ? decided(true) : at_least(back, 0) ? decided(false) : ExprId();\n    case Op::Le:",
    ),
    Bug(
        "// of integers truncates",
        "src/backends/c/prelude.def",
        "return ($T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));",
        "return ($T)(a / b);",
    ),
    Bug(
        "% of floats has the sign of the dividend",
        "src/backends/c/prelude.def",
        "  if (rest == 0) return copysign$f(0, b);\n  return (rest < 0) != (b < 0) ? rest + b : rest;",
        "  if (rest == 0) return copysign$f(0, b);\n  return rest;",
    ),
    Bug(
        "np.maximum loses a NaN on the left",
        "src/backends/c/prelude.def",
        "return a > b || a != a ? a : b; }",
        "return a > b ? a : b; }",
    ),
    Bug(
        "a loop down to 0 leaves out 0",
        "src/backends/c/loops.cc",
        'condition = fmt::format("{} >= 0", i);',
        'condition = fmt::format("{} > 0", i);',
    ),
    Bug(
        "argmax passes over NaN",
        "src/backends/c/loops.cc",
        'if (ir::is_float(type)) better += fmt::format(" || ({0} != {0} && {1} == {1})", value, best);',
        "",
    ),
    Bug(
        "elements lie as far apart as the first extent",
        "src/backends/c/expression.cc",
        "sum = exact_product(sum, print(extents[d]));",
        "sum = exact_product(sum, print(extents[0]));",
    ),
]
# Where a bug takes more than one place: further (old, new) of the same file.
ALSO = {
    "ufunc.at counts a repeated index once": [
        (
            "  for_over(shape, [&](const Indices& indices) {\n    const Indices at = indexed.gathers.empty()",
            "  const Array before = copy(indexed.view, type_of(indexed.view));\n"
            "  for_over(shape, [&](const Indices& indices) {\n    const Indices at = indexed.gathers.empty()",
        ),
    ],
}


def planted(bug):
    """The file's text with the bug in it."""
    text = (ROOT / bug.file).read_text()
    for old, new in [(bug.old, bug.new), *ALSO.get(bug.name, [])]:
        if text.count(old) != 1:
            sys.exit(f"planted.py: {bug.file} has {text.count(old)} times what '{bug.name}' changes: {old}")
        text = text.replace(old, new)
    return text


def run(command):
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[-3:])} fails:\n{done.stderr[-3000:]}")
    return done.stdout


def build(number):
    """random_programs with one of the bugs."""
    bug = BUGS[number]
    folder = BUILD / f"planted/{number}"
    changed = folder / bug.file
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_text(planted(bug))
    unit = UNIT_OF.get(bug.file, bug.file)
    units = json.loads((BUILD / "compile_commands.json").read_text())
    command = shlex.split(next(u["command"] for u in units if u["file"] == str(ROOT / unit)))
    command = [c for c in command[: command.index("-o")] if c not in ("-O3", "-O2", "-Werror")]
    source = changed if unit == bug.file else ROOT / unit
    run([command[0], "-w", f"-I{folder}/src", *command[1:], "-O1", "-c", str(source), "-o", f"{folder}/unit.o"])
    link = shlex.split(run(["ninja", "-t", "commands", "random_programs"]).strip().split("\n")[-1])
    link = link[2:-2]  # between ": &&" and "&& :"
    program = folder / "random_programs"
    link[link.index("-o") + 1] = str(program)
    run([*link[:1], f"{folder}/unit.o", *link[1:]])
    return program


def test(program, seed, count, seconds):
    """The seeds that differ, how many programs were run, and the seconds of CPU."""
    command = [sys.executable, "-B", str(ROOT / "tests/random/random_test.py"), str(program), "--stop", "--no-shrink", "--most", "0"]
    command += ["--seed", str(seed), "-n", str(count), "--seconds", str(seconds), "--batch", "30"]
    out = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    programs = re.search(r"^(\d+) programs", out, re.M)
    spent = re.search(r"(\d+) s of CPU", out)
    seeds = re.search(r"differing seeds: (.*)", out)
    return [int(s) for s in seeds[1].split()] if seeds else [], int(programs[1]), int(spent[1])


def search(program, seconds):
    """Whether the bug shows, and the programs and seconds that this took."""
    seed, taken = 0, 0
    while taken < seconds:
        found, programs, spent = test(program, seed, 10**6, seconds - taken)
        seed += programs
        taken += spent
        if any(not test(SOUND, each, 1, 60)[0] for each in found):
            return True, seed, taken
    return False, seed, taken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", default="", help="only bugs whose name matches this")
    parser.add_argument("--seconds", type=float, default=300, help="of CPU for each")
    options = parser.parse_args()
    chosen = [n for n, bug in enumerate(BUGS) if re.search(options.k, bug.name)]
    for bug in BUGS:
        planted(bug)
    run(["ninja", "random_programs"])
    hidden = 0
    with ThreadPoolExecutor(1) as builder:
        following = builder.submit(build, chosen[0])
        for number, after in zip(chosen, [*chosen[1:], None]):
            program = following.result()
            if after is not None:
                following = builder.submit(build, after)
            found, programs, seconds = search(program, options.seconds)
            hidden += not found
            what = f"{'found' if found else 'NOT FOUND'} after {programs:5} programs, {seconds:3} s"
            print(f"{what}: {BUGS[number].name} ({BUGS[number].file})", flush=True)
    print(f"{len(chosen)} bugs planted, {len(chosen) - hidden} found within {options.seconds:.0f} s of CPU each")
    return 1 if hidden else 0


if __name__ == "__main__":
    sys.exit(main())
