"""Whole sequences: all members and all occurrences, although delays vary and spikes are missing."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _show
from ._choose import nulls
from ._executors import file_of, gather, maxima_of, shards_for, travelling
from ._library import (
    KEPT,
    Handle,
    Session,
    copy_of,
    duration,
    duration_text,
    ffi,
    fill,
    lib,
    members,
    new_file,
    options,
    sentences,
    session,
    struct,
)
from ._objects import Found, Rows
from ._pictures import Picture, drawn
from ._pictures import options as picture_options
from ._recording import Recording, as_recording, check_span
from ._results import Array
from ._rules import warn
from ._spelling import in_python

if TYPE_CHECKING:
    from ._operations import SequencesArguments

MISSING = 2**32 - 1
MEMBERS = ("lag_s", "spread_s", "share", "score", "member_p", "member_q", "split_p")
# Columns of the library, by what they have an entry for.
COLUMNS = {
    "sequences": ("p", "statistic"),
    "borders": ("member_first", "occurrence_first", "spike_first"),
    "members": ("unit", "lag_ticks", "spread_ticks", *MEMBERS[2:]),
    "occurrences": ("time", "occurrence_score", "occurrence_p", "missing"),
    "spikes": ("spike",),
}


@dataclasses.dataclass(frozen=True, repr=False)
class WholeSequence:
    """Units that fire one after the other, in all occurrences that were found.

    Attributes
    ----------
    p : of the search that found it, exact for all that was searched
    statistic : sum of the members' scores above what is needed to join
    units : labels of the members, in order of their lags
    lag_s : float array (members,); median behind the first member
    spread_s : float array (members,); standard deviation about the lag
    share : float array (members,); of occurrences in which the unit fires, without chance
    score : float array (members,); nats, by occurrences found without the member
    member_p : float array (members,); family-wise over all units and lags
    member_q : float array (members,); false discovery rate among all units
    split_p : float array (members,); one half of the occurrences tests what the other chose
    times_s : float array (occurrences,); of the first member, whether it fires or not
    occurrence_score : float array (occurrences,); log likelihood ratio, nats
    occurrence_p : float array (occurrences,); chance of such a score anywhere, by members moved
        apart
    spikes : int64 array (occurrences, members); event numbers, -1 for a spike that is missing
    spike_times_s : float array (occurrences, members); NaN for a spike that is missing
    """

    p: float
    statistic: float
    units: tuple[str, ...]
    lag_s: Array
    spread_s: Array
    share: Array
    score: Array
    member_p: Array
    member_q: Array
    split_p: Array
    times_s: Array
    occurrence_score: Array
    occurrence_p: Array
    spikes: Array
    spike_times_s: Array

    @property
    def missing(self) -> Array:
        """Members without a spike, by occurrence."""
        return np.asarray(np.sum(self.spikes < 0, axis=1))

    def __repr__(self) -> str:
        units = f"{len(self.units)} units in {self._span()} ms"
        found = f"{len(self.times_s)} occurrences, p={self.p:.3g}"
        return f"<WholeSequence {_show.cut(self._chain())}: {units}, {found}>"

    def _chain(self) -> str:
        return " -> ".join(self.units)

    def _span(self) -> str:
        """From the first to the last lag, in ms."""
        return f"{1000 * (self.lag_s[-1] - self.lag_s[0]):.3g}"


@dataclasses.dataclass(repr=False)
class Sequences(Found):
    """The sequences of a recording, in the order in which they were found. Indexing with a slice, a
    mask or numbers gives those of them.

    Attributes
    ----------
    recording : Recording
    p : float array (n,); by sequence
    rounds : searches of the recording
    surrogates : of each search
    last_p : p of the best sequence of the last search
    null, seed, alpha : of the test
    info : dict; the call and its settings, for reports
    """

    recording: Recording
    rounds: int
    surrogates: int
    last_p: float
    null: str
    seed: int
    alpha: float
    _found: tuple[WholeSequence, ...]
    _handle: Any
    _report: Any
    info: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        report = self._report
        of_test = {"null": self.null, "seed": self.seed, "alpha": self.alpha}
        for name in ("jitter", "longest_lag"):
            of_test[name] = duration_text(getattr(report, name))
        state = _columns_of(self._handle), members(report.summary), of_test
        return _again, (self.recording, *state, self.info)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> WholeSequence: ...

    @overload
    def __getitem__(self, which: slice | Array | Sequence[int] | Sequence[bool]) -> Sequences: ...

    def __getitem__(self, which: Any) -> Any:
        rows = self._index(which)
        if isinstance(rows, int):
            return self._found[rows]
        chosen = ffi.new("uint32_t[]", rows.tolist())
        with session() as own:
            made = own.make(lib.spk_sequences_select, self._handle.pointer, len(rows), chosen)
        found = tuple(self._found[k] for k in rows)
        return dataclasses.replace(self, _found=found, _handle=made)

    def __iter__(self) -> Iterator[WholeSequence]:
        return iter(self._found)

    @property
    def p(self) -> Array:
        return np.array([one.p for one in self._found], float)

    def __repr__(self) -> str:
        return _show.as_text(*self._shown())

    def _head(self) -> str:
        return "\n".join([f"<Sequences: {len(self)} in {self.recording!r}>", *self._told()])

    def _told(self) -> tuple[str, ...]:
        spelling = lib.SPK_SPELLING_PYTHON
        return sentences(lib.spk_sequences_tell, self._handle.pointer, self._report, spelling)

    def _told_rows(self, n: int) -> tuple[list[str], int]:
        one = lib.spk_sequences_tell_row, self._handle.pointer, self.recording._pointer
        first = min(n, len(self))
        return [text for k in range(first) for text in sentences(*one, k)], first

    def _shown(self) -> tuple[str, dict[str, list[str]], int]:
        columns = {
            "units": [one._chain() for one in self._found],
            "members": [str(len(one.units)) for one in self._found],
            "ms": [one._span() for one in self._found],
            "occurrences": [str(len(one.times_s)) for one in self._found],
            "p": [_show.cell(one.p) for one in self._found],
        }
        first = {name: column[: _show.FIRST_ROWS] for name, column in columns.items()}
        return self._head(), first, len(self)

    def _repr_html_(self) -> str:
        return self._as_html(*self._shown())

    def _spikes(self, k: int) -> tuple[Array, Array]:
        times = self[k].spike_times_s
        starts = self.recording.segments[:, 0]
        return times, np.searchsorted(starts, np.nanmin(times, axis=1), "right") - 1

    def _names(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(" ".join(one.units), one.units) for one in self._found]

    def _rows(self) -> dict[str, Any]:
        rows: dict[str, Any] = {
            "p": np.array([one.p for one in self._found]),
            "occurrences": np.array([len(one.times_s) for one in self._found], np.int64),
        }
        for name in ("units", *MEMBERS):
            rows[name] = [getattr(one, name) for one in self._found]
        return rows

    def by_sequence(self) -> Rows:
        """A table with a row for each sequence: sequence (from 1), units in their order, members,
        span_s from the first to the last lag, occurrences, p, statistic. to_pandas() and so on of
        it make a table of each package; those of the result have a row for each member, and those
        of all_occurrences() one for each occurrence."""
        table = {
            "sequence": np.arange(1, len(self) + 1),
            "units": [one._chain() for one in self._found],
            "members": np.array([len(one.units) for one in self._found], np.int64),
            "span_s": np.array([one.lag_s[-1] - one.lag_s[0] for one in self._found], float),
            "occurrences": np.array([len(one.times_s) for one in self._found], np.int64),
            "p": np.array([one.p for one in self._found], float),
            "statistic": np.array([one.statistic for one in self._found], float),
        }
        return Rows(table, len(self))

    def to_dict(self) -> dict[str, Any]:
        """The members as a dict of columns: sequence (from 1), p, members, occurrences, unit and
        what is known of it."""
        sizes = [len(one.units) for one in self._found]
        table: dict[str, Any] = {
            "sequence": np.repeat(np.arange(1, len(self) + 1), sizes),
            "p": np.repeat([one.p for one in self._found], sizes),
            "members": np.repeat(np.array(sizes, np.int64), sizes),
            "occurrences": np.repeat([len(one.times_s) for one in self._found], sizes),
            "unit": [unit for one in self._found for unit in one.units],
        }
        for name in MEMBERS:
            columns = [getattr(one, name) for one in self._found]
            table[name] = np.concatenate([np.zeros(0), *columns])
        return table

    def write(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the table of the command: JSON with all occurrences where the name ends in
        .json, .json.gz and the like, else tab separated text with a line for each member. A file
        that exists already is replaced with force=True alone. Raises FileError."""
        name = os.fspath(path)
        is_json = re.search(r"\.json(\.(gz|xz|zst|bz2))?$", name) is not None
        kind = lib.SPK_FORM_JSON if is_json else lib.SPK_FORM_TSV
        with session() as own:
            own.run(
                lib.spk_sequences_write,
                new_file(name, force),
                kind,
                self.recording._pointer,
                self._handle.pointer,
                self._report,
                ffi.NULL,
            )

    def write_occurrences(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the occurrences with the times of their spikes, a line for each. A file that
        exists already is replaced with force=True alone. Raises FileError."""
        with session() as own:
            own.run(
                lib.spk_sequences_write_occurrences,
                new_file(path, force),
                self.recording._pointer,
                self._handle.pointer,
                ffi.NULL,
            )

    def figure(
        self,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
        top: int = 6,
        force: bool = False,
    ) -> Picture | None:
        """Draws the sequences as the command does: units as bands in order of their lags, all
        occurrences aligned. A file ends in .png, .svg or .pdf; without one the picture is
        returned, which a notebook shows. The title is the name of the recording; "": none. A file
        that exists already is replaced with force=True alone. Raises ValueError, FileError, UnavailableError."""
        o = picture_options(self, self._told()[0], title, top, counted=False)
        with session() as own:
            one = lib.spk_figure_sequences, self.recording._pointer, self._handle.pointer, o
            return drawn(path, force, o, lambda file: own.run(*one, file))


def run_sequences(a: SequencesArguments) -> Sequences:
    """Finds whole sequences of units, although delays vary and spikes are missing.

        found = sm.sequences("session.nwb", longest_lag="200ms", jitter="50ms")
        found[0].units # in the order in which they fire

    Surrogates undergo the same search, so that p of a sequence is exact for all that was searched.
    A sequence with p up to alpha is accepted, its spikes are removed, and the next one is looked
    for in what is left.

    Returns Sequences. Raises TypeError, ValueError, OutOfMemoryError. Source:
    docs/explanation/sequences.md.
    """
    recording = as_recording(a.recording)
    a = _with_lengths(recording, a)
    with session(a.threads, a.max_memory, a.progress) as own:
        job = _Job.make(a)
        none = ffi.new("spk_duration *")[0]
        check_span(own, recording, "longest_lag", none, job.options.longest_lag, 1)
        if a.checkpoint is not None:
            fill(job.options, checkpoint=os.fsencode(a.checkpoint))
        if a.executor is None:
            job.check_time(own, recording)
            made, summary = job.find(own, recording)
        else:
            made, summary = _on_executor(own, recording, job, a)
        of_test = {"null": a.null, "jitter": a.jitter, "seed": a.seed, "alpha": a.alpha}
        report = options(
            "spk_sequence_report", longest_lag=a.longest_lag, summary=summary, **of_test
        )
        notes = tuple(own.notes)
    found = sequences_of(recording, made, report)
    found.info["notes"] = notes
    return found


def _with_lengths(recording: Recording, a: SequencesArguments) -> SequencesArguments:
    """Lengths that were not given are those of the recording's clock."""
    usual = ffi.new("spk_duration[2]")
    lib.spk_sequences_usual_lengths(recording._pointer, usual, usual + 1)
    jitter, longest_lag = (duration_text(length) for length in usual)
    return dataclasses.replace(
        a,
        jitter=jitter if a.jitter is None else a.jitter,
        longest_lag=longest_lag if a.longest_lag is None else a.longest_lag,
    )


def sequences_of(recording: Recording, made: Handle, report: Any) -> Sequences:
    """Sequences of the library with their report, which lives as long as `made` at least."""
    summary = report.summary
    return Sequences(
        recording,
        int(summary.n_rounds),
        int(summary.n_surrogates),
        float(summary.last_p),
        ffi.string(report.null).decode(),
        int(report.seed),
        float(report.alpha),
        _take(recording, made),
        made,
        report,
    )


def _columns_of(made: Handle) -> dict[str, Array]:
    """Copies of all columns of the library."""
    c = lib.spk_sequences_columns(made.pointer)
    n = int(c.n)
    entries = {
        "sequences": n,
        "borders": n + 1,
        "members": c.member_first[n],
        "occurrences": c.occurrence_first[n],
        "spikes": c.spike_first[n],
    }
    return {
        name: copy_of(getattr(c, name), entries[what])
        for what, names in COLUMNS.items()
        for name in names
    }


def _again(
    recording: Recording,
    columns: dict[str, Array],
    summary: dict[str, Any],
    of_test: dict[str, Any],
    info: dict[str, Any],
) -> Sequences:
    """What was pickled, as it was."""
    with session(max_memory=0) as own:
        source = struct("spk_sequence_columns", n=columns["p"].size, **columns)
        made = own.make(lib.spk_sequences_copy, source)
    told = struct("spk_sequence_summary", **summary)
    report = options("spk_sequence_report", summary=told, **of_test)
    found = sequences_of(recording, made, report)
    found.info.update(info)
    return found


@dataclasses.dataclass
class _Job:
    """What is searched for, in the form of the library."""

    options: Any

    @classmethod
    def make(cls, a: SequencesArguments) -> _Job:
        draws = options("spk_surrogate_options", method=nulls()[a.null].method, seed=a.seed)
        fill(draws, dither=duration(a.jitter, "jitter"), history=a.history)
        o = options("spk_sequence_options", longest_lag=a.longest_lag, surrogates=draws)
        fill(o, n_surrogates=a.surrogates, alpha=a.alpha)
        return cls(fill(o, member_q=a.member_q, max_sequences=a.max_sequences))

    def take_rounds(self, rounds: list[Handle]) -> None:
        """The surrogates of the first rounds, which are not made again."""
        column = ffi.new("spk_maxima *[]", [maxima.pointer for maxima in rounds])
        KEPT[column] = [*rounds]
        fill(self.options, maxima=column, n_maxima=len(rounds))

    def check_time(self, own: Session, recording: Recording) -> None:
        """A warning of a search that will take long."""
        text = ffi.new("char[]", 400)
        own.run(lib.spk_sequences_check_time, recording._pointer, self.options, text, len(text))
        if told := in_python(ffi.string(text).decode()):
            warn(told)

    def find(self, own: Session, recording: Recording) -> tuple[Handle, Any]:
        out, summary = ffi.new("spk_sequences **"), ffi.new("spk_sequence_summary *")
        own.run(lib.spk_sequences_find, recording._pointer, self.options, out, summary)
        return own.take(out), summary


def _make_shard(
    shard: int, n_shards: int, recording: Recording, a: SequencesArguments, rounds: list[bytes]
) -> bytes:
    """A shard of the round behind those that were made; runs where an executor wants."""
    with session(a.threads, a.max_memory) as own:
        job = _Job.make(a)
        job.take_rounds([maxima_of(own, data) for data in rounds])
        job.options.shard, job.options.n_shards = shard, n_shards
        made = own.run_to_make(lib.spk_sequences_run, recording._pointer, job.options)
        return file_of(own, made.pointer)


def _on_executor(
    own: Session, recording: Recording, job: _Job, a: SequencesArguments
) -> tuple[Handle, Any]:
    """Round after round: each needs what the one before accepted."""
    n_shards = shards_for(a.executor, a.shards, int(job.options.n_surrogates))
    rounds: list[Handle] = []
    while True:
        done = [file_of(own, maxima.pointer) for maxima in rounds]
        rounds.append(
            gather(own, a.executor, n_shards, _make_shard, recording, travelling(a), done)
        )
        job.take_rounds(rounds)
        job.options.max_sequences = len(rounds)
        made, summary = job.find(own, recording)
        n = int(lib.spk_sequences_columns(made.pointer).n)
        if n < len(rounds) or n == int(a.max_sequences):
            return made, summary


def _take(recording: Recording, made: Handle) -> tuple[WholeSequence, ...]:
    c = lib.spk_sequences_columns(made.pointer)
    rate = lib.spk_recording_rate(recording._pointer)
    seconds = rate.denominator / rate.numerator
    events = recording.times
    found = []
    for i in range(int(c.n)):
        first, n = c.member_first[i], c.member_first[i + 1] - c.member_first[i]
        at, n_times = c.occurrence_first[i], c.occurrence_first[i + 1] - c.occurrence_first[i]
        spikes = copy_of(c.spike + c.spike_first[i], n * n_times).astype(np.int64)
        spikes[spikes == MISSING] = -1
        times = np.full(spikes.size, np.nan)
        times[spikes >= 0] = events[spikes[spikes >= 0]]
        units = copy_of(c.unit + first, n)
        member = {
            name: copy_of(getattr(c, name) + first, n)
            for name in ("share", "score", "member_p", "member_q", "split_p")
        }
        found.append(
            WholeSequence(
                p=float(c.p[i]),
                statistic=float(c.statistic[i]),
                units=tuple(recording.labels[u] for u in units),
                lag_s=copy_of(c.lag_ticks + first, n) * seconds,
                spread_s=copy_of(c.spread_ticks + first, n) * seconds,
                times_s=copy_of(c.time + at, n_times) * seconds,
                occurrence_score=copy_of(c.occurrence_score + at, n_times),
                occurrence_p=copy_of(c.occurrence_p + at, n_times),
                spikes=spikes.reshape(n_times, n),
                spike_times_s=times.reshape(n_times, n),
                **member,
            )
        )
    return tuple(found)
