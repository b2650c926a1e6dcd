"""Recordings: from files, from arrays, and from the objects of other packages."""

from __future__ import annotations

import difflib
import operator
import os
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _inputs, _show
from ._library import (
    Handle,
    Progress,
    Session,
    Time,
    duration,
    duration_exact,
    duration_text,
    ffi,
    fill,
    lib,
    members,
    new_file,
    options,
    pointer_to,
    rate_of,
    samples_of,
    sentences,
    session,
)
from ._objects import Found
from ._rules import NAMES, SEVERAL, checked, warn

TIME_UNITS = {"s": 0, "ms": 1, "us": 2, "samples": 3}

# A part of a recording: (start, stop), each a time.
Ranges = Sequence[tuple[Time, Time]] | npt.NDArray[Any]


class Recording:
    """Spike times of many units.

    Recording(times, units, ...) takes

    - two arrays of the same length: times in seconds (or in `time_unit`; whole numbers with `rate`
      are samples) and the unit of each, a number or a name;
    - a dict {unit: array of times};
    - a list of arrays, one a unit, which get the numbers 0, 1, ...;
    - a table (pandas, polars, pyarrow) with columns time and unit;
    - Neo's SpikeTrain lists, SpikeTrainList, Segment and Block; pynapple's TsGroup; a sorting of
      SpikeInterface; the units table of pynwb, or its NWBFile; Elephant's BinnedSpikeTrain.

    Units are numbered in the natural order of their names ("2" before "10"). Times are exact: they
    become ticks of the clock that they were made of (`rate`; where it is not given, the coarsest
    grid of decimals or of usual sampling rates on which all of them lie, else 1 ns). Decimals that
    are rounded multiples of a step, as 0.0333, 0.0667, 0.1 of 1/30 s, become these multiples.

    Parameters
    ----------
    times, units : see above
    labels : names of units 0, 1, ..., where `units` are such numbers; units may have no spike
    start, stop : time, optional
        The stretch that was observed, start <= t < stop; spikes outside are dropped. By default it
        is that of the spikes, or what the object says.
    segments : sequence of (start, stop), optional
        Trials or epochs: nothing crosses their borders. Spikes outside are dropped.
    rate : samples a second, optional
    time_unit : "s", "ms", "us", "samples" (of `rate`) or "samples@30000"
    sort : times go backwards somewhere, and are put in order; else that is an error
    threads, max_memory : as everywhere; see `episodes`

    Raises TypeError, ValueError (wrong shapes, NaN, unknown units, times that go backwards, negative
    times without `start` or segments), OutOfMemoryError.
    """

    _handle: Handle
    name: str  # of the file, "" for others
    notes: tuple[str, ...]

    @checked()
    def __init__(
        self,
        times: Any,
        units: Any = None,
        *,
        labels: Sequence[str] | None = None,
        start: Time | None = None,
        stop: Time | None = None,
        segments: Ranges | None = None,
        rate: Any = None,
        time_unit: str = "s",
        sort: bool = False,
        max_memory: int | None = None,
    ) -> None:
        time_unit, rate = samples_of(time_unit, rate)
        columns = _inputs.columns_of(times, units, labels, rate, time_unit, sort)
        if start is not None:
            columns.start = start
        if stop is not None:
            columns.stop = stop
        if segments is not None:
            columns.segments = list(map(tuple, segments))
            if not columns.segments:
                raise ValueError("segments: there is none; leave them out for one segment")
        with session(max_memory=max_memory) as own:
            self._take(own, _create(own, columns))
        self._check_times(columns, sort)
        self._doubt_times()
        self._tell_lost(start is not None or stop is not None or segments is not None)

    # ---- making ------------------------------------------------------------------------------

    def _check_times(self, columns: _inputs.Columns, sort: bool) -> None:
        """What is mostly a mistake: times that go back, or lie before 0 without a start."""
        if columns.ascending and not sort and not self.facts["sorted"]:
            _inputs.check_order(columns.times, "times")
        if columns.start is None and columns.segments is None and self.start < 0:
            raise ValueError(
                f"times: the first one is {self.times[0]} s; where times are counted from an "
                "event, give start, the time at which the recording begins"
            )

    def _tell_lost(self, asked: bool) -> None:
        """A warning of spikes that are left out, where nobody asked for that."""
        outside, duplicates = self.facts["outside"], self.facts["duplicates"]
        if outside > 0 and not asked:
            warn(
                f"{outside} spikes are left out: they lie outside the time that was observed, or "
                "belong to units that are not called good",
            )
        if duplicates > 0:
            warn(
                f"{duplicates} spikes are at the time of another one of their unit: the two count "
                "once",
            )

    def _doubt_times(self) -> None:
        """A warning of rates, or a length, that a wrong unit of time makes."""
        with session(max_memory=0) as own:
            text = own.text(lib.spk_recording_check_times, self._pointer)
        if text:
            warn(text.replace("(time_unit)", "(time_unit='ms', or rate=30000 for samples)"))

    def _take(self, own: Session, handle: Handle, name: str = "") -> None:
        self._handle = handle
        self._labels: list[str] | None = None  # made when they are asked for
        self.name = name
        self.notes = tuple(own.notes)

    @classmethod
    def _of(cls, own: Session, handle: Handle, name: str = "") -> Recording:
        self = cls.__new__(cls)
        self._take(own, handle, name)
        return self

    @classmethod
    def _borrow(cls, pointer: Any, *owners: Any, name: str = "") -> Recording:
        """A look at a recording of the library, as long as that lives: as its owners do."""
        self = cls.__new__(cls)
        self._handle = Handle.borrow(pointer, *owners)
        self._labels, self.name, self.notes = None, name, ()
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        n = ffi.new("size_t *")
        lib.spk_recording_segments(self._pointer, n)
        bounds: list[tuple[str, str]] = []
        given = ffi.new("spk_time_range *")
        for k in range(n[0]):
            if not lib.spk_recording_segment_times(self._pointer, k, given):
                bounds = []
                break
            bounds.append((duration_text(given.start), duration_text(given.stop)))
        ticks = self._segment_ticks()
        trials = (self.trials, self.n_trials)
        state = (self.ticks, self.units, self.labels, self.rate, ticks, bounds, trials, self.name)
        return _unpickle, state

    # ---- what it is --------------------------------------------------------------------------

    @property
    def _pointer(self) -> Any:
        return self._handle.pointer

    @property
    def _events(self) -> Any:
        return lib.spk_recording_events(self._pointer)

    @property
    def n_spikes(self) -> int:
        """Number of spikes."""
        return int(self._events.n_events)

    def __len__(self) -> int:
        return self.n_spikes

    @property
    def n_units(self) -> int:
        """Number of units, also of those that never fire."""
        return int(self._events.n_units)

    @property
    def labels(self) -> list[str]:
        """Names of units 0, 1, ..."""
        if self._labels is None:
            self._labels = [
                ffi.string(lib.spk_recording_label(self._pointer, u)).decode()
                for u in range(self.n_units)
            ]
        return list(self._labels)

    @property
    def rate(self) -> Fraction:
        """Ticks a second."""
        rate = lib.spk_recording_rate(self._pointer)
        return Fraction(rate.numerator, rate.denominator)

    @property
    def ticks(self) -> npt.NDArray[np.int64]:
        """Time of each spike in ticks, ascending; read-only, no copy. Shape (n_spikes,)."""
        events = self._events
        return self._handle.array(events.time, events.n_events)

    @property
    def units(self) -> npt.NDArray[np.uint32]:
        """Number of each spike's unit; read-only, no copy. Shape (n_spikes,)."""
        events = self._events
        return self._handle.array(events.unit, events.n_events)

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """Time of each spike in seconds, made from the ticks. Shape (n_spikes,)."""
        return self._seconds(self.ticks)

    def _seconds(self, ticks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        rate = self.rate
        seconds = ticks.astype(np.float64) * float(rate.denominator)
        seconds /= float(rate.numerator)
        return seconds

    @property
    def start(self) -> float:
        """First second that was observed."""
        return float(lib.spk_recording_start(self._pointer) / self.rate)

    @property
    def stop(self) -> float:
        """Second behind what was observed."""
        return float(lib.spk_recording_stop(self._pointer) / self.rate)

    def _segment_ticks(self) -> npt.NDArray[np.int64]:
        n = ffi.new("size_t *")
        segments = lib.spk_recording_segments(self._pointer, n)
        return self._handle.array(ffi.cast("int64_t *", segments), n[0], 2)

    @property
    def segments(self) -> npt.NDArray[np.float64]:
        """Start and stop of each segment in seconds. Shape (n_segments, 2)."""
        return self._seconds(self._segment_ticks())

    @property
    def n_trials(self) -> int:
        """Trials that the recording was cut into; nothing may be left of some."""
        return int(lib.spk_recording_trials(self._pointer))

    @property
    def trials(self) -> npt.NDArray[np.int64]:
        """The trial that each segment is a part of: its place, from 0, in what was given to `cut`
        or as segments. Shape (n_segments,)."""
        trials = [
            lib.spk_recording_trial(self._pointer, k) for k in range(len(self._segment_ticks()))
        ]
        return np.array(trials, np.int64)

    def _segment_start(self, k: int) -> Fraction:
        """Exact start of a segment in seconds, which need not be a tick."""
        given = ffi.new("spk_time_range *")
        if lib.spk_recording_segment_times(self._pointer, k, given):
            return duration_exact(given.start)
        return int(self._segment_ticks()[k, 0]) / self.rate

    def spikes(self, unit: int | str) -> npt.NDArray[np.float64]:
        """Spike times of one unit, by number or name, in seconds."""
        return self._seconds(self._unit_ticks(self.unit(unit)))

    def _unit_ticks(self, u: int) -> npt.NDArray[np.int64]:
        events = self._events
        first, last = events.unit_first[u], events.unit_first[u + 1]
        ticks: npt.NDArray[np.int64] = self.ticks[
            self._handle.array(events.by_unit + first, last - first)
        ]
        return ticks

    def unit(self, name: int | str) -> int:
        """Number of a unit by its name; numbers are checked and returned."""
        if isinstance(name, str):
            out = ffi.new("uint32_t *")
            if not lib.spk_recording_find_unit(self._pointer, name.encode(), out):
                near = difflib.get_close_matches(name, self.labels, 1)
                hint = f"did you mean {near[0]!r}?" if near else "`labels` has the names of all"
                raise KeyError(f"no unit {name!r}; {hint}")
            return int(out[0])
        number = operator.index(name)
        if not 0 <= number < self.n_units:
            raise IndexError(f"unit {number}: the recording has {self.n_units} units, from 0")
        return number

    @property
    def facts(self) -> dict[str, Any]:
        """What the reader found: duplicates, spikes dropped, the clock, the digest of the file."""
        found = lib.spk_recording_get_facts(self._pointer)
        return members(found, "duplicates", "outside", "sorted", "clock", "sha256")

    def _reach(self) -> str:
        return f"{_show.seconds(self.start)} to {_show.seconds(self.stop)}"

    def __repr__(self) -> str:
        return f"<Recording{' ' if self.name else ''}{self._words()}>"

    def _words(self) -> str:
        segments = len(self._segment_ticks())
        spikes, units = self.n_spikes, self.n_units
        parts = [f"{spikes:,} spike{'s' * (spikes != 1)}", f"{units} unit{'s' * (units != 1)}"]
        if segments > 1:
            parts.append(f"{segments} segments")
        parts.append(self._reach())
        return f"{self.name or ''}: {', '.join(parts)}"

    def _repr_html_(self) -> str:
        counts = np.bincount(self.units, minlength=self.n_units)
        n = min(_show.FIRST_ROWS, self.n_units)
        first = {"unit": self.labels[:n], "spikes": [str(count) for count in counts[:n]]}
        return _show.as_html(f"Recording {self._words()}", first, self.n_units)

    def summary(self) -> str:
        """What is in it and what looks wrong, in the sentences of `spikemine info`."""
        with session(max_memory=0) as own:
            described = ffi.new("spk_recording_description *")
            own.call(lib.spk_recording_describe, self._pointer, described)
        tell = lib.spk_recording_tell, lib.spk_recording_tell_warnings
        told = [text for one in tell for text in sentences(one, self._pointer, described)]
        return "\n".join(_show.begun(text) for text in told if "see the warning" not in text)

    # ---- other recordings --------------------------------------------------------------------

    @checked()
    def cut(self, segments: Ranges) -> Recording:
        """The same, observed in these stretches only: trials, epochs.

        Each is a trial, by its place in this list, and its segment, or segments where the recording
        has some already, come in order of time: `trials` tells which belong to which.
        """
        return self._within(lib.spk_recording_cut, segments)

    def restrict(self, segments: Ranges) -> Recording:
        """The same, observed in these stretches only, with the trials that it has: what is left of
        one stays a part of it. A recording without trials has these stretches as trials."""
        return self._within(lib.spk_recording_restrict, segments)

    def _within(self, function: Any, segments: Ranges) -> Recording:
        listed = [tuple(pair) for pair in segments]
        with session() as own:
            made = own.make(function, self._pointer, len(listed), _ranges(listed))
            return Recording._of(own, made, self.name)

    def slice(self, start: Time | None = None, stop: Time | None = None) -> Recording:
        """The same with the spikes of start <= t < stop; None: from its start, to its end."""
        with session() as own:
            rate = lib.spk_recording_rate(self._pointer)
            bounds = [ffi.NULL, ffi.NULL]
            for k, (name, value) in enumerate((("start", start), ("stop", stop))):
                if value is not None:
                    tick = lib.spk_duration_first_tick(duration(value, name)[0], rate)
                    bounds[k] = ffi.new("int64_t *", tick)
            made = own.make(lib.spk_recording_slice, self._pointer, *bounds, 0, ffi.NULL)
            part = Recording._of(own, made, self.name)
        if len(self) > 0 and len(part) == 0:
            warn(f"no spike lies in this slice; the recording goes from {self._reach()}")
        return part

    @checked(units=SEVERAL)
    def select(self, units: Sequence[int | str]) -> Recording:
        """The same with these units only."""
        listed = [units] if isinstance(units, str) else units
        numbers = np.array([self.unit(u) for u in listed], np.uint32)
        if numbers.size == 0:
            raise ValueError("select: no unit is named")
        with session() as own:
            chosen = numbers.size, pointer_to(numbers, "uint32_t *")
            made = own.make(lib.spk_recording_slice, self._pointer, ffi.NULL, ffi.NULL, *chosen)
            return Recording._of(own, made, self.name)

    def join(self, other: Recording) -> Recording:
        """Both in one: the segments of this one, then those of the other one, later by a whole
        number of seconds. Units of the same name are one unit."""
        if not isinstance(other, Recording):
            raise TypeError(f"join: needs another Recording, not {type(other).__name__}")
        with session() as own:
            made = own.make(lib.spk_recording_join, self._pointer, other._pointer)
            return Recording._of(own, made)

    @checked()
    def write(
        self, path: str | os.PathLike[str], format: str | None = None, force: bool = False
    ) -> None:
        """Writes a file, in the format of its ending or the one named. One that exists already is
        replaced with force=True alone."""
        with session() as own:
            named = ffi.NULL if format is None else ffi.new("char[]", format.encode())
            own.run(lib.spk_recording_write, self._pointer, new_file(path, force), named)


@checked(units=NAMES)
def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    time_unit: str | None = None,
    sample_rate: Any = None,
    start: Time | None = None,
    stop: Time | None = None,
    segments: Ranges | None = None,
    units: Sequence[str] | None = None,
    min_rate: float = 0.0,
    sort: bool = True,
    select: str | None = None,
    group: str | None = None,
    time_column: str | None = None,
    unit_column: str | None = None,
    label_column: str | None = None,
    max_memory: int | None = None,
    progress: Progress = None,
) -> Recording:
    """Reads a recording from a file or folder in any format that the command reads.

    Parameters
    ----------
    path : NWB, phy or Kilosort folder, ALF, npy, npz, MATLAB 7.3, text, CSV; compressed or not
    format : its name, where the content does not tell (`spikemine formats` lists them)
    time_unit : "s", "ms", "us", "samples" (of `sample_rate`) or "samples@30000"; by default what the
        file says, else seconds
    sample_rate : samples a second, for times in samples
    start, stop : keep the spikes of start <= t < stop
    segments : trials or epochs, as in Recording.cut
    units : names of the units to keep
    min_rate : leave out units that fire less often, in Hz, between start and stop
    sort : False refuses text whose times go backwards
    select, group : which units of a sorting, such as "quality==good" and "good"
    time_column, unit_column, label_column : columns of tables, or arrays of a file

    Raises FileError, FormatError, RangeError, OrderError, ArgumentError, OutOfMemoryError.
    """
    with session(max_memory=max_memory, progress=progress) as own:
        o = options(
            "spk_read_options",
            sort=sort,
            min_rate_hz=min_rate,
            start=start,
            stop=stop,
            format=format,
            row_filter=select,
            group=group,
            time_column=time_column,
            unit_column=unit_column,
            label_column=label_column,
            units=None if units is None else ",".join(map(_quoted, units)),
        )
        if time_unit is not None:
            time_unit, sample_rate = samples_of(time_unit, sample_rate)
            if time_unit not in TIME_UNITS:
                raise ValueError(f"time_unit={time_unit!r}: must be one of {', '.join(TIME_UNITS)}")
            o.time_unit = TIME_UNITS[time_unit]
        if sample_rate is not None:
            o.sample_rate = rate_of(own, sample_rate)
            o.time_unit = TIME_UNITS["samples"]
        made = own.run_to_make(lib.spk_recording_read, os.fsencode(path), o)
        recording = Recording._of(own, made, os.path.basename(os.fspath(path)))
    chosen = (start, stop, units, select, group, min_rate or None)
    recording._tell_lost(any(value is not None for value in chosen))
    recording._doubt_times()
    return recording if segments is None else recording.cut(segments)


def sample() -> Recording:
    """A small recording to try things with: 74 units of a zebra finch (HVC) in 22.2 s, with two
    known types of sequences. It is demonstration data of PPSeq.jl (MIT licence).

        print(sm.explore(sm.sample()))
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "songbird_spikes.txt")
        with session() as own:
            own.call(lib.spk_sample_write, os.fsencode(path))
        return read(path)


def as_recording(value: Any) -> Recording:
    """A recording as it is, read from a file, or made from anything that Recording takes."""
    if isinstance(value, (str, os.PathLike)):
        return read(value)
    if isinstance(value, Found):
        raise TypeError(
            f"a recording is needed, not {type(value).__name__}: give found.recording, as in "
            "sm.plot.raster(found.recording); found.figure() draws what was found"
        )
    return value if isinstance(value, Recording) else Recording(value)


def check_span(
    own: Session, recording: Recording, name: str, lo: Any, hi: Any, n: int, endless: bool = False
) -> None:
    """A warning of a delay, or a window, so long that its unit of time may be wrong; an error where
    the search would have no end."""
    if text := own.text(lib.spk_recording_check_span, recording._pointer, lo, hi, n):
        if endless:
            raise ValueError(
                f"{name}: {text} Numbers are seconds. If it is, limit the search, as with "
                "max_size=3: there are ever longer episodes"
            )
        warn(f"{name}: {text} Numbers are seconds")


def check_bins(recording: Recording, bin: Any) -> None:
    """A warning of bins that do not fit to the grid of times."""
    buffer = ffi.new("char[]", 400)
    if lib.spk_recording_check_bins(recording._pointer, bin, buffer, len(buffer)):
        warn(ffi.string(buffer).decode())


def check_jitter(recording: Recording, name: str, jitter: Any) -> None:
    """A warning of a jitter so long that its unit of time may be wrong."""
    buffer = ffi.new("char[]", 300)
    if lib.spk_recording_check_jitter(recording._pointer, jitter, buffer, len(buffer)):
        warn(f"{name}: {ffi.string(buffer).decode()} Numbers are seconds")


# ---- inside ----------------------------------------------------------------------------------


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '""') + '"'


def _ranges(listed: Sequence[tuple[Any, ...]]) -> Any:
    column = ffi.new("spk_time_range[]", max(len(listed), 1))
    for k, pair in enumerate(listed):
        if len(pair) != 2:
            raise ValueError(f"segment {k}: must be (start, stop), not {pair!r}")
        column[k].start = duration(pair[0], f"start of segment {k}")[0]
        column[k].stop = duration(pair[1], f"stop of segment {k}")[0]
    return column


def _create(own: Session, columns: _inputs.Columns) -> Handle:
    source = options(
        "spk_recording_source" if columns.ticks else "spk_seconds_source",
        n_events=columns.times.size,
        time=columns.times,
        unit=columns.units,
        n_units=columns.n_units,
        labels=columns.labels,
        rate=None if columns.rate is None else rate_of(own, columns.rate),
    )
    return (_create_from_ticks if columns.ticks else _create_from_seconds)(own, columns, source)


def _create_from_seconds(own: Session, columns: _inputs.Columns, source: Any) -> Handle:
    fill(source, single=columns.single, start=columns.start, stop=columns.stop)
    if columns.segments is not None:
        n = len(columns.segments)
        fill(source, segments=_ranges(columns.segments), n_segments=n)
    return own.run_to_make(lib.spk_recording_create_from_seconds, source)


def _create_from_ticks(own: Session, columns: _inputs.Columns, source: Any) -> Handle:
    """Ticks, and then the exact borders that were given, which need not be ticks."""
    wanted = columns.segments
    if wanted is None and (columns.start is not None or columns.stop is not None):
        low = columns.start
        high = columns.stop if columns.stop is not None else "inf"
        if low is None:
            first = int(columns.times.min()) if columns.times.size else 0
            low = Fraction(first) / _inputs.exact_rate(columns.rate)
        wanted = [(low, high)]
    made = own.run_to_make(lib.spk_recording_create, source)
    if columns.decimal:  # times may be rounded multiples of a step
        on_grid = own.make(lib.spk_recording_on_grid, made.pointer)
        made = on_grid if on_grid.pointer != ffi.NULL else made
    return made if wanted is None else _cut_all(own, made, wanted)


def _cut_all(own: Session, whole: Handle, wanted: Sequence[tuple[Any, ...]]) -> Handle:
    """The stretches of a recording, which the library takes."""
    ranges = _ranges(wanted)
    ffi.gc(whole.pointer, None)
    return own.make(lib.spk_recording_cut_take, whole.pointer, len(wanted), ranges)


def _unpickle(
    ticks: npt.NDArray[np.int64],
    units: npt.NDArray[np.uint32],
    labels: list[str],
    rate: Fraction,
    segments: npt.NDArray[np.int64],
    bounds: list[tuple[str, str]],
    trials: tuple[npt.NDArray[np.int64], int],
    name: str,
) -> Recording:
    with session(max_memory=0) as own:
        source = options(
            "spk_recording_source",
            n_events=ticks.size,
            time=ticks,
            unit=units,
            n_units=len(labels),
            labels=labels,
            n_trials=trials[1],
        )
        source.rate.numerator, source.rate.denominator = rate.numerator, rate.denominator
        is_cut = len(segments) > 1 or trials[1] > 1
        if is_cut:
            fill(source, n_segments=len(segments), trial=trials[0])
        if is_cut and bounds:
            fill(source, segment_times=_ranges(bounds))
        else:
            ends = np.array([segments[:, 0].min(), segments[:, 1].max()])
            fill(source, start=ends[:1], stop=ends[1:])
        if is_cut and not bounds:
            segments = np.ascontiguousarray(segments)
            fill(source, segments=pointer_to(segments, "spk_segment *"))
        made = own.make(lib.spk_recording_create, source)
        if bounds and not is_cut:
            made = _cut_all(own, made, bounds)
        return Recording._of(own, made, name)
