"""Promotion (NEP 50): Python numbers take the array's dtype, NumPy scalars and 0-d arrays bring their own."""

from case import *


@case(PROMOTION, (i8([127, -128, 5]), 1), right=[i8([-128, -127, 6])])
def python_int_keeps_int8(a, k):
    return a + k


@case(PROMOTION, (f32([1, 0.1, 1e8]), 0.1), (f64([1, 0.1]), 0.1))
def python_float_keeps_float32(a, x):
    return a * x + x


@case(PROMOTION, (i8([1, 2]), 0.5), (i64([1, 2**53 + 1]), 0.5), (u16([65535]), 0.5))
def python_float_lifts_integers_to_float64(a, x):
    return a + x


@case(PROMOTION, (u8([1]), 300), (i8([1]), 128), (i8([1]), -129), (u8([1]), -1), right=["OverflowError"] * 4)
def python_int_that_does_not_fit_raises(a, k):
    return a + k


@case(PROMOTION, (u8([1, 255]), 300), (u8([1, 255]), -1), (i8([-128, 127]), 128))
def comparison_with_a_python_int_out_of_range_is_exact(a, k):
    return a < k, a == k, a >= k, a != k


@case(PROMOTION, (u64([2**63, 1]), i64([-1, 1])), right=[f64([2.0**63 - 1, 2.0])])
def uint64_with_int64_is_float64(a, b):
    return a + b


@case(PROMOTION, (u8([200]), i8([-100])), (u16([60000]), i16([-30000])), (u32([4000000000]), i32([-5])), (u8([255]), u16([65535])))
def unsigned_with_signed_takes_the_next_signed(a, b):
    return a + b, a * b


@case(PROMOTION, (i32([2**24 + 1]), f32([1])), (i16([32767]), f32([0.5])), (i8([3]), f32([0.1])), (u32([2**32 - 1]), f32([0])))
def integers_with_float32(a, b):
    return a + b


@case(PROMOTION, (f32([0.1, 3]), np.float64(0.1)), (f32([0.1, 3]), np.float32(0.1)), (i8([1, 2]), np.int64(300)), (u8([1, 2]), np.int8(-1)))
def numpy_scalars_bring_their_dtype(a, x):
    return a + x


@case(PROMOTION, (np.float32(0.1), 0.1), (np.int8(100), 27), (np.float32(16777216), 1))
def numpy_scalar_with_python_number_keeps_its_dtype(x, y):
    return x + y, y - x, x * y


@case(PROMOTION, (f32([1.5, 2]),), right=[f64([2.5, 3])])
def zero_dimensional_arrays_promote_like_arrays(a):
    return a + np.array(1.0)


@case(PROMOTION, (b1([True, True, False]), b1([True, False, False])), right=[(b1([1, 1, 0]), b1([1, 0, 0]), i64([2, 2, 1]))])
def sum_and_product_of_bools_are_or_and_and(a, b):
    return a + b, a * b, a + 1


@case(PROMOTION, (b1([True, False]), i8([3, -3])), (b1([True, False]), u64([3, 2**64 - 1])), (b1([True, False]), f32([0.5, 2])))
def bool_with_a_number_is_a_number(a, b):
    return a + b, a * b


@case(PROMOTION, (c64([1 + 2j, 3]), f64([0.1, 1])), (c64([1 + 2j, 3]), f32([0.1, 1])), (c64([1 + 2j]), i32([7])))
def complex64_with_reals(a, b):
    return a + b


@case(PROMOTION, (f32([0.5, 2]), 1j), (i32([1, 2]), 1j), (c64([1j, 2]), 2.0), (f64([0.5]), 2 + 0j))
def python_complex_is_weak_too(a, x):
    return a + x


@case(page("true_divide"), (i8([1, -7]), i8([3, 2])), (u8([1, 7]), u8([3, 2])), (i64([1, -7]), i64([3, 2])), (i16([1]), f32([3])))
def true_division_of_integers_is_float64(a, b):
    return a / b


@case(UFUNCS, (i16([2, 9]),), (i32([2, 9]),), (u16([2, 65535]),), (i64([2]),), (b1([True, False]).astype(np.int32),))
def float_functions_of_integers(a):
    return np.sqrt(a)


@case(UFUNCS, i8([4, 9]), refused="numpy-op-type")
def float_functions_of_int8_are_float16(a):
    return np.sqrt(a)


@case(page("where"), (b1([True, False]), f32([1, 2]), 0.1), (b1([True, False]), i32([1, 2]), 0.5), (b1([True, False]), i8([1, 2]), 7))
def where_promotes_its_branches(c, a, x):
    return np.where(c, a, x), np.where(c, x, a)


@case(page("imag"), f32([1, 2]))
def parts_of_python_numbers_are_python_numbers(a):
    z = complex(2.0, 0.5)
    return a * np.imag(z), a * np.real(z), a * np.real(3.5), a * np.imag(2), a * z.imag, np.real(True), np.imag(a[0] > 0), np.imag(True)


@case(page("where"), (b1([True, False]), u8([1, 2]), 896), (b1([True, False]), i8([1, 2]), -200), (b1([False, True]), u64([1, 2]), -1))
def where_cuts_a_python_int_to_the_dtype(c, a, n):
    return np.where(c, a, n), np.where(c, -1, a), np.where(c, 300, a), np.where(c[0], a[1], n)


@case(page("maximum"), (i8([1, -2]), 0), (f32([0.1, -1]), 0.1), (u8([1, 200]), 100), (f32([0.1]), np.float64(0.1)))
def maximum_promotes_like_addition(a, x):
    return np.maximum(a, x), np.minimum(a, x)


@case(page("concatenate"), (i8([1, -1]), f32([0.1])), (i64([2**53 + 1]), f32([1])), (b1([True]), u8([255])), (u64([1]), i64([-1])))
def concatenate_promotes(a, b):
    return np.concatenate((a, b)), np.stack((a[:1], b[:1]))


@case(page("array"))
def dtypes_of_literals():
    return np.array([1, 2.5]), np.array([True, 2]), np.array([True, False]), np.array([1, 2]), np.zeros(2), np.array([1, 2j])


@case(page("arange"), 3)
def arange_takes_the_dtype_of_its_arguments(n):
    return np.arange(n), np.arange(3.0), np.arange(n, dtype=np.int8), np.arange(0, 1, 0.25), np.arange(n, 0, -1)


@case(page("full"), 7, 7.0, True, np.float32(0.1), np.int8(-1))
def full_takes_the_dtype_of_its_value(x):
    return np.full(3, x), np.full((2,), x, dtype=np.float32)


@case(page("zeros_like"), i8([1, 2]), f32([1, 2]), c64([1, 2]), b1([True, False]))
def likes_keep_the_dtype(a):
    return np.zeros_like(a), np.ones_like(a), np.full_like(a, 1), np.zeros_like(a, dtype=np.float64)


@case(UFUNCS + "#type-casting-rules", (f32([0.1, 1e30]), f64([0.1, 1e10])), (i32([1, 2**31 - 1]), i64([2**32 + 1, 1])), (i8([100, -100]), i64([100, 1000])))
def augmented_assignment_rounds_to_the_target(a, b):
    a += b
    return a


@case(UFUNCS + "#type-casting-rules", (f32([0.1, 3]), 0.1), (f32([0.1, 3]), np.float64(0.1)), (i8([100, 3]), 100), (i16([100, 3]), np.int64(100000)))
def augmented_assignment_of_a_scalar(a, x):
    a *= x
    return a


@case(UFUNCS + "#type-casting-rules", i64([1, 2]), refused="numpy-inplace-cast")
def augmented_assignment_of_a_float_to_integers(a):
    a += 0.5
    return a


@case(UFUNCS + "#type-casting-rules", (u8([1, 2]), i8([-1, 2])), refused="numpy-inplace-cast")
def augmented_assignment_of_signed_to_unsigned(a, b):
    a += b
    return a


@case(page("add"), (f64([0.1, 1e-9]), f64([16777216.0, 0.1])))
def dtype_argument_computes_in_that_dtype(a, b):
    return np.add(a, b, dtype=np.float32)


@case(page("result_type"), (np.int8(1), np.float32(2)), (np.uint8(200), np.uint8(100)), (np.int64(3), np.uint64(4)), (np.bool_(True), np.int16(7)))
def two_numpy_scalars(x, y):
    return x + y, x * y


@case(page("power"), (f32([1.1, 2]), 3), (i8([5, -5]), 3), (f32([4, 9]), 0.5), (i16([300]), np.int8(2)))
def power_promotes_like_multiplication(a, x):
    return a**x


@case(page("linspace"), 5)
def linspace_of_integers_is_float64(n):
    return np.linspace(0, 1, n), np.linspace(0, n, 3, dtype=np.int64)


@case(page("copysign"), (f32([0.0, -0.0]), f32([-1.0, -1.0])), (f32([0.0]), f64([1.0])))
def functions_of_two_arguments_promote(a, b):
    return np.copysign(a, b), np.fmod(a, b)


@case(page("bitwise_and"), (u8([255, 15]), i16([-1, 3])), (b1([True, False]), i32([3, 3])), (i8([-1, 1]), i64([255, 1])))
def bit_operations_promote(a, b):
    return a & b, a | b, a ^ b


@case(BUILTINS + "#max", (u64([2**63 + 1, 7]), i64([5, 9])), refused="numpy-op-type")
def greatest_of_uint64_and_int64(a, b):
    return max(a[0], b[0]), min(a[1], b[1])
