#!/usr/bin/env python3
"""Two builds against each other in one run: are results the same, and times within noise?

    bench/before_after.py BEFORE AFTER [--runs N] [--gpu] [--threads N] [--only WORD]

BEFORE and AFTER are two spikemine commands. Each job is mined by both in turn, N times (7); the table
gives the median mining time of each, their ratio, and the ratio's spread: the lowest and highest of the
N pairs. The whole results of both are compared byte by byte. With --gpu the GPU engines take part.
Recordings that may not be bundled are looked for in SPIKEMINE_DATA, else ../shared/data; jobs whose
recording is not there are left out. Exit status 1 when two results differ.
"""

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
DATA = os.environ.get("SPIKEMINE_DATA") or os.path.join(ROOT, "..", "shared", "data")
MACAQUE = os.path.join(ROOT, "data", "movement_PGHF.spikes.txt")
CULTURE = os.path.join(DATA, "wagenaar", "2-1-20.spk.txt")

ONE = ["--delay", "5ms:10ms"]
THREE = ["--delay", "0:5ms", "--delay", "5ms:10ms", "--delay", "10ms:15ms"]


def simulated(folder, after, name, *arguments):
    """A generated recording; made by one of the commands, read by both."""
    path = os.path.join(folder, name)
    subprocess.run([after, "simulate", *arguments, "-o", path], check=True,
                   stderr=subprocess.DEVNULL)
    return path


def episode_jobs(folder, after, gpu):
    """(name, recording, options, engines)"""
    long = simulated(folder, after, "culture.txt", "culture", "--seed", "1", "--events", "3000000")
    many = simulated(folder, after, "many.txt", "culture", "--units", "1000", "--tonic-rate", "5",
                     "--bursts-per-min", "0.5", "--burst-spikes", "1", "--seed", "7", "--events",
                     "1000000")
    jobs = [
        ("culture 2-1-20, (5,10] ms, 173", CULTURE, ONE + ["--support", "173"], ["sweep", "fsm"]),
        ("culture 2-1-20, three intervals, 173", CULTURE, THREE + ["--support", "173"], ["sweep"]),
        ("macaque, three intervals, 50", MACAQUE, THREE + ["--support", "50"], ["sweep"]),
        ("generated, 3 million events, (5,10] ms, 0.5 %", long, ONE + ["--support", "0.5%"], ["sweep"]),
        ("generated, 1,000 units, (0,5] ms, 0.05 %", many,
         ["--delay", "0:5ms", "--support", "0.05%"], ["sweep"]),
    ]
    if gpu:
        papers = ["cuda-ptpe", "cuda-mtpe", "cuda-hybrid", "cuda-tracking"]
        jobs = [(n, r, o, ["cuda-sweep"]) for n, r, o, _ in jobs]
        jobs.append(("culture 2-1-20, (5,10] ms, 1000", CULTURE, ONE + ["--support", "1000"], papers))
        jobs.append(("culture 2-1-20, (5,10] ms, 173", CULTURE, ONE + ["--support", "173"], papers[:3]))
    return [(f"{name}: {engine}", recording, options, engine)
            for name, recording, options, engines in jobs for engine in engines]


PATTERN_JOBS = ("88,2", "25,3", "12,4", "10,5", "10,7")


def columns_of(recording):
    return ["--columns", "time,unit"] if recording in (MACAQUE, CULTURE) else []


def table_seconds(command):
    """The median that `spikemine bench` prints, from the column of that name."""
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True).stdout.splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    where = rows[0].index("median_s")
    return float(rows[1][where])


def digest(command):
    """SHA-256 of what a command writes to standard output."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    sha = hashlib.sha256()
    for block in iter(lambda: running.stdout.read(1 << 20), b""):
        sha.update(block)
    if running.wait() != 0:
        sys.exit("failed: " + " ".join(command))
    return sha.hexdigest()


def compare(name, commands, timed, whole, runs):
    """One row of the table; True where both results are the same."""
    same = len({digest([command] + whole) for command in commands}) == 1
    seconds = [[table_seconds([command] + timed) for command in commands] for _ in range(runs)]
    before, after = (statistics.median(pair[k] for pair in seconds) for k in (0, 1))
    ratios = sorted(pair[1] / pair[0] for pair in seconds if pair[0] > 0) or [1]
    print(f"| {name} | {before:.4f} | {after:.4f} | {after / before if before else 1:.2f} | "
          f"{ratios[0]:.2f} to {ratios[-1]:.2f} | {'same' if same else '**DIFFERENT**'} |", flush=True)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--only", default="", help="jobs whose name has this word")
    arguments = parser.parse_args()
    commands = [arguments.before, arguments.after]
    all_same = True
    print("| job | before, s | after, s | ratio | pairs | result |\n|---|---:|---:|---:|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, recording, options, engine in episode_jobs(folder, arguments.after, arguments.gpu):
            if arguments.only not in name or not os.path.exists(recording):
                continue
            shared = [recording, *columns_of(recording), *options, "--threads", arguments.threads]
            all_same &= compare(name, commands, ["bench", "episodes", *shared, "--engines", engine,
                                                 "--runs", "1"],
                                ["episodes", *shared, "--engine", engine], arguments.runs)
    for job in PATTERN_JOBS if not arguments.gpu else ():
        name = f"macaque, patterns ({job.replace(',', ', ')}): bitmap"
        if arguments.only not in name:
            continue
        support, spikes = job.split(",")
        shared = [MACAQUE, *columns_of(MACAQUE), "--threads", arguments.threads]
        all_same &= compare(name, commands, ["bench", "patterns", *shared, "--jobs", job, "--runs", "1"],
                            ["patterns", *shared, "--bin", "5ms", "--window", "20", "--support",
                             support, "--min-spikes", spikes, "--min-neurons", spikes,
                             "--moving-window-filter", "off"], arguments.runs)
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
