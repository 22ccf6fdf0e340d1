"""Compares portwright's Python parser with CPython's own on many files.

usage: compare_ast.py AST_DUMP [PATH...]

AST_DUMP is the built program; a PATH is a file or a folder, default the standard library of the running Python outside its test
folders. A file on which CPython fails must fail here too, on the same line. Prints each difference and a summary; the exit code is 1 if
there is any. CPython must be 3.11: other versions have another grammar.
"""
import ast
import pathlib
import subprocess
import sys
import sysconfig
import warnings

TEST_FOLDERS = {"test", "tests", "idle_test", "site-packages", "__pycache__"}


def python_files(root):
    """All *.py below root but those in test folders; root itself if it is a file."""
    if root.is_file():
        return [root]
    found = []
    for path in sorted(root.rglob("*.py")):
        if not TEST_FOLDERS.intersection(path.relative_to(root).parts):
            found.append(path)
    return found


def place_inside_fstrings(tree):
    """Gives every node inside an f-string the place of the outermost f-string around it."""
    stack = [(tree, None)]
    while stack:
        node, place = stack.pop()
        if place is None and isinstance(node, ast.JoinedStr):
            place = node
        elif place is not None and hasattr(node, "lineno"):
            ast.copy_location(node, place)
        for child in ast.iter_child_nodes(node):
            stack.append((child, place))


def expected(path):
    """What CPython says of a file: its dump, or "!LINE: message"; None if the file is not UTF-8."""
    data = path.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    try:
        tree = ast.parse(data)
    except SyntaxError as error:
        return f"!{error.lineno}: {error.msg}"
    except ValueError as error:
        return f"!?: {error}"
    place_inside_fstrings(tree)
    return ast.dump(tree, include_attributes=True)


def first_difference(want, got):
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    start = max(0, at - 150)
    return f"  cpython:    ...{want[start:at + 100]}\n  portwright: ...{got[start:at + 100]}"


def main():
    if sys.version_info[:2] != (3, 11):
        print(f"CPython 3.11 is needed, this is {sys.version.split()[0]}")
        return 77
    sys.setrecursionlimit(10000)
    warnings.simplefilter("ignore")
    program = sys.argv[1]
    roots = [pathlib.Path(each) for each in sys.argv[2:]] or [pathlib.Path(sysconfig.get_path("stdlib"))]
    files = [path for root in roots for path in python_files(root)]
    wanted = [(path, want) for path in files if (want := expected(path)) is not None]
    listing = "".join(f"{path}\n" for path, _ in wanted)
    run = subprocess.run([program, "--cpu"], input=listing.encode(), capture_output=True, check=True)
    lines = run.stdout.decode("utf-8").split("\n")[:-1]
    different = 0
    for (path, want), got in zip(wanted, lines, strict=True):
        same = want == got
        if want.startswith("!"):
            same = want.split(":")[0] == got.split(":")[0] or (want.startswith("!?") and got.startswith("!"))
        if not same:
            different += 1
            print(f"{path}\n{first_difference(want, got)}")
    print(f"{len(wanted)} files, {different} different, {run.stderr.decode().strip()} s of CPU")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
