#!/usr/bin/env python3
"""The validation of Stella et al. (2019) with Elephant, on recordings that spikemine wrote.

    spikemine-bench-significance validation --runs 10 --trains FOLDER
    bench/validation_elephant.py FOLDER -o elephant.tsv [--surrogates 1000] [--processes 2]
                                 [--seconds S] [--keys FIRST:STOP]

As published, the surrogates of each background's first realisation judge all runs of that background. They are made
in pieces of 10, whose p-value spectra add up to the one of all. Pieces and rows are kept in files beside the output, and a
repeated call goes on from them. With --seconds no piece and no run begins later than that; half of the time at most goes
into surrogates, and then as many of them count as each background has.

Rows: key, background, size, occurrences, realisation, patterns mined, whether the planted one is found, and how many
others. Needs elephant 1.2.1, statsmodels.
"""

import argparse
import collections
import json
import multiprocessing
import pathlib
import time
import warnings

import neo
import numpy as np
import quantities as pq

warnings.filterwarnings("ignore")
import elephant.spade as spade  # noqa: E402

WINDOW, LAG, UNITS, PIECE = 50, 5, 100, 10
BIN = 1 * pq.ms
LIMITS = {"min_spikes": 3, "min_occ": 3}


def read_trains(path):
    units = [[] for _ in range(UNITS)]
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line[0].isdigit():
                seconds, unit = line.split()
                units[int(unit)].append(float(seconds))
    return [neo.SpikeTrain(np.array(times) * pq.s, t_stop=1 * pq.s) for times in units]


def surrogate_piece(job):
    """Numbers of surrogates that reach each (size, count, duration), of PIECE surrogates."""
    path, background, piece, end = job
    if time.monotonic() > end:
        return None
    np.random.seed(1000 * background + piece)
    begin = time.perf_counter()
    spectrum = spade.pvalue_spectrum(read_trains(path), BIN, WINDOW, 5 * pq.ms, PIECE, spectrum="3d#", **LIMITS)
    reached = [[int(size), int(count), int(duration), round(p * PIECE)] for size, count, duration, p in spectrum]
    return background, piece, time.perf_counter() - begin, reached


def whole_spectrum(pieces):
    """The p-value spectrum of all pieces, in Elephant's order: size, duration, count."""
    reached = collections.Counter()
    for piece in pieces:
        for size, count, duration, n in piece:
            reached[size, duration, count] += n
    total = PIECE * len(pieces)
    return [[size, count, duration, n / total] for (size, duration, count), n in sorted(reached.items()) if n > 0]


def place(key):
    return key // 64 % 4, 3 + key // 8 % 8, 3 + key % 8, key // 256


def run(job):
    folder, key, spectrum, end = job
    if time.monotonic() > end:
        return None
    background, size, occurrences, realisation = place(key)
    concepts, _ = spade.concepts_mining(read_trains(folder / f"{key}.txt"), BIN, WINDOW, report="a", **LIMITS)
    mined = len(concepts)
    none = spade.test_signature_significance(spectrum, concepts, 0.01, WINDOW, corr="holm", report="non_significant",
                                             spectrum="3d#") if spectrum else []
    none = {tuple(int(value) for value in row) for row in none}
    concepts = [c for c in concepts if spade._pattern_spectrum_filter(c, none, "3d#", WINDOW)]
    concepts = spade.pattern_set_reduction(concepts, none, WINDOW, "3d#", h_subset_filtering=2, k_superset_filtering=0,
                                           l_covered_spikes=0, **LIMITS)
    planted = tuple(unit * WINDOW + unit * LAG for unit in range(size))
    found = sum(tuple(sorted(map(int, c[0]))) == planted for c in concepts)
    return key, background, size, occurrences, realisation, mined, found, len(concepts) - found


def numbered(path):
    if not path.exists():
        return []
    with open(path, encoding="ascii") as lines:
        return [line for line in lines if line.endswith("\n") and line[0].isdigit()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--surrogates", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--keys", default="0:2560")
    options = parser.parse_args()
    begin = time.monotonic()
    middle, end = begin + options.seconds / 2, begin + options.seconds

    kept = options.output.with_suffix(".pieces.json")
    pieces = json.loads(kept.read_text()) if kept.exists() else []
    have = {(piece["background"], piece["piece"]) for piece in pieces}
    jobs = [(options.folder / f"background{b}.txt", b, k, middle) for k in range(options.surrogates // PIECE) for b in range(4)
            if (b, k) not in have]
    with multiprocessing.Pool(options.processes) as pool:
        for done in pool.imap_unordered(surrogate_piece, jobs):
            if done is not None:
                pieces.append(dict(zip(("background", "piece", "seconds", "reached"), done)))
                kept.write_text(json.dumps(pieces))
    of = [[p["reached"] for p in pieces if p["background"] == b] for b in range(4)]
    most = min(map(len, of))
    spectra = [whole_spectrum(part[:most]) for part in of]

    done = {int(line.split("\t")[0]) for line in numbered(options.output)}
    first, stop = map(int, options.keys.split(":"))
    jobs = [(options.folder, key, spectra[place(key)[0]], end) for key in range(first, stop) if key not in done]
    with multiprocessing.Pool(options.processes) as pool, open(options.output, "a", encoding="ascii") as out:
        if not done:
            print(f"# Elephant 1.2.1, {most * PIECE} surrogates of each background, "
                  f"{np.mean([p['seconds'] for p in pieces]) / PIECE:.2f} s each", file=out)
            print("key\tbackground\tsize\toccurrences\trealisation\tpatterns\tfound\tothers", file=out)
        for row in pool.imap_unordered(run, jobs):
            if row is not None:
                print(*row, sep="\t", file=out, flush=True)


if __name__ == "__main__":
    main()
