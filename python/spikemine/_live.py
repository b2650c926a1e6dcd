"""Live: spikes go in while a recording runs, occurrences and mined partitions come out."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import os
import pathlib
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ._choose import put_null
from ._episodes import Delays, Episodes, episode_options, from_columns
from ._library import (
    CancelledError,
    Session,
    Time,
    copy_of,
    duration,
    ffi,
    lib,
    members,
    options,
    pointer_to,
    rate_of,
)
from ._patterns import Patterns
from ._recording import Recording
from ._results import check_count
from ._rules import LISTED, PATTERNS, checked, kinds_of

if TYPE_CHECKING:
    from typing_extensions import Self

Watched = Sequence[str] | Episodes | str | os.PathLike[str]
TRENDS = np.array(["new", "growing", "steady", "shrinking"])
STATES: tuple[Literal["mined", "cut", "skipped"], ...] = ("mined", "cut", "skipped")

# ---- what comes out --------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Occurrence:
    """A counted occurrence of an episode or a pattern that is watched."""

    kind: Literal["episode", "pattern"]
    item: int  # number of the episode, or of the pattern, in the order of adding
    name: str
    units: tuple[str, ...]
    ticks: tuple[int, ...]
    times: tuple[float, ...]  # seconds
    count: int  # of the item, with this one
    segment: int
    arrival: float  # of the spike that completed it, on the clock of time.monotonic()
    trial: int  # that the segment is a part of, from 0; the segment's number where nobody told


@dataclasses.dataclass(frozen=True)
class Partition:
    """A partition of the stream: mined, or skipped; `why` tells the reason and what to change."""

    number: int
    series: int
    start: float  # seconds
    stop: float
    state: Literal["mined", "cut", "skipped"]
    why: str
    n_spikes: int
    episodes: Episodes | None  # with the columns count, trend, before; of a test also p, expected
    vanished: Episodes | None  # frequent in the partition mined before, no longer in this one
    support: int
    support_raised: bool
    tested: str  # "" where it was, else why not
    seconds: float  # that mining took
    lag: float  # seconds from the arrival of the last spike to the result
    skipped: int  # partitions skipped so far


Event = Occurrence | Partition


# ---- pushing ---------------------------------------------------------------------------------


class Live:
    """A live stream: push spikes, get occurrences and mined partitions.

        live = sm.Live(30000, episodes=["56 (5ms,10ms] 49"])
        live.push(samples, units)
        for occurrence in live: ...

    What was found is handed to `on_occurrence` and `on_partition` before `push` returns. Without
    such a function it waits: iterating takes what waits, `async for` also waits for what comes, and
    ends with the stream. An exception of a function ends the call, which raises it. Nothing is lost
    then: the next call goes on with what was found behind it.

    Parameters
    ----------
    rate : ticks a second: the samples of whole numbers that are pushed
    episodes : texts, Episodes, or the path of a list: episodes to watch
    patterns : Patterns to watch
    window : time, optional; `recent` counts what lies so far back
    tolerance : time by which a spike may be older than the newest one
    labels : names of units 0, 1, ..., where `push` gets such numbers; by default the numbers
    partition, step : times; stretches of this length, one each step, are mined
    delays, support, max_size, engine, gpus : what is searched in partitions, as in `episodes`; a
        share is one of each partition's spikes
    test : "exact" tests partitions, where there is time, with jitter, null, history,
        surrogates, alpha and seed
    keep_up : raises the support while mining falls behind, and each result tells
    backlog : most partitions that wait; older ones are skipped and told
    wait : skips nothing: calls return when there is room again
    worker : mines in a thread of its own; else `push` does
    on_occurrence, on_partition : functions of one argument
    keep : most occurrences and partitions that wait; older ones are dropped (`dropped`)
    state : path of the state of what is watched, as of `spikemine watch --state`: counts and partial
        occurrences go on from there where the file exists; `end` saves it, and a source does so
        every ten seconds
    threads, max_memory : as everywhere

    Threads: one at a time. Close it, or use it in `with`.
    """

    @checked("Live()", episodes=LISTED, patterns=PATTERNS, **kinds_of("Live()"))
    def __init__(
        self,
        rate: Any,
        *,
        episodes: Watched | None = None,
        patterns: Patterns | None = None,
        window: Time | None = None,
        tolerance: Time = 0,
        labels: Sequence[str] | None = None,
        partition: Time | None = None,
        step: Time = "5s",
        delays: Delays | None = None,
        support: int | str = "0.2%",
        max_size: int = 64,
        engine: str = "auto",
        gpus: int = 0,
        test: str | None = None,
        jitter: Time = "25ms",
        null: str = "auto",
        history: Time | None = None,
        surrogates: int = 199,
        alpha: float = 0.05,
        seed: int = 1,
        keep_up: bool = False,
        backlog: int = 4,
        wait: bool = False,
        worker: bool = False,
        on_occurrence: Callable[[Occurrence], object] | None = None,
        on_partition: Callable[[Partition], object] | None = None,
        keep: int = 1_000_000,
        state: str | os.PathLike[str] | None = None,
        threads: int = 0,
        max_memory: int | None = None,
    ) -> None:
        given: dict[str, Any] = {name: v for name, v in locals().items() if name != "self"}
        self._own = Session(threads, max_memory)
        self._stream = self._watch = self._partitions = ffi.NULL
        self._lock = threading.RLock()
        self._ended = self._closed = False
        self._kept: list[Any] = []
        self._labels = None if labels is None else [str(label) for label in labels]
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._found: collections.deque[Event] = collections.deque()  # to be handed on
        self._waiting: collections.deque[Event] = collections.deque()
        self._keep = check_count("keep", keep, 1)
        self._listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._on_occurrence, self._on_partition = on_occurrence, on_partition
        self._state = state
        self.dropped = 0
        self._job = given
        if rate is not None:
            self._begin(rate_of(self._own, rate))

    # ---- making ------------------------------------------------------------------------------

    def _begin(self, rate: Any) -> None:
        """The stream and what follows it, once its rate is known. What does not begin is closed: its
        end would save a state over one that was refused."""
        try:
            self._make(rate)
        except BaseException:
            self.close()
            raise

    def _make(self, rate: Any) -> None:
        own, job = self._own, self._job
        self._rate = Fraction(int(rate.numerator), int(rate.denominator))
        o = options("spk_live_stream_options", rate=rate, tolerance=job["tolerance"])
        out = ffi.new("spk_live_stream **")
        own.call(lib.spk_live_stream_create, o, out)
        self._stream = out[0]
        for label in self._labels or []:
            self._number(label)
        if job["episodes"] is not None or job["patterns"] is not None:
            self._begin_watch()
        if job["partition"] is not None:
            self._begin_partitions()

    def _begin_watch(self) -> None:
        own, patterns = self._own, self._job["patterns"]
        o = options("spk_live_watch_options", window=self._job["window"])
        if patterns is not None:
            o.bin, o.bins = patterns.windows._bin[0], patterns.windows.window
        out = ffi.new("spk_live_watch **")
        own.call(lib.spk_live_watch_create, self._stream, o, out)
        self._watch = out[0]
        if self._job["episodes"] is not None:
            self._add_episodes(self._job["episodes"])
        if patterns is not None:
            of_patterns = patterns.recording._pointer, patterns._native()
            own.call(lib.spk_live_watch_add_patterns, self._watch, *of_patterns)
        self._listen()
        if self._state is not None and os.path.exists(self._state):
            path = os.fsencode(self._state)
            own.call(lib.spk_live_state_load, self._stream, self._watch, path)
            self._learn_names()

    def _add_episodes(self, episodes: Watched) -> None:
        if isinstance(episodes, Episodes):
            of_episodes = episodes.recording._pointer, episodes._native()
            self._own.call(lib.spk_live_watch_add_episodes, self._watch, *of_episodes)
        elif isinstance(episodes, (str, os.PathLike)) and os.path.exists(episodes):
            self._read_episodes(os.fspath(episodes))
        else:
            texts = [str(episodes)] if isinstance(episodes, (str, os.PathLike)) else episodes
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "episodes.txt")
                path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
                self._read_episodes(str(path))

    def _read_episodes(self, path: str) -> None:
        """Adds a list whose units the stream need not have seen."""
        own = self._own
        nothing = Recording(np.zeros(0, np.int64), np.zeros(0, np.int64), rate=1)
        wide, out = ffi.new("spk_recording **"), ffi.new("spk_episode_list **")
        one = ffi.new("char[]", os.fsencode(path))
        sources = ffi.new("char *[]", [one])
        own.call(lib.spk_episode_list_read_widened, nothing._pointer, 1, sources, wide, out)
        own.notes.clear()  # that no unit has a spike yet
        listed, labels = own.take(out), nothing._pointer
        if wide[0] != ffi.NULL:
            labels = own.take(wide).pointer
        columns = ffi.new("spk_episode_columns *", lib.spk_episode_list_columns(listed.pointer))
        own.call(lib.spk_live_watch_add_episodes, self._watch, labels, columns)

    def _listen(self) -> None:
        """Copies each occurrence; users hear of it when the library has returned."""
        found, names, rate = self._found, self._names, self._rate

        @ffi.callback("spk_live_occurrence_sink")  # type: ignore[untyped-decorator]
        def take(_user: Any, o: Any) -> int:
            ticks = tuple(ffi.unpack(o.time, o.size))
            found.append(
                Occurrence(
                    kind="pattern" if o.is_pattern else "episode",
                    units=tuple(names[u] for u in ffi.unpack(o.unit, o.size)),
                    ticks=ticks,
                    times=tuple(t * rate.denominator / rate.numerator for t in ticks),
                    arrival=o.arrival_ns / 1e9,
                    **members(o, "item", "name", "count", "segment", "trial"),
                )
            )
            return 0

        self._kept.append(take)
        lib.spk_live_watch_set_sink(self._watch, take, ffi.NULL)

    def _begin_partitions(self) -> None:
        own, job = self._own, self._job
        search = {name: job[name] for name in ("engine", "gpus", "max_size")}
        episodes = episode_options(own, job["delays"], **search)
        same = ("step", "surrogates", "alpha", "seed", "keep_up", "worker", "wait", "backlog")
        o = options(
            "spk_partitions_options",
            episodes=episodes,
            support_text=str(job["support"]),
            length=duration(job["partition"], "partition"),
            exact_test=job["test"] is not None,
            null_window=duration(job["jitter"], "jitter"),
            **{name: job[name] for name in same},
        )
        put_null(o, job["null"], job["history"])
        out = ffi.new("spk_partitions **")
        own.call(lib.spk_partitions_create, self._stream, o, out)
        self._partitions = out[0]

    # ---- pushing -----------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the live stream was closed")

    def _number(self, label: str) -> int:
        """The stream's number of a unit."""
        number = self._numbers.get(label)
        if number is None:
            out = ffi.new("uint32_t *")
            self._own.call(lib.spk_live_stream_unit, self._stream, label.encode(), out)
            number = self._numbers[label] = int(out[0])
            self._learn_names()
        return number

    def _learn_names(self) -> None:
        for number in range(len(self._names), lib.spk_live_stream_n_units(self._stream)):
            text = lib.spk_live_stream_label(self._stream, number)
            self._names.append(ffi.string(text).decode(errors="replace"))

    def _ticks(self, times: Any) -> npt.NDArray[np.int64]:
        values = np.asarray(times)
        if values.ndim != 1:
            raise ValueError(f"times: must be one column, not of shape {values.shape}")
        if values.size == 0:
            return np.zeros(0, np.int64)
        if values.dtype.kind in "iu":
            return np.ascontiguousarray(values, np.int64)
        seconds = values.astype(np.float64)
        if not np.isfinite(seconds).all():
            raise ValueError("times: NaN or infinity is no time")
        ticks = np.rint(seconds * self._rate.numerator / self._rate.denominator)
        if (np.abs(ticks) >= 2.0**63).any():
            raise ValueError("times: beyond what 64 bits of ticks hold")
        return np.ascontiguousarray(ticks, np.int64)

    def _unit_numbers(self, units: Any) -> npt.NDArray[np.uint32]:
        distinct, place = np.unique(np.asarray(units), return_inverse=True)
        names = self._labels
        if names is not None and distinct.dtype.kind in "iu":
            outside = distinct[(distinct < 0) | (distinct >= len(names))]
            if outside.size > 0:
                raise ValueError(f"unit {outside[0]}: there are {len(names)} labels")
            listed = [names[int(u)] for u in distinct]
        else:
            listed = [str(u) for u in distinct]
        numbers = np.array([self._number(label) for label in listed], np.uint32)
        return np.ascontiguousarray(numbers[place.reshape(-1)], np.uint32)

    def push(self, times: Any, units: Any) -> None:
        """Spikes in the order of arrival: arrays of times and units of the same length. Whole
        numbers are ticks; others are seconds, and become the nearest tick. Units are numbers or
        names. The division into calls changes nothing."""
        with self._lock:
            self._check_open()
            ticks = self._ticks(times)
            numbers = self._unit_numbers(units) if ticks.size > 0 else np.zeros(0, np.uint32)
            if np.asarray(units).shape != ticks.shape:
                raise ValueError("times and units: must have the same length")
            self._send(
                lib.spk_live_stream_push,
                ticks.size,
                pointer_to(ticks, "int64_t *"),
                pointer_to(numbers, "uint32_t *"),
                ffi.NULL,
            )
        self._deliver()

    def border(
        self, start: Time | None = None, stop: Time | None = None, trial: int | None = None
    ) -> None:
        """A new segment begins, with these bounds where they are known: nothing crosses it, and
        times may go back. `trial` is the number, from 0, of the trial that it is a part of."""
        with self._lock:
            self._check_open()
            first, last = (
                ffi.NULL if value is None else duration(value, name)
                for name, value in (("start", start), ("stop", stop))
            )
            number, n_trials = (0, 0) if trial is None else (trial, trial + 1)
            self._send_border(first, last, number, n_trials)
        self._deliver()

    def _send_border(self, start: Any, stop: Any, trial: int, n_trials: int) -> None:
        """Of no trial where there are none."""
        if n_trials == 0:
            self._send(lib.spk_live_stream_border, start, stop)
        else:
            self._send(lib.spk_live_stream_border_of_trial, start, stop, trial, n_trials)

    def settle(self) -> None:
        """Hands on the spikes that the tolerance holds back, as after a silence."""
        with self._lock:
            self._check_open()
            self._send(lib.spk_live_stream_settle)
        self._deliver()

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Saves the state of what is watched, to `state` or another path. The file appears when it
        is complete. `Live(..., state=path)` with the same episodes and patterns goes on from it,
        and so does the command. Not after the end."""
        with self._lock:
            self._check_open()
            target = self._state if path is None else path
            if target is None:
                raise ValueError(
                    "no file to save to: give a path, or state= when the stream is made"
                )
            if self._ended:
                raise ValueError("the stream has ended: save before the end, or give state=")
            if self._watch == ffi.NULL:
                raise ValueError("nothing is watched whose state could be saved")
            self._own.call(lib.spk_live_state_save, self._stream, self._watch, os.fsencode(target))

    def end(self) -> None:
        """No spike follows: the last partition is mined, and `state` is saved with the spikes that
        were held back. A second call does nothing."""
        with self._lock:
            self._check_open()
            if not self._ended and self._stream != ffi.NULL:
                if self._state is not None:
                    self.save()
                self._send(lib.spk_live_stream_end)
            self._ended = True
            self._take_partitions(-1)
        self._deliver()

    def _send(self, function: Any, *arguments: Any) -> None:
        job = self._job
        run = self._own.run if job["wait"] and job["partition"] is not None else self._own.call
        try:
            run(function, self._stream, *arguments)
        except KeyboardInterrupt:
            lib.spk_context_cancel_clear(self._own.context)
            raise
        self._take_partitions(0)

    # ---- handing on --------------------------------------------------------------------------

    def _take_partitions(self, timeout_ms: int) -> None:
        if self._partitions == ffi.NULL:
            return
        out = ffi.new("const spk_partition_result **")
        while True:
            waiting = lib.spk_partitions_totals(self._partitions).waiting > 0
            mines = waiting and (timeout_ms != 0 or not self._job["worker"])
            call = self._own.run if mines else self._own.call
            try:
                call(lib.spk_partitions_take, self._partitions, timeout_ms, out)
            except (KeyboardInterrupt, CancelledError):
                lib.spk_context_cancel_clear(self._own.context)
                raise
            if out[0] == ffi.NULL:
                return
            self._found.append(self._partition(out[0]))

    def _partition(self, r: Any) -> Partition:
        rate = self._rate
        episodes = vanished = None
        known = ("number", "series", "why", "support", "support_raised", "tested", "seconds")
        if r.episodes != ffi.NULL:
            whole = r.recording, ffi.NULL, ffi.NULL, 0, ffi.NULL
            recording = Recording._of(self._own, self._own.make(lib.spk_recording_slice, *whole))
            n = int(r.episodes.n)
            columns = {"trend": TRENDS[copy_of(r.trend, n)], "before": copy_of(r.before, n)}
            if r.p != ffi.NULL:
                columns["p"] = copy_of(r.p, n)
                columns["expected"] = copy_of(r.expected, n)
            info = members(r, "engine", "support", "seconds")
            episodes = from_columns(recording, r.episodes, copy_of, info)
            episodes.columns.update(columns)
            vanished = from_columns(recording, r.vanished, copy_of, {})
        return Partition(
            start=r.slice.start * rate.denominator / rate.numerator,
            stop=r.slice.stop * rate.denominator / rate.numerator,
            state=STATES[r.state],
            n_spikes=r.n_events,
            episodes=episodes,
            vanished=vanished,
            lag=r.lag_s,
            **members(r, *known, "skipped"),
        )

    def _deliver(self) -> None:
        """To the functions of the user, or to where it waits."""
        while self._found:
            event = self._found.popleft()
            occurs = isinstance(event, Occurrence)
            told: Any = self._on_occurrence if occurs else self._on_partition
            if told is not None:
                told(event)
                continue
            self._waiting.append(event)
            if len(self._waiting) > self._keep:
                self._waiting.popleft()
                self.dropped += 1
        self._wake()

    def _wake(self) -> None:
        for loop, event in list(self._listeners):
            with contextlib.suppress(RuntimeError):  # a loop that was closed
                loop.call_soon_threadsafe(event.set)

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        while not self._waiting:
            if not self._step(0.1):
                if self._waiting:
                    break
                raise StopIteration
        return self._waiting.popleft()

    def _step(self, timeout: float) -> bool:
        """Receives; False where nothing will come by itself."""
        with self._lock:
            if not self._closed:
                self._take_partitions(0)
        self._deliver()
        return False

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        while not self._waiting:
            if self._ended or self._closed:
                raise StopAsyncIteration
            await self._more()
        return self._waiting.popleft()

    async def _more(self) -> None:
        """Waits until somebody pushes something that occurs, or for the end."""
        mine = (asyncio.get_running_loop(), asyncio.Event())
        self._listeners.append(mine)
        try:
            # Partitions of a worker are finished without a push.
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(mine[1].wait(), 0.05 if self._job["worker"] else None)
        finally:
            self._listeners.remove(mine)
        self._step(0)

    # ---- numbers -----------------------------------------------------------------------------

    def _counts(self, function: Any, kind: str) -> npt.NDArray[np.uint64]:
        with self._lock:
            self._check_open()
            if self._watch == ffi.NULL:
                return np.zeros(0, np.uint64)
            n = getattr(lib, f"spk_live_watch_n_{kind}")(self._watch)
            counts = np.zeros(int(n), np.uint64)
            column = pointer_to(counts, "uint64_t *")
            pair = (column, ffi.NULL) if kind == "episodes" else (ffi.NULL, column)
            function(self._watch, *pair)
            return counts

    def counts(self, kind: Literal["episodes", "patterns"] = "episodes") -> npt.NDArray[np.uint64]:
        """The count of each watched item so far."""
        return self._counts(lib.spk_live_watch_counts, kind)

    def recent(self, kind: Literal["episodes", "patterns"] = "episodes") -> npt.NDArray[np.uint64]:
        """The same in the last `window`."""
        return self._counts(lib.spk_live_watch_recent, kind)

    def names(self, kind: Literal["episodes", "patterns"] = "episodes") -> list[str]:
        """The texts of the watched items."""
        n = self.counts(kind).size
        texts = [lib.spk_live_watch_name(self._watch, kind == "patterns", k) for k in range(n)]
        return [ffi.string(text).decode(errors="replace") for text in texts]

    @property
    def counters(self) -> dict[str, int]:
        """Spikes received, accepted, late, lost and so on, and segments."""
        with self._lock:
            self._check_open()
            if self._stream == ffi.NULL:
                return {}
            return members(lib.spk_live_stream_counts(self._stream))

    @property
    def partitions(self) -> dict[str, int]:
        """Partitions due, mined, skipped and waiting; {} without any."""
        with self._lock:
            self._check_open()
            if self._partitions == ffi.NULL:
                return {}
            return members(lib.spk_partitions_totals(self._partitions))

    # ---- closing -----------------------------------------------------------------------------

    def close(self) -> None:
        """Frees everything; what waits can still be taken. Ends nothing by itself: `end` does."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            lib.spk_partitions_free(self._partitions)
            lib.spk_live_watch_free(self._watch)
            lib.spk_live_stream_free(self._stream)
            self._stream = self._watch = self._partitions = ffi.NULL
            self._own.close()
        self._wake()

    def __del__(self) -> None:
        if hasattr(self, "_job"):  # the last thing that is set before anything is opened
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None and not self._closed:
                self.end()
        finally:
            self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        await asyncio.to_thread(self.__exit__, kind, *error)
