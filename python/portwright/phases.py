"""Eigenvectors with other signs or phases, to see whether a reference's result hangs on those that its library chose.

An eigenvector times a number of modulus one is as right as the library's own. Where the reference itself, with nothing
changed but that number, moves as far from its result as a port does, the case says nothing about the port.
"""

import sys

import numpy as np


def turned(solver, seed):
    """`solver`, which gives eigenvalues and eigenvectors in columns, with each eigenvector times a sign or a phase.

    Seed 0 turns all alike, so that each turns at least once; others each by chance.
    """
    rng = np.random.default_rng(seed)

    def call(*arguments, **options):
        result = solver(*arguments, **options)
        if not isinstance(result, tuple):
            return result
        values, vectors = result
        shape = vectors.shape[:-2] + (1, vectors.shape[-1])
        factors = rng.choice((-1.0, 1.0), shape) if seed else np.full(shape, -1.0)
        if vectors.dtype.kind == "c":
            factors = factors * np.exp(1j * rng.uniform(0.5, 2.5, shape))
        fields = (values, (vectors * factors).astype(vectors.dtype))
        return type(result)(*fields) if hasattr(result, "_fields") else fields

    return call


def install(names, seed):
    """Replaces the solvers in their modules and among the global names of a kernel: the process is one run's fork."""
    for module in (sys.modules.get("numpy.linalg"), sys.modules.get("scipy.linalg")):
        if module is None:
            continue
        solver, module.eigh = module.eigh, turned(module.eigh, seed)
        for name, value in list(names.items()):
            if value is solver:
                names[name] = module.eigh
