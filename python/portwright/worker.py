"""The NumPy zygote: imports done, nothing run; one fork a request. Started by src/runtime/worker.cc, never by hand.

Protocol, on the socket of descriptor 3: each message is a 4-byte little-endian length and that many bytes of JSON. After
the start the zygote sends {"version", "python"}. A request is answered by one message {"outcome": [kind, numbers...],
"cpu_seconds", "peak_bytes"} with three memfds attached: the run's JSON, its inputs, its results. The child writes into the
memfds only, so a child that dies at any point leaves the stream whole.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import json
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
import warnings

import numpy as np
import scipy.linalg  # noqa: F401 -- imported here so that no run pays for it
import scipy.optimize  # noqa: F401
import scipy.sparse  # noqa: F401
import scipy.special  # noqa: F401
import yaml  # noqa: F401

from . import harness, phases, wider

CONTROL = 3
PR_SET_CHILD_SUBREAPER = 36
ALIGNMENT = 64
KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
MAX_INLINE_ERROR = 2000
ENCODER = json.JSONEncoder()  # of our own, whatever a kernel does to the module


class Segment:
    """Arrays to be laid out one after another in a memfd, 64-byte aligned."""

    def __init__(self):
        self.arrays = []
        self.slots = []
        self.end = 0

    def add(self, name, array):
        """Takes the array's place; returns its index. The bytes are copied by `write`, in this machine's order: a port
        gets the values that NumPy reads."""
        offset = -(-self.end // ALIGNMENT) * ALIGNMENT
        self.slots.append(
            {"name": name, "dtype": array.dtype.name, "shape": list(array.shape), "bytes": array.nbytes, "offset": offset}
        )
        self.arrays.append(array)
        self.end = offset + array.nbytes
        return len(self.slots) - 1

    def write(self, fd):
        if self.end == 0:
            return
        os.ftruncate(fd, self.end)
        with mmap.mmap(fd, self.end) as view:
            for slot, array in zip(self.slots, self.arrays):
                if array.nbytes == 0:
                    continue
                target = np.frombuffer(view, np.uint8, slot["bytes"], slot["offset"]).view(array.dtype.newbyteorder("="))
                np.copyto(target.reshape(array.shape), array)
                del target


def describe(name, value, segment):
    """One argument or returned value as JSON; arrays go to the segment."""
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        return {"name": name, "dtype": value.dtype.name, "array": segment.add(name, value)}
    if value is None:
        return {"name": name, "dtype": "none", "none": True}
    if isinstance(value, (bool, np.bool_)):
        return {"name": name, "dtype": type_name(value), "bool": bool(value)}
    if isinstance(value, (int, np.integer)) and -(2**63) <= int(value) < 2**63:
        return {"name": name, "dtype": type_name(value), "int": int(value)}
    if isinstance(value, (float, np.floating)):
        return {"name": name, "dtype": type_name(value), "float": float(value).hex()}
    if isinstance(value, (complex, np.complexfloating)):
        number = complex(value)
        return {"name": name, "dtype": type_name(value), "complex": [number.real.hex(), number.imag.hex()]}
    return {"name": name, "dtype": type(value).__name__, "other": repr(value)[:200]}


def type_name(value):
    return value.dtype.name if isinstance(value, np.generic) else type(value).__name__


def copy_of(value):
    """A copy that keeps memory order, as the harness's own copies do."""
    if isinstance(value, np.ndarray):
        return np.copy(value)
    if harness.is_sparse(value):
        return value.copy()
    return value


def moved_by_an_ulp(value, rng):
    """Every finite non-zero float moved to a neighbour, up or down at random; the rest as it is."""
    if isinstance(value, float):
        return float(moved_by_an_ulp(np.asarray(value), rng))
    if harness.is_sparse(value):
        moved = value.copy()
        moved.data = moved_by_an_ulp(moved.data, rng)
        return moved
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
        return value
    if value.dtype.kind == "c":
        out = np.empty_like(value)
        out.real, out.imag = moved_by_an_ulp(value.real.copy(), rng), moved_by_an_ulp(value.imag.copy(), rng)
        return out
    up = rng.integers(0, 2, size=value.shape).astype(bool)
    infinity = value.dtype.type(np.inf)
    moved = np.nextafter(value, np.where(up, infinity, -infinity))
    return np.where(np.isfinite(value) & (value != 0), moved, value)


def poisoned(value):
    """An output's start that no right kernel reads: NaN, or the most negative integer."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iufc":
        return value
    out = np.empty_like(value)
    out[...] = np.nan if value.dtype.kind in "fc" else np.iinfo(value.dtype).min
    return out


def as_arguments(manifest, pairs, segment, layouts):
    """The argument list and the sparse buffers of a run's state, arrays laid out in the segment."""
    arguments, buffers = [], []
    for name, value in pairs:
        if harness.is_sparse(value):
            arguments.append({"name": name, "dtype": type(value).__name__, "other": f"sparse {value.format}"})
            for buffer, part in harness.sparse_buffers(manifest, name, value, layouts.get(name)):
                buffers.append({**describe(buffer, part, segment), "of": name})
        else:
            arguments.append(describe(name, value, segment))
    return arguments, buffers


def cpu_seconds():
    """Of this process, in microseconds; under RLIMIT_CPU the process clock of clock_gettime moves in ticks only."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def flattened(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (tuple, list)) else [value]


def error_of(error, folder, stage):
    """The exception as data; the line is of the innermost frame in the kernel's folder."""
    place = ("", 0)
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.dirname(os.path.realpath(frame.filename)) == folder:
            place = (frame.filename, frame.lineno)
    if isinstance(error, SyntaxError) and error.filename:
        place = (error.filename, error.lineno or 0)
    return {
        "type": type(error).__name__,
        "message": str(error)[:MAX_INLINE_ERROR],
        "file": place[0],
        "line": place[1],
        "stage": stage,
    }


class Run:
    """One request in the forked child."""

    def __init__(self, request):
        self.wrap = lambda value: value  # what each argument of the reference goes through
        self.request = request
        self.answer = {}
        self.inputs = Segment()
        self.results = Segment()
        self.folder = os.path.dirname(os.path.realpath(request["manifest"]))
        self.stage = "manifest"

    def do(self):
        try:
            self._do()
        except Exception as error:  # all that a kernel raises is an answer
            self.answer["error"] = error_of(error, self.folder, self.stage)

    def _do(self):
        request = self.request
        manifest = harness.load_manifest(request["manifest"])
        self.stage = "inputs"
        made = harness.make_inputs(
            manifest,
            request.get("preset", "S"),
            request.get("dtype", "float64"),
            request.get("config_row"),
            request.get("variant", ""),
            request.get("seed", 0),
            request.get("symbols"),
        )
        self.answer["variant"], self.answer["layout"] = made.variant, made.layout
        self.answer["symbols"] = {
            name: int(value)
            for name, value in made.symbols.items()
            if isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        }
        self.stage = "import"
        function = harness.reference_function(manifest)
        self.stage = "inputs"
        if request["task"] in ("hash", "inputs"):
            self.answer["hash"] = harness.hash_inputs(manifest, harness.arguments(function, made.data))
        self.layouts = request.get("layouts") or {}
        for name, layout in self.layouts.items():
            if harness.is_sparse(made.data.get(name)):
                made.data[name] = harness.in_layout(made.data[name], layout)
        pairs = harness.arguments(function, made.data, defaults=True)
        if request["task"] == "one-ulp":
            seed = request.get("ulp_seed", 1)
            phases.install(function.__globals__, seed)
            if seed == 0:  # nothing moves but the rounding of NumPy's sums
                wider.install(function.__globals__)
                self.wrap = wider.wrap
            else:
                rng = np.random.default_rng(seed)
                pairs = [(name, moved_by_an_ulp(value, rng)) for name, value in pairs]
        poison = set(request.get("poison") or ())
        pairs = [(name, poisoned(value) if name in poison else value) for name, value in pairs]
        if request["task"] == "hash":
            return
        self.answer["arguments"], self.answer["buffers"] = as_arguments(manifest, pairs, self.inputs, self.layouts)
        if request["task"] == "inputs":
            return
        self.stage = "reference"
        self._reference(manifest, function, pairs)

    def _reference(self, manifest, function, pairs):
        own = [(name, copy_of(value)) for name, value in pairs]
        start = cpu_seconds()
        try:
            returned = function(**{name: self.wrap(value) for name, value in own})
        finally:
            self.answer["reference_cpu_seconds"] = cpu_seconds() - start
            # What the arrays hold is told even if the reference raised: it may have written before.
            as_arguments(manifest, own, self.results, self.layouts)
        self.answer["returned"] = [
            describe(f"return_{place}", value, self.results)
            for place, value in enumerate(flattened(returned))
        ]

    def write(self, answer_fd, inputs_fd, results_fd):
        self.inputs.write(inputs_fd)
        self.results.write(results_fd)
        self.answer["inputs"], self.answer["results"] = self.inputs.slots, self.results.slots
        text = json.dumps(self.answer).encode()
        os.ftruncate(answer_fd, 0)
        os.pwrite(answer_fd, text, 0)


def child(request, fds):
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    limit = request.get("cpu_seconds", 0)
    if limit:
        seconds = int(limit) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    run = Run(request)
    run.do()
    run.write(*fds)


def usage_of(pid):
    """(CPU seconds, anonymous resident bytes) now."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        with open(f"/proc/{pid}/statm") as file:
            _, resident, shared = file.read().split()[:3]
    except OSError:
        return 0.0, 0
    tick = os.sysconf("SC_CLK_TCK")
    pages = max(0, int(resident) - int(shared))
    return (int(fields[11]) + int(fields[12])) / tick, pages * resource.getpagesize()


def others_in_group():
    """Processes of our group but ourselves: the run, and what it started (a run cannot leave the group)."""
    group, out = os.getpgrp(), []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            out.append(int(name))
    return out


def end_leftovers():
    """Ends and reaps what a run left behind; we are its reaper (PR_SET_CHILD_SUBREAPER)."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            for other in others_in_group():
                try:
                    os.kill(other, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.001)


def watch(pid, request):
    """Waits for the child, ends it if it breaks a limit; [outcome kind, numbers...], CPU seconds, peak bytes."""
    cpu_limit = request.get("cpu_seconds", 0)
    memory_limit = request.get("memory_bytes", 0)
    deadline = time.monotonic() + (request.get("wall_seconds") or 1e9)
    ended = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    process_limit = request.get("processes", 0)
    broken, peak, ticks = None, 0, 0
    while broken is None and not poller.poll(20):
        ticks += 1
        cpu, memory = usage_of(pid)
        peak = max(peak, memory)
        if memory_limit and memory > memory_limit:
            broken = ["over_memory", memory]
        elif cpu_limit and cpu > cpu_limit:
            broken = ["timed_out", False]
        elif time.monotonic() > deadline:
            broken = ["timed_out", True]
        elif process_limit and ticks % 10 == 0 and len(found := others_in_group()) > process_limit:
            broken = ["too_many_processes", len(found)]
    os.close(ended)
    if broken is not None:
        os.kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    cpu = used.ru_utime + used.ru_stime
    if broken is None and os.WIFSIGNALED(status):
        broken = ["signalled", os.WTERMSIG(status)]
        if os.WTERMSIG(status) == signal.SIGXCPU:
            broken = ["timed_out", False]
    return broken or ["exited", os.WEXITSTATUS(status)], cpu, max(peak, used.ru_maxrss * 1024)


def send(control, message, fds=()):
    text = json.dumps(message).encode()
    socket.send_fds(control, [struct.pack("<I", len(text))], list(fds))
    control.sendall(text)


def receive(control):
    """The next request, or None at end of file."""

    def exactly(count):
        parts = []
        while count > 0:
            part = control.recv(count)
            if not part:
                return None
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    head = exactly(4)
    if head is None:
        return None
    text = exactly(struct.unpack("<I", head)[0])
    return None if text is None else json.loads(text)


def serve(control):
    version = f"numpy {np.__version__}, scipy {scipy.__version__}, python {sys.version.split()[0]}"
    send(control, {"version": version})
    while (request := receive(control)) is not None:
        fds = [os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING) for name in ("answer", "inputs", "results")]
        pid = os.fork()
        if pid == 0:
            control.close()
            code = 70
            try:
                child(request, fds)
                code = 0
            except BaseException:
                os.ftruncate(fds[0], 0)
                os.pwrite(fds[0], ENCODER.encode({"broken": traceback.format_exc()[-MAX_INLINE_ERROR:]}).encode(), 0)
            finally:
                os._exit(code)
        outcome, cpu, peak = watch(pid, request)
        end_leftovers()
        for fd in fds:  # the parent maps them, and a shrinking file would make it fault
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        send(control, {"outcome": outcome, "cpu_seconds": cpu, "peak_bytes": peak}, fds)
        for fd in fds:
            os.close(fd)


def main():
    # Garbage that the imports left is frozen, so that collections in children do not copy the zygote's pages.
    gc.collect()
    gc.freeze()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    serve(socket.socket(fileno=CONTROL))


if __name__ == "__main__":
    main()
