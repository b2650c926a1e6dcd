#!/usr/bin/env python3
"""Rows of profiler.tsv from what Nsight Compute writes with --csv --page details.

    profiler_table.py header
    profiler_table.py METHOD < ncu.csv

One row for each kernel and size of episode, launches added up; standard library only.
"""

import csv
import re
import sys

LOADS = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"
STORES = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"
BRANCHES = "smsp__sass_branch_targets.sum"
DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum"
ACTIVE = "smsp__thread_inst_executed_per_inst_executed.ratio"
DURATION = "gpu__time_duration.sum"

COLUMNS = [
    "method",
    "size",
    "kernel",
    "launches",
    "seconds",
    "local_load_requests",
    "local_store_requests",
    "branch_targets",
    "divergent_branch_targets",
    "divergent_branch_share",
    "active_threads_of_32",
]
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
SECONDS |= {"second": 1.0, "msecond": 1e-3, "usecond": 1e-6, "nsecond": 1e-9}


def split_name(name):
    """("count_episodes", "3") from "void <unnamed>::count_episodes<unsigned int, 3>(..)";
    size "-" where the kernel is for all sizes."""
    name = re.sub(r"<unnamed>::|\(anonymous namespace\)::", "", name)
    found = re.search(r"(\w+)(?:<(.*?)>)?(?:\(|$)", name)
    size = re.search(r",\s*(?:\([^()]*\))?(\d+)u?$", found.group(2) or "")
    return found.group(1), size.group(1) if size else "-"


def read_launches(stream):
    """{launch: (kernel name, {metric: value})}; a duration in seconds. ncu prints lines of its own
    before the table."""
    lines = [line for line in stream if not line.startswith("==")]
    launches = {}
    for row in csv.DictReader(lines):
        text = row["Metric Value"].replace(",", "")
        if not re.fullmatch(r"[-+0-9.eE]+", text):
            raise ValueError(f"{row['Kernel Name']}: {row['Metric Name']} is '{text}'")
        value = float(text)
        if row["Metric Name"] == DURATION:
            value *= SECONDS[row["Metric Unit"]]
        launches.setdefault(row["ID"], (row["Kernel Name"], {}))[1][row["Metric Name"]] = value
    return launches


def add_up(launches):
    """{(size, kernel): sums}; active threads weighted by duration."""
    table = {}
    for name, metrics in launches.values():
        kernel, size = split_name(name)
        sums = table.setdefault((size, kernel), {"launches": 0, "active": 0.0})
        sums["launches"] += 1
        for metric in (LOADS, STORES, BRANCHES, DIVERGENT, DURATION):
            sums[metric] = sums.get(metric, 0.0) + metrics[metric]
        sums["active"] += metrics[ACTIVE] * metrics[DURATION]
    return table


def rows(method, table):
    for (size, kernel), s in sorted(table.items(), key=lambda i: (i[0][0].zfill(3), i[0][1])):
        yield [
            method,
            size,
            kernel,
            s["launches"],
            f"{s[DURATION]:.9f}",
            f"{s[LOADS]:.0f}",
            f"{s[STORES]:.0f}",
            f"{s[BRANCHES]:.0f}",
            f"{s[DIVERGENT]:.0f}",
            f"{s[DIVERGENT] / s[BRANCHES] if s[BRANCHES] else 0:.6f}",
            f"{s['active'] / s[DURATION] if s[DURATION] else 0:.2f}",
        ]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "header":
        print("# figure profiler: local memory and divergent branches of cuda-ptpe (Fig. 12)")
        print("\t".join(COLUMNS))
        return
    launches = read_launches(sys.stdin)
    if not launches:
        sys.exit("profiler_table.py: no kernels in the input")
    for row in rows(sys.argv[1], add_up(launches)):
        print("\t".join(map(str, row)))


if __name__ == "__main__":
    main()
