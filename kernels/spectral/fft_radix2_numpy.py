"""The discrete Fourier transform of 2, 4, 8, ... numbers in place: bit reversal, then butterflies of doubling length.

Source: Cooley, Tukey, Math. Comput. 19, 1965; Press et al., Numerical Recipes, 12.2 (decimation in time).
"""
import math


def bit_reverse(real, imag):
    """Exchanges every element with the one whose index reads backwards."""
    n = len(real)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            real[i], real[j] = real[j], real[i]
            imag[i], imag[j] = imag[j], imag[i]


def fft_radix2(real, imag):
    """real, imag: shape (n,)."""
    n = real.shape[0]
    if n & (n - 1) != 0:
        raise ValueError(f"{n} is no power of two")
    bit_reverse(real, imag)
    half = 1
    while half < n:
        for k in range(half):
            angle = -math.pi * k / half
            wr, wi = math.cos(angle), math.sin(angle)
            for a in range(k, n, 2 * half):
                b = a + half
                tr = wr * real[b] - wi * imag[b]
                ti = wr * imag[b] + wi * real[b]
                real[b] = real[a] - tr
                imag[b] = imag[a] - ti
                real[a] += tr
                imag[a] += ti
        half *= 2
