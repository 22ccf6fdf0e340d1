"""Signed zeros, subnormals, infinities, NaN, rounding at every step, complex numbers."""

from case import *

IEEE = NUMPY + "user/misc.html#ieee-754-floating-point-special-values"
TINY = f64([5e-324, 2.2250738585072014e-308, 1e-310, -5e-324])
SMALL = f32([1e-45, 1.1754944e-38, 1e-40, -1e-45])
ODD = f64([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324, 1e308])


@case(IEEE, (ODD, ODD[::-1].copy()), (ODD.astype(np.float32), ODD[::-1].astype(np.float32)))
def arithmetic_of_odd_values(a, b):
    return a + b, a - b, a * b, a / b, -a, abs(a), a * 0.0, a - a


@case(IEEE, f64([0.0, -0.0]), f32([0.0, -0.0]))
def signs_of_zero(a):
    return a + 0.0, -a, a * -1, 0.0 - a, 1.0 / a, np.sqrt(a), np.abs(a), np.signbit(a), np.copysign(2.0, a), a - 0.0, a + -0.0


@case(IEEE, 0.0, -0.0)
def signs_of_a_python_zero(x):
    return -x, x + 0.0, x * -1, 0 - x, abs(x), math.copysign(1.0, x), 0.0 + x, x - 0.0


@case(page("copysign"), (f64([1, -2, np.nan, 0.0]), -0.0), (f64([1, -2]), 0.0), right=[[-1, -2, np.nan, -0.0], [1, 2]], fault="B20")
def copysign_sees_minus_zero(a, x):
    return np.copysign(a, x)


@case(IEEE, TINY, SMALL, fault="B18")
def subnormals_are_kept(a):
    return a * 0.5, a / 2, a + a, a * a, a - a[0], a > 0, a * 1.5, np.sqrt(np.abs(a))


@case(IEEE, f32([1e-30, 3e-39]), f64([1e-200, 3e-310]), fault="B21")
def underflow_is_gradual(a):
    return a * a[0], a * 1e-9, a / 1e8, a.sum(), np.max(a * 1e-9)


@case(IEEE, f64([1.5, np.inf, -np.inf, np.nan, -0.0]), f32([1.5, np.inf, np.nan]))
def classification(a):
    return np.isnan(a), np.isinf(a), np.isfinite(a), np.signbit(np.where(np.isnan(a), 1, a))


@case(page("nan_to_num"), f64([1.5, np.inf, -np.inf, np.nan, -0.0]), f32([np.inf, np.nan]))
def nan_to_num(a):
    return np.nan_to_num(a), np.nan_to_num(a, nan=-1.0, posinf=2.0)


@case(PYTHON + "tutorial/floatingpoint.html", (f64([0.1, 1 / 3, 1e16]), f64([10.0, 3.0, 1.0]), f64([-1.0, -1.0, -1e16])))
def product_and_sum_round_twice(a, b, c):
    return a * b + c, c + a * b, c - a * b, a * b - c * b, a * a - b * b


@case(PYTHON + "tutorial/floatingpoint.html", (f32([0.1, 1 / 3, 1e7]), f32([10.0, 3.0, 1.0]), f32([-1.0, -1.0, -1e7])))
def float32_product_and_sum_round_twice(a, b, c):
    return a * b + c, c - a * b, a * b * c, (a + b) + c, a + (b + c)


@case(PYTHON + "tutorial/floatingpoint.html", f64([0.1, 0.2, 0.3, 1e16, -1e16, 1.0]))
def sums_keep_their_order(a):
    return a[0] + a[1] + a[2], a[0] + (a[1] + a[2]), a[3] + a[5] + a[4], a[3] + a[4] + a[5]


@case(PYTHON + "tutorial/floatingpoint.html", f64([0.1, 7.0, 1e308, 5e-324, np.inf, np.nan, -0.0]))
def identities_that_do_not_hold(a):
    return a * 2 / 2, a - a, a / a, a * 0, a + 1 - 1, (a / 3) * 3, a / 10, a * 0.1, 0 - a, a == a


@case(page("sqrt"), f64([2.0, -1.0, -0.0, np.inf, 1e-320]), f32([2.0, -1.0, -0.0]))
def roots_and_squares(a):
    return np.sqrt(a), np.square(a), a**2, a**0.5, a**1, a**0


@case(page("power"), (f64([0.0, -0.0, 1.0, -8.0, np.inf, np.nan]), 0.0), (f64([1.0, 1.0, 1.0]), np.nan), (f64([0.0, -0.0, 4.0]), -1.0), (f64([-8.0, -1.0]), 1 / 3))
def powers_at_the_edges(a, x):
    return a**x


@case(page("hypot"), (f64([np.inf, -np.inf, 3]), f64([np.nan, 1, 4])))
def hypot_of_inf_and_nan(a, b):
    return np.hypot(a, b)


@case(page("arctan2"), (f64([0.0, -0.0, 0.0, -0.0]), f64([1.0, 1.0, -1.0, -1.0])))
def arctan2_of_zeros(a, b):
    return np.arctan2(a, b)


@case(page("exp"), f64([0.0, -0.0, -np.inf, np.inf, np.nan]))
def functions_at_their_fixed_points(a):
    return np.exp(a), np.tanh(a), np.expm1(a), np.cosh(a * 0)


@case(page("floor"), f64([-0.5, 0.5, -0.0, 1e-300, -1e-300]))
def rounding_to_signed_zeros(a):
    return np.floor(a), np.ceil(a), np.round(a), np.trunc(a), np.rint(a)


@case(page("maximum"), (f64([0.0, -0.0, 1]), f64([-0.0, 0.0, 1])))
def extremes_of_values_that_are_equal(a, b):
    return np.maximum(a, b) == 0, np.minimum(a, b) == 0, np.fmax(a, b) == 0


@case(page("nextafter"), (f64([1.0, 0.0, -0.0]), f64([2.0, -1.0, 1.0])), refused="numpy-unknown-function")
def nextafter_and_spacing(a, b):
    return np.nextafter(a, b), np.spacing(a)


@case(page("finfo"), f32([1.0]), f64([1.0]))
def machine_constants(a):
    return a * np.finfo(a.dtype).eps, a + np.finfo(np.float32).max, np.finfo(a.dtype).tiny * a, np.iinfo(np.int32).max + a


@case(page("absolute"), c128([3 + 4j, 0, -5j, 5 - 12j]), c64([3 + 4j, -5j]))
def modulus_of_complex_numbers(z):
    return np.abs(z), np.real(z), np.imag(z), np.conj(z), z.real**2 + z.imag**2


@case(page("multiply"), (c128([1 + 2j, 3j, 2]), c128([3 - 4j, 2j, -1j])), (c64([1 + 2j]), c64([3 - 4j])))
def complex_arithmetic_of_small_integers(a, b):
    return a + b, a - b, a * b, -a, a * 2, a + 1j, a == b, a != b, a * a


@case(page("divide"), (c128([4 + 2j, 3j, 8]), c128([2, 1j, -4j])))
def complex_quotients_that_are_exact(a, b):
    return a / b, a / 2


@case(page("conj"), c128([complex(0.0, -0.0), complex(-0.0, 0.0), complex(1, 0.0)]))
def zeros_of_complex_parts(z):
    return np.conj(z), -z, z.real, z.imag, z + 0.0


@case(page("equal"), (c128([1 + 2j, np.nan]), c128([1 + 2j, np.nan])), (c128([0.0, 1j]), c128([-0.0, 1])))
def equality_of_complex_numbers(a, b):
    return a == b, a != b, np.isnan(a), np.any(a), a.astype(bool)


@case(NUMBERS, (3.0, -2.0), (0.0, -0.0))
def python_complex_numbers(x, y):
    z = complex(x, y)
    return z, z.real, z.imag, z.conjugate(), z + 1, z - 2j, z == complex(x, y), -z


@case(page("sum"), c128([1 + 2j, 3 - 1j, -4]), c64([1 + 2j, 3]))
def sums_of_complex_numbers(z):
    return np.sum(z), np.mean(z * 2), np.cumsum(z), z.sum().real


@case(page("vdot"), (c128([1 + 2j, 3j]), c128([2 - 1j, 4])))
def vdot_conjugates_its_first(a, b):
    return np.vdot(a, b), np.dot(a, b), np.inner(a, b), np.conj(a) @ b


@case(page("exp"), f64([0.0]), right=[(c128([1]), c128([0]))])
def complex_functions_at_zero(a):
    return np.exp(1j * a), np.sqrt(a + 0j)


@case(IEEE, f32([16777216, 3.0e38]), f64([2.0**53, 1.5e308]))
def sums_that_lose_or_overflow(a):
    return a + 1, a + a, a * a, a - 1 - a, (a + 1) - a


@case(page("sin"), f64([np.nan, -np.nan, 0.5]), f32([np.nan, -np.nan, 0.5]))
def a_nan_through_two_functions(a):
    return np.isnan(np.sin(np.arctan(a))), np.isnan(np.cos(np.arctan(a)))
