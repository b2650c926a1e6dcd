"""What tests found: p-value spectra, and null distributions with the results in them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from .._exact import ExactTest
from .._patterns import Patterns
from .._results import Array, check_count
from .._signatures import SignatureTest
from . import _axes
from ._axes import Floats, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MANY_MARKS = 100  # from here on ticks in place of triangles, which would hide each other
Key = tuple[int, int]  # size and duration; 0 where the spectrum has no durations


def _signature_test(results: Patterns, what: str, duration: int | None) -> SignatureTest:
    """The test of signatures, with one duration only where one was asked for."""
    if isinstance(results.test, SignatureTest):
        return _one_duration(results.test, duration)
    raise ValueError(f"{what}: there is no test of signatures; mine with surrogates=1000")


def _one_duration(test: SignatureTest, duration: int | None) -> SignatureTest:
    if duration is None:
        return test
    if test.spectrum != "3d":
        raise ValueError("duration: the spectrum has none; mine with spectrum='3d'")
    spectrum = test.pvalue_spectrum[test.pvalue_spectrum["duration"] == duration]
    signatures = test.signatures[test.signatures["duration"] == duration]
    if spectrum.size + signatures.size == 0:
        raise ValueError(f"duration={duration}: the spectrum has no such duration in bins")
    return dataclasses.replace(test, pvalue_spectrum=spectrum, signatures=signatures)


def _keys(*tables: Array) -> list[Key]:
    return sorted({(int(v["size"]), int(v["duration"])) for table in tables for v in table})


def _of_key(table: Array, key: Key) -> Array:
    chosen: Array = table[(table["size"] == key[0]) & (table["duration"] == key[1])]
    return chosen


def _p_name(results: Results) -> str:
    """The p-value that the test was made with: as published, or the one that is never 0."""
    return "p_published" if "p_published" in results.columns else "p"


def _least_p(test: SignatureTest | ExactTest, published: bool = False) -> float:
    return 1 / (test.surrogates + (0 if published else 1))


# ---- spectrum --------------------------------------------------------------------------------


def pvalue_spectrum(
    results: Results, *, duration: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draws the p-value of every size and count, and the signatures of the recording in it.

    A cell has the colour of its p-value (logarithmic, darker is less likely); the line is where p
    reaches alpha. A full circle is a signature that the test found significant after its
    correction, an open one any other. Cells without a circle have no pattern in the recording.

    Parameters
    ----------
    results : Patterns with a test of signatures
    duration : of a spectrum with durations ("3d"), the one that is drawn, in bins; by default each
        size and duration has a row
    ax : axes to draw into; a new figure by default, with a bar of colours

    x: count; y: size, in spikes. Returns the axes. Raises TypeError, ValueError (no such test, or
    duration), ImportError.
    """
    patterns = _axes.check_patterns(results)
    test = _signature_test(patterns, "pvalue_spectrum", duration)
    p_name = _p_name(patterns)
    ax = _axes.new_axes(ax, 6.4, 3.6)
    rows = _keys(test.pvalue_spectrum, test.signatures)
    if test.pvalue_spectrum.size:
        _draw_cells(ax, test, rows, p_name)
    if rows:
        _draw_border(ax, test, rows, p_name)
        _draw_signatures(ax, test, rows)
    else:
        _axes.tell_empty(ax, "no pattern within these limits")
    by_duration = test.spectrum == "3d" and duration is None
    names = [f"{size}, {length}" if by_duration else str(size) for size, length in rows]
    ax.set_yticks(range(len(rows)), names, fontsize="small" if len(rows) > 12 else "medium")
    ax.set_ylim(-0.6, max(len(rows), 1) - 0.4)
    ax.set_ylabel("spikes, duration (bins)" if by_duration else "spikes of a pattern")
    ax.set_xlabel("count (windows with the pattern)")
    return _axes.finish(ax)


def _draw_cells(ax: Axes, test: SignatureTest, rows: list[Key], p_name: str) -> None:
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    spectrum = test.pvalue_spectrum
    counts = spectrum["count"].astype(np.int64)
    first, last = int(counts.min()), int(counts.max())
    cells = np.full((len(rows), last - first + 1), np.nan)
    for y, key in enumerate(rows):
        own = _of_key(spectrum, key)
        cells[y, own["count"].astype(np.int64) - first] = own[p_name]
    least = min(_least_p(test, p_name == "p_published"), 0.5)
    drawn = ax.pcolormesh(
        np.arange(first, last + 2) - 0.5,
        np.arange(len(rows) + 1) - 0.5,
        np.ma.masked_invalid(cells),
        cmap=LinearSegmentedColormap.from_list("p", _axes.P_VALUES),
        norm=LogNorm(least, 1, clip=True),
        rasterized=cells.size > 20000,
        zorder=0,
    )
    drawn.set_gid("p-values")
    ax.figure.colorbar(drawn, ax=ax, label="p-value", pad=0.02, format="%g")


def _draw_border(ax: Axes, test: SignatureTest, rows: list[Key], p_name: str) -> None:
    """Where p reaches alpha: the smallest count of each row at which it does."""
    x, y = [], []
    for row, key in enumerate(rows):
        own = np.sort(_of_key(test.pvalue_spectrum, key), order="count")
        below = own["count"][own[p_name] <= test.alpha]
        if below.size:
            border = int(below[0])
        elif own.size and _least_p(test) <= test.alpha:
            border = int(own["count"][-1]) + 1
        else:
            continue
        x += [border - 0.5, border - 0.5, np.nan]
        y += [row - 0.5, row + 0.5, np.nan]
    (drawn,) = ax.plot(
        x, y, color="black", linewidth=1.6, zorder=2, label=f"p ≤ {test.alpha:g} to the right"
    )
    drawn.set_gid("alpha")


def _draw_signatures(ax: Axes, test: SignatureTest, rows: list[Key]) -> None:
    signatures = test.signatures
    row = np.array([rows.index((int(v["size"]), int(v["duration"]))) for v in signatures])
    for significant in (False, True):
        chosen = signatures["significant"] == significant
        (drawn,) = ax.plot(
            signatures["count"][chosen],
            row[chosen] if row.size else row,
            linestyle="none",
            marker="o",
            markersize=6 if significant else 3.5,
            markerfacecolor=_axes.COLOURS[1] if significant else "none",
            markeredgecolor="white" if significant else "0.45",
            markeredgewidth=0.8 if significant else 0.6,
            zorder=4 if significant else 3,
            label="significant" if significant else "not significant",
        )
        drawn.set_gid("significant" if significant else "not significant")
    _axes.legend_above(ax, 3)


# ---- null distribution -----------------------------------------------------------------------


def null_distribution(
    results: Results, *, bins: int = 40, duration: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draws what surrogates gave at most, and where the results lie.

    Exact test: a histogram of the largest score of each surrogate, one for each window of jitter,
    with the critical score, beyond which p <= alpha, and a mark for each result. Test of
    signatures: for each size the share of surrogates with a pattern that occurs as often, as
    p-values, and a mark for each signature of the recording.

    Parameters
    ----------
    results : Episodes or Patterns with a test; mine with report="all" to see all that was tested
    bins : classes of the histogram
    duration : of signatures with durations ("3d"), the one that is drawn, in bins
    ax : axes to draw into; a new figure by default

    Scores are in units of the test (docs/explanation/chance.md), counts are windows. Returns the
    axes. Raises TypeError, ValueError (no test), ImportError.
    """
    results = _axes.check_results(results)
    if isinstance(results.test, ExactTest):
        if duration is not None:
            raise ValueError("duration: belongs to a test of signatures")
        if len(results.test.largest_scores) == 0:
            raise ValueError("null_distribution: peeling has one in each round; test without peel")
        check_count("bins", bins, 1)
        ax = _axes.new_axes(ax, 5.6, 3.4)
        _draw_scores(ax, results, results.test, bins)
        return _axes.finish(ax)
    if not isinstance(results, Patterns) or results.test is None:
        raise ValueError("null_distribution: there is no test; mine with test='exact'")
    test = _signature_test(results, "null_distribution", duration)
    ax = _axes.new_axes(ax, 5.6, 3.6)
    _draw_survival(ax, test, _p_name(results))
    return _axes.finish(ax)


def critical_scores(test: ExactTest) -> Floats:
    """The score of each window of jitter that a result must exceed for p <= alpha; infinite where
    the surrogates are too few. Shape (windows,)."""
    n_scales = len(test.jitter)
    as_large = int(np.floor(test.alpha * (test.surrogates + 1) / n_scales * (1 + 1e-12))) - 1
    if as_large < 0:
        return np.full(n_scales, np.inf)
    descending = -np.sort(-test.largest_scores, axis=0)
    if as_large >= len(descending):
        return np.zeros(n_scales)
    found: Floats = descending[as_large]
    return found


def _draw_scores(ax: Axes, results: Results, test: ExactTest, bins: int) -> None:
    scores: Floats = results.columns["score"]
    largest = max(float(scores.max(initial=0)), float(test.largest_scores.max(initial=0)), 1e-3)
    edges = np.linspace(0, largest * 1.02, bins + 1)
    critical = critical_scores(test)
    scale = np.zeros(len(results), np.int64)
    if len(test.jitter) > 1:
        scale = np.array([test.jitter.index(text) for text in results.columns["jitter"]], np.int64)
    for s, text in enumerate(test.jitter):
        n, _ = np.histogram(test.largest_scores[:, s], edges)
        drawn = ax.stairs(
            n,
            edges,
            fill=len(test.jitter) == 1,
            alpha=0.6 if len(test.jitter) == 1 else 1.0,
            color=_axes.colour(s),
            linewidth=1.4,
            linestyle=("-", "--", ":", "-.")[s % 4],
            label=f"largest of each surrogate, {text}",
        )
        drawn.set_gid(f"largest {text}")
        if np.isfinite(critical[s]):
            line = ax.axvline(
                critical[s],
                color=_axes.colour(s),
                linewidth=1,
                linestyle="--",
                label=f"p ≤ {test.alpha:g} to the right"
                + (f", {text}" if len(critical) > 1 else ""),
            )
            line.set_gid(f"critical {text}")
        own = scores[scale == s]
        (marks,) = ax.plot(
            own,
            np.full(own.size, 0.97 - 0.05 * s),
            transform=ax.get_xaxis_transform(),
            linestyle="none",
            marker="|" if own.size > MANY_MARKS else "v",
            markersize=6,
            color=_axes.colour(s + 1 if len(test.jitter) == 1 else s),
            markeredgewidth=0.6 if own.size > MANY_MARKS else 0,
            alpha=0.7,
            label=f"{own.size} {results.language}" + (f", {text}" if len(test.jitter) > 1 else ""),
        )
        marks.set_gid(f"results {text}")
    ax.set_ylim(0, ax.get_ylim()[1] * (1.08 + 0.06 * len(test.jitter)))
    ax.set_xlim(0, largest * 1.02)
    ax.set_xlabel("score")
    ax.set_ylabel(f"surrogates (of {test.surrogates})")
    _axes.legend_above(ax, 2)


def _draw_survival(ax: Axes, test: SignatureTest, p_name: str) -> None:
    keys = _keys(test.pvalue_spectrum, test.signatures)
    floor = _least_p(test, p_name == "p_published")
    for k, key in enumerate(keys):
        own = np.sort(_of_key(test.pvalue_spectrum, key), order="count")
        counts, p = own["count"].astype(np.float64), np.maximum(own[p_name], floor)
        if own.size:  # no surrogate has more
            counts, p = np.append(counts, counts[-1] + 1), np.append(p, floor)
        name = f"{key[0]} spikes" + (f", {key[1]} bins" if test.spectrum == "3d" else "")
        (curve,) = ax.plot(
            counts,
            p,
            drawstyle="steps-mid",
            color=_axes.colour(k),
            linestyle=("-", "--", ":", "-.")[k // len(_axes.COLOURS) % 4],
            linewidth=1.4,
            label=name,
        )
        curve.set_gid(f"surrogates {key[0]} {key[1]}")
        seen = _of_key(test.signatures, key)
        for significant in (False, True):
            chosen = seen[seen["significant"] == significant]
            (marks,) = ax.plot(
                chosen["count"],
                np.maximum(chosen[p_name], floor),
                linestyle="none",
                marker=_axes.marker(k),
                markersize=5,
                color=_axes.colour(k),
                markerfacecolor=_axes.colour(k) if significant else "white",
                zorder=3,
            )
            marks.set_gid(
                f"{'significant' if significant else 'not significant'} {key[0]} {key[1]}"
            )
    line = ax.axhline(test.alpha, color="0.4", linewidth=1, linestyle="--")
    line.set_gid("alpha")
    for name, face in (("significant", "0.4"), ("not significant", "white")):
        ax.plot([], [], "o", color="0.4", markersize=5, markerfacecolor=face, label=name)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylim(floor / 1.5, 1.5)
    ax.set_xlabel("count (windows with the pattern)")
    ax.set_ylabel("p-value")
    if len(keys) > 8:
        _axes.legend_beside(ax)
    elif keys:
        _axes.legend_above(ax, 4)
    else:
        _axes.tell_empty(ax, "no pattern within these limits")
