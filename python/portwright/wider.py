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
        if len(dtypes) != 1 or "out" in options or "dtype" in options:
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


def install(names):
    """Replaces the module numpy among the global names of a kernel."""
    for name, value in list(names.items()):
        if value is np:
            names[name] = WiderSums()
