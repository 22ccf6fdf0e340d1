"""NumPy with its float sums in a wider type, to see whether a reference's result hangs on the rounding of its sums.

A reassociated sum is as right as NumPy's own. Where the reference itself, with nothing changed but the rounding of its
sums, moves as far from its result as a port does, the case is ill-conditioned and says nothing about the port.
"""

import types

import numpy as np

WIDER = {
    np.dtype(np.float32): np.float64,
    np.dtype(np.float64): np.longdouble,
    np.dtype(np.complex64): np.complex128,
    np.dtype(np.complex128): np.clongdouble,
}


def widened(function):
    """`function` of NumPy, run on the arrays' wider dtype where nothing asks for another, and rounded back."""

    def call(*arrays, **options):
        dtypes = {getattr(array, "dtype", None) for array in arrays if isinstance(array, (np.ndarray, np.generic))}
        if len(dtypes) != 1 or options.get("out") is not None or options.get("dtype") is not None:
            return function(*arrays, **options)
        dtype = dtypes.pop()
        if dtype not in WIDER:
            return function(*arrays, **options)
        wide = [np.asarray(array, WIDER[dtype]) if isinstance(array, np.ndarray) else array for array in arrays]
        return np.asarray(function(*wide, **options)).astype(dtype)[()]

    return call


class WiderSums(types.ModuleType):
    """Stands for the module `numpy` in a kernel's globals."""

    def __init__(self):
        super().__init__("numpy")
        for name in ("sum", "mean", "var", "std", "dot", "matmul", "inner", "vdot", "trace"):
            setattr(self, name, widened(getattr(np, name)))

    def __getattr__(self, name):
        return getattr(np, name)


class Widened(np.ndarray):
    """An argument whose `@` and whose sums (np.add.reduce, so np.sum and np.mean too) go through the wider dtype."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [plain_of(each) for each in inputs]
        if out is not None:
            options["out"] = tuple(plain_of(each) for each in out)
        sums = (ufunc is np.matmul and method == "__call__") or (ufunc is np.add and method == "reduce")
        function = getattr(ufunc, method)
        result = widened(function)(*plain, **options) if sums else function(*plain, **options)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return tuple(wrap(each) for each in result) if isinstance(result, tuple) else wrap(result)


def plain_of(value):
    return value.view(np.ndarray) if isinstance(value, Widened) else value


def wrap(value):
    """A view of an array that sums wider; anything else as it is."""
    return value.view(Widened) if type(value) is np.ndarray else value


def install(names):
    """Replaces the module numpy among the global names of a kernel."""
    for name, value in list(names.items()):
        if value is np:
            names[name] = WiderSums()
