"""np_float and np_complex: the run's dtypes, set by portwright.harness before a kernel's module is imported."""

import numpy as np

np_float = np.float64
np_complex = np.complex128
