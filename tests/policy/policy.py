"""What the compiler does not check about this repository: policy.py RULE, or all rules. One line a breach: file:line: what.

Rules are the functions named check_*; each yields its breaches. Standard library only.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

# Reading order is the pipeline (docs/architecture.md): a folder includes only itself and folders above it.
ORDER = ("base", "diagnostics", "ir", "runtime", "frontends/manifest", "frontends/python", "frontends/numpy", "passes",
         "backends", "emulator", "verify", "report", "service", "cli", "mcp", "python")
# Beyond the order: a folder, and what it must not see though it stands above.
FORBIDDEN = {
    "runtime": ("ir", ),
    "frontends/manifest": ("runtime", ),
    "frontends/python": ("ir", "runtime", "frontends/manifest"),
    "passes": ("runtime", "frontends/manifest", "frontends/python", "frontends/numpy"),
    "backends": ("frontends/manifest", "frontends/python", "frontends/numpy"),
}
LONGEST_FILE = 600


def files(*patterns):
    """Our files (committed or not, but not ignored) that match."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard", "--", *patterns],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file())


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def folder_of(name):
    """The entry of ORDER that a path under src/ belongs to, or None."""
    return next((folder for folder in ORDER if name.startswith(folder + "/")), None)


def backend_of(name):
    """'c' of backends/c/x.h; None for files of backends/ itself and of other folders."""
    parts = name.split("/")
    return parts[1] if parts[0] == "backends" and len(parts) > 2 else None


def check_include_direction():
    for path in files("src/*.cc", "src/*.h", "src/*.def"):
        own = path.relative_to(SOURCE).as_posix()
        own_folder = folder_of(own)
        if own_folder is None:
            yield path, 1, f"src/{own} stands in no folder of the pipeline"
            continue
        for number, line in enumerate(lines(path), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            other = folder_of(match.group(1)) if match else None
            if match and other is None and not (path.parent / match.group(1)).exists():
                yield path, number, f'"{match.group(1)}" is no path from src/'
            if other is None or other == own_folder:
                theirs = backend_of(match.group(1)) if match else None
                if theirs and backend_of(own) not in (None, theirs) and theirs != "common":
                    yield path, number, f"backend {backend_of(own)} includes backend {theirs}"
                continue
            if ORDER.index(other) > ORDER.index(own_folder) or other in FORBIDDEN.get(own_folder, ()):
                yield path, number, f"{own_folder} must not include {other}"


def check_file_length():
    for path in files("src/*.cc", "src/*.h", "src/*.py", "python/*.py", "scripts/*", "tests/*.py", "tests/*.cc"):
        if path.suffix not in (".lock", ".list") and len(lines(path)) > LONGEST_FILE:
            yield path, LONGEST_FILE, f"{len(lines(path))} lines; split it by concept (at most {LONGEST_FILE})"


def check_loose_ends():
    marker = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    for path in files("src/*", "python/*", "scripts/*", "tests/*", "cmake/*", "kernels/*", ".ci/*"):
        for number, line in enumerate(lines(path), 1):
            if marker.search(line):
                yield path, number, "an unfinished piece: finish it, or open an issue and refuse it with a diagnostic"


def test_text():
    """All text of tests, in one string, the table rows themselves left out."""
    paths = [path for path in files("src/*_test.cc", "tests/*") if path.parent != pathlib.Path(__file__).parent]
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)


def rows(path, macro):
    """(line number, name, word) of each row MACRO(name, "word", ...)."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(rf'^{macro}\(\s*(\w+)\s*,\s*"([^"]*)"', text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def check_diagnostics_are_tested():
    table = SOURCE / "diagnostics" / "diagnostics.def"
    text = test_text()
    for number, name, rule in rows(table, "DIAGNOSTIC"):
        if not re.search(rf"\bRule::{name}\b|(?<![\w-]){re.escape(rule)}(?![\w-])", text):
            yield table, number, f"no test provokes {rule}"


def check_ops_are_tested():
    table = SOURCE / "ir" / "ops.def"
    text = test_text()
    # A test may run over the whole table; then every row is in it.
    if re.search(r'#include "ir/ops\.def"', text):
        return
    for number, name, word in rows(table, "OP"):
        if not re.search(rf"\bOp::k?{name}\b|\b{re.escape(word)}\(", text):
            yield table, number, f"no test uses the op {word}"


def check_numpy_functions_are_tested():
    table = SOURCE / "frontends" / "numpy" / "functions" / "functions.def"
    if not table.exists():
        return
    text = test_text() + "\n".join(path.read_text() for path in files("kernels/*.py"))
    called = set(re.findall(r"(\w+)\s*\(", text)) | set(re.findall(r"\.(\w+)", text))
    for number, line in enumerate(lines(table), 1):
        match = re.match(r'[A-Z_]+\([^"]*"([\w.]+)"', line)
        if match and match.group(1).split(".")[-1] not in called:
            yield table, number, f"no test calls {match.group(1)}"


def check_packages_are_explained():
    table = ROOT / "scripts" / "packages.list"
    page = (ROOT / "docs" / "dependencies.md").read_text()
    for number, line in enumerate(lines(table), 1):
        if line and not line.startswith("#") and f"`{line.split()[1]}`" not in page:
            yield table, number, f"docs/dependencies.md does not say why {line.split()[1]} is needed"


def check_architecture_names_the_folders():
    page = ROOT / "docs" / "architecture.md"
    named = set(re.findall(r"`src/([\w/]+)/`", page.read_text()))
    for folder in sorted({folder_of(path.relative_to(SOURCE).as_posix()) for path in files("src/*.cc", "src/*.h")} - {None}):
        if folder not in named:
            yield page, 1, f"src/{folder}/ is missing from the table"
    for folder in sorted(named):
        if not (SOURCE / folder).is_dir():
            yield page, 1, f"src/{folder}/ does not exist"


def check_links():
    """Links from our pages to our files lead somewhere."""
    for path in files("*.md"):
        for number, line in enumerate(lines(path), 1):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
                if "://" not in target and not (path.parent / target).exists():
                    yield path, number, f"{target} does not exist"


def check_kernels_are_whole():
    for path in files("kernels/*.yaml"):
        if not path.with_name(path.stem + "_numpy.py").exists():
            yield path, 1, "no reference beside it"
    for path in files("kernels/*_numpy.py"):
        if not path.with_name(path.name.removesuffix("_numpy.py") + ".yaml").exists():
            yield path, 1, "no manifest beside it"


RULES = {name.removeprefix("check_"): rule for name, rule in list(globals().items()) if name.startswith("check_")}


def main(arguments):
    unknown = [name for name in arguments if name not in RULES]
    if unknown:
        print(f"no rule {unknown[0]}; there are {', '.join(RULES)}", file=sys.stderr)
        return 2
    breaches = 0
    for name in arguments or RULES:
        for path, number, what in RULES[name]():
            breaches += 1
            print(f"{path.relative_to(ROOT)}:{number}: [{name}] {what}")
    print(f"{len(arguments or RULES)} rules, {breaches} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
