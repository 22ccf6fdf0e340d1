"""random_test.py RANDOM_PROGRAMS [-n 300] [--seed 0]: NumPy, eval, the passes and C on random programs.

Prints how many differ, how many were refused and by which rule, and which ops and ways of indexing came too seldom.
Each difference is shrunk and shown with its seed, source and inputs. Exit code 1 if there is one, or if too many
programs are refused.
"""

import argparse
import ast
import collections
import copy
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import coverage
import reference
from generate import generate

ROOT = Path(__file__).resolve().parents[2]
MOST_REFUSED = 0.10
LEAST_SEEN = 50  # of 5000 programs
POLICY = {"float64": 1e-9, "complex128": 1e-9, "float32": 1e-4, "complex64": 1e-4}


def encoded(value):
    value = np.asarray(value)
    return {"dtype": value.dtype.name, "shape": list(value.shape), "data": np.ascontiguousarray(value).tobytes().hex()}


def decoded(item):
    return np.frombuffer(bytes.fromhex(item["data"]), dtype=item["dtype"]).reshape(item["shape"])


class Subject:
    """One program with its calls, ready to be sent."""

    def __init__(self, seed, identity, arguments, source, inputs, rows=()):
        self.seed, self.id, self.arguments, self.source, self.rows = seed, identity, arguments, source, rows
        self.inputs, self.outcomes = [], []
        for values in inputs:
            try:
                self.outcomes.append(reference.call(source, identity, values))
                self.inputs.append(values)
            except reference.Unfit:
                pass

    def request(self):
        cases = []
        for values, (error, results, after) in zip(self.inputs, self.outcomes):
            cases.append({
                "values": {k: encoded(v) for k, v in values.items()},
                "error": error,
                "results": [encoded(r) for r in results],
                "after": {k: encoded(v) for k, v in after.items()},
            })  # fmt: skip
        arguments = [{k: v for k, v in a.items() if k != "bound"} for a in self.arguments]
        return json.dumps({"id": self.id, "source": self.source, "arguments": arguments, "cases": cases})


def make(seed):
    program, inputs = generate(seed)
    return Subject(seed, program.id, program.arguments, program.source(), inputs, program.rows())


class Driver:
    """A running random_programs; an empty line asks for the answers."""

    def __init__(self, program, *options):
        self.command = [program, "--batch", "1000000", *options]
        self.child = None

    def seconds(self):
        """Of CPU, of the running program and its compilers."""
        if self.child is None or self.child.poll() is not None:
            return 0.0
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")

    def ask(self, subjects):
        if self.child is None or self.child.poll() is not None:
            self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        text = "".join(s.request() + "\n" for s in subjects) + "\n"
        self.child.stdin.write(text)
        self.child.stdin.flush()
        answers = []
        for _ in subjects:
            line = self.child.stdout.readline()
            if not line:
                break
            answers.append(json.loads(line))
        if len(answers) == len(subjects):
            return answers
        self.child.wait()
        if len(subjects) == 1:
            return [{"id": subjects[0].id, "end": "crashed", "text": f"random_programs ended with {self.child.returncode}"}]
        return [self.ask([s])[0] for s in subjects]


# ---- what a miss is worth


def explained(subject, number, got):
    """Whether NumPy itself may differ as much when the last bits of its inexact steps move."""
    values, (error, results, after) = subject.inputs[number], subject.outcomes[number]
    try:
        runs = reference.shaken_runs(subject.source, subject.id, values)
    except Exception:
        return False
    runs = [r for r in runs if r is not None]
    if any(r[0] != error for r in runs):
        return True
    if not runs or error or "results" not in got:
        return False
    pairs = [(decoded(g), w, [r[1][i] for r in runs]) for i, (g, w) in enumerate(zip(got["results"], results))]
    pairs += [(decoded(got["after"][k]), w, [r[2][k] for r in runs]) for k, w in after.items() if k in got["after"]]
    if len(got["results"]) != len(results):
        return False
    return all(near(g, w, others) for g, w, others in pairs)


def is_sign_of_zero(subject, number, got):
    """Whether all values are NumPy's, but which of 0.0 and -0.0 is the least or greatest."""
    _, (_, results, after) = subject.inputs[number], subject.outcomes[number]
    pairs = list(zip(got.get("results", []), results)) + [(got["after"][k], w) for k, w in after.items() if k in got["after"]]
    return all(np.array_equal(decoded(g), w, equal_nan=w.dtype.kind in "fc") for g, w in pairs)


def near(got, want, others):
    if got.shape != want.shape or any(o.shape != want.shape or o.dtype != want.dtype for o in others):
        return False
    if got.dtype != want.dtype:
        got = got.astype(want.dtype)
    same = (got == want) | ((got != got) & (want != want))
    moved = np.zeros(want.shape, dtype=bool)
    spread = np.zeros(want.shape)
    for other in others:
        equal = (other == want) | ((other != other) & (want != want))
        signs = np.signbit(other.real) != np.signbit(want.real) if want.dtype.kind in "fc" else ~equal
        moved |= ~equal | signs
        if want.dtype.kind in "fc":
            with np.errstate(all="ignore"):
                apart = np.abs(other.astype(complex) - want.astype(complex))
            spread = np.maximum(spread, np.where(np.isfinite(apart), apart, np.inf))
    if want.dtype.kind not in "fc":
        return bool(np.all(same | moved))
    with np.errstate(all="ignore"):
        apart = np.abs(got.astype(complex) - want.astype(complex))
        scale = np.abs(want[np.isfinite(want)]).max(initial=0) if want.size else 0
        bound = 200 * spread + (POLICY[want.dtype.name] * scale if moved.any() else 0)
    signs = np.signbit(got.real) == np.signbit(want.real)
    return bool(np.all((same & (signs | moved | np.isnan(want.real))) | (moved & (apart <= bound)) | (np.isinf(spread) & moved)))


def faults(subject, answer):
    """Numbers of the cases that truly differ."""
    if answer["end"] in ("invalid", "crashed"):
        return [0]
    if answer["end"] != "ran":
        return []
    out = []
    for number, case in enumerate(answer["cases"]):
        if case["verdict"] == "differs":
            if case["stage"] != "eval" or not explained(subject, number, case.get("got", {})):
                out.append(number)
                continue
            case["verdict"] = "ill-conditioned"
        for other in case.get("others", []):
            # A pass may reassociate a sum: judged as if it were NumPy's result that differs.
            free = other["stage"] != "staged backwards" and other.get("got", {}).get("after") is not None
            may = free and (answer["inexact"] or is_sign_of_zero(subject, number, other["got"]))
            if may and explained(subject, number, other["got"]):
                case["verdict"] = "ill-conditioned"
                continue
            case.update(verdict="differs", stage=other["stage"], detail=other["detail"])
            out.append(number)
            break
    return out


# ---- shrinking


def smaller(tree, name):
    """Trees with one statement or operand less."""
    functions = [f for f in tree.body if isinstance(f, ast.FunctionDef)]
    for function in functions:
        for node in ast.walk(function):
            for field in ("body", "orelse"):
                block = getattr(node, field, None)
                if not isinstance(block, list):
                    continue
                for k, statement in enumerate(block):
                    if isinstance(statement, ast.Pass):
                        continue
                    yield node, field, block[:k] + block[k + 1 :] or [ast.Pass()] * (field == "body")
                    if isinstance(statement, (ast.If, ast.For, ast.While)):
                        yield node, field, block[:k] + statement.body + block[k + 1 :]
    for function in functions:
        for node in ast.walk(function):
            for field, child in ast.iter_fields(node):
                if not isinstance(child, ast.expr) or isinstance(getattr(child, "ctx", None), ast.Store):
                    continue
                if isinstance(child, ast.BinOp):
                    yield node, field, child.left
                    yield node, field, child.right
                elif isinstance(child, ast.UnaryOp):
                    yield node, field, child.operand
                elif isinstance(child, ast.Call) and child.args and not isinstance(node, ast.Expr):
                    for argument in child.args[:3]:
                        yield node, field, argument
                elif isinstance(child, ast.IfExp):
                    yield node, field, child.body
                    yield node, field, child.orelse
                elif isinstance(child, (ast.Compare, ast.BoolOp)):
                    yield node, field, ast.Constant(True)


def signature(answer, numbers):
    """What kind of difference it is; another kind may be another fault."""
    if answer["end"] != "ran":
        return answer["end"], "".join(answer.get("rules", []))
    case = answer["cases"][numbers[0]]
    return case["stage"], re.sub(r"\S*\d\S*", "", case["detail"]) if "NumPy" in case["detail"] else "value"


def shrunk(subject, driver, wanted, most=250):
    """The smallest program found that still differs, and its answer."""
    best, found = subject, None
    tries = 0
    progress = True
    while progress and tries < most:
        progress = False
        tree = ast.parse(best.source)
        for node, field, replacement in smaller(tree, best.id):
            tries += 1
            if tries >= most:
                break
            before = getattr(node, field)
            setattr(node, field, replacement)
            try:
                source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                trial = Subject(subject.seed, best.id, best.arguments, source, best.inputs)
                answer = driver.ask([trial])[0] if trial.inputs else {"end": "none"}
            except Exception:
                answer = {"end": "none"}
            setattr(node, field, before)
            numbers = faults(trial, answer) if answer["end"] != "none" else []
            if numbers and signature(answer, numbers) == wanted:
                best, found = trial, answer
                progress = True
                break
    return best, found


def stage_of(answer, numbers):
    return answer["cases"][numbers[0]]["stage"] if answer["end"] == "ran" else answer["end"]


def report(subject, answer, numbers, options):
    stage = stage_of(answer, numbers)
    print(f"---- difference: seed {subject.seed}, {stage}")
    if not options.no_shrink:
        native = [] if stage == "c" else ["--no-native"]
        driver = Driver(options.program, *native, "--flags", options.flags)
        small, found = shrunk(subject, driver, signature(answer, numbers))
        if found is not None:
            subject, answer = small, found
            numbers = faults(subject, answer)
    print(subject.source.split("import scipy\n")[-1].strip())
    if answer["end"] != "ran":
        print(f"   {answer['text']}", flush=True)
        return
    case = answer["cases"][numbers[0]]
    for name, value in subject.inputs[numbers[0]].items():
        if re.search(rf"\b{name}\b", subject.source.split("):\n", 1)[1]):
            print(f"   {name} = {np.array2string(np.asarray(value), threshold=40)} {np.asarray(value).dtype}")
    print(f"   {case['stage']}: {case['detail']}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("-n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--flags", default="-O1 -w")
    parser.add_argument("--batch", type=int, default=60)
    parser.add_argument("--most", type=int, default=10, help="differences to shrink and show")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--no-native", action="store_true")
    parser.add_argument("--refused", action="store_true", help="show every refusal")
    parser.add_argument("--coverage", action="store_true", help="show the count of every row")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of CPU, after which no new programs are taken")
    parser.add_argument("--stop", action="store_true", help="at the first difference")
    options = parser.parse_args()

    counts, rules, features = collections.Counter(), collections.Counter(), collections.Counter()
    examples = {}
    shown = []
    driver = Driver(options.program, "--flags", options.flags, *(["--no-native"] if options.no_native else []))
    started = time.process_time()

    def spent():
        return time.process_time() - started + driver.seconds()

    end = options.seed + options.n
    for at in range(options.seed, end, options.batch):
        if spent() > options.seconds or options.stop and shown:
            break
        subjects = [make(seed) for seed in range(at, min(at + options.batch, end))]
        for subject, answer in zip(subjects, driver.ask(subjects)):
            counts["programs"] += 1
            features.update(coverage.forms(subject.source))
            features.update(subject.rows)
            features.update(answer.get("features", []))
            if answer["end"] == "refused":
                counts["refused"] += 1
                rule = answer["rules"][0] if answer["rules"] else "no rule"
                rules[rule] += 1
                examples.setdefault(rule, []).append((subject.seed, answer["text"].split("\n")[0]))
                if options.refused:
                    print(f"refused: {subject.seed} {answer['text'].strip()}")
                continue
            numbers = faults(subject, answer)
            for case in answer.get("cases", []):
                counts[case["verdict"]] += 1
                counts["cases"] += 1
            for error, _, _ in subject.outcomes:
                counts["raise"] += bool(error)
                features["raises " + error] += 1
            if numbers:
                counts["differ"] += 1
                shown.append(subject.seed)
                if len(shown) <= options.most:
                    report(subject, answer, numbers, options)
    return summary(counts, rules, features, examples, shown, options, spent())


def summary(counts, rules, features, examples, shown, options, seconds):
    programs = max(1, counts["programs"])
    share = counts["refused"] / programs
    for rule, count in rules.most_common():
        print(f"refused {count:5} {rule}: {examples[rule][0][0]}: {examples[rule][0][1]}")
    if options.coverage:
        print("\n".join(f"  {features[w]:6} {w}" for w in coverage.wanted()))
    seldom = coverage.seldom(features, LEAST_SEEN * programs / 5000)
    print(f"{counts['programs']} programs, {counts['differ']} differences, {counts['refused']} refused ({share:.1%}), "
          f"rows under {LEAST_SEEN} in 5000: {', '.join(seldom) or 'none'}")  # fmt: skip
    print(f"  {counts['cases']} calls: {counts['agrees']} agree ({counts['raise']} raise), {counts['declined']} declined, "
          f"{counts['ill-conditioned']} ill-conditioned; seeds {options.seed} to {options.seed + counts['programs'] - 1}; "
          f"{seconds:.0f} s of CPU")  # fmt: skip
    if shown:
        print(f"  differing seeds: {' '.join(map(str, shown))}")
    return 1 if counts["differ"] or share >= MOST_REFUSED or (options.n >= 5000 and seldom) else 0


if __name__ == "__main__":
    sys.exit(main())
