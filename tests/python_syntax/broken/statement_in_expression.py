def f():
    y = (return 1)
