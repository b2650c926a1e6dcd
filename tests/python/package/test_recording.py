"""Recordings from arrays and files: what they hold, what is refused, who owns the memory."""

import gc
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from conftest import DATA, draw

import spikemine as sm


def test_columns_are_those_given(random):
    times, units = draw(random)
    rec = sm.Recording(times, units)
    pairs = {(round(t * 1000), str(u)) for t, u in zip(times, units)}
    ticks = rec.ticks * (1000 / rec.rate)
    found = {(round(float(t)), rec.labels[u]) for t, u in zip(ticks, rec.units)}
    assert found == pairs
    assert rec.n_spikes == len(pairs) == len(rec)
    assert np.all(np.diff(rec.ticks) >= 0)
    assert rec.facts["duplicates"] == len(times) - len(pairs)


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u4", "i8", "u8", ">i4"])
@pytest.mark.parametrize("gaps", [False, True])
def test_numbers_of_units_are_those_given(random, kind, gaps):
    """Of every kind of whole number, with and without gaps, from below 0 on where there are such."""
    low = -100 if "i" in kind else 3
    units = random.integers(low, 110, 3000).astype(kind)
    if gaps:
        units = units[units % 3 != 0]
    times = np.arange(units.size) / 1000.0
    rec = sm.Recording(times, units)
    assert sorted(map(int, rec.labels)) == np.unique(units).tolist()
    assert [int(rec.labels[u]) for u in rec.units] == units.tolist()


def test_columns_that_fit_are_not_copied():
    from spikemine import _inputs

    times, units = np.arange(1000) / 1000.0, np.arange(1000, dtype=np.uint32) % 7
    columns = _inputs.columns_of(times, units, None, None, "s")
    assert columns.times is times and np.shares_memory(columns.units, units)


def test_times_are_exact():
    """A third of a second is no decimal; samples at 30 kHz come back as samples."""
    samples = np.array([1, 10001, 20000, 777777])
    rec = sm.Recording(samples / 30000.0, np.zeros(4, int))
    assert rec.rate == 30000
    assert rec.ticks.tolist() == samples.tolist()
    same = sm.Recording(samples, np.zeros(4, int), rate=30000)
    assert same.rate == 30000 and same.ticks.tolist() == samples.tolist()
    odd = sm.Recording(samples, np.zeros(4, int), rate=Fraction(390625, 16))
    assert odd.rate == Fraction(390625, 16)


def test_units_are_named_in_natural_order():
    rec = sm.Recording([0.1, 0.2, 0.3], ["ch10", "ch2", "ch1"])
    assert rec.labels == ["ch1", "ch2", "ch10"]
    assert rec.units.tolist() == [2, 1, 0]
    assert rec.spikes("ch10").tolist() == [0.1]
    assert sm.Recording([0.1, 0.2], [-5, 70000000]).labels == ["-5", "70000000"]


def test_a_dict_and_a_list_keep_silent_units():
    rec = sm.Recording({"a": [0.1, 0.2], "b": [], "c": [0.15]})
    assert rec.labels == ["a", "b", "c"] and rec.n_spikes == 3
    assert [len(rec.spikes(u)) for u in rec.labels] == [2, 0, 1]
    rec = sm.Recording([np.array([0.1]), np.array([]), np.array([0.3, 0.2])], sort=True)
    assert rec.labels == ["0", "1", "2"]
    assert rec.spikes(2).tolist() == [0.2, 0.3]


def test_order_and_sign_are_asked_for():
    """Times go backwards, or begin before 0, where the caller says so."""
    rec = sm.Recording([0.3, -0.2, 0.1], [0, 1, 0], sort=True, start=-1)
    assert rec.times.tolist() == [-0.2, 0.1, 0.3] and rec.units.tolist() == [1, 0, 0]
    assert rec.start == -1
    assert sm.Recording([-0.2, 0.1], [0, 1], segments=[(-1, 0), (0, 1)]).n_spikes == 2
    with pytest.raises(ValueError, match=r"time 2 is 0\.1, before time 1, which is 0\.2.*sort=True"):
        sm.Recording([0.1, 0.2, 0.1], [0, 1, 0])
    with pytest.raises(ValueError, match="times of unit b: time 1 is 3, before time 0"):
        sm.Recording({"a": [1, 2], "b": [4, 3]}, rate=10)
    with pytest.raises(ValueError, match=r"-0\.2 s; .* give start"):
        sm.Recording([-0.2, 0.1], [0, 1])
    with pytest.raises(IndexError):
        rec.spikes(5)
    with pytest.raises(TypeError):
        rec.spikes(0.5)
    with pytest.raises(TypeError, match="int"):
        rec.join(5)


def test_a_file_that_goes_backwards(tmp_path):
    (tmp_path / "back.txt").write_text("0.2 a\n0.1 b\n")
    assert sm.read(tmp_path / "back.txt").times.tolist() == [0.1, 0.2]
    with pytest.raises(sm.OrderError, match="back.txt:2"):
        sm.read(tmp_path / "back.txt", sort=False)


def test_segments_and_extent():
    rec = sm.Recording(
        [0.5, 1.25, 2.0, 2.5], [0, 1, 0, 1], segments=[("0s", "1.3s"), (2, "4s")], start=0
    )
    assert rec.segments.tolist() == [[0, 1.3], [2, 4]]
    assert rec.n_spikes == 4
    assert sm.Recording([0.5, 1.5], [0, 0], start="1s", stop="2s").n_spikes == 1
    cut = rec.cut([("0s", "1s")])
    assert cut.n_spikes == 1 and (cut.start, cut.stop) == (0, 1)
    assert rec.select([1]).labels == ["1"]
    ticks = sm.Recording([5, 15, 25], [0, 0, 0], time_unit="ms", start="10ms", stop="20ms")
    assert ticks.n_spikes == 1 and ticks.start == 0.01


@pytest.mark.parametrize(
    ("times", "units", "options", "error", "text"),
    [
        ([0.1, np.nan], [0, 0], {}, ValueError, "1"),
        ([0.1, np.inf], [0, 0], {}, ValueError, "1"),
        ([0.1], [0, 1], {}, ValueError, "1 times, but 2 units"),
        ([[0.1, 0.2], [0.3, 0.4]], [0, 1], {}, ValueError, "shape"),
        (["a"], [0], {}, TypeError, "numbers"),
        ([0.1], [0.5], {}, ValueError, "swapped"),
        ([0.1], [True], {}, TypeError, "booleans"),
        ([0.1], [3], {"labels": ["a"]}, ValueError, "there are 1 labels"),
        ([0.1], [0], {"labels": ["a", "a"]}, ValueError, "a"),
        ([0.1], [0], {"time_unit": "min"}, ValueError, "time_unit"),
        ([1], [0], {"time_unit": "samples"}, ValueError, "rate"),
        ([1.5], [0], {"time_unit": "samples", "rate": 1000}, ValueError, "whole"),
        ([0.1], [0], {"start": "2s", "stop": "1s"}, ValueError, "before stop"),
        ([0.1], [0], {"start": "soon"}, ValueError, "start"),
        ([0.1], [0], {"start": None, "stop": [1]}, TypeError, "stop"),
        ([0.1], [0], {"segments": [(1, 2, 3)]}, ValueError, "segment 0"),
        ([0.1], [0], {"rate": -1}, ValueError, "-1"),
        (object(), None, {}, TypeError, "object"),
        ({"a": [0.1], "b": "x"}, None, {}, (TypeError, ValueError), "unit b"),
        ([1j], [0], {}, TypeError, "numbers"),
        (np.array(["2020-01-01"], "M8[s]"), [0], {}, TypeError, "numbers"),
        (np.ma.array([0.1, 0.2], mask=[0, 1]), [0, 1], {}, ValueError, "masked"),
        ([0.1], [np.nan], {}, ValueError, "units"),
        ([0.1], [0], {"segments": []}, ValueError, "segments"),
        ([0.1], [0], {"segments": [(2, 1)]}, ValueError, "segment"),
        ([0.1], [0], {"segments": [(np.nan, 1)]}, ValueError, "segment 0"),
        ([1], [0], {"rate": np.nan}, ValueError, "nan|NaN"),
        (np.array([2**63], np.uint64), [0], {"rate": 1000}, ValueError, "64 bits"),
    ],
)
def test_wrong_input_is_refused(times, units, options, error, text):
    with pytest.raises(error, match=text):
        sm.Recording(times, units, **options)


def test_an_empty_recording():
    rec = sm.Recording([], [])
    assert rec.n_spikes == 0 and rec.n_units == 0
    assert len(sm.episodes(rec, ["0:5ms"], 1)) == 0
    assert sm.Recording({"a": []}).labels == ["a"]


def test_files_of_all_kinds(macaque, tmp_path):
    for name in ("out.txt", "out.csv", "out.npz"):
        macaque.write(tmp_path / name)
        again = sm.read(tmp_path / name)
        assert np.array_equal(again.ticks * 1000 // again.rate, macaque.ticks), name
        assert np.array_equal(again.units, macaque.units), name
    with pytest.raises(sm.FileError, match="no_such"):
        sm.read(tmp_path / "no_such.txt")
    (tmp_path / "bad.txt").write_text("0.1 a\nzwei b\n")
    with pytest.raises(sm.FormatError, match="bad.txt:2"):
        sm.read(tmp_path / "bad.txt")
    assert sm.read(DATA / "movement_PGHF.spikes.txt", units=["3", "7"], stop="5s").n_units == 2


FULL_DISK = """
import resource, signal, sys
import numpy as np, spikemine as sm
rec = sm.Recording(np.arange(60000), np.arange(60000) % 5, rate=1000)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
try:
    rec.write("out.nwb")
except OSError as cause:
    print(cause)
"""


@pytest.mark.parametrize("size", [1000, 16000, 100000])
def test_nwb_on_a_full_disk_is_an_error_and_no_crash_at_exit(tmp_path, size):
    try:
        sm.Recording([0.5], [0]).write(tmp_path / "probe.nwb")
    except sm.UnavailableError:
        pytest.skip("needs HDF5")
    (tmp_path / "probe.nwb").unlink()
    run = [sys.executable, "-c", FULL_DISK, str(size)]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "out.nwb: writing" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_arrays_keep_the_recording_alive():
    """The memory lives as long as any array over it."""
    rec = sm.Recording(np.arange(1000) / 1000.0, np.zeros(1000, int))
    ticks, units = rec.ticks, rec.units
    with pytest.raises(ValueError):
        ticks[0] = 5
    del rec
    gc.collect()
    blocks = [np.full(1000, k) for k in range(50)]
    assert np.array_equal(ticks, np.arange(1000)) and not units.any()
    assert len(blocks) == 50


def test_pickles(macaque):
    again = pickle.loads(pickle.dumps(macaque))
    assert np.array_equal(again.ticks, macaque.ticks) and again.labels == macaque.labels
    assert (again.start, again.stop, again.rate) == (macaque.start, macaque.stop, macaque.rate)
    odd = sm.Recording([0.5, 1.25], [0, 1], segments=[("1/3s", "0.75s"), ("1s", "4/3s")])
    again = pickle.loads(pickle.dumps(odd))
    assert np.array_equal(again.segments, odd.segments) and again.n_spikes == odd.n_spikes


def test_trials_keep_their_numbers():
    times = [0.5, 1.5, 2.5, 3.5]
    rec = sm.Recording(times, [0] * 4, start=0, stop=4)
    assert rec.n_trials == 1 and rec.trials.tolist() == [0]
    cut = rec.cut([(3, 4), (7, 8), (0, 2)])  # the second one has nothing left
    assert cut.n_trials == 3 and cut.trials.tolist() == [2, 0]
    pieces = cut.restrict([(0, "1s"), ("4/3s", 3.6)])
    for same in (pieces, pickle.loads(pickle.dumps(pieces)), pieces.select([0])):
        assert same.n_trials == 3 and same.trials.tolist() == [2, 2, 0]
        assert same.n_spikes == pieces.n_spikes == 3
        assert np.array_equal(same.segments, pieces.segments)
    assert rec.restrict([(3, 4), (0, 2)]).trials.tolist() == [1, 0]
    joined = pieces.join(cut)
    assert joined.n_trials == 6 and joined.trials.tolist() == [2, 2, 0, 5, 3]
    overlapping = sm.Recording(times, [0] * 4, segments=[(1, 4), (0, 3)])
    again = pickle.loads(pickle.dumps(overlapping))
    assert again.trials.tolist() == overlapping.trials.tolist() == [1, 0]


def test_large_arrays_cost_what_the_library_costs():
    """Two columns of ten million spikes are copied once, into the library."""
    resource = pytest.importorskip("resource")
    n = 2_000_000
    times = np.arange(n) / 10000.0
    units = (np.arange(n) % 50).astype(np.uint32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rec = sm.Recording(times, units, labels=[str(u) for u in range(50)])
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert rec.n_spikes == n
    # 16 bytes a spike stay, and sorting takes as much once more for a while.
    assert grown < 45 * n, f"{grown / n:.0f} bytes a spike"


def test_borders_may_be_numbers_of_numpy():
    times, units = [0.5, 1.5], [0, 0]
    recording = sm.Recording(np.array(times), np.array(units), start=np.array(0.0), stop=np.float32(2))
    assert (recording.start, recording.stop) == (0, 2)
    assert recording.slice(np.float64(1), np.array(2)).times.tolist() == [1.5]
