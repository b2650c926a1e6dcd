"""Spikes over time, and the occurrences of one result below each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._episodes import as_recording
from .._library import Time
from .._patterns import Patterns
from .._recording import Recording
from .._results import Array, check_count
from . import _axes
from ._axes import Floats, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELS = 40  # rows that are all named
MOST_LEGENDS = 10
MANY_SPIKES = 50000  # from here on pixels in vector files


# ---- raster ----------------------------------------------------------------------------------


def raster(
    recording: Any,
    results: Results | None = None,
    *,
    start: Time | None = None,
    stop: Time | None = None,
    units: Sequence[int | str] | str | None = None,
    legend: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the spikes of a recording, and over them the occurrences of some results.

    Parameters
    ----------
    recording : Recording, or anything that Recording takes
    results : Episodes or Patterns, such as ep[:5]; every counted occurrence is a line through its
        spikes, in a colour and with a marker of its result
    start, stop : time, optional
        The stretch that is drawn, start <= t < stop; all by default
    units : names or numbers of units, from the bottom up; "results": those of the results only
    legend : names the results; by default where they are at most 10
    ax : axes to draw into; a new figure by default

    The x axis is in seconds. Times outside all segments are shaded, and their borders are dotted.
    Returns the axes. Raises TypeError, ValueError, KeyError (no such unit), ImportError.
    """
    recording = as_recording(recording)
    if results is not None:
        results = _axes.check_results(results)
    low = recording.start if start is None else _axes.seconds_of(start, "start")
    high = recording.stop if stop is None else _axes.seconds_of(stop, "stop")
    if not low < high and (start is not None or stop is not None):
        raise ValueError(f"start={start!r}, stop={stop!r}: start must be before stop")
    rows = _rows(recording, results, units)
    ax = _axes.new_axes(ax, 7.2, 4.0)
    _draw_segments(ax, recording)
    _draw_spikes(ax, recording, rows, low, high)
    if results is not None:
        for k in range(len(results)):
            _draw_result(ax, recording, results, k, rows, low, high)
        if legend or (legend is None and 0 < len(results) <= MOST_LEGENDS):
            _axes.legend_above(ax, 2 if len(results) > 3 else 1)
    if recording.n_spikes == 0:
        _axes.tell_empty(ax, "no spikes")
    _label_rows(ax, recording, rows)
    if low < high:
        ax.set_xlim(low, high)
    ax.set_xlabel("time (s)")
    return _axes.finish(ax)


def _rows(
    recording: Recording, results: Results | None, units: Sequence[int | str] | str | None
) -> Array:
    """Numbers of the units of the rows, from the bottom up."""
    if units is None:
        return np.arange(recording.n_units)
    if isinstance(units, str):
        if units != "results" or results is None:
            raise ValueError(
                f"units={units!r}: must be a list of units, or 'results' where results are given"
            )
        labels = results.recording.labels
        units = [labels[u] for u in np.unique(results.units)]
    return np.array([recording.unit(u) for u in units], np.int64)


def _row_of_unit(recording: Recording, rows: Array) -> Floats:
    """The row of each unit, NaN where it has none."""
    row = np.full(recording.n_units, np.nan)
    row[rows] = np.arange(rows.size)
    return row


def _draw_segments(ax: Axes, recording: Recording) -> None:
    segments = recording.segments
    if len(segments) < 2:
        return
    order = np.argsort(segments[:, 0], kind="stable")
    stops = np.maximum.accumulate(segments[order, 1])
    starts = segments[order, 0][1:]
    gaps = starts > stops[:-1]
    spans = np.stack([stops[:-1], starts - stops[:-1]], axis=1)[gaps]
    across = ax.get_xaxis_transform()
    shaded = ax.broken_barh(
        [(float(x), float(width)) for x, width in spans],
        (0, 1),
        transform=across,
        facecolors=_axes.SHADE,
        zorder=0,
    )
    shaded.set_gid("not observed")
    borders = ax.vlines(
        starts, 0, 1, transform=across, colors="0.6", linestyles=":", linewidths=0.6, zorder=0.5
    )
    borders.set_gid("segments")


def _draw_spikes(ax: Axes, recording: Recording, rows: Array, low: float, high: float) -> None:
    row = _row_of_unit(recording, rows)[recording.units]
    times = recording.times
    inside = (times >= low) & (times < high) & ~np.isnan(row)
    x, y = _axes.ticks_of(times[inside], row[inside])
    width = 0.8 if rows.size <= MOST_LABELS else 0.5
    (drawn,) = ax.plot(x, y, color=_axes.SPIKES, linewidth=width, solid_capstyle="butt", zorder=1)
    drawn.set_gid("spikes")
    drawn.set_rasterized(int(np.count_nonzero(inside)) > MANY_SPIKES)


def _draw_result(
    ax: Axes,
    recording: Recording,
    results: Results,
    k: int,
    rows: Array,
    low: float,
    high: float,
) -> None:
    times = _axes.spike_times(results, k)
    row = _row_of_unit(recording, rows)
    labels = results.recording.labels
    own = np.array([row[recording.unit(labels[u])] for u in _axes.unit_numbers(results, k)])
    seen = (times.max(axis=1, initial=-np.inf) >= low) & (times.min(axis=1, initial=np.inf) < high)
    times = times[seen]
    many = len(times) > 60
    x, y = _axes.broken_lines(times, np.broadcast_to(own, times.shape))
    (drawn,) = ax.plot(
        x,
        y,
        color=_axes.colour(k),
        marker=_axes.marker(k),
        markersize=2.2 if many else 3.5,
        markeredgewidth=0,
        linewidth=0.6 if many else 1.0,
        zorder=2,
        label=f"{_axes.short(results.text(k))}  ({int(results.count[k])}×)",
    )
    drawn.set_gid(f"occurrences {k}")


def _label_rows(ax: Axes, recording: Recording, rows: Array) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    names = [recording.labels[u] for u in rows]
    if len(names) <= MOST_LABELS:
        ax.set_yticks(range(len(names)), names, fontsize="small" if len(names) > 15 else "medium")
    else:
        ax.yaxis.set_major_locator(MaxNLocator(10, integer=True))
        ax.yaxis.set_major_formatter(
            FuncFormatter(lambda y, _: names[int(y)] if 0 <= y < len(names) else "")
        )
    ax.set_ylim(-0.7, max(len(names), 1) - 0.3)
    ax.set_ylabel("unit")


# ---- occurrences -----------------------------------------------------------------------------


def occurrences(
    results: Results,
    k: int = 0,
    *,
    margin: Time | None = None,
    most: int = 500,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draws the occurrences of result k below each other, the first in time at the top.

    Episodes are aligned at their first spike, patterns at the start of their window. Each position
    has a colour and a marker; other spikes of the same units within the same segment are pale. A bar
    above the axes shows when each spike may come, and the legend has the median lags.

    Parameters
    ----------
    results : Episodes or Patterns
    k : number of the result
    margin : time that is drawn before and behind; a quarter of the occurrences' length by default
    most : occurrences that are drawn at most, evenly chosen where there are more
    legend : names the units and their lags
    ax : axes to draw into; a new figure by default

    The x axis is in ms, in s where lags are longer than 2 s. Returns the axes. Raises TypeError,
    ValueError, IndexError (no such result), ImportError.
    """
    results = _axes.check_results(results)
    row = results._index(k)
    if not isinstance(row, int):
        raise TypeError("k: the number of one result")
    check_count("most", most, 1)
    ax = _axes.new_axes(ax, 5.6, 4.4)
    from matplotlib.ticker import MaxNLocator

    ranges = _ranges(results, row)
    times, origin, segment = _aligned(results, row)
    chosen = np.arange(len(times))
    if len(times) > most:
        chosen = np.linspace(0, len(times) - 1, most).round().astype(np.int64)
    lags = times - origin[:, None]
    longest = max(float(lags.max(initial=0)), *(hi for _, hi in ranges if np.isfinite(hi)), 1e-9)
    pad = longest / 4 if margin is None else _axes.seconds_of(margin, "margin")
    factor, unit = _axes.scale_of(longest)
    above = _draw_ranges(ax, ranges, factor, longest + pad)
    numbers = _axes.unit_numbers(results, row)
    _draw_others(ax, results, numbers, times, origin, segment, chosen, (pad, longest), factor)
    labels = results.recording.labels
    for p, u in enumerate(numbers):
        (drawn,) = ax.plot(
            lags[chosen, p] * factor,
            np.arange(1, chosen.size + 1),
            linestyle="none",
            marker=_axes.marker(p),
            markersize=_marker_size(chosen.size),
            markeredgewidth=0,
            color=_axes.colour(p),
            label=_position_text(labels[u], lags[:, p], factor, unit, p),
        )
        drawn.set_gid(f"position {p}")
    if legend:
        _axes.legend_above(ax, min(int(numbers.size), 3), above)
    ax.yaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
    ax.set_xlim(-pad * factor, (longest + pad) * factor)
    ax.set_ylim(chosen.size + 0.7, 0.3)
    start = "start of the window" if isinstance(results, Patterns) else "first spike"
    ax.set_xlabel(f"time from the {start} ({unit})")
    part = f"{chosen.size} of {len(times)}" if chosen.size < len(times) else f"{len(times)}"
    ax.set_ylabel(f"occurrence ({part})")
    return _axes.finish(ax)


def _marker_size(n: int) -> float:
    return 4.5 if n <= 60 else 3.0 if n <= 150 else 2.0


def _position_text(label: str, lags: Floats, factor: float, unit: str, p: int) -> str:
    if p == 0 or lags.size == 0:
        return label
    return f"{label}  +{np.median(lags) * factor:.3g} {unit}"


def _aligned(results: Results, k: int) -> tuple[Floats, Floats, Array]:
    """Spike times of each occurrence, what each is aligned at, and its segment."""
    if isinstance(results, Patterns):
        return results.spike_times(k), results.occurrences(k), results._segments_of(k)
    times, segment = results.occurrences(k, with_segment=True)
    return times, times[:, 0], segment


def _ranges(results: Results, k: int) -> list[tuple[float, float]]:
    """From when to when each spike may lie, in seconds from what occurrences are aligned at."""
    at = slice(int(results.offsets[k]), int(results.offsets[k + 1]))
    if isinstance(results, Patterns):
        width = results.windows.bin_s
        return [(float(lag) * width, (float(lag) + 1) * width) for lag in results.lags[at]]
    steps = results.delays[results.delay[at][1:]]
    sums = np.cumsum(steps, axis=0)
    return [(0.0, 0.0)] + [(float(lo), float(hi)) for lo, hi in sums]


def _draw_ranges(
    ax: Axes, ranges: list[tuple[float, float]], factor: float, farthest: float
) -> float:
    """A bar above the axes for each range; how high they are, as a part of the axes."""
    height, lane = 0.012, 0
    for p, (lo, hi) in enumerate(ranges):
        if hi <= lo:
            continue
        bar = ax.broken_barh(
            [(lo * factor, (min(hi, farthest) - lo) * factor)],
            (1.01 + 1.5 * lane * height, height),
            transform=ax.get_xaxis_transform(),
            facecolors=_axes.colour(p),
            linewidth=0,
            clip_on=False,
        )
        bar.set_gid(f"range {p}")
        lane += 1
    return 1.5 * lane * height


def _draw_others(
    ax: Axes,
    results: Results,
    numbers: Array,
    times: Floats,
    origin: Floats,
    segment: Array,
    chosen: Array,
    bounds: tuple[float, float],
    factor: float,
) -> None:
    """Spikes of the same units near the occurrences, in the pale colour of the unit."""
    pad, longest = bounds
    recording = results.recording
    borders = recording.segments
    for u in np.unique(numbers):
        spikes = np.unique(recording.spikes(int(u)))
        positions = np.flatnonzero(numbers == u)
        x: list[Floats] = []
        y: list[Floats] = []
        for place, k in enumerate(chosen, 1):
            low, high = origin[k] - pad, origin[k] + longest + pad
            near = spikes[np.searchsorted(spikes, low) : np.searchsorted(spikes, high, "right")]
            first, last = borders[segment[k]]
            near = near[(near >= first) & (near < last)]
            near = np.setdiff1d(near, times[k, positions])
            x.append((near - origin[k]) * factor)
            y.append(np.full(near.size, float(place)))
        (drawn,) = ax.plot(
            *_axes.ticks_of(np.concatenate([*x, []]), np.concatenate([*y, []]), 0.35),
            color=_axes.colour(int(positions[0])),
            alpha=0.35,
            linewidth=0.8,
            solid_capstyle="butt",
            zorder=1,
        )
        drawn.set_gid(f"others {recording.labels[int(u)]}")
