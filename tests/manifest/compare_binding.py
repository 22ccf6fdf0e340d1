#!/usr/bin/env python3
"""Loads and checks every manifest of a tree and compares what each argument is bound to with rules written down here again.

    compare_binding.py MANIFEST_DUMP FOLDER...

The rules are those of HPCAgent-Bench's spec.py and initialize.py (facts, no code). Exit code 1 if a manifest is refused or
differs.
"""
import ast
import json
import pathlib
import subprocess
import sys

import yaml


def definitions(tree):
    """Every top-level def with its arguments and the names in its last return."""
    out = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        arguments = node.args.posonlyargs + node.args.args
        plain = len(arguments) - len(node.args.defaults)
        rows = [{"name": a.arg, "default": i >= plain, "keyword_only": False} for i, a in enumerate(arguments)]
        rows += [{"name": a.arg, "default": d is not None, "keyword_only": True}
                 for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)]
        returns = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
        last = returns[-1] if returns else None
        elements = last.elts if isinstance(last, ast.Tuple) else [last] if last is not None else []
        out.append({"name": node.name, "arguments": rows, "returned": [e.id if isinstance(e, ast.Name) else "" for e in elements]})
    return out


def config_names(manifest):
    config = manifest.get("config") or {}
    return set(config) if isinstance(config, dict) else set(config[0])


def shape_of(entry):
    return entry if isinstance(entry, str) else entry["shape"]


def init_outputs(init):
    return init.get("output_args", list(init["arrays"]) + list(init.get("scalars") or {}))


def expected_kind(name, manifest, formats):
    init = manifest["init"]
    config = manifest.get("config") or {}
    returned = init.get("func_name") and name in init_outputs(init)
    buffers = {b["name"] for layout in manifest.get("sparse_layouts", {}).values()
               for variant in layout["variants"].values() for b in variant["buffers"]}
    if name in formats:
        return "sparse_handle"
    if name in init["arrays"]:
        return "array"
    if name in (init.get("constants") or {}):
        return "constant"
    if name in config_names(manifest):
        domain = isinstance(config, dict) and "domain" in config[name]
        return "config_domain" if domain else "config"
    if name in manifest["parameters"]["S"]:
        return "parameter"
    if name in (init.get("scalars") or {}):
        return "scalar"
    if name in buffers:
        return "array"
    return "init_value" if returned else "default"


def expected_form(name, kind, manifest):
    """How the harness makes a scalar: without init.func_name as a NumPy scalar, else as the YAML's Python value."""
    init = manifest["init"]
    if init.get("func_name") and name in init_outputs(init):
        return "from_init"
    if kind != "scalar" or init.get("func_name"):
        return "python"
    if name in (init.get("dtypes") or {}):
        return "declared"
    value = init["scalars"][name]
    return "int64" if isinstance(value, int) and not isinstance(value, bool) else "run_float"


def symbols(text):
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def expected_port(manifest, names, formats, returned):
    """Kinds, forms and trailing symbols of one layout."""
    if manifest.get("input_args"):
        passed = manifest["input_args"]
    else:
        passed = names
    kinds = {n: expected_kind(n, manifest, formats) if n in passed else "default" for n in names}
    used = set()
    for name, kind in kinds.items():
        if kind == "sparse_handle":
            for buffer in manifest["sparse_layouts"][name]["variants"][formats[name]]["buffers"]:
                used |= set().union(set(), *[symbols(str(extent)) for extent in buffer["shape"]])
        elif kind == "array" and name in manifest["init"]["arrays"]:
            used |= symbols(shape_of(manifest["init"]["arrays"][name]))
        elif kind == "array":
            for layout in manifest["sparse_layouts"].values():
                for variant in layout["variants"].values():
                    for buffer in variant["buffers"]:
                        if buffer["name"] == name and variant is layout["variants"][formats.get("A", "csr")]:
                            used |= set().union(set(), *[symbols(str(extent)) for extent in buffer["shape"]])
    for name in returned:
        used |= symbols(shape_of(manifest["init"]["arrays"][name]))
    used -= set(names)
    order = list(manifest["parameters"]["S"])
    if manifest["init"].get("func_name"):
        constants = config_names(manifest) | set(manifest["init"].get("constants") or {})
        order += [n for n in init_outputs(manifest["init"]) if n not in order and n not in constants]
    config = manifest.get("config") or {}
    if isinstance(config, dict):
        order += [n for n, knob in config.items() if "domain" in knob]
    order += sorted(used - set(order) - config_names(manifest) - set(manifest["init"].get("constants") or {}))  # of a sparse format only; compared as a set
    return kinds, {n: expected_form(n, k, manifest) for n, k in kinds.items()}, [n for n in order if n in used]


def expected_shapes(manifest):
    """Every extent at every preset; None where a symbol is known at run time only."""
    out = []
    config = manifest.get("config") or {}
    first = config[0] if isinstance(config, list) else {n: k["value"] if "value" in k else k["domain"][0] for n, k in config.items()}
    for preset, values in manifest["parameters"].items():
        if preset == "fuzzed":
            continue
        known = {"__builtins__": {}, **(manifest["init"].get("constants") or {}), **first, **values}
        for name, entry in manifest["init"]["arrays"].items():
            node = ast.parse(shape_of(entry), mode="eval").body
            extents = node.elts if isinstance(node, ast.Tuple) else [node]
            row = []
            for extent in extents:
                try:
                    row.append(eval(compile(ast.Expression(extent), name, "eval"), dict(known)))
                except NameError:
                    row.append(None)
            out.append([preset, name, row])
    return out


def compare(manifest, definition, got):
    """Yields what differs."""
    names = [a["name"] for a in definition["arguments"] if not a["keyword_only"]]
    returned = [n for n in manifest["output_args"] if n not in names]
    layouts = {}
    if manifest.get("sparse_layouts"):
        layouts = {key: {a: f for a, f in row.items() if f != "dense"} for key, row in manifest["configurations"].items()}
    rows = len(manifest["config"]) if isinstance(manifest.get("config"), list) else 1
    if len(got["ports"]) != max(1, len(layouts)) * rows:
        yield f"{len(got['ports'])} ports"
    for port in got["ports"]:
        formats = layouts.get(port["layout"].split("__")[0], {})
        kinds, forms, trailing = expected_port(manifest, names, formats, returned)
        if [a["name"] for a in port["arguments"]] != names:
            yield f"arguments {[a['name'] for a in port['arguments']]}, expected {names}"
            return
        for argument in port["arguments"]:
            name = argument["name"]
            if argument["kind"] != kinds[name]:
                yield f"{name} is {argument['kind']}, expected {kinds[name]}"
            if argument["kind"] in ("scalar", "parameter", "init_value") and argument["form"] != forms[name]:
                yield f"{name} is made as {argument['form']}, expected {forms[name]}"
            if argument["kind"] == "array" and argument.get("shape"):
                entry = manifest["init"]["arrays"][name]
                dtype = entry.get("dtype", "") if isinstance(entry, dict) else ""
                dtype = dtype or (manifest["init"].get("dtypes") or {}).get(name, "")
                if argument["dtype"] != dtype:
                    yield f"{name} has dtype {argument['dtype']}, expected {dtype}"
        declared = [n for n in port["trailing"] if n not in port["from_buffers"]]
        if port["trailing"][:len(declared)] != declared or sorted(port["trailing"]) != sorted(trailing) or \
                [n for n in trailing if n in declared] != declared:
            yield f"trailing {port['trailing']}, expected {trailing}"
        if port["returned"] != returned:
            yield f"returned {port['returned']}, expected {returned}"
    if got["shapes"] != expected_shapes(manifest):
        yield f"shapes {[a for a, b in zip(got['shapes'], expected_shapes(manifest)) if a != b]}"
    precisions = [p for p in manifest.get("precisions", ["fp64", "fp32"]) if p == "fp64" or manifest["taxonomy"].get("min_precision") != "fp64"]
    if got["precisions"] != len(precisions):
        yield f"{got['precisions']} precisions, expected {precisions}"


def main():
    program, *folders = sys.argv[1:]
    paths = sorted(path for each in folders for path in pathlib.Path(each).rglob("*.yaml"))
    manifests, defs, requests = [], [], []
    for path in paths:
        manifest = yaml.safe_load(path.read_text())
        module = path.parent / (manifest.get("module_name", path.stem) + "_numpy.py")
        manifests.append(manifest)
        defs.append(definitions(ast.parse(module.read_text())))
        requests.append(json.dumps({"path": str(path), "defs": defs[-1]}))
    done = subprocess.run([program, "bind"], input="\n".join(requests) + "\n", capture_output=True, text=True, check=True)
    wrong = 0
    for path, manifest, definition, line in zip(paths, manifests, defs, done.stdout.splitlines(), strict=True):
        got = json.loads(line)
        if "ports" not in got or got["diagnostics"]:
            wrong += 1
            print(f"refused: {got['diagnostics']}")
            continue
        entry = next(d for d in definition if d["name"] == got["entry"])
        differences = list(compare(manifest, entry, got))
        wrong += bool(differences)
        for why in differences:
            print(f"{path.stem}: {why}")
    print(f"{len(paths)} manifests, {wrong} refused or different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
