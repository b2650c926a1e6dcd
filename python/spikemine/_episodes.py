"""Serial episodes: who fires after whom, with which delays, and whether it is chance."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _show
from ._analysis import Analysis, Rows
from ._choose import choose_support
from ._exact import Exact
from ._library import (
    Handle,
    Session,
    Time,
    duration_seconds,
    duration_text,
    ffi,
    fill,
    lib,
    members,
    options,
    session,
    struct,
    time_text,
)
from ._pictures import Picture, drawn
from ._pictures import options as picture_options
from ._recording import Recording, as_recording, check_span
from ._results import Array, Table, check_count
from ._rules import checked
from ._search import run_search

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._exact import ExactTest
    from ._operations import CountArguments, EpisodesArguments

Floats = npt.NDArray[np.float64]
Delays = Sequence[tuple[Time, Time] | str]


@dataclasses.dataclass(frozen=True, repr=False)
class Episode:
    """One row of Episodes."""

    units: tuple[str, ...]
    delays: tuple[tuple[float, float], ...]  # seconds, (lo, hi] between neighbours
    count: int
    text: str
    values: dict[str, Any]  # of a test: expected, score, p, e_value, fdr, explained_by

    def __repr__(self) -> str:
        return _show.row(type(self).__name__, self.text, self.count, self.values)

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(repr=False, eq=False)
class Episodes(Table[Episode]):
    """Episodes of a recording, as columns. Indexing with a number gives an Episode, with a slice, a
    mask or numbers Episodes.

    Attributes
    ----------
    recording : Recording
    offsets : int64 array (n + 1,); episode k has the positions offsets[k] .. offsets[k + 1] - 1
    units : uint32 array (positions,); numbers of units
    delay : uint16 array (positions,); the interval between a position and the one before it, as a
        row of `delays`; 0 at the first position of an episode, where it means nothing
    delays : float array (n_delays, 2); the intervals (lo, hi] in seconds
    columns : dict of arrays (n,): count, and after a test the columns that it adds in tables
        (docs/reference/output.md); for explained_by there is left_out, the position without which a
        part explains the episode, -1: none does
    test : ExactTest, Comparison or None
    info : dict; engine, seconds, support, and candidates and frequent episodes by size; after
        support="auto" also support_choice, how it was chosen
    """

    language = "episodes"
    a_test = "test='exact'"
    by_position = ("units", "delay")

    recording: Recording
    offsets: Array
    units: Array
    delay: Array
    _delay_text: list[str]
    columns: dict[str, Array]
    info: dict[str, Any]
    test: ExactTest | Comparison | None = None
    _stored: list[tuple[Array, Array]] | None = None

    # ---- columns -----------------------------------------------------------------------------

    @property
    def count(self) -> npt.NDArray[np.uint64]:
        """Count of each episode. Shape (n,)."""
        return self.columns["count"]

    @property
    def delays(self) -> npt.NDArray[np.float64]:
        """The intervals (lo, hi] in seconds. Shape (n_delays, 2)."""
        return _delay_seconds(tuple(self._delay_text))

    def _positions(self, k: int) -> slice:
        return slice(int(self.offsets[k]), int(self.offsets[k + 1]))

    def _one(self, k: int) -> Episode:
        at = self._positions(k)
        labels = self.recording.labels
        delays = self.delays[self.delay[at][1:]]
        values = self._values(k)
        return Episode(
            tuple(labels[u] for u in self.units[at]),
            tuple((float(lo), float(hi)) for lo, hi in delays),
            int(values.pop("count")),
            self.text(k),
            values,
        )

    # ---- text and tables ---------------------------------------------------------------------

    def _native(self) -> Any:
        with session(max_memory=0) as own:
            table = _delay_column(own, self._delay_text)
        columns: dict[str, Any] = {"offset": self.offsets, "unit": self.units, "delay": self.delay}
        columns |= {"count": self.count, "delays": table, "n_delays": len(self._delay_text)}
        return struct("spk_episode_columns", n=len(self), **columns)

    def _begin_anew(self) -> None:
        self.delay[self.offsets[:-1]] = 0

    def _table(self) -> dict[str, Any]:
        texts = self._texts(range(len(self)))
        return {"size": self.size, "count": self.count, "episode": texts, **self._of_tests()}

    # ---- what they are made of ---------------------------------------------------------------

    @overload
    def occurrences(self, k: int, with_segment: Literal[False] = False) -> Floats: ...

    @overload
    def occurrences(self, k: int, with_segment: Literal[True]) -> tuple[Floats, Array]: ...

    @overload
    def occurrences(self, k: int, with_segment: bool) -> Floats | tuple[Floats, Array]: ...

    def occurrences(self, k: int, with_segment: bool = False) -> Any:
        """The counted occurrences of episode k: times in seconds, shape (count, size).

        With with_segment also the number of the segment of each, shape (count,); the recording's
        `trials` has the trial of each segment. After peeling
        they are those that were counted, in what earlier rounds left.
        """
        row = self._row(k)
        if self._stored is not None:
            return self._stored[row] if with_segment else self._stored[row][0]
        one = self[np.array([row])]
        columns = one._native()
        chain = ffi.new("spk_delay[]", max(int(one.size[0]) - 1, 1))
        for p in range(1, int(one.size[0])):
            chain[p - 1] = columns.delays[int(one.delay[p])]
        with session() as own:
            found = own.make(lib.spk_occurrence_list_create)
            own.run(
                lib.spk_episode_occurrences_in_segments,
                self.recording._pointer,
                int(one.size[0]),
                columns.unit,
                chain,
                ffi.addressof(lib, "spk_occurrence_list_add"),
                found.pointer,
            )
            listed = lib.spk_occurrence_list_columns(found.pointer)
            shape = (listed.n, int(one.size[0]))
            seconds = self.recording._seconds(found.array(listed.time, *shape))
            segment = found.array(listed.segment, listed.n).astype(np.int64)
        return (seconds, segment) if with_segment else seconds

    def _spikes(self, k: int) -> tuple[Array, Array]:
        times, segment = self.occurrences(k, with_segment=True)
        return times, segment

    def _steps(self, size: int | None) -> Iterator[tuple[int, int, int, float, float]]:
        """Each step of the episodes of this size, or of all: episode, unit, next unit, delay."""
        delays = self.delays
        for k in range(len(self)) if size is None else np.flatnonzero(self.size == size):
            at = self._positions(int(k))
            units, delay = self.units[at], self.delay[at]
            for p in range(1, units.size):
                lo, hi = delays[delay[p]]
                yield int(k), int(units[p - 1]), int(units[p]), float(lo), float(hi)

    def graph(self, size: int | None = 2) -> Any:
        """Who follows whom: a networkx.MultiDiGraph with an edge for each step of the episodes of
        `size` units (None: of all). Its attributes are the delay (lo, hi] in seconds, and the text
        and the other columns of the episode."""
        return self._graph(size, "episode", lambda lo, hi: {"delay": (lo, hi)})

    @checked()
    def figure(
        self,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
        top: int = 6,
        force: bool = False,
    ) -> Picture | None:
        """Draws the picture of the command (raster, examples, who follows whom, and after an exact
        test what it says, with the lags of each step) to a file that ends in .png, .svg or .pdf.
        Without a file it returns the picture, which a notebook shows. The title is the name of
        the recording; "": none. A file that exists already is replaced with force=True alone.
        Raises ValueError, FileError, UnavailableError."""
        from ._exact import ExactTest
        from ._report import exact_report

        o = picture_options(self, "episode", title, top)
        if "expected" in self.columns:
            fill(o, expected=self.columns["expected"], as_listed="members" in self.columns)
        if isinstance(self.test, ExactTest):
            fill(o, exact=exact_report(self, self.test))
        one = lib.spk_figure_episodes, self.recording._pointer, self._native(), o
        with session() as own:
            return drawn(path, force, o, lambda file: own.run(*one, file))


# ---- mining ----------------------------------------------------------------------------------


def _delay_column(own: Session, delays: Delays) -> Any:
    column = ffi.new("spk_delay[]", max(len(delays), 1))
    for k, delay in enumerate(delays):
        if isinstance(delay, str):
            text = delay
        else:
            pair = tuple(delay) if isinstance(delay, Iterable) else ()
            if len(pair) != 2:
                raise ValueError(
                    f"delays: {delay!r} is no interval; a list of '5ms:10ms' or of pairs such as "
                    "('5ms', '10ms'); numbers are seconds"
                )
            lo, hi = (time_text(value, f"delay {k}") for value in pair)
            text = f"{lo}:{hi}"
        own.call(lib.spk_delay_parse, text.encode(), ffi.addressof(column, k))
    return column


def episode_options(own: Session, delays: Delays, **others: Any) -> Any:
    """Options of a search with these delays."""
    listed = [delays] if isinstance(delays, str) else delays
    table = _delay_column(own, listed)
    return options("spk_episode_options", delays=table, n_delays=len(listed), **others)


@functools.lru_cache(maxsize=256)
def _delay_seconds(texts: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """Intervals in seconds; read-only, since many tables share them."""
    with session(max_memory=0) as own:
        column = _delay_column(own, texts)
        pairs = [
            (duration_seconds(column[k].lo), duration_seconds(column[k].hi))
            for k in range(len(texts))
        ]
    seconds = np.array(pairs).reshape(-1, 2)
    seconds.flags.writeable = False
    return seconds


def _delay_texts(column: Any, n: int) -> list[str]:
    buffer = ffi.new("char[]", 128)
    found = []
    for k in range(n):
        lib.spk_delay_format(ffi.addressof(column, k), buffer, 128)
        found.append(ffi.string(buffer).decode())
    return found


def _support(
    own: Session, recording: Recording, a: Any, o: Any, exact: Exact | None
) -> dict[str, Any]:
    """Puts the support in; how it was chosen, if it was."""
    o.link_share = a.link_share
    if isinstance(a.support, str) and a.support.strip() == "auto":
        tested = None if exact is None else fill(exact.pointer, episodes=o)
        job = options("spk_analysis_options", episodes=o if exact is None else None, exact=tested)
        owner = choose_support(own, recording, job, a.seed, a.support_time)
        chosen = owner.choice
        o.support, o.link_share = chosen.support, chosen.link_share
        return {"support_choice": _choice_of(chosen, a.seed)}
    if isinstance(a.support, str):
        out = ffi.new("uint64_t *")
        own.call(lib.spk_episode_support_parse, recording._pointer, a.support.encode(), out)
        o.support = int(out[0])
    else:
        o.support = check_count("support", a.support, 1, hint="; a share is text: '0.1%'")
    return {}


def _choice_of(chosen: Any, seed: int) -> dict[str, Any]:
    """A spk_support_choice for `info`."""
    return {
        **members(chosen, "support", "link_share", "limited", "timed"),
        "jitter": duration_text(chosen.jitter),
        "surrogates": chosen.n_surrogates,
        **members(chosen, "by_chance", "most_in_one"),
        "seed": seed,
    }


def from_list(recording: Recording, handle: Handle, info: dict[str, Any]) -> Episodes:
    return from_columns(recording, lib.spk_episode_list_columns(handle.pointer), handle.array, info)


def from_columns(
    recording: Recording, listed: Any, array: Callable[..., Array], info: dict[str, Any]
) -> Episodes:
    """Episodes of the library, whose columns `array` takes: copy_of, or that of their handle."""
    offsets = np.zeros(1, np.int64)
    if listed.n > 0:
        offsets = array(listed.offset, listed.n + 1).astype(np.int64)
    n = int(offsets[-1])
    delays = _delay_texts(listed.delays, int(listed.n_delays))
    units, delay, count = (
        array(listed.unit, n),
        array(listed.delay, n),
        array(listed.count, listed.n),
    )
    return Episodes(recording, offsets, units, delay, delays, {"count": count}, info)


def search_info(summary: Any, support: int) -> dict[str, Any]:
    if summary == ffi.NULL:  # peeling of a recording without a spike
        return {"engine": "", "support": support, "seconds": 0.0, "sizes": []}
    levels = [summary.level[k] for k in range(summary.n_levels)]
    return {
        **members(summary, "engine"),
        "support": support,
        "seconds": summary.seconds,
        "sizes": [members(v, "size", "candidates", "frequent") for v in levels],
    }


def run_episodes(a: EpisodesArguments) -> Episodes:
    """Finds every episode A -(lo,hi]-> B -(lo,hi]-> C that occurs often, and tests it.

        rec = sm.sample()
        sm.episodes(rec, ["0:50ms"], 10, min_size=2) # what occurs ten times or more
        sm.episodes(rec, ["0:50ms"], 10, test="exact", jitter="250ms") # what chance does not give

    Returns Episodes: after a test the least likely first, else by size and count. After peeling
    they have a column `round`, and are in its order. Families have columns `members`,
    `family_occurrences` (how many times they occur together) and `family_units` (the family's units
    in the order in which they fire).
    Ctrl-C cancels. Raises ValueError, OutOfMemoryError, UnavailableError.
    Source: docs/explanation/semantics.md and chance.md of the project.
    """
    found: Episodes = run_search(a, _open)
    return found


def _open(
    own: Session, recording: Recording, a: EpisodesArguments
) -> tuple[EpisodeSearch, Exact | None]:
    exact = Exact.make(a, recording) if a.test else None
    return EpisodeSearch.open(own, recording, a, exact), exact


@dataclasses.dataclass
class EpisodeSearch:
    """A search in the form of the library."""

    recording: Recording
    options: Any
    info: dict[str, Any]  # how the support was chosen, if it was

    @classmethod
    def open(cls, own: Session, recording: Recording, a: Any, exact: Exact | None) -> EpisodeSearch:
        """From the arguments of a function, for this test, or for none."""
        o = episode_options(own, a.delays, max_size=a.max_size, engine=a.engine, gpus=a.gpus)
        for k in range(o.n_delays):
            delay, endless = o.delays[k], o.max_size >= lib.SPK_EPISODE_MAX_SIZE
            check_span(own, recording, f"delay {k}", delay.lo, delay.hi, 1, endless)
        return cls(recording, o, _support(own, recording, a, o, exact))

    def put(self, job: Any, test: Any = None) -> None:
        """Into an analysis, or the options of its test."""
        fill(job.options if test is None else test, episodes=self.options)

    def rows(self, job: Analysis) -> Episodes:
        found = rows_of(job, int(self.options.support))
        found.info.update(self.info)
        return found

    def stored(self, found: Any) -> tuple[Array, Array]:
        """The occurrences of what a round of peeling accepted, while its memory lives."""
        with session(max_memory=0) as inner:
            one = inner.make(lib.spk_episode_list_create)
            inner.check(lib.spk_episode_list_add(one.pointer, found.episode))
            left = from_list(Recording._borrow(found.recording), one, {})
            times, segments = left.occurrences(0, with_segment=True)
            return times, segments

    def chosen(self) -> dict[str, Any]:
        """Arguments that were chosen, for other processes."""
        return {"support": int(self.options.support), "link_share": self.options.link_share}


def rows_of(job: Rows, support: int) -> Episodes:
    """The rows of an analysis that ran."""
    columns = job.columns
    info = search_info(columns.episode_summary, support)
    return from_columns(job.recording, columns.episodes, job.handle.array, info)


def _given(own: Session, recording: Recording, episodes: Any) -> Handle:
    """The list of the library with these episodes."""
    if isinstance(episodes, Episodes):
        episodes = episodes._texts(range(len(episodes)))
    if isinstance(episodes, (str, os.PathLike)) and os.path.exists(episodes):
        path = os.fsencode(episodes)
        return own.run_to_make(lib.spk_episode_list_read, recording._pointer, path)
    handle = own.make(lib.spk_episode_list_create)
    listed = [str(episodes)] if isinstance(episodes, (str, os.PathLike)) else episodes
    for text in listed:
        own.call(lib.spk_episode_parse, recording._pointer, str(text).encode(), handle.pointer)
    return handle


def _test_given(
    own: Session, recording: Recording, a: CountArguments, handle: Handle, o: Any
) -> Episodes:
    """Counts and tests the list."""
    exact = Exact.make(a, recording)
    given = ffi.new("spk_episode_columns *", lib.spk_episode_list_columns(handle.pointer))
    fill(exact.pointer, episodes=o, given=given)
    job = Analysis(own, recording)
    fill(job.options, exact=exact.pointer, alpha=a.alpha)
    job.run()
    info = search_info(job.columns.episode_summary, 0)
    found: Episodes = from_columns(recording, job.columns.episodes, job.handle.array, info)[:]
    exact.finish(job, found)
    job.finish(found)
    return found


def run_count(a: CountArguments) -> Episodes:
    """Counts episodes that are given, and tests whether they are chance.

        rec = sm.sample()
        sm.count(rec, ["12 (0,50ms] 17", "17 (0,50ms] 12"], test="exact", jitter="250ms")

    Returns Episodes in their order; after a test with its columns, and `back`, `back_p` and
    `asymmetry`: whether a step is more frequent than its opposite. Raises ValueError,
    OutOfMemoryError, UnavailableError.
    """
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        handle = _given(own, recording, a.episodes)
        o = options("spk_episode_options", engine=a.engine, gpus=a.gpus)
        if a.test == "exact":
            return _test_given(own, recording, a, handle, o)
        summary = ffi.new("spk_episode_summary *")
        own.run(lib.spk_episode_count, recording._pointer, o, handle.pointer, summary)
        info = {**search_info(summary, 0), "notes": tuple(own.notes)}
        return from_list(recording, handle, info)
