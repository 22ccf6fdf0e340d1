def domains(a, b, c, d, e, f):
    a[:] = 0
