#!/usr/bin/env python3
"""Cost of each method over units and over length, up to the first run that passes the limit.

    scale.py [--methods A,B] [--limit SECONDS] [--jobs N] [--rows FILE] [--spikemine COMMAND]

Recordings have the truth of the cell "mixed" and settings are those of the column `rule`. Methods that are left out of the
cells have the settings of their tutorials, and recordings of seconds. Rows are lines of JSON in
bench/results/contest/scale.jsonl; what is there is not run again, but for runs
that ended by a lower limit of time than --limit. The page says what the slopes tell of an hour.
"""

import argparse
import concurrent.futures
import itertools
import json
import pathlib
import sys
import tempfile

import cells
import recordings
import run

CELL = "mixed"
LIMITS = {"cpu_s": 40, "memory_gb": 16}  # of a run, if --limit says nothing else; the slope tells of an hour
AXES = {"units": (10, 24, 50, 100, 200, 500, 1000), "length_s": (15, 30, 60, 180, 600, 1800, 3600, 10800, 36000)}
SECONDS = (1, 2, 4, 8, 16, 32)  # lengths for methods that are left out
OTHER = {"units": 24, "length_s": 30}  # what a recording has of the other axis


def make(spikemine, shape, folder):
    """A recording of this shape. Seconds have room for no sequence, ten units for one, more have all three."""
    size = {"units": shape["units"], "duration": f"{shape['length_s']}s"}
    fewer = {"sequences": 0} if shape["length_s"] < 15 else {"sequences": 1} if shape["units"] < 21 else {}
    recordings.call(spikemine, "simulate", "probe", "--seed", str(cells.SEED), *recordings.options_of(CELL, size, **fewer),
                    "-o", folder / "recording.txt")  # fmt: skip
    return folder / "recording.txt"


def point(method, axis, value, options):
    shape = OTHER | {axis: value}
    key = {"cell": CELL, "method": method, "column": "own" if method in cells.LEFT_OUT else "rule", "seed": cells.SEED}
    with tempfile.TemporaryDirectory() as name:
        recording = make(options.spikemine, shape, pathlib.Path(name))
        row, _ = run.measure(key, LIMITS | {"cpu_s": options.limit}, options.spikemine, recording, pathlib.Path(name))
    return {"method": method, "axis": axis, "value": value, "limit_s": options.limit} | row


def limit_of(row):
    return row.get("limit_s", LIMITS["cpu_s"])  # rows of the first limit do not name it


def climb(method, axis, done, options, rows):
    """Runs from the smallest value up to the first that does not end."""
    for value in AXES[axis] if method in cells.METHODS else SECONDS:
        row = done.get((method, axis, value))
        if row is None or (row["outcome"] == "time" and limit_of(row) < options.limit):
            row = point(method, axis, value, options)
            print(json.dumps(row), file=rows, flush=True)
            print(f"{method}, {axis} {value}: {row['outcome']}, {row['cpu_s']} s", file=sys.stderr)
        if row["outcome"] != "done":
            return


def rows_of(path):
    """Rows by method, axis and value."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    made = [row for row in map(json.loads, lines) if "axis" in row]
    return {(row["method"], row["axis"], row["value"]): row for row in made}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default=",".join(cells.METHODS | cells.LEFT_OUT))
    parser.add_argument("--limit", type=int, default=LIMITS["cpu_s"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", type=pathlib.Path, default=run.RESULTS / "scale.jsonl")
    parser.add_argument("--spikemine", type=pathlib.Path, default=run.ROOT / "build/release/cli/spikemine")
    options = parser.parse_args()
    done = rows_of(options.rows)
    with open(options.rows, "a", encoding="utf-8") as rows, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        print(json.dumps(run.conditions(options.spikemine)), file=rows, flush=True)
        climbs = [pool.submit(climb, method, axis, done, options, rows)
                  for axis, method in itertools.product(AXES, options.methods.split(","))
                  if axis == "length_s" or method in cells.METHODS]  # fmt: skip
        for one in climbs:
            one.result()


if __name__ == "__main__":
    main()
