x = 1
f(a=x, x)
