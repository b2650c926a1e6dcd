#!/usr/bin/env python3
"""Times spikemine against Elephant's C++ pattern miner (`fim`) on the same transactions.

    bench/compare_elephant.py TRANSACTIONS [--jobs 0,1] [--engines bitmap,fpgrowth]
                              [--threads 1] [--window 20] [--runs 3] [--markdown]
                              [--skip-elephant]

TRANSACTIONS: one window a line, items as unit * window + lag; movement_PGHF.txt of the public
repository fporrmann/FPG is the benchmark of Porrmann et al. 2021. Their eight jobs are (least
occurrences, least spikes = least neurons): 0 (88,2), 1 (25,3), 2 (12,4), 3 (10,5), 4 (10,6),
5 (10,7), 6 (10,8), 7 (10,9). Jobs 0 and 1, the default, need a minute together; each of the others
keeps `fim` busy for some three minutes.

Both sides mine closed patterns before the moving-window step, every job in a process of its own,
and the numbers of patterns must agree. Of spikemine there are the seconds of the whole command,
reading the file and counting the spectrum included, and those of mining alone, which the command
itself reports: medians of some runs. Seconds of `fim` are those of its one call, which ends with a
list of Python tuples; reading is not counted, so mining alone is the like. Memory is the peak of the
process in MB, for `fim` less what the process had before the call. Needs elephant (pip install
elephant).
"""

import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import time

JOBS = [(88, 2), (25, 3), (12, 4), (10, 5), (10, 6), (10, 7), (10, 8), (10, 9)]
SOURCE = pathlib.Path(__file__).resolve().parents[1]
COMMAND = os.environ.get("SPIKEMINE", str(SOURCE / "build/release/cli/spikemine"))
COLUMNS = ["job", "occurrences", "spikes", "engine", "patterns", "mining s", "whole s", "MB"]
COLUMNS += ["fim s", "fim MB", "ratio mining", "ratio whole"]


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_fim(path, window, occurrences, spikes, threads):
    """The call that elephant.spade makes. Prints one line of JSON on the original stdout."""
    from elephant.spade_src import fim

    with open(path, encoding="ascii") as lines:
        transactions = [[int(item) for item in line.split()] for line in lines]
    result = os.dup(1)
    os.dup2(2, 1)  # fim talks on stdout
    before = peak_mb()
    begin = time.perf_counter()
    found = fim.fpgrowth(
        tracts=transactions,
        target="c",
        supp=-occurrences,
        zmin=spikes,
        zmax=max(map(len, transactions)),
        report="a",
        algo="s",
        winlen=window,
        min_neu=spikes,
        threads=threads,
        verbose=0,
    )
    seconds = time.perf_counter() - begin
    answer = {"s": seconds, "MB": peak_mb() - before, "patterns": len(found)}
    os.write(result, json.dumps(answer).encode())
    os._exit(0)  # millions of tuples need no tidy end


def elephant(arguments, occurrences, spikes):
    child = [sys.executable, __file__, arguments.transactions, "--window", str(arguments.window)]
    child += ["--threads", str(arguments.threads), "--fim", f"{occurrences},{spikes}"]
    done = subprocess.run(child, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


def spikemine(arguments, engine, occurrences, spikes):
    command = [COMMAND, "patterns", arguments.transactions, "--input-format", "transactions"]
    command += ["--window", str(arguments.window), "--support", str(occurrences)]
    command += ["--min-spikes", str(spikes), "--min-neurons", str(spikes), "--engine", engine]
    command += ["--threads", str(arguments.threads), "--moving-window-filter", "off"]
    command += ["--spectrum", "2d"]
    begin = time.perf_counter()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as child:
        rows = child.stdout.read().splitlines()[1:]
        complaint = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    mined = re.search(r"patterns? mined in ([0-9.]+) s", complaint)
    if child.returncode != 0 or mined is None:
        sys.exit(complaint)
    count = sum(int(row.split("\t")[-1]) for row in rows)
    memory = usage.ru_maxrss / 1024
    return {"s": seconds, "mining": float(mined[1]), "MB": memory, "patterns": count}


def spikemine_median(arguments, engine, occurrences, spikes):
    runs = [spikemine(arguments, engine, occurrences, spikes) for _ in range(arguments.runs)]
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transactions")
    parser.add_argument("--jobs", default="0,1")
    parser.add_argument("--engines", default="bitmap,fpgrowth")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--window", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3, help="of spikemine; fim runs once")
    parser.add_argument("--markdown", action="store_true", help="a table for a page, not TSV")
    parser.add_argument("--skip-elephant", action="store_true", help="time spikemine alone")
    parser.add_argument("--fim", help=argparse.SUPPRESS)  # OCCURRENCES,SPIKES: be the child
    return parser.parse_args()


def print_row(arguments, row):
    if arguments.markdown:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    else:
        print(*row, sep="\t", flush=True)


def print_head(arguments):
    print_row(arguments, COLUMNS)
    if arguments.markdown:
        print("|---" * len(COLUMNS) + "|", flush=True)


def compare(arguments, job, engine, theirs):
    """Prints the row of one job and engine; what counts for the sum."""
    occurrences, spikes = JOBS[job]
    ours = spikemine_median(arguments, engine, occurrences, spikes)
    row = [job, occurrences, spikes, engine, ours["patterns"]]
    row += [f"{ours['mining']:.4f}", f"{ours['s']:.2f}", f"{ours['MB']:.0f}"]
    if theirs is None:
        row += [""] * 4
    elif theirs["patterns"] != ours["patterns"]:
        sys.exit(f"job {job}: fim finds {theirs['patterns']}, {engine} {ours['patterns']} patterns")
    else:
        row += [f"{theirs['s']:.2f}", f"{theirs['MB']:.0f}"]
        row += [f"{theirs['s'] / ours[key]:.1f}" for key in ("mining", "s")]
    print_row(arguments, row)
    return [ours["patterns"], ours["mining"], ours["s"], theirs["s"] if theirs else 0]


def print_sum(arguments, engine, rows):
    patterns, mining, whole, theirs = map(sum, zip(*rows))
    row = ["sum", "", "", engine, patterns, f"{mining:.4f}", f"{whole:.2f}", ""]
    if theirs > 0:
        row += [f"{theirs:.2f}", "", f"{theirs / mining:.1f}", f"{theirs / whole:.1f}"]
    else:
        row += [""] * 4
    print_row(arguments, row)


def main():
    arguments = parse_arguments()
    if arguments.fim:
        occurrences, spikes = map(int, arguments.fim.split(","))
        run_fim(arguments.transactions, arguments.window, occurrences, spikes, arguments.threads)
    print_head(arguments)
    rows = {engine: [] for engine in arguments.engines.split(",")}
    for job in map(int, arguments.jobs.split(",")):
        theirs = None if arguments.skip_elephant else elephant(arguments, *JOBS[job])
        for engine, done in rows.items():
            done.append(compare(arguments, job, engine, theirs))
    for engine, done in rows.items():
        print_sum(arguments, engine, done)


if __name__ == "__main__":
    main()
