"""Conway's Game of Life on a bounded board: born with three neighbours, surviving with two or three.

Source: M. Gardner, Scientific American 223 (4), 1970.
"""
import numpy as np


def game_of_life(seeds, rows, columns, generations, board):
    """seeds, board: shape (rows, columns), int64; an odd seed is a living cell, the board holds 0 and 1."""
    board[:, :] = seeds % 2
    for _ in range(generations):
        padded = np.zeros((rows + 2, columns + 2), dtype=board.dtype)
        padded[1:-1, 1:-1] = board
        neighbours = np.zeros((rows, columns), dtype=board.dtype)
        for dy in range(3):
            for dx in range(3):
                if dy == 1 and dx == 1:
                    continue
                neighbours += padded[dy:dy + rows, dx:dx + columns]
        board[:, :] = np.where((neighbours == 3) | ((board == 1) & (neighbours == 2)), 1, 0)
