#!/usr/bin/env python3
"""What --support auto finds of planted sequences, and what they cost.

    bench/support.py [SPIKEMINE] >bench/results/support.md

Each kind of recording is made a few times: independent Poisson units with log-normal rates, and chains of them that
repeat. A pair of units counts as found where some significant result has them in this order. F1 is that of the ordered
pairs of all chains. Seconds are those of the processor (user), of the whole command with 99 surrogates.
"""

import csv
import io
import math
import random
import resource
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

RUNS = 3
WITHIN_20 = ["0ms:5ms", "5ms:10ms", "10ms:15ms", "15ms:20ms"]
WITHIN_60 = ["10ms:20ms", "20ms:30ms", "30ms:40ms", "40ms:50ms", "50ms:60ms"]
# kind: chains, sizes, delays in ms, repeats, deviation of a delay in ms, share of missing spikes
KINDS = {
    "few": (2, (5, 7), (2, 18), 12, 0.3, 0.0),
    "mixed": (3, (3, 7), (2, 18), 30, 2.0, 0.1),
    "slow": (2, (4, 6), (15, 50), 40, 3.0, 0.0),
}


def plant(kind, seed):
    """Lines of a recording, and the chains."""
    n_chains, sizes, delays, repeats, deviation, missing = KINDS[kind]
    draw = random.Random(f"{kind} {seed}")
    n_units, duration = draw.randint(30, 40), draw.uniform(60, 90)
    rates = [math.exp(draw.gauss(0, 0.8)) for _ in range(n_units)]
    mean = sum(rates) / n_units
    spikes = set()
    for unit, rate in enumerate(rates):
        time = 0.0
        while (time := time + draw.expovariate(rate * 5 / mean)) < duration:
            spikes.add((round(time, 4), unit))
    chains = []
    for _ in range(n_chains):
        units = draw.sample(range(n_units), draw.randint(*sizes))
        steps = [draw.uniform(*delays) / 1000 for _ in units[1:]]
        chains.append(units)
        for _ in range(repeats):
            time = draw.uniform(0, duration - 1)
            for unit, step in zip(units, [0.0, *steps]):
                time += max(0.0005, step + draw.gauss(0, deviation / 1000)) if step else 0.0
                if draw.random() >= missing:
                    spikes.add((round(time, 4), unit))
    return "".join(f"{time:.4f} {unit}\n" for time, unit in sorted(spikes)), chains


def ordered_pairs(sequences):
    return {(a, b) for s in sequences for k, a in enumerate(s) for b in s[k + 1 :] if a != b}


def run(command):
    """Output, notes and seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout, done.stderr, seconds


def sequences_of(table, column):
    """Units of each result, in their order."""
    for row in csv.DictReader(io.StringIO(table), delimiter="\t"):
        words = row[column].split()
        if column == "episode":
            yield [int(word) for word in words if not word.startswith("(")]
        else:
            yield [int(word.split("@")[0]) for word in words]


def commands(spikemine, path, kind):
    """Name, column and command of each setting."""
    slow = kind == "slow"
    jitter = "100ms" if slow else "50ms"
    test = ["--test", "exact", "--jitter", jitter, "--surrogates", "99", "--distinct-units", "2"]
    delays = [word for d in (WITHIN_60 if slow else WITHIN_20) for word in ("-d", d)]
    window = ["--bin", "5ms", "--window", "40" if slow else "20", "--min-spikes", "2"]
    for support in ("auto", "6", "5"):
        yield f"episodes, {support}", "episode", [
            spikemine, "episodes", path, *delays, "-s", support, "--max-size", "7", *test,
        ]  # fmt: skip
    for support in ("auto", "6", "5"):
        yield f"patterns, {support}", "pattern", [
            spikemine, "patterns", path, *window, "--support", support, *test,
        ]  # fmt: skip


def measure(spikemine, kind, wanted):
    """By setting: sums of F1 and seconds."""
    sums = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rec.txt")
        for seed in range(10, 10 + RUNS):
            text, chains = plant(kind, seed)
            Path(path).write_text(text, encoding="utf-8")
            true = ordered_pairs(chains)
            for name, column, command in commands(spikemine, path, kind):
                if wanted and not name.startswith(wanted):
                    continue
                table, _, seconds = run(command)
                found = ordered_pairs(sequences_of(table, column))
                f1 = 2 * len(found & true) / (len(found) + len(true))
                before = sums.get(name, (0, 0))
                sums[name] = (before[0] + f1 / RUNS, before[1] + seconds / RUNS)
    return sums


def main():
    spikemine = sys.argv[1] if len(sys.argv) > 1 else "build/release/cli/spikemine"
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    print("# Supports that are chosen, beside low fixed ones\n")
    print(f"Made by `bench/support.py` on {datetime.now(timezone.utc):%Y-%m-%d}.\n")
    print(f"F1 of ordered pairs of units, means of {RUNS} recordings; seconds of the processor.\n")
    print("| recordings | setting | F1 | seconds |\n|---|---|---|---|")
    for kind in KINDS:
        for name, (f1, seconds) in measure(spikemine, kind, wanted).items():
            print(f"| {kind} | {name} | {f1:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
