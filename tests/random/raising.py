"""Templates of what may raise at run time, and of the order in which it does."""

ROWS = {
    "trap: raise": [
        """
if {rare}:
    raise ValueError("too large")""",
        """
for {i} in range({n:V}):
    if {V}[{i}] == 3:
        raise RuntimeError("an element")
    {V}[{i}] {aug} 1""",
        """
if {rare}:
    raise ValueError("first")
elif {rare}:
    raise IndexError("second")
{A}[0] = {l:A}""",
        "assert {often}",
        "assert {often}, 'a message'",
        """
for {i} in range({n:V}):
    assert {V}[{i}] != 3
    {V}[{i}] {aug} 1""",
        """
{w1} = 0
while {w1} < 4:
    {w1} += 1
    if {rare}:
        raise NotImplementedError("round")""",
        """
if not np.all({A} != 3):
    raise OverflowError("values")
{t1} = {A} * 2""",
    ],
    "trap: an index out of range": [
        "{s1} = {V}[int({C}[0])] {op} 1",
        "{V}[int({C}[{p:C}])] = {x:V}",
        "{s1} = {M}[1, int({C}[0])] {op} {M}[int({C}[0]), 1]",
        "{t1} = {V}[{C}] + 0",
        "{V}[{C}] = {x:V}",
        "{V}[{C}] {aug} {x:V}",
        "np.add.at({V}, {C}, {l:V})",
        """
for {i} in range({n:V}):
    {V}[{i}] = {V}[int({C}[0]) + {i}]""",
        "{s1} = {V}[3] {op} {V}[-4]",
        "{s1} = {V}[5 if {Q} else -1]",
        """
{w1} = int({C}[0])
if {Q}:
    {V}[{w1}] = {x:V}
{s1} = {V}[{w1}] * 2""",
        """
{w1} = int({C}[0]) + 1
while {w1} < {n:V}:
    {V}[{w1}] {aug} 1
    {w1} += 2
{s1} = {V}[{w1} - 3]""",
    ],
    "trap: Python ints divided by 0": [
        "{s1} = int({C}[0]) // int({C}[1])",
        "{s1} = int({C}[{p:C}]) % int({C}[0])",
        "{s1} = 7 % (int({C}[0]) * int({C}[0]))",
        "{s1} = int({C}[0]) / int({C}[1])",
        """
for {i} in range({n:J}):
    if int({J}[{i}]) != 5:
        {J}[{i}] = 20 // (int({J}[{i}]) ** 2)""",
    ],
    "trap: a name that no path bound": [
        """
if {often}:
    {s1} = {x:V}
{t1} = {V} + {s1}""",
        """
if {often}:
    {s1} = {x:V}
if {Q}:
    {V}[0] = {s1}
{V}[1] = {s1}""",
        """
for {i} in range(int({C}[0]), {n:V}):
    {s1} = {V}[{i}] * 2
{s2} = {s1} + 1""",
        """
for {i} in range({n:V}):
    if {often}:
        {s1} = {x:V}
    {V}[{i}] = {s1}""",
        """
if {often}:
    {t1} = {A} * 2
else:
    {s1} = 1
{t2} = {t1} + 1""",
        """
for {i} in range({n:V}):
    {V}[{i}] {aug} 1
{s1} = {i} + 1""",
    ],
    "trap: numbers without a value": [
        "{s1} = int(float({R}[0]))",
        "{s1} = math.sqrt(float({R}[0]) + 2.0)",
        "{s1} = math.log(abs(float({R}[0])))",
        "{s1} = 1.0 / float({R}[{p:R}])",
        "{s1} = np.max({A}[1:])",
        "{s1} = np.argmin({V}[2:]) + {V}[::2].min()",
    ],
    "trap: which of two comes first": [
        """
{s1} = {V}[int({C}[0])] {op} (7 // int({C}[1]))""",
        """
{V}[int({C}[0])] = 7 // int({C}[1])""",
        """
if {rare}:
    raise ValueError("before")
{s1} = {V}[int({C}[0])]""",
        """
{s1} = {V}[int({C}[0])] * 1
if {rare}:
    raise ValueError("after")""",
        """
for {i} in range({n:C}):
    if {C}[{i}] == 3:
        raise ValueError("three")
    {s1} = 9 % int({C}[{i}])""",
        """
{s1} = 1 if {Q} and 4 % int({C}[0]) > 1 else 2""",
        """
for {i} in range({n:C}):
    {s1} = {V}[int({C}[{i}])]
    if {V}[{i}] == 3:
        raise ValueError("three")""",
    ],
}
