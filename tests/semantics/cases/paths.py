"""Long and deep functions, early returns, and names that paths bind to other things."""

from case import *

FOR = COMPOUND + "#the-for-statement"
WHILE = COMPOUND + "#the-while-statement"
FUNCTIONS = COMPOUND + "#function-definitions"


# Each of the next two takes minutes, or all memory, where staging a part doubles with each part behind or around it.


@case(FOR, (f64([0.5, -2, 3, 1]), 1), (f64([1.5, -2, 3, 1]), 2), (f64([0.5, -2, 3, 1]), 0))
def ten_loops_in_each_other(x, n):
    a = x.copy()
    b = x * 2
    c = None
    for i0 in range(n):
        c0 = None
        for i1 in range(n):
            c1 = None
            for i2 in range(n):
                c2 = None
                for i3 in range(n):
                    c3 = None
                    for i4 in range(n):
                        c4 = None
                        for i5 in range(n):
                            c5 = None
                            for i6 in range(n):
                                c6 = None
                                for i7 in range(n):
                                    c7 = None
                                    for i8 in range(n):
                                        c8 = None
                                        for i9 in range(n):
                                            c9 = None
                                            if x[0] > i0:
                                                c9 = (a, b)
                                            a, b = b, a + 1
                                            if c9 is not None:
                                                c8 = (c9[1], c9[0])
                                        if c8 is not None:
                                            c7 = (c8[1], c8[0])
                                    if c7 is not None:
                                        c6 = (c7[1], c7[0])
                                if c6 is not None:
                                    c5 = (c6[1], c6[0])
                            if c5 is not None:
                                c4 = (c5[1], c5[0])
                        if c4 is not None:
                            c3 = (c4[1], c4[0])
                    if c3 is not None:
                        c2 = (c3[1], c3[0])
                if c2 is not None:
                    c1 = (c2[1], c2[0])
            if c1 is not None:
                c0 = (c1[1], c1[0])
        if c0 is not None:
            c = c0
    if c is None:
        return a + b
    return c[0] - c[1]


@case(FUNCTIONS, f64([0.5, -2, 3, 1]), f64([5, -9, 31, 2]), f64([6, -24, 36, 12]), f64([3.5, 1, 6, 4]), f64([7.5, 5, 10, 8]), before="""
    def leave(x):
        if x[0] > 0:
            if x[1] > 0.5:
                return x[0] + 0
            x = x * 0.9 + 0
        if x[1] > 1:
            if x[2] > 1.5:
                return x[0] + 1
            x = x * 0.9 + 1
        if x[2] > 2:
            if x[3] > 2.5:
                return x[0] + 2
            x = x * 0.9 + 2
        if x[3] > 3:
            if x[0] > 3.5:
                return x[0] + 3
            x = x * 0.9 + 3
        if x[0] > 4:
            if x[1] > 4.5:
                return x[0] + 4
            x = x * 0.9 + 4
        if x[1] > 5:
            if x[2] > 5.5:
                return x[0] + 5
            x = x * 0.9 + 5
        if x[2] > 6:
            if x[3] > 6.5:
                return x[0] + 6
            x = x * 0.9 + 6
        if x[3] > 7:
            if x[0] > 7.5:
                return x[0] + 7
            x = x * 0.9 + 7
        if x[0] > 8:
            if x[1] > 8.5:
                return x[0] + 8
            x = x * 0.9 + 8
        if x[1] > 9:
            if x[2] > 9.5:
                return x[0] + 9
            x = x * 0.9 + 9
        if x[2] > 10:
            if x[3] > 10.5:
                return x[0] + 10
            x = x * 0.9 + 10
        if x[3] > 11:
            if x[0] > 11.5:
                return x[0] + 11
            x = x * 0.9 + 11
        if x[0] > 12:
            if x[1] > 12.5:
                return x[0] + 12
            x = x * 0.9 + 12
        if x[1] > 13:
            if x[2] > 13.5:
                return x[0] + 13
            x = x * 0.9 + 13
        if x[2] > 14:
            if x[3] > 14.5:
                return x[0] + 14
            x = x * 0.9 + 14
        if x[3] > 15:
            if x[0] > 15.5:
                return x[0] + 15
            x = x * 0.9 + 15
        return x.sum()
    """)
def sixteen_early_returns_behind_each_other(x):
    return leave(x)


@case(FUNCTIONS, (f64([0.5, -2, 3, 1]), 3), (f64([5, -9, 31, 2]), 2), (f64([-1, -1, -1, -1]), 1), before="""
    def leave(x, n):
        total = 0.0
        if x[0] > 0:
            if x[1] > 0:
                return total
            total += 1
        if x[1] > 0:
            if x[2] > 0:
                return total
            total += 2
        if x[2] > 0:
            if x[3] > 30:
                return total
            total += 4
        if x[3] > 0:
            if x[0] > n:
                return total + 0.5
            for k in range(n):
                if x[k] > 2.5:
                    return total + k
                total += 8
            if x[1] > 9:
                raise ValueError("nine")
            elif x[1] < -8:
                return -total
            scale = total * 2
            if scale > 20:
                total += 16
                if total > 50:
                    return total
            total += scale
        else:
            total -= 100
        if total < 0:
            if n > 1:
                return total - 1
            total = -total
        return total + 0.25
    """)
def returns_that_set_a_flag(x, n):
    return leave(x, n)


@case(COMPOUND + "#the-if-statement", (f64([1, 2, 3, 4, 5]), 1), (f64([1, 2, 3, 4, 5]), 0))
def name_of_arrays_of_other_sizes_by_path(a, k):
    if k > 0:
        t = a[:2] * 2.0
        a[:2] = t
    else:
        t = a[1:] + 1.0
        a[1:] = t
    t = a * 10.0
    return t


@case(FOR, (f64([1, 2, 3, 4]), 3), (f64([1, 2, 3, 4]), 0))
def name_reused_for_another_size_in_each_round(a, k):
    t = np.ones(7)
    total = t.sum()
    for i in range(k):
        if a[i] > 1.5:
            t = a[i:] * 2.0
            total = total + t.sum()
            continue
        t = a[:2]
        total = total - t.sum()
    return total


@case(FOR, (f64([1, 2, 3, 4]), 3), (f64([1, 2, 3, 4]), 0))
def name_read_by_a_function_that_is_called_later(a, k):
    t = 1.0

    def scaled(v):
        return v * t

    for i in range(k):
        t = a[i]
    return scaled(2.0)


@case(WHILE, f64([1, 2, 3, 4, 5, 6]))
def name_left_by_break_and_read_in_else(a):
    i = 0
    last = 0.0
    while i < 6:
        t = a[i] * a[i]
        if t > 20.0:
            last = t
            break
        i += 1
    else:
        last = -t
    for j in range(6):
        if a[j] > 100.0:
            break
        u = a[j]
    else:
        last = last + u
    return last


@case(EXPRESSIONS + "#subscriptions", (f64([1, 2, 3, 4, 5, 6, 7]), 5), (f64([1, 2, 3, 4, 5, 6, 7]), -2),
      (f64([1, 2, 3, 4, 5, 6, 7]), 9))
def numbers_of_a_tuple_at_a_run_time_place(a, k):
    weights = (0.25, 0.5, 0.125)
    powers = [3, 1, 2]
    total = 0.0
    for i in range(a.shape[0]):
        total += weights[i % 3] * a[i] ** powers[(i + 1) % 3]
    j = int(a[0]) + k
    return total, weights[j - 5], powers[j % 3] // 2


@case(EXPRESSIONS + "#subscriptions", f64([1, 2, 3]), f32([1, 2, 3]))
def float_of_a_tuple_keeps_an_arrays_dtype(a):
    steps = (0.1, 0.2, 0.3)
    for i in range(3):
        a[i] = a[i] * steps[i]
        if a[i] > 0.3:
            break
    return a * steps[int(a[0] * 0.0) + 1]
