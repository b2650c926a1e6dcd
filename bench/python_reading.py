#!/usr/bin/env python3
"""What it costs to make a recording from numpy arrays, beside the bare call of the library.

    PYTHONPATH=build/release/python bench/python_reading.py [--spikes N] [--runs N] > bench/results/python_reading.md

Each measure is a process of its own, which makes the columns, and then the recording: by the library's function
alone, called through cffi, or by `sm.Recording`. The library takes units of 32 bits, so that its caller narrows
those of 64 bits first. Memory is what the peak of the process grows by. Both take turns, and the smallest of all runs counts. Fails where a ratio is above 1.2.
"""

import argparse
import json
import pathlib
import platform
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
LIMIT = 1.2
CHILD = """
import json, sys, time
import numpy as np
import spikemine as sm
from spikemine._library import ffi, lib, options, session
how, case, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
n_units, rate = 200, 30000
def columns():
    samples = np.arange(n, dtype=np.int64) * 7
    units = np.arange(n, dtype=np.uint32)
    units *= np.uint32(2654435761)
    units >>= np.uint32(8)
    units %= np.uint32(n_units)
    if case == "samples":
        return samples, units
    seconds = samples.astype(np.float64)
    seconds /= rate
    return seconds, units.astype(np.int64) if case == "seconds, units of 64 bits" else units
def peak():
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
sm.Recording(np.arange(10) / 10, np.zeros(10, np.uint32))  # what is made once
times, units = columns()
with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
    file.write("5")  # the peak begins anew
before, began = peak(), time.perf_counter()
if how == "library":
    with session() as own:
        kind = "spk_recording_source" if case == "samples" else "spk_seconds_source"
        source = options(kind)
        narrow = np.ascontiguousarray(units, np.uint32)
        source.n_events, source.n_units = n, n_units
        source.time = ffi.cast("int64_t *" if case == "samples" else "double *", times.ctypes.data)
        source.unit = ffi.cast("uint32_t *", narrow.ctypes.data)
        out = ffi.new("spk_recording **")
        if case == "samples":
            source.rate = (rate, 1)
            own.check(lib.spk_recording_create(own.context, source, out))
        else:
            own.check(lib.spk_recording_create_from_seconds(own.context, source, out))
        found = lib.spk_recording_events(out[0]).n_events
else:
    rec = sm.Recording(times, units, rate=rate if case == "samples" else None)
    found = rec.n_spikes
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "grown": peak() - before, "spikes": int(found)}))
"""
CASES = ("seconds", "seconds, units of 64 bits", "samples")


def run(how, case, n):
    """The measures of one process."""
    command = [sys.executable, "-c", CHILD, how, case, str(n)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def measure(case, n, runs):
    """The smallest time and memory of both ways."""
    best = {}
    for _ in range(runs):
        for how in ("library", "package"):
            found = run(how, case, n)
            if found["spikes"] != n:
                sys.exit(f"{case}, {how}: {found['spikes']} of {n} spikes")
            before = best.setdefault(how, found)
            best[how] = {name: min(before[name], value) for name, value in found.items()}
    return best["library"], best["package"]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} processors" if names else platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spikes", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=SOURCE, capture_output=True, text=True, check=False
    ).stdout.strip()
    print(f"""# A recording from numpy arrays

Made by `bench/python_reading.py --spikes {given.spikes} --runs {given.runs}` at commit {commit} on
{processor()}, Python {platform.python_version()}. {given.spikes:,} spikes of 200 units.
The library is called through cffi, after units of 64 bits are narrowed to the 32 bits that it takes. The package is
`sm.Recording(times, units)`. Each run is a process of its own, and the smallest time and memory of {given.runs} runs
count. Memory is what the call adds to the peak. Allowed is a ratio of {LIMIT}.

| columns | s library | package | ratio | MB library | package | ratio |
|---|---|---|---|---|---|---|""")
    most = 0.0
    for case in CASES:
        library, package = measure(case, given.spikes, given.runs)
        time, memory = (package[name] / library[name] for name in ("seconds", "grown"))
        most = max(most, time, memory)
        print(
            f"| {case} | {library['seconds']:.2f} | {package['seconds']:.2f} | {time:.2f} "
            f"| {library['grown']:.0f} | {package['grown']:.0f} | {memory:.2f} |",
            flush=True,
        )
    if most > LIMIT:
        sys.exit(f"a ratio of {most:.2f} is above {LIMIT}")


if __name__ == "__main__":
    main()
