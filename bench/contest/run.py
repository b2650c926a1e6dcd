#!/usr/bin/env python3
"""Runs the contest: methods x settings x recordings, each in a process of its own, and keeps every outcome.

    bench/contest.sh [--size first|full] [--cells A,B] [--methods A,B] [--columns rule,own] [--recordings N]
                     [--seed N] [--jobs N] [--seconds S] [--longest-first] [--rows FILE]

Rows are lines of JSON in bench/results/contest/SIZE.jsonl (--rows). Each is written when its run ends, and a run whose row
is there, with the settings of today, is not made again: a contest that Ctrl-C ended goes on where it stopped. The first recording
of all cells comes first, in both columns, then the second, so that a contest that was stopped early is a smaller one.
--jobs: runs at a time, each of one thread. --seconds: no run begins later than that. --longest-first: runs that cost most
in the rows that are there come first, so that many processors end together. COMMIT, a variable of the environment, names
the commit where git cannot tell it.
"""

import argparse
import concurrent.futures
import datetime
import hashlib
import importlib.metadata
import itertools
import json
import os
import pathlib
import platform
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import cells
import recordings
import scores

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = ROOT / "bench/results/contest"
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}
STOP = threading.Event()  # an interrupt: runs end, and have no rows
WALL = 100  # seconds of the clock that a second of the processor may take on a busy machine


def key_of(size, cell, method, column, seed):
    """Tells a run, and all that decides its result."""
    told = [cells.SIZES[size] | {"recordings": 0}, cells.BASE, cells.CELLS[cell], cells.settings(method, column, cell)]
    mark = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]
    return {"cell": cell, "method": method, "column": column, "seed": seed, "settings": mark}


def identity(row):
    return tuple(row[name] for name in ("cell", "method", "column", "seed", "settings"))


def rows_of(path):
    """Rows of the runs; a last line that was cut off is none."""
    if not path.exists():
        return []
    lines = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
    return [row for row in map(json.loads, lines) if "cell" in row]


def wanted(options):
    """Runs in their order."""
    names = {"cells": cells.CELLS, "methods": cells.METHODS, "columns": cells.COLUMNS}
    chosen = {}
    for name, known in names.items():
        # Names may have a comma and a blank: "none,none, slow rates" are two cells.
        chosen[name] = re.split(",(?! )", getattr(options, name)) if getattr(options, name) else list(known)
        unknown = [one for one in chosen[name] if one not in known]
        if unknown:
            sys.exit(f"contest: no {name[:-1]} {unknown[0]!r}; there are {', '.join(known)}")
    number = options.recordings or cells.SIZES[options.size]["recordings"]
    for at, column, cell, method in itertools.product(range(number), chosen["columns"], chosen["cells"], chosen["methods"]):
        yield key_of(options.size, cell, method, column, options.seed + at)


def limit(process, limits):
    resource.prlimit(process, resource.RLIMIT_CPU, (limits["cpu_s"], limits["cpu_s"] + 5))
    resource.prlimit(process, resource.RLIMIT_AS, (limits["memory_gb"] << 30,) * 2)


def outcome_of(status, share):
    """`share` is that of the seconds of the processor. A program may end by itself at its limit, with its own message."""
    if status != 0 and share > 0.9:
        return "time"
    return {0: "done", 3: "memory"}.get(status, "failed")


def measure(run, limits, spikemine, recording, folder):
    """Outcome, message, CPU seconds, memory and results of a run."""
    found = folder / "found.json"
    words = [sys.executable, HERE / "job.py", recording, spikemine, run["method"], run["column"], run["cell"],
             str(run["seed"]), found]  # fmt: skip
    with open(folder / "messages", "w+", encoding="utf-8") as messages:
        process = subprocess.Popen(words, env=os.environ | ONE_THREAD, stdout=messages, stderr=messages,
                                   start_new_session=True)  # fmt: skip
        limit(process.pid, limits)
        end, pid = time.monotonic() + WALL * limits["cpu_s"], 0
        while pid == 0 and time.monotonic() < end and not STOP.is_set():
            time.sleep(0.02)
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid == 0:
            os.killpg(process.pid, signal.SIGKILL)
            os.wait4(process.pid, 0)
            raise TimeoutError(f"{run['method']} got too little of the processor; run it again")
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        last = (messages.read().strip().splitlines() or [""])[-1]
    cpu = used.ru_utime + used.ru_stime
    outcome = outcome_of(process.returncode, cpu / limits["cpu_s"])
    made = json.loads(found.read_text(encoding="utf-8")) if outcome == "done" else {"found": []}
    cpu = made.get("cpu_s", cpu)
    row = {"outcome": outcome, "cpu_s": round(cpu, 2), "memory_mb": round(used.ru_maxrss / 1024)}
    return row | ({"message": last[:300]} if outcome == "failed" else {}), made["found"]


def conditions(spikemine, jobs=1):
    """What the rows below were made with; `jobs` at a time."""
    pinned = (HERE / "requirements.txt").read_text(encoding="utf-8").split()
    names = [line.split("==")[0] for line in pinned]
    version = subprocess.run([spikemine, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    return {
        "commit": os.environ.get("COMMIT") or commit(), "date": str(datetime.date.today()), "machine": machine(), "jobs": jobs,
        "spikemine": version, "python": platform.python_version(), "packages": {name: importlib.metadata.version(name) for name in names},
    }  # fmt: skip


def commit():
    words = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        sys.exit("contest: git cannot tell the commit of the tree; name it with COMMIT=...")


def machine():
    model = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":")[1].strip()
            break
    return f"{model}, {os.cpu_count()} processors"


def score(run, options):
    """The row of a run."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recording, truth = recordings.make(options.spikemine, run["cell"], options.size, run["seed"], options.data, folder)
        planted = recordings.truth_of(truth)
        row, found = measure(run, cells.SIZES[options.size], options.spikemine, recording, folder)
        digest = hashlib.sha256(recording.read_bytes()).hexdigest()[:12]
    return run | {"recording": digest} | row | scores.score(found, planted)


def longest_first(runs, rows):
    """By the mean cost of a method in a cell and column, those without a row before all."""
    costs = {}
    for row in rows:
        costs.setdefault((row["method"], row["cell"], row["column"]), []).append(row["cpu_s"])
    means = {kind: statistics.fmean(mine) for kind, mine in costs.items()}
    return sorted(runs, key=lambda run: -means.get((run["method"], run["cell"], run["column"]), float("inf")))


def contest(options):
    rows = rows_of(options.rows)
    done = {identity(row) for row in rows}
    runs = [run for run in wanted(options) if identity(run) not in done]
    if options.longest_first:
        runs = longest_first(runs, rows)
    end = time.monotonic() + options.seconds
    with open(options.rows, "a", encoding="utf-8") as rows, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if runs:
            print(json.dumps(conditions(options.spikemine, options.jobs)), file=rows, flush=True)
        made = [pool.submit(lambda run: score(run, options) if time.monotonic() < end else None, run) for run in runs]
        try:
            keep_rows(made, rows)
        except KeyboardInterrupt:
            STOP.set()
            pool.shutdown(cancel_futures=True)
            sys.exit("contest: interrupted; the same command goes on")
    report_missing(runs, made)


def keep_rows(made, rows):
    for number, one in enumerate(concurrent.futures.as_completed(made), 1):
        row = None if one.exception() else one.result()
        if row:
            print(json.dumps(row), file=rows, flush=True)
            print(f"{number}/{len(made)} {row['cell']}, {row['method']}, {row['column']}, {row['seed']}: "
                  f"{row['outcome']}, {row['cpu_s']} s", file=sys.stderr)  # fmt: skip


def report_missing(runs, made):
    """A recording that could not be made is an error of ours, and stops no other run."""
    errors = {f"{run['cell']}: {one.exception()}" for run, one in zip(runs, made) if one.exception()}
    left = sum(not one.exception() and one.result() is None for one in made)
    if left:
        print(f"contest: {left} runs are left; the same command goes on", file=sys.stderr)
    if errors:
        sys.exit("\n".join(f"contest: {error}" for error in sorted(errors)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=list(cells.SIZES), default="full")
    for name in ("cells", "methods", "columns"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--recordings", type=int, default=0)
    parser.add_argument("--seed", type=int, default=cells.SEED)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--longest-first", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--spikemine", type=pathlib.Path, default=ROOT / "build/release/cli/spikemine")
    data = os.environ.get("SPIKEMINE_DATA", ROOT / "../shared/data")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(data))
    options = parser.parse_args()
    options.rows = options.rows or RESULTS / f"{options.size}.jsonl"
    options.rows.parent.mkdir(exist_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    contest(options)


if __name__ == "__main__":
    main()
