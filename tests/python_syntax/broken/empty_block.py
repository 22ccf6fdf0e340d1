for i in range(3):
# nothing here
print(i)
