"""Who follows whom, as a graph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .._patterns import Patterns
from .._results import check_count
from .._sequences import Sequences
from . import _axes
from ._axes import Floats, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Edge = tuple[int, int, float, float, int]  # from, to, lo, hi in seconds, count
MOST_WIDTH = 4.0
MOST_DELAYS = 8  # colours; more share the last one's
PAIRS, UNITS, PER_UNIT = 24, 16, 3  # of the strongest ones: those of the command's figure


def network(
    results: Results | Sequences,
    *,
    size: int | None = None,
    every: bool = False,
    silent: bool = False,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draws who follows whom: the strongest edges of `results.graph(size)`, as the command does with
    those of all sizes.

    Units stand in a circle in the order of their names. An arrow goes from a unit to the one that
    follows it. Its colour and line tell the delay. Its width is in proportion to the count, and
    after an exact test to the excess over chance. Two units have one arrow each way, the strongest. There are at most
    24 arrows and 16 units, and of a unit at most 3 arrows go out and 3 come in, because a busy
    unit precedes and follows all others. The title says how many of how many are drawn.

    Parameters
    ----------
    results : Episodes, Patterns or Sequences. Of sequences all arrows from a member to the next one
        are drawn, as in reports: as wide as the number of occurrences that have both, in a colour
        for each sequence
    size : steps of results of this many spikes; None: of all
    every : draws all edges, without a title; width tells the count, and a unit that follows itself
        has a loop
    silent : draws units without an edge, too
    legend : names the delays and widths, below the units
    ax : axes to draw into; a new figure by default

    Returns the axes, without ticks. Raises TypeError, ValueError, ImportError.
    """
    if size is not None:
        check_count("size", size, 2)
    edges, title, tells = _chosen(results, size, every)
    n_units = results.recording.n_units
    shown = sorted({u for edge in edges for u in edge[:2]}) if not silent else list(range(n_units))
    ax = _axes.new_axes(ax, 4.6, 5.2)
    place = {u: _place(k, len(shown)) for k, u in enumerate(shown)}
    delays = sorted({(lo, hi) for _, _, lo, hi, _ in edges})
    colours = _colours(results, delays)
    most = max((count for *_, count in edges), default=1)
    for k, edge in enumerate(sorted(edges, key=lambda edge: edge[4])):
        alpha = min(0.85, max(0.15, 80 / len(edges)))
        d = delays.index(edge[2:4])
        _draw_edge(ax, edge, place, d, colours[d], most, k, alpha)
    _draw_nodes(ax, results, place)
    if not edges:
        of = "" if size is None else f" of {size} {'spikes' if _is_pattern(results) else 'units'}"
        _axes.tell_empty(ax, f"no {_language(results)}{of}")
    elif legend:
        _draw_legend(ax, results, delays, colours, tells, most)
    ax.set_aspect("equal")
    ax.set_title(_axes.wrapped(ax, title), fontsize="medium")
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _chosen(
    results: Results | Sequences, size: int | None, every: bool
) -> tuple[list[Edge], str, str]:
    """The edges that are drawn, a title, and what their widths tell."""
    if isinstance(results, Sequences):
        return _member_edges(results), "Who follows whom in whole sequences", "occurrences"
    results = _axes.check_results(results)
    if every:
        return _edges(results, size), "", "count"
    edges, title = _strongest(results, size)
    if "p" not in results.columns and "p_published" not in results.columns:
        title += "; not tested"
    return edges, title, "above chance" if "expected" in results.columns else "count"


def _member_edges(found: Sequences) -> list[Edge]:
    """From each member to the next one. The number of the sequence stands for a delay."""
    edges: list[Edge] = []
    for k, one in enumerate(found, 1):
        units = [found.recording.unit(label) for label in one.units]
        there = one.spikes >= 0
        both = np.sum(there[:, :-1] & there[:, 1:], axis=0)
        edges += [(a, b, k, k, int(n)) for a, b, n in zip(units, units[1:], both) if n > 0]
    return edges


def _language(results: Results | Sequences) -> str:
    return "sequences" if isinstance(results, Sequences) else results.language


def _is_pattern(results: Results | Sequences) -> bool:
    return isinstance(results, Patterns)


def _edges(results: Results, size: int | None) -> list[Edge]:
    return [
        (int(a), int(b), float(lo), float(hi), int(results.count[k]))
        for k, a, b, lo, hi in results._steps(size)
    ]


def _strengths(results: Results, size: int | None) -> tuple[list[Edge], bool]:
    """The edges between different units with what an arrow's width tells, the strongest first, and
    whether that is the excess over chance. Each is there once, the strongest of its units and
    delay; equal ones stay in the order of the results."""
    expected = results.columns.get("expected")
    found: dict[tuple[int, int, float, float], tuple[int, int]] = {}
    for place, (k, a, b, lo, hi) in enumerate(results._steps(size)):
        strength = float(results.count[k])
        if expected is not None:
            excess = strength - float(expected[k])
            strength = math.floor(excess + 0.5) if excess >= 0.5 else 0
        if a != b and strength > found.get((a, b, lo, hi), (0, 0))[0]:
            found[a, b, lo, hi] = (int(strength), place)
    order = sorted(found.items(), key=lambda item: (-item[1][0], item[1][1]))
    edges = [(int(a), int(b), float(lo), float(hi), n) for (a, b, lo, hi), (n, _) in order]
    return edges, expected is not None


def _strongest(results: Results, size: int | None) -> tuple[list[Edge], str]:
    """The edges that are drawn of many, and a title that says how many those are."""
    found, above = _strengths(results, size)
    chosen: list[Edge] = []
    units: set[int] = set()

    def is_welcome(edge: Edge) -> bool:
        a, b = edge[:2]
        return (
            all((a, b) != other[:2] for other in chosen)
            and sum(a == other[0] for other in chosen) < PER_UNIT
            and sum(b == other[1] for other in chosen) < PER_UNIT
            and len(units | {a, b}) <= UNITS
        )

    while len(chosen) < PAIRS and (best := next(filter(is_welcome, found), None)):
        chosen.append(best)
        units |= set(best[:2])
    title = "Who follows whom" + " above chance" * above
    if len(chosen) < len(found):
        title += f": {len(chosen):,} of {len(found):,} pairs, at most {PER_UNIT} from and to a unit"
    elif found:
        title += f": {len(found):,} pair{'s' * (len(found) != 1)}"
    return chosen, title


def _place(k: int, n: int) -> Floats:
    """The first unit at the top, the others clockwise."""
    angle = math.pi / 2 - 2 * math.pi * k / max(n, 1)
    radius = 0.0 if n == 1 else 1.0
    return np.array([radius * math.cos(angle), radius * math.sin(angle)])


def _node_size(n: int) -> float:
    return 15.0 if n <= 24 else 10.0 if n <= 60 else 5.0


def _draw_edge(
    ax: Axes,
    edge: Edge,
    place: dict[int, Floats],
    d: int,
    colour: Any,
    most: int,
    number: int,
    alpha: float,
) -> None:
    from matplotlib.patches import FancyArrowPatch

    a, b, _, _, count = edge
    shade = min(d, MOST_DELAYS - 1)
    begin, end = place[a], place[b]
    shrink = _node_size(len(place)) / 2 + 1
    bend = 0.12 + 0.07 * shade  # edges of several delays lie beside each other
    if a == b:  # a loop that goes outwards
        out = begin if np.any(begin) else np.array([0.0, 1.0])
        side = np.array([-out[1], out[0]]) * 0.05
        begin, end, bend = place[a] + side, place[a] - side, -2.2 - 0.3 * shade
        shrink = 2.0
    width = _width(count, most)
    arrow = FancyArrowPatch(
        tuple(begin),
        tuple(end),
        connectionstyle=f"arc3,rad={bend}",
        arrowstyle="-|>",
        mutation_scale=7 + 2 * width,
        shrinkA=shrink,
        shrinkB=shrink,
        linewidth=width,
        linestyle=_line(shade),
        color=colour,
        alpha=alpha,
        zorder=1,
    )
    arrow.set_gid(f"edge {number} {a} {b} {count}")
    ax.add_patch(arrow)


def _width(count: float, most: float) -> float:
    """Twice as wide is twice as much; the least is a line that can be seen."""
    return max(MOST_WIDTH * count / (most or 1), 0.3)


def _round_counts(most: int) -> list[int]:
    """Round counts up to the largest, at most three."""
    power = 10 ** math.floor(math.log10(max(most / 5, 1)))
    step = next(lead * power for lead in (1, 2, 5, 10) if 5 * lead * power >= most)
    n = most // step
    return sorted({step, (n + 1) // 2 * step, n * step})


def _colours(results: Results | Sequences, delays: list[tuple[float, float]]) -> list[Any]:
    """Of the delays that are drawn: that of the sequence, else by their order, of episodes among
    all that were searched, as the command has them."""
    if isinstance(results, Sequences):
        return [_axes.colour(k) for k in range(len(delays))]
    every = delays if _is_pattern(results) else [(lo, hi) for lo, hi in results.delays]
    return [
        _axes.scale(every.index(d) / (len(every) - 1) if len(every) > 1 else 0.4) for d in delays
    ]


def _line(d: int) -> Any:
    return ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1.5, 1)))[d % 4]


def _draw_nodes(ax: Axes, results: Results | Sequences, place: dict[int, Floats]) -> None:
    if not place:
        return
    points = np.array(list(place.values()))
    size = _node_size(len(place))
    (drawn,) = ax.plot(
        points[:, 0],
        points[:, 1],
        linestyle="none",
        marker="o",
        markersize=size,
        markerfacecolor="white",
        markeredgecolor="0.3",
        zorder=2,
    )
    drawn.set_gid("units")
    labels = results.recording.labels
    for u, (x, y) in place.items():
        inside = size > 10 and len(labels[u]) <= 2
        many = len(place) > 24
        angle = math.degrees(math.atan2(y, x)) if many and not inside else 0.0
        away = 0.0 if inside else size / 2 + 4
        upright = -90 <= angle <= 90
        side = 0 if inside else (1 if upright else -1) if many else round(1.4 * x)
        ax.annotate(
            labels[u],
            (x, y),
            (x * away, y * away),
            textcoords="offset points",
            ha=("right", "center", "left")[side + 1],
            va="center" if inside or many or abs(y) < 0.9 else "bottom" if y > 0 else "top",
            fontsize="small" if size > 10 else "x-small",
            rotation=angle if upright else angle + 180,
            rotation_mode="anchor" if many else "default",
            zorder=3,
            gid=f"unit {labels[u]}",
        )


def _draw_legend(
    ax: Axes,
    results: Results | Sequences,
    delays: list[tuple[float, float]],
    colours: list[Any],
    tells: str,
    most: int,
) -> None:
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    factor, unit = _axes.scale_of(max(lo if math.isinf(hi) else hi for lo, hi in delays))
    lines, names = [], []
    for d, (lo, hi) in enumerate(delays[:MOST_DELAYS]):
        lines.append(Line2D([], [], color=colours[d], linestyle=_line(d), linewidth=2))
        last = d == MOST_DELAYS - 1 and len(delays) > MOST_DELAYS
        if isinstance(results, Sequences):
            names.append(f"{lo:g}{' and more' * last}")
        elif last:
            names.append(f"{lo * factor:g} {unit} and more")
        elif _is_pattern(results):
            names.append(f"{lo * factor:g} {unit}")
        else:
            names.append(f"({lo * factor:g}, {hi * factor:g}] {unit}")
    counts = _round_counts(most)
    widths = [Line2D([], [], color="0.2", linewidth=_width(n, most)) for n in counts]
    title = {"patterns": "lag", "sequences": "sequence"}.get(_language(results), "delay")
    for x, name, own, texts in (
        (0.05, title, lines, names),
        (0.6, tells, widths, [f"{n:,}" for n in counts]),
    ):
        drawn = Legend(
            ax,
            own,
            texts,
            title=name,
            loc="upper left",
            bbox_to_anchor=(x, 0.0),
            borderaxespad=0.0,
            frameon=False,
            fontsize="small",
            alignment="left",
            handlelength=3,
        )
        drawn.get_title().set_fontsize("small")
        drawn.set_gid(f"legend {name}")
        ax.add_artist(drawn)
        drawn.set_clip_on(False)
