"""Reports with data made up: the page of src/report/page/web with the data that the library writes into it.

    python3 tests/page/reports.py FOLDER      writes some of them, to be looked at

They show what no recording of the tests shows: a million spikes, hostile labels, fields that are missing.
"""

import base64
import html
import json
import random
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "src/report/page/web"


def join(report, title="report"):
    """The page with its style, its script, and a report (an object, or text to be taken as it is)."""
    text = report if isinstance(report, str) else json.dumps(report, ensure_ascii=False)
    script = "\n".join((WEB / name).read_text() for name in (WEB / "order.txt").read_text().split())
    page = (WEB / "report.html").read_text()
    for marker, part in (
        ("SPIKEMINE-TITLE", html.escape(title)),
        ("/*SPIKEMINE-STYLE*/", (WEB / "report.css").read_text()),
        ("SPIKEMINE-DATA", text.replace("<", "\\u003c")),
        ("/*SPIKEMINE-SCRIPT*/", script),
    ):
        assert page.count(marker) == 1, marker
        page = page.replace(marker, part)
    return page


# ---- columns of numbers ------------------------------------------------------------------------------


def varints(numbers):
    """Base64 of LEB128, as the library writes it; written independently of the page that reads it."""
    out = bytearray()
    for number in numbers:
        assert number >= 0
        while number >= 128:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)
    return base64.b64encode(bytes(out)).decode()


def zigzag(number):
    return 2 * number if number >= 0 else -2 * number - 1


def spike_column(trains):
    deltas = []
    for train in trains:
        before = 0
        for time in train:
            deltas.append(time - before)
            before = time
    return {"n": len(deltas), "v": varints(deltas)}


def occurrence_column(rows):
    """rows: of each result its occurrences, each a list of times, in order of their first spikes."""
    numbers = []
    for occurrences in rows:
        first = 0
        for times in occurrences:
            numbers.append(times[0] - first)
            first = before = times[0]
            for time in times[1:]:
                numbers.append(zigzag(time - before))
                before = time
    return {"n": len(numbers), "v": varints(numbers)}


# ---- reports -------------------------------------------------------------------------------------------


def frame(kind, labels, trains, tick_s, span, start=0, segments=None):
    seconds = span * tick_s
    return {
        "format": "spikemine-report", "version": 1, "kind": kind, "title": "made up", "made_by": "spikemine 0.0",
        "command": f"spikemine {kind} made-up.txt", "notes": [],
        "summary": [f"{len(trains)} units, {sum(map(len, trains)):,} spikes in {seconds:g} s"],
        "settings": [["seed", "1"], ["input", "made-up.txt"]],
        "recording": {
            "name": "made up", "tick_s": tick_s, "start": start, "stop": span, "segments": segments or [[0, span]],
            "units": [
                {"label": label, "n": len(train), "rate": len(train) / seconds} for label, train in zip(labels, trains)
            ],
            "spikes": spike_column(trains),
        },
        "columns": [], "rows": [], "results": [], "occurrences": {"n": 0, "v": ""}, "test": None,
        "graph": {"edges": []},
    }  # fmt: skip


def planted_sequence(rng, trains, units, delays, times):
    """Adds occurrences of a sequence at `times` to the trains; returns them."""
    occurrences = []
    for time in times:
        spikes = [time]
        for low, high in delays:
            spikes.append(spikes[-1] + rng.randint(low + 1, high))
        for unit, spike in zip(units, spikes):
            trains[unit].append(spike)
        occurrences.append(spikes)
    return occurrences


def episodes(seed=1, n_units=40, span=600_000, tick_s=0.001, n_spikes=20_000, n_rows=60, start=0, most=60):
    """Poisson-like units and `n_rows` planted episodes; returns (report, truth)."""
    rng = random.Random(seed)
    trains = [[] for _ in range(n_units)]
    for _ in range(n_spikes):
        trains[min(n_units - 1, int(rng.random() ** 1.6 * n_units))].append(rng.randrange(span))
    rows, results, found = [], [], []
    for r in range(n_rows):
        size = 2 + rng.randrange(4)
        units = [rng.randrange(n_units) for _ in range(size)]
        delays = [rng.choice([(0, 5), (5, 10), (10, 20)]) for _ in range(size - 1)]
        times = sorted(rng.randrange(span - 200) for _ in range(3 + rng.randrange(most)))
        occurrences = planted_sequence(rng, trains, units, delays, times)
        name = f"u{units[0]}" + "".join(f" ({low},{high}ms] u{unit}" for (low, high), unit in zip(delays, units[1:]))
        score = round(rng.expovariate(0.25), 4)
        p = max(0.005, round(200 * 2.7182818 ** (-score)) / 200) if score < 9 else 0.005
        rows.append([name, size, len(times), round(len(times) * rng.random(), 5), score, min(1, p),
                     None if r % 7 == 3 else 10 ** (-rng.random() * 6)])  # fmt: skip
        results.append({"units": units, "lags": [list(delay) for delay in delays], "occurrences": len(times)})
        found.append(occurrences)
    for u, train in enumerate(trains):
        trains[u] = sorted(set(train))
    report = frame("episodes", [f"u{u}" for u in range(n_units)], trains, tick_s, span, start)
    report["columns"] = [
        {"key": "episode", "title": "episode", "help": "units and delays, in order", "type": "text"},
        {"key": "size", "title": "size", "help": "number of spikes", "type": "integer"},
        {"key": "count", "title": "count", "help": "occurrences that do not overlap", "type": "integer"},
        {"key": "expected", "title": "expected", "help": "mean count of surrogates", "type": "real"},
        {"key": "score", "title": "score", "help": "how rare it is", "type": "real"},
        {"key": "p", "title": "p", "help": "chance of such a score anywhere", "type": "real"},
        {"key": "fdr", "title": "fdr", "help": "false discovery rate", "type": "real"},
    ]
    report.update(rows=rows, results=results, occurrences=occurrence_column(found))
    report["test"] = {
        "method": "exact", "alpha": 0.05, "surrogates": 199, "name": "interval jitter", "scales": ["25ms"],
        "largest_scores": [[rng.gammavariate(9, 0.5) for _ in range(199)]],
        "significant": [row[5] <= 0.05 for row in rows],
    }  # fmt: skip
    edges = {}
    for row, result in zip(rows, results):
        for a, b in zip(result["units"], result["units"][1:]):
            edges.setdefault(
                (a, b), [a, b, row[2], round(row[2] - row[3], 2), "(5ms,10ms]" if (a + b) % 2 else "(0,5ms]"]
            )
    report["graph"] = {"edges": list(edges.values())}
    return report, {"trains": trains, "occurrences": found}


def patterns(seed=2, n_units=30, span=40_000, bin_ticks=5, n_rows=40, durations=True):
    """Patterns whose spikes lie in bins; the spikes of a bin in any order. Returns (report, truth)."""
    rng = random.Random(seed)
    trains = [[] for _ in range(n_units)]
    for _ in range(8000):
        trains[rng.randrange(n_units)].append(rng.randrange(span))
    rows, results, found = [], [], []
    for _ in range(n_rows):
        size = 3 + rng.randrange(4)
        units = rng.sample(range(n_units), size)
        bins = [0] + sorted(rng.randrange(1, 12) for _ in range(size - 1))
        starts = sorted(rng.sample(range(span // bin_ticks - 20), 8 + rng.randrange(20)))
        occurrences = [[(at + lag) * bin_ticks + rng.randrange(bin_ticks) for lag in bins] for at in starts]
        occurrences.sort(key=lambda times: times[0])
        for times in occurrences:
            for unit, time in zip(units, times):
                trains[unit].append(time)
        name = " ".join(f"n{unit}@{lag}" for unit, lag in zip(units, bins))
        rows.append([name, size, len(starts), bins[-1], rng.choice([0.005, 0.01, 0.03]), "yes"])
        results.append({"units": units, "lags": [lag * bin_ticks for lag in bins], "occurrences": len(starts)})
        found.append(occurrences)
    trains = [sorted(set(train)) for train in trains]
    report = frame("patterns", [f"n{u}" for u in range(n_units)], trains, 0.001, span)
    report["bin"] = bin_ticks
    titles = ["pattern", "spikes", "occurrences", "duration", "p", "significant"]
    types = ["text", "integer", "integer", "integer", "real", "text"]
    report["columns"] = [{"key": t, "title": t, "help": "", "type": k} for t, k in zip(titles, types)]
    report.update(rows=rows, results=results, occurrences=occurrence_column(found))
    spectrum, border = [], []
    for size in range(3, 8):
        for duration in range(12) if durations else [None]:
            for count in range(5, 30):
                p = min(1, max(0.005, 200 * 2.7 ** (-0.5 * (count - 5) - (size - 3)) / 200))
                here = sum(r[1] == size and r[2] == count and duration in (None, r[3]) for r in rows)
                spectrum.append([size, duration, count, p, here])
            border.append([size, duration, max(5, 12 - 2 * (size - 3))])
    report["test"] = {
        "method": "signature", "alpha": 0.05, "surrogates": 200, "name": "dither-spikes, 15 ms",
        "significant": [True] * len(rows), "spectrum": spectrum, "border": border,
    }  # fmt: skip
    return report, {"trains": trains, "occurrences": found}


def sequences(seed=6, n_units=12, span=20_000):
    """Two sequences whose spikes may be missing, the first one with hostile labels. Returns (report, truth)."""
    rng = random.Random(seed)
    trains = [[rng.randrange(span) for _ in range(60)] for _ in range(n_units)]
    rows, results, found, numbers = [], [], [], []
    parts = [{"key": "members", "title": "Members", "rows": []}, {"key": "occurrences", "title": "Occurrences", "rows": []}]
    labels = [HOSTILE[u] if u < 3 else f"n{u}" for u in range(n_units)]
    for units in ([0, 1, 2, 3, 4], [5, 6, 7]):
        lags = [20 * m for m in range(len(units))]
        starts = sorted(rng.sample(range(100, span - 300), 15))
        occurrences = [[None if rng.random() < 0.3 else at + lag + rng.randint(-3, 3) for lag in lags] for at in starts]
        for times in occurrences:
            for unit, time in zip(units, times):
                trains[unit] += [] if time is None else [time]
        before = 0
        for at, times in zip(starts, occurrences):
            numbers += [zigzag(at - before)] + [0 if time is None else 1 + zigzag(time - at) for time in times]
            before = at
        rows.append([len(rows) + 1, 0.01 * len(units), len(units), len(starts), 12.5, " ".join(labels[u] for u in units)])
        results.append({"units": units, "lags": lags, "spreads": [2.5] * len(units), "occurrences": len(starts)})
        found.append((starts, occurrences))
        parts[0]["rows"].append([[labels[u], lag / 1000, 0.0025, 0.7, 30 - m, 0.005 * (1 + m % 3), 0.01, 1e-5]
                                 for m, (u, lag) in enumerate(zip(units, lags))])  # fmt: skip
        parts[1]["rows"].append([[at / 1000, 10.5 + at % 7, 0.01, times.count(None)] for at, times in zip(starts, occurrences)])
    trains = [sorted(set(train)) for train in trains]
    report = frame("sequences", labels, trains, 0.001, span)
    columns = lambda *pairs: [{"key": key, "title": key, "help": "", "type": kind} for key, kind in pairs]
    report["columns"] = columns(("sequence", "integer"), ("p", "real"), ("members", "integer"),
                                ("occurrences", "integer"), ("statistic", "real"), ("units", "text"))  # fmt: skip
    parts[0]["columns"] = columns(("unit", "text"), ("lag_s", "real"), ("spread_s", "real"), ("share", "real"),
                                  ("score", "real"), ("member_p", "real"), ("member_q", "real"), ("split_p", "real"))  # fmt: skip
    parts[1]["columns"] = columns(("time_s", "real"), ("score", "real"), ("p", "real"), ("missing", "integer"))
    report.update(rows=rows, results=results, parts=parts, occurrences={"n": len(numbers), "v": varints(numbers)})
    return report, {"trains": trains, "occurrences": found}


def million(n_units=200, n_spikes=1_000_000):
    """Two hours at 30 kHz; rates that change, so that there is something to see."""
    rng = random.Random(3)
    span = 2 * 3600 * 30_000
    report, truth = episodes(n_units=4, n_rows=1, span=span, n_spikes=100)
    trains = []
    for u in range(n_units):
        n = n_spikes // n_units
        train = sorted(int(span * ((k + rng.random()) / n) ** (0.5 + rng.random())) if k % 3 else rng.randrange(span)
                       for k in range(n))  # fmt: skip
        trains.append(train)
    labels = [f"unit {u}" for u in range(n_units)]
    big = frame("episodes", labels, trains, 1 / 30000, span, segments=[[0, span // 3], [span // 3 + span // 50, span]])
    big.update({key: report[key] for key in ("columns", "rows", "results", "occurrences", "test")})
    return big, {"trains": trains, "occurrences": truth["occurrences"]}


def many_rows(n_rows=20_000):
    return episodes(seed=4, n_units=300, n_spikes=30_000, n_rows=n_rows, span=30_000_000, most=5)


HOSTILE = [
    "</script><script>document.title='broken'</script>", "<b>bold</b>", "&lt;", "x" * 300, "ξ₁ 単位 🧠", "שלום", "a b", '"q"',
    "", "__proto__",
]  # fmt: skip


def hostile():
    """Labels with markup, very long ones, Unicode; missing values; a result without occurrences."""
    rng = random.Random(5)
    trains = [sorted(rng.sample(range(5000), 50)) for _ in HOSTILE]
    found = [[[10, 20], [30, 45]], [], [[100, 90, 130]]]
    report = frame("episodes", HOSTILE, trains, 0.001, 5000, start=-2000)
    report["title"] = HOSTILE[0]
    report["columns"] = [
        {"key": "episode", "title": "episode <i>", "help": '"<help>"', "type": "text"},
        {"key": "count", "title": "count", "help": "", "type": "integer"},
        {"key": "p", "title": "p", "help": "", "type": "real"},
    ]
    report["rows"] = [[f"{HOSTILE[0]} {HOSTILE[3]}", 2, None], [None, None, 1e-12], [HOSTILE[4], 1, 0.5]]
    report["results"] = [
        {"units": [0, 3], "lags": [[0, 20]], "occurrences": 2}, {"units": [1], "lags": [], "occurrences": 0},
        {"units": [4, 5, 9], "lags": [[-20, 0], [0, 50]], "occurrences": 1},
    ]  # fmt: skip
    report["occurrences"] = occurrence_column(found)
    report["notes"] = ["<img src=x onerror=alert(1)>"]
    report["graph"] = {"edges": [[0, 3, 2, None, None], [4, 4, 1, None, None]]}
    return report, {"trains": trains, "occurrences": found}


def smallest():
    """One unit with one spike, and no result."""
    return frame("patterns", ["1"], [[0]], 0.001, 1), {"trains": [[0]], "occurrences": []}


def write_steps(source, target, time, unit, rate):
    """A bundled recording with its times as numbers of steps, which is what they are; columns time and unit."""
    rows = [line.split() for line in (WEB.parents[3] / "data" / source).read_text().splitlines() if line[:1].isdigit()]
    steps = sorted((int(float(row[time]) * rate + 0.5), row[unit]) for row in rows)
    target.write_text("".join(f"{step}\t{label}\n" for step, label in steps))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (episodes, patterns, sequences, million, many_rows, hostile, smallest):
        report, _ = make()
        (folder / f"{make.__name__}.html").write_text(join(report, report["title"]))


if __name__ == "__main__":
    main()
