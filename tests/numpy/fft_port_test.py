#!/usr/bin/env python3
"""A C port of np.fft.fft and np.fft.ifft, by our own code and by FFTW, against NumPy at many lengths.

usage: fft_port_test.py PORTWRIGHT. Needs NumPy 2 and gcc; exits with 77 where there is no NumPy.
"""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

MANIFEST = """\
name: spectrum
func_name: spectrum
parameters:
  S: {n: 20}
init:
  arrays: {re: "(n,)", im: "(n,)", forward: "(2, n)", inverse: "(2, n)"}
output_args: [forward, inverse]
"""
KERNEL = """\
import numpy as np


def spectrum(re, im, forward, inverse):
    x = re + 1j * im
    y = np.fft.fft(x)
    z = np.fft.ifft(x)
    forward[0] = y.real
    forward[1] = y.imag
    inverse[0] = z.real
    inverse[1] = z.imag
"""
LENGTHS = [*range(1, 65), 97, 101, 127, 128, 210, 1000, 1009, 4096, 10007, 30030]
FLAGS = ["-O2", "-ffp-contract=off", "-std=c11", "-fopenmp", "-shared", "-fPIC"]


def build(portwright, folder, options, libraries):
    subprocess.run([portwright, "port", folder / "spectrum.yaml", "--dtype", "float64", "--no-format", "-o", folder, *options],
                   check=True, capture_output=True)
    library = folder / f"spectrum{len(options)}.so"
    subprocess.run(["gcc", *FLAGS, "-o", library, folder / "spectrum.c", *libraries, "-lm"], check=True)
    return ctypes.CDLL(str(library)).spectrum_checked


def worst(port, n):
    """The greatest error of both transforms, in parts of the greatest element."""
    rng = np.random.default_rng(n)
    re, im = rng.normal(size=(2, n))
    forward, inverse = np.empty((2, 2, n))
    arrays = [a.ctypes.data_as(ctypes.c_void_p) for a in (re, im, forward, inverse)]
    status = port(*arrays, ctypes.c_int64(n))
    if status != 0:
        return f"status {status}"
    x = re + 1j * im
    errors = []
    for got, want in ((forward, np.fft.fft(x)), (inverse, np.fft.ifft(x))):
        errors.append(np.max(np.abs(got[0] + 1j * got[1] - want)) / np.max(np.abs(want)))
    return max(errors)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "spectrum.yaml").write_text(MANIFEST)
        (folder / "spectrum_numpy.py").write_text(KERNEL)
        for name, options, libraries in (("own", [], []), ("fftw", ["--fft", "fftw"], ["-lfftw3"])):
            has_header = subprocess.run(["gcc", "-E", "-include", "fftw3.h", "-x", "c", "/dev/null"], capture_output=True)
            if libraries and has_header.returncode != 0:
                print("fftw: not installed, not tested")
                continue
            port = build(sys.argv[1], folder, options, libraries)
            found = {n: worst(port, n) for n in LENGTHS}
            wrong = {n: e for n, e in found.items() if not (isinstance(e, float) and e < 2e-15)}
            print(f"{name}: {len(found)} lengths, worst error {max(e for e in found.values() if isinstance(e, float)):.1e}")
            for n, error in wrong.items():
                print(f"{name}: n = {n}: {error}")
            failures += len(wrong)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
