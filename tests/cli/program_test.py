"""Runs the portwright program on our kernels and on small corpora made here: program_test.py PROGRAM. Standard library only."""
import fcntl
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
KERNELS = ROOT / "kernels"

MANIFEST = """\
name: {name}
func_name: {name}
parameters:
  S: {{n: 20}}
init:
  arrays: {{a: "(n,)", b: "(n,)"}}
output_args: [b]
"""


def is_locked(folder):
    """Whether a run holds the folder's lock: it is made before it is locked."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)


class Program(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_program(self, *arguments, inside="", **environment):
        words = [PROGRAM, *map(str, arguments)]
        return subprocess.run(words, cwd=self.folder / inside, env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=600)

    def kernel(self, name, body, header="", manifest=MANIFEST):
        """A kernel `name(a, b)` in the scratch folder's corpus; its manifest's path."""
        folder = self.folder / "corpus" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.yaml").write_text(manifest.format(name=name))
        (folder / f"{name}_numpy.py").write_text(f"import numpy as np\n{header}\n\ndef {name}(a, b):\n{body}\n")
        return folder / f"{name}.yaml"


class Verify(Program):

    def test_prints_what_the_readme_shows(self):
        done = self.run_program("verify", KERNELS / "stencil/jacobi_2d.yaml")
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(lines), 2)
        for line, dtype in zip(lines, ("float64", "float32")):
            self.assertRegex(line, rf"^jacobi_2d  c  {dtype}  PASS  exact   S, 11x13, 1x1, 64x65   5 cases   gcc \d+\.\d+$")

    def test_json_is_a_flag_or_a_file(self):
        manifest = self.kernel("double", "    b[:] = a + a")
        flag = self.run_program("verify", "--json", manifest, "--dtype", "float64")
        report = json.loads(flag.stdout)
        self.assertEqual(report["counts"], {"c": {"PASS": 1}})
        row = report["kernels"][0]
        self.assertEqual((row["name"], row["backend"], row["dtype"], row["layout"], row["verdict"], row["emulated"]),
                         ("double", "c", "float64", "", "PASS", False))
        self.assertEqual([c["size"] for c in row["cases"]], ["S", "S", "11", "1", "65"])
        file = self.run_program("verify", "--json=out.json", manifest, "--dtype", "float64")
        self.assertIn("PASS", file.stdout)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["counts"], report["counts"])

    def test_a_refusal_has_place_rule_and_fix_and_ends_in_one(self):
        manifest = self.kernel("odd", "    b[:] = np.no_such_function(a)")
        done = self.run_program("verify", manifest, "--dtype", "float64")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"odd  c  float64  REFUSED  \S+odd_numpy\.py:5:\d+: numpy-[a-z-]+: .*Fix: ")

    def test_traps_agree_by_kind_of_exception(self):
        manifest = self.kernel("raises", '    if a[0] < 1e9:\n        raise ValueError("too small")\n    b[:] = a')
        done = self.run_program("verify", manifest, "--dtype", "float64", "--json")
        row = json.loads(done.stdout)["kernels"][0]
        self.assertEqual([c["state"] for c in row["cases"]], ["agrees"] * 5)
        self.assertEqual(row["cases"][0]["note"], "both raise ValueError")
        self.assertEqual((row["verdict"], row["detail"]), ("UNVERIFIED", "vacuous"), row)

    def test_every_value_of_a_knob_is_run(self):
        text = MANIFEST.replace("output_args", "config: {{mode: {{domain: [0, 2]}}}}\noutput_args")
        manifest = self.kernel("knob", "    b[:] = a * mode", manifest=text)
        source = manifest.parent / "knob_numpy.py"
        source.write_text(source.read_text().replace("knob(a, b)", "knob(a, b, mode)"))
        row = json.loads(self.run_program("verify", manifest, "--dtype", "float64", "--json").stdout)["kernels"][0]
        self.assertEqual(row["verdict"], "PASS", row)
        self.assertEqual([c["size"] for c in row["cases"]], ["S", "S", "S mode=2", "11", "1", "65"])

    def initialised(self, name, body, initialise):
        """A kernel whose inputs `initialise(n)` returns."""
        manifest = self.kernel(name, body, f"def initialise(n):\n    return {initialise}\n", MANIFEST.replace(
            "init:\n", "init:\n  func_name: initialise\n  input_args: [n]\n  output_args: [a, b]\n"))
        return json.loads(self.run_program("verify", manifest, "--json").stdout)["kernels"]

    def test_big_endian_inputs_are_passed_by_value(self):
        rows = self.initialised("swapped", "    b[:] = a + b", 'np.arange(n, dtype=">i4"), np.linspace(0, 1, n).astype(">f8")')
        self.assertEqual([row["verdict"] for row in rows], ["PASS", "PASS"], rows)

    def test_an_input_of_a_dtype_that_ports_lack_is_refused(self):
        for dtype, name in (("np.longdouble", "float128"), ("np.float16", "float16")):
            rows = self.initialised(name, "    b[:] = a", f"np.zeros(n, dtype={dtype}), np.zeros(n)")
            for row in rows:
                self.assertEqual(row["verdict"], "REFUSED", row)
                self.assertRegex(row["span"], name + r"_numpy\.py:\d+:\d+$")
                self.assertIn(f"numpy-input-dtype: the initialiser makes a {name}", row["reason"])

    def test_a_declared_dtype_without_an_initialiser_is_what_the_harness_fills(self):
        for dtype in ("float64", "float32", "complex128", "bool", "int32", "uint8"):
            text = MANIFEST.replace('a: "(n,)"', 'a: {{shape: "(n,)", dtype: ' + dtype + "}}")
            manifest = self.kernel(dtype + "_declared", "    b[:] = a * 2", manifest=text)
            rows = json.loads(self.run_program("verify", manifest, "--json").stdout)["kernels"]
            self.assertEqual([row["verdict"] for row in rows], ["PASS", "PASS"], rows)

    def test_every_run_is_in_the_ledger(self):
        manifest = self.kernel("double", "    b[:] = a + a")
        self.run_program("verify", manifest)
        with sqlite3.connect(self.folder / ".portwright" / "ledger.sqlite") as ledger:
            rows = ledger.execute("select name, dtype, verdict, length(reference_sha256), length(port_sha256), "
                                  "reference_version like 'numpy%' from runs order by id").fetchall()
            cases = ledger.execute("select count(*) from cases").fetchone()[0]
        self.assertEqual(rows, [("double", dtype, "PASS", 64, 64, 1) for dtype in ("float64", "float32")])
        self.assertEqual(cases, 10)
        shown = self.run_program("ledger", "show", "double")
        self.assertEqual(shown.returncode, 0)
        self.assertEqual(len(shown.stdout.splitlines()), 2)
        self.assertEqual(len(json.loads(self.run_program("ledger", "show", "--json").stdout)), 2)

    def test_ledgers_are_exported_and_merged(self):
        double, triple = self.kernel("double", "    b[:] = a + a"), self.kernel("triple", "    b[:] = a * 3")
        for place, manifests in (("here", [double]), ("there", [double, triple])):
            (self.folder / place).mkdir()
            self.run_program("verify", *manifests, "--dtype", "float64", inside=place)
        done = self.run_program("ledger", "merge", "there", "-o", "here")
        self.assertEqual((done.returncode, done.stdout), (0, "there: 1 rows added, 1 known\n"))
        rows = json.loads(self.run_program("ledger", "export", "-o", "here").stdout)
        self.assertEqual([row["name"] for row in rows], ["triple", "double"])
        theirs = json.loads(self.run_program("ledger", "export", "triple", "-o", "there").stdout)
        self.assertEqual([row["sha256"] for row in theirs], [rows[0]["sha256"]])
        self.assertEqual(self.run_program("ledger", "merge", "nowhere", "-o", "here").returncode, 1)

    def test_a_folder_that_cannot_be_written_is_refused(self):
        (self.folder / "out").write_text("in the way")
        done = self.run_program("port", KERNELS / "stencil/jacobi_2d.yaml", "--dtype", "float64", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("file-unwritable", done.stdout + done.stderr)

    def test_a_corpus_is_left_as_it_was(self):
        manifest = self.kernel("double", "    b[:] = a + a")
        before = sorted(p.name for p in manifest.parent.rglob("*"))
        self.run_program("corpus", "verify", manifest.parents[1], "--to", "c", "--dtype", "float64")
        self.assertEqual(sorted(p.name for p in manifest.parents[1].rglob("*")), sorted(["double", *before]))
        with sqlite3.connect(self.folder / ".portwright" / "ledger.sqlite") as ledger:
            self.assertEqual(ledger.execute("select count(*) from runs").fetchone()[0], 1)

    def test_a_ledger_that_cannot_be_written_is_only_a_warning(self):
        manifest = self.kernel("double", "    b[:] = a + a")
        (self.folder / ".portwright").write_text("in the way")
        done = self.run_program("verify", manifest, "--dtype", "float64")
        self.assertEqual(done.returncode, 0)
        self.assertIn("PASS", done.stdout)
        self.assertIn("verify-ledger-unwritable", done.stderr)


class Libraries(Program):
    """What a port leaves to libraries of the system."""

    def verdict(self, manifest, *options, **environment):
        done = self.run_program("verify", manifest, "--dtype", "float64", "--json", *options, **environment)
        return json.loads(done.stdout)["kernels"][0]

    def text(self, manifest, *options):
        done = self.run_program("port", manifest, "--dtype", "float64", "-o", "out", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.ported(manifest.stem)

    def ported(self, name):
        """A port's source and the library routines beside it."""
        files = (self.folder / "out" / file for file in (f"{name}.c", f"{name}_routines.h"))
        return "".join(file.read_text() for file in files if file.exists())

    def spectrum(self):
        return self.kernel("spectrum", "    b[:] = np.fft.fft(a).real")

    def product(self):
        text = MANIFEST.replace('a: "(n,)", b: "(n,)"', 'a: "(n, n)", b: "(n, n)"').replace("n: 20", "n: 40")
        return self.kernel("product", "    b[:] = 2.0 * (a @ a.T)", manifest=text)

    def without(self, header):
        """An environment whose gcc does not find the header."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        gcc = tools / "gcc"
        gcc.write_text(f'#!/bin/sh\ncase "$*" in *{header}*) exit 1 ;; esac\nexec {shutil.which("gcc")} "$@"\n')
        gcc.chmod(0o755)
        return {"PATH": f"{tools}:{os.environ['PATH']}"}

    def test_fourier_transforms_are_fftws_where_a_user_asks(self):
        manifest = self.spectrum()
        self.assertNotIn("fftw", self.text(manifest))
        self.assertIn("fftw_execute", self.text(manifest, "--fft", "fftw"))
        self.assertIn("-lfftw3", (self.folder / "out" / "spectrum.h").read_text())
        for options in ((), ("--fft", "own"), ("--fft", "fftw")):
            row = self.verdict(manifest, *options)
            self.assertEqual((row["verdict"], len(row["cases"])), ("PASS", 5), row)
        self.assertEqual(self.run_program("verify", manifest, "--fft", "mkl").returncode, 2)

    def test_products_of_matrices_are_a_blas_unless_a_user_says_no(self):
        manifest = self.product()
        self.assertIn("cblas_dgemm", self.text(manifest))
        self.assertNotIn("cblas", self.text(manifest, "--no-libraries"))
        for options in ((), ("--no-libraries",)):
            row = self.verdict(manifest, *options)
            self.assertEqual((row["verdict"], len(row["cases"])), ("PASS", 5), row)

    def test_systems_of_equations_are_a_lapacks_unless_a_user_says_no(self):
        manifest = self.kernel("solved", "    b[:] = np.linalg.solve(np.diag(a + 2.0) + 1.0, a)")
        self.assertIn("LAPACKE_dgesv", self.text(manifest))
        self.assertNotIn("LAPACKE", (self.folder / "out" / "solved.c").read_text())
        self.assertIn("-llapacke", (self.folder / "out" / "solved.h").read_text())
        self.assertNotIn("LAPACK", self.text(manifest, "--no-libraries"))
        for options in ((), ("--no-libraries",)):
            row = self.verdict(manifest, *options)
            self.assertEqual((row["verdict"], len(row["cases"])), ("PASS", 5), row)

    def test_a_library_that_is_absent_is_named(self):
        row = self.verdict(self.spectrum(), "--fft", "fftw", **self.without("fftw3.h"))
        self.assertEqual((row["verdict"], row["reason"]),
                         ("SKIPPED", "FFTW (libfftw3-dev) is not installed; --fft own does without it"))
        row = self.verdict(self.product(), **self.without("cblas.h"))
        self.assertEqual((row["verdict"], row["reason"]),
                         ("SKIPPED", "OpenBLAS (libopenblas-dev) is not installed; --no-libraries does without it"))

    def test_the_workers_of_a_corpus_are_told(self):
        self.spectrum()
        self.product()
        done = self.run_program("corpus", "port", "corpus", "-o", "out", "--fft", "fftw", "--no-libraries")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fftw_execute", self.ported("spectrum"))
        self.assertNotIn("cblas", self.ported("product"))


class Others(Program):

    def test_port_writes_files(self):
        done = self.run_program("port", KERNELS / "stencil/jacobi_2d.yaml", "--to", "c", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()),
                         ["jacobi_2d.c", "jacobi_2d.h", "jacobi_2d_f32.c", "jacobi_2d_f32.h",
                          "portwright.h"])

    def test_the_formatter_changes_white_space_only(self):
        for flags, out in (([], "formatted"), (["--no-format"], "raw")):
            self.run_program("port", KERNELS / "stencil/jacobi_2d.yaml", "-o", out, *flags)
        for name in ("jacobi_2d.c", "jacobi_2d.h"):
            formatted, raw = ((self.folder / out / name).read_text() for out in ("formatted", "raw"))
            self.assertEqual(formatted.split(), raw.split())

    def test_inputs(self):
        manifest = KERNELS / "stencil/jacobi_2d.yaml"
        shown = self.run_program("inputs", manifest, "--preset", "S")
        self.assertIn("a  float64  (60, 50)\n", shown.stdout)
        self.assertRegex(self.run_program("inputs", manifest, "--hash").stdout, r"^[0-9a-f]{64}\n$")
        several = self.run_program("inputs", manifest, manifest, "--hash").stdout.splitlines()
        self.assertEqual([line.split("  ")[1] for line in several], [str(manifest)] * 2)

    def test_ast_and_ir(self):
        (self.folder / "x.py").write_text("a = 1\n")
        self.assertEqual(self.run_program("ast", "x.py").stdout.strip(), "Module(body=[Assign(targets=[Name(id='a', "
                         "ctx=Store(), lineno=1, col_offset=0, end_lineno=1, end_col_offset=1)], value=Constant(value=1, "
                         "lineno=1, col_offset=4, end_lineno=1, end_col_offset=5), lineno=1, col_offset=0, "
                         "end_lineno=1, end_col_offset=5)], type_ignores=[])")
        for passes in ("all", "none"):
            shown = self.run_program("ir", KERNELS / "stencil/jacobi_2d.yaml", "--passes", passes)
            self.assertIn("func @jacobi_2d(", shown.stdout)

    def test_check_prints_findings(self):
        done = self.run_program("check", self.kernel("odd", "    b[:] = np.no_such_function(a)"))
        self.assertEqual(done.returncode, 1)
        carets = [line for line in done.stdout.splitlines() if line.strip("| ^") == "" and "^" in line]
        self.assertEqual(len(carets), 1, done.stdout)
        self.assertEqual(self.run_program("check", KERNELS / "stencil/jacobi_2d.yaml").returncode, 0)

    def test_what_a_killed_run_left_is_removed_by_the_next(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        manifest = self.kernel("double", "    b[:] = a + a")
        environment = {**os.environ, "TMPDIR": str(scratch)}
        with subprocess.Popen([PROGRAM, "verify", manifest], cwd=self.folder, env=environment,
                              stdout=subprocess.DEVNULL) as run:
            try:
                while not any(is_locked(folder) for folder in scratch.iterdir()):
                    self.assertIsNone(run.poll())
                    time.sleep(0.001)
                run.send_signal(signal.SIGSTOP)
                self.run_program("backends", TMPDIR=str(scratch))
                self.assertTrue(list(scratch.iterdir()))  # in use
            finally:
                run.kill()  # what is stopped would be waited for without end
        self.run_program("backends", TMPDIR=str(scratch))
        self.assertEqual(list(scratch.iterdir()), [])

    def test_version_backends_help(self):
        self.assertRegex(self.run_program("version").stdout, r"^portwright \d+\.\d+\.\d+\n$")
        self.assertIn("C11", self.run_program("backends").stdout)
        self.assertIn("verify KERNEL", self.run_program("help").stdout)


class Wrong(Program):

    def expect(self, code, rule, *arguments, **environment):
        done = self.run_program(*arguments, **environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(rule, done.stdout + done.stderr)

    def test_usage_is_two(self):
        jacobi = KERNELS / "stencil/jacobi_2d.yaml"
        self.expect(2, "there is no verb", "frobnicate")
        self.expect(2, "--frobnicate", "verify", jacobi, "--frobnicate")
        self.expect(2, "cli-unknown-backend", "verify", jacobi, "--to", "cobol")
        self.expect(2, "neither float64 nor float32", "verify", jacobi, "--dtype", "float16")
        self.expect(2, "at least one kernel", "verify")
        for verb in ("check", "port", "verify", "inputs"):
            self.expect(2, "the name of a file is empty", verb, "")
        self.expect(2, "cli-no-manifests", "corpus", "verify", self.folder)
        self.expect(2, "check, port or verify", "corpus", "admire", self.folder)
        self.expect(2, "takes show", "ledger", "burn")

    def test_a_folder_is_no_kernel(self):
        for verb in ("check", "port", "verify"):
            self.expect(2, f"cli-folder: {KERNELS} is a folder, and {verb} takes manifests. "
                        f"Fix: run portwright corpus {verb} {KERNELS}", verb, KERNELS)
        self.expect(2, "and ast takes Python files. Fix: name the files", "ast", KERNELS)
        for verb in ("inputs", "ir"):
            self.expect(2, "cli-folder", verb, KERNELS)

    def test_input_that_is_wrong_is_one(self):
        self.expect(1, "file-unreadable", "verify", "absent.yaml")
        self.expect(1, "verify-ledger-unreadable", "ledger", "show")
        self.expect(1, "verify-no-precision", "verify", KERNELS / "loops/mandelbrot.yaml", "--dtype", "float32")
        several = self.kernel("several", "    b[:] = a", "def f():\n    pass\n\ndef g():\n    pass\n",
                              MANIFEST.replace("func_name: {name}\n", "").replace("name: {name}", "name: x\nmodule_name: {name}"))
        text = (several.parent / "several_numpy.py").read_text().replace("def several", "def other")
        (several.parent / "several_numpy.py").write_text(text)
        self.expect(1, "cli-no-entry", "check", several)

    def test_an_unknown_preset_is_not_verified(self):
        self.expect(2, "cli-unknown-preset", "verify", KERNELS / "stencil/jacobi_2d.yaml", "--preset", "XXL")

    def test_without_numpy_nothing_is_verified(self):
        self.expect(0, "verify-no-python", "verify", KERNELS / "stencil/jacobi_2d.yaml", PORTWRIGHT_PYTHON="",
                    PORTWRIGHT_BASE_PYTHON="/nowhere/python", XDG_CACHE_HOME=str(self.folder / "cache"))


class Corpus(Program):

    def setUp(self):
        super().setUp()
        self.kernel("double", "    b[:] = a + a")
        self.kernel("odd", "    b[:] = np.no_such_function(a)")
        self.kernel("total", "    b[0] = np.sum(a)")
        (self.folder / "corpus" / "notes.yaml").write_text("no: manifest\n")

    def test_verify(self):
        done = self.run_program("corpus", "verify", "corpus", "--json=out.json", "--jobs", "2")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(report["counts"], {"c": {"PASS": 2, "REFUSED": 1}})
        self.assertEqual([(row["name"], row["dtype"]) for row in report["kernels"]],
                         [(name, dtype) for name in ("double", "odd", "total") for dtype in ("float64", "float32")])
        self.assertEqual(report["kernels"][0]["detail"], "exact")
        self.assertEqual(report["kernels"][4]["detail"], "policy")
        self.assertRegex(report["kernels"][2]["span"], r"odd_numpy\.py:5:\d+$")
        self.assertIn("c:  2 PASS  1 REFUSED  of 3 kernels", done.stdout)
        self.assertRegex(done.stdout, r"by reason[^\n]*\n +1  numpy-")
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertTrue((self.folder / ".portwright" / "ledger.sqlite").exists())

    def test_port_emits_float64(self):
        done = self.run_program("corpus", "port", "corpus", "--to", "c", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()),
                         ["double.c", "double.h", "portwright.h", "total.c", "total.h"])
        self.assertNotIn("PASS", done.stdout)  # nothing was run
        self.assertRegex(done.stdout, r"emitted 2 ports in [\d.]+ s of CPU time, median [\d.]+ ms")

    def test_manifests_of_one_stem_are_kept_apart(self):
        for folder in ("other", "third"):
            (self.folder / "corpus" / folder).mkdir()
            for name in ("double.yaml", "double_numpy.py"):
                (self.folder / "corpus" / folder / name).write_text((self.folder / "corpus/double" / name).read_text())
        done = self.run_program("corpus", "port", "corpus", "-o", "out", "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["counts"], {"c": {"EMITTED": 4, "REFUSED": 1}})
        self.assertEqual([row["name"] for row in report["kernels"]],
                         ["double/double", "odd", "other/double", "third/double", "total"])
        self.assertEqual(sorted(str(p.relative_to(self.folder / "out")) for p in (self.folder / "out").rglob("*.c")),
                         ["double/double.c", "other/double.c", "third/double.c", "total.c"])
        done = self.run_program("corpus", "verify", "corpus", "--dtype", "float64")
        self.assertIn("c:  4 PASS  1 REFUSED  of 5 kernels", done.stdout)
        two = [self.folder / "corpus" / folder / "double.yaml" for folder in ("double", "third")]
        self.assertEqual(self.run_program("port", *two, "-o", "two", "--dtype", "float64").returncode, 0)
        self.assertEqual(len(list((self.folder / "two").rglob("double.c"))), 2)

    def test_two_manifests_for_one_port_are_refused(self):
        first = self.folder / "corpus/double/double.yaml"
        first.with_suffix(".yml").write_text(first.read_text())
        done = self.run_program("corpus", "port", "corpus", "-o", "out")
        for one, two in (("yaml", "yml"), ("yml", "yaml")):
            self.assertIn(f"cli-same-port: corpus/double/double.{one} and corpus/double/double.{two} make ports of one "
                          "name in one folder. Fix: rename one", done.stdout)
        self.assertFalse((self.folder / "out/double.c").exists())
        self.assertIn("c:  1 EMITTED  3 REFUSED  of 4 kernels", done.stdout)

    def test_explain_reaches_the_workers(self):
        self.kernel("chain", "    b[:] = a * 2 + 1")
        plain = self.run_program("corpus", "check", "corpus", "--dtype", "float64").stdout.splitlines()
        told = self.run_program("corpus", "check", "corpus", "--dtype", "float64", "--explain").stdout.splitlines()
        alone = self.run_program("check", "corpus/chain/chain.yaml", "--dtype", "float64", "--explain").stdout
        decisions = [line for line in alone.splitlines() if "CHECKED" not in line]
        self.assertTrue(decisions)
        self.assertLessEqual(set(plain) | set(decisions), set(told))

    def test_check(self):
        done = self.run_program("corpus", "check", "corpus", "--json")
        self.assertEqual(json.loads(done.stdout)["counts"], {"c": {"CHECKED": 2, "REFUSED": 1}})


if __name__ == "__main__":
    unittest.main(verbosity=2)
