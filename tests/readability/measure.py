#!/usr/bin/env python3
"""How readable emitted C is: names of ours among those that it declares, and its length beside the source's.

usage: measure.py BENCHMARKS EMITTED [--worst N]

BENCHMARKS holds NAME.yaml and NAME_numpy.py; EMITTED the ports of `portwright corpus port BENCHMARKS --to c -o
EMITTED`. Counted are lines of code: no comments, docstrings, includes, imports or lone braces. A name is the
author's if it stands in the source or the manifest, without leading underscores and with what we append to it:
a number, or _at (an index counted from the start), _row, _packed, _dim0. Indices of loops and their blocks
are not counted.
"""

import argparse
import ast
import re
import statistics
from pathlib import Path

TYPES = r"(?:u?int(?:8|16|32|64)_t|float complex|double complex|float|double|bool|size_t|int)"
DECLARED = re.compile(rf"(?:^|[;({{,]|\s){TYPES}\s*\*?\s*(?:restrict )?([A-Za-z_]\w*)")
SUFFIX = re.compile(r"(?:_\d+|_at|_row|_packed|_dim\d+|_)+$")


def python_lines(text):
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            docstrings.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = [line.strip() for number, line in enumerate(text.split("\n"), 1) if number not in docstrings]
    return sum(1 for line in lines if line and not line.startswith(("#", "import ", "from "))
               and not re.fullmatch(r"[\[\](){},]+", line))


def c_lines(text):
    lines = [re.sub(r"//.*", "", line).strip() for line in text.split("\n")]
    return sum(1 for line in lines
               if line and not line.startswith("#include") and not re.fullmatch(r"[{};]+", line))


def authors_names(source, manifest):
    words = set(re.findall(r"[A-Za-z_]\w*", source + manifest))
    return words | {word.lstrip("_") for word in words}


def declared_names(text):
    text = re.sub(r"//.*", "", text)
    text = re.split(r"\nint \w+_checked\(", text)[0]
    indices = set(re.findall(r"for \(int64_t ([A-Za-z_]\w*)", text))
    blocks = {index + end for index in "ijkl" for end in ("0", "1", "_at")}
    uncounted = indices | blocks | {"status", "complex"}
    return {name for name in DECLARED.findall(text)
            if name not in uncounted and re.sub(r"_\d+$", "", name) not in blocks}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("emitted", type=Path)
    parser.add_argument("--worst", type=int, default=0)
    given = parser.parse_args()
    sources = {path.name[:-len("_numpy.py")]: path for path in given.benchmarks.rglob("*_numpy.py")}
    rows, invented = [], {}
    for port in sorted(given.emitted.glob("*.c")):
        name = port.stem
        while name not in sources and "_" in name:
            name = name.rsplit("_", 1)[0]
        if name not in sources:
            continue
        manifest = sources[name].with_name(name + ".yaml")
        source = sources[name].read_text()
        authors = authors_names(source, manifest.read_text() if manifest.exists() else "")
        text = port.read_text()
        names = declared_names(text)
        ours = [each for each in names if each not in authors and SUFFIX.sub("", each) not in authors]
        for each in ours:
            invented[SUFFIX.sub("", each)] = invented.get(SUFFIX.sub("", each), 0) + 1
        rows.append((c_lines(text) / python_lines(source), port.stem, len(ours), len(names)))
    ours, names = sum(row[2] for row in rows), sum(row[3] for row in rows)
    print(f"{len(rows)} ports, {names} names, {100 * ours / names:.1f} % invented, "
          f"{statistics.median(row[0] for row in rows):.2f} times the source's lines (median)")
    for stem, count in sorted(invented.items(), key=lambda item: -item[1])[:given.worst]:
        print(f"  {count:5} {stem}")
    for ratio, name, few, many in sorted(rows, reverse=True)[:given.worst]:
        print(f"  {ratio:5.1f} {name}  {few} of {many} names")


if __name__ == "__main__":
    main()
