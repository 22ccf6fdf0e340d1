"""Lengths of Collatz sequences: halve an even number, triple an odd one and add one, until one. Source: L. Collatz."""


def collatz(start, count, length):
    """start, length: int64, shape (count,); a start k stands for the number k + 1."""
    for i in range(count):
        value = start[i] + 1
        steps = 0
        while value > 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        length[i] = steps
