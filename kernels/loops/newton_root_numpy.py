"""Square roots of magnitudes by Heron's rule, with a loop that ends when the guess no longer falls.

Source: Newton's method on y**2 - a; from above the guesses fall until rounding stops them.
"""


def newton_root(x, count, root, rounds):
    """x, root: shape (count,); rounds: int64, shape (count,), the steps taken."""
    for i in range(count):
        a = abs(x[i])
        guess = a if a > 1.0 else 1.0
        taken = 0
        while True:
            better = 0.5 * (guess + a / guess)
            if not better < guess:
                break
            guess = better
            taken += 1
            if taken == 100:
                break
        root[i] = guess
        rounds[i] = taken
