"""Translation time grows with the number of statements, and not with its square: scale_test.py PROGRAM. Standard library only."""
import os
import pathlib
import sys
import tempfile
import unittest

import generate
import measure

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
SMALL, LARGE = 2500, 20000
# What is linear takes 8 times as long, what is quadratic 64 times.
MOST_GROWTH = 20
# Below this, starting the program is most of it.
LEAST_SECONDS = 0.05
# Not a goal, but an end: a shared machine must not fail this, and a quadratic pass must not hold it up.
LIMIT_SECONDS = 60


class Growth(unittest.TestCase):

    def test_large_kernels_take_time_by_their_size(self):
        for kind in generate.KINDS:
            with self.subTest(kind), tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                small, _ = measure.port(PROGRAM, folder, kind, SMALL, LIMIT_SECONDS)
                large, _ = measure.port(PROGRAM, folder, kind, LARGE, LIMIT_SECONDS)
                self.assertLess(large / max(small, LEAST_SECONDS), MOST_GROWTH)


if __name__ == "__main__":
    unittest.main()
