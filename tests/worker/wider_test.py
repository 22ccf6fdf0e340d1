"""The ill-conditioning probe: sums and products of an argument go through a wider dtype, and nothing else changes."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
from portwright import wider  # noqa: E402


class Wider(unittest.TestCase):
    def setUp(self):
        self.a = np.full((1000, 1000), 0.1, np.float32)

    def test_sums_and_products_round_once(self):
        wide = wider.wrap(self.a)
        exact = np.float32(np.sum(self.a, dtype=np.float64))
        self.assertEqual(np.sum(wide), exact)
        self.assertEqual((wide @ wide)[0, 0], np.float32((self.a.astype(np.float64) @ self.a.astype(np.float64))[0, 0]))
        self.assertEqual((wide.T.reshape(-1, 1000) @ wide).dtype, np.float32)

    def test_all_else_is_numpys_own(self):
        wide = wider.wrap(self.a.copy())
        wide[1:] += wide[:-1]
        plain = self.a.copy()
        plain[1:] += plain[:-1]
        np.testing.assert_array_equal(np.asarray(wide), plain)
        np.testing.assert_array_equal(np.asarray(np.exp(wide)), np.exp(plain))
        self.assertEqual(np.sum(np.arange(3)), 3)

    def test_a_view_writes_into_its_array(self):
        wide = wider.wrap(self.a)
        np.maximum(wide, 1.0, out=wide)
        self.assertEqual(self.a[3, 4], 1.0)

    def test_the_module_is_replaced_by_name(self):
        names = {"np": np, "other": 1}
        wider.install(names)
        self.assertEqual(names["np"].mean(self.a), np.float32(np.mean(self.a, dtype=np.float64)))
        self.assertEqual(names["np"].zeros(3).dtype, np.float64)
        self.assertEqual(names["other"], 1)


if __name__ == "__main__":
    unittest.main()
