#!/usr/bin/env python3
"""Compares our inputs with the public loader's, for every manifest of an HPCAgent-Bench checkout.

    python compare_inputs.py CORPUS [--dtype float64] [--preset S] [--only SUBSTRING] [--json FILE] [-j N]

It imports the public loader itself, so it runs in an environment with the loader's dependencies (numpy, scipy, pyyaml,
ml_dtypes); CORPUS is the checkout's root. Each manifest is done twice, by each loader in a process of its own, and the
hashes of all def-line arguments are compared. Exit code 0: none differs. Where the kernel's own initialize returns an array
that it never set (np.empty), our loader gives zeros, and the public one is asked again with np.empty giving zeros.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUR_PYTHON = os.path.join(HERE, "..", "..", "python")


def prefer(*folders):
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]


def public_data(corpus, path, preset, dtype):
    """The loader's dictionary for one manifest, named by its path because stems may repeat module names."""
    prefer(corpus, os.path.join(corpus, "hpcagent_bench", "numpy_translators", "src"))
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
    if which in ("public", "public-zeroed"):
        try:
            if which == "public-zeroed":
                np = __import__("numpy")
                np.empty, np.empty_like = np.zeros, np.zeros_like
            data = public_data(corpus, path, preset, dtype)
        except Exception as error:  # whatever the public side raises is a result
            return {"error": f"{type(error).__name__}: {error}"}
        prefer(OUR_PYTHON)
        from portwright import harness
        import importlib

        manifest = harness.load_manifest(path)
        inside = harness.split_corpus(manifest.folder)[1]
        dotted = ".".join(["hpcagent_bench", "benchmarks", *filter(None, inside.split("/"))])
        module = importlib.import_module(f"{dotted}.{manifest.module_name}_numpy")
        function = getattr(module, manifest.func_name)
    else:
        prefer(OUR_PYTHON, os.path.join(OUR_PYTHON, "portwright", "standin"))
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


class Side:
    """One loader in a child of its own, imported once; asked for one manifest after another."""

    def __init__(self, which, options):
        self.which, self.options, self.child = which, options, None

    def ask(self, path):
        if self.child is None or self.child.poll() is not None:
            o = self.options
            command = [sys.executable, __file__, o.corpus, "--serve", self.which, "--preset", o.preset, "--dtype", o.dtype]
            environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OPENBLAS_NUM_THREADS="1")
            pipe = subprocess.PIPE
            self.child = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=environment
            )
        self.child.stdin.write(path + "\n")
        self.child.stdin.flush()
        for line in self.child.stdout:
            if line.startswith("answer "):
                return json.loads(line[len("answer ") :])
        return {"error": f"the {self.which} loader ended"}


def compare_all(options, paths, found):
    """Takes paths from the list until it is empty; (path, the answers) goes to `found`."""
    public, ours, zeroed = (Side(which, options) for which in ("public", "ours", "public-zeroed"))
    while True:
        try:
            path = paths.pop()
        except IndexError:
            return
        theirs, mine = public.ask(path), ours.ask(path)
        unset = theirs.get("hash") != mine.get("hash") and "error" not in theirs
        found((path, theirs, mine, zeroed.ask(path) if unset else theirs))


def manifests(corpus):
    root = os.path.join(corpus, "hpcagent_bench", "benchmarks")
    for path in sorted(glob.glob(os.path.join(root, "**", "*.yaml"), recursive=True)):
        with open(path) as file:
            text = file.read()
        if re.search(r"^(parameters|dimensions):", text, re.MULTILINE):
            yield path


def report(options, path, public, ours, zeroed):
    """The row of one manifest; a line about it if it is not equal."""
    name = os.path.splitext(os.path.basename(path))[0]
    kind = "differ"
    if "error" in public and "error" in ours:
        kind = "neither makes them"
        print(f"neither  {name}: public: {public['error'][:150]} | ours: {ours['error'][:150]}")
    elif public.get("hash") == ours.get("hash"):
        kind = "equal"
    elif zeroed.get("hash") == ours.get("hash"):
        kind = "equal but for np.empty"
        print(f"unset    {name}: initialize returns np.empty's garbage; equal where that is zeros")
    else:
        theirs, mine = public.get("parts", {}), ours.get("parts", {})
        parts = [n for n in dict.fromkeys([*theirs, *mine]) if theirs.get(n) != mine.get(n)]
        print(f"DIFFER   {name}: {public.get('error', '')[:200]} {ours.get('error', '')[:200]} {parts[:8]}")
    manifest = os.path.relpath(path, options.corpus)
    return {"name": name, "manifest": manifest, "result": kind, "public": public, "ours": ours}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--dtype", default="float64", help='float64, float32, or "" to name none')
    parser.add_argument("--preset", default="S")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.corpus = os.path.abspath(options.corpus)
    if options.serve:
        for line in sys.stdin:
            answer = one(options.serve, options.corpus, line.strip(), options.preset, options.dtype)
            print("answer " + json.dumps(answer), flush=True)
        return 0
    paths = [path for path in manifests(options.corpus) if options.only in path]
    count = len(paths)
    paths.reverse()
    counts = {"equal": 0, "equal but for np.empty": 0, "differ": 0, "neither makes them": 0}
    rows = []

    def found(answers):
        rows.append(report(options, *answers))
        counts[rows[-1]["result"]] += 1
        sys.stdout.flush()

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for future in [pool.submit(compare_all, options, paths, found) for _ in range(options.j)]:
            future.result()
    summary = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    print(f"{count} manifests at preset {options.preset}, {options.dtype or 'no'} dtype: {summary}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
