"""Results written back into NWB files, by pynwb."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ._columns import COLUMNS
from ._library import version
from ._objects import Found, Occurrences, needed
from ._results import Array

MODULE = "spikemine"


def write_results(found: Found, path: str | os.PathLike[str], name: str) -> None:
    """The tables of some results, in a copy of the file that takes its place."""
    pynwb = needed("pynwb", "to_nwb")
    occurrences = found.all_occurrences()
    with (
        _replaced(os.path.realpath(path)) as copy,
        pynwb.NWBHDF5IO(copy, "a") as file,
    ):
        nwb = file.read()
        module = nwb.processing.get(MODULE) or nwb.create_processing_module(
            MODULE, "repeated firing patterns, found by spikemine"
        )
        times = f"{name}_occurrences"
        if name in module.data_interfaces or times in (nwb.intervals or ()):
            raise ValueError(
                f"to_nwb: {os.fspath(path)} has results called {name}; "
                "name= gives these another name"
            )
        results = _results_table(pynwb, found, name)
        module.add(results)
        nwb.add_time_intervals(_occurrences_table(pynwb, occurrences, results, times))
        file.write(nwb, cache_spec=False)


@contextlib.contextmanager
def _replaced(path: str) -> Iterator[str]:
    """A copy beside a file, which takes its place unless something fails."""
    folder, name = os.path.split(path)
    handle, copy = tempfile.mkstemp(dir=folder, prefix=f".{name}.", suffix=".nwb")
    try:
        os.close(handle)
        shutil.copy2(path, copy)
        yield copy
        with open(copy, "rb") as written:
            os.fsync(written.fileno())
        os.replace(copy, path)
    except BaseException:
        os.unlink(copy)
        raise


def _results_table(pynwb: Any, found: Found, name: str) -> Any:
    rows = found._rows()
    meanings = {column.name: column.meaning for column in COLUMNS}
    columns = [
        one
        for key, values in rows.items()
        for one in _columns(pynwb, key, meanings.get(key, key), values)
    ]
    made = json.dumps({"spikemine": version, **found.info}, default=str)
    return pynwb.core.DynamicTable(
        name=name, description=made, columns=columns, colnames=list(rows)
    )


def _occurrences_table(pynwb: Any, occurrences: Occurrences, results: Any, name: str) -> Any:
    spikes = [row for times in occurrences.spike_times_s for row in times]
    region = pynwb.core.DynamicTableRegion(
        name="result", description="the row of the result", data=occurrences.result, table=results
    )
    told: Mapping[str, tuple[str, Any]] = {
        "start_time": ("first spike, in seconds", occurrences.start_s),
        "stop_time": ("last spike, in seconds", occurrences.stop_s),
        "segment": ("segment of the recording, from 0", occurrences.segment),
        "spike_times": ("by position, in seconds; NaN: missing", spikes),
    }
    columns = [
        one
        for key, (meaning, values) in told.items()
        for one in _columns(pynwb, key, meaning, values)
    ]
    return pynwb.epoch.TimeIntervals(
        name=name,
        description=f"when the results of {results.name} occur",
        columns=[*columns, region],
        colnames=[*told, "result"],
    )


def _columns(pynwb: Any, name: str, meaning: str, values: Any) -> list[Any]:
    """A column; with its index where rows are lists."""
    listed = list(values)
    if not any(isinstance(value, (list, tuple, np.ndarray)) for value in listed):
        data: Any = (
            values if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" else listed
        )
        return [pynwb.core.VectorData(name=name, description=meaning, data=data)]
    flat = _flat(listed)
    target = pynwb.core.VectorData(name=name, description=meaning, data=flat)
    ends = np.cumsum([len(value) for value in listed], dtype=np.uint64)
    return [target, pynwb.core.VectorIndex(name=f"{name}_index", data=ends, target=target)]


def _flat(listed: list[Any]) -> Array | list[str]:
    flat = [value for row in listed for value in row]
    return flat if flat and isinstance(flat[0], str) else np.array(flat, np.float64)
