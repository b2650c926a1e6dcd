#!/usr/bin/env python3
"""One run of one method, in a process of its own: `run.py` starts it with limits and reads what it writes.

    job.py RECORDING SPIKEMINE METHOD COLUMN CELL SEED FOUND.json

Exit status 3: out of memory; 4: the message of an error is the last line. CPU seconds are those of the method, its
child processes counted; modules are imported and compiled before.
"""

import importlib
import json
import pathlib
import resource
import subprocess
import sys

import cells
import methods
import recordings

IMPORTS = {
    "spade": ("elephant.spade", "statsmodels.stats.multitest"),
    "asset": ("elephant.asset",),
    "cad": ("elephant.cell_assembly_detection",),
    "correlograms": ("correlograms",),
    "ppseq": ("ppseq",),
    "seqnmf": ("seqnmf",),
}


def prepare(function):
    for name in IMPORTS.get(function, ()):
        module = importlib.import_module(name)
    if function == "ppseq":  # numba compiles at the first call
        module.Sampler([0.1, 0.2], [0, 1], 2, 1.0, module.Prior(), 1).run(anneals=1, steps=1, after=1)


def cpu_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main():
    recording, spikemine, method, column, cell, seed, found = sys.argv[1:]
    function = (cells.METHODS | cells.LEFT_OUT)[method][0]
    prepare(function)
    times, labels = recordings.read(recording)
    job = methods.Job(pathlib.Path(recording), times, labels, int(seed), spikemine)
    begin = cpu_seconds()
    made = list(getattr(methods, function)(job, cells.settings(method, column, cell)))
    used = cpu_seconds() - begin
    pathlib.Path(found).write_text(json.dumps({"cpu_s": used, "found": made}), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        sys.exit(3)
    except subprocess.CalledProcessError as error:
        print(error.stderr.strip() or error, file=sys.stderr)
        sys.exit(4)
    except Exception as error:  # a failure of a method is a result of the contest
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(4)
