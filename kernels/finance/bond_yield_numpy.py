"""Yields of bonds of face value one by bisection, a fixed number of halvings, and Macaulay's duration at the yield.

Source: F. R. Macaulay, Some Theoretical Problems..., 1938; J. C. Hull, Options, Futures, and Other Derivatives, 4.
"""


def value(coupon, rate, years):
    """Present value by Horner's rule."""
    total = 0.0
    for year in range(years, 0, -1):
        payment = coupon + 1.0 if year == years else coupon
        total = (total + payment) / (1.0 + rate)
    return total


def bisect(f, low, high, halvings=30):
    """A zero of the falling function f."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        if f(middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def bond_yield(coupon, price, years, interest, duration):
    """coupon, price, interest, duration: shape (bonds,)."""
    for i in range(coupon.shape[0]):
        c, p = coupon[i], price[i]
        rate = bisect(lambda r: value(c, r, years) - p, -0.5, 1.0)
        weighted = 0.0
        factor = 1.0
        for year in range(1, years + 1):
            factor /= 1.0 + rate
            weighted += year * factor * (c + (1.0 if year == years else 0.0))
        interest[i] = rate
        duration[i] = weighted / value(c, rate, years)
