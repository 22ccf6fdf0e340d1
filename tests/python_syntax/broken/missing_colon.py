def f(x):
    if x > 0
        return x
