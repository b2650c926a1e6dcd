"""Binning as Elephant does it, windows, and concepts: patterns as pairs (intent, extent)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._library import ffi, lib, options, pointer_to, session
from .._patterns import Patterns, Windows, _mine
from .._recording import Recording
from .._results import check_count
from ._common import is_train, renamed, warn

Array = npt.NDArray[Any]
Concept = tuple[Any, ...]
REPORTS = ("a", "#", "3d#")
LARGE_MATRIX = 1 << 30  # bytes; a larger one is worth a warning

# ---- binning ---------------------------------------------------------------------------------


@dataclasses.dataclass
class Binned:
    """Occupied bins: unit and bin of each spike, a unit once in a bin."""

    units: Array
    bins: Array
    n_units: int
    n_bins: int

    def recording(self) -> Recording:
        """The same as a recording with one tick for each bin, one second long."""
        return recording_of_ticks(self.units, self.bins, self.n_units, self.n_bins)


def recording_of_ticks(units: Array, ticks: Array, n_units: int, n_ticks: int) -> Recording:
    """A recording from 0 to n_ticks s, one tick a second."""
    return Recording(
        np.ascontiguousarray(ticks, np.int64),
        np.ascontiguousarray(units, np.int64),
        labels=[str(unit) for unit in range(n_units)],
        time_unit="samples",
        rate=1,
        start=0,
        stop=max(n_ticks, 1),
    )


def _whole(values: Array) -> tuple[Array, Array]:
    """Bins rounded down, and the same where an error of 1e-8 bins below an edge is mended."""
    down = values.astype(np.int64)
    return down, down + (values - down >= 1 - 1e-8)


def magnitudes(trains: Any) -> tuple[Array, Array, Any, float, float]:
    """Times of all trains in one unit of time, the number of the train of each, that unit, and
    t_start and t_stop in it."""
    trains = list(trains)
    unit = trains[0].units
    name = trains[0].dimensionality.string
    arrays = [
        np.asarray(
            (train if train.dimensionality.string == name else train.rescale(unit)).magnitude,
            np.float64,
        )
        for train in trains
    ]
    owners = np.repeat(np.arange(len(arrays)), [array.size for array in arrays])
    start = float(trains[0].t_start.rescale(unit).item())
    stop = float(trains[0].t_stop.rescale(unit).item())
    return np.concatenate(arrays), owners, unit, start, stop


def _check_trains(trains: Any) -> None:
    first = trains[0]
    for train in trains:
        if not is_train(train):
            raise TypeError("spiketrains must be a list of neo.SpikeTrain, or a BinnedSpikeTrain")
        if train.t_start != first.t_start or train.t_stop != first.t_stop:
            raise ValueError("All spiketrains must have the same t_start and t_stop")


def bin_trains(trains: Any, bin_size: Any, corrected: bool) -> Binned:
    """Bins as Elephant computes them: floating point, rounded down, the part of a bin at the end
    left out. With `corrected`, or a warning, errors of floating point are mended."""
    _check_trains(trains)
    times, owners, unit, start, stop = magnitudes(trains)
    width = float(bin_size.rescale(unit).item())
    inside = (times >= start) & (times <= stop)
    theirs, ours = _whole((times[inside] - start) * (1 / width))
    n_theirs, n_ours = (int(n[0]) for n in _whole(np.array([(stop - start) / width])))
    if n_theirs < 1 and n_ours < 1:
        raise ValueError("the spike trains are shorter than a bin; choose a smaller bin_size")
    if not corrected and (n_theirs != n_ours or np.any(theirs != ours)):
        warn(8, f" ({np.count_nonzero(theirs != ours)} spikes)")
    bins, n_bins = (ours, n_ours) if corrected else (theirs, n_theirs)
    owners = owners[inside][bins < n_bins]
    keys = np.unique(owners * n_bins + bins[bins < n_bins])
    return Binned(keys // n_bins, keys % n_bins, len(trains), n_bins)


def bin_input(spiketrains: Any, bin_size: Any, corrected: bool) -> Binned:
    """Spike trains, or a BinnedSpikeTrain of Elephant, as occupied bins."""
    if hasattr(spiketrains, "to_sparse_bool_array"):
        matrix = spiketrains.to_sparse_bool_array().tocoo()
        return Binned(
            matrix.row.astype(np.int64), matrix.col.astype(np.int64), *map(int, matrix.shape)
        )
    if hasattr(spiketrains, "__len__") and len(spiketrains) and is_train(spiketrains[0]):
        return bin_trains(spiketrains, bin_size, corrected)
    raise TypeError("spiketrains must be a list of neo.SpikeTrain, or a BinnedSpikeTrain")


# ---- the relation of windows and spikes ------------------------------------------------------


@dataclasses.dataclass
class Relation:
    """The entries of the matrix windows x items that are True: row = bin of the window's start,
    item = neuron * winlen + lag."""

    rows: Array
    items: Array
    shape: tuple[int, int]

    @classmethod
    def of(cls, matrix: Any) -> Relation:
        """From itself, a dense matrix, or a sparse one of scipy."""
        if isinstance(matrix, Relation):
            return matrix
        if hasattr(matrix, "tocoo"):
            matrix = matrix.tocoo()
            there = np.asarray(matrix.data) != 0
            rows, items = matrix.row[there], matrix.col[there]
        else:
            rows, items = np.nonzero(np.asarray(matrix))
        n_rows, n_items = map(int, matrix.shape)
        return cls(rows.astype(np.int64), items.astype(np.int64), (n_rows, n_items))

    @classmethod
    def of_windows(cls, windows: Windows, n_bins: int) -> Relation:
        columns = lib.spk_windows_columns(windows.pointer)
        first = windows.handle.array(columns.first, columns.n_windows + 1)
        items = windows.handle.array(columns.item, int(first[-1]))
        starts = windows.handle.array(columns.start_bin, columns.n_windows)
        sizes: Array = np.diff(first.astype(np.int64))
        rows = np.repeat(starts.astype(np.int64), sizes)
        return cls(rows, items, (n_bins, columns.window * columns.n_units))

    def dense(self) -> npt.NDArray[np.bool_]:
        """The matrix, one byte an entry."""
        if self.shape[0] * self.shape[1] > LARGE_MATRIX:
            warn(10, f" ({self.shape[0]} x {self.shape[1]} bytes)")
        matrix = np.zeros(self.shape, bool)
        matrix[self.rows, self.items] = True
        return matrix

    def sparse(self) -> Any:
        """The matrix as a csr_matrix of scipy."""
        from scipy import sparse

        ones = np.ones(len(self.rows), bool)
        return sparse.csr_matrix((ones, (self.rows, self.items)), shape=self.shape, dtype=bool)


# ---- mining ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Limits:
    """Which patterns are looked for."""

    min_spikes: int = 2
    min_occ: int = 2
    max_spikes: int | None = None
    max_occ: int | None = None
    min_neu: int = 1
    corrected: bool = False

    def options(self) -> Any:
        """Options of the library; max_occ only where it is honoured."""
        if self.min_neu < 1:
            raise ValueError("min_neu must be an integer >=1")
        has_most = self.corrected and self.max_occ is not None
        return options(
            "spk_pattern_options",
            min_spikes=check_count("min_spikes", self.min_spikes, 1),
            support=check_count("min_occ", self.min_occ, 1),
            max_spikes=check_count("max_spikes", self.max_spikes or 0),
            min_neurons=self.min_neu,
            max_count=check_count("max_occ", self.max_occ) if has_most else None,
        )


@dataclasses.dataclass
class Mined:
    """Patterns of binned trains, in Elephant's order where it has one: by count, ascending, unless
    a window is one bin."""

    windows: Windows
    patterns: Patterns
    n_bins: int

    def relation(self) -> Relation:
        return Relation.of_windows(self.windows, self.n_bins)

    def spectrum(self, report: str) -> Array:
        """Rows (size, count[, duration], number of patterns), ascending."""
        found = self.patterns.spectrum(duration=report == "3d#")
        return found if len(found) else found.astype(float)  # as Elephant's empty one

    def signatures(self, spectrum: str) -> list[tuple[int, ...]]:
        """(size, count[, duration]) of each pattern."""
        found = self.patterns
        columns = [found.size, found.count] + ([found.duration] if spectrum == "3d#" else [])
        return list(zip(*(column.tolist() for column in columns)))

    def without(self, signatures: Sequence[tuple[int, ...]]) -> Mined:
        """Those with none of these signatures."""
        if not signatures:
            return self
        bad = {tuple(map(int, signature)) for signature in signatures}
        keys = self.signatures("#" if len(next(iter(bad))) == 2 else "3d#")
        keep = np.fromiter((key not in bad for key in keys), bool, len(keys))
        return dataclasses.replace(self, patterns=self.patterns[keep])

    def concepts(self) -> Concepts:
        """(intent, extent) of each pattern: items by lag, and bins of windows, ascending."""
        found, starts = self.patterns, self.windows.columns()[1].astype(np.int64)
        first_window = np.zeros(len(found) + 1, np.int64)
        np.cumsum(found.count, out=first_window[1:])
        at = np.empty(int(first_window[-1]), np.uint32)
        offsets, firsts = found.offsets.tolist(), first_window.tolist()
        with session() as own:
            locator = own.make(lib.spk_pattern_locator_create, self.windows.pointer)
            column = np.ascontiguousarray(found.items, np.uint32)
            pointer, to = pointer_to(column, "uint32_t *"), pointer_to(at, "uint32_t *")
            rows, n = ffi.new("uint32_t **"), ffi.new("uint32_t *")
            for k, (a, b) in enumerate(itertools.pairwise(offsets)):
                own.check(lib.spk_pattern_locate(locator.pointer, b - a, pointer + a, rows, n))
                if n[0] != firsts[k + 1] - firsts[k]:
                    raise RuntimeError(f"pattern {k} has {n[0]} windows, not its count")
                ffi.memmove(to + firsts[k], rows[0], 4 * n[0])
        # Each number is one object, however many tuples hold it.
        numbers = _objects(np.arange(self.windows.window * found.recording.n_units))
        items, bins = numbers[found.items].tolist(), _objects(starts)
        return Concepts(
            [
                (tuple(items[a:b]), tuple(bins[at[c:d]].tolist()))
                for a, b, c, d in zip(offsets, offsets[1:], firsts, firsts[1:])
            ],
            (found.items.astype(np.int64), offsets),
            (starts, at, firsts),
        )


@dataclasses.dataclass
class Concepts:
    """Concepts, and their numbers as columns.

    items : items by lag, and where each concept begins
    windows : bins, the places in these of each concept's windows, and where each concept begins
    """

    concepts: list[Concept]
    items: tuple[Array, list[int]]
    windows: tuple[Array, Array | slice, list[int]]


def _objects(values: Array) -> npt.NDArray[np.object_]:
    """The numbers as objects of type np.int64, which Elephant's tuples hold."""
    objects = np.empty(values.size, object)
    objects[:] = list(values.astype(np.int64))
    return objects


def column(parts: Sequence[Any]) -> tuple[Array, Array]:
    """Several sequences of numbers one behind the other, and where each begins."""
    first = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)), out=first[1:])
    joined = itertools.chain.from_iterable(parts)
    return np.fromiter(joined, np.int64, int(first[-1])), first


def _all_windows_equal(windows: Windows) -> Array | None:
    """The items of all windows where these are the same, None otherwise."""
    columns = lib.spk_windows_columns(windows.pointer)
    n = int(columns.n_windows)
    if n == 0:
        return None
    first = windows.handle.array(columns.first, n + 1)
    items = windows.handle.array(columns.item, int(first[-1]))
    size = int(first[1])
    if items.size != n * size or np.any(np.diff(first.astype(np.int64)) != size):
        return None
    table = items.reshape(n, size)
    return table[0] if bool((table == table[0]).all()) else None


def mine(binned: Binned, winlen: int, limits: Limits, threads: int = 0) -> Mined:
    """Patterns of binned trains."""
    with session(threads) as own:
        windows = Windows(own, binned.recording(), 1, winlen)
        o = limits.options()
        same = None if limits.corrected else _all_windows_equal(windows)
        if same is None:
            found = _mine(own, windows, o, limits.min_occ)
        else:  # Elephant lists these without a look at the limits
            n = int(lib.spk_windows_columns(windows.pointer).n_windows)
            items = np.asarray(same, np.uint32)
            items = items[np.lexsort((items // winlen, items % winlen))]
            counts = {"count": np.array([n], np.uint32)}
            found = Patterns(windows, np.array([0, items.size]), items, counts, {})
    if winlen > 1:
        found = found[np.argsort(found.count, kind="stable")]
    if not limits.corrected and limits.max_occ is not None:
        over = int(np.count_nonzero(found.count > limits.max_occ))
        if over:
            warn(11, f" ({over} patterns with more)")
    return Mined(windows, found, binned.n_bins)


@renamed(binsize="bin_size")
def concepts_mining(
    spiketrains: Any,
    bin_size: Any,
    winlen: int,
    min_spikes: int = 2,
    min_occ: int = 2,
    max_spikes: int | None = None,
    max_occ: int | None = None,
    min_neu: int = 1,
    report: str = "a",
    *,
    corrected: bool = False,
    threads: int = 0,
) -> tuple[Any, Any]:
    """All closed patterns of spike trains; as elephant.spade.concepts_mining.

    Parameters
    ----------
    spiketrains : list of neo.SpikeTrain, or BinnedSpikeTrain
    bin_size : pq.Quantity
    winlen : length of the window in bins
    min_spikes, min_occ, max_spikes, max_occ, min_neu : limits
    report : "a", all patterns; "#" or "3d#", the spectrum
    corrected : without Elephant's errors: exact bins, max_occ honoured, a sparse matrix
    threads : 0, one per processor

    Returns
    -------
    results : "a": list of (intent, extent), tuples of items neuron * winlen + lag (by lag, then
        neuron) and of bins; a spectrum: array of rows (size, count[, duration], patterns)
    matrix : bool array of shape (bins, winlen * neurons); scipy.sparse.csr_matrix if corrected

    Patterns come by count, ascending, as Elephant's do; their order within a count, that of all of
    them for winlen=1, and the order of items in an intent are arbitrary in Elephant.
    Raises TypeError, ValueError. Source: docs/explanation/patterns.md.
    """
    if report not in REPORTS:
        raise ValueError(f"report has to be one of 'a', '#' and '3d#', got {report} instead")
    binned = bin_input(spiketrains, bin_size, corrected)
    limits = Limits(min_spikes, min_occ, max_spikes, max_occ, min_neu, corrected)
    mined = mine(binned, winlen, limits, threads)
    results = mined.concepts().concepts if report == "a" else mined.spectrum(report)
    relation = mined.relation()
    return results, relation.sparse() if corrected else relation.dense()
