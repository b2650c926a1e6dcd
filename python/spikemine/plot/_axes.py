"""What all figures have in common: axes, colours, times, and the spikes of results."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._episodes import Episodes
from .._library import Time, duration, duration_seconds, ffi, lib
from .._objects import needed
from .._patterns import Patterns
from .._sequences import Sequences, WholeSequence

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


Results = Episodes | Patterns
Drawn = Results | Sequences
Floats = npt.NDArray[np.float64]

# Those of the command: src/report/figure/canvas.c.
COLOURS = ("#9E3100", "#2167B4", "#06A75A", "#BC548C", "#332288", "#7B2050", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "*", "<", ">")
SPIKES = "0.55"  # grey of what belongs to no result
P_VALUES = ("#08306b", "#2171b5", "#6baed6", "#deebf7")  # from the smallest to 1
BEYOND = 1.05  # of the longest lag, where its axis ends: so the end of a shade is seen
# Of delays in a network, from dark to lighter: spk_palette_scale there.
SCALE = ((0.27, 0.0, 0.33), (0.24, 0.29, 0.54), (0.17, 0.44, 0.56), (0.13, 0.58, 0.54))
SHADE = "0.93"  # of what was not observed
LONGEST_TEXT = 48
ROW_OF_NAMES = 80  # characters of a legend side by side, with a figure of the usual width


def by_chance(expected: float) -> str:
    """A mean count, as the sentences of results have it."""
    if expected < 0.001:
        return "< 0.001"
    return f"{expected:.2g}" if expected < 100 else f"{expected:,.0f}"


def colour(k: int) -> str:
    """The k-th colour; they repeat."""
    return COLOURS[k % len(COLOURS)]


def scale(position: float) -> tuple[float, ...]:
    """The colour at a position from 0 to 1 of what has an order."""
    at = np.linspace(0, 1, len(SCALE))
    return tuple(float(np.interp(position, at, part)) for part in zip(*SCALE))


def marker(k: int) -> str:
    """The k-th marker. Colour and marker together repeat after 63."""
    return MARKERS[k % len(MARKERS)]


def new_axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """The axes that were given, or those of a new figure. What is given as one of several, in a
    figure that has no layout, gets one that leaves room for legends."""
    plt = needed("matplotlib.pyplot", "spikemine.plot")
    if ax is not None:
        whole: Any = ax.get_figure()
        if len(whole.axes) > 1 and getattr(whole, "get_layout_engine", lambda: "")() is None:
            whole.set_layout_engine("constrained")
        return ax
    made: Axes
    _, made = plt.subplots(figsize=(width, height), layout="constrained")
    return made


def check_results(results: Any, what: str = "results") -> Results:
    """Episodes or patterns, else a TypeError."""
    if isinstance(results, (Sequences, WholeSequence)):
        raise TypeError(
            f"{what}: whole sequences are drawn by found.figure(), sm.plot.raster(rec, found), "
            "occurrences(found, k) and network(found); this function draws Episodes or Patterns"
        )
    if not isinstance(results, (Episodes, Patterns)):
        raise TypeError(
            f"{what}: must be Episodes or Patterns, as sm.episodes and sm.patterns return them "
            f"(ep[:5], not ep[5]), not {type(results).__name__}"
        )
    return results


def check_drawn(results: Any) -> Drawn:
    """Episodes, patterns or whole sequences, else a TypeError."""
    return results if isinstance(results, Sequences) else check_results(results)


def check_patterns(results: Any) -> Patterns:
    """Patterns, else a TypeError."""
    if not isinstance(results, Patterns):
        raise TypeError(
            f"must be Patterns, as sm.patterns returns them, not {type(results).__name__}"
        )
    return results


def seconds_of(value: Time, what: str) -> float:
    """A time in seconds."""
    return duration_seconds(duration(value, what)[0])


def text_of(results: Drawn, k: int) -> str:
    """Result k, for a legend. All are named alike: by units alone where one has too long a text."""
    if isinstance(results, Sequences):
        return short(" → ".join(results[k].units))
    if isinstance(results, Patterns):
        return short(str(results.text(k)))
    texts = [str(results.text(row)) for row in range(len(results))]
    if max(map(len, texts)) > LONGEST_TEXT:
        return short(" → ".join(results.recording.labels[u] for u in unit_numbers(results, k)))
    return texts[k]


def facts(results: Drawn, k: int, every: bool = False) -> str:
    """The count of result k, the count by chance and p; or every fact that a test found."""
    if isinstance(results, Sequences):
        return f"{len(results[k].times_s)}×, p {results[k].p:.2g}"
    columns = results.columns
    parts = [f"{int(results.count[k]):,}×"]
    for name, text in (
        ("expected", "{} by chance"),
        ("p", "p {:.2g}"),
        ("p_published", "p {:.2g}"),
        *((("fdr", "FDR {:.2g}"), ("p_corrected", "corrected {:.2g}")) if every else ()),
        *((("direction_p", "direction p {:.2g}"),) if every else ()),
    ):
        if name in columns:
            value = columns[name][k]
            parts.append(text.format(by_chance(value) if name == "expected" else value))
    if every and "meaning" in columns and columns["meaning"][k] != "-":
        parts.append("may mean " + str(columns["meaning"][k]).replace(",", ", "))
    return ", ".join(parts)


def spike_times(results: Drawn, k: int) -> Floats:
    """Times of the spikes of each occurrence, in seconds; NaN where one is missing. Shape (count,
    size)."""
    if isinstance(results, Sequences):
        return results[k].spike_times_s
    if isinstance(results, Patterns):
        return results.spike_times(k)
    found: Floats = results.occurrences(k)
    return found


def unit_numbers(results: Drawn, k: int) -> npt.NDArray[np.int64]:
    """Numbers of the units of result k, by position."""
    if isinstance(results, Sequences):
        return np.array([results.recording.unit(label) for label in results[k].units], np.int64)
    at = slice(int(results.offsets[k]), int(results.offsets[k + 1]))
    return results.units[at].astype(np.int64)


def scale_of(longest_s: float) -> tuple[float, str]:
    """What seconds are multiplied by for the axis, and the name of the unit: those of the
    command."""
    factor = ffi.new("double *")
    name: bytes = ffi.string(lib.spk_figure_time_unit(longest_s, factor))
    return float(factor[0]), name.decode()


def short(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text for a legend."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def wrapped(ax: Axes, title: str) -> str:
    """A title in lines that are no wider than the axes, which may be part of a figure."""
    points = 72 * ax.bbox.width / ax.figure.dpi
    size = (
        needed("matplotlib.font_manager", "spikemine.plot")
        .FontProperties(size="medium")
        .get_size_in_points()
    )
    return "\n".join(textwrap.wrap(title, max(int(points / (0.58 * size)), 16)))


def broken_lines(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Rows of points as one line with gaps between the rows. Shapes (n, points)."""
    gap = np.full((x.shape[0], 1), np.nan)
    return np.hstack([x, gap]).reshape(-1), np.hstack([y, gap]).reshape(-1)


def ticks_of(times: Floats, rows: Floats, half: float | Floats = 0.4) -> tuple[Floats, Floats]:
    """Spikes as upright ticks, one line with gaps: times[::3] are the spikes."""
    x = np.stack([times, times], axis=1)
    y = np.stack([rows - half, rows + half], axis=1)
    return broken_lines(x, y)


def tell_empty(ax: Axes, text: str) -> None:
    """Says in the middle that there is nothing to draw."""
    said = ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color="0.4")
    said.set_gid("empty")


def finish(ax: Axes) -> Axes:
    """Takes away the lines of the frame that carry no numbers."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def legend_above(
    ax: Axes, columns: int = 1, above: float = 0.0, handles: list[Artist] | None = None
) -> None:
    """A legend above the axes and what is drawn there, which hides nothing. Long names stand below
    each other."""
    keys = ax.get_legend_handles_labels()[0] if handles is None else handles
    longest = max((len(str(key.get_label())) for key in keys), default=0)
    drawn = ax.legend(
        handles=keys,
        loc="lower left",
        bbox_to_anchor=(0, 1.02 + above),
        ncols=max(min(columns, ROW_OF_NAMES // max(longest, 1)), 1),
        frameon=False,
        fontsize="small",
        borderaxespad=0.0,
        handlelength=1.6,
        markerscale=1.5 if handles is None else 1.0,
    )
    drawn.set_gid("legend")


def legend_beside(ax: Axes) -> None:
    """The same at the right, for many names."""
    drawn = ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize="small")
    drawn.set_gid("legend")
