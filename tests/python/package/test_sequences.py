"""Whole sequences: the same as the command, on a recording with a planted one."""

import concurrent.futures
import copy
import dataclasses
import json
import math
import multiprocessing
import pickle
import re
import subprocess
import warnings

import numpy as np
import pytest

import spikemine as sm

UNITS, MEMBERS, REPEATS, SECONDS = 10, 5, 20, 20


@pytest.fixture(scope="module")
def recording():
    """Units 0, 2, 4 ... one after the other every 15 ms, 3 ms of jitter, a fifth missing. One draw
    in twenty has a false member, not this one."""
    draw = np.random.default_rng(4)
    times = [draw.uniform(0, SECONDS, 2 * SECONDS) for _ in range(UNITS)]
    for k in range(MEMBERS):
        planted = 0.5 + np.arange(REPEATS) * 0.9 + 0.015 * k + draw.normal(0, 0.003, REPEATS)
        times[2 * k] = np.concatenate([times[2 * k], planted[draw.random(REPEATS) > 0.2]])
    units = np.repeat(np.arange(UNITS), [len(t) for t in times])
    ticks = np.round(np.concatenate(times) * 10_000).astype(np.int64)
    return sm.Recording(ticks, units, rate=10_000, stop=SECONDS)


@pytest.fixture(scope="module")
def found(recording):
    return sm.sequences(recording, surrogates=19, threads=2)


def test_the_network_leads_from_member_to_member(found):
    """An arrow to the next member, as wide as the number of occurrences that have both."""
    pytest.importorskip("matplotlib").use("agg")
    ax = sm.plot.network(found)
    drawn = sorted(tuple(map(int, patch.get_gid().split()[2:])) for patch in ax.patches)
    steps = [
        (int(a), int(b), sum(1 for row in one.spikes if row[k] >= 0 and row[k + 1] >= 0))
        for one in found
        for k, (a, b) in enumerate(zip(one.units, one.units[1:]))
    ]
    assert drawn == sorted(step for step in steps if step[2] > 0) and len(drawn) >= MEMBERS - 1
    legends = {child.get_gid() for child in ax.get_children() if child.get_gid()}
    assert {"legend sequence", "legend occurrences"} <= legends
    assert {text.get_text() for text in ax.texts} == {unit for one in found for unit in one.units}


def test_members_and_occurrences(recording, found):
    assert len(found) >= 1 and found.surrogates == 19
    one = found[0]
    assert math.isclose(one.p, 0.05)
    assert one.units == tuple(str(2 * k) for k in range(MEMBERS))
    assert np.all(np.abs(one.lag_s - 0.015 * np.arange(MEMBERS)) < 0.005)
    assert np.all(one.member_p <= 0.05) and np.all(one.member_q <= 0.05)
    assert one.spikes.shape == (len(one.times_s), MEMBERS)
    assert np.array_equal(one.missing, np.isnan(one.spike_times_s).sum(axis=1))
    there = one.spikes >= 0
    assert np.array_equal(recording.times[one.spikes[there]], one.spike_times_s[there])
    columns = np.broadcast_to(np.arange(MEMBERS), one.spikes.shape)[there]
    assert np.array_equal(recording.units[one.spikes[there]], 2 * columns)
    assert "occurrences, p=0.05" in repr(one) and repr(found).startswith("<Sequences: ")


def test_parts_keep_their_type(recording, found, tmp_path):
    """They write, draw and tell as the whole does; rows that are not there are named."""
    assert np.array_equal(found.p, [one.p for one in found])
    for which in (slice(None, 1), found.p == found[0].p, [0], np.array([-len(found)])):
        part = found[which]
        assert isinstance(part, sm.Sequences) and part[0] is found[0]
    part = found[:1]
    assert len(part) == 1 and part.notes == found.notes and len(found[:0]) == 0
    assert part.by_sequence().to_dict()["occurrences"].tolist() == [len(found[0].times_s)]
    assert len(part.all_occurrences()) == len(found[0].times_s)
    part.write(tmp_path / "part.tsv")
    found.write(tmp_path / "all.tsv")
    lines = (tmp_path / "all.tsv").read_text().splitlines()
    assert (tmp_path / "part.tsv").read_text().splitlines() == lines[: 1 + MEMBERS]
    found[[0, 0]].write(tmp_path / "twice.json")
    twice = json.loads((tmp_path / "twice.json").read_text())["sequences"]
    assert len(twice) == 2 and twice[0]["members"] == twice[1]["members"]
    assert twice[0]["occurrences"] == twice[1]["occurrences"]
    part.figure(tmp_path / "part.svg")
    sm.report(part, tmp_path / "part.html")
    assert f"<Sequences: 1 in {recording!r}>" in repr(part)
    for which, error in ((7, IndexError), ([7], IndexError), ([True], IndexError), ("p", TypeError)):
        if which != [True] or len(found) > 1:
            with pytest.raises(error, match="rows? |mask"):
                found[which]


def test_what_was_found_is_told(recording, found, command, tmp_path):
    recording.write(tmp_path / "rec.txt")
    arguments = [command, "sequences", tmp_path / "rec.txt", "-n", "19", "-o", "/dev/null"]
    run = subprocess.run(arguments, capture_output=True, text=True, check=True)
    told = [line[6:] for line in run.stderr.splitlines() if line.startswith("note: ")]
    assert told[0].startswith("0 -> 2 -> 4 -> 6 -> 8: 5 units in ") and told[-2:] == list(found.notes)
    assert f"{found.rounds} searches of 19 surrogates (" in found.notes[0]
    lines = repr(found).splitlines()
    assert lines[1:3] == list(found.notes)
    assert lines[3].split() == ["units", "members", "ms", "occurrences", "p"]
    assert lines[4].startswith("0 -> 2 -> 4 -> 6 -> 8  ") and lines[4].split()[-4] == "5"
    assert repr(found[0]).startswith("<WholeSequence 0 -> 2 -> 4 -> 6 -> 8: 5 units in ")
    assert f"  {told[0]}" in found.summary().splitlines()


def test_tables(found, tmp_path):
    table = found.to_dict()
    assert len(table["unit"]) == sum(len(one.units) for one in found)
    assert all(len(column) == len(table["unit"]) for column in table.values())
    found.write(tmp_path / "a.tsv")
    head, *rows = (tmp_path / "a.tsv").read_text().splitlines()
    assert head.split("\t") == list(table) and len(rows) == len(table["unit"])
    found.write(tmp_path / "a.json")
    found.write(tmp_path / "my.json.tsv")
    assert len(json.loads((tmp_path / "a.json").read_text())["sequences"]) == len(found)
    assert (tmp_path / "my.json.tsv").read_text() == (tmp_path / "a.tsv").read_text()
    found.write_occurrences(tmp_path / "b.tsv")
    assert len((tmp_path / "b.tsv").read_text().splitlines()) == 1 + sum(
        len(one.times_s) for one in found
    )
    found.figure(tmp_path / "c.svg")
    text = (tmp_path / "c.svg").read_text()
    assert "Sequence 1: 5 units" in text and f" spikes; {found.rounds} searches of 19 surrogates" in text
    rows = found.by_sequence()
    assert rows.to_dict()["units"] == [" -> ".join(one.units) for one in found]
    assert rows.to_dict()["members"].tolist() == [len(one.units) for one in found]
    assert rows.to_dict()["span_s"].tolist() == [one.lag_s[-1] for one in found]
    assert rows.to_dict()["occurrences"].tolist() == [len(one.times_s) for one in found]
    assert rows.to_dict()["p"].tolist() == [one.p for one in found]
    assert "0 -> 2 -> 4 -> 6 -> 8" in repr(rows).splitlines()[2] and "<td>0 -&gt; 2 " in rows._repr_html_()
    pandas = pytest.importorskip("pandas")
    assert len(rows.to_pandas()) == len(found) == len(rows)
    assert list(found.to_pandas().columns) == list(table) and pandas is not None


def test_the_command_finds_the_same(recording, found, command, tmp_path):
    recording.write(tmp_path / "rec.txt")
    done = subprocess.run(
        [command, "sequences", tmp_path / "rec.txt", "-n", "19", "-q", "--format", "json",
         "--stop", f"{SECONDS}s"],
        capture_output=True, text=True, check=True,
    )
    document = json.loads(done.stdout)
    assert [one["p"] for one in document["sequences"]] == [one.p for one in found]
    for one, own in zip(document["sequences"], found):
        assert tuple(member["unit"] for member in one["members"]) == own.units
        assert np.allclose([member["lag_s"] for member in one["members"]], own.lag_s)
        times = [occurrence["time_s"] for occurrence in one["occurrences"]]
        assert np.allclose(times, own.times_s)


def test_a_checkpoint_is_the_one_of_the_command(recording, found, command, tmp_path):
    recording.write(tmp_path / "rec.spk.txt")
    kept, theirs = tmp_path / "kept.spk", tmp_path / "theirs.spk"
    for _ in range(2):  # the second time all surrogates are there
        again = sm.sequences(recording, surrogates=19, max_sequences=1, checkpoint=kept)
        assert again[0].p == found[0].p and again[0].units == found[0].units
    subprocess.run([command, "sequences", tmp_path / "rec.spk.txt", "-n", "19", "-q", "--stop", f"{SECONDS}s", "--shard",
                    "1/1", "-o", theirs], check=True)
    assert kept.read_bytes() == theirs.read_bytes()


def test_times_on_a_grid_coarser_than_ticks():
    """Surrogates keep to the grid, so that finer ticks change nothing, nor p of units by chance."""
    shape = {"longest_lag": "200ms", "jitter": "50ms", "surrogates": 9, "alpha": 1, "max_sequences": 1}
    draw = np.random.default_rng(6)
    points, units = draw.integers(0, 250, 600), draw.integers(0, 4, 600)
    coarse, fine = (
        sm.sequences(sm.Recording(points * ticks, units, rate=50 * ticks, start=0, stop=5, sort=True), **shape)
        for ticks in (1, 200)
    )
    assert len(coarse) == len(fine) == 1
    assert coarse[0].p == fine[0].p > 0.1
    assert coarse[0].units == fine[0].units and coarse[0].statistic == fine[0].statistic
    assert np.allclose(coarse[0].lag_s, fine[0].lag_s)
    assert np.allclose(coarse[0].spread_s, fine[0].spread_s)
    assert np.allclose(coarse[0].times_s, fine[0].times_s)
    assert np.allclose(coarse[0].spike_times_s, fine[0].spike_times_s, equal_nan=True)


def test_usual_lengths_follow_the_clock(recording):
    shape = {"surrogates": 1, "alpha": 0.5, "max_sequences": 1}
    song = sm.sample().slice(stop="6s")
    usual, one, told = (sm.sequences(song, *given, **shape) for given in ((), ("32/30s",), ("32/30s", "8/30s")))
    assert repr(usual) == repr(one) == repr(told) and "means within 8/30s" in repr(usual)
    usual, told = sm.sequences(recording, **shape), sm.sequences(recording, "200ms", "50ms", **shape)
    assert repr(usual) == repr(told) and "means within 50ms" in repr(usual)


def test_bad_arguments(recording):
    for wrong in ({"surrogates": 0}, {"alpha": 2}, {"null": "no such"}, {"longest_lag": "1ms"},
                  {"max_sequences": 0}):
        with pytest.raises(ValueError):
            sm.sequences(recording, **wrong)


def test_panels_have_one_axis(tmp_path):
    """Lags of sequences can be compared in the figure, whatever their length and their names."""
    draws, spikes = np.random.default_rng(4), {}
    for name, n, lag in (("a", 5, 0.050), ("long name ", 3, 0.010)):
        starts = np.sort(draws.uniform(0, 60, 80)).round(3)
        spikes |= {f"{name}{k}": starts + lag * k for k in range(n)}
    recording = sm.Recording(spikes, stop=61)
    found = sm.sequences(recording, longest_lag="250ms", jitter="500ms", surrogates=19)
    try:
        found.figure(tmp_path / "f.svg")
    except sm.UnavailableError:
        pytest.skip("this build draws no figures")
    panels = (tmp_path / "f.svg").read_text().split("Sequence ")[-len(found) :]
    number = r'<text x="([0-9.]+)"[^>]*text-anchor="middle"[^>]*>([-−0-9.]+)<'
    axes = [re.findall(number, panel) for panel in panels]
    assert {one.units[0][0] for one in found} == {"a", "l"} and len(axes[0]) > 2
    assert all(axis == axes[0] for axis in axes)


def test_executors_change_nothing(recording, found):
    """Rounds after one another, each in shards, give what one process gives."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        there = sm.sequences(recording, surrogates=19, executor=pool, shards=3)
        first = sm.sequences(recording, surrogates=19, max_sequences=1, executor=pool)
        with pytest.raises(ValueError, match="checkpoint"):
            sm.sequences(recording, surrogates=19, executor=pool, checkpoint="x.spk")
    assert (len(there), there.rounds, there.last_p) == (len(found), found.rounds, found.last_p)
    assert (len(first), first.rounds) == (1, 1)
    for one, other in zip(there, found):
        assert one.p == other.p and one.units == other.units
        assert np.array_equal(one.spikes, other.spikes)
    with pytest.raises(ValueError, match="executor"):
        sm.sequences(recording, surrogates=19, shards=3)


def test_shards_go_to_other_processes(recording):
    spawn = multiprocessing.get_context("spawn")
    search = dict(surrogates=4, max_sequences=1, alpha=0.2)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        there = sm.sequences(recording, executor=pool, shards=2, **search)
    here = sm.sequences(recording, **search)
    assert [one.units for one in there] == [one.units for one in here]
    assert there.last_p == here.last_p


def test_a_long_search_is_warned_of_before_it_begins(recording):
    """The warning is an error here, which comes before the first of all these surrogates."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Warning, match="a search takes some .* with surrogates=19 .*within a minute"):
            sm.sequences(recording, surrogates=10**8)


def test_they_pickle(recording, found, tmp_path):
    """All of it travels: columns, notes, what writes them; a first look has them, too."""
    looked = sm.explore(recording, time="1s")
    again, of_look = pickle.loads(pickle.dumps((found, looked)))
    assert repr(of_look) == repr(looked)
    for same in (again, copy.deepcopy(found), again[:]):
        assert repr(same) == repr(found) and same.notes == found.notes
        assert np.array_equal(same.recording.ticks, recording.ticks)
        for one, other in zip(same, found):
            for field in dataclasses.fields(one):
                a, b = getattr(one, field.name), getattr(other, field.name)
                assert np.array_equal(a, b, equal_nan=field.name == "spike_times_s")
        same.write(tmp_path / "again.json", force=True)
        found.write(tmp_path / "found.json", force=True)
        assert (tmp_path / "again.json").read_text() == (tmp_path / "found.json").read_text()
    assert pickle.loads(pickle.dumps(found[:0])).notes == found[:0].notes
