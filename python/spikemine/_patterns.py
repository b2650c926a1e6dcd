"""SPADE patterns: spikes at fixed lags that recur, and whether it is chance."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _show
from ._analysis import Analysis
from ._choose import choose_support
from ._exact import Exact, ExactTest
from ._library import (
    Handle,
    Session,
    Time,
    copy_of,
    duration,
    duration_exact,
    duration_seconds,
    duration_text,
    ffi,
    fill,
    lib,
    options,
    pointer_to,
    session,
    struct,
)
from ._pictures import Picture, drawn
from ._pictures import options as picture_options
from ._recording import Recording, check_bins, check_span
from ._results import Array, Table, check_count
from ._rules import checked
from ._search import run_search
from ._signatures import Signatures, SignatureTest, signature_keys
from ._surrogates import intervals_of, surrogate_options

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._operations import PatternsArguments


@dataclasses.dataclass(frozen=True, repr=False)
class Pattern:
    """One row of Patterns."""

    units: tuple[str, ...]  # by lag
    lags: tuple[int, ...]  # bins from the first spike, which has 0
    count: int
    text: str
    values: dict[str, Any]  # of a test

    def __repr__(self) -> str:
        return _show.row(type(self).__name__, self.text, self.count, self.values)

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class StoredOccurrences:
    """Occurrences of one pattern in what a round of peeling was made of."""

    starts: npt.NDArray[np.float64]
    spikes: npt.NDArray[np.float64]
    segments: Array


class Windows:
    """The windows of a recording, in which patterns lie."""

    def __init__(self, own: Session, recording: Recording, bin: Time, window: int) -> None:
        self.recording = recording
        self.window = check_count("window", window, 1)
        self._bin = duration(bin, "bin")
        self.bin = duration_text(self._bin[0])
        self.options = options("spk_window_options", bin=self._bin[0], window=self.window)
        self.handle = own.run_to_make(lib.spk_windows_create, recording._pointer, self.options)

    @property
    def pointer(self) -> Any:
        return self.handle.pointer

    @property
    def bin_s(self) -> float:
        """Width of a bin in seconds."""
        return duration_seconds(self._bin[0])

    @property
    def n_bins(self) -> int:
        """Bins of all segments, silent ones too."""
        return int(lib.spk_windows_columns(self.pointer).n_bins)

    def columns(self) -> tuple[Array, Array, Array]:
        """Segment, bin within it, and first tick of each window."""
        c = lib.spk_windows_columns(self.pointer)
        return (
            self.handle.array(c.trial, c.n_windows),
            self.handle.array(c.start_bin, c.n_windows),
            self.handle.array(c.start_time, c.n_windows),
        )

    def start_seconds(self, rows: Array) -> npt.NDArray[np.float64]:
        """Start of the first bin of some windows, in seconds."""
        trial, start_bin, _ = self.columns()
        seconds = start_bin[rows] * self.bin_s
        for k in np.unique(trial[rows]):
            seconds[trial[rows] == k] += float(self.recording._segment_start(int(k)))
        return seconds

    def first_ticks(self, rows: Array, lags: Array) -> npt.NDArray[np.int64]:
        """First tick of the bins at some lags from the starts of some windows. Shape (rows, lags).

        Exact: a bin, and the start of a segment, need not be whole numbers of ticks.
        """
        trial, start_bin, _ = self.columns()
        width = duration_exact(self._bin[0]) * self.recording.rate
        ticks = np.zeros((len(rows), len(lags)), np.int64)
        for k in np.unique(trial[rows]):
            own = trial[rows] == k
            start = self.recording._segment_start(int(k)) * self.recording.rate
            bins = start_bin[rows[own], None].astype(object) + lags.astype(object)
            below = start.denominator * width.denominator
            above = start.numerator * width.denominator + bins * (
                width.numerator * start.denominator
            )
            ticks[own] = -(-above // below)
        return ticks

    def __reduce__(self) -> tuple[Any, ...]:
        return _windows_again, (self.recording, self.bin, self.window)


def _windows_again(recording: Recording, bin: str, window: int) -> Windows:
    with session(max_memory=0) as own:
        return Windows(own, recording, bin, window)


@dataclasses.dataclass(repr=False, eq=False)
class Patterns(Table[Pattern]):
    """Patterns of a recording, as columns. Indexing with a number gives a Pattern, with a slice, a
    mask or numbers Patterns.

    Attributes
    ----------
    recording : Recording
    windows : Windows; bin, window, n_bins
    offsets : int64 array (n + 1,); pattern k has the spikes offsets[k] .. offsets[k + 1] - 1
    items : uint32 array (spikes,); unit * window + lag, ordered by lag, then unit
    units, lags : uint32 arrays (spikes,); made from the items
    columns : dict of arrays (n,): count, and what a test adds
    test : ExactTest, SignatureTest, Comparison or None
    info : dict; engine, seconds, support
    """

    language = "patterns"
    a_test = "a test"
    by_position = ("items",)
    windows: Windows
    offsets: Array
    items: Array
    columns: dict[str, Array]
    info: dict[str, Any]
    test: ExactTest | SignatureTest | Comparison | None = None
    _stored: list[StoredOccurrences] | None = None

    def __post_init__(self) -> None:
        self.recording = self.windows.recording

    @property
    def count(self) -> npt.NDArray[np.uint32]:
        """Number of windows that contain each pattern. Shape (n,)."""
        return self.columns["count"]

    @property
    def units(self) -> npt.NDArray[np.uint32]:
        """Unit of each spike."""
        return self.items // np.uint32(self.windows.window)

    @property
    def lags(self) -> npt.NDArray[np.uint32]:
        """Lag of each spike in bins."""
        return self.items % np.uint32(self.windows.window)

    @property
    def duration(self) -> npt.NDArray[np.uint32]:
        """Largest lag of each pattern in bins. Shape (n,)."""
        last: npt.NDArray[np.uint32] = self.lags[self.offsets[1:] - 1]
        return last

    @property
    def neurons(self) -> npt.NDArray[np.int64]:
        """Number of different units of each pattern. Shape (n,)."""
        rows = np.repeat(np.arange(len(self)), self.size)
        pairs = np.unique(rows * self.recording.n_units + self.units)
        return np.bincount(pairs // max(self.recording.n_units, 1), minlength=len(self))

    def _one(self, k: int) -> Pattern:
        at = slice(int(self.offsets[k]), int(self.offsets[k + 1]))
        labels = self.recording.labels
        values = self._values(k)
        return Pattern(
            tuple(labels[u] for u in self.items[at] // self.windows.window),
            tuple(int(lag) for lag in self.items[at] % self.windows.window),
            int(values.pop("count")),
            self.text(k),
            values,
        )

    def _native(self) -> Any:
        sizes = {"n": len(self), "window": self.windows.window}
        columns = {"offset": self.offsets, "item": self.items, "count": self.count}
        return struct("spk_pattern_columns", **sizes, **columns)

    def _begin_anew(self) -> None:
        first = self.lags[self.offsets[:-1]]
        self.items = self.items - np.repeat(first, self.size)  # lags from the first spike

    def _table(self) -> dict[str, Any]:
        own = {
            "spikes": self.size,
            "occurrences": self.count,
            "neurons": self.neurons,
            "duration": self.duration,
            "pattern": self._texts(range(len(self))),
        }
        return {**own, **self._of_tests()}

    def occurrences(self, k: int) -> npt.NDArray[np.float64]:
        """Start of each window that contains pattern k, in seconds. Shape (count,).

        After peeling they are those that were counted, in what earlier rounds left.
        """
        if self._stored is not None:
            return self._stored[self._row(k)].starts
        return self.windows.start_seconds(self._window_rows(k))

    def _segments_of(self, k: int) -> Array:
        """Segment of each occurrence. Shape (count,)."""
        if self._stored is not None:
            return self._stored[self._row(k)].segments
        return self.windows.columns()[0][self._window_rows(k)].astype(np.int64)

    def spike_times(self, k: int) -> npt.NDArray[np.float64]:
        """Times of the spikes of each occurrence of pattern k, in seconds, in the order of the
        pattern's spikes: the first one of the unit in its bin. Shape (count, size)."""
        row = self._row(k)
        if self._stored is not None:
            return self._stored[row].spikes
        rows = self._window_rows(row)
        at = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        ticks = self.windows.first_ticks(rows, self.lags[at])
        for p, u in enumerate(self.units[at]):
            own = np.sort(self.recording._unit_ticks(int(u)))
            ticks[:, p] = own[np.searchsorted(own, ticks[:, p])]
        seconds: npt.NDArray[np.float64] = self.recording._seconds(ticks)
        return seconds

    def _spikes(self, k: int) -> tuple[Array, Array]:
        return self.spike_times(k), self._segments_of(k)

    def _window_rows(self, k: int) -> Array:
        row = self._row(k)
        items = np.ascontiguousarray(
            self.items[int(self.offsets[row]) : int(self.offsets[row + 1])], np.uint32
        )
        with session() as own:
            locator = own.make(lib.spk_pattern_locator_create, self.windows.pointer)
            rows, n = ffi.new("uint32_t **"), ffi.new("uint32_t *")
            own.check(
                lib.spk_pattern_locate(
                    locator.pointer, items.size, pointer_to(items, "uint32_t *"), rows, n
                )
            )
            return copy_of(rows[0], n[0])

    def spectrum(self, duration: bool = False) -> Array:
        """How many patterns have each size and count, with `duration` also each duration: rows
        (size, count[, duration], n_patterns)."""
        keys, n = np.unique(signature_keys(self, duration), return_counts=True)
        columns = [keys >> np.uint64(48), keys >> np.uint64(16) & np.uint64(0xFFFFFFFF)]
        columns += [keys & np.uint64(0xFFFF)] if duration else []
        return np.stack([*columns, n.astype(np.uint64)]).astype(np.int64).T

    def _steps(self, size: int | None) -> Iterator[tuple[int, int, int, float, float]]:
        """Each step of the patterns of this size, or of all: pattern, unit, next unit, and twice
        the lag between in seconds."""
        units, lags, width = self.units, self.lags.astype(np.int64), self.windows.bin_s
        for k in range(len(self)) if size is None else np.flatnonzero(self.size == size):
            for p in range(int(self.offsets[k]) + 1, int(self.offsets[k + 1])):
                lag = float(lags[p] - lags[p - 1]) * width
                yield int(k), int(units[p - 1]), int(units[p]), lag, lag

    def graph(self, size: int | None = 2) -> Any:
        """Who follows whom: a networkx.MultiDiGraph with an edge for each step from a spike to the
        next one, of the patterns of `size` spikes (None: of all). Its attributes are the lag in
        seconds, and the text and the other columns of the pattern."""
        return self._graph(size, "pattern", lambda lag, _: {"lag": lag})

    @checked()
    def figure(
        self,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
        top: int = 6,
        force: bool = False,
    ) -> Picture | None:
        """Draws the picture of the command, after a test with what it says of the examples, and
        their lags, to a file that ends in .png, .svg or .pdf. Without a file it returns the
        picture, which a notebook shows. The title is the name of the recording; "": none. A file
        that exists already is replaced with force=True alone. Raises ValueError, FileError, UnavailableError."""
        from ._exact import ExactTest
        from ._report import exact_report, signature_report
        from ._signatures import SignatureTest

        o = picture_options(self, "pattern", title, top)
        with session() as own:
            of_windows = self.windows.pointer, self.windows._bin[0]
            made = own.make(lib.spk_pattern_figure_create, self.recording._pointer, *of_windows)
            if isinstance(self.test, ExactTest):
                exact = exact_report(self, self.test)
                own.check(lib.spk_pattern_figure_set_exact(made.pointer, exact))
            elif isinstance(self.test, SignatureTest):
                signatures = signature_report(self, self.test)
                own.check(lib.spk_pattern_figure_set_test(made.pointer, signatures))
            own.check(lib.spk_pattern_figure_add(made.pointer, self._native()))
            one = lib.spk_pattern_figure_draw, made.pointer, o
            return drawn(path, force, o, lambda file: own.run(*one, file))


# ---- mining ----------------------------------------------------------------------------------


def _supports(
    own: Session, recording: Recording, windows: Windows, a: Any, o: Any, exact: Exact | None
) -> Any:
    """Puts the support in: a number, "auto", "published", or {size: support}; None: the default."""
    wanted = o.support if a.support is None else a.support
    if not isinstance(wanted, (str, Mapping)):
        o.support = check_count("support", wanted, 1)
        return int(o.support)
    out = ffi.new("spk_pattern_supports *")
    if wanted == "auto":
        chosen = _chosen(own, recording, windows, a, exact)
        out[0] = chosen.supports
    elif wanted == "published":
        recipe = options("spk_pattern_recipe_options")
        own.call(lib.spk_pattern_estimate_published, windows.pointer, recipe, out)
    elif isinstance(wanted, str):
        raise ValueError(f"support={wanted!r}: must be a number, 'auto', 'published', or a dict")
    else:
        largest = max(int(size) for size in wanted)
        if not 2 <= largest <= 64:
            raise ValueError("support: sizes from 2 to 64")
        value = max(int(v) for v in wanted.values())
        out.n = largest
        for size in range(2, largest + 1):
            value = min(value, check_count("support", wanted.get(size, value), 1))
            out.at_size[size] = value
    fill(o, supports=out, support=out.at_size[out.n])
    return {k: int(out.at_size[k]) for k in range(2, out.n + 1)}


def _chosen(
    own: Session, recording: Recording, windows: Windows, a: Any, exact: Exact | None
) -> Any:
    """A spk_chosen_support with those of patterns by size, for the test of the arguments, or for
    none."""
    job = options("spk_analysis_options", cut=windows.options)
    if exact is not None:
        fill(job, exact=fill(exact.pointer, windows=windows.options))
    elif getattr(a, "surrogates", None):
        fill(job, signatures=options("spk_maxima_options", windows=windows.options))
    return choose_support(own, recording, job, a.seed, a.support_time)


def run_patterns(a: PatternsArguments) -> Patterns:
    """Finds the closed patterns of spikes at fixed lags that occur often, and tests them.

        rec = sm.sample()
        sm.patterns(rec, "34ms", 5, support=10, min_neurons=3) # windows of five bins
        sm.patterns(rec, "34ms", 5, support=10, test="exact", jitter="250ms")

    Returns Patterns. Ctrl-C cancels. Raises ValueError, OutOfMemoryError, UnavailableError.
    Source: docs/explanation/patterns.md, significance.md and chance.md of the project.
    """
    found: Patterns = run_search(a, _open)
    return found


def _open(
    own: Session, recording: Recording, a: PatternsArguments
) -> tuple[PatternSearch, Exact | Signatures | None]:
    exact = Exact.make(a, recording) if a.test == "exact" else None
    search = PatternSearch.open(own, recording, a, exact)
    if exact is not None or not (a.test or a.surrogates):
        return search, exact
    if a.report == "core":
        raise ValueError("report='core': 'significant' or 'all' for a test of signatures")
    return search, Signatures(_surrogates_of(a), a)


@dataclasses.dataclass
class PatternSearch:
    """A search in the form of the library."""

    windows: Windows
    options: Any
    support: Any

    @classmethod
    def open(cls, own: Session, recording: Recording, a: Any, exact: Exact | None) -> PatternSearch:
        """From the arguments of a function and its exact test."""
        windows = Windows(own, recording, a.bin, a.window)
        none = ffi.new("spk_duration *")[0]
        check_span(own, recording, "bin and window", none, windows._bin[0], windows.window)
        check_bins(recording, windows._bin[0])
        limits = {"min_spikes": a.min_spikes, "max_spikes": a.max_spikes}
        limits |= {"max_count": a.max_occurrences, "min_neurons": a.min_neurons}
        o = options("spk_pattern_options", engine=a.engine, gpus=a.gpus, **limits)
        return cls(windows, o, _supports(own, recording, windows, a, o, exact))

    def put(self, job: Any, test: Any = None) -> None:
        """Into an analysis, or the options of its test."""
        if test is not None:
            fill(test, windows=self.windows.options, patterns=self.options)
        if job is not None:
            fill(job.options, windows=self.windows.handle)
            fill(job.options, patterns=self.options if test is None else None)

    def rows(self, job: Analysis) -> Patterns:
        summary = job.columns.pattern_summary
        info = {"engine": "", "support": self.support, "seconds": 0.0}
        if summary != ffi.NULL:  # else peeling of a recording without a spike
            info["engine"] = ffi.string(summary.engine).decode()
            info["seconds"] = summary.mine_s + summary.filter_s
        return _from_columns(self.windows, job.columns.patterns, job.handle, info)

    def stored(self, found: Any) -> StoredOccurrences:
        bin, window = self.windows.bin, self.windows.window
        with session(max_memory=0) as inner:
            left = Windows(inner, Recording._borrow(found.recording), bin, window)
            one = inner.make(lib.spk_pattern_list_create, window)
            inner.check(lib.spk_pattern_list_add(one.pointer, found.pattern))
            own = _from_columns(left, lib.spk_pattern_list_columns(one.pointer), one, {})
            return StoredOccurrences(own.occurrences(0), own.spike_times(0), own._segments_of(0))

    def chosen(self) -> dict[str, Any]:
        return {}


def _surrogates_of(a: PatternsArguments) -> Any:
    """How those of a test of signatures are made."""
    usual = "dither-spikes" if a.published else "joint-isi-dithering"
    dither = a.dither
    if dither is None and not a.published:
        dither = lib.spk_surrogates_usual_dither(duration(a.bin, "bin")[0])
    return surrogate_options(a.method or usual, dither, a.seed, intervals_of(a))


def _from_columns(windows: Windows, listed: Any, handle: Handle, info: dict[str, Any]) -> Patterns:
    offsets = handle.array(listed.offset, listed.n + 1).astype(np.int64)
    return Patterns(
        windows,
        offsets,
        handle.array(listed.item, int(offsets[-1])),
        {"count": handle.array(listed.count, listed.n)},
        info,
    )


def _mine(own: Session, windows: Windows, o: Any, support: Any) -> Patterns:
    """All closed frequent patterns."""
    job, search = Analysis(own, windows.recording), PatternSearch(windows, o, support)
    search.put(job)
    job.run()
    return search.rows(job)
