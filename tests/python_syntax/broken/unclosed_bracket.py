def f(x):
    y = g(x, [1, 2
    return y
