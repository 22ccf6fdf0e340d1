"""Maxwell's equations in one dimension on a staggered grid, in normalised units, with the field held at both ends.

Source: K. S. Yee, IEEE Trans. Antennas Propag. 14 (3), 1966.
"""
import numpy as np


def yee_1d(electric, magnetic, courant, steps):
    """electric: shape (cells,); magnetic: shape (cells - 1,), half a cell to the right of the electric field."""
    for _ in range(steps):
        magnetic += courant * np.diff(electric)
        electric[1:-1] += courant * np.diff(magnetic)
