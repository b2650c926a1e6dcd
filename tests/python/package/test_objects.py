"""Results as tables and as objects of other packages: nothing is lost on the way."""

import datetime
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import spikemine as sm


@pytest.fixture(scope="module")
def rec():
    """Three units, one after the other, in two segments."""
    starts = np.concatenate([np.arange(0.1, 4.0, 0.2), np.arange(6.1, 9.0, 0.3)])
    times = np.concatenate([starts + 0.005 * k for k in range(3)])
    units = np.repeat(["a", "b", "c d"], starts.size)
    order = np.argsort(times, kind="stable")
    return sm.Recording(times[order], units[order], segments=[(0, 5), (6, 10)])


@pytest.fixture(scope="module")
def ep(rec):
    return sm.episodes(rec, ["0:8ms"], 20)


@pytest.fixture(scope="module")
def pat(rec):
    return sm.patterns(rec, "1ms", 20, min_spikes=2, support=20)


@pytest.fixture(scope="module")
def song():
    """A sequence whose delays vary, and whose spikes are missing here and there."""
    random = np.random.default_rng(3)
    starts = np.arange(0.1, 30, 0.3)
    times = np.stack([starts + 0.01 * k + random.uniform(0, 0.003, starts.size) for k in range(5)])
    there = random.random(times.shape) < 0.8
    units = np.repeat(np.arange(5), starts.size).reshape(times.shape)
    noisy = sm.Recording(times[there], units[there], sort=True, start=0, stop=31)
    return sm.sequences(noisy, "60ms", surrogates=9, alpha=1, max_sequences=1, seed=1)


def own(results, k):
    """Times of the occurrences of result k."""
    if isinstance(results, sm.Sequences):
        return results[k].spike_times_s
    return results.spike_times(k) if isinstance(results, sm.Patterns) else results.occurrences(k)


def of_all_kinds(test):
    return pytest.mark.parametrize("kind", ["ep", "pat", "song"])(test)


@of_all_kinds
def test_occurrences_are_those_of_each_result(request, kind):
    results = request.getfixturevalue(kind)
    found = results.all_occurrences()
    assert len(results) > 0
    segments = results.recording.segments[found.segment]
    assert np.all((segments[:, 0] <= found.start_s) & (found.stop_s < segments[:, 1]))
    for k in range(len(results)):
        mine = found.result == k
        assert np.array_equal(found.spike_times_s[k], own(results, k), equal_nan=True)
        assert np.array_equal(found.start_s[mine], np.nanmin(own(results, k), axis=1))
        assert np.array_equal(found.stop_s[mine], np.nanmax(own(results, k), axis=1))
        assert found.labels[k] == results[k].units
    assert f"{len(found)} of {len(results)}" in repr(found)


@of_all_kinds
@pytest.mark.parametrize("package", ["pandas", "polars", "arrow"])
def test_tables_are_the_same_in_each_package(request, kind, package):
    pytest.importorskip({"arrow": "pyarrow"}.get(package, package))
    results = request.getfixturevalue(kind)
    for table in (results, results.all_occurrences()):
        made = getattr(table, f"to_{package}")()
        for name, wanted in table.to_dict().items():
            column = made[name]
            listed = column.to_pylist() if package == "arrow" else column.to_list()
            for mine, other in zip(listed, wanted, strict=True):
                if isinstance(other, np.ndarray):
                    assert np.array_equal(np.array(mine, float), other, equal_nan=True)
                else:
                    assert mine == other, name


def test_lists_in_columns_are_lists_elsewhere(rec):
    polars = pytest.importorskip("polars")
    found = sm.episodes(rec, ["0:8ms"], 20, test="exact", jitter="80ms", surrogates=19)
    names = [name for name, column in found.columns.items() if column.dtype == object]
    assert names
    table, arrow = found.to_polars(), found.to_arrow()
    for name in names:
        assert [tuple(row) for row in arrow[name].to_pylist()] == list(found.columns[name])
        assert isinstance(table[name].dtype, polars.List)
        assert [tuple(row) for row in table[name].to_list()] == list(found.columns[name])


@of_all_kinds
def test_xarray_has_a_row_for_each_occurrence(request, kind):
    pytest.importorskip("xarray")
    results = request.getfixturevalue(kind)
    made = results.all_occurrences().to_xarray()
    k = len(results) - 1
    mine = made[made["result"].to_numpy() == k]
    size = own(results, k).shape[1]
    assert np.array_equal(mine.to_numpy()[:, :size], own(results, k), equal_nan=True)
    assert np.isnan(mine.to_numpy()[:, size:]).all()
    assert tuple(mine["unit"].to_numpy()[0, :size]) == results[k].units
    assert made.dims == ("occurrence", "position") and made.attrs["units"] == "s"


@of_all_kinds
def test_pynapple_has_the_starts(request, kind):
    pytest.importorskip("pynapple")
    results = request.getfixturevalue(kind)
    found = results.all_occurrences()
    group = found.to_tsgroup()
    for k in range(len(results)):
        assert np.allclose(group[k].t, np.sort(found.start_s[found.result == k]), atol=1e-9)
    assert list(group["text"]) == found.texts
    support = sm.Recording(group).segments
    assert np.array_equal(support, results.recording.segments)


def test_pynapple_has_the_intervals(ep, pat, rec):
    pytest.importorskip("pynapple")
    k = int(np.flatnonzero(ep.size == 3)[0])
    found = ep[[k]].all_occurrences()
    made = found.to_intervalset()
    assert np.allclose(made.start, found.start_s, atol=1e-9)
    assert np.allclose(made.end, found.stop_s, atol=1e-9)
    assert list(made["text"]) == [ep.text(k)] * len(found)
    with pytest.raises(ValueError, match="overlap at 0.1.* s; take those of one result"):
        ep[ep.size > 1].all_occurrences().to_intervalset()
    with pytest.raises(ValueError, match="at 0.1 s has no length; to_tsgroup takes it"):
        ep[ep.size == 1].all_occurrences().to_intervalset()


@of_all_kinds
def test_neo_has_an_epoch_and_an_event_for_each_result(request, kind):
    neo = pytest.importorskip("neo")
    results = request.getfixturevalue(kind)
    found = results.all_occurrences()
    for k, (epoch, event) in enumerate(zip(found.to_epochs(), found.to_events(), strict=True)):
        mine = found.result == k
        assert isinstance(epoch, neo.Epoch) and isinstance(event, neo.Event)
        for made in (epoch, event):
            assert np.array_equal(made.times.rescale("s").magnitude, found.start_s[mine])
            assert made.name == found.texts[k] and set(made.labels) == {found.texts[k]}
            assert made.array_annotations["segment"].tolist() == found.segment[mine].tolist()
        stops = (epoch.times + epoch.durations).rescale("s").magnitude
        assert np.allclose(stops, found.stop_s[mine], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "package"),
    [
        ("to_pandas", "pandas"),
        ("to_polars", "polars"),
        ("to_arrow", "pyarrow"),
        ("to_xarray", "xarray"),
        ("to_tsgroup", "pynapple"),
        ("to_intervalset", "pynapple"),
        ("to_epochs", "neo"),
        ("to_events", "neo"),
    ],
)
def test_a_package_that_is_missing_is_named(ep, call, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"{call} needs {package}: pip install"):
        getattr(ep.all_occurrences(), call)()


# ---- NWB -------------------------------------------------------------------------------------


@pytest.fixture
def session_file(tmp_path, rec):
    """An NWB file with the units of the recording and what a lab adds."""
    pynwb = pytest.importorskip("pynwb")
    nwb = pynwb.NWBFile("a", "b", datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc))
    nwb.add_unit_column("quality", "of the sorting")
    for label in rec.labels:
        nwb.add_unit(spike_times=rec.spikes(label), quality="good", obs_intervals=rec.segments)
    nwb.add_trial(start_time=0.0, stop_time=5.0)
    nwb.add_acquisition(
        pynwb.TimeSeries("raw", data=np.arange(99), unit="V", rate=9.0, starting_time=0.0)
    )
    path = tmp_path / "session.nwb"
    with pynwb.NWBHDF5IO(path, "w") as file:
        file.write(nwb)
    return path


def contents(path):
    """All that a file holds, but for what is ours: data, shapes, attributes, by path."""
    import h5py

    found = {}

    def take(name, item):
        if not name.startswith(("processing/spikemine", "intervals/found")):
            values = item[()] if isinstance(item, h5py.Dataset) else None
            attributes = {key: repr(value) for key, value in item.attrs.items()}
            found[name] = repr(values), attributes

    with h5py.File(path) as file:
        file.visititems(take)
    found.pop("processing", None)  # the group is there as soon as something is below it
    return found


@of_all_kinds
def test_nwb_has_all_of_the_results(request, kind, session_file):
    import pynwb

    results = request.getfixturevalue(kind)
    before, read_before = contents(session_file), sm.read(session_file)
    session_file.chmod(0o640)
    results.to_nwb(session_file, name="found")
    assert contents(session_file) == before
    assert session_file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(session_file.parent) == ["session.nwb"]
    again = sm.read(session_file)
    assert np.array_equal(again.ticks, read_before.ticks)
    assert np.array_equal(again.units, read_before.units) and again.rate == read_before.rate

    found = results.all_occurrences()
    with pynwb.NWBHDF5IO(session_file, "r") as file:
        assert not pynwb.validate(io=file)
        nwb = file.read()
        table = nwb.processing["spikemine"]["found"]
        times = nwb.intervals["found_occurrences"]
        for name, wanted in results._rows().items():
            for mine, other in zip(table[name][:], wanted, strict=True):
                assert np.array_equal(mine, other), name
        assert json.loads(table.description)["call"] == results.info["call"]
        assert np.array_equal(times["start_time"][:], found.start_s)
        assert np.array_equal(times["stop_time"][:], found.stop_s)
        assert np.array_equal(times["segment"][:], found.segment)
        assert np.array_equal(times["result"].data[:], found.result)
        spikes = [row for times in found.spike_times_s for row in times]
        for mine, other in zip(times["spike_times"][:], spikes, strict=True):
            assert np.array_equal(mine, other, equal_nan=True)


def test_the_occurrences_in_nwb_are_intervals_for_our_reader(ep, session_file, command):
    ep[ep.size == 3].to_nwb(session_file)
    options = ["--trials", "episodes_occurrences", "--format", "json"]
    done = subprocess.run([command, "info", session_file, *options], check=True, capture_output=True)
    told = json.loads(done.stdout)
    assert told["segments"] == int(ep.count[ep.size == 3][0])


def test_nwb_is_left_alone_where_writing_fails(ep, session_file, monkeypatch):
    ep.to_nwb(session_file)
    before = session_file.read_bytes()
    with pytest.raises(ValueError, match="has results called episodes; name="):
        ep.to_nwb(session_file)
    with pytest.raises(FileNotFoundError):
        ep.to_nwb(session_file.parent / "none.nwb")
    text = session_file.parent / "text.nwb"
    text.write_text("no HDF5")
    with pytest.raises(OSError):
        ep.to_nwb(text)
    assert text.read_text() == "no HDF5"
    monkeypatch.setitem(sys.modules, "pynwb", None)
    with pytest.raises(ImportError, match="to_nwb needs pynwb: pip install 'pynwb'"):
        ep.to_nwb(session_file)
    assert session_file.read_bytes() == before
    assert sorted(os.listdir(session_file.parent)) == ["session.nwb", "text.nwb"]


def test_a_link_to_a_file_stays_a_link(ep, session_file):
    link = session_file.parent / "link.nwb"
    link.symlink_to(session_file)
    ep.to_nwb(link, name="other")
    assert link.is_symlink()
    with pytest.raises(ValueError, match="has results called other"):
        ep.to_nwb(session_file, name="other")
