"""Templates of names that several paths bind: in loops, in branches at run time.

Left out: an int near 2**63 plus a size, which staging takes to stay within 64 bits.
"""

ROWS = {
    "join: int widens to float in a loop": [
        """
{r1} = {N}
for {i} in range({n:R}):
    {r1} = {r1} {op} {R}[{i}]
{s1} = float({r1})""",
        """
{r1} = {N}
for {i} in range({n:R}):
    if {R}[{i}] {cmp} {F}:
        {r1} {aug} 0.5
{s1} = float({r1})""",
        """
{r1}, {r2} = 1, 0
for {i} in range({n:R}):
    {r1}, {r2} = {r2} + {R}[{i}], {r1}
{s1} = float({r1}) - float({r2})""",
        """
{r1} = {N}
{w1} = 0
while {r1} < 9.5 and {w1} < 6:
    {r1} = {r1} * 1.5 + 1
    {w1} += 1
{s1} = float({r1})""",
    ],
    "join: int widens to float in a branch": [
        """
{r1} = {N}
if {Q}:
    {r1} = float({F})
{s1} = float({r1})
{t1} = {R} * {r1}""",
        """
if {Q}:
    {r1} = {N}
elif {Q}:
    {r1} = 2.5
else:
    {r1} = {N}
{t1} = {R} + {r1}""",
        """
{r1} = {N}
for {i} in range({n:R}):
    if {R}[{i}] {cmp} {F}:
        {r1} = {r1} + {R}[{i}]
    else:
        {r1} = {r1} + 1
{s1} = float({r1})""",
    ],
    "join: a sum from a Python number": [
        """
{r1} = 0.0
for {i} in range({n:A}):
    {r1} += float(np.sum({A}[{i}]))
{s1} = {r1} + 0.0""",
        """
{r1} = 0
for {i} in range({n:C}):
    {r1} += int({C}[{i}])
{s1} = {r1} * 2""",
        """
{r1} = 1.0
for {i} in range({n:R} - 1, -1, -1):
    {r1} = {r1} * 0.5 + {R}[{i}]
    {R}[{i}] = {r1}
{s1} = float({r1})""",
    ],
    # NumPy's number once a round has run, and these loops do.
    "join: a Python number becomes NumPy's": [
        """
{r1} = 0.0
for {i} in range(3):
    {r1} = {r1} {op} {R}[{i}]
{t1} = np.ones(4, dtype=np.float32) * {r1}""",
        """
{r1} = {N}
for {i} in range(2):
    {r1} {aug} {C}[{i}]
{t1} = np.arange(4, dtype=np.int16) + {r1}""",
        """
{r1}, {w1} = 1.0, 0
while {w1} < 3:
    {r1} = {r1} * 0.5 + {R}[{w1}]
    {w1} += 1
{t1} = {R}.astype(np.float32) - {r1}""",
    ],
    "join: flags and found places": [
        """
{r1} = False
for {i} in range({n:V}):
    if {V}[{i}] {cmp} {x:V}:
        {r1} = True
        break
{s1} = {x:V} if {r1} else {x:V}""",
        """
{w1} = -1
for {i} in range({n:V}):
    if {V}[{i}] {cmp} {x:V}:
        {w1} = {i}
{V}[{w1}] = {x:V}""",
        """
{w1} = 0
for {i} in range(1, {n:V}):
    if {V}[{i}] > {V}[{w1}]:
        {w1} = {i}
{s1} = {V}[{w1}] * 1""",
        """
{w1} = 0
for {i} in range({n:V}):
    if {V}[{i}] {cmp} {x:V}:
        {V}[{w1}] = {V}[{i}]
        {w1} += 1
{s1} = {w1} + 0""",
    ],
    "join: the end of a loop": [
        """
{w1} = {n:V}
for {i} in range({w1}):
    {w1} = {w1} - 1
    {V}[{i}] {aug} {w1}""",
        """
{w1} = int({C}[0]) % 7
for {i} in range({w1}, {n:V} + {w1}):
    {w1} = {i}
    {V}[{i} - {w1}] {aug} {w1}""",
        """
{w1} = {n:V}
while {w1} > 0:
    {w1} = {w1} // 2
    {V}[{w1}] {aug} {w1}""",
    ],
    "join: an array becomes a new one in a loop": [
        """
{t1} = {R} * 1.0
for {i} in range(3):
    {t1} = {t1} * 0.5 + {R}""",
        """
{t1} = {A} + 0
for {i} in range({n:A}):
    {t1} = {t1} {op} {A}[{i}]""",
        """
{t1} = {R} + 0.5
for {i} in range(1, {n:R}):
    {t2} = np.maximum({t1}, {R}[{i}])
    {t2}[{i}] = {t1}[{i} - 1]
    {t1} = {t2} - {t1}""",
        """
{t1} = {R} * 2.0
{r1} = 1.0
{w1} = 0
while {r1} > 0.01 and {w1} < 5:
    {t2} = {t1} * 0.25
    {r1} = float(np.sum(np.abs({t2} - {t1})))
    {t1} = {t2}
    {w1} += 1""",
    ],
    "join: an array becomes a copy in a loop": [
        """
{t1} = {V}.copy()
for {i} in range({n:V}):
    {t2} = {t1}.copy()
    {t1}[1:] {aug} {t2}[:-1]
    {t1}[{i}] = {x:V}""",
        """
{t1} = {V}.copy()
for {i} in range(3):
    {t2} = {t1}.copy()
    {t1}[{p:V}] = {t2}[{p:V}] + 1
    {t1} {aug} {t2}[::-1]""",
        """
{t1} = np.zeros_like({A})
for {i} in range({n:A}):
    {t2} = {A}.copy()
    {A}[{i}] {aug} {t2}[-1]
    {t1} = {t1} + {t2}""",
        """
{t1} = {A} * 2
for {i} in range(3):
    {t1} = {t1}[::-1].copy()
    {t1}[0] = {t1}[-1] + {l:A}""",
    ],
    "join: what the round before bound": [
        """
{r1} = 0.0
for {i} in range({n:R}):
    if {i} > 0:
        {r1} = {r1} + {r2}
    {r2} = {R}[{i}] * 0.5
{s1} = float({r1})""",
        """
{r1} = 0.0
for {i} in range({n:R}):
    if {R}[{i}] {cmp} {F}:
        {r2} = {R}[{i}]
        {r3} = {R} * 2
    elif {often}:
        {r2} = 1.0
        {r3} = {R} + 1
    else:
        {r1} = {r1} + {r2} + {r3}[0]
{s1} = float({r1})""",
        """
{w1} = 0
{r1} = 0
while {w1} < 4:
    for {i} in range({n:C}):
        if {w1} + {i} > 0:
            {r1} = {r1} * 2 - {w2}
        {w2} = {i} + {w1}
    {w1} += 1
{s1} = {r1} + 0""",
    ],
    # The longer one stays, or the port declines.
    "join: arrays of two lengths": [
        """
{r1} = {R} * 1.0
if {Q}:
    {r1} = {r1}[:{n:R} // 2]
{s1} = float({r1}.sum())""",
        """
{r1} = {R}
for {i} in range({n:R}):
    {r1} = {r1}[:{n:R} + 1 - {i}]
{s1} = float({r1}.sum())""",
        """
{r1} = {R}[:{n:R} - 1]
if {Q}:
    {r1} = {R}
{s1} = float({r1}.sum())""",
        """
{r1} = {R}[{R} {cmp} {F}]
if {r1}.size > 1:
    {r1} = {r1}[:1]
{s1} = float({r1}.sum())""",
    ],
    "join: an array of one of two branches": [
        """
if {Q}:
    {t1} = {A} + {A}
else:
    {t1} = {A} * {A}
{t1}[0] = {l:A}""",
        """
{t1} = {A} + 0
if {Q}:
    {t1} = {t1} - {A}[::-1]
    {A}[0] = {t1}[-1]""",
        """
{t1} = {A}.copy()
for {i} in range({n:A}):
    if {Q}:
        {t1} = {t1} + {A}
    else:
        {t1} = {A}[{i}] - {t1}""",
        """
if {Q}:
    {t1} = {A}[::-1] {op} {e:A}
elif {Q}:
    {t1} = {A} + 0
    {t1}[1:] = {l:A}
else:
    {t1} = {A}.copy()
{A}[0] = {t1}[-1]""",
    ],
    "join: arrays swapped in a loop": [
        """
{t1} = {R}.copy()
{t2} = np.zeros_like({t1})
for {i} in range(4):
    {t2}[1:-1] = {t1}[2:] - 0.5 * {t1}[:-2]
    {t2}[0] = {t1}[-1]
    {t1}, {t2} = {t2}, {t1}""",
        """
{t1} = {V} * 1
{t2} = {V} + {V}
for {i} in range({n:V}):
    {t1}, {t2} = {t2}, {t1} {op} {t2}""",
        """
{t1}, {t2}, {t3} = {V} * 1, {V} + {V}, {V} - 1
for {i} in range({n:V}):
    {t1}, {t2}, {t3} = {t2}, {t3}, {t1} * {V}[{i}]""",
        """
{t1}, {t2} = {V} * 1, {V} + {V}
for {i} in range({n:V}):
    if {V}[{i}] {cmp} {x:V}:
        {t1}, {t2} = {t2}, {t1}
    {V}[{i}] = {t1}[{i}] {op} {t2}[{i}]""",
        """
{t1}, {t2}, {t3} = {A} * 1, {A} + {A}, {A} - 1
for {i} in range({n:A}):
    {t1}, {t2}, {t3} = {t3}, {t1}, {t2}
{t4} = {t1} - {t2} * 2""",
        """
{t1} = {A} * 1
{t2} = {A} - {A}[0]
for {i} in range(2):
    {t3} = {t1} {op} {t2}
    {t1} = {t2}
    {t2} = {t3}""",
        """
{t1} = {V} * 1
{t2} = {V} + {V}
for {i} in range({n:V}):
    if {V}[{i}] {cmp} {x:V}:
        {t1}, {t2} = {t2}, {t1}
    {t1}[{i}] = {l:V}""",
    ],
    "join: numbers swapped in a loop": [
        """
{s1}, {s2} = {F}, {F}
{s1}, {s2} = float({s1}), float({s2})
for {i} in range({n:R}):
    {s1}, {s2} = {s2}, {s1} + float({R}[{i}])""",
        """
{s1}, {s2}, {s3} = 1, 2, 3
for {i} in range({n:V}):
    if {V}[{i}] {cmp} {x:V}:
        {s1}, {s2}, {s3} = {s2}, {s3}, {s1}
{s4} = {s1} * 100 + {s2} * 10 + {s3}""",
        """
{s1} = float({F})
for {i} in range({n:R}):
    {s2} = float({R}[{i}])
    {R}[{i}] = {s2} - {s1}
    {s1} = {s2}""",
    ],
}
