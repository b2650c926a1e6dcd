#!/usr/bin/env python3
"""The pictures of docs/explanation/chance.md: a spike train, and what each null hypothesis may make of it.

bench/null_pictures.py [COMMAND]       COMMAND is build/release/cli/spikemine; writes docs/figures/null-*.svg

All draws are those of `spikemine surrogates`. Windows begin at an offset that comes from the seed and is not written
anywhere: it is the only one with which every draw keeps what windows keep.
"""

import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#555555", "#B8860B", "#332288")
WINDOW = 25  # ms, D
LENGTH = 300  # ms
CHECKED = 300  # draws that tell where windows begin
UNIT = [12, 15, 18, 31, 47, 50, 112, 115, 118, 134, 149, 152, 210, 213, 216, 231, 247, 262, 265]
OTHER = [25, 40, 61, 64, 140, 158, 171, 174, 236, 251, 254, 281]
TRIALS = [(0, 75), (75, 150), (150, 225), (225, 300)]
IN_TRIALS = [20, 23, 26, 51, 93, 96, 140, 172, 175, 178, 181, 215, 244, 252, 263, 290]
OTHER_IN_TRIALS = [30, 62, 102, 105, 108, 149, 183, 186, 261, 264, 267, 281]


def draws(command, units, arguments, number):
    """The recording's surrogates, each a list of trains."""
    with tempfile.TemporaryDirectory() as folder:
        spikes = sorted((t, u) for u, train in enumerate(units) for t in train)
        Path(folder, "rec.txt").write_text("".join(f"{t}\t{u}\n" for t, u in spikes))
        Path(folder, "trials.txt").write_text("".join(f"{start} {stop}\n" for start, stop in TRIALS))
        subprocess.run(
            [command, "surrogates", "rec.txt", "--columns", "time,unit", "--time-unit", "samples@1000", "-q", "-n",
             str(number), "-o", "out", "--seed", "4", "--start", "0ms", "--stop",
             f"{LENGTH}ms", *arguments],
            cwd=folder, check=True)  # fmt: skip
        found = []
        for path in sorted(Path(folder, "out").iterdir()):
            rows = [line.split() for line in path.read_text().splitlines() if line[0] not in "#t"]
            found.append([sorted(round(float(t) * 1000) for t, u in rows if int(u) == k) for k in range(len(units))])
        return found


def window_of(time, offset):
    return (time - offset) // WINDOW


def offset_of_windows(train, others, kept):
    """Where windows begin: what `kept` names of a train is in the same windows in all draws."""
    fits = [
        offset
        for offset in range(WINDOW)
        if all([window_of(t, offset) for t in kept(train)] == [window_of(t, offset) for t in kept(o)] for o in others)
    ]
    if len(fits) != 1:
        sys.exit(f"windows may begin at {fits}: take more draws")
    return fits[0]


def groups_of(train, history):
    """Number of each spike's group: pauses longer than the history part them."""
    numbers = [0]
    for before, after in zip(train, train[1:]):
        numbers.append(numbers[-1] + (after - before > history))
    return numbers


# ---- which spike of the recording a spike of a draw is -------------------------------------------


def moved_round(train, draw):
    """Of a train that was moved in a circle."""
    for by in range(LENGTH):
        moved = sorted(((t + by) % LENGTH, k) for k, t in enumerate(train))
        if [t for t, _ in moved] == draw:
            return [k for _, k in moved]
    sys.exit("a draw is no shift of the recording")


def trial_of(time):
    return next(k for k, (start, stop) in enumerate(TRIALS) if start <= time < stop)


def dealt(train, draw):
    """The trial that each spike of a draw was in; trials differ from each other."""
    own = {tuple(t - start for t in train if start <= t < stop): k for k, (start, stop) in enumerate(TRIALS)}
    return [own[tuple(t - TRIALS[trial_of(d)][0] for t in draw if trial_of(t) == trial_of(d))] for d in draw]


# ---- drawing -------------------------------------------------------------------------------------

LEFT, RIGHT, ROW, SCALE = 96, 14, 26, 1.75  # pixels


def x_of(time):
    return LEFT + time * SCALE


def line(x1, y1, x2, y2, colour, width=1.0, dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{colour}" stroke-width="{width:g}"{dashes}/>'


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def draw_row(y, label, train, colours, joined):
    """A train; lines below its spikes join those of one group."""
    out = [text(LEFT - 10, y + 13, label, "end")]
    groups = {}
    for k, (t, colour) in enumerate(zip(train, colours)):
        out.append(line(x_of(t), y + 2, x_of(t), y + 17, COLOURS[colour % len(COLOURS)], 2))
        groups.setdefault(joined[k] if joined else k, []).append(k)
    for own in groups.values():
        if len(own) > 1:
            colour = COLOURS[colours[own[0]] % len(COLOURS)]
            out.append(line(x_of(train[own[0]]), y + 20, x_of(train[own[-1]]), y + 20, colour, 1.5))
    return out


def save(name, title, rows, borders, lengths):
    """rows: (label, train, colours, groups or None). lengths: (name, ms) that are drawn above."""
    top = 30 if lengths else 10
    bottom = top + ROW * len(rows)
    width, height = LEFT + LENGTH * SCALE + RIGHT, bottom + 36
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" fill="#222">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
    ]
    out += [line(x_of(t), top - 4, x_of(t), bottom, "#aaa", 1, "3 3") for t in borders]
    x = x_of(borders[0] if borders else 0)
    for words, ms in lengths:
        out += [line(x, 12, x + ms * SCALE, 12, "#222", 3), text(x + ms * SCALE + 6, 16, words)]
        x += ms * SCALE + 110
    for k, row in enumerate(rows):
        out += draw_row(top + ROW * k, *row)
    out.append(line(x_of(0), bottom + 2, x_of(LENGTH), bottom + 2, "#222"))
    for t in range(0, LENGTH + 1, 50):
        out += [line(x_of(t), bottom + 2, x_of(t), bottom + 6, "#222"), text(x_of(t), bottom + 18, str(t), "middle", 11)]
    out += [text(x_of(LENGTH / 2), bottom + 31, "Time (ms)", "middle", 11), "</svg>", ""]
    (ROOT / f"docs/figures/null-{name}.svg").write_text("\n".join(out))


def borders_from(offset):
    return [t for t in range(offset, LENGTH + 1, WINDOW)]


def of_windows(command, name, method, history, kept, joined):
    """A null of one unit within windows."""
    more = ["--history", f"{history}ms"] if history else []
    found = [d[0] for d in draws(command, [UNIT], ["--method", method, "--dither", f"{WINDOW}ms", *more], CHECKED)]
    offset = offset_of_windows(UNIT, found, kept)
    groups = groups_of(UNIT, history)
    rows = [
        (label, train, groups if joined else [window_of(t, offset) % 2 for t in train], groups if joined else None)
        for label, train in zip(("recording", "draw 1", "draw 2"), (UNIT, found[0], found[1]))
    ]
    lengths = [(f"D = {WINDOW} ms", WINDOW)] + ([(f"R = {history} ms", history)] if history else [])
    save(name, f"A spike train and two draws of {name}", rows, borders_from(offset), lengths)


def of_pairs(command, name, method, units, identity, colours, borders, arguments=()):
    """A null that moves whole trains or trials, each unit on its own."""
    found = draws(command, units, ["--method", method, *arguments], 2)
    rows = []
    for label, trains in zip(("recording", "draw 1", "draw 2"), (units, *found)):
        for u, train in enumerate(trains):
            rows.append((f"{label}, {'AB'[u]}", train, identity(units[u], train, colours(units[u])), None))
    save(name, f"Two spike trains and two draws of {name}", rows, borders, [])


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/cli/spikemine")
    of_windows(command, "interval-jitter", "interval-jitter", 0, lambda train: train, False)
    of_windows(command, "pattern-jitter", "pattern-jitter", 10, lambda train: train, True)
    firsts = [0] + [k for k in range(1, len(UNIT)) if UNIT[k] - UNIT[k - 1] > 30]
    of_windows(command, "shift", "shift-pieces", 30, lambda train: [train[k] for k in firsts], True)
    of_pairs(command, "trials", "deal-trials", [IN_TRIALS, OTHER_IN_TRIALS], lambda own, draw, _: dealt(own, draw),
             lambda own: None, [start for start, _ in TRIALS] + [LENGTH], ["--trials", "trials.txt"])  # fmt: skip
    of_pairs(command, "shift-apart", "shift-apart", [UNIT, OTHER],
             lambda own, draw, colours: [colours[k] for k in moved_round(own, draw)],
             lambda own: groups_of(own, 30), [])  # fmt: skip


if __name__ == "__main__":
    main()
