"""Escape times of z -> z**2 + c from zero. Chaotic at the border of the set, so double precision only.

Source: the definition of the Mandelbrot set; |z| > 2 is certain to escape.
"""


def mandelbrot(real, imaginary, most, count):
    """real: shape (columns,); imaginary: shape (rows,); count: int64, shape (rows, columns); most: iterations."""
    rows, columns = count.shape
    for i in range(rows):
        for j in range(columns):
            x = 0.0
            y = 0.0
            n = 0
            while n < most and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real[j], 2.0 * x * y + imaginary[i]
                n += 1
            count[i, j] = n
