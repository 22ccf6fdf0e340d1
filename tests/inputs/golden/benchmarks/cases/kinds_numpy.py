def kinds(i32, i64, i4, fixed, x, y, count, ratio, tiny, flag, small, N, K):
    x[:] = 0
