"""Earliest and latest ends of tasks that need others done before, and how many have no slack (the critical ones).

Source: Kelley, Walker, Critical-path planning and scheduling, 1959.
"""


def critical_path(duration, need, earliest, latest, critical):
    """duration, earliest, latest: shape (tasks,); need: int64, (tasks, needs), earlier tasks or -1; critical: (1,)."""
    tasks, needs = need.shape
    finish = 0.0
    for i in range(tasks):
        ready = 0.0
        for k in range(needs):
            if need[i, k] < 0:
                break
            ready = max(ready, earliest[need[i, k]])
        earliest[i] = ready + duration[i]
        finish = max(finish, earliest[i])

    latest[:] = finish
    for i in range(tasks - 1, -1, -1):
        begin = latest[i] - duration[i]
        for k in range(needs):
            j = need[i, k]
            if j < 0:
                break
            if begin < latest[j]:
                latest[j] = begin

    count = 0
    for i in range(tasks):
        if earliest[i] == latest[i]:
            count += 1
    critical[0] = count
