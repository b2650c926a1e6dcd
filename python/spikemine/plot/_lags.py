"""Patterns and episodes as sequences, and how their lags are distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .._patterns import Patterns
from .._results import Array, check_count
from . import _axes
from ._axes import Floats, Results
from ._raster import _aligned, _draw_ranges, _ranges

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# ---- patterns --------------------------------------------------------------------------------


def patterns(results: Results, *, top: int = 20, ax: Axes | None = None) -> Axes:
    """Draws results as sequences below each other, the first at the top.

    Every spike is a marker at its lag with the name of its unit; the count stands at the right,
    and behind a test the count by chance and the p-value. Lags of patterns are those of their
    bins. Lags of episodes are the medians of their occurrences, with a line from the smallest to
    the largest.

    Parameters
    ----------
    results : Patterns or Episodes
    top : results that are drawn at most, from the first on
    ax : axes to draw into; a new figure by default

    The x axis is in ms; in s from 2 s on. Returns the axes. Raises TypeError,
    ValueError, ImportError.
    """
    results = _axes.check_results(results)
    shown = results[: check_count("top", top, 1)]
    spans = [_lag_spans(shown, k) for k in range(len(shown))]
    factor, unit = _axes.scale_of(max((float(span[2].max()) for span in spans), default=0.0))
    ax = _axes.new_axes(ax, 6.0, 1.2 + 0.32 * max(len(shown), 3))
    for k, (low, middle, high) in enumerate(spans):
        _draw_sequence(ax, shown, k, low * factor, middle * factor, high * factor)
        _tell_count(ax, shown, k)
    if len(shown) == 0:
        _axes.tell_empty(ax, f"no {results.language}")
    ax.set_yticks(range(len(shown)), [str(k) for k in range(len(shown))])
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.7)
    ax.set_ylabel(results.language[:-1])
    ax.set_xlabel(f"lag ({unit})")
    ax.margins(x=0.08)
    return _axes.finish(ax)


def _lag_spans(results: Results, k: int) -> tuple[Floats, Floats, Floats]:
    """Smallest, median and largest lag of each position, in seconds."""
    if isinstance(results, Patterns):
        at = slice(int(results.offsets[k]), int(results.offsets[k + 1]))
        lags: Floats = results.lags[at].astype(np.float64)
        lags *= results.windows.bin_s
        return lags, lags, lags
    times = results.occurrences(k)
    if len(times) == 0:  # episodes of a file that do not occur
        zero = np.zeros(int(results.size[k]))
        return zero, zero, zero
    lags = times - times[:, :1]
    return lags.min(axis=0), np.median(lags, axis=0), lags.max(axis=0)


def _draw_sequence(
    ax: Axes, results: Results, k: int, low: Floats, middle: Floats, high: Floats
) -> None:
    rows = np.full(middle.size, float(k))
    heights = rows + _steps_aside(middle)
    (line,) = ax.plot(middle, rows, color="0.8", linewidth=1.0, zorder=1)
    line.set_gid(f"line {k}")
    if np.any(high > low):
        ax.hlines(rows, low, high, colors=_axes.colour(k), linewidths=3, alpha=0.3, zorder=2)
    (drawn,) = ax.plot(
        middle,
        heights,
        linestyle="none",
        marker=_axes.marker(k),
        markersize=6,
        markeredgewidth=0,
        color=_axes.colour(k),
        zorder=3,
    )
    drawn.set_gid(f"spikes {k}")
    labels = results.recording.labels
    for x, y, u in zip(middle, heights, _axes.unit_numbers(results, k)):
        beside = isinstance(results, Patterns)
        ax.annotate(
            labels[u],
            (x, y),
            (5, 0) if beside else (0, 4),
            textcoords="offset points",
            ha="left" if beside else "center",
            va="center" if beside else "bottom",
            fontsize="small",
        )


def _steps_aside(x: Floats) -> Floats:
    """Heights that keep spikes of one lag apart."""
    steps = np.zeros(x.size)
    for value in np.unique(x):
        same = np.flatnonzero(x == value)
        if same.size > 1:
            steps[same] = np.linspace(-0.28, 0.28, same.size)
    return steps


def _tell_count(ax: Axes, results: Results, k: int) -> None:
    said = ax.annotate(
        _axes.facts(results, k),
        (1.01, k),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize="small",
    )
    said.set_gid(f"count {k}")


# ---- lags ------------------------------------------------------------------------------------


def lags(results: Results, k: int | None = None, *, bins: int = 40, ax: Axes | None = None) -> Axes:
    """Draws how lags are distributed.

    Parameters
    ----------
    results : Episodes or Patterns
    k : number of a result: at which time after the first spike each further spike came, over all
        occurrences; the times that are allowed are shaded. None: which lags all results have:
        of patterns, how many spikes lie at each lag behind the first; of episodes, how many steps
        go through each interval of delays
    bins : classes of the histogram of one result
    ax : axes to draw into; a new figure by default

    The x axis is in ms; in s from 2 s on. Returns the axes. Raises TypeError,
    ValueError, IndexError (no such result), ImportError.
    """
    results = _axes.check_results(results)
    check_count("bins", bins, 1)
    ax = _axes.new_axes(ax, 5.2, 3.4)
    if k is None:
        _draw_all_lags(ax, results)
    else:
        row = results._index(k)
        if not isinstance(row, int):
            raise TypeError("k: the number of one result, or None")
        _draw_own_lags(ax, results, row, bins)
    return _axes.finish(ax)


def _draw_own_lags(ax: Axes, results: Results, k: int, bins: int) -> None:
    from matplotlib.ticker import MaxNLocator

    times, origin, _ = _aligned(results, k)
    lags = times - origin[:, None]
    ranges = _ranges(results, k)
    ends = [hi for _, hi in ranges if np.isfinite(hi)]
    longest = max([float(lags.max(initial=0)), *ends, 1e-9])
    factor, unit = _axes.scale_of(longest)
    tick = 1 / float(results.recording.rate)  # classes of whole ticks: each has as many times
    width = max(math.ceil(longest * 1.02 / bins / tick), 1) * tick
    edges = (np.arange(bins + 1) * width - tick / 2) * factor
    above = _draw_ranges(ax, ranges, factor, longest)
    ax.set_xlim(0, _axes.BEYOND * longest * factor)
    labels = results.recording.labels
    first = 0 if isinstance(results, Patterns) else 1  # an episode's first spike is at 0
    for p, u in list(enumerate(_axes.unit_numbers(results, k)))[first:]:
        own = lags[:, p] * factor
        middle = np.median(own) if len(own) else 0.0
        look: dict[str, Any] = {
            "color": _axes.colour(p),
            "linewidth": 1.4,
            "linestyle": ("-", "--", ":", "-.")[p % 4],
        }
        drawn: Any
        if len(own) and np.ptp(own) <= 1e-9 * abs(middle):  # one value has no width
            look["label"] = f"{labels[u]}  always {middle:.3g} {unit}"
            (drawn,) = ax.plot(
                [middle] * 2, [0, len(own)], marker=_axes.marker(p), markevery=[1], **look
            )
        else:
            look["label"] = f"{labels[u]}  median {middle:.3g} {unit}" if len(own) else labels[u]
            drawn = ax.stairs(np.histogram(own, edges)[0], edges, **look)
        drawn.set_gid(f"position {p}")
    ax.set_ylim(bottom=0)
    if len(lags) == 0:
        _axes.tell_empty(ax, "no occurrences")
    _axes.legend_above(ax, min(max(lags.shape[1] - first, 1), 2), above)
    start = "start of the window" if isinstance(results, Patterns) else "first spike"
    ax.set_xlabel(f"time from the {start} ({unit})")
    ax.set_ylabel("occurrences")
    ax.yaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))


def _draw_all_lags(ax: Axes, results: Results) -> None:
    if isinstance(results, Patterns):
        left, width, n = _pattern_lags(results)
        ax.set_ylabel("spikes of patterns")
    else:
        left, width, n = _episode_lags(results)
        ax.set_ylabel("steps of episodes")
    factor, unit = _axes.scale_of(float((left + width).max(initial=0)))
    drawn = ax.bar(
        left * factor,
        n,
        width * factor,
        align="edge",
        color=_axes.colour(0),
        edgecolor="white",
        linewidth=0.6,
    )
    for patch in drawn:
        patch.set_gid("lags")
    if len(results) == 0:
        _axes.tell_empty(ax, f"no {results.language}")
    elif len(n) == 1:
        ax.set_ylim(0, 1.3 * float(n[0]))
        _tell_one_interval(ax, results, int(n[0]))
    ax.set_xlabel(f"{'lag' if isinstance(results, Patterns) else 'delay'} ({unit})")


def _tell_one_interval(ax: Axes, results: Results, steps: int) -> None:
    """The bar is all that was asked for, and no distribution."""
    text = f"one interval was asked for: all {steps:,} steps lie in it;\nlags(results, k) has those of result k"
    if isinstance(results, Patterns):
        text = f"a window of one bin: all {steps:,} spikes have lag 0"
    said = ax.text(0.5, 0.98, text, transform=ax.transAxes, ha="center", va="top", fontsize="small")
    said.set_gid("one interval")


def _pattern_lags(results: Patterns) -> tuple[Floats, Floats, Array]:
    """Start and width of each lag's bin, and the spikes at it, without the first of each pattern."""
    further = np.ones(results.items.size, bool)
    further[results.offsets[:-1]] = False
    n = np.bincount(results.lags[further], minlength=results.windows.window)
    width: Floats = np.full(n.size, results.windows.bin_s)
    starts: Floats = np.arange(n.size) * width
    return starts, width, n


def _episode_lags(results: Results) -> tuple[Floats, Floats, Array]:
    """Start and width of each interval, and the steps through it. An infinite one is drawn to twice
    its start, or twice the end of the longest other one."""
    further = np.ones(results.units.size, bool)
    further[results.offsets[:-1]] = False
    delays: Floats = results.delays
    n = np.bincount(results.delay[further], minlength=len(delays))
    low, high = delays[:, 0], delays[:, 1].copy()
    ends = delays[np.isfinite(delays)]
    high[np.isinf(high)] = 2 * ends.max(initial=1e-3)
    order = np.lexsort((high, low))
    return low[order], (high - low)[order], n[order]
