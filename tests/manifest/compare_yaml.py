#!/usr/bin/env python3
"""Compares how the engine reads YAML with how PyYAML does: awkward scalars and documents, then every manifest of a tree.

    compare_yaml.py MANIFEST_DUMP [FOLDER...]

MANIFEST_DUMP is the program of src/frontends/manifest/manifest_dump_main.cc. Exit code 1 if any document differs.
"""
import datetime
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import yaml

SCALARS = """
0 1 -1 +1 00 010 -010 +010 08 09 0o17 0_7 0_ 0x10 -0x10 0xFf 0x_f 0XFF 0b11 -0b1 0b_1 0b 0x 0b2 1_000 1__0 _1 1_ - +
--1 1:30 1:60 1:5 1:59:59 -1:30 01:30 1:30:5 190:20:30 1:30. 1:30.5 -1:30.25 1: 1:a 0:30 0.5:30 12:345
9223372036854775807 -9223372036854775808 0x7fffffffffffffff
1e-10 1e10 1E5 1e+5 1.0e5 1.0e+5 1.0e-05 1.e+5 1. -1. +1.5 .5 -.5 +.5 ._5 .5_0 .5e3 .5e+3 .5E-3 1_0.5 1._5 1_.0 . .. 1.5.2
0.1 1.0 -0.0 +0.0 -0 1.7976931348623157e+308 1.0e+400 4.9e-324 1.0e-400 123456789.123456789 1.5_5e+1_0 6.02e+23 1e5.
.inf -.inf +.inf .Inf .INF .iNF .nan .NaN .NAN .Nan -.nan inf nan Infinity
yes Yes YES yEs no No NO on On ON oN off Off OFF true True TRUE tRUE false False FALSE y Y n N t f
~ null Null NULL nULL none None nil
2001-12-14 2001-1-1 2001-12-14T21:59:43.10-05:00 2001-12-14t21:59:43Z 2001-12-14T1:2:3 2001-12-1 20011214 12:30:45
<< = ! & * % a:b a#b 'a' "a" '1' "1" '~' "yes" 'no'
""".split()

DOCUMENTS = [
    "", "\n", "# only a comment\n", "---\n", "---\n...\n", "a", "[1, 2", "{a: 1", "a: 1\n b: 2", "a: b: c", "\ta: 1",
    "a: 1\n---\nb: 2\n", "a: 1\na: 2\n", "a: 1\nb: 2\na: 3\n", "1: a\n1.0: b\ntrue: c\n", "on: 1\nNO: 2\n",
    "a: &x 1\nb: *x\n", "a: &x [1, 2]\nb: *x\nc: {d: *x}\n", "a: *x\n", "&a [*a]", "a: &x 1\nb: &x 2\n",
    "base: &b {x1: 1, y1: 2}\nc:\n  <<: *b\n  y1: 3\n  z1: 4\n",
    "base: &b {x1: 1, y1: 2}\nc:\n  z1: 4\n  <<: *b\n", "base: &b {x1: 1}\nother: &o {y1: 2}\nc: {<<: [*b, *o], z1: 3}\n",
    "c: {<<: {x1: 1, y1: 2}, x1: 3}\n", "a: &a {x1: 1}\nb: &b {<<: *a, y1: 2}\nc: {<<: *b}\n", "c: {<<: 1}\n",
    "c: {<<: [1]}\n", "'<<': 1\n", "a: <<\n", "a: =\n", "=: 1\n", "? [a, b]\n: 1\n", "? {a: 1}\n: 1\n", "? a\n: 1\n",
    "!!str 1", "!!int '010'", "!!int '0x1F'", "!!int '1:30'", "!!float 1", "!!float '1e5'", "!!float '1:30.5'",
    "!!bool 'yes'", "!!bool maybe", "!!null abc", "!!int abc", "!!float abc", "! 12", "! '12'", "!foo 1", "!!seq [1]",
    "!!map {a: 1}", "!!str [1]", "!!map [1]", "!!set {a}", "a: |\n  x\n  y\n", "a: >\n  x\n  y\n", "a: >-\n  x\n\n  y\n",
    "a: |+\n  x\n\n", "a: 1\n  2\n", "a: 'x\n  y'\n", 'a: "x\\ty\\u00e9\\\n  z"\n', "a: b # c\n", "a: b#c\n", "a: [b, c,]\n",
    "a: {b, c: }\n", "- 1\n- - 2\n  - 3\n-\n", "a:\n- 1\n- 2\n", "a: é\nb: '日本'\nc: 1\n", "\ufeffa: 1\n", "a: 1\r\nb: 2\r\n",
    "a: [&x b, *x]", "%YAML 1.1\n---\na: 1\n", "%YAML 1.2\n---\na: 1\n", "a: \x01\n", "a: '\x7f'\n", "a: @b\n", "a: `b\n",
    "a: [1, [2, [3, {b: [4]}]]]\n", "a: -\n", "a: - 1\n", "key with spaces: v\n", "? \n: 1\n", "{1: 2, 1: 3}", "a: !!timestamp 2001-12-14\n",
    "a: 1 \nb: 2\t\n", "a: \"1\n", "a: 'it''s'\n", "a: \"\\x41\\q\"\n", "0: a\n-0: b\n", "a: 99999999999999999999\n",
    "a: 9223372036854775808\n", "a: -9223372036854775809\n", "a: 0xffffffffffffffff\n", "a: 0b_\n", "a: 0x_\n",
    "a: &x {xx: 1}\nb: &y {xx: 2}\nc: {<<: [*x, *y]}\n",
]
# What PyYAML reads and the engine refuses, on purpose (src/frontends/manifest/yaml.h says why).
REFUSED = {
    "&a [*a]", "a: 99999999999999999999\n", "a: 9223372036854775808\n", "a: -9223372036854775809\n",
    "a: 0xffffffffffffffff\n", "!!set {a}", "[1:, 1]\n", "!!int 0o17\n", "!!int --1\n", "!!float --1\n", "!!float inf\n",
    "!!float nan\n", "!!float Infinity\n", "a: &x {xx: 1}\nb: &y {xx: 2}\nc: {<<: [*x, *y]}\n",
}
# A tab after a value, a comma after a lone tag: libyaml takes them, PyYAML refuses them.
LENIENT = {"a: 1 \nb: 2\t\n", "[!, 1]\n"}


def plain(value):
    """A PyYAML value in the form that manifest_dump prints."""
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        return {"float": value}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {"timestamp": None}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {"map": [[plain(key), plain(item)] for key, item in value.items()]}
    return {"unknown": repr(value)}


def same(ours, theirs):
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(same(a, b) for a, b in zip(ours, theirs))
    if isinstance(ours, dict):
        if ours.keys() != theirs.keys():
            return False
        if "float" in ours:
            a, b = float.fromhex(ours["float"]), theirs["float"]
            return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
        if "timestamp" in ours:
            return True
        return same(ours["map"], theirs["map"])
    return ours == theirs


def dump(program, paths):
    """One record a path, in order."""
    done = subprocess.run([program, "yaml"], input="\n".join(map(str, paths)) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(program, paths, refused=frozenset()):
    """Paths that differ, each with why; `refused` are texts that only the engine refuses."""
    differences = []
    for path, ours in zip(paths, dump(program, paths), strict=True):
        text = pathlib.Path(path).read_bytes().decode("utf-8")
        if text in refused:
            if "value" in ours:
                differences.append((text, "the engine was to refuse it"))
            continue
        try:
            theirs = plain(yaml.safe_load(text))
        except (yaml.YAMLError, ValueError, KeyError, IndexError, AttributeError) as error:
            if "value" in ours and text not in LENIENT:
                differences.append((text, f"PyYAML refuses it ({error.__class__.__name__}), the engine reads {ours['value']}"))
            continue
        if "value" not in ours:
            differences.append((text, f"PyYAML reads {theirs}, the engine refuses: {ours['diagnostics']}"))
        elif not same(ours["value"], theirs):
            differences.append((text, f"PyYAML reads {theirs}, the engine {ours['value']}"))
    return differences


def main():
    program, *folders = sys.argv[1:]
    texts = [template.format(scalar) for scalar, template in
             itertools.product(SCALARS, ("a: {}\n", "{}\n", "- {}\n", "{}: 1\n", "[{}, 1]\n", "!!str {}\n", "!!int {}\n", "!!float {}\n"))]
    texts += DOCUMENTS
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, text in enumerate(texts):
            paths.append(pathlib.Path(folder) / f"{number}.yaml")
            paths[-1].write_bytes(text.encode("utf-8"))
        differences = compare(program, paths, REFUSED)
    manifests = sorted(path for each in folders for path in pathlib.Path(each).rglob("*.yaml"))
    differences += compare(program, manifests)
    for text, why in differences[:50]:
        print(f"{text[:80]!r}: {why}")
    print(f"{len(texts)} awkward documents and {len(manifests)} manifests, {len(differences)} different")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
