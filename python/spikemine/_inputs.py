"""From arrays and the objects of other packages to columns: a time and a unit of each spike.

No package is imported: an object is known by what it has. No loop of Python runs over spikes.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ._rules import warn


@dataclasses.dataclass
class Columns:
    """What a recording is made from."""

    times: npt.NDArray[Any]  # float64 seconds, or int64 ticks
    units: npt.NDArray[np.uint32]
    n_units: int
    labels: list[str] | None  # None: "0", "1", ...
    ticks: bool = False
    decimal: bool = False  # ticks of 1 ms, 1 us or 1 ns, to which times may have been rounded
    rate: Any = None  # of the ticks; of seconds: the samples that they were made of
    single: bool = False  # float32 before
    start: Any = None
    stop: Any = None
    segments: list[tuple[Any, Any]] | None = None
    ascending: bool = False  # the times are one column, which must ascend


PER_SECOND = {"s": 1, "ms": 1000, "us": 1000000, "ns": 1000000000}


def exact_rate(rate: Any) -> Fraction:
    """A rate as a fraction: 30000, 24414.0625, "390625/16"."""
    if getattr(rate, "dimensionality", None) is not None:
        rate = rate.rescale("Hz").item()
    if isinstance(rate, float):
        return Fraction(repr(rate))
    return Fraction(rate)


LIKELY_SAMPLES = 10000  # whole seconds of a recording are fewer, mostly


def columns_of(
    times: Any, units: Any, labels: Any, rate: Any, time_unit: str, sort: bool = False
) -> Columns:
    """The columns of anything that a Recording is made from."""
    if units is not None:
        return _pair(times, units, labels, rate, time_unit)
    of_object = (convert for names, convert in _KINDS if _has(times, *names))
    convert = _trains if _is_trains(times) else next(of_object, None)
    if convert is not None:
        if time_unit not in ("s", "samples"):
            name = type(times).__name__
            raise ValueError(f"time_unit={time_unit!r}: {name} has a unit of time; leave it out")
        found: Columns = convert(times)
        if rate is not None and not found.ticks:
            found.rate = rate
        if labels is not None:
            _rename(found, labels)
        return found
    if _is_table(times):
        times, units, told = _table(times)
        return _pair(times, units, labels, rate, told if time_unit == "s" else time_unit)
    if isinstance(times, Mapping):
        return _by_unit(list(times.keys()), list(times.values()), labels, rate, time_unit, sort)
    if isinstance(times, (list, tuple)):
        return _by_unit(list(range(len(times))), list(times), labels, rate, time_unit, sort)
    raise TypeError(
        f"a recording cannot be made from {type(times).__name__}; give times and units, a dict of "
        "arrays, a table with columns time and unit, or an object of Neo, pynapple, SpikeInterface "
        "or pynwb"
    )


# ---- arrays ----------------------------------------------------------------------------------


def _pair(times: Any, units: Any, labels: Any, rate: Any, time_unit: str) -> Columns:
    times = _plain(times, "times")
    numbers, n_units, names = _number(_plain(units, "units", numbers=False), labels)
    if times.size != numbers.size:
        raise ValueError(
            f"{times.size} times, but {numbers.size} units; each spike needs one of each"
        )
    columns = _scale(times, numbers, n_units, names, rate, time_unit)
    columns.ascending = True
    return columns


def check_order(times: npt.NDArray[Any], what: str) -> None:
    """Times must ascend."""
    back = times[1:] < times[:-1]
    if times.size > 1 and bool(back.any()):
        k = 1 + int(np.argmax(back))
        raise ValueError(
            f"{what}: time {k} is {times[k]}, before time {k - 1}, which is {times[k - 1]}; "
            "sort=True puts them in order"
        )


def _plain(values: Any, what: str, numbers: bool = True) -> npt.NDArray[Any]:
    """An array of one dimension."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if getattr(values, "dimensionality", None) is not None:
        values = np.asarray(values.rescale("s").magnitude)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{what}: some are masked; give what is left, such as times[~mask]")
    array = np.asarray(values)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ValueError(f"{what}: must have one dimension, not shape {array.shape}")
    if array.dtype == object and array.size and not isinstance(array[0], str):
        raise TypeError(
            f"{what}: an array of objects ({type(array[0]).__name__}); give numbers, or for one "
            "array a unit a list or a dict"
        )
    if numbers and array.dtype.kind not in "iuf":
        if array.size == 0:
            return np.zeros(0)
        raise TypeError(f"{what}: must be numbers, not {array.dtype}")
    return array


def _number(
    units: npt.NDArray[Any], labels: Any
) -> tuple[npt.NDArray[np.uint32], int, list[str] | None]:
    """The number of each spike's unit, the number of units, and their names."""
    if labels is not None:
        names = names_of(labels)
        if units.size and units.dtype.kind not in "iu":
            raise TypeError(f"units: must be numbers of the labels, not {units.dtype}")
        if units.size and not (0 <= int(units.min()) and int(units.max()) < len(names)):
            wrong = int(np.flatnonzero((units < 0) | (units >= len(names)))[0])
            raise ValueError(
                f"spike {wrong} is of unit {units[wrong]}, but there are {len(names)} labels"
            )
        return np.ascontiguousarray(units, np.uint32), len(names), names
    if units.dtype.kind == "f":
        if units.size and not np.all(np.isfinite(units) & (units == np.floor(units))):
            raise ValueError("units: must be whole numbers or names; are times and units swapped?")
        units = units.astype(np.int64)
    if units.dtype.kind in "iu" and units.size:
        low, high = int(units.min()), int(units.max())
        if high - low < 10 * units.size + 100000:  # a table is faster than sorting
            return _renumber(units, low, high)
    if units.dtype.kind == "b":
        raise TypeError("units: must be numbers or names, not booleans")
    try:
        values, index = np.unique(units, return_inverse=True)
    except TypeError:
        wrong = next(k for k, unit in enumerate(units) if not isinstance(unit, type(units[0])))
        raise TypeError(
            f"units: that of spike {wrong} (from 0) is {units[wrong]!r}, and others are names; "
            "leave such spikes out"
        ) from None
    return index.astype(np.uint32).reshape(-1), values.size, names_of(values)


def names_of(labels: Any) -> list[str]:
    """Names of units. HDF5 and numpy have texts as bytes."""
    return [
        label.decode(errors="replace") if isinstance(label, bytes) else str(label)
        for label in labels
    ]


def _renumber(
    units: npt.NDArray[Any], low: int, high: int
) -> tuple[npt.NDArray[np.uint32], int, list[str]]:
    """Numbers without gaps, from 0, in the order of units from low to high. No copy where they are
    that, and never more than one; what is looked up is cut into blocks that stay in the cache."""
    there = np.zeros(high - low + 1, bool)
    for block in _blocks(units.size):
        there[_above(units[block], low)] = True
        if there.all():  # mostly at the beginning
            break
    found = np.flatnonzero(there)
    names = [str(int(u) + low) for u in found]
    if found.size == there.size and low == 0 and units.dtype == np.uint32:
        return np.ascontiguousarray(units), found.size, names
    number = np.zeros(there.size, np.uint32)
    number[found] = np.arange(found.size, dtype=np.uint32)
    numbers = np.empty(units.size, np.uint32)
    for block in _blocks(units.size, grows=False):
        above = _above(units[block], low)
        numbers[block] = above if found.size == there.size else number[above]
    return numbers, found.size, names


def _above(units: npt.NDArray[Any], low: int) -> npt.NDArray[Any]:
    """By how much numbers lie above the smallest one; 8 bits have no room for all differences."""
    signed = units.dtype.kind != "u"
    above: npt.NDArray[Any] = (
        units.astype(np.int64) - low if signed else units - units.dtype.type(low)
    )
    return above


def _blocks(n: int, grows: bool = True) -> Iterator[slice]:
    """Blocks of an array: the first are small, where they may grow."""
    first, size = 0, 1 << 16
    while first < n:
        yield slice(first, min(first + size, n))
        first += size
        size = min(2 * size, 1 << 20) if grows else size


def _scale(
    times: npt.NDArray[Any],
    units: npt.NDArray[np.uint32],
    n_units: int,
    labels: list[str] | None,
    rate: Any,
    time_unit: str,
) -> Columns:
    """Puts the unit of time in."""
    if time_unit not in (*PER_SECOND, "samples"):
        raise ValueError(f"time_unit={time_unit!r}: must be s, ms, us, ns or samples")
    if time_unit == "samples" and rate is None:
        raise ValueError("time_unit='samples' needs rate, the samples a second")
    whole = times.dtype.kind in "iu"
    if whole and (time_unit != "s" or rate is not None):
        # Whole numbers with a rate are samples; with another unit of time they are its multiples.
        per_second = rate if time_unit in ("s", "samples") else PER_SECOND[time_unit]
        if times.dtype.kind == "u" and times.size and int(times.max()) >= 2**63:
            raise ValueError("times: beyond 64 bits")
        ticks = np.ascontiguousarray(times, np.int64)
        decimal = time_unit in ("ms", "us", "ns")
        return Columns(ticks, units, n_units, labels, ticks=True, decimal=decimal, rate=per_second)
    if whole and times.size and int(times.max()) >= LIKELY_SAMPLES:
        warn(
            f"times are whole numbers up to {int(times.max())}, and are taken as seconds; for "
            "samples give rate, such as rate=30000, and for others time_unit, such as "
            "time_unit='ms'"
        )
    single = times.dtype == np.float32
    seconds = np.ascontiguousarray(times, np.float64)
    if time_unit == "samples":
        ticks = np.rint(seconds)
        bad = np.flatnonzero(~np.isfinite(seconds))
        if bad.size:
            raise ValueError(f"time {bad[0]} is {seconds[bad[0]]}, which is no time")
        if np.any(ticks != seconds):
            k = int(np.flatnonzero(ticks != seconds)[0])
            raise ValueError(f"time {k} is {seconds[k]}, but samples are whole numbers")
        return Columns(ticks.astype(np.int64), units, n_units, labels, ticks=True, rate=rate)
    if time_unit != "s":
        seconds = seconds / float(PER_SECOND[time_unit])
    return Columns(seconds, units, n_units, labels, rate=rate, single=single)


def _by_unit(
    keys: list[Any], trains: list[Any], labels: Any, rate: Any, time_unit: str, sort: bool = True
) -> Columns:
    """One array of times for each unit."""
    names = names_of(labels if labels is not None else keys)
    if len(names) != len(trains):
        raise ValueError(f"{len(names)} labels for {len(trains)} units")
    if len(set(names)) != len(names):
        raise ValueError("two units have one name")
    arrays = [_plain(train, f"times of unit {name}") for name, train in zip(names, trains)]
    for array, name in zip(arrays, names):
        if not sort:
            check_order(array, f"times of unit {name}")
    sizes = [array.size for array in arrays]
    units = np.repeat(np.arange(len(arrays), dtype=np.uint32), sizes)
    whole = [array.dtype.kind in "iu" for array in arrays if array.size]
    if any(whole) and not all(whole):
        arrays = [array.astype(np.float64) for array in arrays]
    arrays = [array for array in arrays if array.size]
    times = np.concatenate(arrays) if arrays else np.zeros(0)
    return _scale(times, units, len(names), names, rate, time_unit)


def _rename(columns: Columns, labels: Any) -> None:
    names = names_of(labels)
    if len(names) != columns.n_units:
        raise ValueError(f"{len(names)} labels for {columns.n_units} units")
    columns.labels = names


# ---- tables ----------------------------------------------------------------------------------

_TIME_NAMES = {
    name: unit
    for unit in ("s", "ms", "us")
    for stem in ("time", "times", "spike_time", "spike_times", "t")
    for name in ((stem, f"{stem}_s") if unit == "s" else (f"{stem}_{unit}",))
}
_UNIT_NAMES = (
    "unit", "units", "unit_id", "neuron", "neuron_id", "cell", "cell_id", "cluster", "cluster_id",
    "id", "channel",
)  # fmt: skip


def _is_table(value: Any) -> bool:
    names = getattr(value, "column_names", None) or getattr(value, "columns", None)
    return names is not None and hasattr(value, "__getitem__") and not hasattr(value, "colnames")


def _table(value: Any) -> tuple[Any, Any, str]:
    """Columns of times and of units, and the unit of time that a name tells."""
    names = [str(name) for name in (getattr(value, "column_names", None) or list(value.columns))]
    lowered = {name.lower(): name for name in names}
    time = next((lowered[name] for name in _TIME_NAMES if name in lowered), None)
    unit = next((lowered[name] for name in _UNIT_NAMES if name in lowered), None)
    if time is None or unit is None:
        missing = " or ".join(w for w, c in (("time", time), ("unit", unit)) if c is None)
        real = [name for name in names if np.asarray(value[name]).dtype.kind == "f"]
        times = time or next((name for name in real if name != unit), "...")
        units = unit or next((name for name in names if name not in (times, *real)), "...")
        raise ValueError(
            f"a table with the columns {', '.join(names)}: none is called {missing}; "
            f"name both, such as Recording(table[{times!r}], table[{units!r}])"
        )
    return value[time], value[unit], _TIME_NAMES[time.lower()]


def _has(value: Any, *names: str) -> bool:
    return all(hasattr(value, name) for name in names)


# ---- Neo and quantities ----------------------------------------------------------------------

_TRAIN = ("magnitude", "t_start", "t_stop", "units")


def _is_trains(value: Any) -> bool:
    if hasattr(value, "multiplexed"):
        return True
    if not isinstance(value, (list, tuple)):
        return False
    return len(value) > 0 and all(_has(one, *_TRAIN) for one in value)


def _known(quantity: Any) -> tuple[Any, str]:
    """A quantity in a unit of time that we know, and that unit."""
    unit = quantity.dimensionality.string
    return (quantity, unit) if unit in PER_SECOND else (quantity.rescale("s"), "s")


def _trains(value: Any) -> Columns:
    trains = list(value)
    if not trains:
        raise ValueError("a list of no spike trains")
    bounds = [(_time(train.t_start), _time(train.t_stop)) for train in trains]
    if len({tuple(map(_exact_time, pair)) for pair in bounds}) > 1:
        raise ValueError(
            "the spike trains have different t_start or t_stop; cut them to what was observed in "
            "all of them (train.time_slice), or give start and stop with dicts of arrays"
        )
    units = {train.dimensionality.string for train in trains}
    arrays, used = [], []
    for train in trains:
        told, unit = _known(train if len(units) == 1 else train.rescale("s"))
        arrays.append(np.asarray(told.magnitude))
        used.append(unit)
    # Numbered as in the list; names of trains are seldom different.
    columns = _by_unit(list(range(len(trains))), arrays, None, None, used[0])
    columns.start, columns.stop = bounds[0]
    return columns


def _time(quantity: Any) -> Any:
    """A time exactly as it was written: "5 ms"."""
    quantity, unit = _known(quantity)
    return f"{float(quantity.magnitude)!r}{unit}"


def _exact_time(text: str) -> Fraction:
    """The seconds of such a text."""
    unit = text.lstrip("+-0123456789.e")
    return Fraction(text[: len(text) - len(unit)]) / PER_SECOND[unit]


def _block(value: Any) -> Columns:
    """The segments of a block as trials; unit k is train k of each. One without trains is a trial
    of which nothing is left."""
    given = [
        _trains(segment.spiketrains) if len(segment.spiketrains) > 0 else None
        for segment in value.segments
    ]
    parts = [part for part in given if part is not None]
    if not parts:
        raise ValueError("a block without spike trains")
    n_units = {part.n_units for part in parts}
    if len(n_units) > 1:
        raise ValueError(
            f"segments of {', '.join(map(str, sorted(n_units)))} spike trains; each segment needs "
            "one for each unit"
        )
    joined = parts[0]
    joined.times = np.concatenate([part.times for part in parts])
    joined.units = np.concatenate([part.units for part in parts])
    nothing = (parts[0].start, parts[0].start)
    joined.segments = [nothing if part is None else (part.start, part.stop) for part in given]
    joined.start = joined.stop = None
    return joined


# ---- pynapple --------------------------------------------------------------------------------


def _ts_group(value: Any) -> Columns:
    joined = value.to_tsd()  # times, and the unit of each
    columns = _pair(np.asarray(joined.t), np.asarray(joined.d), None, None, "s")
    names = [str(key) for key in value.index]
    number = {name: k for k, name in enumerate(names)}
    found = columns.labels or []
    moved = np.array([number[name] for name in found], np.uint32)
    columns.units = moved[columns.units] if moved.size else columns.units
    columns.labels, columns.n_units = names, len(names)
    support = value.time_support
    columns.segments = list(map(_closed, support.start, support.end, itertools.repeat(joined.t)))
    return columns


def _closed(start: float, end: float, times: npt.NDArray[Any]) -> tuple[Fraction, Fraction]:
    """An interval of pynapple as start <= t < stop. Spikes at both ends belong to it, and the ends
    are rounded to 1 ns, so that such a spike may lie that little beyond."""
    rounding = 0.6e-9
    first = np.searchsorted(times, start - rounding)
    at_start = first < times.size and times[first] <= start + rounding
    beyond = Fraction(1, 10**9)
    from_time = Fraction(repr(float(start))) - (beyond if at_start else 0)
    return from_time, Fraction(repr(float(end))) + beyond


# ---- SpikeInterface --------------------------------------------------------------------------


def _sorting(value: Any) -> Columns:
    """Samples of all segments, one behind the other where they have no times of their own."""
    spikes = value.to_spike_vector()
    rate = exact_rate(value.sampling_frequency)
    n_segments = int(value.get_num_segments())
    samples = np.asarray(spikes["sample_index"], np.int64)
    segment = np.asarray(spikes["segment_index"], np.int64)
    starts: list[int] = []
    ends: list[int] = []
    behind = 0
    for k in range(n_segments):
        own = samples[segment == k]
        start = value.get_start_time(k) if hasattr(value, "get_start_time") else None
        first = round(Fraction(float(start)) * rate) if start else 0
        first = max(first, behind)
        starts.append(first)
        length = value.get_num_samples(k) if getattr(value, "has_recording", bool)() else None
        behind = first + int(length if length else (own.max() + 1 if own.size else 1))
        ends.append(behind)
    ticks = samples + np.array(starts, np.int64)[segment] if samples.size else samples
    labels = names_of(value.unit_ids)
    units = np.ascontiguousarray(spikes["unit_index"], np.uint32)
    segments = [(Fraction(a) / rate, Fraction(b) / rate) for a, b in zip(starts, ends)]
    return Columns(
        np.ascontiguousarray(ticks), units, len(labels), labels, True, rate=rate, segments=segments
    )


# ---- pynwb -----------------------------------------------------------------------------------


def _units_table(value: Any) -> Columns:
    times = np.asarray(value.spike_times.data[:], np.float64)
    ends = np.asarray(value.spike_times_index.data[:], np.int64)
    sizes = np.diff(ends, prepend=0)
    units = np.repeat(np.arange(sizes.size, dtype=np.uint32), sizes)
    labels = names_of(value.id[:])
    columns = Columns(times, units, len(labels), labels)
    resolution = getattr(value, "resolution", None)
    if resolution:
        columns.rate = 1 / Fraction(repr(float(resolution))).limit_denominator(10**12)
    observed = _observed(value)
    if observed is not None:
        columns.segments = observed
    return columns


def _observed(value: Any) -> list[tuple[float, float]] | None:
    """The intervals of observation, where all units have the same."""
    if "obs_intervals" not in getattr(value, "colnames", ()):
        return None
    first = np.asarray(value.get_unit_obs_intervals(0), np.float64)
    for k in range(1, len(value.id)):
        if not np.array_equal(first, np.asarray(value.get_unit_obs_intervals(k), np.float64)):
            raise ValueError(
                "the units were observed at different times; select units of the same "
                "obs_intervals, or give segments"
            )
    return [(float(a), float(b)) for a, b in first]


# ---- Elephant --------------------------------------------------------------------------------


def _binned(value: Any) -> Columns:
    """A spike at the start of each occupied bin; one tick is one bin."""
    matrix = value.sparse_matrix.tocoo()
    width = value.bin_size
    unit = width.dimensionality.string
    seconds = Fraction(repr(float(width.magnitude))) / PER_SECOND[unit]
    t_start = value.t_start
    start = Fraction(repr(float(t_start.magnitude))) / PER_SECOND[t_start.dimensionality.string]
    offset = start / seconds
    times = matrix.col.astype(np.int64)
    rate = 1 / seconds
    if offset.denominator != 1:  # finer ticks, so that the start is one
        rate *= offset.denominator
        times *= offset.denominator
    times += int(start * rate)
    stop = start + seconds * int(matrix.shape[1])
    return Columns(
        times,
        np.ascontiguousarray(matrix.row, np.uint32),
        int(matrix.shape[0]),
        None,
        True,
        rate=rate,
        start=start,
        stop=stop,
    )


# What an object has, and what makes columns of it.
_KINDS: Sequence[tuple[tuple[str, ...], Any]] = (
    (_TRAIN, lambda value: _trains([value])),
    (("spiketrains", "t_start"), lambda value: _trains(value.spiketrains)),
    (("segments", "annotations"), _block),
    (("time_support", "to_tsd", "index"), _ts_group),
    (("to_spike_vector", "sampling_frequency"), _sorting),
    (("sparse_matrix", "bin_size"), _binned),
    (("session_start_time", "units"), lambda value: _units_table(value.units)),
    (("spike_times", "spike_times_index"), _units_table),
)
