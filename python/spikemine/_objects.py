"""Results as objects of other packages. Occurrences are the one shape from which these are made."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _show

if TYPE_CHECKING:
    from ._recording import Recording
    from ._results import Array

SUMMED_ROWS = 5  # of a summary

# What pip installs a package with, where that is not its own name.
EXTRAS = {
    "matplotlib": "spikemine[plot]",
    "matplotlib.pyplot": "spikemine[plot]",
    "networkx": "spikemine[graphs]",
    "pandas": "spikemine[tables]",
    "pyarrow": "spikemine[tables]",
}


def needed(package: str, what: str) -> Any:
    """A package that is imported when it is first used."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        remedy = EXTRAS.get(package, package)
        name = package.partition(".")[0]
        raise ImportError(f"{what} needs {name}: pip install '{remedy}'", name=name) from error


class Tabular:
    """What has columns becomes a table of each package, and in a notebook."""

    def __len__(self) -> int:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The table as a dict of columns."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        return needed("pandas", "to_pandas").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """The table as a polars.DataFrame."""
        return needed("polars", "to_polars").DataFrame(_listed(self.to_dict()))

    def to_arrow(self) -> Any:
        """The table as a pyarrow.Table."""
        return needed("pyarrow", "to_arrow").table(_listed(self.to_dict()))

    def _first(self, n: int) -> dict[str, Any]:
        """The first n rows."""
        return {name: column[:n] for name, column in self.to_dict().items()}

    def _repr_html_(self) -> str:
        return _show.as_html(str(self), _show.every(self._first(_show.FIRST_ROWS)), len(self))


class Rows(Tabular):
    """A table of its own, beside that of the results: Sequences.by_sequence()."""

    def __init__(self, table: dict[str, Any], n: int) -> None:
        self._table, self._n = table, n

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        first = _show.every(self._first(_show.FIRST_ROWS))
        return _show.as_text(f"<{self._n} rows>", first, self._n)

    def _repr_html_(self) -> str:
        return _show.as_html("", _show.every(self._first(_show.FIRST_ROWS)), self._n)

    def to_dict(self) -> dict[str, Any]:
        """The table as a dict of columns."""
        return dict(self._table)


def _listed(table: dict[str, Any]) -> dict[str, Any]:
    """Columns of tuples and arrays as lists, which every package knows."""
    return {
        name: [list(value) if isinstance(value, tuple) else value for value in column]
        if getattr(column, "dtype", None) == object
        else column
        for name, column in table.items()
    }


class Found(Tabular):
    """Results that occur in a recording."""

    recording: Recording
    info: dict[str, Any]

    def _spikes(self, k: int) -> tuple[Array, Array]:
        """Times of the spikes of each occurrence of result k, (count, size) in seconds, NaN where
        one is missing, and the segment of each."""
        raise NotImplementedError

    def _names(self) -> list[tuple[str, tuple[str, ...]]]:
        """The text of each result and its units."""
        raise NotImplementedError

    def _told(self) -> tuple[str, ...]:
        """What the test found, in sentences; none without a test."""
        raise NotImplementedError

    def _told_rows(self, n: int) -> tuple[list[str], int]:
        """Up to n of the first results in sentences, and how many results these tell; a pair that is
        significant in both directions has one sentence for both."""
        raise NotImplementedError

    def _as_html(self, head: str, *rest: Any) -> str:
        """For notebooks: the first line in words, where a prompt has that of Python."""
        name = type(self).__name__.lower().removesuffix("s" * (len(self) == 1))
        words = f"{len(self):,} {name} in {self.recording.name or 'a recording'}"
        others = head.splitlines()[1:]
        return _show.as_html("\n".join([words, *others]), *rest)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the command notes: of the search and the surrogates, then what the test found."""
        return (*self.info.get("notes", ()), *self._told())

    def summary(self) -> str:
        """What was found, in sentences: the recording, the test and what must be known of it, and
        the first results that differ."""
        told, n = self._told_rows(SUMMED_ROWS)
        rows = [f"  {text}" for text in told] if len(self) > 0 else ["nothing is listed"]
        left = [f"  ... {len(self) - n} more"] if len(self) > n else []
        return "\n".join([self.recording.summary(), *self.notes, *rows, *left])

    def _rows(self) -> dict[str, Any]:
        """A row for each result; values of a row may be lists."""
        return self.to_dict()

    def _index(self, which: Any) -> int | Array:
        """One row, or the numbers of several."""
        if isinstance(which, (int, np.integer)):
            k = int(which) + (len(self) if which < 0 else 0)
            if not 0 <= k < len(self):
                raise IndexError(f"row {which}: {self._rows_told()}")
            return k
        if isinstance(which, slice):
            return np.arange(len(self))[which]
        if isinstance(which, str):
            raise TypeError(f"rows are chosen by numbers, slices or masks; a column is .{which}")
        array = np.asarray(which)
        if array.dtype == bool:
            if array.shape != (len(self),):
                raise IndexError(f"a mask of shape {array.shape}: {self._rows_told()}")
            return np.flatnonzero(array)
        if array.size == 0:
            return np.zeros(0, np.int64)
        if array.dtype.kind not in "iu":
            raise TypeError(f"rows are chosen by numbers, slices or masks, not {array.dtype}")
        if array.size and not (-len(self) <= int(array.min()) and int(array.max()) < len(self)):
            raise IndexError(f"rows {int(array.min())} .. {int(array.max())}: {self._rows_told()}")
        rows: Array = np.arange(len(self))[array]
        return rows

    def _rows_told(self) -> str:
        n = len(self)
        return (
            f"the result has {n} rows, from 0 to {n - 1}"
            if n > 0
            else "nothing was found, or chosen"
        )

    def all_occurrences(self) -> Occurrences:
        """The occurrences of all these results as one table; ep[:3].all_occurrences() has those of
        some."""
        return Occurrences(self)

    def to_nwb(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        """Writes the results and their occurrences back into an NWB file.

        The table processing/spikemine/`name` (by default "episodes", "patterns" or "sequences") has
        a row for each result, and its description how it was made. The table
        intervals/`name`_occurrences has start, stop and spike times of each occurrence. What the
        file has stays as it is. A copy is written, which takes the file's place at the end.

        Raises FileNotFoundError, ValueError (the file has results of this name), ImportError
        (without pynwb).
        """
        from ._nwb import write_results

        write_results(self, path, name or type(self).__name__.lower())


class Occurrences(Tabular):
    """When results occur, as columns: the shape between results and objects of other packages.

    Attributes
    ----------
    recording : Recording
    texts : list of texts; the text form of each result
    labels : list of tuples; the units of each result, in the order of its spikes
    result : int64 array (n,); the row of the result
    segment : int64 array (n,); of the recording
    start_s, stop_s : float arrays (n,); of the first and of the last spike
    spike_times_s : list of arrays (count, size), one for each result; NaN for a spike that is
        missing

    Rows are in the order of the results, and of time within each.
    """

    def __init__(self, found: Found) -> None:
        names = found._names()
        parts = [found._spikes(k) for k in range(len(names))]
        self.recording = found.recording
        self.texts = [text for text, _ in names]
        self.labels = [labels for _, labels in names]
        self.spike_times_s: list[npt.NDArray[np.float64]] = [times for times, _ in parts]
        none = np.zeros(0)
        counts = [len(times) for times, _ in parts]
        self.result: npt.NDArray[np.int64] = np.repeat(np.arange(len(parts)), counts)
        self.segment = np.concatenate([none, *(own for _, own in parts)]).astype(np.int64)
        times = [own for own in self.spike_times_s if len(own)]
        self.start_s = np.concatenate([none, *(np.nanmin(own, axis=1) for own in times)])
        self.stop_s = np.concatenate([none, *(np.nanmax(own, axis=1) for own in times)])

    def __len__(self) -> int:
        return int(self.result.size)

    def __repr__(self) -> str:
        return f"<Occurrences: {len(self)} of {len(self.texts)} results>"

    def to_dict(self) -> dict[str, Any]:
        """The table as a dict of columns: result, text, start_s, stop_s, segment, and the times of
        the spikes."""
        return self._first(len(self))

    def _first(self, n: int) -> dict[str, Any]:
        times = itertools.chain.from_iterable(self.spike_times_s)
        return {
            "result": self.result[:n],
            "text": [self.texts[k] for k in self.result[:n]],
            "start_s": self.start_s[:n],
            "stop_s": self.stop_s[:n],
            "segment": self.segment[:n],
            "spike_times_s": list(itertools.islice(times, n)),
        }

    def to_xarray(self) -> Any:
        """The times of the spikes as an xarray.DataArray (occurrence, position) in seconds, NaN
        behind the last spike of shorter results. Coordinates: result, text, segment, unit."""
        longest = max(map(len, self.labels), default=0)
        times, units = np.full((len(self), longest), np.nan), np.full((len(self), longest), "", "O")
        for k, own in enumerate(self.spike_times_s):
            at = np.flatnonzero(self.result == k)
            times[at, : own.shape[1]], units[at, : own.shape[1]] = own, self.labels[k]
        each: dict[str, Any] = {
            "result": self.result,
            "text": np.array(self.texts, object)[self.result] if self.texts else [],
            "segment": self.segment,
        }
        coords = {name: ("occurrence", values) for name, values in each.items()}
        return needed("xarray", "to_xarray").DataArray(
            times,
            dims=("occurrence", "position"),
            coords={**coords, "unit": (("occurrence", "position"), units)},
            name="spike_times",
            attrs={"units": "s"},
        )

    # ---- pynapple ----------------------------------------------------------------------------

    def to_tsgroup(self) -> Any:
        """The starts as a pynapple.TsGroup, an element for each result that occurs, with its text
        as metadata, and the segments of the recording as time support."""
        nap = needed("pynapple", "to_tsgroup")
        support = _support(nap, self.recording)
        rows = np.unique(self.result).tolist()
        starts = {k: nap.Ts(np.sort(self.start_s[self.result == k])) for k in rows}
        text = np.array([self.texts[k] for k in rows])
        return nap.TsGroup(starts, time_support=support, metadata={"text": text})

    def to_intervalset(self) -> Any:
        """The occurrences as a pynapple.IntervalSet, with result and text as metadata.

        Raises ValueError where two of them overlap, or one has no length: an IntervalSet has none
        of these. Those of one result of episodes with several units fit always.
        """
        nap = needed("pynapple", "to_intervalset")
        order = np.argsort(self.start_s, kind="stable")
        start, stop = self.start_s[order], self.stop_s[order]
        self._check_apart(start, stop)
        names = {"result": self.result[order], "text": np.array(self.texts)[self.result[order]]}
        return nap.IntervalSet(start, stop, metadata=names)

    def _check_apart(self, start: Array, stop: Array) -> None:
        points, close = np.flatnonzero(stop <= start), np.flatnonzero(start[1:] <= stop[:-1])
        if points.size:
            raise ValueError(
                f"to_intervalset: the occurrence at {_show.seconds(start[points[0]])} has no length; "
                "to_tsgroup takes it"
            )
        if close.size:
            raise ValueError(
                f"to_intervalset: two occurrences overlap at {_show.seconds(start[close[0] + 1])}; take "
                "those of one result, such as ep[[0]].all_occurrences(), or to_tsgroup"
            )

    # ---- Neo ---------------------------------------------------------------------------------

    def to_epochs(self) -> list[Any]:
        """A neo.Epoch for each result, from the first to the last spike of each occurrence; the
        segments are an array annotation."""
        neo = needed("neo", "to_epochs")
        durations = self.stop_s - self.start_s
        return self._neo(lambda own, **rest: neo.Epoch(durations=durations[own], **rest))

    def to_events(self) -> list[Any]:
        """A neo.Event for each result, at the first spike of each occurrence."""
        neo = needed("neo", "to_events")
        return self._neo(lambda _, **rest: neo.Event(**rest))

    def _neo(self, make: Any) -> list[Any]:
        made = []
        for k, text in enumerate(self.texts):
            own = np.flatnonzero(self.result == k)
            made.append(
                make(
                    own,
                    times=self.start_s[own],
                    labels=np.full(own.size, text),
                    units="s",
                    name=text,
                    array_annotations={"segment": self.segment[own]},
                    result=k,
                )
            )
        return made


def _support(nap: Any, recording: Recording) -> Any:
    """The segments, start <= t < stop, as an IntervalSet, to which both ends belong."""
    within = Fraction(1, 10**9)  # the least that it knows
    bounds = [(float(a), float(Fraction(repr(b)) - within)) for a, b in _plain(recording.segments)]
    starts, stops = zip(*bounds)
    return nap.IntervalSet(np.array(starts), np.array(stops))


def _plain(pairs: Array) -> Sequence[tuple[float, float]]:
    listed: Sequence[tuple[float, float]] = pairs.tolist()
    return listed
