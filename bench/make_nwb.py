#!/usr/bin/env python3
"""Makes an NWB file for measurements; needs h5py.

    bench/make_nwb.py OUT UNITS SPIKES_PER_UNIT full|sparse

Times lie on a grid of 1/30000 s, at 10 Hz a unit. A full file has all of them. In a sparse one only the
last minute of each unit is written: what is before are holes, which read as zero, so that the file takes
little of the disk. Prints where the last minute starts, in seconds.
"""

import sys

import h5py
import numpy

RATE = 30000
RATE_HZ = 10


def unit_times(generator, n, first, last):
    """Sample numbers first .. n - 1 of a unit's n spikes, which end at `last` seconds."""
    gaps = generator.integers(1, 2 * RATE // RATE_HZ, n - first)
    times = numpy.cumsum(gaps)
    return times + (int(last * RATE) - times[-1])


def make(path, units, spikes, sparse):
    last = spikes / RATE_HZ
    keep = min(spikes, 60 * RATE_HZ) if sparse else spikes
    generator = numpy.random.default_rng(1)
    with h5py.File(path, "w") as file:
        file.attrs["nwb_version"] = "2.7.0"
        file.attrs["neurodata_type"] = "NWBFile"
        table = file.create_group("units")
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        times = h5py.Dataset(h5py.h5d.create(
            table.id, b"spike_times", h5py.h5t.IEEE_F64LE,
            h5py.h5s.create_simple((units * spikes,)), layout))
        for unit in range(units):
            samples = unit_times(generator, spikes, spikes - keep, last)
            times[(unit + 1) * spikes - keep:(unit + 1) * spikes] = samples / RATE
        times.attrs["resolution"] = 1 / RATE
        table["spike_times_index"] = (numpy.arange(units, dtype="uint64") + 1) * spikes
        table["id"] = numpy.arange(units)
    print(int(last) - 50)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "sparse")
