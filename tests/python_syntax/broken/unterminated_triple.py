x = 1
"""text

more
