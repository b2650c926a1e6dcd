#!/usr/bin/env python3
"""Times spikemine against Elephant's C++ pattern miner (`fim`) on the same transactions.

    bench/compare_elephant.py TRANSACTIONS [--jobs 0,1] [--engines bitmap,fpgrowth]
                              [--threads 1] [--window 20] [--skip-elephant]

TRANSACTIONS: one window a line, items as unit * window + lag; movement_PGHF.txt of the public
repository fporrmann/FPG is the benchmark of Porrmann et al. 2021. Their eight jobs are (least
occurrences, least spikes = least neurons): 0 (88,2), 1 (25,3), 2 (12,4), 3 (10,5), 4 (10,6),
5 (10,7), 6 (10,8), 7 (10,9). Jobs 0 and 1, the default, need a minute together; each of the others
keeps `fim` busy for some three minutes.

Both sides mine closed patterns before the moving-window step, every job in a process of its own,
and the numbers of patterns must agree. Seconds of spikemine are those of the whole command, reading the
file and counting the spectrum included; seconds of `fim` are those of its one call, which ends with
a list of Python tuples; reading is not counted. Memory is the peak of the process in MB, for `fim`
less what the process had before the call. Needs elephant (pip install elephant).
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

JOBS = [(88, 2), (25, 3), (12, 4), (10, 5), (10, 6), (10, 7), (10, 8), (10, 9)]
SOURCE = pathlib.Path(__file__).resolve().parents[1]
COMMAND = os.environ.get("SPIKEMINE", str(SOURCE / "build/release/cli/spikemine"))


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
    command = [COMMAND, "patterns", arguments.transactions, "--input", "transactions"]
    command += ["--window", str(arguments.window), "--min-occurrences", str(occurrences)]
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
    if child.returncode != 0:
        sys.exit(complaint)
    count = sum(int(row.split("\t")[-1]) for row in rows)
    return {"s": seconds, "MB": usage.ru_maxrss / 1024, "patterns": count}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transactions")
    parser.add_argument("--jobs", default="0,1")
    parser.add_argument("--engines", default="bitmap,fpgrowth")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--window", type=int, default=20)
    parser.add_argument("--skip-elephant", action="store_true", help="time spikemine alone")
    parser.add_argument("--fim", help=argparse.SUPPRESS)  # OCCURRENCES,SPIKES: be the child
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.fim:
        occurrences, spikes = map(int, arguments.fim.split(","))
        run_fim(arguments.transactions, arguments.window, occurrences, spikes, arguments.threads)
    print("job\toccurrences\tspikes\tengine\tpatterns\ts\tMB\tfim_s\tfim_MB\tratio")
    for job in map(int, arguments.jobs.split(",")):
        occurrences, spikes = JOBS[job]
        theirs = None if arguments.skip_elephant else elephant(arguments, occurrences, spikes)
        for engine in arguments.engines.split(","):
            ours = spikemine(arguments, engine, occurrences, spikes)
            row = [job, occurrences, spikes, engine, ours["patterns"]]
            row += [f"{ours['s']:.2f}", f"{ours['MB']:.0f}"]
            if theirs is None:
                row += ["", "", ""]
            else:
                if theirs["patterns"] != ours["patterns"]:
                    sys.exit(f"job {job}: fim finds {theirs['patterns']} patterns, {engine} "
                             f"{ours['patterns']}")
                row += [f"{theirs['s']:.2f}", f"{theirs['MB']:.0f}"]
                row += [f"{theirs['s'] / ours['s']:.1f}"]
            print(*row, sep="\t", flush=True)


if __name__ == "__main__":
    main()
