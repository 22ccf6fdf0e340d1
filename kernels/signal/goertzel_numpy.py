"""Powers of single frequencies without a whole transform. Source: G. Goertzel, Am. Math. Mon. 65 (1), 1958."""
import math


def goertzel(x, power):
    """x: shape (samples,); power: shape (bins,), of the frequencies k / samples."""
    n = len(x)
    for k in range(len(power)):
        c = 2.0 * math.cos(2.0 * math.pi * k / n)
        s, s1, s2 = 0.0, 0.0, 0.0
        for value in x:
            s = value + c * s1 - s2
            s2 = s1
            s1 = s
        power[k] = s1 * s1 + s2 * s2 - c * s1 * s2
