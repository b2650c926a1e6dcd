"""What a test says of the best results, and how their lags are distributed, on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._patterns import Patterns
from .._results import Array, check_count, differing
from . import _axes
from ._axes import Floats, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADER = 1.9  # height of the lines above a result, in rows


def findings(results: Results, *, top: int = 6, bins: int = 40, ax: Axes | None = None) -> Axes:
    """Draws the first results that differ below each other: what a test says of each, and its lags.

    Above a result stand its count and, behind a test, the count by chance, p, the false discovery
    rate, p of the direction, and what it may mean beside a sequence. Below is a row for each
    spike. For episodes it shows after which delay behind the unit above it the unit fired, over
    all occurrences; for patterns how long after the start of the window. The times that are
    allowed are shaded.

    Parameters
    ----------
    results : Episodes or Patterns
    top : results that are drawn at most, from the first on. Of more than these one is left out
        where it shares half of its units, two at least, with one above; families are taken as they stand
    bins : classes of the histograms
    ax : axes to draw into; a new figure by default

    The x axis goes from 0 to a little behind the largest delay of all results, or the length of the
    window, in ms; in s from 2 s on. Returns the axes. Raises TypeError,
    ValueError, ImportError.
    """
    results = _axes.check_results(results)
    check_count("bins", bins, 1)
    shown = differing(results, check_count("top", top, 1))
    rows = [_lags(shown, k) for k in range(len(shown))]
    names = shown.recording.labels
    longest = _longest(results, rows)
    factor, unit = _axes.scale_of(longest)
    height = sum(HEADER + len(lags) for lags in rows)
    ax = _axes.new_axes(ax, 5.6, 0.9 + 0.24 * max(height, 4))
    ticks: dict[float, str] = {}
    y = float(height)
    for k, lags in enumerate(rows):
        y -= HEADER
        _tell(ax, shown, k, y)
        units = _axes.unit_numbers(shown, k)
        for p, own in enumerate(lags):
            y -= 1
            ticks[y + 0.4] = names[units[p]]
            _draw_row(ax, shown, k, p, own, y, np.linspace(0, longest, bins + 1), factor)
    if len(shown) == 0:
        _axes.tell_empty(ax, f"no {results.language}")
    ax.set_yticks(list(ticks), list(ticks.values()))
    ax.set_ylim(0, max(height, 1))
    ax.set_xlim(0, _axes.BEYOND * longest * factor)
    ax.set_ylabel("unit")
    behind = isinstance(results, Patterns)
    name = "time from the start of the window" if behind else "delay behind the unit above"
    ax.set_xlabel(f"{name} ({unit})")
    return _axes.finish(ax)


def _lags(results: Results, k: int) -> list[Floats]:
    """For each row of result k its times in seconds, one for each occurrence; an episode's first
    unit has none."""
    times = _axes.spike_times(results, k)
    if isinstance(results, Patterns):
        return list((times - results.occurrences(k)[:, None]).T)
    return [np.empty(0), *np.diff(times, axis=1).T]


def _longest(results: Results, rows: list[list[Floats]]) -> float:
    """The largest delay; where one has no end, of what is drawn, too."""
    if isinstance(results, Patterns):
        return float(results.windows.window * results.windows.bin_s)
    ends = results.delays[:, 1]
    drawn = [float(own.max(initial=0)) for lags in rows for own in lags if np.isinf(ends).any()]
    return float(max([1e-9, *ends[np.isfinite(ends)], *drawn]))


def _allowed(results: Results, k: int, p: int) -> tuple[float, float] | None:
    """The times that row p of result k may have, in seconds."""
    at = int(results.offsets[k]) + p
    if isinstance(results, Patterns):
        lag = float(results.lags[at]) * results.windows.bin_s
        return lag, lag + results.windows.bin_s
    low, high = results.delays[results.delay[at]]
    return (float(low), float(high)) if p > 0 else None


def _counts(lags: Floats, edges: Floats, ends_belong: bool) -> Array:
    """How many lags lie in each class, which holds its end or its start."""
    place = lags / edges[1]
    near = 1e-6  # times are ticks, classes need not be
    index = np.ceil(place - near) - 1 if ends_belong else np.floor(place + near)
    last = len(edges) - 2
    return np.bincount(np.clip(index, 0, last).astype(np.int64), minlength=last + 1)


def _draw_row(
    ax: Axes, results: Results, k: int, p: int, lags: Floats, y: float, edges: Floats, factor: float
) -> None:
    allowed = _allowed(results, k, p)
    if allowed is None:
        return
    low, high = allowed[0], min(allowed[1], edges[-1])
    shade = ax.broken_barh(
        [(low * factor, (high - low) * factor)], (y, 0.84), color=_axes.colour(k), alpha=0.17
    )
    shade.set_gid(f"allowed {k} {p}")
    counts = _counts(lags, edges, not isinstance(results, Patterns))
    drawn = ax.stairs(
        y + 0.84 * counts / max(counts.max(initial=0), 1),
        edges * factor,
        baseline=y,
        fill=True,
        color=_axes.colour(k),
    )
    drawn.set_gid(f"lags {k} {p}")


def _tell(ax: Axes, results: Results, k: int, y: float) -> None:
    said = ax.annotate(
        f"{_axes.text_of(results, k)}\n{_axes.facts(results, k, every=True)}",
        (0.01, y + 0.1),
        xycoords=("axes fraction", "data"),
        fontsize="small",
        va="bottom",
    )
    said.set_gid(f"finding {k}")
