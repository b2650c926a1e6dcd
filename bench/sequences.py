#!/usr/bin/env python3
"""Planted sequences that `sequences` finds, the songbird's two, and copies of it whose units are shifted apart.

    PYTHONPATH=build/release/python bench/sequences.py [--recordings 8] [--rows a,b] [--copies 100] [--null NAME]

A recording has 40 units with log-normal rates of mean 5 Hz, 90 s, and two sequences whose members follow each other
every 10 to 30 ms. Each spike is jittered by itself. A sequence is found when half of its members are, each within
15 ms. Members are right when they are in the sequence, occurrences when they are within 20 ms. Seeds begin at 5000, and
none of these recordings was used to choose a constant of the search.
"""

import argparse
import datetime
import platform
import subprocess
import time
from pathlib import Path

import numpy as np

import spikemine as sm

ROOT = Path(__file__).resolve().parent.parent
SEED, UNITS, SECONDS, RATE = 5000, 40, 90, 100_000
# name: jitter (s), members from .. to, share of spikes missing, repeats
ROWS = {
    "3 ms, 10 units, 20 %, 25": (0.003, 10, 10, 0.2, 25),
    "5 ms, 10 units, 30 %, 25": (0.005, 10, 10, 0.3, 25),
    "5 ms, 10 units, 30 %, 15": (0.005, 10, 10, 0.3, 15),
    "5 ms, 6 units, 30 %, 30": (0.005, 6, 6, 0.3, 30),
    "5 ms, 15 units, 40 %, 15": (0.005, 15, 15, 0.4, 15),
    "5 ms, 4 to 7 units, 30 %, 30": (0.005, 4, 7, 0.3, 30),
}


def starts(draw, repeats, span):
    """Moments that leave room for each other."""
    while True:
        found = np.sort(draw.uniform(0.1, SECONDS - 1, repeats))
        if np.all(np.diff(found) > span + 0.05):
            return found


def plant(seed, row):
    """A recording, and the units, lags and times of its sequences."""
    jitter, least, most, missing, repeats = ROWS[row]
    draw = np.random.default_rng(seed)
    rates = 5 * np.exp(draw.normal(-0.5, 1, UNITS))
    times = [draw.uniform(0, SECONDS, draw.poisson(rate * SECONDS)) for rate in rates]
    planted = []
    for _ in range(2):
        units = draw.permutation(UNITS)[: draw.integers(least, most + 1)]
        lags = np.concatenate([[0], np.cumsum(draw.uniform(0.01, 0.03, len(units) - 1))])
        at = starts(draw, repeats, lags[-1])
        for unit, lag in zip(units, lags):
            spikes = at + lag + draw.normal(0, jitter, repeats)
            times[unit] = np.concatenate([times[unit], spikes[draw.random(repeats) >= missing]])
        planted.append((units, lags, at))
    units = np.repeat(np.arange(UNITS), [len(t) for t in times])
    ticks = np.floor(np.concatenate(times) * RATE).astype(np.int64)
    return sm.Recording(ticks, units, rate=RATE, start=0, stop=SECONDS), planted


def match(one, truth):
    """Right members, and where the first found member stands in the planted sequence."""
    units, lags, _ = truth
    lag_of = dict(zip(units.tolist(), lags))
    shifts = [lag_of[int(u)] - lag for u, lag in zip(one.units, one.lag_s) if int(u) in lag_of]
    if not shifts:
        return 0, 0.0
    shift = float(np.median(shifts))
    return sum(abs(s - shift) < 0.015 for s in shifts), shift


def measure(row, recordings, null):
    sums, seconds = np.zeros(8), 0.0
    for seed in range(SEED, SEED + recordings):
        recording, planted = plant(seed, row)
        begin = time.process_time()
        found = sm.sequences(recording, "300ms", "50ms", null=null, surrogates=19, max_sequences=2, seed=seed)
        seconds += (time.process_time() - begin) / (20 * found.rounds)
        left = list(planted)
        for one in found:
            scores = [match(one, truth) for truth in left]
            best = max(range(len(left)), key=lambda k: scores[k][0], default=None)
            right, shift = scores[best] if best is not None else (0, 0.0)
            if best is None or right < len(left[best][0]) / 2:
                sums[7] += 1
                continue
            units, _, at = left.pop(best)
            near = np.abs(one.times_s[:, None] - shift - at[None, :]) < 0.02
            sums[:7] += [1, right / len(units), right, len(one.units), near.any(axis=0).mean(),
                         near.any(axis=1).sum(), len(one.times_s)]
    n = 2 * recordings
    found, recall, right, members, hit, true, occurrences, others = sums
    return (
        f"| {row} | {found / n:.2f} | {recall / n:.2f} / {right / max(members, 1):.2f} | "
        f"{hit / n:.2f} / {true / max(occurrences, 1):.2f} | {others:.0f} | {seconds / recordings:.2f} s |"
    )


def order_correlation(one):
    """Of the numbers of the units with their lags, among those of the half that most of them are in."""
    numbers = np.array([float(u) for u in one.units])
    same = (numbers >= 38) == (np.mean(numbers >= 38) > 0.5)
    ranks = np.argsort(np.argsort(numbers[same]))
    return np.corrcoef(ranks, np.argsort(np.argsort(one.lag_s[same])))[0, 1]


def frames():
    """The songbird with frames of 1/30 s as ticks, so that surrogates move spikes by whole frames."""
    recording = sm.read(ROOT / "data/songbird_spikes.txt", sort=True)
    ticks = np.round(recording.times * 30).astype(np.int64)
    return ticks, np.array(recording.units), recording.labels


def songbird(null):
    ticks, units, labels = frames()
    recording = sm.Recording(ticks, units, labels=labels, rate=30, start=0)
    for member_q in (0, 0.1):
        found = sm.sequences(recording, "600ms", "8/30s", null=null, member_q=member_q, max_sequences=3)
        for k, one in enumerate(found):
            yield (f"| {member_q} | {k + 1} | {one.p:.2f} | {len(one.units)} | "
                   f"{sum(float(u) >= 38 for u in one.units)} | {len(one.times_s)} | {order_correlation(one):.2f} |")


def shifted(copies, null):
    """Copies of the songbird with each unit shifted in a circle, and how many have p <= 0.05."""
    ticks, units, labels = frames()
    stop, alarms = int(np.max(ticks)) + 1, 0
    for seed in range(SEED, SEED + copies):
        move = np.random.default_rng(seed).integers(0, stop, len(labels))
        moved = sm.Recording((ticks + move[units]) % stop, units, labels=labels, rate=30, start=0,
                             stop=f"{stop}/30s", sort=True)
        alarms += len(sm.sequences(moved, "600ms", "8/30s", null=null, surrogates=19, max_sequences=1, seed=seed))
    return alarms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recordings", type=int, default=8)
    parser.add_argument("--rows", default=",".join(map(str, range(len(ROWS)))))
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--null", default="shift-apart")
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    print("# Planted sequences that are found\n")
    print(f"Made by `bench/sequences.py --recordings {options.recordings} --copies {options.copies} "
          f"--null {options.null}` on {datetime.date.today()}, commit {commit.stdout.strip()}, {platform.machine()}.")
    print("19 surrogates; members by their family-wise p. The script says what is planted, and when something is right.\n")
    print("| delay jitter, units, missing, repeats | sequences found | members: recall / precision "
          "| occurrences: recall / precision | others found | a search |")
    print("|---|---|---|---|---|---|")
    for k in filter(None, options.rows.split(",")):
        print(measure(list(ROWS)[int(k)], options.recordings, options.null), flush=True)
    print("\n## Songbird\n\nLongest lag 600 ms, jitter 8 frames. Units of the data are numbered in "
          "the order of two sequences, those from 38 on of one of them.\n")
    print("| member_q | sequence | p | members | of them units from 38 on | occurrences | order correlation |")
    print("|---|---|---|---|---|---|---|")
    for line in songbird(options.null):
        print(line, flush=True)
    if options.copies:
        alarms = shifted(options.copies, options.null)
        print(f"\nOf {options.copies} copies whose units were shifted apart {alarms} have a sequence.")


if __name__ == "__main__":
    main()
