"""Sparse matrices for the solvers' initialize functions: the same draws in the same order as the corpus's harness makes.

Facts from support/helpers/sparse/generators.py of HPCAgent-Bench (commit 11d625f9); no code of it. Nothing is downloaded:
a SuiteSparse matrix is an error.
"""

import numpy as np
import scipy.sparse as sparse

FORMATS = {"csr": "csr", "csc": "csc", "coo": "coo", "bsr": "bsr", "bcsr": "bsr", "dia": "dia"}

# Below this many cells positions are drawn in one go, above it one by one with rejection.
DENSE_CELLS = 1 << 22


def to_format(matrix, fmt):
    if fmt not in FORMATS:
        raise ValueError(f"unsupported sparse format {fmt!r}; one of {', '.join(FORMATS)}")
    return sparse.csr_matrix(matrix).asformat(FORMATS[fmt])


def _distinct_positions(count, draw):
    """`count` different (row, column) pairs from `draw`, which gives None for a pair outside the matrix."""
    rows = np.empty(count, dtype=np.int64)
    columns = np.empty(count, dtype=np.int64)
    taken = set()
    while len(taken) < count:
        pair = draw()
        if pair is None or pair in taken:
            continue
        rows[len(taken)], columns[len(taken)] = pair
        taken.add(pair)
    return rows, columns


def _matrix(n, rows, columns, rng, dtype, symmetric):
    values = (rng.random(len(rows), dtype=dtype) * 10 - 5).astype(dtype)
    if symmetric:
        rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
        values = np.concatenate([values, values])
    return sparse.coo_matrix((values, (rows, columns)), shape=(n, n))


def make_uniform(n, nnz, dtype=np.float64, symmetric=False, seed=42):
    """(n, n) COO with nnz entries in [-5, 5) at uniform positions."""
    rng = np.random.default_rng(seed)
    count = nnz // 2 if symmetric else nnz
    if n * n < DENSE_CELLS:
        cells = rng.choice(n * n, size=count, replace=False)
        rows, columns = cells // n, cells % n
    else:
        rows, columns = _distinct_positions(count, lambda: (int(rng.integers(0, n)), int(rng.integers(0, n))))
    return _matrix(n, rows, columns, rng, dtype, symmetric)


def make_banded(n, nnz, dtype=np.float64, bandwidth=None, symmetric=False, seed=42):
    """(n, n) COO with nnz entries within |i - j| <= bandwidth (by default ceil(nnz / n))."""
    rng = np.random.default_rng(seed)
    if bandwidth is None:
        bandwidth = max(1, int(np.ceil(nnz / n)))

    def draw():
        row = int(rng.integers(0, n))
        column = row + int(rng.integers(-bandwidth, bandwidth + 1))
        return (row, column) if 0 <= column < n else None

    rows, columns = _distinct_positions(nnz // 2 if symmetric else nnz, draw)
    return _matrix(n, rows, columns, rng, dtype, symmetric)


def make_diagonal(n, nnz, dtype=np.float64, off_diagonal_fraction=0.1, symmetric=False, seed=42):
    """(n, n) COO: a dominant diagonal and a few entries off it."""
    rng = np.random.default_rng(seed)
    diagonal = (rng.random(n, dtype=dtype) * 10 + n).astype(dtype)
    places = np.arange(n)
    rest = make_uniform(n, max(0, int(off_diagonal_fraction * nnz)), dtype=dtype, symmetric=symmetric, seed=seed + 1)
    rows = np.concatenate([places, rest.row])
    columns = np.concatenate([places, rest.col])
    return sparse.coo_matrix((np.concatenate([diagonal, rest.data]), (rows, columns)), shape=(n, n))


def make_suitesparse(matrix_name, dtype=np.float64):
    raise RuntimeError(f"{matrix_name} is a matrix to download, and a run has no network")


def make_diag_dominant(matrix, factor=1.01, dtype=None):
    """CSR of matrix + factor * (largest absolute row sum) * identity."""
    dtype = matrix.dtype if dtype is None else dtype
    rows = sparse.csr_matrix(matrix)
    magnitudes = rows.copy()
    magnitudes.data = np.abs(magnitudes.data)
    largest = float(np.asarray(magnitudes.sum(axis=1)).max())
    shift = np.asarray(largest * factor, dtype=dtype).item()
    return (rows + sparse.eye(matrix.shape[0], dtype=dtype, format="csr") * shift).astype(dtype)


def build_sparse(spec, n, nnz=None, dtype=np.float64, symmetric=False):
    """The matrix of a manifest's variant: {"format", "distribution", and the distribution's own keys}."""
    seed = spec.get("seed", 42)
    distribution = spec.get("distribution", "uniform")
    if distribution == "uniform":
        matrix = make_uniform(n, nnz, dtype, symmetric, seed)
    elif distribution == "banded":
        matrix = make_banded(n, nnz, dtype, spec.get("bandwidth"), symmetric, seed)
    elif distribution == "diagonal":
        matrix = make_diagonal(n, nnz, dtype, spec.get("off_diagonal_fraction", 0.1), symmetric, seed)
    elif distribution == "suitesparse":
        matrix = make_suitesparse(spec["matrix"], dtype)
    else:
        raise ValueError(f"unknown sparse distribution {distribution!r}")
    return to_format(matrix, spec.get("format", "csr"))
