"""Each rule of policy.py finds a breach of it: a small tree of breaches is written, and the rules are run on it."""
import pathlib
import subprocess
import tempfile
import unittest

import policy

TREE = {
    "src/base/low.h": '#include "ir/high.h"\n',
    "src/ir/high.h": '#include "base/low.h"\n#include "nowhere/at_all.h"\n',
    "src/runtime/run.cc": '#include "ir/high.h"\n',
    "src/frontends/python/parse.cc": '#include "frontends/manifest/manifest.h"\n',
    "src/frontends/numpy/stage.cc": '#include "frontends/manifest/manifest.h"\n',
    "src/frontends/manifest/manifest.h": "\n",
    "src/backends/c/c.cc": '#include "backends/null/null.h"\n#include "backends/common/family.h"\n',
    "src/backends/null/null.h": "\n",
    "src/backends/common/family.h": "\n",
    "src/verify/long.cc": "\n" * 601,
    "src/verify/loose.cc": "// TO" "DO: later\n",
    "src/verify/some_test.cc": 'Rule::Tested; "Op::Add"; "np.cos(";\n',
    "src/diagnostics/diagnostics.def": 'DIAGNOSTIC(Tested, "a-tested", Error)\nDIAGNOSTIC(Untested,\n    "a-untested", Error)\n',
    "src/ir/ops.def": 'OP(Add, "add", 2)\nOP(Sub, "sub", 2)\n',
    "src/frontends/numpy/functions/functions.def": 'FUNCTION("numpy.cos", cos)\nFUNCTION("numpy.sin", sin)\n',
    "scripts/packages.list": "# GROUP PACKAGE REASON\nbuild cmake builds\nbuild ninja-build builds\n",
    "docs/dependencies.md": "`cmake`\n",
    "docs/architecture.md": "| `src/base/` | `src/gone/` |\n[here](nowhere.md) [there](dependencies.md)\n",
    "kernels/a/lonely.yaml": "\n",
    "kernels/a/bare_numpy.py": "\n",
}
# Per rule: what its findings must be, as (file, line).
EXPECTED = {
    "include_direction": {("src/base/low.h", 1), ("src/ir/high.h", 2), ("src/runtime/run.cc", 1),
                          ("src/frontends/python/parse.cc", 1), ("src/backends/c/c.cc", 1)},
    "file_length": {("src/verify/long.cc", 600)},
    "loose_ends": {("src/verify/loose.cc", 1)},
    "diagnostics_are_tested": {("src/diagnostics/diagnostics.def", 2)},
    "ops_are_tested": {("src/ir/ops.def", 2)},
    "numpy_functions_are_tested": {("src/frontends/numpy/functions/functions.def", 2)},
    "packages_are_explained": {("scripts/packages.list", 3)},
    "architecture_names_the_folders": {("docs/architecture.md", 1)},
    "links": {("docs/architecture.md", 2)},
    "kernels_are_whole": {("kernels/a/lonely.yaml", 1), ("kernels/a/bare_numpy.py", 1)},
}


class PolicyTest(unittest.TestCase):

    def test_every_rule_finds_its_breaches_and_no_others(self):
        self.assertEqual(set(EXPECTED), set(policy.RULES))
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            subprocess.run(["git", "init", "-q", root], check=True)
            for name, text in TREE.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            policy.ROOT, policy.SOURCE = root, root / "src"
            for rule, expected in EXPECTED.items():
                with self.subTest(rule):
                    found = {(path.relative_to(root).as_posix(), line) for path, line, _ in policy.RULES[rule]()}
                    self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
