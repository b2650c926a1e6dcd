#!/usr/bin/env python3
"""Tables and figures from the rows of spikemine-bench-significance.

    bench/significance_report.py calibration ROWS ...                  # Markdown
    bench/significance_report.py exact ROWS ...                        # Markdown
    bench/significance_report.py power ROWS ... [--figure FILE]
    bench/significance_report.py real ROWS ... [--figure FILE]
    bench/significance_report.py connectivity ROWS ... [--figure FILE]
    bench/significance_report.py validation ROWS ... [--rule ours|published] [--tsv FILE] [--figure FILE]
                                 [--beside ROWS]

Several files of rows of one study are joined; a run that is in two of them counts once. Intervals hold 95 %: those of
calibration are Clopper and Pearson's; those of validation come from drawing whole realisations anew, since a realisation
has one background for all cells, and a chance pattern of it counts in up to 64 of them; those of areas under the curve
are 1.96 standard errors. --tsv writes one line for each cell of the map, --figure draws it (needs matplotlib), --beside
compares with rows of bench/validation_elephant.py on the runs that both have.
"""

import argparse
import csv
import math
import random
import re
import sys
import textwrap

BACKGROUNDS = ["stationary", "step", "heterogeneous", "sequence"]
SIDE = range(3, 11)


def read_rows(paths):
    """First lines of the files, and rows by key."""
    heads, rows = [], {}
    for path in paths:
        with open(path, encoding="ascii", newline="") as file:
            heads.append(file.readline().lstrip("# ").rstrip("\n"))
            for row in csv.DictReader(file, delimiter="\t"):
                if None not in row.values():
                    rows[int(row["key"])] = row
    return sorted(set(heads)), rows


def tail(n, k, p):
    """P[Binomial(n, p) >= k]."""
    if k <= 0:
        return 1.0
    if p <= 0 or p >= 1:
        return float(p >= 1)
    log = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) +
           (n - i) * math.log1p(-p) for i in range(k, n + 1)]
    top = max(log)
    return math.exp(top) * sum(math.exp(value - top) for value in log)


def interval(k, n):
    """Clopper and Pearson: the p with P[>= k] = 2.5 %, and that with P[<= k] = 2.5 %."""
    def solve(wanted, hits):
        low, high = 0.0, 1.0
        for _ in range(60):
            p = (low + high) / 2
            low, high = (p, high) if tail(n, hits, p) < wanted else (low, p)
        return (low + high) / 2
    return (0.0 if k == 0 else solve(0.025, k)), (1.0 if k == n else solve(0.975, k + 1))


def share(k, n):
    low, high = interval(k, n)
    return f"{100 * k / n:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def share_of_clusters(clusters):
    """The share of hits, with the interval that drawing clusters anew gives. clusters: lists of 0 and 1."""
    sums = [(sum(hits), len(hits)) for hits in clusters]
    k, n = (sum(column) for column in zip(*sums))
    if k in (0, n):
        low, high = interval(len(sums) * k // n, len(sums))
    else:
        generator = random.Random(1)
        drawn = [[sum(column) for column in zip(*generator.choices(sums, k=len(sums)))] for _ in range(2000)]
        shares = sorted(hits / total for hits, total in drawn)
        low, high = shares[50], shares[1949]
    return f"{100 * k / n:.1f} ({100 * low:.1f} to {100 * high:.1f})"


# ---- calibration

# What makes surrogates of a method differ from independent copies of a process: the test promises nothing there.
CLIPS = "spikes clipped"
FLATTENS = "rates lost"
FAILS = {
    "dither-spikes": {"gamma": CLIPS, "dead-time": CLIPS},
    "jitter-spikes": {"gamma": CLIPS, "dead-time": CLIPS},
    "interval-jitter": {"gamma": CLIPS, "dead-time": CLIPS},
    "dither-spikes-with-refractory-period": {"gamma": CLIPS},
    "randomise-spikes": {"gamma": CLIPS, "dead-time": CLIPS, "common-rate": FLATTENS},
    "shuffle-isis": {"common-rate": FLATTENS},
}


def calibration(options):
    heads, rows = read_rows(options.rows)
    cells = {}
    for row in rows.values():
        cells.setdefault((row["process"], row["method"]), []).append(row)
    processes = list(dict.fromkeys(process for process, _ in cells))
    print("\n".join(heads))
    print("\n| process | method | promise, % | runs | occupied bins, % | signatures | any significant, % "
          "| by the published rule, % |")
    print("|---|---|---|---|---|---|---|---|")
    for process in processes:
        for (its, method), found in sorted(cells.items()):
            if its == process:
                n = len(found)
                mean = {name: sum(float(row[name]) for row in found) / n for name in ("bins", "signatures")}
                ours, published = (sum(int(row[name]) for row in found) for name in ("ours", "published"))
                promise = FAILS.get(method, {}).get(process)
                promise = "5" if promise is None else f"none: {promise}"
                print(f"| {process} | {method} | {promise} | {n} | {100 * mean['bins']:.2f} | {mean['signatures']:.1f} | "
                      f"{share(ours, n)} | {share(published, n)} |")


# ---- exact test


# Chi-square of 5 degrees of freedom: chance passes it once in 100 times.
CHI_SQUARE_5_AT_1_PERCENT = 15.09


def rank_uniformity(p_values, n_surrogates):
    """Chi-square of the ranks of the recordings among their surrogates: five tenths, and the rest.

    The rest is one group, since many searches find nothing above the score 0 that all of them share.
    """
    counts = [0] * 6
    for p in p_values:
        rank = round(p * (n_surrogates + 1)) - 1  # surrogates with as large a score
        counts[min(rank * 10 // (n_surrogates + 1), 5)] += 1
    expected = [len(p_values) / 10] * 5 + [len(p_values) / 2]
    return sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected))


def print_by_null(title, cells, nulls, text):
    """A line for each process, window and language, a column for each null hypothesis."""
    lines = list(dict.fromkeys(key[:3] for key in cells))
    print(f"\n| {title}: process | window | results | " + " | ".join(nulls) + " |")
    print("|---|---|---|" + "---|" * len(nulls))
    for process, jitter, results in lines:
        texts = []
        for null in nulls:
            rows = cells.get((process, jitter, results, null), [])
            mark = "*" if rows and rows[0]["promise"] == "none" else ""
            texts.append(f"{mark}{text(rows)}{mark}" if rows else "")
        print(f"| {process} | {jitter} ms | {results} | " + " | ".join(texts) + " |")


def exact(options):
    heads, rows = read_rows(options.rows)
    n_surrogates = int(re.search(r"(\d+) surrogates", heads[0])[1])
    cells = {}
    for key in sorted(rows):
        row = rows[key]
        place = row["process"], int(row["jitter_ms"]), row["results"], row["null"]
        cells.setdefault(place, []).append(row)
    nulls = list(dict.fromkeys(key[3] for key in cells))

    def alarms(rows):
        return share(sum(float(row["p"]) <= 0.05 for row in rows), len(rows))

    def ranks(rows):
        chi_square = rank_uniformity([float(row["p"]) for row in rows], n_surrogates)
        return f"{chi_square:.1f}" + (" (not uniform)" if chi_square > CHI_SQUARE_5_AT_1_PERCENT else "")

    print("\n".join(textwrap.fill(head, 120) for head in heads))
    numbers = [len(rows) for rows in cells.values()]
    print(f"\n{min(numbers)} to {max(numbers)} runs of each cell. In italics where the null hypothesis does not hold.")
    print_by_null("p <= 0.05, % of runs", cells, nulls, alarms)
    print_by_null("ranks, chi-square", cells, nulls, ranks)


# ---- power

TESTS = {"exact": "exact", "signature": "signature, fdr-bh", "published": "signature, published rule"}
COLOURS = {"exact": "#0072b2", "signature": "#d55e00", "published": "#009e73"}
WHOLE, PARTS, MIXED, OTHERS = 0, 1, 3, 4


def tallies(row, test):
    """Numbers of results: the whole chain, parts, pairs, mixed, others."""
    return [int(n) for n in row[test].split()]


def power_cells(rows):
    """Rows by (results, factor, value), in the order of the study."""
    cells = {}
    for key in sorted(rows):
        row = rows[key]
        cells.setdefault((row["results"], row["factor"], float(row["value"])), []).append(row)
    return cells


def runs_with(rows, test, kinds):
    return sum(any(tallies(row, test)[kind] for kind in kinds) for row in rows)


def print_found(cells, results):
    names = list(TESTS)
    print(f"\n| {results}: factor | value | runs | " + " | ".join(f"{TESTS[t]}: whole, %" for t in names) +
          " | " + " | ".join(f"{TESTS[t]}: whole or a part, %" for t in names) + " |")
    print("|---|---|---|" + "---|" * 2 * len(names))
    for (its, factor, value), rows in cells.items():
        if its == results:
            n = len(rows)
            whole = [share(runs_with(rows, t, [WHOLE]), n) for t in names]
            part = [f"{100 * runs_with(rows, t, [WHOLE, PARTS]) / n:.0f}" for t in names]
            print(f"| {factor} | {value:g} | {n} | " + " | ".join(whole + part) + " |")


def print_besides(rows):
    print("\n| results | test | runs | a false result, % of runs | a part and something else, % | such results a run |")
    print("|---|---|---|---|---|---|")
    for results in ("episodes", "patterns"):
        its = [row for row in rows.values() if row["results"] == results]
        for test in ("exact", "core", "signature", "reduced", "published"):
            if test == "reduced" and results == "episodes" or not its:
                continue
            mixed = sum(tallies(row, test)[MIXED] for row in its) / len(its)
            print(f"| {results} | {test} | {len(its)} | {share(runs_with(its, test, [OTHERS]), len(its))} | "
                  f"{share(runs_with(its, test, [MIXED]), len(its))} | {mixed:.2f} |")


def plotting(size, rows, columns, **more):
    """Figure and axes, rows * columns of them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "spikemine", "font.size": 8,
                         "axes.spines.top": False, "axes.spines.right": False})
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **more)


def save(figure, path):
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def draw_power(path, cells):
    factors = list(dict.fromkeys(factor for _, factor, _ in cells))
    figure, axes = plotting((11, 4.2), 2, len(factors), sharey=True, sharex="col")
    for line, results in enumerate(("patterns", "episodes")):
        for axis, factor in zip(axes[line], factors):
            points = sorted((value, rows) for (its, what, value), rows in cells.items()
                            if its == results and what == factor)
            for test, name in TESTS.items():
                x = [value for value, _ in points]
                found = [(runs_with(rows, test, [WHOLE]), len(rows)) for _, rows in points]
                bounds = [interval(k, n) for k, n in found]
                axis.fill_between(x, *zip(*bounds), color=COLOURS[test], alpha=0.15, linewidth=0)
                axis.plot(x, [k / n for k, n in found], "o-", color=COLOURS[test], markersize=2.5, linewidth=1.3,
                          label=name)
            axis.plot(x, [runs_with(rows, "exact", [OTHERS]) / len(rows) for _, rows in points], ":",
                      color="black", linewidth=1, label="exact: a false result besides")
            axis.axhline(0.05, color="grey", linewidth=0.5)
            axis.set_ylim(-0.03, 1.03)
            if line == 1:
                axis.set_xlabel(factor.replace(" among others", "\namong others"))
        axes[line][0].set_ylabel(f"{results}: share of runs")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    save(figure, path)


def power(options):
    heads, rows = read_rows(options.rows)
    cells = power_cells(rows)
    print("\n".join(heads))
    for results in ("patterns", "episodes"):
        print_found(cells, results)
    print_besides(rows)
    if options.figure:
        draw_power(options.figure, cells)


# ---- real recordings

REAL = {"interval-jitter": ("#d55e00", "-"), "pattern-jitter": ("#0072b2", "-"), "shift": ("#009e73", "-"),
        "shift-apart": ("#56b4e9", "--"), "default": ("black", ":"), "signature": ("#999999", "--"),
        "published": ("#999999", "-"), "correlograms": ("#e69f00", "-")}


def print_real_found(cells):
    print("\n| recording | results | factor | value | runs | " + " | ".join(REAL) + " |")
    print("|---|---|---|---|---|" + "---|" * len(REAL))
    for key, rows in cells.items():
        texts = [f"{100 * runs_with(rows, test, [WHOLE]) / len(rows):.0f}" for test in REAL]
        print("| " + " | ".join([*key, str(len(rows)), *texts]) + " |")


def print_real_false(rows):
    cells = {}
    for row in rows.values():
        cells.setdefault((row["recording"], row["results"]), []).append(row)
    print("\n| a false result, % of runs: recording | results | runs | " + " | ".join(REAL) + " |")
    print("|---|---|---|" + "---|" * len(REAL))
    for key, its in cells.items():
        texts = [share(runs_with(its, test, [OTHERS]), len(its)) for test in REAL]
        print("| " + " | ".join([*key, str(len(its)), *texts]) + " |")


def print_real_losses(cells):
    """Where the default finds less than nine tenths of the chains that interval jitter finds."""
    print("\n| less than 0.9 of interval jitter: recording | results | factor | value | interval-jitter | default "
          "| false by interval jitter, % of runs |")
    print("|---|---|---|---|---|---|---|")
    for key, rows in cells.items():
        jitter, default = (runs_with(rows, test, [WHOLE]) for test in ("interval-jitter", "default"))
        if default < 0.9 * jitter:
            print("| " + " | ".join([*key, f"{jitter} of {len(rows)}", f"{default}",
                                     share(runs_with(rows, "interval-jitter", [OTHERS]), len(rows))]) + " |")


def draw_real(path, cells):
    recordings, results, factors = (list(dict.fromkeys(key[k] for key in cells)) for k in range(3))
    figure, axes = plotting((13, 1.7 * len(recordings) + 0.6), len(recordings), len(results) * len(factors), sharey=True,
                            sharex="col")
    for line, recording in enumerate(recordings):
        for column, axis in enumerate(axes[line]):
            its, factor = results[column // len(factors)], factors[column % len(factors)]
            points = [(key[3], rows) for key, rows in cells.items() if key[:3] == (recording, its, factor)]
            if factor != "repeats":  # the base case is the first point of each curve but that of rates
                points.insert(factor.startswith("rates"), ("base", cells[recording, its, "repeats", "1"]))
            for test, (colour, style) in REAL.items():
                axis.plot([value for value, _ in points],
                          [runs_with(rows, test, [WHOLE]) / len(rows) for _, rows in points], style, marker="o",
                          markersize=2.5, color=colour, linewidth=1.2, label=test)
            axis.set_ylim(-0.03, 1.03)
            if line == 0:
                axis.set_title(its)
            if line == len(recordings) - 1:
                axis.set_xlabel(factor)
        axes[line][0].set_ylabel(f"{recording}: share of runs")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(REAL), frameon=False)
    save(figure, path)


def real(options):
    heads, rows = read_rows(options.rows)
    cells = {}
    for key in sorted(rows):
        row = rows[key]
        cells.setdefault((row["recording"], row["results"], row["factor"], row["value"]), []).append(row)
    names = list(dict.fromkeys(key[:2] for key in cells))
    cells = dict(sorted(cells.items(), key=lambda cell: names.index(cell[0][:2])))
    print("\n".join(heads))
    print_real_found(cells)
    print_real_false(rows)
    print_real_losses(cells)
    if options.figure:
        draw_real(options.figure, cells)


# ---- connectivity

RANKINGS = {"count": "count", "share": "count / root of both", "exact": "exact test, 5 ms", "exact_2ms": "exact test, 2 ms",
            "peak": "correlogram, 1 ms", "wide_peak": "correlogram, 5 ms", "hollow": "correlogram, hollow"}


def mean_of(rows, column):
    """Mean, and 1.96 standard errors."""
    values = [float(row[column]) for row in rows]
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    return mean, 1.96 * math.sqrt(spread / len(values))


def draw_connectivity(path, cells):
    backgrounds = list(dict.fromkeys(background for background, _ in cells))
    lines = {"count": ("#999999", "-"), "share": ("#999999", "--"), "exact": ("#0072b2", "-"),
             "exact_2ms": ("#0072b2", "--"), "peak": ("#d55e00", "-"), "wide_peak": ("#d55e00", "--"),
             "hollow": ("#e69f00", ":")}
    figure, axes = plotting((10, 2.9), 1, len(backgrounds), sharey=True)
    for axis, background in zip(axes[0], backgrounds):
        points = sorted((strength, rows) for (its, strength), rows in cells.items() if its == background)
        for ranking, (colour, style) in lines.items():
            means = [mean_of(rows, ranking) for _, rows in points]
            axis.errorbar([strength for strength, _ in points], [mean for mean, _ in means],
                          [error for _, error in means], color=colour, linestyle=style, linewidth=1.2,
                          elinewidth=0.6, label=RANKINGS[ranking])
        axis.set_xscale("log")
        axis.set_xticks([strength for strength, _ in points], [f"{strength:g}" for strength, _ in points])
        axis.minorticks_off()
        axis.set_title(background)
        axis.set_xlabel("strength")
    axes[0][0].set_ylabel("area under the curve")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    save(figure, path)


def connectivity(options):
    heads, rows = read_rows(options.rows)
    cells = {}
    for key in sorted(rows):
        row = rows[key]
        cells.setdefault((row["background"], float(row["strength"])), []).append(row)
    cells = dict(sorted(cells.items(), key=lambda cell: list(cells).index(cell[0])))
    print("\n".join(heads))
    print("\n| background | strength | runs | " + " | ".join(RANKINGS.values()) + " |")
    print("|---|---|---|" + "---|" * len(RANKINGS))
    for (background, strength), its in cells.items():
        areas = ["{:.3f} ± {:.3f}".format(*mean_of(its, ranking)) for ranking in RANKINGS]
        print(f"| {background} | {strength:g} | {len(its)} | " + " | ".join(areas) + " |")
    print("\n| background | strength | connections | significant, 5 ms | other pairs, 5 ms | runs with one, % | "
          "significant, 2 ms | other pairs, 2 ms | runs with one, % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (background, strength), its in cells.items():
        texts = []
        for suffix in ("", "_2ms"):
            others = [int(row["false" + suffix]) for row in its]
            texts += [f"{mean_of(its, 'found' + suffix)[0]:.1f}", f"{sum(others) / len(its):.2f}",
                      share(sum(n > 0 for n in others), len(its))]
        print(f"| {background} | {strength:g} | {its[0]['edges']} | " + " | ".join(texts) + " |")
    if options.figure:
        draw_connectivity(options.figure, cells)


# ---- validation


def outcome(row, suffix):
    """(another pattern, planted one missed, precision)."""
    others = int(row["others" + suffix])
    return others > 0, int(row["found" + suffix]) == 0, 1 / (1 + others)


def by_realisation(pairs):
    """Lists of what was counted, one for each realisation; pairs: (row, whether it counts)."""
    clusters = {}
    for row, hit in pairs:
        clusters.setdefault(row["realisation"], []).append(int(hit))
    return list(clusters.values())


def cell_table(rows, suffix):
    """By (background, size, occurrences): runs, and means of the outcomes."""
    cells = {}
    for row in rows:
        place = int(row["background"]), int(row["size"]), int(row["occurrences"])
        cells.setdefault(place, []).append(outcome(row, suffix))
    return {place: (len(found), *(sum(column) / len(found) for column in zip(*found)))
            for place, found in sorted(cells.items())}


def print_backgrounds(rows, suffix):
    print("\n| background | runs | other patterns, % of runs | cells above 5 % | planted one missed, % | cells above 5 % "
          "| precision | recall |")
    print("|---|---|---|---|---|---|---|---|")
    for b, name in enumerate(BACKGROUNDS):
        its = [row for row in rows if int(row["background"]) == b]
        found = [outcome(row, suffix) for row in its]
        if found:
            n = len(found)
            other, missed = (share_of_clusters(by_realisation((row, f[what]) for row, f in zip(its, found)))
                             for what in (0, 1))
            recall = 1 - sum(f[1] for f in found) / n
            cells = [c for place, c in cell_table(rows, suffix).items() if place[0] == b]
            print(f"| {name} | {n} | {other} | {sum(c[1] > 0.05 for c in cells)} | {missed} | "
                  f"{sum(c[2] > 0.05 for c in cells)} | {sum(f[2] for f in found) / n:.3f} | {recall:.3f} |")


def write_cells(path, rows):
    with open(path, "w", encoding="ascii") as out:
        print("background\tsize\toccurrences\truns\tother\tmissed\tprecision\tother_published\tmissed_published"
              "\tprecision_published", file=out)
        ours, published = cell_table(rows, ""), cell_table(rows, "_published")
        for place, (n, *values) in ours.items():
            values += published[place][1:]
            print(BACKGROUNDS[place[0]], *place[1:], n, *(f"{value:.4f}" for value in values), sep="\t", file=out)


def draw_maps(path, rows, suffix):
    cells = cell_table(rows, suffix)
    figure, axes = plotting((8.5, 4.6), 2, len(BACKGROUNDS), sharex=True, sharey=True)
    titles = [("another pattern", "Blues"), ("planted one missed", "Oranges")]
    for line, (what, colours) in enumerate(titles):
        for b, name in enumerate(BACKGROUNDS):
            axis = axes[line][b]
            share_of = [[cells.get((b, size, count), (0, math.nan, math.nan))[1 + line] for size in SIDE]
                        for count in SIDE]
            image = axis.imshow(share_of, origin="lower", vmin=0, vmax=1, cmap=colours,
                                extent=(2.5, 10.5, 2.5, 10.5))
            for i, count in enumerate(SIDE):
                for j, size in enumerate(SIDE):
                    if share_of[i][j] > 0.05:
                        axis.plot(size, count, "o", color="black", markersize=2, fillstyle="none")
            if line == 0:
                axis.set_title(name)
            else:
                axis.set_xlabel("spikes")
            if b == 0:
                axis.set_ylabel("occurrences")
        figure.colorbar(image, ax=axes[line], label=f"share of runs:\n{what}", shrink=0.9)
    save(figure, path)


def print_beside(rows, path, suffix):
    heads, others = read_rows([path])
    both = sorted(set(rows) & set(others))
    print(f"\nBeside {heads[0]}: {len(both)} runs that both have.\n")
    print("| background | runs | other patterns, %: ours | Elephant | missed, %: ours | Elephant | runs with one verdict, % |")
    print("|---|---|---|---|---|---|---|")
    for b, name in enumerate(BACKGROUNDS):
        its = [k for k in both if int(rows[k]["background"]) == b]
        pairs = [(outcome(rows[k], suffix), outcome(others[k], "")) for k in its]
        if pairs:
            same = sum(ours[:2] == theirs[:2] for ours, theirs in pairs)
            values = [share_of_clusters(by_realisation((rows[k], pair[who][what]) for k, pair in zip(its, pairs)))
                      for what in (0, 1) for who in (0, 1)]
            print(f"| {name} | {len(its)} | " + " | ".join(values) + f" | {100 * same / len(its):.1f} |")


def validation(options):
    heads, rows = read_rows(options.rows)
    suffix = "_published" if options.rule == "published" else ""
    print("\n".join(heads))
    print_backgrounds(rows.values(), suffix)
    if options.tsv:
        write_cells(options.tsv, rows.values())
    if options.figure:
        draw_maps(options.figure, rows.values(), suffix)
    if options.beside:
        print_beside(rows, options.beside, suffix)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=["calibration", "exact", "power", "real", "connectivity", "validation"])
    parser.add_argument("rows", nargs="+")
    parser.add_argument("--rule", choices=["ours", "published"], default="ours")
    parser.add_argument("--tsv")
    parser.add_argument("--figure")
    parser.add_argument("--beside")
    options = parser.parse_args()
    studies = {"calibration": calibration, "exact": exact, "power": power, "real": real,
               "connectivity": connectivity, "validation": validation}
    studies[options.study](options)


if __name__ == "__main__":
    sys.exit(main())
