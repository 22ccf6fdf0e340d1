"""Charges put onto a periodic grid, each shared by its two nearest points in proportion to how near they are.

Source: Birdsall, Fuss, J. Comput. Phys. 3, 1969; Hockney, Eastwood, Computer Simulation Using Particles, 5.2.
"""
import numpy as np


def cloud_in_cell(x, charge, density):
    """x, charge: shape (particles,), x in [0, 1]; density: shape (cells,), overwritten."""
    cells = len(density)
    place = x * cells
    left = np.floor(place).astype(np.int64)
    share = place - left
    density[:] = 0
    np.add.at(density, left % cells, (1 - share) * charge)
    np.add.at(density, (left + 1) % cells, share * charge)
    density *= cells
