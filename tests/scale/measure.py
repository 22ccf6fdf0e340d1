"""CPU seconds and peak memory of porting generated kernels: measure.py PROGRAM [--statements N] [--kind KIND,...]."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import generate


def port(program, folder, kind, count, limit_seconds=600):
    """(CPU seconds, peak MiB) of one `port` of the kernel; an error if it is refused or takes more CPU than the limit."""
    generate.write(folder, kind, count)

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (limit_seconds, limit_seconds + 5))

    words = [program, "port", str(folder / f"{kind}.yaml"), "--to", "c", "-o", str(folder / "out"), "--no-format"]
    with open(folder / f"{kind}.log", "wb") as log:
        child = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        said = (folder / f"{kind}.log").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{kind} of {count} statements: exit code {child.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--statements", type=int, default=20000)
    parser.add_argument("--kind", default=",".join(generate.KINDS))
    chosen = parser.parse_args()
    print(f"{'kind':18} {'CPU s':>6} {'MiB':>5}   {chosen.statements} statements, ports to float64 and float32")
    failed = False
    for kind in chosen.kind.split(","):
        with tempfile.TemporaryDirectory() as folder:
            try:
                seconds, mebibytes = port(chosen.program, pathlib.Path(folder), kind, chosen.statements)
                print(f"{kind:18} {seconds:6.2f} {mebibytes:5.0f}", flush=True)
            except RuntimeError as error:
                print(error, flush=True)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
