"""Objects of other packages. Each test is skipped where its package is not installed."""

import warnings

import numpy as np
import pytest
from conftest import draw

import spikemine as sm


def same(rec, times, units, labels=None):
    """Whether a recording holds these spikes."""
    names = labels or sorted({str(u) for u in units}, key=lambda name: (len(name), name))
    wanted = sorted({(round(float(t), 6), str(u)) for t, u in zip(times, units)})
    found = sorted((round(float(t), 6), rec.labels[u]) for t, u in zip(rec.times, rec.units))
    return found == wanted and rec.labels == names


def test_tables(random):
    times, units = draw(random)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"extra": 1, "time": times, "unit": units})
    assert same(sm.Recording(frame), times, units)
    assert same(sm.Recording(frame["time"], frame["unit"]), times, units)
    with pytest.raises(ValueError, match="extra, when"):
        sm.Recording(pandas.DataFrame({"extra": [1], "when": [2.0]}))


def test_polars_and_arrow(random):
    times, units = draw(random)
    polars = pytest.importorskip("polars")
    assert same(sm.Recording(polars.DataFrame({"time": times, "unit": units})), times, units)
    pyarrow = pytest.importorskip("pyarrow")
    assert same(sm.Recording(pyarrow.table({"time": times, "unit": units})), times, units)


@pytest.fixture
def neo():
    pytest.importorskip("quantities")
    return pytest.importorskip("neo")


def trains(neo, random, seconds=4.0, unit="s"):
    scale = {"s": 1.0, "ms": 1000.0}[unit]
    times, units = draw(random, seconds=seconds)
    return times, units, [
        neo.SpikeTrain(times[units == u] * scale, units=unit, t_stop=seconds * scale)
        for u in range(6)
    ]


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_neo_lists(neo, random, unit):
    times, units, listed = trains(neo, random, unit=unit)
    labels = [str(u) for u in range(6)]
    for given in (listed, neo.spiketrainlist.SpikeTrainList(items=listed)):
        rec = sm.Recording(given)
        assert same(rec, times, units, labels)
        assert (rec.start, rec.stop) == (0, 4)
    listed[2] = neo.SpikeTrain([1.0], units="s", t_stop=2.0)
    with pytest.raises(ValueError, match="t_stop"):
        sm.Recording(listed)


def test_neo_mixed_units_and_one_train(neo):
    mixed = [
        neo.SpikeTrain([1.0], units="s", t_stop=2),
        neo.SpikeTrain([1500.0], units="ms", t_stop=2000),
    ]
    rec = sm.Recording(mixed)
    assert rec.times.tolist() == [1.0, 1.5]
    assert sm.Recording(mixed[0]).n_units == 1


def test_neo_blocks_are_trials(neo, random):
    times, units, listed = trains(neo, random)
    block = neo.Block()
    for k in range(2):
        segment = neo.Segment()
        for train in listed:
            part = train.time_slice(k * 2 * train.units, (k + 1) * 2 * train.units)
            segment.spiketrains.append(part)
        block.segments.append(segment)
    rec = sm.Recording(block)
    assert rec.segments.tolist() == [[0, 2], [2, 4]]
    assert same(rec, times, units, [str(u) for u in range(6)])
    assert same(
        sm.Recording(block.segments[0]), times[times < 2], units[times < 2],
        [str(u) for u in range(6)],
    )


def test_binned_trains(neo, random):
    conversion = pytest.importorskip("elephant.conversion")
    pq = pytest.importorskip("quantities")
    times, units, listed = trains(neo, random)
    binned = conversion.BinnedSpikeTrain(listed, bin_size=5 * pq.ms)
    rec = sm.Recording(binned)
    assert rec.rate == 200 and (rec.start, rec.stop) == (0, 4)
    assert rec.n_spikes == binned.binarize().get_num_of_spikes()


def test_pynapple(random):
    pynapple = pytest.importorskip("pynapple")
    times, units = draw(random)
    group = pynapple.TsGroup(
        {int(u) + 3: pynapple.Ts(np.unique(times[units == u])) for u in range(6)},
        time_support=pynapple.IntervalSet([0, 2], [1, 4]),
    )
    rec = sm.Recording(group)
    inside = (times <= 1) | (times >= 2)
    assert same(rec, times[inside], units[inside] + 3)
    assert rec.segments.shape == (2, 2)


def test_pynapple_keeps_its_last_spike(random):
    """Ends of supports are closed, and rounded to 1 ns, now up, now down."""
    pynapple = pytest.importorskip("pynapple")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for times in (np.unique(rng.integers(0, 3_000_000, 50)) / 30000, np.sort(rng.random(50))):
            group = pynapple.TsGroup({1: pynapple.Ts(times), 2: pynapple.Ts(times[::2])})
            assert len(sm.Recording(group)) == 75


def test_what_is_left_out_is_told(recwarn):
    with pytest.warns(UserWarning, match="^2 spikes are at the time of another one"):
        sm.Recording([1.0, 1.0, 2.0, 2.0, 3.0], [0, 0, 1, 1, 1])
    recwarn.clear()
    sm.Recording([1.0, 2.0, 3.0], [0, 1, 1], stop=2.5)  # that was asked for
    assert not recwarn.list


def test_rounded_frames():
    """0.0333, 0.0667 are frames of 1/30 s, as numbers, as milliseconds and as floats."""
    frames = np.unique(np.random.default_rng(1).integers(0, 900, 200))
    units = np.arange(frames.size) % 5
    for rec in (
        sm.Recording(np.round(frames / 30, 4), units),
        sm.Recording(np.rint(frames * 1000 / 30).astype(int), units, time_unit="ms"),
        sm.Recording(frames / 30, units),
    ):
        assert np.array_equal(rec.ticks, frames * (rec.rate / 30))
    samples = sm.Recording(np.rint(frames * 1000 / 30).astype(int), units, rate=1000)
    assert samples.rate == 1000  # as they were given


def test_many_arrays_are_read_in_one_pass(tmp_path):
    arrays = {f"u{k}": np.arange(3.0) + k for k in range(5000)}
    np.savez(tmp_path / "many.npz", **arrays)
    rec = sm.read(tmp_path / "many.npz")
    assert rec.n_units == 5000 and rec.n_spikes == 15000


def test_spikeinterface(random):
    core = pytest.importorskip("spikeinterface.core")
    samples = [np.sort(random.choice(30000, 100, replace=False)) for _ in range(2)]
    units = [random.integers(0, 4, 100) for _ in range(2)]
    sorting = core.NumpySorting.from_samples_and_labels(samples, units, 30000.0)
    rec = sm.Recording(sorting)
    assert rec.rate == 30000 and len(rec.segments) == 2
    assert rec.n_spikes == 200 and rec.n_units == len(sorting.unit_ids)
    first = rec.ticks[rec.ticks < rec.segments[1, 0] * 30000]
    assert first.tolist() == sorted(samples[0].tolist())


def test_pynwb(random, tmp_path):
    pynwb = pytest.importorskip("pynwb")
    import datetime

    now = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    nwb = pynwb.NWBFile("a", "b", now)
    times, units = draw(random)
    for u in range(6):
        nwb.add_unit(spike_times=times[units == u], obs_intervals=[[0.0, 1.5], [2.0, 4.0]], id=u)
    rec = sm.Recording(nwb)
    inside = (times < 1.5) | (times >= 2)
    assert same(rec, times[inside], units[inside], [str(u) for u in range(6)])
    assert same(sm.Recording(nwb.units), times[inside], units[inside], [str(u) for u in range(6)])
    path = tmp_path / "session.nwb"
    with pynwb.NWBHDF5IO(path, "w") as file:
        file.write(nwb)
    with pynwb.NWBHDF5IO(path, "r") as file:  # lazily read
        again = sm.Recording(file.read())
    assert np.array_equal(again.ticks, rec.ticks)


def test_whole_numbers_that_are_samples_are_told():
    samples = np.array([0, 15000, 30000])
    with pytest.warns(UserWarning, match="up to 30000, and are taken as seconds; for samples give rate"):
        sm.Recording(samples, [0, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.Recording(samples, [0, 1, 0], rate=30000)
        sm.Recording(samples, [0, 1, 0], time_unit="ms")
        sm.Recording(samples // 10, [0, 1, 0])


def test_names_as_hdf5_and_c_have_them():
    """Bytes are texts; what C would cut short, and what is no name, is refused."""
    times, names = [1.0, 2.0, 3.0], np.array([b"n10", b"n2", b"n10"])
    assert sm.Recording(times, names).labels == ["n2", "n10"]
    assert sm.Recording({b"a": [1.0], "b": [2.0]}).labels == ["a", "b"]
    assert sm.Recording([[1.0]], labels=np.array([b"a"])).labels == ["a"]
    for units in (["a\0b", "a", "c"], ["c\0d"] * 3):
        with pytest.raises(ValueError, match="holds a zero byte"):
            sm.Recording(times, np.array(units, object))
    with pytest.raises(TypeError, match="that of spike 1 .* is None"):
        sm.Recording(times, ["a", None, "b"])
    with pytest.raises(ValueError, match="whole numbers"):
        sm.Recording(times, [1.0, np.inf, 2.0])
