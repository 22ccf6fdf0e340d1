def f():
    None = 1
