"""Spikes over time, and the occurrences of one result below each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._library import Time, ffi, lib, pointer_to, session
from .._patterns import Patterns
from .._recording import Recording, as_recording
from .._results import Array, check_count, differing
from .._sequences import Sequences
from . import _axes
from ._axes import Drawn, Floats, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELS = 40  # rows that are all named
POINTS, LINE = 72, 11  # of an inch; of a name with room around it
FONT_ROOM, LEAST_FONT = 1.15, 5  # of a letter's size that a name needs; points
MOST_LEGENDS = 10
MANY_SPIKES = 50000  # from here on pixels in vector files


# ---- raster ----------------------------------------------------------------------------------


def raster(
    recording: Any,
    results: Drawn | None = None,
    *,
    start: Time | None = None,
    stop: Time | None = None,
    units: Sequence[int | str] | str | None = None,
    top: int = 6,
    legend: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the spikes of a recording, and over them the occurrences of some results.

    Parameters
    ----------
    recording : Recording, or anything that Recording takes
    results : Episodes, Patterns or Sequences, such as ep; every counted occurrence is a line
        through its spikes, in a colour and with a marker of its result
    start, stop : time, optional
        The stretch that is drawn, start <= t < stop. Without both it is one that has many
        occurrences of all results, as in the picture of the command; without results all
    units : names or numbers of units, from the top down; "results": those of the results only. By
        default these are on top, in the order in which they fire, and all others below
    top : results that are drawn at most, from the first on. Of more than these one is left out
        where it shares half of its units, two at least, with one before; families are taken as they
        stand, and whole sequences are all drawn
    legend : names the results, with what a test says; by default where they are at most 10
    ax : axes to draw into; a new figure by default

    The x axis is in seconds, and tells how many occurrences lie in the stretch. Times outside all
    segments are shaded, and their borders are dotted.
    Returns the axes. Raises TypeError, ValueError, KeyError (no such unit), ImportError.
    """
    recording = as_recording(recording)
    if results is not None:
        found = _axes.check_drawn(results)
        most = check_count("top", top, 1)
        results = found if isinstance(found, Sequences) else differing(found, most)
    low = recording.start if start is None else _axes.seconds_of(start, "start")
    high = recording.stop if stop is None else _axes.seconds_of(stop, "stop")
    occurrences = [] if results is None else _spikes_of(results)
    if start is None and stop is None and any(map(len, occurrences)):
        low, high = _stretch(recording, occurrences, low, high)
    if not low < high and (start is not None or stop is not None):
        raise ValueError(f"start={start!r}, stop={stop!r}: start must be before stop")
    rows = _rows(recording, results, units)
    ax = _axes.new_axes(ax, 7.2, 4.0 + 0.15 * max(rows.n_first - 15, 0))
    _draw_segments(ax, recording)
    _draw_spikes(ax, recording, rows, low, high)
    if results is not None:
        for k, times in enumerate(occurrences):
            _draw_result(ax, recording, results, k, times, rows, low, high)
        if legend or (legend is None and 0 < len(results) <= MOST_LEGENDS):
            _draw_legend(ax, results, occurrences, low, high)
    if recording.n_spikes == 0:
        _axes.tell_empty(ax, "no spikes")
    _label_rows(ax, recording, rows)
    if low < high:
        ax.set_xlim(low, high)
    n = sum(len(times) for times in occurrences)
    seen = sum(int(np.sum((_first(t) >= low) & (_last(t) < high))) for t in occurrences)
    of = ""
    if results is not None and not isinstance(found, Sequences) and len(results) < len(found):
        of = f" of {len(results)} of {len(found):,} {found.language}"
    seen_of = f"; {seen} of {n:,} occurrences{of} lie in this stretch" if n else ""
    ax.set_xlabel("time (s)" + seen_of)
    return _axes.finish(ax)


# ---- the stretch -----------------------------------------------------------------------------

DURATIONS = 40  # of the longest result, in the stretch that is drawn
MOST_CANDIDATES = 4000  # starts of one result that are tried


def _first(times: Floats) -> Floats:
    """Of each occurrence, of which some spikes may be missing."""
    found: Floats = np.fmin.reduce(times, axis=1, initial=np.inf)
    return found


def _last(times: Floats) -> Floats:
    found: Floats = np.fmax.reduce(times, axis=1, initial=-np.inf)
    return found


def _spikes_of(results: Drawn) -> list[Floats]:
    """Times of the spikes of each result's occurrences, which ascend."""
    return [
        times[np.argsort(_first(times), kind="stable")]
        for times in (_axes.spike_times(results, k) for k in range(len(results)))
    ]


def _stretch(
    recording: Recording, occurrences: list[Floats], low: float, high: float
) -> tuple[float, float]:
    """Occurrences of as many results as can be, and many of them, as the command has it."""
    rate = float(recording.rate)
    kept = [
        np.rint(np.stack([_first(times), _last(times)], 1) * rate).astype(np.int64)
        for times in occurrences
        if len(times)
    ]
    spans = [np.sort(times[:, 1] - times[:, 0])[len(times) // 2] for times in kept]
    first, stop = round(low * rate), round(high * rate)
    length = DURATIONS * int(max(spans))
    if not 0 < length < stop - first:
        return low, high
    margin = length // 40
    starts = [times[:, 0] for times in kept]
    tried = np.concatenate([own[:: 1 + len(own) // MOST_CANDIDATES] for own in starts])
    ends = tried + length - 3 * margin
    seen = [np.searchsorted(own, ends) - np.searchsorted(own, tried) for own in starts]
    value = sum(1e6 * (n > 0) + np.sqrt(n) for n in seen)
    begin = min(max(int(tried[value == np.max(value)].min()) - margin, first), stop - length)
    begun, ended = recording._seconds(np.array([begin, begin + length]))
    return float(begun), float(ended)


# ---- rows ------------------------------------------------------------------------------------

MOST_OF_ALL = 0.75  # of the height is for units of results


class _Rows(NamedTuple):
    units: Array  # from the top
    y: Floats  # the middle of each row
    half: Floats  # half the height of a spike there
    n_first: int  # of results; all others are lower


def _rows(
    recording: Recording, results: Drawn | None, units: Sequence[int | str] | str | None
) -> _Rows:
    """The rows from the top: a list of units, or those of results in the order in which they fire,
    and all others."""
    n_first = 0
    if units is None or isinstance(units, str):
        if units is not None and (units != "results" or results is None):
            raise ValueError(
                f"units={units!r}: must be a list of units, or 'results' where results are given"
            )
        numbers, n_first = _ordered(recording, results)
        numbers = numbers if units is None else numbers[:n_first]
    else:
        numbers = np.array([recording.unit(u) for u in units], np.int64)
    n_first = n_first if n_first < numbers.size else 0
    y, half = np.arange(numbers.size, dtype=float), np.full(numbers.size, 0.4)
    if n_first:
        others = numbers.size - n_first
        share = min(MOST_OF_ALL, max(0.05 * n_first, n_first / numbers.size))
        height = n_first * (1 - share) / share / others
        y[n_first:] = n_first + 0.2 + height * (np.arange(others) + 0.5)
        half[n_first:] = 0.5 * height
    return _Rows(numbers, y, half, n_first)


def _ordered(recording: Recording, results: Drawn | None) -> tuple[Array, int]:
    """All units as the command has them in its raster, and how many of them are of results."""
    n = 0 if results is None else len(results)
    offsets, units = np.zeros(1, np.uint64), np.zeros(0, np.uint32)
    if results is not None and n:
        labels = results.recording.labels
        own = np.array([recording.unit(label) for label in labels], np.uint32)
        numbers = [_axes.unit_numbers(results, k) for k in range(n)]
        offsets = np.cumsum([0, *map(len, numbers)], dtype=np.uint64)
        units = own[np.concatenate(numbers)]
    order, n_first = np.zeros(recording.n_units, np.uint32), ffi.new("uint32_t *")
    with session(max_memory=0) as call:
        call.call(
            lib.spk_figure_order_units,
            recording._pointer,
            n,
            pointer_to(offsets, "uint64_t *"),
            pointer_to(units, "uint32_t *"),
            pointer_to(order, "uint32_t *"),
            n_first,
        )
    return order.astype(np.int64), int(n_first[0])


def _of_unit(recording: Recording, rows: _Rows, values: Floats) -> Floats:
    """What rows have, by unit; NaN where it has no row."""
    found = np.full(recording.n_units, np.nan)
    found[rows.units] = values
    return found


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


def _draw_spikes(ax: Axes, recording: Recording, rows: _Rows, low: float, high: float) -> None:
    row = _of_unit(recording, rows, rows.y)[recording.units]
    times = recording.times
    inside = (times >= low) & (times < high) & ~np.isnan(row)
    half = _of_unit(recording, rows, rows.half)[recording.units[inside]]
    x, y = _axes.ticks_of(times[inside], row[inside], half)
    (drawn,) = ax.plot(x, y, color=_axes.SPIKES, linewidth=0.8, solid_capstyle="butt", zorder=1)
    drawn.set_gid("spikes")
    drawn.set_rasterized(int(np.count_nonzero(inside)) > MANY_SPIKES)


def _draw_result(
    ax: Axes,
    recording: Recording,
    results: Drawn,
    k: int,
    times: Floats,
    rows: _Rows,
    low: float,
    high: float,
) -> None:
    row = _of_unit(recording, rows, rows.y)
    labels = results.recording.labels
    own = np.array([row[recording.unit(labels[u])] for u in _axes.unit_numbers(results, k)])
    seen = (_last(times) >= low) & (_first(times) < high)
    times = times[seen]
    many = len(times) > 60
    x, y = _axes.broken_lines(times, np.broadcast_to(own, times.shape))
    there = ~np.isnan(x)  # a line goes on where a spike is missing
    there[times.shape[1] :: times.shape[1] + 1] = True
    (drawn,) = ax.plot(
        x[there],
        y[there],
        color=_axes.colour(k),
        marker=_axes.marker(k),
        markersize=2.2 if many else 4.5,
        markeredgewidth=0,
        linewidth=0.6 if many else 1.0,
        zorder=2 + 1 / (k + 1),  # the first on top
    )
    drawn.set_gid(f"occurrences {k}")


def _draw_legend(
    ax: Axes, results: Drawn, occurrences: list[Floats], low: float, high: float
) -> None:
    """The colour and marker of each result with its text, and one of its occurrences marked above
    the axes, as the command does with a number."""
    from matplotlib.lines import Line2D

    keys: list[Any] = []
    tagged: list[float] = []
    for k, times in enumerate(occurrences):
        look: dict[str, Any] = {"color": _axes.colour(k), "marker": _axes.marker(k)}
        look["markeredgewidth"] = 0
        name = f"{_axes.text_of(results, k)}  ({_axes.facts(results, k)})"
        keys.append(Line2D([], [], linestyle="none", markersize=7, label=name, **look))
        inside = _first(times[(_first(times) >= low) & (_last(times) < high)])
        free = np.abs(inside[:, None] - np.array([*tagged, low])).min(axis=1)
        tagged += inside[free == free.max(initial=0)][:1].tolist()
        (tag,) = ax.plot(
            tagged[-1:] if inside.size else [],
            [1.03] * (inside.size > 0),
            transform=ax.get_xaxis_transform(),
            clip_on=False,
            linestyle="none",
            markersize=7,
            **look,
        )
        tag.set_gid(f"tag {k}")
    _axes.legend_above(ax, 2 if len(results) > 3 else 1, 0.05, keys)


def _label_rows(ax: Axes, recording: Recording, rows: _Rows) -> None:
    """All names where there are few; of the others some, by round numbers of units."""
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

    n, parts = rows.units.size, (np.arange(rows.n_first), np.arange(rows.n_first, rows.units.size))
    labels = recording.labels
    numbers = _numbers([labels[u] for u in rows.units], rows.units)
    mosts = MOST_LABELS, 8 if rows.n_first else MOST_LABELS
    first, rest = [part[_named(part, numbers, most)] for part, most in zip(parts, mosts)]
    end = rows.y[-1] + max(rows.half[-1], 0.2) if n else 0.0
    engine = getattr(ax.figure, "get_layout_engine", lambda: None)()
    if rows.n_first and engine is not None and isinstance(ax.figure, Figure):
        engine.execute(ax.figure)  # the legend takes its room before names are fitted
    height = ax.bbox.height * POINTS / ax.figure.dpi
    row = height / (end + 1)
    named = np.concatenate([first, _apart(rest, rows.y, LINE / row)])
    usual = float(FontProperties(size="small" if n > 15 else "medium").get_size_in_points())
    size = min(usual, max(row / FONT_ROOM, LEAST_FONT)) if first.size == rows.n_first > 0 else usual
    ax.set_yticks(rows.y[named], [labels[u] for u in rows.units[named]], fontsize=size)
    ax.set_ylim(end + 0.3, -0.7)
    ax.set_ylabel("unit")


def _apart(named: Array, y: Floats, least: float) -> Array:
    """Those of the rows that are not too near to the one before, so that names stay apart."""
    kept: list[int] = []
    for row in named:
        if not kept or y[row] - y[kept[-1]] >= least:
            kept.append(row)
    return np.array(kept, np.int64)


def _numbers(labels: list[str], units: Array) -> Floats:
    """Names that are numbers as such, else the numbers of the units."""
    try:
        found = np.array([float(label) for label in labels])
    except ValueError:
        found = np.array([np.nan])
    return found if np.isfinite(found).all() else units.astype(np.float64)


def _named(part: Array, numbers: Floats, most: int) -> Array:
    """Which rows of a part are named."""
    if part.size <= most:
        return np.ones(part.size, bool)
    largest = int(numbers[part].max())
    step = next(
        s for e in itertools.count() for s in (10**e, 2 * 10**e, 5 * 10**e) if largest < 10 * s
    )
    return np.asarray(numbers[part] % step == 0)


# ---- occurrences -----------------------------------------------------------------------------


def occurrences(
    results: Drawn,
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

    Whole sequences have a band for each member, as in the figure of the command, with a line in it
    for each occurrence. Other spikes of the unit are grey, and an upright line is the median lag.

    Parameters
    ----------
    results : Episodes, Patterns or Sequences
    k : number of the result
    margin : time that is drawn before and behind; a quarter of the occurrences' length by default
    most : occurrences that are drawn at most, evenly chosen where there are more
    legend : names the units and their lags; of a whole sequence, what the test says
    ax : axes to draw into; a new figure by default

    The x axis is in ms; in s from 2 s on. Returns the axes. Raises TypeError,
    ValueError, IndexError (no such result), ImportError.
    """
    results = _axes.check_drawn(results)
    check_count("most", most, 1)
    if isinstance(results, Sequences):
        return _bands(results, k, margin, most, legend, ax)
    row = results._index(k)
    if not isinstance(row, int):
        raise TypeError("k: the number of one result")
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


def _bands(
    found: Sequences, k: int, margin: Time | None, most: int, legend: bool, ax: Axes | None
) -> Axes:
    """The members of sequence k from the top, each with its spikes in all occurrences."""
    one = found[k]
    ax = _axes.new_axes(ax, 5.6, 1.4 + 0.24 * max(len(one.units), 4))
    longest = float(one.lag_s[-1])
    pad = longest / 4 if margin is None else _axes.seconds_of(margin, "margin")
    factor, unit = _axes.scale_of(longest)
    n = len(one.times_s)
    chosen = np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.int64)
    line = 0.84 / max(chosen.size, 1)
    for p, label in enumerate(one.units):
        rows = p - 0.42 + (np.arange(chosen.size) + 0.5) * line
        own = one.spike_times_s[chosen, p] - one.times_s[chosen]
        spikes = found.recording.spikes(label)
        near = [
            spikes[np.abs(spikes - t - longest / 2) <= longest / 2 + pad] - t
            for t in one.times_s[chosen]
        ]
        others = np.concatenate([*near, []]), np.repeat(rows, [len(x) for x in near])
        looks: Any = ("others", others, "0.7", 1.0), ("member", (own, rows), _axes.colour(k), 2.4)
        for name, (x, y), colour, width in looks:
            x, y = _axes.ticks_of(x * factor, y, 0.5 * line)
            (drawn,) = ax.plot(x, y, color=colour, linewidth=width, solid_capstyle="butt")
            drawn.set_gid(f"{name} {p}")
    ax.vlines(
        one.lag_s * factor,
        np.arange(len(one.units)) - 0.5,
        np.arange(len(one.units)) + 0.5,
        "0.5",
        linewidth=0.6,
    ).set_gid("lags")
    ax.hlines(
        np.arange(1, len(one.units)) - 0.5,
        -pad * factor,
        (longest + pad) * factor,
        "0.85",
        linewidth=0.5,
    )
    ax.set_yticks(range(len(one.units)), list(one.units))
    ax.set_ylim(len(one.units) - 0.4, -0.6)
    ax.set_xlim(-pad * factor, (longest + pad) * factor)
    ax.set_xlabel(f"time from the first unit ({unit})")
    part = f"{chosen.size} of {n}" if chosen.size < n else f"{n}"
    ax.set_ylabel(f"unit ({part} occurrences each)")
    if legend:
        ax.set_title(f"sequence {k + 1}: {_axes.facts(found, k)}", fontsize="medium")
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
