"""What raises in NumPy and Python raises in the port, and what does not raise there does not raise here."""

from case import *

ERRORS = PYTHON + "library/exceptions.html#"
INDEX, VALUE, ZERO, OVER = (ERRORS + n for n in ("IndexError", "ValueError", "ZeroDivisionError", "OverflowError"))
GRID = f64(range(12)).reshape(3, 4)


@case(INDEX, (GRID, 3, 0), (GRID, 0, 4), (GRID, -4, 0), (GRID, 0, -5), right=["IndexError"] * 4)
def index_of_either_dimension_raises(a, i, j):
    return a[i, j]


@case(INDEX, (GRID, 3), (GRID, -4), right=["IndexError"] * 2)
def row_out_of_range_raises(a, i):
    return a[i].sum()


@case(INDEX, (GRID, 2), (GRID, 4))
def loop_runs_over_the_end(a, n):
    s = 0.0
    for i in range(n):
        s += a[i, i]
    return s


@case(INDEX, f64([]), right=["IndexError"])
def first_of_nothing_raises(a):
    return a[0]


@case(INDEX, (f64([1, 2]), i64([[0, 5]])), right=["IndexError"])
def chased_index_out_of_range_raises(a, at):
    return a[at[0, at[0, 0] + 1]]


@case(ZERO, (i64([4, 0]), 0), right=["ZeroDivisionError"])
def python_int_from_an_array_raises(a, k):
    return 7 // int(a[1])


@case(ZERO, (f64([4, 0]),), right=["ZeroDivisionError"])
def python_float_from_an_array_raises(a):
    return 7.0 / float(a[1])


@case(ZERO, (f64([4, 0]),), right=[np.inf])
def element_of_an_array_does_not_raise(a):
    return 7.0 / a[1]


@case(ZERO, f64([]), right=["ZeroDivisionError"])
def quotient_by_a_length_raises(a):
    return 1.0 / len(a)


@case(ZERO, 0.0, right=["ZeroDivisionError"])
def zero_to_a_negative_power_raises(x):
    return x**-1.0


@case(OVER, 1e200, -1e200, right=["OverflowError"] * 2)
def python_float_power_beyond_its_range_raises(x):
    return x**2


@case(OVER, f64([1e200]), right=[np.inf])
def numpy_power_beyond_its_range_is_inf(a):
    return a[0] ** 2


@case(OVER, 1e308, right=[np.inf])
def python_product_beyond_its_range_is_inf(x):
    return x * 10


@case(MATH + "#math.exp", 1000.0, right=["OverflowError"])
def math_exp_beyond_its_range_raises(x):
    return math.exp(x)


@case(page("exp"), f64([1000.0, -1000.0]), right=[[np.inf, 0.0]])
def numpy_exp_beyond_its_range_is_inf(a):
    return np.exp(a)


@case(MATH + "#math.sqrt", -1.0, -np.inf, right=["ValueError"] * 2)
def math_sqrt_of_a_negative_raises(x):
    return math.sqrt(x)


@case(MATH + "#math.log", 0.0, -1.0, right=["ValueError"] * 2)
def math_log_of_zero_raises(x):
    return math.log(x)


@case(page("log"), f64([0.0, -1.0, -0.0]), f32([0.0, -1.0]))
def numpy_log_and_sqrt_do_not_raise(a):
    return np.log(a), np.sqrt(a)


@case(MATH + "#math.fmod", (1.0, 0.0), (np.inf, 2.0), right=["ValueError"] * 2)
def math_fmod_by_zero_raises(x, y):
    return math.fmod(x, y)


@case(MATH + "#math.acos", 1.5, right=["ValueError"])
def math_acos_out_of_range_raises(x):
    return math.acos(x)


@case(MATH + "#math.floor", np.nan, np.inf, right=["ValueError", "OverflowError"])
def math_floor_of_no_number_raises(x):
    return math.floor(x)


@case(BUILTINS + "#round", np.nan, -np.inf, right=["ValueError", "OverflowError"])
def python_round_of_no_number_raises(x):
    return round(x)


@case(BROADCASTING, (f64([1, 2, 3]), f64([1, 2])), right=["ValueError"], declines=True)
def shapes_that_do_not_broadcast_raise(a, b):
    return a[: len(b) + 1] + b


@case(BROADCASTING, (f64([1, 2, 3]), 2), (f64([1, 2, 3]), 3), declines=True)
def slices_that_may_not_broadcast(a, n):
    return a[:n] + a[len(a) - 3 :]


@case(INDEXING, (f64([1, 2, 3]), f64([1, 2]), 1), right=["ValueError"], declines=True)
def store_of_another_length_raises(a, b, i):
    a[i - 1 :] = b
    return a


@case(page("reshape"), (f64(range(6)), 4), (f64(range(6)), 3), declines=True)
def reshape_to_another_size_raises(a, n):
    return a.reshape(n, -1).sum(axis=0)[0]


@case(page("zeros"), -1, right=["ValueError"])
def negative_size_raises(n):
    return np.zeros(n + 0)


@case(page("linalg.LinAlgError"), f64([[1, 2], [2, 4]]), np.zeros((2, 2)), right=["LinAlgError"] * 2)
def inverse_of_a_singular_matrix_raises(a):
    return np.linalg.inv(a)


@case(page("linalg.solve"), (f64([[0, 0], [0, 1]]), f64([1, 1])), right=["LinAlgError"])
def solve_with_a_singular_matrix_raises(a, b):
    return np.linalg.solve(a, b)


@case(page("linalg.cholesky"), f64([[1, 2], [2, 1]]), f64([[-1, 0], [0, 1]]), right=["LinAlgError"] * 2)
def cholesky_of_an_indefinite_matrix_raises(a):
    return np.linalg.cholesky(a)


@case(page("linalg.det"), f64([[1, 2], [2, 4]]), f64([[0, 0], [0, 0]]), f64([[2, 0], [0, 0.5]]))
def determinant_of_a_singular_matrix_is_zero(a):
    return np.linalg.det(a)


@case(page("linalg.solve"), (f64([[2, 0], [0, 4]]), f64([1, 1])), right=[[0.5, 0.25]])
def solve_of_a_diagonal(a, b):
    return np.linalg.solve(a, b)


@case(STATEMENTS + "#the-raise-statement", (f64([1, np.nan, 2]), 0), (f64([1, 2]), 1), (f64([1, 5]), 1))
def raises_of_several_kinds(a, k):
    for x in a:
        if x != x:
            raise RuntimeError("not a number")
        if x > 4:
            raise NotImplementedError
    assert k == 1
    return a.sum()


@case(STATEMENTS + "#the-raise-statement", (f64([1, 2]), 5), right=["IndexError"])
def first_fault_wins(a, i):
    x = a[i]
    if i > 2:
        raise ValueError("late")
    return x


@case(STATEMENTS + "#the-raise-statement", (f64([1, 2]), 5), right=["ValueError"])
def guard_before_an_index_wins(a, i):
    if i >= len(a):
        raise ValueError("guarded")
    return a[i]


@case(SCOPES, (f64([]), 0), (f64([3]), 0))
def name_bound_in_a_loop_of_no_round(a, k):
    for x in a:
        last = x * 2
    return last


@case(SCOPES, 1, -1)
def name_deleted_by_no_path(k):
    if k > 0:
        y = 1.5
    z = 0.0
    if k > 0:
        z = y
    return z


OWN = """
    class NotConverged(Exception):
        pass


    class Worse(NotConverged):
        \"\"\"By far.\"\"\"
    """


@case(ERRORS + "ArithmeticError", 1, 2, 3, 4, 5, 6, 7, 8, 9)
def exceptions_of_many_classes(k):
    if k == 1:
        raise ArithmeticError("no")
    if k == 2:
        raise KeyError("no")
    if k == 3:
        raise BufferError("no")
    if k == 4:
        raise Exception
    if k == 5:
        raise LookupError() from None
    if k == 6:
        raise AttributeError(f"no {k}")
    if k == 7:
        raise RecursionError("no")
    assert k < 9, "nine"
    return k


@case(ERRORS + "Exception", f64([1, 0]), f64([-1, 0]), f64([1, -2]), right=[1.0, "NotConverged", "Worse"], before=OWN)
def exceptions_of_the_files_own_classes(x):
    if x[0] < 0:
        raise NotConverged(f"at {x[0]}")
    if x[1] < -1:
        raise Worse
    return x[0]


@case(ERRORS + "Exception", f64([1]), f64([-1]), before=OWN)
def own_exception_that_no_handler_catches(x):
    try:
        if x[0] < 0:
            raise Worse("no")
        y = x * 2
    except ValueError:
        y = x
    return y


@case(ERRORS + "Exception", f64([1]), f64([-1]), before=OWN, refused="numpy-construct")
def own_exception_that_a_handler_of_its_base_catches(x):
    try:
        if x[0] < 0:
            raise Worse("no")
        y = x * 2
    except NotConverged:
        y = x
    return y


@case(ERRORS + "Exception", f64([1]), f64([-1]), refused="numpy-foreign-name", before="""
    class Counted(Exception):
        def __init__(self, k):
            self.k = 1 // k
    """)
def exception_with_a_constructor(x):
    if x[0] < 0:
        raise Counted(0)
    return x
