"""semantics_test.py RANDOM_PROGRAMS [--filter TEXT] [--verbose] [--flags TEXT]: each case of cases/ by NumPy, eval and C, bit for bit.

NumPy says what is right; where the documentation or a known fault gives the value too, NumPy must give that value.
A case is run as it stands, and by eval once more with its numbers known while staging. Exit code 1 if one differs.
"""

import argparse
import collections
import importlib
import inspect
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "cases"), str(HERE.parent / "random")]

import case
import random_test
import reference

HEADER = "import math\n\nimport numpy as np\n\n\n"
WANTED_CASES = 150


# ---- from a case to the programs that are sent


def kind_of(value):
    """What the port is made for: another dtype, rank or size of one is another port."""
    array = np.asarray(value)
    return (type(value).__name__, array.dtype.name, tuple(s == 1 for s in array.shape))


def written(value):
    """A number as Python source; None if it has no short form."""
    if isinstance(value, np.generic):
        inner = written(value.item())
        return inner and f"np.{'bool_' if value.dtype == bool else value.dtype.name}({inner})"
    if isinstance(value, complex):
        return repr(value) if np.isfinite(value) else None
    return repr(value) if not isinstance(value, float) or np.isfinite(value) else f"np.{value}" if value > 0 or value != value else "-np.inf"


class Program:
    """Calls of one case that share a port; `known`: with the numbers of its only call written into it."""

    def __init__(self, case, number, calls, known):
        self.case, self.calls, self.known = case, calls, known
        self.id = f"{case.name}_{number}{'_known' if known else ''}"
        head = re.compile(rf"^def {case.name}\(", re.M)
        names = list(inspect.signature(self.function(case)).parameters)
        source = HEADER + case.source
        if known:
            numbers = [None if isinstance(v, np.ndarray) else written(v) for v in calls[0]]
            left = [n for n, text in zip(names, numbers) if text is None]
            passed = ", ".join(text or n for n, text in zip(names, numbers))
            source += f"\n\ndef {self.id}({', '.join(left)}):\n    return {case.name}({passed})\n"
            calls = [tuple(v for v, text in zip(calls[0], numbers) if text is None)]
            names = left
        else:
            source = head.sub(f"def {self.id}(", source)
        self.source = source
        self.arguments = arguments_of(names, calls)
        self.inputs = [dict(zip(names, call)) for call in calls]
        self.symbols = [{a["name"]: a["sizes"][k] for a in self.arguments if "sizes" in a} for k in range(len(calls))]
        self.outcomes = [self.reference(values) for values in self.inputs]

    @staticmethod
    def function(case):
        scope = reference.namespace()
        exec(case.source, scope)
        return scope[case.name]

    def reference(self, values):
        try:
            return reference.call(self.source, self.id, values)
        except reference.Unfit as unfit:
            if unfit.__cause__ is None and not self.case.refused:
                raise SystemExit(f"{self.id}: {unfit}")
            return type(unfit.__cause__).__name__, [], {}

    # What random_test.Driver needs.
    def request(self):
        subject = random_test.Subject.__new__(random_test.Subject)
        subject.id, subject.source, subject.outcomes = self.id, self.source, self.outcomes
        subject.arguments = [{k: v for k, v in a.items() if k != "sizes"} for a in self.arguments]
        subject.inputs = [{**values, **symbols} for values, symbols in zip(self.inputs, self.symbols)]
        return subject.request()


def arguments_of(names, calls):
    """The interface: dimensions that agree in every call share a symbol."""
    out, symbols = [], {}
    for position, name in enumerate(names):
        values = [call[position] for call in calls]
        if not isinstance(values[0], np.ndarray):
            weak = not isinstance(values[0], np.generic)
            out.append({"name": name, "kind": "scalar", "dtype": np.asarray(values[0]).dtype.name, "weak": weak})
            continue
        extents = []
        for sizes in zip(*(v.shape for v in values)):
            extents.append("1" if set(sizes) == {1} else symbols.setdefault(sizes, f"n{len(symbols)}"))
        out.append({"name": name, "kind": "array", "dtype": values[0].dtype.name, "extents": extents})
    return out + [{"name": s, "kind": "symbol", "trailing": True, "sizes": sizes} for sizes, s in symbols.items()]


def programs_of(each):
    groups = collections.defaultdict(list)
    for call in each.calls:
        groups[tuple(map(kind_of, call))].append(call)
    out = [Program(each, number, calls, False) for number, calls in enumerate(groups.values())]
    for call in each.calls if not each.declines else ():
        if any(not isinstance(v, np.ndarray) and written(v) for v in call):
            out.append(Program(each, len(out), [call], True))
    return out


# ---- judging


def same(got, want):
    """Equal values of equal dtypes, NaN as NaN, -0.0 as -0.0."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind not in "fc":
        return bool(np.array_equal(got, want))
    parts = (lambda x: [x.real, x.imag]) if want.dtype.kind == "c" else (lambda x: [x])
    return all(
        np.array_equal(g, w, equal_nan=True) and np.array_equal(np.signbit(g[g == g]), np.signbit(w[w == w]))
        for g, w in zip(parts(got), parts(want))
    )


def as_written(right, got):
    """The value that a case gives by hand, against NumPy's; its dtype counts if it has one."""
    want = np.asarray(right)
    if isinstance(right, (np.ndarray, np.generic)) and want.dtype != got.dtype:
        return False
    with np.errstate(all="ignore"):
        return same(got, want.astype(got.dtype)) if want.shape == got.shape else False


def wrong_reference(each):
    """Why NumPy does not give what the case says that it gives; "" if it does."""
    for call, right in zip(each.calls, each.right or []):
        program = Program(each, 0, [call], False)
        error, results, _ = program.outcomes[0]
        if isinstance(right, str) or error:
            if error != right:
                return f"NumPy {'raises ' + error if error else 'returns'}, not {right}"
            continue
        rights = right if isinstance(right, tuple) else (right,)
        if len(rights) != len(results):
            return f"NumPy gives {len(results)} results, not {len(rights)}"
        for got, want in zip(results, rights):
            if not as_written(want, got):
                return f"NumPy gives {got!r}, not {want!r}"
    return ""


def near(program, number, got):
    """Whether all results lie within the case's ulps of NumPy's."""
    _, results, after = program.outcomes[number]
    pairs = list(zip(map(random_test.decoded, got.get("results", [])), results))
    pairs += [(random_test.decoded(got["after"][k]), w) for k, w in after.items() if k in got.get("after", {})]
    if len(pairs) != len(results) + len(after) or not pairs:
        return False
    return all(
        g.dtype == w.dtype and g.shape == w.shape and np.all(np.abs(g - w) <= program.case.ulps * np.spacing(np.abs(w)))
        for g, w in pairs
    )


def judged(program, answer):
    """(agrees, declined, refused or differs; why)."""
    if answer["end"] == "refused":
        return "refused", answer["text"].strip()
    if answer["end"] != "ran":
        return "differs", answer["text"].strip()
    declined = ""
    for number, found in enumerate(answer["cases"]):
        if found["verdict"] == "declined":
            declined = found["detail"]
        faults = [(found["stage"], found["detail"], found.get("got", {}))] if found["verdict"] == "differs" else []
        faults += [(o["stage"], o["detail"], o.get("got", {})) for o in found.get("others", [])]
        for stage, detail, got in faults:
            if stage == "c" and "the C port's status is -5" in detail:
                declined = "an integer argument beyond 2**31"
            elif not (program.case.ulps and near(program, number, got)):
                return "differs", f"{stage}: {detail}, of {shown(program.inputs[number])}"
    return ("declined", declined) if declined else ("agrees", "")


def shown(values):
    return ", ".join(f"{k} = {np.array2string(np.asarray(v), threshold=20, separator=', ')}:{np.asarray(v).dtype}" for k, v in values.items())


def verdict(each, answers):
    """(what the case is, why it fails or "")."""
    wrong = wrong_reference(each)
    if wrong:
        return "wrong", wrong
    plain = [judged(p, a) for p, a in answers if not p.known]
    known = [(p, *judged(p, a)) for p, a in answers if p.known]
    for found, why in plain + [k[1:] for k in known]:
        if found == "differs":
            return found, why
    if each.refused and all(found == "refused" for found, _ in plain):
        return "refused", "" if f" {each.refused}: " in plain[0][1] else f"not by {each.refused}: {plain[0][1]}"
    for found, why in plain:
        if found == "refused":
            return found, why
        if found == "declined" and not each.declines:
            return found, why
    if each.declines:
        return "declined", "" if plain[0][0] == "declined" else "no longer declines: take the word away"
    if each.refused:
        print(f"{each.subject}.{each.name} is staged now: take its `refused` away")
    for program, found, why in known:
        # What always raises, and what depends on a value, may be refused where the value is known.
        if found != "agrees" and not any(error for error, _, _ in program.outcomes):
            return found, f"with its numbers known: {why}"
    return "agrees", ""


# ---- the run


def load():
    for file in sorted((HERE / "cases").glob("*.py")):
        importlib.import_module(file.stem)
    names = collections.Counter(c.name for c in case.CASES)
    faults = [f"{n} is the name of {k} cases" for n, k in names.items() if k > 1]
    faults += [f"{c.name}: {c.page} is no page" for c in case.CASES if not c.page.startswith((case.NUMPY, case.PYTHON))]
    if faults:
        raise SystemExit("\n".join(faults))
    return case.CASES


def ask(program, programs, flags):
    """Answers by id. Two processes, so that the C compiler has both cores; known numbers concern staging only."""

    def answers(part, *options):
        driver = random_test.Driver(program, "--exact", "--flags", flags, *options)
        return driver.ask(part) if part else []

    plain = [p for p in programs if not p.known]
    with ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(answers, plain[0::2]), pool.submit(answers, plain[1::2])]
        found = answers([p for p in programs if p.known], "--no-native")
        return {a["id"]: a for part in halves for a in part.result()} | {a["id"]: a for a in found}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--filter", default="", help="only cases with this in FILE.NAME")
    parser.add_argument("--verbose", action="store_true", help="every case, and the page of those that fail")
    parser.add_argument("--flags", default="-O1 -w", help="of the C compiler")
    options = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    cases = [c for c in load() if options.filter in f"{c.subject}.{c.name}"]
    programs = {c.name: programs_of(c) for c in cases}
    answers = ask(options.program, [p for some in programs.values() for p in some], options.flags)
    counts, failed, faults = collections.Counter(), 0, set()
    for each in cases:
        found, why = verdict(each, [(p, answers[p.id]) for p in programs[each.name]])
        counts[found] += 1
        faults |= {each.fault} if found == "agrees" else set()
        if why:
            failed += 1
            print(f"{found}: {each.subject}.{each.name} ({each.page})\n    " + why.replace("\n", "\n    "))
            if options.verbose:
                print(each.source)
        elif options.verbose:
            print(f"{found}: {each.subject}.{each.name}")
    calls = sum(len(p.calls) for some in programs.values() for p in some)
    print(f"{len(cases)} cases ({', '.join(f'{n} {v}' for v, n in counts.most_common())}), {calls} calls of "
          f"{sum(map(len, programs.values()))} ports, section B: {len(faults - {''})} faults")  # fmt: skip
    if not options.filter and counts["agrees"] < WANTED_CASES:
        print(f"at least {WANTED_CASES} cases must agree")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
