"""The other probe: eigenvectors come with other signs or phases, and are eigenvectors still."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
from portwright import phases  # noqa: E402


class Phases(unittest.TestCase):
    def solve(self, matrix, seed):
        return phases.turned(np.linalg.eigh, seed)(matrix)

    def test_vectors_stay_vectors(self):
        rng = np.random.default_rng(0)
        half = rng.standard_normal((2, 4, 4)) + 1j * rng.standard_normal((2, 4, 4))
        for matrix in (half + half.conj().swapaxes(1, 2), (half + half.conj().swapaxes(1, 2)).real):
            plain = np.linalg.eigh(matrix)
            found = self.solve(matrix, 1)
            np.testing.assert_array_equal(found.eigenvalues, plain.eigenvalues)
            residual = matrix @ found.eigenvectors - found.eigenvectors * found.eigenvalues[:, None, :]
            np.testing.assert_allclose(residual, 0, atol=1e-13)
            self.assertEqual(found.eigenvectors.dtype, matrix.dtype)
            self.assertFalse(np.allclose(found.eigenvectors, plain.eigenvectors))

    def test_every_vector_turns_for_some_seed(self):
        matrix = np.diag(np.arange(5.0))
        plain = np.linalg.eigh(matrix)[1]
        self.assertTrue(np.all(np.any(self.solve(matrix, 0)[1] != plain, axis=0)))
        moved = sum(np.any(self.solve(matrix, seed)[1] != plain, axis=0) for seed in range(1, 9))
        self.assertTrue(np.all((moved > 0) & (moved < 8)))

    def test_the_names_of_a_kernel_are_replaced(self):
        kept = np.linalg.eigh
        names = {"np": np, "solve": np.linalg.eigh, "other": 1}
        try:
            phases.install(names, 0)
            self.assertIsNot(names["solve"], kept)
            self.assertIsNot(np.linalg.eigh, kept)
            self.assertEqual(names["other"], 1)
        finally:
            np.linalg.eigh = kept


if __name__ == "__main__":
    unittest.main()
