#!/usr/bin/env python3
"""Recordings of unusual kinds whose units were shifted apart: how often is anything found, and is a planted chain?

    PYTHONPATH=build/release/python bench/unusual.py [--copies 40] [--kinds a,b] [--what c,d] [--plant 30] [--null NAME]

A copy is a recording of its own, drawn here and by no simulator of ours. Each unit is moved in a circle by an amount of
its own, so that every finding is false; promised are findings in 5 % of the copies. With --plant, a chain of four units
is put in so many times, with delays of 1.5 to 8.5 ms and at random moments; counted are copies in which a result has
all four in order. Delays of episodes are 0 to 5 and 5 to 10 ms, patterns have bins of 5 ms and 6 of them a window,
supports are chosen, and all else is the default, but for the numbers of surrogates: 39, of sequences 19.
"""

import argparse
import itertools
import warnings

import numpy as np
import spikemine as sm
from significance_report import share


def renewal(draw, rate, stop, shape=4.0):
    """A unit with a refractory period of 3 ms; regular where the shape is large."""
    steps = 0.003 + draw.gamma(shape, (1 / rate - 0.003) / shape, int(2 * rate * stop) + 20)
    return draw.uniform(0, 1 / rate) + np.cumsum(steps)


def renewals(n, low, high, shape=4.0):
    return lambda draw, stop: [renewal(draw, draw.uniform(low, high), stop, shape) for _ in range(n)]


def bursts(draw, starts, most, gaps):
    return np.concatenate([[], *(t + np.cumsum(draw.uniform(*gaps, draw.integers(1, most + 1))) for t in starts)])


def place(draw, stop):
    """Laps of 10 s; bursts at each cycle of theta within the unit's field. The frequency of theta wanders."""
    theta = np.cumsum(1 / np.clip(8 + np.cumsum(draw.normal(0, 0.1, int(9 * stop))), 6, 10))
    in_fields = [theta[np.abs(np.abs(theta / 5 % 2 - 1) - field) < 0.15] for field in draw.uniform(0, 1, 10)]
    return [bursts(draw, at + draw.normal(0, 0.01), 4, (0.004, 0.007)) for at in in_fields]


def updown(draw, stop):
    edges = np.cumsum(draw.uniform(0.2, 0.9, int(2 * stop))).reshape(-1, 2)
    return [np.concatenate([draw.uniform(a, b, draw.poisson(rate * (b - a))) for a, b in edges])
            for rate in draw.uniform(3, 20, 8)]


def stimulus(draw, stop):
    """Responses of 10 ms about 100 ms behind stimuli at irregular times."""
    at = np.cumsum(draw.uniform(0.7, 1.3, int(stop)))
    lags = draw.uniform(0.06, 0.14, 8)
    return [np.append(at + lag + draw.normal(0, 0.005, len(at)), renewal(draw, 4, stop)) for lag in lags]


KINDS = {  # length in s, ticks a second, units
    "place cells": (60, 30000, place),
    "complex spikes": (60, 30000, lambda d, s: [bursts(d, u, 7, (0.002, 0.005)) for u in renewals(8, 0.5, 3, 1)(d, s)]),
    "UP and DOWN states": (40, 30000, updown),
    "drifting rates": (60, 30000, lambda d, s: [s * (u / s) ** d.choice([0.4, 2.5]) for u in renewals(8, 6, 6)(d, s)]),
    "stimulus": (60, 30000, stimulus),
    "three units": (30, 30000, renewals(3, 4, 15)),
    "150 slow units": (60, 30000, renewals(150, 0.05, 0.3, 1)),
    "10 s": (10, 30000, renewals(10, 2, 15)),
    "whole milliseconds": (30, 1000, renewals(8, 3, 15)),
    "doubled": (30, 30000, lambda d, s: [np.append(u, u[d.random(len(u)) < 0.2]) for u in renewals(8, 6, 6)(d, s)]),
    "one stretch": (40, 30000, lambda d, s: [s / 3 + u[u < 3] for u in [renewal(d, 50, 3)]] + renewals(7, 8, 8)(d, s)),
    "pacemakers": (40, 30000, renewals(8, 5, 20, 300)),
}


def copy_of(name, number, plant):
    stop, rate, kind = KINDS[name]
    draw = np.random.default_rng([list(KINDS).index(name), number])
    units = [(u[(u >= 0) & (u < stop)] + draw.uniform(0, stop)) % stop for u in kind(draw, stop)]
    chain = draw.permutation(len(units))[:4]
    starts = draw.uniform(0, stop - 0.05, plant)
    for unit, lag in zip(chain, np.cumsum([0, *draw.uniform(0.0015, 0.0085, len(chain) - 1)])):
        units[unit] = np.concatenate([units[unit], starts + lag + draw.uniform(0, 0.0005, plant)])
    columns = np.concatenate([[np.floor(u * rate), np.full(len(u), k)] for k, u in enumerate(units)], axis=1)
    ticks, column = columns[:, np.lexsort(columns[::-1])].astype(np.int64)
    return sm.Recording(ticks, column, rate=rate, start=0, stop=f"{stop}s"), [str(u) for u in chain]


def look(recording, what, o, seed):
    own = {"seed": seed, "threads": 1} | {k: v for k, v in (("null", o.null), ("history", o.history)) if v}
    test = own | {"test": "exact", "surrogates": 39, "support_time": "2s"}
    if what == "explore":
        found = sm.explore(recording, time=o.time, **own)
        both = {"explore, episodes": found.episodes or [], "explore, sequences": found.sequences or []}
        return both | {"explore": [one for part in both.values() for one in part]}
    if what == "sequences":
        return {what: sm.sequences(recording, surrogates=19, **own)}
    if what == "episodes":
        return {what: sm.episodes(recording, ["0:5ms", "5ms:10ms"], "auto", max_size=5, **test)}
    return {what: sm.patterns(recording, "5ms", 6, support="auto", max_spikes=5, **test)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    defaults = {"copies": 40, "kinds": ",".join(KINDS), "what": "episodes,patterns,sequences,explore", "plant": 0}
    for name, default in (defaults | {"null": "", "history": "", "time": "300ms"}).items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    o = parser.parse_args()
    warnings.simplefilter("ignore")
    hits = {}
    for name, number, what in itertools.product(o.kinds.split(","), range(o.copies), o.what.split(",")):
        recording, chain = copy_of(name, number, o.plant)
        for part, found in look(recording, what, o, number + 1).items():
            rests = [iter(found[k].units) for k in range(len(found))]
            hit = any(not o.plant or all(unit in rest for unit in chain) for rest in rests)
            hits.setdefault((name, part), []).append(hit)
            hits.setdefault(("all kinds", part), []).append(hit)
    print("| kind | results | copies | found in, % |\n|---|---|---|---|")
    for (name, part), row in sorted(hits.items()):
        print(f"| {name} | {part} | {len(row)} | {share(sum(row), len(row))} |")


if __name__ == "__main__":
    main()
