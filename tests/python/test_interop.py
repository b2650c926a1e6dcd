"""Files of the programs that labs use: pynwb, neo, spikeinterface, scipy, h5py, numpy, pandas, pynapple.

Each test lets such a program write a file and asks for exactly the ticks, labels and segments that went
in; or it lets one read what we wrote. tools/interop.sh runs this in an environment that has the programs.
A test of a format that the build leaves out is skipped.
"""
import datetime
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py
import numpy
import pandas
import pynapple
import pynwb
import scipy.io

COMMAND = os.environ["SPIKEMINE"]
RATE = 30000


def run(*arguments, check=True):
    return subprocess.run([COMMAND, *map(str, arguments)], check=check, capture_output=True, text=True)


FORMATS = {entry["name"]: entry for entry in json.loads(run("formats", "--format", "json").stdout)["formats"]}


def needs(name, way="reads"):
    entry = FORMATS.get(name, {})
    good = entry.get(way, False) and entry.get("available", False)
    return unittest.skipUnless(good, f"{name} is not in this build: {entry.get('reason', '')}")


def trains(seed=5, n_units=4, n=300, rate=RATE):
    """Ticks of each unit at 30 kHz, within 60 s, sorted and distinct."""
    random = numpy.random.default_rng(seed)
    return {u: numpy.sort(random.choice(60 * rate, n + 10 * u, replace=False)).astype(numpy.int64)
            for u in range(n_units)}


def events(units):
    """Columns in order of (time, unit)."""
    time = numpy.concatenate(list(units.values()))
    unit = numpy.concatenate([numpy.full(len(t), u) for u, t in units.items()])
    order = numpy.lexsort((unit, time))
    return time[order], unit[order]


class Interop(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def read(self, path, *options):
        """What spikemine reads, as arrays."""
        out = self.folder / "read.npz"
        run("convert", path, out, "--force", *options)
        with numpy.load(out, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays}

    def assert_events(self, got, units, labels=None, rate=RATE):
        """The same events, in ticks of `rate`, which may be a divisor of the rate that was found."""
        time, unit = events(units)
        names = labels or {u: str(u) for u in units}
        numerator, denominator = map(int, got["rate"])
        factor, rest = divmod(numerator, denominator * rate)
        self.assertEqual(rest, 0, f"the rate {numerator}/{denominator} is no multiple of {rate}")
        numpy.testing.assert_array_equal(got["ticks"], time * factor)
        self.assertEqual([got["labels"][k] for k in got["index"]], [names[u] for u in unit])

    # ---- what others write -------------------------------------------------------------------------

    @needs("npy")
    def test_numpy_pairs(self):
        time, unit = events(trains())
        for kind in ("<f8", ">f8", "<i8", "<u4", ">i4"):
            with self.subTest(kind):
                seconds = kind.endswith("f8")
                numpy.save(self.folder / "times.npy", (time / RATE if seconds else time).astype(kind))
                numpy.save(self.folder / "units.npy", unit)
                options = [] if seconds else ["--time-unit", f"samples@{RATE}"]
                got = self.read(self.folder / "times.npy", "--unit-file", self.folder / "units.npy", *options)
                self.assert_events(got, trains())

    @needs("table")
    def test_pandas_tables(self):
        time, unit = events(trains())
        table = pandas.DataFrame({"time_s": time / 1e5, "unit": unit, "amplitude": time % 7})
        path = self.folder / "table.csv"
        for index in (True, False):
            with self.subTest(index=index):
                table.to_csv(path, index=index)
                self.assert_events(self.read(path), trains(), rate=100000)

    @needs("npz")
    def test_numpy_archives(self):
        time, unit = events(trains())
        path = self.folder / "spikes.npz"
        for save in (numpy.savez, numpy.savez_compressed):
            with self.subTest(save.__name__):
                save(path, times=time / RATE, units=unit)
                self.assert_events(self.read(path), trains())

    @needs("npz")
    def test_pynapple_archives(self):
        path = self.folder / "group.npz"
        group = pynapple.TsGroup({u: pynapple.Ts(t / RATE) for u, t in trains().items()},
                                 time_support=pynapple.IntervalSet(0, 60))
        group.save(str(path))
        self.assert_events(self.read(path), trains())

    def write_nwb(self, units, trials=(), resolution=None, observed=None):
        path = self.folder / "session.nwb"
        file = pynwb.NWBFile("a session", "id", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
        file.add_unit_column("quality", "by hand")
        for u, ticks in units.items():
            more = {} if observed is None else {"obs_intervals": observed}
            file.add_unit(id=u, spike_times=ticks / RATE, quality="good" if u % 2 == 0 else "mua", **more)
        if resolution is not None:
            file.units.resolution = resolution
        for start, stop in trials:
            file.add_trial(start_time=start, stop_time=stop)
        with pynwb.NWBHDF5IO(str(path), "w") as io:
            io.write(file)
        return path

    @needs("nwb")
    def test_pynwb(self):
        for resolution in (None, 1 / RATE):
            with self.subTest(resolution=resolution):
                path = self.write_nwb(trains(), resolution=resolution)
                self.assert_events(self.read(path), trains())
        good = {u: t for u, t in trains().items() if u % 2 == 0}
        self.assert_events(self.read(path, "--select", "quality==good"), good)

    @needs("nwb")
    def test_pynwb_observed_intervals(self):
        path = self.write_nwb(trains(), observed=[[0.0, 20.0], [30.0, 60.0]])
        got = self.read(path)
        rate = got["rate"][0] / got["rate"][1]
        numpy.testing.assert_array_equal(got["segment_start"] / rate, [0, 30])
        numpy.testing.assert_array_equal(got["segment_stop"] / rate, [20, 60])
        kept = {u: t[(t < 20 * RATE) | (t >= 30 * RATE)] for u, t in trains().items()}
        self.assert_events(got, kept)

    @needs("nwb")
    def test_pynwb_trials(self):
        path = self.write_nwb(trains(), trials=[(1.0, 2.5), (10.0, 12.0)])
        got = self.read(path, "--trials", "trials")
        rate = got["rate"][0] / got["rate"][1]
        numpy.testing.assert_array_equal(got["segment_start"] / rate, [1, 10])
        numpy.testing.assert_array_equal(got["segment_stop"] / rate, [2.5, 12])

    @needs("nwb")
    def test_neo(self):
        import neo
        import quantities
        block = neo.Block(session_start_time=datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
        segment = neo.Segment()
        block.segments.append(segment)
        for u, ticks in trains().items():
            segment.spiketrains.append(neo.SpikeTrain(ticks / RATE * quantities.s, t_stop=60 * quantities.s,
                                                      name=f"unit {u}"))
        path = self.folder / "neo.nwb"
        io = neo.io.NWBIO(str(path), mode="w")
        io.write_all_blocks([block])
        got = self.read(path)
        time, _ = events(trains())
        numpy.testing.assert_array_equal(got["ticks"], time * (int(got["rate"][0]) // RATE))
        self.assertEqual(len(got["labels"]), len(trains()))

    def write_phy(self, units, groups):
        folder = self.folder / "phy"
        folder.mkdir(exist_ok=True)
        time, unit = events(units)
        numpy.save(folder / "spike_times.npy", time.reshape(-1, 1))
        numpy.save(folder / "spike_clusters.npy", unit.astype("<i4"))
        (folder / "params.py").write_text("dat_path = 'raw.dat'\nn_channels_dat = 4\noffset = 0\n"
                                          f"dtype = 'int16'\nsample_rate = {RATE}.\nhp_filtered = True\n")
        lines = "".join(f"{u}\t{group}\n" for u, group in groups.items())
        (folder / "cluster_group.tsv").write_text("cluster_id\tgroup\n" + lines)
        return folder

    @needs("phy")
    def test_spikeinterface_reads_the_same_phy_folder(self):
        import spikeinterface.extractors
        groups = {0: "good", 1: "mua", 2: "good", 3: "noise"}
        folder = self.write_phy(trains(), groups)
        sorting = spikeinterface.extractors.read_phy(folder, exclude_cluster_groups=["noise", "mua"])
        theirs = {int(u): sorting.get_unit_spike_train(u) for u in sorting.unit_ids}
        self.assertEqual(sorted(theirs), [0, 2])
        got = self.read(folder, "--group", "good")
        self.assert_events(got, theirs)
        self.assertEqual(int(got["rate"][0]), int(sorting.sampling_frequency))

    @needs("matlab")
    def test_h5py_matlab_cells(self):
        path = self.folder / "cells.mat"
        with h5py.File(path, "w", userblock_size=512) as file:
            cells = file.create_dataset("spikes", (len(trains()), 1), dtype=h5py.ref_dtype)
            cells.attrs["MATLAB_class"] = numpy.bytes_("cell")
            for u, ticks in trains().items():
                data = file.create_dataset(f"#refs#/{chr(97 + u)}", data=(ticks / RATE).reshape(1, -1))
                data.attrs["MATLAB_class"] = numpy.bytes_("double")
                cells[u, 0] = data.ref
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
        got = self.read(path)
        time, _ = events(trains())
        numpy.testing.assert_array_equal(got["ticks"], time * (int(got["rate"][0]) // RATE))
        self.assertEqual(len(got["labels"]), len(trains()))

    def test_scipy_older_matlab_files_have_a_way_out(self):
        path = self.folder / "old.mat"
        scipy.io.savemat(path, {"spikes": trains()[0] / RATE})
        ran = run("info", path, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(len(ran.stderr.strip().splitlines()), 1)
        if "matlab" in FORMATS:
            self.assertRegex(ran.stderr, "scipy|7.3")

    # ---- what we write -----------------------------------------------------------------------------

    def write_text(self):
        """A text recording at 30 kHz with two segments and a silent unit."""
        path = self.folder / "rec.txt"
        time, unit = events(trains())
        rows = "".join(f"{t}\tu{u}\n" for t, u in zip(time, unit))
        path.write_text(f"# spikemine time-unit samples@{RATE}\n# spikemine segment 0s 20s\n"
                        "# spikemine segment 30s 60s\n# spikemine unit silent\nsample\tunit\n" + rows)
        kept = {u: t[(t < 20 * RATE) | (t >= 30 * RATE)] for u, t in trains().items()}
        return path, kept

    def test_npz_for_numpy(self):
        path, kept = self.write_text()
        got = self.read(path)
        self.assert_events(got, kept, labels={u: f"u{u}" for u in kept})
        self.assertEqual(list(got["labels"]), ["silent", "u0", "u1", "u2", "u3"])
        self.assertEqual(list(got["rate"]), [RATE, 1])
        self.assertEqual(list(got["segment_start"]), [0, 30 * RATE])
        self.assertEqual(list(got["segment_stop"]), [20 * RATE, 60 * RATE])
        numpy.testing.assert_array_equal(got["t"], got["ticks"] / RATE)

    def test_npz_for_pynapple(self):
        path, kept = self.write_text()
        out = self.folder / "rec.npz"
        run("convert", path, out)
        group = pynapple.load_file(str(out))
        self.assertEqual(list(group["labels"]), ["silent", "u0", "u1", "u2", "u3"])
        numpy.testing.assert_array_equal(group.time_support.values, [[0, 20], [30, 60]])
        for u, ticks in kept.items():
            numpy.testing.assert_array_equal(group[u + 1].t, ticks / RATE)
        self.assertEqual(len(group[0]), 0)

    @needs("nwb", "writes")
    def test_nwb_for_pynwb_and_pynapple(self):
        path, kept = self.write_text()
        out = self.folder / "rec.nwb"
        run("convert", path, out)
        with pynwb.NWBHDF5IO(str(out), "r") as io:
            units = io.read().units.to_dataframe()
        trains_read = {tuple(t) for t in map(tuple, units["spike_times"])}
        for ticks in kept.values():
            self.assertIn(tuple(ticks / RATE), trains_read)
        group = pynapple.load_file(str(out))["units"]
        self.assertEqual(sum(len(group[k]) for k in group.index), sum(map(len, kept.values())))

    def test_text_for_pandas(self):
        path, kept = self.write_text()
        out = self.folder / "rec.csv"
        run("convert", path, out)
        table = pandas.read_csv(out, comment="#")
        time, unit = events(kept)
        numpy.testing.assert_array_equal(table["sample"], time)
        self.assertEqual(list(table["unit"]), [f"u{u}" for u in unit])


if __name__ == "__main__":
    unittest.main(verbosity=1)
