#!/usr/bin/env python3
"""How many frequent episodes do the bundled recordings have, and how many have shifted copies of them?

    bench/chance.py COMMAND [--shifts 20] > bench/results/chance.md

A shift moves every unit in a circle by its own random amount, over the whole recording or inside each window of it. It keeps
rates and bursts of each unit, and breaks what holds between units. A shift inside windows also keeps how rates rise and
fall together. What remains is what firing rates alone give.
"""

import argparse
import datetime
import platform
import random
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read(path, unit_first, step):
    """Events as (grid step, unit)."""
    events = []
    for line in path.read_text().splitlines():
        first, second = line.split()
        time, unit = (second, first) if unit_first else (first, second)
        events.append((round(float(time) / step), unit))
    return events


def shifted(events, length, window, rng):
    """Each unit in a circle by its own amount, anew in each window."""
    offset, result = {}, set()
    for time, unit in sorted(events):
        start = time - time % window
        size = min(window, length - start)
        if (unit, start) not in offset:
            offset[unit, start] = rng.randrange(size)
        result.add((start + (time - start + offset[unit, start]) % size, unit))
    return sorted(result)


def mine(command, file, options):
    """Numbers of frequent episodes by number of different units."""
    job = [command, "episodes", str(file), *options, "-q"]
    table = subprocess.run(job, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1:]
    return Counter(len(set(line.split("\t")[2].split(" ")[::2])) for line in table)


def row(name, found, chance, least):
    def at_least(counter):
        return sum(n for units, n in counter.items() if units >= least)

    values = sorted(at_least(c) for c in chance)
    median = values[len(values) // 2]
    return f"| {name} | {least} | {at_least(found):,} | {values[0]:,} | {median:,} | {values[-1]:,} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--shifts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    jobs = [
        ("songbird, (0,210] ms, support 12", "songbird_spikes.txt", True, 1 / 30, "samples@30",
         ["-d", "0:210ms", "-s", "12"], (None, 60), (2, 3, 4, 5)),
        ("macaque, (0,5] (5,10] (10,15] ms, support 50", "movement_PGHF.spikes.txt", False, 0.005, "samples@200",
         ["-d", "0ms:5ms", "-d", "5ms:10ms", "-d", "10ms:15ms", "-s", "50"], (None, 40), (2, 3)),
    ]
    print("# Frequent episodes, and how many of them chance gives\n")
    print(f"Made by `bench/chance.py COMMAND --shifts {arguments.shifts}` on {datetime.date.today()}, commit {commit}, "
          f"{platform.machine()}.\nEvery unit is shifted in a circle by its own random amount; smallest, median and largest "
          f"number over {arguments.shifts} shifts.\n")
    print("| recording | shifted in | units, at least | frequent episodes | shifted: smallest | median | largest |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, file, unit_first, step, unit, options, windows, sizes in jobs:
        rng = random.Random(arguments.seed)
        events = read(ROOT / "data" / file, unit_first, step)
        length = max(time for time, _ in events) + 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recording.txt"

            def result(columns):
                path.write_text("".join(f"{time}\t{label}\n" for time, label in columns))
                return mine(arguments.command, path, ["--columns", "time,unit", "--time-unit", unit, *options])

            found = result(sorted(set(events)))
            for window in windows:
                chance = [result(shifted(events, length, window or length, rng)) for _ in range(arguments.shifts)]
                kind = f"windows of {window * step:g} s" if window else "whole recording"
                for least in sizes:
                    print(row(f"{name} | {kind}", found, chance, least))


if __name__ == "__main__":
    main()
