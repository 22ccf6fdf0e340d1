#!/usr/bin/env python3
"""Compares our inputs with the public loader's, for every manifest of an HPCAgent-Bench checkout.

    python compare_inputs.py CORPUS [--dtype float64] [--preset S] [--only SUBSTRING] [--json FILE] [-j N]

It imports the public loader itself, so it runs in an environment with the loader's dependencies (numpy, scipy, pyyaml,
ml_dtypes); CORPUS is the checkout's root. Each manifest is done twice in a fresh child: once by each loader, and the
hashes of all def-line arguments are compared. Exit code 0: all equal.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUR_PYTHON = os.path.join(HERE, "..", "..", "python")


def public_data(corpus, path, preset, dtype):
    """The loader's dictionary for one manifest, named by its path because stems may repeat module names."""
    sys.path[:0] = [corpus, os.path.join(corpus, "hpcagent_bench", "numpy_translators", "src")]
    from hpcagent_bench.emit_bridge import legacy_bench_info_dict
    from hpcagent_bench.frameworks.benchmark import Benchmark
    from hpcagent_bench.spec import BenchSpec
    import hpcagent_bench.frameworks.framework as framework
    import numpy as np
    import yaml

    framework.np_float = {"float32": np.float32}.get(dtype, np.float64)
    framework.np_complex = {"float32": np.complex64}.get(dtype, np.complex128)
    with open(path) as file:
        spec = BenchSpec.from_yaml(yaml.safe_load(file), path)
    bench = Benchmark.__new__(Benchmark)
    bench.bname, bench.bdata, bench.spec = spec.short_name, {}, spec
    bench.info = legacy_bench_info_dict(spec)["benchmark"]
    return bench.get_data(preset, dtype or None)


def one(which, corpus, path, preset, dtype):
    """Prints {"hash", "parts": {name: hash}} or {"error"} for one manifest by one loader."""
    if which == "public":
        try:
            data = public_data(corpus, path, preset, dtype)
        except Exception as error:  # whatever the public side raises is a result
            return {"error": f"{type(error).__name__}: {error}"}
        sys.path.insert(0, OUR_PYTHON)
        from portwright import harness
        import importlib

        manifest = harness.load_manifest(path)
        inside = harness.split_corpus(manifest.folder)[1]
        dotted = ".".join(["hpcagent_bench", "benchmarks", *filter(None, inside.split("/"))])
        module = importlib.import_module(f"{dotted}.{manifest.module_name}_numpy")
        function = getattr(module, manifest.func_name)
    else:
        sys.path[:0] = [OUR_PYTHON, os.path.join(OUR_PYTHON, "portwright", "standin")]
        from portwright import harness

        manifest = harness.load_manifest(path)
        try:
            data = harness.make_inputs(manifest, preset, dtype).data
            function = harness.reference_function(manifest)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
    try:
        pairs = harness.arguments(function, data)
        parts = {name: harness.hash_inputs(manifest, [(name, value)]) for name, value in pairs}
        return {"hash": harness.hash_inputs(manifest, pairs), "parts": parts}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def ask(which, options, path):
    command = [sys.executable, __file__, options.corpus, "--one", which, path, "--preset", options.preset]
    command += ["--dtype", options.dtype]
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OPENBLAS_NUM_THREADS="1")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=options.timeout)
    last = done.stdout.strip().splitlines()
    return json.loads(last[-1]) if last else {"error": done.stderr[-500:]}


def compare(options, path):
    try:
        return path, ask("public", options, path), ask("ours", options, path)
    except subprocess.TimeoutExpired:
        return path, {"error": "timeout"}, {"error": "timeout"}


def manifests(corpus):
    root = os.path.join(corpus, "hpcagent_bench", "benchmarks")
    for path in sorted(glob.glob(os.path.join(root, "**", "*.yaml"), recursive=True)):
        with open(path) as file:
            text = file.read()
        if "\nparameters:" in text or "\ndimensions:" in text:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--dtype", default="float64", help='float64, float32, or "" to name none')
    parser.add_argument("--preset", default="S")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.corpus = os.path.abspath(options.corpus)
    if options.one:
        print(json.dumps(one(*options.one[:1], options.corpus, options.one[1], options.preset, options.dtype)))
        return 0
    paths = [path for path in manifests(options.corpus) if options.only in path]
    counts = {"equal": 0, "differ": 0, "neither makes them": 0}
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for path, public, ours in pool.map(lambda p: compare(options, p), paths):
            name = os.path.splitext(os.path.basename(path))[0]
            if "error" in public and "error" in ours:
                kind = "neither makes them"
                print(f"neither  {name}: public: {public['error'][:150]} | ours: {ours['error'][:150]}")
            elif public.get("hash") == ours.get("hash"):
                kind = "equal"
            else:
                kind = "differ"
                theirs, mine = public.get("parts", {}), ours.get("parts", {})
                parts = [n for n in dict.fromkeys([*theirs, *mine]) if theirs.get(n) != mine.get(n)]
                print(f"DIFFER   {name}: {public.get('error', '')[:200]} {ours.get('error', '')[:200]} {parts[:8]}")
            counts[kind] += 1
            rows.append({"name": name, "manifest": os.path.relpath(path, options.corpus), "result": kind, "public": public, "ours": ours})
            sys.stdout.flush()
    print(f"{len(paths)} manifests at preset {options.preset}, {options.dtype or 'no'} dtype: " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
