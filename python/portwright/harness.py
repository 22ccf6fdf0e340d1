"""A kernel's manifest, and its inputs byte for byte as HPCAgent-Bench's loader makes them.

The loader's order of decisions, which is what has to be kept: preset values and the first config row; the first
variant; then either `init.func_name` of MODULE.py (else MODULE_numpy.py) with the keyword arguments that it declares,
or declared arrays in order, each from its own stream. Facts from frameworks/benchmark.py, initialize.py and spec.py of
HPCAgent-Bench (commit 11d625f9); no code of it.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import inspect
import itertools
import os
import sys
import types
from dataclasses import dataclass, field

import numpy as np
import yaml

from . import samplers

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What an initialize function may ask for by name; a positional dtype must not land in one of these.
HARNESS_NAMES = ("datatype", "rng", "dist", "variant_spec")

DTYPES = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "fp64": np.float64,
    "fp32": np.float32,
    "fp16": np.float16,
}
COMPLEX_OF = {np.float64: np.complex128}

# A declared dtype that NumPy has no type for, and the one that holds it.
STORAGE = {"int4": "int8", "uint4": "uint8"}


class ManifestError(ValueError):
    """The manifest cannot be used as it is; the message says which key."""


def storage_dtype(name):
    return np.dtype(STORAGE.get(str(name), str(name)))


@dataclass
class Manifest:
    """A parsed manifest with what its location and its reference say filled in."""

    path: str
    raw: dict
    folder: str
    module_name: str
    func_name: str
    init: dict
    shapes: dict = field(default_factory=dict)
    dtypes: dict = field(default_factory=dict)
    dists: dict = field(default_factory=dict)
    domains: dict = field(default_factory=dict)

    @property
    def reference_path(self):
        return os.path.join(self.folder, self.module_name + "_numpy.py")


def load_manifest(path):
    path = os.path.realpath(path)
    with open(path, "rb") as file:
        raw = yaml.load(file, Loader=LOADER)
    if not isinstance(raw, dict):
        raise ManifestError(f"{path}: a manifest is a mapping")
    stem = os.path.splitext(os.path.basename(path))[0]
    init = raw.get("init") or {}
    manifest = Manifest(
        path=path,
        raw=raw,
        folder=os.path.dirname(path),
        module_name=raw.get("module_name") or stem,
        func_name=raw.get("func_name") or "",
        init=init,
        dtypes=dict(init.get("dtypes") or {}),
    )
    if not manifest.func_name:
        manifest.func_name = _entry_function(manifest.reference_path, manifest.module_name)
    for name, entry in (init.get("arrays") or {}).items():
        if not isinstance(entry, dict):
            manifest.shapes[name] = str(entry)
            continue
        if "shape" not in entry:
            raise ManifestError(f"init.arrays.{name} has no shape")
        manifest.shapes[name] = str(entry["shape"])
        if entry.get("dtype"):
            manifest.dtypes[name] = entry["dtype"]
        if entry.get("dist"):
            manifest.dists[name] = entry["dist"]
        if entry.get("domain") is not None:
            manifest.domains[name] = samplers.parse_domain(entry["domain"])
    return manifest


def _entry_function(path, module_name):
    """The only top-level function, else the one called like the module."""
    with open(path, "rb") as file:
        names = [node.name for node in ast.parse(file.read()).body if isinstance(node, ast.FunctionDef)]
    if len(names) == 1:
        return names[0]
    if module_name in names:
        return module_name
    raise ManifestError(f"func_name is absent and {path} has no function {module_name}")


def config_rows(manifest):
    """The complete configurations: the list as it is, or the product of the knobs where the constraints hold."""
    config = manifest.raw.get("config") or {}
    if isinstance(config, list):
        return [dict(row) for row in config]
    if not config:
        return []
    axes = [(name, knob["domain"]) for name, knob in config.items() if knob.get("domain")]
    pinned = {name: knob["value"] for name, knob in config.items() if not knob.get("domain")}
    names = [name for name, _ in axes]
    rows = [{**pinned, **dict(zip(names, values))} for values in itertools.product(*(axis for _, axis in axes))]
    constraints = manifest.raw.get("constraints") or ()
    return [row for row in rows if all(_holds(constraint, row) for constraint in constraints)]


def _holds(constraint, row):
    """A constraint that reads a size as well says nothing about a configuration alone."""
    try:
        return bool(eval(compile(str(constraint), "<constraint>", "eval"), {"__builtins__": {"min": min, "max": max, "abs": abs}}, dict(row)))
    except NameError:
        return True


def first_config(manifest):
    """What a run without a chosen row gets: the first row of a list, else each knob's value or first choice."""
    config = manifest.raw.get("config") or {}
    if isinstance(config, list):
        return dict(config[0]) if config else {}
    return {name: knob["domain"][0] if knob.get("domain") else knob.get("value") for name, knob in config.items()}


def parameters(manifest, preset, config_row=None):
    sizes = manifest.raw.get("dimensions") or manifest.raw.get("parameters") or {}
    if preset not in sizes:
        raise ManifestError(f"no preset {preset}; there are {', '.join(map(str, sizes))}")
    if config_row is None:
        row = first_config(manifest)
    else:
        rows = config_rows(manifest)
        if not 0 <= config_row < len(rows):
            raise ManifestError(f"no config row {config_row}; there are {len(rows)}")
        row = rows[config_row]
    return {**sizes[preset], **row}


def choose_variant(manifest, name):
    """(name, spec) of a variant; the first one without a name; (None, None) where the manifest has none."""
    variants = manifest.raw.get("variants") or {}
    if variants == {"default": {}}:
        variants = {}
    if name:
        if name in variants:
            return name, dict(variants[name] or {})
        layouts = manifest.raw.get("distributions") or {}
        if name in layouts:
            entry = layouts[name]
            configuration = entry.get("configuration") or entry.get("format")
            chosen = (manifest.raw.get("configurations") or {}).get(configuration) or {}
            layout = next(iter(chosen.values()), configuration)
            return name, {"format": layout, "distribution": entry.get("distribution", "uniform")}
        raise ManifestError(f"no variant {name}; there are {', '.join([*variants, *layouts]) or 'none'}")
    if not variants:
        return None, None
    first = next(iter(variants))
    return first, dict(variants[first] or {})


_ARITHMETIC = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


def shape_of(text, symbols):
    """The extents that a manifest's shape text means; integers, symbols, + - * // % and unary minus."""

    def value(node):
        if isinstance(node, ast.Tuple):
            return tuple(value(item) for item in node.elts)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in symbols:
                raise ManifestError(f"the shape {text} reads {node.id}, which is no symbol")
            return symbols[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            return _ARITHMETIC[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        raise ManifestError(f"the shape {text} is more than integer arithmetic")

    found = value(ast.parse(text.strip(), mode="eval").body)
    return found if isinstance(found, tuple) else (found,)


def _declared_scalars(manifest, spec, dtype):
    out = {}
    for name, default in ((spec or {}).get("scalars") or manifest.init.get("scalars") or {}).items():
        if name in manifest.dtypes:
            out[name] = storage_dtype(manifest.dtypes[name]).type(default)
        elif isinstance(default, int) and not isinstance(default, bool):
            out[name] = np.int64(default)
        else:
            out[name] = dtype(default)
    return out


def _declared_inputs(manifest, symbols, spec, distribution, dtype, seed):
    """Values of init.arrays and init.scalars, by name. A scalar of an array's name wins, and keeps the array's stream."""
    out = _declared_scalars(manifest, spec, dtype)
    scalars = set(out)
    for (name, text), rng in zip(manifest.shapes.items(), samplers.streams(seed, len(manifest.shapes))):
        if name in scalars:
            continue
        shape = shape_of(text, symbols)
        fixed = manifest.dtypes.get(name)
        if fixed is not None and storage_dtype(fixed).kind in "iu":
            out[name] = samplers.indices(shape, storage_dtype(fixed), rng)
            continue
        options = {k: v for k, v in (spec or {}).items()}
        domain = manifest.domains[name] if name in manifest.domains else samplers.parse_domain(options.get("domain"))
        out[name] = samplers.sample(
            manifest.dists.get(name, distribution), shape, dtype, rng, options, domain, options.get("array", name)
        )
    return out


def set_standin(folder, dtype):
    """Makes `import hpcagent_bench...` in a kernel find our stand-in, with the corpus's own modules under benchmarks."""
    framework = importlib.import_module("hpcagent_bench.frameworks.framework")
    framework.np_float = dtype
    framework.np_complex = COMPLEX_OF.get(dtype, np.complex64)
    root, inside = split_corpus(folder)
    benchmarks = importlib.import_module("hpcagent_bench.benchmarks")
    benchmarks.__path__ = [root] if inside is not None else []


def split_corpus(folder):
    """(.../benchmarks, "a/b") of a folder inside a tree called benchmarks, else (folder, None)."""
    parts = folder.split(os.sep)
    if "benchmarks" not in parts:
        return folder, None
    at = len(parts) - 1 - parts[::-1].index("benchmarks")
    return os.sep.join(parts[: at + 1]), "/".join(parts[at + 1 :])


def import_module(manifest, name):
    """A module of the kernel's folder: inside a corpus as hpcagent_bench.benchmarks..., because modules there import each
    other so; elsewhere by its own name."""
    root, inside = split_corpus(manifest.folder)
    if inside is not None:
        dotted = ".".join(["hpcagent_bench", "benchmarks", *filter(None, inside.split("/")), name])
        return importlib.import_module(dotted)
    if manifest.folder not in sys.path:
        sys.path.insert(0, manifest.folder)
    return importlib.import_module(name)


@contextlib.contextmanager
def zeroed_empty():
    """Within it np.empty and np.empty_like give zeros: what an initialize function leaves unset would otherwise be whatever
    the memory held, and no run could be repeated."""
    saved = np.empty, np.empty_like
    np.empty, np.empty_like = np.zeros, np.zeros_like
    try:
        yield
    finally:
        np.empty, np.empty_like = saved


def _initialize_function(manifest):
    for name in (manifest.module_name, manifest.module_name + "_numpy"):
        try:
            module = import_module(manifest, name)
        except ModuleNotFoundError:
            continue
        return getattr(module, manifest.init["func_name"])
    raise ManifestError(f"neither {manifest.module_name}.py nor {manifest.module_name}_numpy.py can be imported")


def _called_inputs(manifest, data, spec, distribution, dtype, seed):
    function = _initialize_function(manifest)
    for name, value in (manifest.init.get("scalars") or {}).items():
        data.setdefault(name, value)
    missing = [name for name in manifest.init.get("input_args") or () if name not in data]
    if missing:
        raise ManifestError(f"init.input_args names {missing[0]}, which is neither a symbol nor a scalar")
    positional = [data[name] for name in manifest.init.get("input_args") or ()]
    declared = inspect.signature(function).parameters
    takes_any = any(p.kind == p.VAR_KEYWORD for p in declared.values())
    keywords = {}
    if dtype is not None:
        slots = [n for n, p in declared.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if "datatype" in declared or takes_any:
            keywords["datatype"] = dtype
        elif len(positional) < len(slots) and slots[len(positional)] not in HARNESS_NAMES:
            positional.append(dtype)
    offered = {"rng": np.random.default_rng(seed), "dist": distribution}
    if spec is not None:
        offered["variant_spec"] = spec
    keywords.update({name: value for name, value in offered.items() if name in declared or takes_any})
    return function(*positional, **keywords)


@dataclass
class Inputs:
    """Everything by name, as the loader's dictionary has it, and what was chosen on the way."""

    data: dict
    symbols: dict
    variant: str | None
    layout: str | None


def make_inputs(manifest, preset="S", dtype="float64", config_row=None, variant="", seed=0, symbols=None):
    """The loader's `get_data(preset, datatype)`.

    Parameters
    ----------
    dtype : str
        "float64", "float32", "float16"; "" as a caller of the loader who names none (float64, and an initialize function
        keeps its own default).
    symbols : dict, optional
        Override the preset's and the configuration's values.

    Raises
    ------
    ManifestError, SamplerError, and whatever the kernel's own initialize raises.
    """
    if dtype and dtype not in DTYPES:
        raise ManifestError(f"the dtype {dtype} is outside what this environment makes; {', '.join(DTYPES)}")
    kind = DTYPES[dtype] if dtype else None
    set_standin(manifest.folder, kind or np.float64)
    values = {**parameters(manifest, preset, config_row), **(symbols or {})}
    name, spec = choose_variant(manifest, variant)
    distribution = (spec or {}).get("distribution") or "uniform"
    data = dict(values)
    if kind is not None:
        data["datatype"] = kind
    if spec is not None:
        data["variant_spec"] = spec
    outputs = manifest.init.get("output_args")
    if outputs is None:
        outputs = [*manifest.shapes, *(manifest.init.get("scalars") or {})]
    if manifest.init.get("func_name"):
        with zeroed_empty():
            made = _called_inputs(manifest, data, spec, distribution, kind, seed)
        if len(outputs) == 1:
            data[outputs[0]] = made
        else:
            data.update(zip(outputs, made))
    elif manifest.init:
        found = _declared_inputs(manifest, values, spec, distribution, kind or np.float64, seed)
        for output in outputs:
            if output not in found:
                raise ManifestError(f"init.output_args names {output}, which init declares nowhere")
            data[output] = found[output]
    return Inputs(data, values, name, layout_of(manifest, spec))


def layout_of(manifest, spec):
    """The sparse format of a run: the variant's, else the first configuration's."""
    if not manifest.raw.get("sparse_layouts"):
        return None
    if spec and spec.get("format"):
        return spec["format"]
    first = next(iter((manifest.raw.get("configurations") or {}).values()), {})
    return next(iter(first.values()), None)


def reference_function(manifest):
    module = import_module(manifest, manifest.module_name + "_numpy")
    function = getattr(module, manifest.func_name, None)
    if not isinstance(function, types.FunctionType):
        raise ManifestError(f"{manifest.reference_path} has no function {manifest.func_name}")
    return function


def arguments(function, data, defaults=False):
    """[(name, value)] in the order of the def line; a parameter that the inputs lack is left out, or has its default.

    Raises ManifestError for a parameter that has neither.
    """
    out = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in data:
            out.append((name, data[name]))
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        elif parameter.default is inspect.Parameter.empty:
            raise ManifestError(f"nothing binds the argument {name} of {function.__name__}")
        elif defaults:
            out.append((name, parameter.default))
    return out


_SPARSE_PARTS = {
    "csr": {"indptr": "indptr", "indices": "indices", "data": "data"},
    "csc": {"indptr": "indptr", "indices": "indices", "data": "data"},
    "bcsr": {"indptr": "indptr", "indices": "indices", "data": "data"},
    "coo": {"row": "row", "col": "col", "data": "data"},
    "bcoo": {"row": "block_rows", "col": "indices", "data": "data"},
    "dia": {"data": "data", "offsets": "offsets"},
}
_LARGEST_BLOCK = 8


def _blocked(matrix):
    """The matrix in blocks of the smallest size above one that divides both its sides, so that blocks are seen to work."""
    sides = matrix.shape
    size = next((n for n in range(2, _LARGEST_BLOCK + 1) if all(side % n == 0 for side in sides)), 1)
    return matrix.tobsr(blocksize=(size, size))


def in_layout(matrix, layout):
    """A sparse argument in the SciPy format of a manifest's layout; one that SciPy has no format for is left as it is."""
    if layout in ("bcsr", "bsr", "bcoo"):
        return matrix if matrix.format == "bsr" else _blocked(matrix)
    return matrix.asformat(layout) if layout in _SPARSE_PARTS else matrix


def _block_rows(matrix):
    """The row of each block of a bsr matrix."""
    return np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))


def sparse_buffers(manifest, name, matrix, wanted=None):
    """[(buffer name, array)] of a SciPy sparse argument, in the manifest's order; index buffers have the declared dtype,
    data buffers the matrix's own. `wanted` is the layout to be given, by default the matrix's own."""
    layout = "bcsr" if matrix.format == "bsr" else matrix.format
    if wanted == "bcoo" and layout == "bcsr":
        layout = wanted
    parts = _SPARSE_PARTS.get(layout, {})
    declared = ((manifest.raw.get("sparse_layouts") or {}).get(name) or {}).get("variants") or {}
    buffers = (declared.get(layout) or {}).get("buffers") or [
        {"role": role, "name": f"{name}_{role}", "dtype": "float64" if role == "data" else "int64"} for role in parts
    ]
    out = []
    for buffer in buffers:
        if buffer["role"] not in parts:
            raise ManifestError(f"the {layout} buffer {buffer['name']} has the role {buffer['role']}")
        part = parts[buffer["role"]]
        values = _block_rows(matrix) if part == "block_rows" else np.asarray(getattr(matrix, part))
        if storage_dtype(buffer["dtype"]).kind in "iu":
            values = values.astype(storage_dtype(buffer["dtype"]))
        out.append((buffer["name"], np.ascontiguousarray(values)))
    return out


def is_sparse(value):
    return hasattr(value, "format") and hasattr(value, "nnz") and hasattr(value, "tocsr")


def hash_inputs(manifest, pairs):
    """SHA-256 (hex) of inputs, in def-line order.

    For each argument: its name in UTF-8, a zero byte, dtype.str, a zero byte, repr of the shape tuple, a zero byte, the
    elements' bytes in C order. A Python or NumPy scalar is its 0-d array (np.asarray); a sparse matrix is its buffers
    (`sparse_buffers`), each under its own name; an argument that NumPy has only an object dtype for is the UTF-8 of its repr.
    """
    digest = hashlib.sha256()

    def add(name, value):
        array = np.asarray(value)
        head = f"{name}\0{array.dtype.str}\0{tuple(int(n) for n in array.shape)!r}\0"
        digest.update(head.encode())
        digest.update(repr(value).encode() if array.dtype.hasobject else np.ascontiguousarray(array).tobytes())

    for name, value in pairs:
        if is_sparse(value):
            for buffer, part in sparse_buffers(manifest, name, value):
                add(buffer, part)
        else:
            add(name, value)
    return digest.hexdigest()
