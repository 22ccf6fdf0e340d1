x = 1
print("hello)
y = 2
