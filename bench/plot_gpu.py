#!/usr/bin/env python3
"""Draws the tables of spikemine-bench-gpu and bench/gpu.sh as the papers' figures.

    bench/plot_gpu.py [--tables bench/results/gpu] [--figures docs/figures] [--format svg]

Reads every *.tsv of the folder of tables; a file holds several tables, each behind a line
"# figure NAME: ...". Draws what is there, and names the files. Figures (numbers of Cao, Patnaik,
Ponce et al.): crossover (9), fit (10), strategies (9b), two-pass (11), profiler (12), gpus (13),
two-pass-gpus (14), phases (15), cpu (16), tracking, bound, sweep.
"""

import argparse
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogFormatter, NullFormatter  # noqa: E402

# An engine keeps its colour in all figures. Okabe and Ito's colours, told apart by all eyes.
COLOURS = {
    "cuda-ptpe": "#E69F00",
    "cuda-mtpe": "#56B4E9",
    "cuda-hybrid": "#009E73",
    "cuda-sweep": "#D55E00",
    "cuda-tracking/scan": "#009E73",
    "cuda-tracking/flag": "#56B4E9",
    "cuda-tracking/atomic": "#CC79A7",
    "sweep": "#0072B2",
    "fsm": "#000000",
    "one-pass": "#E69F00",
    "two-pass": "#0072B2",
}
STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "font.size": 9,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "svg.fonttype": "none",
    "svg.hashsalt": "spikemine",
}


# ---- tables --------------------------------------------------------------------------------------


def convert(text):
    try:
        return float(text)
    except ValueError:
        return text


def read_tables(path):
    """{figure: list of rows}, a row a dict of columns, numbers as float."""
    tables, rows, columns = {}, None, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("# figure "):
            name = line.removeprefix("# figure ").split(":")[0].strip()
            rows, columns = tables.setdefault(name, []), None
        elif line.startswith("#") or not line.strip():
            continue
        elif rows is None:
            raise ValueError(f"{path}:{number}: no line '# figure NAME' above")
        elif columns is None:
            columns = line.split("\t")
        else:
            cells = line.split("\t")
            if len(cells) != len(columns):
                raise ValueError(
                    f"{path}:{number}: {len(cells)} cells under {len(columns)} columns"
                )
            rows.append(dict(zip(columns, map(convert, cells))))
    return tables


def read_folder(folder):
    """Tables of all files; where two have the same figure, that of the later name counts."""
    tables = {}
    for path in sorted(folder.glob("*.tsv")):
        tables.update((name, rows) for name, rows in read_tables(path).items() if rows)
    return tables


def distinct(rows, column):
    return list(dict.fromkeys(row[column] for row in rows))


def where(rows, **wanted):
    return [row for row in rows if all(row[c] == v for c, v in wanted.items())]


# ---- what figures share --------------------------------------------------------------------------


def colour(engine):
    return COLOURS.get(engine, COLOURS.get(engine.split("+")[0], "#666666"))


def dash(engine):
    return "--" if engine.endswith("+two-pass") else "-"


def plain(value, _=None):
    return (
        f"{value:g}"
        if value < 1e4
        else f"{value / 1000:g}k" if value < 1e6 else f"{value / 1e6:g}M"
    )


class Between(LogFormatter):
    """Plain numbers for those ticks between powers of ten that LogFormatter would label."""

    def __call__(self, value, position=None):
        return f"{value:.3g}" if super().__call__(value, position) else ""


def log_y(ax, label):
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    # Between powers of ten only where the axis would be left without a label.
    ax.yaxis.set_minor_formatter(Between(minor_thresholds=(1, 0.4)))
    ax.set_ylabel(label)


def log_x(ax, label, ticks=None):
    ax.set_xscale("log", base=2 if ticks is None else 10)
    if ticks is not None:
        ax.set_xticks(ticks)
    ax.xaxis.set_major_formatter(FuncFormatter(plain))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(label)


def ranges(ax, x, rows, engine, column="median_s", label=None, **style):
    """Medians as a line, smallest to largest run as a bar; no bars where the table has none."""
    y = [row[column] for row in rows]
    style = {"color": colour(engine), "linestyle": dash(engine), "marker": "o", **style}
    ax.plot(x, y, label=label or engine, **style)
    low, high = [row["min_s"] for row in rows], [row["max_s"] for row in rows]
    ax.vlines(x, low, high, color=style["color"], linewidth=0.8)


def group_bars(ax, groups, series, width=0.8):
    """series: list of (label, values, colour); a value None leaves a gap."""
    step = width / max(len(series), 1)
    for k, (label, values, fill) in enumerate(series):
        at = [g - width / 2 + (k + 0.5) * step for g in range(len(groups))]
        ax.bar(
            at, [math.nan if v is None else v for v in values], step * 0.92, label=label, color=fill
        )
    ax.set_xticks(range(len(groups)), groups)


def supports_axis(ax, rows):
    ticks = sorted(distinct(rows, "threshold"))
    log_x(ax, "support threshold (occurrences)", ticks)


def interval(rows):
    return ", ".join(map(str, distinct(rows, "delay")))


def caption(rows):
    events = distinct(rows, "events")
    text = f"{events[0]:,.0f} events" if len(events) == 1 else f"{len(events)} recordings"
    return f"{text}, {interval(rows)}"


# ---- the figures ---------------------------------------------------------------------------------


def draw_crossover(tables):
    rows = tables["crossover"]
    sizes = sorted(distinct(rows, "size"))
    points = {row["size"]: row for row in tables.get("crossover-points", [])}
    columns = min(4, len(sizes))
    lines = math.ceil(len(sizes) / columns)
    figure, axes = plt.subplots(
        lines,
        columns,
        figsize=(2.6 * columns, 2.3 * lines + 0.5),
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    for ax, size in zip(axes.flat, sizes):
        for engine in distinct(rows, "engine"):
            part = where(rows, size=size, engine=engine)
            ranges(
                ax, [row["candidates"] for row in part], part, engine, "counting_s", markersize=2.5
            )
        if size in points and points[size]["crossed"] == "yes":
            ax.axvline(points[size]["crossover"], color="#999999", linewidth=0.8, linestyle=":")
        ax.set_title(f"size {size:g}")
        log_x(ax, "")
        log_y(ax, "")
    for ax in axes.flat[len(sizes) :]:
        ax.set_visible(False)
    for k, ax in enumerate(axes.flat[: len(sizes)]):
        if k + columns >= len(sizes):
            ax.set_xlabel("candidates")
            ax.tick_params(labelbottom=True)
        if k % columns == 0:
            ax.set_ylabel("counting time (s)")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper center", ncols=len(labels), bbox_to_anchor=(0.5, 1.04)
    )
    return figure


def fit_line(x, y):
    """Least squares: slope and intercept."""
    n, mean_x, mean_y = len(x), sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum(
        (a - mean_x) ** 2 for a in x
    )
    return (slope, mean_y - slope * mean_x) if n > 1 else (0.0, mean_y)


def draw_fit(tables):
    rows = tables["crossover-points"]
    figure, ax = plt.subplots(figsize=(4.6, 3.2))
    for crossed, fill in (("yes", "black"), ("no", "none")):
        part = where(rows, crossed=crossed)
        if part:
            label = "measured" if crossed == "yes" else "one faster throughout"
            x, y = [row["size"] for row in part], [row["share"] for row in part]
            ax.scatter(x, y, s=22, facecolors=fill, edgecolors="black", label=label, zorder=3)
    sizes = [row["size"] for row in rows]
    low, high = min(sizes), max(sizes)
    smooth = [low + (high - low) * k / 100 for k in range(101)] if high > low else [low]
    if high > low:
        shares = [row["share"] for row in rows]
        a, b = fit_line([1 / size for size in sizes], shares)
        ax.plot(smooth, [a / s + b for s in smooth], color="#009E73", label=f"{a:.3g} / N {b:+.3g}")
        a, b = fit_line(sizes, shares)
        ax.plot(
            smooth,
            [a * s + b for s in smooth],
            color="#999999",
            ls="--",
            label=f"{a:.3g} N {b:+.3g}",
        )
    ax.set_ylim(bottom=0)
    ax.set_xlabel("size of episode N")
    ax.set_ylabel("crossover / resident threads")
    ax.legend()
    return figure


def draw_supports(rows, label="mining time (s)"):
    figure, ax = plt.subplots(figsize=(4.8, 3.4))
    for engine in distinct(rows, "engine"):
        part = sorted(where(rows, engine=engine), key=lambda row: row["threshold"])
        ranges(ax, [row["threshold"] for row in part], part, engine)
    supports_axis(ax, rows)
    log_y(ax, label)
    ax.set_title(caption(rows), loc="left")
    ax.legend()
    return figure


def draw_strategies(tables):
    return draw_supports(tables["strategies"])


def draw_tracking(tables):
    return draw_supports(tables["tracking"])


def draw_two_pass(tables):
    rows = tables["two-pass"]
    levels = tables.get("two-pass-levels", [])
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.3))
    for engine in distinct(rows, "engine"):
        part = sorted(where(rows, engine=engine), key=lambda row: row["threshold"])
        x = [row["threshold"] for row in part]
        left.plot(
            x,
            [row["speedup"] for row in part],
            marker="o",
            color=colour(engine),
            ls=dash(engine),
            label=engine,
        )
        if engine.endswith("+two-pass") and engine.startswith("cuda-hybrid"):
            for row in part:
                left.annotate(
                    f"{row['eliminated_share']:.0%} eliminated", (row["threshold"], row["speedup"]),
                    xytext=(0, -12), textcoords="offset points", ha="center", fontsize=7,
                )  # fmt: skip
    left.axhline(1, color="#999999", linewidth=0.8)
    left.set_ylim(bottom=0)
    left.set_ylabel("speed-up over cuda-hybrid in one pass")
    left.margins(x=0.15)
    supports_axis(left, rows)
    left.set_title(caption(rows), loc="left")
    left.legend()
    lowest = min(distinct(rows, "threshold"))
    levels = [row for row in levels if row["threshold"] == lowest and row["size"] > 1]
    sizes = sorted(distinct(levels, "size"))
    series = []
    for engine in ("cuda-hybrid", "cuda-hybrid+two-pass"):
        by_size = {row["size"]: row["median_s"] for row in where(levels, engine=engine)}
        fill = COLOURS["one-pass" if engine == "cuda-hybrid" else "two-pass"]
        series.append((engine, [by_size.get(size) for size in sizes], fill))
    group_bars(right, [f"{size:g}" for size in sizes], series)
    log_y(right, "time (s)")
    right.set_xlabel("size of episode")
    right.set_title(f"threshold {lowest:g}", loc="left")
    right.legend()
    return figure


def draw_profiler(tables):
    rows = [row for row in tables["profiler"] if row["size"] != "-"]
    sizes = sorted(distinct(rows, "size"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.3))

    def total(method, size, *columns):
        part = where(rows, method=method, size=size)
        return sum(row[c] for row in part for c in columns) if part else None

    def draw(ax, label, *columns):
        methods = [m for m in ("one-pass", "two-pass") if m in distinct(rows, "method")]
        series = [(m, [total(m, size, *columns) for size in sizes], COLOURS[m]) for m in methods]
        group_bars(ax, [f"{size:g}" for size in sizes], series)
        ax.set_xlabel("size of episode")
        ax.set_ylabel(label)
        ax.yaxis.set_major_formatter(FuncFormatter(plain))

    draw(
        left,
        "local memory loads and stores (requests)",
        "local_load_requests",
        "local_store_requests",
    )
    draw(right, "divergent branch targets", "divergent_branch_targets")
    left.legend()
    return figure


def draw_gpus(tables):
    """Above the speed-up over one GPU of the same engine, below the time."""
    rows = tables["gpus"]
    thresholds = sorted(distinct(rows, "threshold"))
    counts = sorted(distinct(rows, "gpus"))
    figure, axes = plt.subplots(
        2,
        len(thresholds),
        figsize=(4.2 * len(thresholds), 5.6),
        squeeze=False,
        sharex=True,
        sharey="row",
    )
    for k, threshold in enumerate(thresholds):
        above, below = axes[0][k], axes[1][k]
        above.plot(counts, counts, color="#999999", linewidth=0.8, linestyle=":", label="linear")
        for engine in distinct(rows, "engine"):
            part = sorted(
                where(rows, engine=engine, threshold=threshold), key=lambda row: row["gpus"]
            )
            x, style = [row["gpus"] for row in part], {"color": colour(engine), "ls": dash(engine)}
            above.plot(x, [row["speedup"] for row in part], marker="o", label=engine, **style)
            ranges(below, x, part, engine)
        above.set_title(f"threshold {threshold:g}", loc="left")
        below.set_xticks(counts)
        below.xaxis.set_major_formatter(FuncFormatter(plain))
        below.set_xlabel("GPUs")
        log_y(below, "mining time (s)" if k == 0 else "")
    axes[0][0].set_ylim(bottom=0)
    axes[0][0].set_ylabel("speed-up over one GPU")
    axes[0][0].legend()
    return figure


def draw_two_pass_gpus(tables):
    rows = tables["gpus"]
    figure, ax = plt.subplots(figsize=(4.2, 3.2))
    for marker, threshold in zip("osD^v", sorted(distinct(rows, "threshold"))):
        part = sorted(where(rows, threshold=threshold), key=lambda row: row["gpus"])
        one, two = where(part, engine="cuda-ptpe"), where(part, engine="cuda-hybrid+two-pass")
        ratio = [a["median_s"] / b["median_s"] for a, b in zip(one, two)]
        x = [row["gpus"] for row in two]
        ax.plot(x, ratio, marker=marker, color="black", label=f"threshold {threshold:g}")
    ax.axhline(1, color="#999999", linewidth=0.8)
    ax.set_ylim(bottom=0)
    ax.set_xticks(sorted(distinct(rows, "gpus")))
    ax.xaxis.set_major_formatter(FuncFormatter(plain))
    ax.set_xlabel("GPUs")
    ax.set_ylabel("speed-up of cuda-hybrid+two-pass\nover cuda-ptpe")
    ax.legend()
    return figure


PHASES = [
    ("opening_s", "recording to the GPUs", "#0072B2"),
    ("candidates_s", "candidates", "#56B4E9"),
    ("bounding_s", "first pass", "#E69F00"),
    ("counting_s", "second pass", "#D55E00"),
    ("rest_s", "results", "#BBBBBB"),
]


def draw_phases(tables):
    """Times are split for engines whose candidates are made on the host."""
    rows = where(tables["gpus"], engine="cuda-hybrid+two-pass")
    thresholds = sorted(distinct(rows, "threshold"))
    figure, axes = plt.subplots(
        1, len(thresholds), figsize=(3.6 * len(thresholds), 3.3), squeeze=False
    )
    for ax, threshold in zip(axes.flat, thresholds):
        part = sorted(where(rows, threshold=threshold), key=lambda row: row["gpus"])
        for row in part:
            row["rest_s"] = max(0.0, row["median_s"] - sum(row[c] for c, _, _ in PHASES[:-1]))
        bottom = [0.0] * len(part)
        for column, label, fill in PHASES:
            ax.bar(
                range(len(part)),
                [row[column] for row in part],
                0.6,
                bottom,
                color=fill,
                label=label,
            )
            bottom = [b + row[column] for b, row in zip(bottom, part)]
        ax.set_xticks(range(len(part)), [f"{row['gpus']:g}" for row in part])
        ax.set_xlabel("GPUs")
        ax.set_ylabel("time (s)")
        ax.set_title(f"threshold {threshold:g}", loc="left")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_cpu(tables):
    rows = tables["cpu"]
    figure, ax = plt.subplots(figsize=(5.2, 3.5))
    most = max(row["gpus"] for row in rows)
    for engine, gpus in dict.fromkeys((row["engine"], row["gpus"]) for row in rows):
        part = sorted(where(rows, engine=engine, gpus=gpus), key=lambda row: row["threshold"])
        where_ = (
            f"{gpus:g} GPU{'s' if gpus > 1 else ''}" if gpus else f"{part[0]['threads']:g} threads"
        )
        marker = "s" if gpus == most and most > 1 else "o"
        ax.plot(
            [row["threshold"] for row in part], [row["speedup"] for row in part],
            marker=marker, color=colour(engine), ls=dash(engine), label=f"{engine}, {where_}",
        )  # fmt: skip
    supports_axis(ax, rows)
    log_y(ax, "speed-up over fsm+two-pass, 4 threads")
    ax.set_title(caption(rows), loc="left")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_bound(tables):
    rows = where(tables["bound"], engine="cuda-ptpe+two-pass")
    one = where(tables["bound"], engine="cuda-ptpe")
    names = distinct(rows, "delay")
    rows, one = ([where(t, delay=name)[0] for name in names] for t in (rows, one))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.3))
    left.bar(
        range(len(names)),
        [100 * row["eliminated_share"] for row in rows],
        0.6,
        color=COLOURS["two-pass"],
    )
    left.set_ylabel("candidates eliminated (%)")
    left.set_ylim(0, 100)
    left.set_xticks(range(len(names)), names)
    series = [
        ("one pass", [row["counting_s"] for row in one], COLOURS["one-pass"]),
        ("first of two", [row["bounding_s"] for row in rows], "#56B4E9"),
        ("second of two", [row["counting_s"] for row in rows], COLOURS["two-pass"]),
    ]
    group_bars(right, names, series)
    log_y(right, "time (s)")
    right.legend()
    for ax in (left, right):
        ax.set_xlabel("delay interval")
    return figure


def draw_sweep(tables):
    rows = tables["sweep"]
    figure, ax = plt.subplots(figsize=(4.8, 3.4))
    for engine, gpus in dict.fromkeys((row["engine"], row["gpus"]) for row in rows):
        part = sorted(where(rows, engine=engine, gpus=gpus), key=lambda row: row["events"])
        kind = (
            f"{gpus:g} GPU{'s' if gpus > 1 else ''}" if gpus else f"{part[0]['threads']:g} threads"
        )
        x = [row["events"] for row in part]
        ranges(ax, x, part, engine, label=f"{engine}, {kind}", linestyle="--" if gpus > 1 else "-")
    ax.set_xscale("log")
    ax.set_xlabel("events")
    log_y(ax, "mining time (s)")
    ax.set_title(
        f"support {', '.join(map(str, distinct(rows, 'support')))}, {interval(rows)}", loc="left"
    )
    ax.legend()
    return figure


# Figure: (the table that it needs, how it is drawn).
FIGURES = {
    "crossover": ("crossover", draw_crossover),
    "fit": ("crossover-points", draw_fit),
    "strategies": ("strategies", draw_strategies),
    "two-pass": ("two-pass", draw_two_pass),
    "profiler": ("profiler", draw_profiler),
    "gpus": ("gpus", draw_gpus),
    "two-pass-gpus": ("gpus", draw_two_pass_gpus),
    "phases": ("gpus", draw_phases),
    "cpu": ("cpu", draw_cpu),
    "tracking": ("tracking", draw_tracking),
    "bound": ("bound", draw_bound),
    "sweep": ("sweep", draw_sweep),
}


def draw_all(tables, folder, file_format):
    """Writes a figure for every table that is there; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    # No date inside, so that the same tables give the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(file_format)
    with plt.rc_context(STYLE):
        for name, (table, draw) in FIGURES.items():
            if table not in tables:
                continue
            figure = draw(tables)
            path = folder / f"gpu-{name}.{file_format}"
            figure.tight_layout()
            figure.savefig(path, dpi=160, bbox_inches="tight", metadata=metadata)
            plt.close(figure)
            paths.append(path)
    return paths


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tables", type=pathlib.Path, default=root / "bench/results/gpu")
    parser.add_argument("--figures", type=pathlib.Path, default=root / "docs/figures")
    parser.add_argument("--format", choices=["svg", "png", "pdf"], default="svg")
    arguments = parser.parse_args()
    try:
        tables = read_folder(arguments.tables)
    except ValueError as error:
        sys.exit(f"plot_gpu.py: {error}")
    paths = draw_all(tables, arguments.figures, arguments.format)
    if not paths:
        sys.exit(
            f"plot_gpu.py: no tables in {arguments.tables}/*.tsv; spikemine-bench-gpu makes them"
        )
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()
