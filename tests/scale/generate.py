"""Writes kernels of many statements: generate.py DIR [--kind KIND,...] [--statements N]. Each is KIND.yaml with KIND_numpy.py,
made without chance, so that the same arguments give the same text. For the growth of translation time with size."""
import argparse
import pathlib

MANIFEST = """name: {name}
func_name: {name}
kind: microkernel
level: 2
parameters:
  S: {{n: 40, m: 9}}
  M: {{n: 4000, m: 90}}
init:
  arrays:
    x: (n,)
    y: (n,)
    u: "(m, n)"
    out: (n,)
  scalars:
    s: 0.5
    t: 0.25
output_args: [out]
taxonomy: {{track: scientific_computing, subtrack: generated, dwarf: map_reduce, domain: Other}}
"""

# Bounded for finite inputs, so that long chains stay finite.
STEP = "{target} = {left} * {factor} + {right} * {rest}"


def step(target, left, right, number):
    factor = 0.125 + (number % 13) / 64
    return STEP.format(target=target, left=left, right=right, factor=factor, rest=round(0.75 - factor, 6))


def chained_arrays(count):
    """A handful of names, each assigned again and again."""
    names = ["a", "b", "c", "d", "e"]
    yield from (f"{name} = x * {number + 1}.0 + y" for number, name in enumerate(names))
    for number in range(count):
        yield step(names[number % 5], names[(number * 3 + 1) % 5], names[(number * 7 + 2) % 5], number)
    yield "out[:] = a + b + c + d + e"


def single_chain(count):
    """Every value is read once, by the next statement."""
    yield "a = x + y"
    for number in range(count):
        yield step("a", "a", "xy"[number % 2], number)
    yield "out[:] = a"


def distinct_arrays(count):
    """Every statement makes a name of its own and reads older ones."""
    yield "v0 = x + y"
    yield "v1 = x - y"
    for number in range(2, count):
        older = number - 2 - (number * 7) % min(number - 1, 40)
        yield step(f"v{number}", f"v{number - 1}", f"v{older}", number)
    yield f"out[:] = v{count - 1} + v{count - 2}"


def scalars(count):
    names = ["a", "b", "c", "d", "e"]
    yield from (f"{name} = s * {number + 1}.0 + t" for number, name in enumerate(names))
    for number in range(count):
        yield step(names[number % 5], names[(number * 3 + 1) % 5], names[(number * 7 + 2) % 5], number)
    yield "out[:] = x * a + b + c + d + e"


def distinct_scalars(count):
    yield "v0 = s + t"
    yield "v1 = s - t"
    for number in range(2, count):
        older = number - 2 - (number * 7) % min(number - 1, 40)
        yield step(f"v{number}", f"v{number - 1}", f"v{older}", number)
    yield f"out[:] = x * v{count - 1}"


def element_stores(count):
    """Elements at constant places, first outside a loop, then inside one, of which a half are of the loop's own column."""
    for number in range(count // 2):
        yield step(f"out[{number % 9}]", f"x[{(number * 5 + 1) % 9}]", f"out[{(number * 3 + 2) % 9}]", number)
    yield "for i in range(1, n - 1):"
    for number in range(count // 2):
        yield "    " + step(f"u[{number % 9}, i]", f"u[{(number * 5 + 1) % 9}, i]", f"x[i + {number % 3 - 1}]", number)
    yield "out[:] = out + u[0]"


def stencil(count):
    """Slices of a few arrays, stored and read at shifts."""
    places = ["[1:-1]", "[:-2]", "[2:]"]
    yield "a = x + y"
    yield "b = x - y"
    for number in range(count):
        left, right = ("a", "b") if number % 2 == 0 else ("b", "a")
        read = left + places[number % 3]
        yield step(f"{right}[1:-1]", read, left + places[(number * 2 + 1) % 3], number)
    yield "out[:] = a + b"


def rows(count):
    """Whole-row stores into one matrix, whose rows depend on rows before."""
    for number in range(count):
        yield step(f"u[{number % 9}]", f"u[{(number * 5 + 1) % 9}, :]", "x", number)
    yield "out[:] = u[0] + u[8]"


def loops(count):
    """Loops of ten statements."""
    for number in range(count // 10):
        yield "for i in range(1, n - 1):"
        for inner in range(8):
            target = ["out[i]", "u[0, i]", "u[1, i]"][inner % 3]
            yield "    " + step(target, ["x[i]", "u[0, i - 1]", "y[i + 1]"][(inner + number) % 3], target, inner)
        yield "    a = out[i] * 0.5"
        yield "    y[i] = a + x[i]"


def sums(count):
    """Loops that fold into a number made outside."""
    yield "a = s"
    for number in range(count // 4):
        yield f"b = a * {number % 7}.0"
        yield "for i in range(n):"
        yield "    b = b + x[i] * 0.125"
        yield "    a = a + b * y[i]"
    yield "out[:] = x * a"


def names_in_a_loop(count):
    """One loop, each statement of which makes a name of its own."""
    yield "for i in range(1, n - 1):"
    yield "    v0 = x[i] + y[i]"
    yield "    v1 = x[i] - y[i]"
    for number in range(2, count):
        older = number - 2 - (number * 7) % min(number - 1, 40)
        yield "    " + step(f"v{number}", f"v{number - 1}", f"v{older}", number)
    yield f"    out[i] = v{count - 1}"


def gathers(count):
    """Arrays read under shifts and reversals of each other, each once."""
    yield "a = x + y"
    for number in range(count):
        yield f"a = {['np.roll(a, 1)', 'a[::-1]', 'a * x', 'a + a[::-1]'][number % 4]}"
    yield "out[:] = a"


def nested_branches(count):
    """Ladders of ifs, one in the other as deep as Python takes them, with statements on both sides."""
    depth = min(90, max(1, count // 4))
    yield "a = s * 0.5"
    yield "b = t + 1.0"
    for ladder in range(max(1, count // (3 * depth))):
        for level in range(depth):
            indent = "  " * level
            yield f"{indent}a = a * 0.5 + b * 0.25"
            yield f"{indent}if a > {level}.5:"
            yield f"{indent}  b = b + a * {(ladder + 1) / 8}"
        yield "  " * depth + "b = b * 0.5"
    yield "out[:] = x * a + b"


def alternatives(count):
    """Ladders of two hundred elifs, in a loop."""
    rungs = min(200, max(1, count // 4))
    yield "for i in range(1, n - 1):"
    yield "  a = x[i]"
    for ladder in range(max(1, count // (2 * rungs))):
        for rung in range(rungs):
            yield f"  {'elif' if rung else 'if'} a > {rungs - rung}.5:"
            yield f"    a = a * 0.5 + y[i] * {(ladder + 1) / 8}"
    yield "  out[i] = a"


KINDS = {maker.__name__: maker for maker in (chained_arrays, single_chain, distinct_arrays, scalars, distinct_scalars, element_stores, stencil,
                                             rows, loops, sums, names_in_a_loop, gathers, nested_branches, alternatives)}


def write(folder, kind, count):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{kind}.yaml").write_text(MANIFEST.format(name=kind))
    body = "\n".join("    " + line for line in KINDS[kind](count))
    (folder / f"{kind}_numpy.py").write_text(f"import numpy as np\n\n\ndef {kind}(x, y, u, out, s, t, n, m):\n{body}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--statements", type=int, default=20000)
    chosen = parser.parse_args()
    for kind in chosen.kind.split(","):
        write(chosen.folder, kind, chosen.statements)


if __name__ == "__main__":
    main()
