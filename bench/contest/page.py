#!/usr/bin/env python3
"""The page of the contest, from the rows that are there: bench/contest/page.py >bench/results/contest.md

Intervals are 95 %: of means over recordings by Student's t, of shares of recordings by Clopper and Pearson. A run that
failed, or reached its limit of time or memory, has found nothing: it counts as 0, and is named.
"""

import itertools
import json
import math
import statistics
import textwrap

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "contest", "font.size": 8})
import cells  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import run  # noqa: E402
import scale  # noqa: E402
from scipy import stats  # noqa: E402

MARKS = {"failed": "failed", "time": "time", "memory": "memory"}
ALL = "all of these"
# Why another method is better in a cell, by column or method of ours, and cell. Each was looked for in single runs.
CAUSES = {
    ("spikemine sequences", "none, stimulus"): "Its default null moves each unit by any amount, so that rates that change "
    "together are an answer, and here they have an order: units answer for 50 ms, each with a latency of its own. With the column "
    "rule a note says so in 7 of the 9; `--null shift` has a result in 6 of the 20, and 5 have one with both.",
    ("spikemine sequences", "none, slow rates"): "Its default null moves each unit by any amount, so that rates that "
    "change together are an answer: of 40 more recordings of the cell (seeds 20000 to 20039, column rule) 8 have a result. With "
    "`--null shift` 1 has one, and without slow rates none of 40. Of the 20 of the column rule 5 have one, each with a note that "
    "says so, and 4 have one with `--null shift`. With it the planted ones are found as well: F1 of pairs, members and occurrences "
    "of seeds 7000 to 7005 in each cell differ by 0.02 at most.",
    ("rule", "nested"): "All right pairs are found; in 5 of the 20 recordings a sequence has a member or two too many, in 15 to 37 % of its occurrences.",
    ("own", "nested"): "All right pairs are found; in 3 of the 20 recordings a sequence has a member or two too many, in 15 to 37 % of its occurrences.",
    ("spikemine sequences", "none, culture"): "Of the 20 of the column rule 2 have one, and 3 with `--null shift`: no cause but chance is known.",
    ("spikemine patterns", "none, slow rates"): "Of 200 more recordings of the cell (seeds 20000 to 20199, column rule) 12 have a "
    "result, and 10 of 200 without slow rates: chance.",
}
# The same of one of our methods by itself, where its recall and precision do not say enough.
CAUSES_OF_ONE = (
    "`episodes` and `patterns` need whole occurrences. In hard, where 30 % of the spikes are missing, a sequence of six is whole in "
    "an eighth of them; in long, with 20 % and 10 units or more, in a ninth or fewer.",
    "With the column rule they have nearly all right pairs in slow, shared and nested, and wrong ones beside them. Of 126 wrong "
    "pairs in two recordings of each, 81 have a unit of no sequence, 38 join units of two sequences, 7 are in the wrong order. "
    "They are parts of variants that the other units make significant; a correlogram judges each pair by itself.",
    "In nested the inner sequence is planted alone and within the outer one, and its truth has the first alone. Results of both "
    "belong to both, so that whoever finds every occurrence of either has an F1 of 0.67 of occurrences.",
    "In the column own `episodes` begins with what `info --suggest` gives. In warped and nested (seed 7000) that is delays up to 40 "
    "ms, support 6 and 499 surrogates: all right pairs are found, and 67 and 52 wrong ones in 160 and 133 episodes, most with a "
    "unit of no sequence. In synchrony it suggests delays from above 0 to 5 or 10 ms: spikes that come together come in another "
    "order each time, and pieces are found. Where it suggests nothing, delays up to 10 ms are taken; in slow (seed 7000) steps of "
    "15 to 50 ms are longer than that.",
    "Where there is no asterisk, intervals overlap.",
)
WHY_LEFT_OUT = {
    "Elephant ASSET": "Its matrix has a number for each two bins of 3 ms. Reckoned on with the square of the length, 30 s take "
    "some 7 GB, and each cell ends by 4 GB or 120 s. Most of the time is the joint probability of neighbours, which Elephant "
    "computes in Python here; its version for GPUs is a hundred to a thousand times quicker, as its documentation says. Nor "
    "is any cell a question for it. It looks for waves of groups of synchronous units that come twice, and our generator "
    "plants sequences of single units. With 100 units, and 20 groups of 5 within 60 ms, it finds the wave in 0.9 s of spikes "
    "(test_contest.py).",
}
NOT_EQUAL = (
    "The contest is ours, and so are its cells. The generator plants fixed lags with jitter, which is what `spikemine sequences` "
    "takes for granted; the cells warped, adding jitter, reversed, shared and nested depart from it. We enter with three methods: "
    "the best one of ours is the best of three. Below it each of them is beside the others by itself.",
    "Recordings are small. SPADE is used with a hundred units and with trials, CAD with longer recordings, PPSeq and seqNMF "
    "where sequences are most of what happens; here they are a small share of the spikes.",
    "SPADE and CAD are those of Elephant, SPADE with its compiled miner. CAD's authors have a program of their own. In the cells "
    "slow, long and warped a window of the column rule holds many spikes. SPADE reaches the limit of time in two recordings of each, "
    "and counts as 0 there.",
    "SPADE's column own asks for 10 occurrences, as a study of longer recordings does. Where 12 are planted, whole ones of "
    "that number are hardly left.",
    "Correlograms in the column own have bins of 1 ms and jitter of 5 ms, as for direct connections between cells. Links "
    "that vary by several ms are no question for these; the column rule has wider ones.",
    "Correlograms and PPSeq are our programs after the published descriptions, not their authors'. PPSeq is without its moves "
    "that split and merge, and without warping. It has 4 types, or the 2 of its example, where 1 to 4 are planted, and is run "
    "once: its authors choose the number, and the best of several runs, by the likelihood of spikes held out.",
    "PPSeq states no chance for a sequence, so that it always has results: recordings without truth are no question for it.",
    "seqNMF has the package's penalty and a fixed number of factors; its authors choose both for each recording. The test of its "
    "factors is that of its paper; the package has none.",
    "A method for pairs cannot have more than two members in a result. Whole sequences count in the table of members, "
    "pairs in that of pairs. Results are told apart by units there, not by order: in the cell reversed an occurrence of "
    "one direction also counts as a wrong one of the other, for all methods alike.",
    "Seconds are those of programs, not of algorithms: ours, SPADE's miner and PPSeq's loops are compiled, CAD, correlograms and "
    "seqNMF are Python with arrays. All have one processor and no GPU. A limit counts seconds of the processor, so that other "
    "work on the machine is no reason to fail; a run that got too little of it is no result, and is made again.",
    "Yet a second of the processor is not the same in all rows. 64 runs at a time have two threads on each core. The same runs on "
    "other machines, one or a few at a time, took fewer seconds: these took 1.4 times as many with PPSeq and `sequences`, 1.7 with "
    "SPADE, CAD, correlograms and `episodes`, 2.0 with seqNMF, 2.1 with `patterns` (medians of 70 to 124 runs). So compare seconds "
    "within a table to a factor of 1.5. The limit of 120 s is lower by that, too. It ended one run more, SPADE in warped, which "
    "took 63 s before and had found nothing.",
)
MENDED = (
    ("9000", "10 units, 167 ms", "no", "1.00, 1.00, 1.00", "0.90, 0.95, 1.00"),
    ("9001", "11 units, 231 ms", "yes", "0.90, 0.95, 1.00", "1.00, 1.00, 1.00"),
    ("9002", "11 units, 189 ms", "yes", "1.00, 1.00, 0.95", "1.00, 1.00, 0.95"),
    ("9003", "10 units, 179 ms", "no", "1.00, 1.00, 0.95", "1.00, 1.00, 0.95"),
    ("9004", "10 units, 177 ms", "no", "1.00, 1.00, 1.00", "1.00, 1.00, 1.00"),
)
SCORES = {
    "pairs": "Ordered pairs of units, of all results together",
    "members": "Members: the single result that fits a planted sequence best",
    "occurrences": "Occurrences, of all results that belong to a planted sequence",
}


def paragraph(text):
    print(textwrap.fill(text, 116) + "\n")


def rows_of(size):
    """Rows with the settings of today, the last one of a run."""
    kept = {}
    for row in run.rows_of(run.RESULTS / f"{size}.jsonl"):
        now = run.key_of(size, row["cell"], row["method"], row["column"], row["seed"]) if known(row) else None
        if now is not None and run.identity(now) == run.identity(row):
            kept[run.identity(row)] = row
    return list(kept.values())


def known(row):
    return row["cell"] in cells.CELLS and row["method"] in cells.METHODS and row["column"] in cells.COLUMNS


def conditions_of(size):
    """What rows were made with, and how many stand behind each."""
    made = {}
    for line in (run.RESULTS / f"{size}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "packages" in row:
            last = made.setdefault(json.dumps(row, sort_keys=True), [row, 0])
        else:
            last[1] += 1
    return [(row, number) for row, number in made.values() if number]


def tell_conditions(size):
    made = conditions_of(size)
    print("| commit | date | machine | at a time | runs |\n|---|---|---|---|---|")
    for row, number in made:
        print(f"| {row['commit']} | {row['date']} | {row['machine']} | {row.get('jobs', '-')} | {number} |")
    print()
    versions = {("Python", row["python"]) for row, _ in made} | {one for row, _ in made for one in row["packages"].items()}
    paragraph(f"Versions: {', '.join(' '.join(one) for one in sorted(versions))}."
              + "".join(row.get("remark", "") for row, _ in made))  # fmt: skip


def planted(cell):
    return "sequences" in cells.CELLS[cell][2]


def mean_interval(values):
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, 0.0, 1.0
    half = stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def share_interval(count, number):
    low = stats.beta.ppf(0.025, count, number - count + 1) if count else 0.0
    high = stats.beta.ppf(0.975, count + 1, number - count) if count < number else 1.0
    return low, high


def select(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def select_cells(rows, names):
    return [row for row in rows if row["cell"] in names]


def note(rows):
    """How many runs gave no result, by cause."""
    causes = [row["outcome"] for row in rows if row["outcome"] != "done"]
    return "".join(f" {causes.count(cause)}x {MARKS[cause]}" for cause in MARKS if cause in causes)


def score_text(rows, kind):
    if not rows:
        return "-"
    values = [row[kind]["f1"] or 0.0 for row in rows]
    mean, low, high = mean_interval(values)
    parts = " / ".join(average([row[kind][name] for row in rows]) for name in ("recall", "precision"))
    return f"**{mean:.2f}** [{low:.2f}, {high:.2f}] {parts}, n {len(rows)}{note(rows)}"


def alarm_text(rows):
    if not rows:
        return "-"
    alarms = sum(row["results"] > 0 for row in rows)
    low, high = share_interval(alarms, len(rows))
    wrong = statistics.fmean(row["pairs"]["wrong"] for row in rows)
    return f"**{alarms} of {len(rows)}** [{low:.2f}, {high:.2f}] {wrong:.1f}{note(rows)}"


def cost_text(rows):
    if not rows:
        return "-"
    used, memory = ([row[name] for row in rows] for name in ("cpu_s", "memory_mb"))
    return f"{statistics.median(used):.1f} ({max(used):.1f}) s, {max(memory)} MB{note(rows)}"


def table(rows, names, text):
    print("| method | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for method in cells.METHODS:
        mine = select(rows, method=method)
        if mine:
            parts = [mine if cell == ALL else select(mine, cell=cell) for cell in names]
            print(f"| {method} | " + " | ".join(map(text, parts)) + " |")
    print()


def figure(size, rows, column, names):
    """F1 of ordered pairs with intervals: a panel a cell, a line a method."""
    picture, panels = plt.subplots(1, len(names), figsize=(1.5 + 1.7 * len(names), 2.4), sharey=True, squeeze=False)
    for panel, cell in zip(panels[0], names):
        for place, method in enumerate(cells.METHODS):
            mine = select(rows, cell=cell, method=method, column=column)
            if mine:
                mean, low, high = mean_interval([row["pairs"]["f1"] or 0.0 for row in mine])
                panel.plot([low, high], [place, place], color="#888888", linewidth=1)
                panel.plot(mean, place, "o", markersize=4, color="#c03020" if method.startswith("spikemine") else "#2060a0")
        panel.set(title=cell, xlim=(-0.03, 1.03), xlabel="F1")
        panel.grid(axis="x", linewidth=0.3)
    panels[0][0].set_yticks(range(len(cells.METHODS)), list(cells.METHODS))
    panels[0][0].invert_yaxis()
    picture.tight_layout()
    path = run.RESULTS / f"{size}-{column}.svg"
    picture.savefig(path, metadata={"Date": None})
    plt.close(picture)
    print(f"![F1 of ordered pairs by cell and method, column {column}](contest/{path.name})\n")


def shared(rows):
    """Rows of the recordings on which all methods ran."""
    seeds = [{row["seed"] for row in select(rows, method=method)} for method in cells.METHODS]
    common = set.intersection(*seeds)
    return [row for row in rows if row["seed"] in common], len(common)


def best_of_others(rows, names):
    """Cells in which the best method is not one of ours, in any score."""
    for kind in SCORES:
        for cell in names:
            mine, number = shared(select(rows, cell=cell))
            if not mine:
                continue
            means = {method: statistics.fmean(row[kind]["f1"] or 0.0 for row in select(mine, method=method))
                     for method in cells.METHODS}  # fmt: skip
            ours = {method: value for method, value in means.items() if method.startswith("spikemine")}
            if max(means.values()) > max(ours.values()):
                best, own = max(means, key=means.get), max(ours, key=ours.get)
                cause = CAUSES.get((rows[0]["column"], cell), "Its cause is not known.")
                yield f"{cell}, {kind}: {best} {means[best]:.2f}, {own} {ours[own]:.2f} (n {number}). {cause}"


def each_of_ours(rows, names):
    """For each method of ours the cells in which another's mean is higher, and a mark where intervals stand apart."""
    for method, kind in itertools.product(cells.METHODS, SCORES):
        if not method.startswith("spikemine"):
            continue
        texts = []
        for cell in names:
            mine, number = shared(select(rows, cell=cell))
            made = {name: [row[kind]["f1"] or 0.0 for row in select(mine, method=name)] for name in cells.METHODS
                    if name == method or not name.startswith("spikemine")}  # fmt: skip
            best = max(made, key=lambda name: (statistics.fmean(made[name]), name == method)) if number else method
            if best == method:
                continue
            (own, _, high), (mean, low, _) = mean_interval(made[method]), mean_interval(made[best])
            parts = select(mine, method=method)
            recall, precision = (average([row[kind][name] for row in parts]) for name in ("recall", "precision"))
            texts.append(f"{cell} {own:.2f} ({recall} / {precision}; {best} {mean:.2f}{'*' if low > high else ''})")
        if texts:
            yield f"{method}, {kind}: {', '.join(texts)}"


def average(values):
    values = [value for value in values if value is not None]
    return f"{statistics.fmean(values):.2f}" if values else "-"


def alarms_of_ours(rows, names):
    """Recordings without truth in which ours has a result, and others have none."""
    for cell, method in itertools.product(names, cells.METHODS):
        found = {name: [row["results"] > 0 for row in select(rows, cell=cell, method=name)] for name in cells.METHODS}
        quiet = [name for name in cells.METHODS if found[name] and not any(found[name]) and not name.startswith("spikemine")]
        if method.startswith("spikemine") and any(found[method]) and quiet:
            mine = [row["results"] > 0 for row in select_cells(select(rows, method=method), names)]
            cause = CAUSES.get((method, cell), "No cause but chance is known.")
            yield (f"{cell}: {method} {sum(found[method])} of {len(found[method])}; none by {', '.join(quiet)}. {cause} In all of these "
                   f"cells it has {sum(mine)} of {len(mine)}; level 0.05 allows one in twenty.")  # fmt: skip


def tell_list(lines):
    for line in list(lines) or ["nowhere"]:
        print(textwrap.fill(f"- {line}", 116, subsequent_indent="  "))
    print()


def column_page(size, rows, column):
    mine = select(rows, column=column)
    names = [cell for cell in cells.CELLS if select(mine, cell=cell)]
    true, empty = [cell for cell in names if planted(cell)], [cell for cell in names if not planted(cell)]
    print(f"### Settings: {column}\n")
    if true:
        figure(size, rows, column, true)
        for kind, title in SCORES.items():
            print(f"{title}: **F1** [interval] recall / precision, n recordings.\n")
            table(mine, true, lambda part, kind=kind: score_text(part, kind))
    if empty:
        print("Recordings without truth that have a result: **number** [interval of the share], wrong pairs a recording.\n")
        table(select_cells(mine, empty), [*empty, ALL], alarm_text)
    print("Processor seconds: median (most) of a run, and the most memory.\n")
    table(mine, names, cost_text)
    numbers = [shared(select(mine, cell=cell))[1] for cell in true]
    if not any(numbers):
        print("No recording has runs of all methods, so that no best one is named.\n")
        return
    print("Where the best mean is another method's, be the difference larger than the intervals or not, of the\n"
          f"recordings on which all methods ran ({', '.join(map(str, numbers))}):\n")  # fmt: skip
    tell_list(best_of_others(mine, true))
    print("Where another method's best mean is above that of one of ours, taken by itself: F1 of ours (recall / precision;\n"
          "the other's F1, with * where the intervals stand apart). Their causes stand below both columns.\n")  # fmt: skip
    tell_list(each_of_ours(mine, true))
    print("Where ours has a result without truth, and other methods have none:\n")
    tell_list(alarms_of_ours(mine, empty))


def size_page(size):
    rows, shape = rows_of(size), cells.SIZES[size]
    asked = len(cells.CELLS) * len(cells.METHODS) * len(cells.COLUMNS) * shape["recordings"]
    print(f"## Size {size}\n")
    paragraph(f"{shape['units']} units, {shape['duration']}; a run has {shape['cpu_s']} s of one processor and "
              f"{shape['memory_gb']} GB. {len(rows)} of {asked} runs are there.")  # fmt: skip
    missing = [cell for cell in cells.CELLS if not select(rows, cell=cell)]
    if missing:
        paragraph(f"Not run: {'; '.join(missing)}.")
    tell_conditions(size)
    for column in cells.COLUMNS:
        if select(rows, column=column):
            column_page(size, rows, column)
    print("### Why one of ours is behind\n")
    tell_list(CAUSES_OF_ONE)


def rank_text(pairs):
    """None where one of the two has no order."""
    first, second = zip(*(pair for pair in pairs if len(pair) == 2))
    return f"{stats.spearmanr(first, second).statistic:.2f}" if len(set(first)) > 1 and len(set(second)) > 1 else "-"


def apart(one, other):
    return one[1] > other[2] or other[1] > one[2]


def orders(first, second):
    """Pairs of methods whose first intervals stand apart: how many there are, and those that have the other order in `second`, with
    a mark where its intervals stand apart, too."""
    both = itertools.combinations(sorted(set(first) & set(second)), 2)
    told = [(one, other) for one, other in both if apart(first[one], first[other])]
    turned = [(one, other, apart(second[one], second[other])) for one, other in told
              if (second[one][0] - second[other][0]) * (first[one][0] - first[other][0]) <= 0]  # fmt: skip
    return len(told), turned


def again_page(size):
    """The same cells with other seeds: means with intervals side by side, and how well the two rankings agree."""
    others = run.rows_of(run.RESULTS / f"{size}-again.jsonl")
    if not others:
        return
    print("### Another seed\n")
    paragraph(f"F1 of ordered pairs with seeds from {cells.SEED} and from {min(row['seed'] for row in others)}, column rule; "
              "of the second there are up to four recordings of a cell, one or two of SPADE and PPSeq, so that intervals are wide. "
              "The last row is the rank correlation of the methods.")  # fmt: skip
    names = [cell for cell in cells.CELLS if planted(cell) and select(others, cell=cell)]
    both = [select(part, column="rule") for part in (rows_of(size), others)]
    methods = [method for method in cells.METHODS if select(others, method=method)]
    print("| method | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    means, ends = {}, {}
    for method in methods:
        texts = []
        for cell in names:
            parts = [[row["pairs"]["f1"] or 0.0 for row in select(rows, cell=cell, method=method)] for rows in both]
            made = [mean_interval(part) for part in parts if part]
            means[method, cell] = [mean for mean, _, _ in made]
            if len(made) == 2:
                for which in (0, 1):
                    ends.setdefault((cell, which), {})[method] = made[which]
            texts.append(", ".join(f"{mean:.2f} [{low:.2f}, {high:.2f}]" for mean, low, high in made))
        print(f"| {method} | " + " | ".join(texts) + " |")
    print("| rank correlation | " + " | ".join(rank_text([means[method, cell] for method in methods]) for cell in names) + " |\n")
    told = {cell: orders(ends[cell, 0], ends[cell, 1]) for cell in names if (cell, 0) in ends}
    pairs = [pair for pair in means.values() if len(pair) == 2]
    turned = [f"{one} and {other} ({cell})" for cell, (_, some) in told.items() for one, other, _ in some]
    beyond = sum(beyond for _, some in told.values() for *_, beyond in some)
    paragraph(f"Over all {len(pairs)} means of a method in a cell the rank correlation of the two seeds is {rank_text(pairs)}. Of "
              f"{sum(number for number, _ in told.values())} pairs of methods in a cell whose intervals stand apart with the first "
              f"seeds, {len(turned)} do not keep their order with the second: {', '.join(turned) or 'none'}. Beyond the intervals of "
              f"both seeds it is {beyond}.")  # fmt: skip


def slope_of(points):
    """Power with which cost grows between the last two runs that ended, and the value at which a run takes an hour."""
    ended = [(row["value"], row["cpu_s"]) for row in points if row["outcome"] == "done" and row["cpu_s"] > 0]
    if len(ended) < 2:
        return None, None
    (near, less), (far, more) = ended[-2:]
    power = math.log(more / less) / math.log(far / near)
    return power, far * (3600 / more) ** (1 / power) if power > 0 and len(ended) > 2 else None


def cost_of(row):
    """Seconds of a run of scale.py; above its limit of time where it reached that."""
    if row["outcome"] == "time":
        return f"> {scale.limit_of(row)}"
    return f"{row['cpu_s']:.1f}" if row["outcome"] == "done" else row["outcome"]


def scale_page():
    made = scale.rows_of(run.RESULTS / "scale.jsonl")
    if not made:
        return
    print("## Cost\n")
    paragraph(f"Processor seconds of a run, up to the first that passes the limit of {scale.LIMITS['memory_gb']} GB or of "
              f"time; the table names that of time, {max(map(scale.limit_of, made.values()))} s at most. The slope is the power of the "
              "last two runs that ended. The last column, an hour, goes on with it where three or more ended: it is no measurement. "
              "Rates, sequences and settings are those of the "
              f"cell mixed, column rule. Over units a recording has {scale.OTHER['length_s']} s, over length {scale.OTHER['units']} units. The "
              "runs shared their processors with others. Made by `bench/contest/scale.py`.")  # fmt: skip
    tell_conditions("scale")
    for axis in scale.AXES:
        values = sorted({value for method, name, value in made if name == axis and method in cells.METHODS})
        if not values:
            paragraph(f"Axis {axis}: not run.")
            continue
        print(f"| {axis} | " + " | ".join(map(str, values)) + " | slope | an hour at |")
        print("|---" * (len(values) + 3) + "|")
        for method in cells.METHODS:
            points = [made[method, axis, value] for value in values if (method, axis, value) in made]
            power, hour = slope_of(points)
            texts = [cost_of(row) for row in points]
            texts += ["-"] * (len(values) - len(points))
            texts += ["-" if power is None else f"{power:.1f}", "-" if hour is None else f"{hour:,.0f}"]
            print(f"| {method} | " + " | ".join(texts) + " |")
        print()


def failures(rows):
    seen = sorted({(row["method"], row["message"]) for row in rows if row["outcome"] == "failed"})
    return "".join(f"- {method}: {message}\n" for method, message in seen)


def mended_page():
    print("## What is mended\n")
    print("A sequence that its longest lag may have cut is told. Seeds 9000 to 9004 of the cell long, not used before:\n"
          "`spikemine sequences REC -l 0.2s -j 0.05s -t 1 --seed SEED`, and again with `-l 0.4s`. F1 of ordered pairs, members\n"
          "and occurrences, scored by scores.py, commit 4ef5a4c7.\n")  # fmt: skip
    print("| seed | sequence | is it told? | -l 0.2s | -l 0.4s |\n|---|---|---|---|---|")
    for row in MENDED:
        print("| " + " | ".join(row) + " |")
    print()
    paragraph("In the cell long, column own, that note stands in all four of the first five runs whose sequence was cut. Settings stay "
              "as they were before the first run, so that such sequences are still cut there.")  # fmt: skip
    paragraph("A part of a sequence that occurs by itself is told from the whole since commit 1e007b19. Its runs of the cell nested "
              "were made anew, one of each other cell has the same result as before. Seeds 9000 to 9009 of nested, not used before, "
              "column own: F1 of members 0.67 before, 0.72 now, of pairs 0.97 and 0.97, of occurrences 0.56 and 0.54. In four of "
              "them the inner sequence has three units, and is found in three; in the others it has two, and no sequence has less "
              "than three members.")  # fmt: skip
    paragraph("Threads leave room for data. `info --suggest`, with which `spikemine episodes` of the column own begins, took all "
              "processors, as no other method does. With 64 of them, and 4 GB of address space, their stacks did not fit: all 95 runs "
              "of that kind failed at commit ccdd17f7. Fewer threads work now where `ulimit -v` is low, the command has `--threads`, "
              "and the contest gives it one. All runs of that kind were made again at commit 01fd012a, where the suggestion does "
              "less work: the 380 have the findings that they had before, in 1,062 s of the processor together in place of 2,741. "
              "Theirs are seconds of another machine than those of most rows.")  # fmt: skip


def left_out_page():
    made = scale.rows_of(run.RESULTS / "scale.jsonl")
    print("## Left out\n")
    for method in cells.LEFT_OUT:
        points = [row for (name, _, _), row in sorted(made.items()) if name == method]
        costs = "; ".join(f"{row['value']} s: " + (f"{row['cpu_s']:.1f} s of the processor, {row['memory_mb']} MB"
                          if row["outcome"] == "done" else f"more than {scale.limit_of(row)} s") for row in points)  # fmt: skip
        print(f"    bench/contest/scale.py --methods '{method}'\n")
        paragraph(f"{method}, with the settings of its tutorial, on a recording of {scale.OTHER['units']} units: {costs}. "
                  f"{WHY_LEFT_OUT[method]}")  # fmt: skip


def main():
    print("# A contest of methods\n")
    print("Made by `bench/contest.sh` from the rows in `bench/results/contest/`. Recordings, methods and settings stand in\n"
          "[cells.py](../contest/cells.py), which was there before the first run; [scores.py](../contest/scores.py) says what\n"
          "is right. The column *rule* has one rule for all, from the longest delay and the longest sequence only; the column\n"
          "*own* has the options of the authors' pages. A run that failed or reached a limit counts as 0 and is named.\n"
          "[Which method?](../../docs/explanation/which-method.md) says in words what follows.\n")  # fmt: skip
    print("## What is not equal here\n")
    tell_list(NOT_EQUAL)
    sizes = [size for size in cells.SIZES if (run.RESULTS / f"{size}.jsonl").exists()]
    for size in sizes:
        size_page(size)
        again_page(size)
    mended_page()
    scale_page()
    left_out_page()
    failed = "".join(failures(rows_of(size)) for size in sizes)
    if failed:
        print(f"## Messages of failed runs\n\n{failed}")


if __name__ == "__main__":
    main()
