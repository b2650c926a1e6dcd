#!/usr/bin/env python3
"""Times and memory of the whole call of spade(): Elephant beside spikemine.elephant.

    bench/python_elephant.py [--surrogates N] > bench/results/python_elephant.md

The macaque recording (data/movement_PGHF.spikes.txt) as Neo trains. Each run is a process of its own, which
imports, makes the trains, and then measures its one call. Elephant's part of the default takes about ten minutes.
"""

import argparse
import json
import pathlib
import platform
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
RECORDING = SOURCE / "data/movement_PGHF.spikes.txt"
CHILD = """
import contextlib, json, os, resource, sys, time, warnings
warnings.simplefilter("ignore")
import neo, numpy as np, quantities as pq
package, call = sys.argv[1], json.loads(sys.argv[2])
rows = np.loadtxt(sys.argv[3])
stop = float(np.ceil(rows[:, 0].max() + 0.001))
trains = [neo.SpikeTrain(rows[rows[:, 1] == unit, 0] * pq.s, t_stop=stop * pq.s)
          for unit in np.unique(rows[:, 1])]
if package == "elephant":
    from elephant.spade import spade
else:
    from spikemine.elephant import spade
def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
keep = os.dup(1)
os.dup2(2, 1)
before, began, cpu = megabytes(), time.perf_counter(), time.process_time()
np.random.seed(1)
found = spade(trains, bin_size=5 * pq.ms, winlen=20, dither=25 * pq.ms, **call)
seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
os.dup2(keep, 1)
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": megabytes(), "grown": megabytes() - before,
                  "patterns": len(found["patterns"])}))
"""


def run(package, call):
    """The measures of one call."""
    command = [sys.executable, "-c", CHILD, package, json.dumps(call), str(RECORDING)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} processors" if names else platform.processor()


def row(name, theirs, ours):
    ratio, cpu = theirs["seconds"] / ours["seconds"], theirs["cpu"] / ours["cpu"]
    memory = theirs["grown"] / max(ours["grown"], 0.1)
    return (f"| {name} | {theirs['patterns']} | {ours['patterns']} | {theirs['seconds']:.2f} | {ours['seconds']:.3f} "
            f"| {ratio:.0f} | {theirs['cpu']:.2f} | {ours['cpu']:.3f} | {cpu:.0f} | {theirs['peak']:.0f} "
            f"| {ours['peak']:.0f} | {theirs['grown']:.0f} | {ours['grown']:.0f} | {memory:.1f} |")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--surrogates", type=int, default=100, help="surrogates of the test (100)")
    n_surr = options.parse_args().surrogates
    test = {"alpha": 0.05, "spectrum": "3d#"}
    calls = [
        ("pairs, no surrogates", {"min_spikes": 2, "min_occ": 88}),
        (f"pairs, {n_surr} surrogates, test", {"min_spikes": 2, "max_spikes": 6, "min_occ": 88, "n_surr": n_surr, **test}),
    ]
    commit = subprocess.run(["git", "-C", SOURCE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip()
    print("# The Python drop-in beside Elephant\n")
    print(f"""Made by `bench/python_elephant.py --surrogates {n_surr}` at commit {commit or 'unknown'} on
{processor()}, Python {platform.python_version()}, Elephant 1.2.1.
The whole call of `spade()` on the macaque recording as Neo trains, bins of 5 ms, windows of 20 bins, dither 25 ms, one
run each. Seconds are those of a clock and of processors; the machine is shared, so that the ratio of processor seconds
is the surer one. Memory in MB: the peak of the process, and how much the call added to it, the result included. The
surrogates of the two programs differ, and so do the patterns that pass the test.
""")
    print("| call | patterns Elephant | ours | s Elephant | ours | ratio | CPU s Elephant | ours | ratio | peak Elephant | ours | added Elephant "
          "| ours | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, call in calls:
        print(row(name, run("elephant", call), run("spikemine", call)), flush=True)


if __name__ == "__main__":
    main()
