"""Runs every kernel of kernels/ at preset S under NumPy: it must end in time, give finite or infinite numbers (no NaN),
move each of its outputs or return it, and name its symbols apart. Needs NumPy and PyYAML (scripts/python-env numpy)."""
import ast
import importlib.util
import inspect
import pathlib
import sys
import time

import numpy as np
import yaml

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"
LIMIT_SECONDS = 2.0
PRESETS = ("S", "M")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fill(entry, shape, dtype, rng):
    """The public harness's families of fills; the exact bytes are the engine's business."""
    if "dtype" in entry and np.dtype(entry["dtype"]).kind in "iu":
        if len(shape) == 1:
            return rng.permutation(shape[0]).astype(entry["dtype"])
        return rng.integers(0, max(2, min(shape)), size=shape, dtype=entry["dtype"])
    dist = entry.get("dist", "uniform")
    draw = {"uniform": lambda: rng.uniform(-8.0, 8.0, shape), "normal": lambda: rng.normal(size=shape),
            "lognormal": lambda: rng.lognormal(0.0, 0.5, shape)}[dist]
    return fold(draw(), entry.get("domain")).astype(dtype)


def fold(values, domain):
    """values moved into what the manifest says they lie in: a sign, or an interval."""
    if isinstance(domain, list):
        low, high = domain
        return low + (high - low) * (values - values.min()) / max(np.ptp(values), 1e-9)
    return np.abs(values) if domain in ("positive", "nonneg") else values


def inputs(manifest_path, manifest, preset, dtype, rng):
    symbols = dict(manifest["parameters"][preset])
    symbols.update({name: knob["value"] for name, knob in manifest.get("config", {}).items()})
    init = manifest["init"]
    values = dict(symbols)
    for name, value in init.get("scalars", {}).items():
        values[name] = np.int64(value) if isinstance(value, int) else dtype(value)
    if "func_name" in init:
        module = load(manifest_path.with_suffix(".py"))
        function = getattr(module, init["func_name"])
        extra = {"datatype": dtype}
        if "rng" in inspect.signature(function).parameters:
            extra["rng"] = rng
        made = function(*[values[name] for name in init["input_args"]], **extra)
        values.update(zip(init["output_args"], made))
    for name, entry in init["arrays"].items():
        entry = {"shape": entry} if isinstance(entry, str) else entry
        shape = eval(entry["shape"], {"__builtins__": {}}, symbols)  # our own manifests
        if "func_name" not in init:
            values[name] = fill(entry, shape, dtype, rng)
        if values[name].shape != shape:
            raise ValueError(f"{name} has shape {values[name].shape}, the manifest says {shape}")
    return values


def definition(path, function):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [argument.arg for argument in node.args.args]
    raise ValueError(f"no function {function}")


def check(manifest_path):
    manifest = yaml.safe_load(manifest_path.read_text())
    for preset in PRESETS:
        sizes = list(manifest["parameters"][preset].values())
        if len(set(sizes)) != len(sizes):
            raise ValueError(f"preset {preset}: two symbols have one value")
    kernel_path = manifest_path.with_name(manifest_path.stem + "_numpy.py")
    order = definition(kernel_path, manifest["func_name"])
    kernel = getattr(load(kernel_path), manifest["func_name"])
    narrow = manifest["taxonomy"].get("min_precision") != "fp64"
    seconds = 0.0
    for dtype in (np.float64, np.float32) if narrow else (np.float64, ):
        values = inputs(manifest_path, manifest, "S", dtype, np.random.default_rng(0))
        outputs = manifest["output_args"]
        before = {name: values[name].copy() for name in outputs if name in order}
        began = time.process_time()
        with np.errstate(all="raise", under="ignore"):
            returned = kernel(**{name: values[name] for name in order if name in values})
        seconds = max(seconds, time.process_time() - began)
        if len(before) < len(outputs):
            returned = returned if isinstance(returned, tuple) else (returned, )
            values.update(zip([name for name in outputs if name not in before], returned, strict=True))
        for name in outputs:
            if np.isnan(values[name]).any():
                raise ValueError(f"{name} holds a NaN")
            if name in before and np.array_equal(before[name], values[name]):
                raise ValueError(f"{name} did not move")
    if seconds > LIMIT_SECONDS:
        raise ValueError(f"took {seconds:.1f} s at S")
    return seconds


def main():
    failures = 0
    manifests = sorted(KERNELS.glob("*/*.yaml"))
    for path in manifests:
        try:
            seconds = check(path)
            print(f"{path.relative_to(KERNELS)}: {seconds * 1000:.0f} ms")
        except Exception as error:  # noqa: BLE001: whatever it is, it is this kernel's failure
            failures += 1
            print(f"{path.relative_to(KERNELS)}: FAILED: {type(error).__name__}: {error}")
    print(f"{len(manifests)} kernels, {failures} failures")
    return 1 if failures or len(manifests) < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
