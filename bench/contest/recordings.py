"""Recordings of the contest, made by `spikemine simulate probe`, and what was planted."""

import json
import statistics
import subprocess

import cells


def options_of(cell, shape, **last):
    """Command-line options of a cell's recordings; `last` has the last word. A background has its own units and length."""
    shape = {name: shape[name] for name in ("duration", "units")} | cells.BASE
    for name, value in (({} if "background" in last else shape) | {"sequences": 0} | cells.CELLS[cell][2] | last).items():
        yield f"--{name}"
        if value is not True:
            yield str(value)


def piece_of(spikemine, name, size, data, folder):
    """The beginning of a real recording, as long as the other recordings are."""
    piece = folder / "background.txt"
    call(spikemine, "convert", data / cells.BACKGROUNDS[name], piece, "--stop", cells.SIZES[size]["duration"])
    return piece


def call(spikemine, *words):
    subprocess.run([spikemine, *words, "--force", "-q"], check=True, capture_output=True, text=True)


def make(spikemine, cell, size, seed, data, folder):
    """Files of a recording and its truth."""
    recording, truth = folder / "recording.txt", folder / "truth.json"
    name = cells.CELLS[cell][2].get("background")
    last = {"background": piece_of(spikemine, name, size, data, folder)} if name else {}
    call(spikemine, "simulate", "probe", "--seed", str(seed), *options_of(cell, cells.SIZES[size], **last), "-o", recording,
         "--truth", truth)  # fmt: skip
    return recording, truth


def read(recording):
    """Times in seconds and labels, in the order of time."""
    with open(recording, encoding="utf-8") as lines:
        words = [line.split() for line in lines if line[0].isdigit()]
    return [float(word[0]) for word in words], [word[1] for word in words]


def direction(lags, times):
    """1 where spikes come in the order of the lags, -1 where in the reverse order, 0 for synchrony."""
    there = [(lag, time) for lag, time in zip(lags, times) if time is not None]
    if len(there) < 2 or there[0][0] == there[-1][0]:
        return 0
    return 1 if statistics.correlation(*zip(*there)) >= 0 else -1 if len({time for _, time in there}) > 1 else 0


def moment(lags, times):
    return statistics.median(time - lag for lag, time in zip(lags, times) if time is not None)


def planted_of(truth):
    """The planted sequences; occurrences in reverse order are a sequence of their own."""
    out = []
    for chain in truth["chains"]:
        lags = [0.0]
        for delay in chain["delays_s"]:
            lags.append(lags[-1] + delay)
        rows = [row for row in chain["times_s"] if sum(time is not None for time in row) >= 2]
        back = [row for row in rows if direction(lags, row) < 0]
        out.append({"units": chain["units"], "lags_s": lags,
                    "times_s": [moment(lags, row) for row in rows if row not in back]})  # fmt: skip
        if len(back) > len(rows) / 20:
            mirrored = [lags[-1] - lag for lag in reversed(lags)]
            out.append({"units": chain["units"][::-1], "lags_s": mirrored,
                        "times_s": [moment(mirrored, row[::-1]) for row in back]})  # fmt: skip
    return out


def truth_of(path):
    return planted_of(json.loads(path.read_text(encoding="utf-8")))
