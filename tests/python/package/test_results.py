"""Episodes and patterns: the same as the command writes, and what can be done with them."""

import pickle
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
from conftest import DATA, draw

import spikemine as sm


def table(command, *arguments):
    """The table that the command prints, as lists of texts by column."""
    done = subprocess.run([command, *arguments, "-q"], capture_output=True, text=True, check=True)
    head, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {name: [row[k] for row in rows] for k, name in enumerate(head)}


MACAQUE = str(DATA / "movement_PGHF.spikes.txt")
STOP = "3s"  # where tests would take long with all of it
SONGBIRD = str(DATA / "songbird_spikes.txt")


@pytest.fixture(scope="module")
def beginning():
    return sm.read(MACAQUE, stop=STOP)


def test_episodes_are_those_of_the_command(macaque, command):
    found = sm.episodes(macaque, [("5ms", "10ms"), ("10ms", "15ms")], 60)
    wanted = table(command, "episodes", MACAQUE, "-d", "5ms:10ms", "-d", "10ms:15ms", "-s", "60")
    assert found.to_dict()["episode"] == wanted["episode"]
    assert found.count.tolist() == [int(c) for c in wanted["count"]]
    assert found.delays.tolist() == [[0.005, 0.01], [0.01, 0.015]]
    assert found.info["sizes"][0]["size"] == 1


def test_the_exact_test_is_that_of_the_command(beginning, command):
    options = dict(test="exact", surrogates=39, seed=7, jitter=("25ms", "100ms"), alpha=0.2)
    found = sm.episodes(beginning, ["5ms:10ms"], 16, report="all", **options)
    wanted = table(
        command, "episodes", MACAQUE, "--stop", STOP, "-d", "5ms:10ms", "-s", "16", "--test", "exact", "--surrogates",
        "39", "--seed", "7", "--jitter", "25ms,100ms", "--alpha", "0.2", "--report", "all",
    )
    mine = found.to_dict()
    assert mine["episode"] == wanted["episode"]
    for name in ("p", "score", "expected", "e_value", "fdr", "p_25ms", "p_100ms"):
        assert np.allclose(mine[name], [float(v) for v in wanted[name]], rtol=1e-3), name
    assert mine["jitter"].tolist() == wanted["jitter"] and len(set(wanted["jitter"])) == 2
    assert [text or "-" for text in mine["explained_by"]] == wanted["explained_by"]
    assert len(set(wanted["p"])) > 5 and set(wanted["explained_by"]) > {"-"}
    core = sm.episodes(beginning, ["5ms:10ms"], 16, report="core", **options)
    assert len(core) == found.test.n_core > 0
    assert found.test.largest_scores.shape == (39, 2)


@pytest.mark.parametrize("null", ["pattern-jitter", "shift"])
def test_chance_keeps_a_rhythm_as_the_command_has_it(beginning, command, null):
    options = dict(test="exact", surrogates=19, seed=7, report="all", null=null, history="10ms")
    found = sm.episodes(beginning, ["5ms:10ms"], 20, **options)
    wanted = table(
        command, "episodes", MACAQUE, "--stop", STOP, "-d", "5ms:10ms", "-s", "20", "--test", "exact",
        "--surrogates", "19", "--seed", "7", "--report", "all", "--null", null, "--history", "10ms",
    )
    assert np.allclose(found.to_dict()["p"], [float(v) for v in wanted["p"]])
    assert len(set(wanted["p"])) > 1
    assert (found.test.null, found.test.history) == (null, "10ms")


def test_wrong_nulls_are_refused(macaque):
    for options, text in (
        (dict(null="nothing"), "must be 'auto', 'interval-jitter', 'pattern-jitter', 'shift', 'shift-apart' or 'trials'"),
        (dict(history="5ms"), "history needs null=.pattern-jitter. or null=.shift."),
    ):
        with pytest.raises(ValueError, match=text):
            sm.episodes(macaque, ["5ms:10ms"], 100, test="exact", **options)
    with pytest.raises(ValueError, match="name its trials"):
        sm.episodes(macaque, ["5ms:10ms"], 100, test="exact", null="trials")


def test_selection_is_that_of_the_command(macaque, command):
    found = sm.episodes(macaque, ["5ms:10ms"], 40, maximal=True, distinct_units=2, top=20)
    wanted = table(
        command, "episodes", MACAQUE, "-d", "5ms:10ms", "-s", "40", "--maximal",
        "--distinct-units", "2", "--top", "20",
    )
    assert found.to_dict()["episode"] == wanted["episode"]


def check_families(found, wanted, name):
    """The rows, and what they say of families, are those of the command's table."""
    listed = found.to_dict()
    assert len(found) > 0
    assert listed[name] == wanted[name]
    assert listed["members"].tolist() == [int(n) for n in wanted["members"]]
    assert listed["family_occurrences"].tolist() == [int(n) for n in wanted["family_occurrences"]]
    assert listed["family_units"].tolist() == wanted["family_units"]
    assert found[0].values["members"] == found.members[0]


@pytest.mark.parametrize("order", ["count", "size"])
def test_orders_are_those_of_the_command(beginning, command, order):
    options = dict(test="exact", surrogates=9, report="all", order=order)
    found = sm.episodes(beginning, ["5ms:10ms"], 20, **options)
    wanted = table(
        command, "episodes", MACAQUE, "--stop", STOP, "-d", "5ms:10ms", "-s", "20", "--test", "exact",
        "--surrogates", "9", "--report", "all", "--order", order,
    )  # fmt: skip
    assert found.to_dict()["episode"] == wanted["episode"]
    column = getattr(found, order)
    assert np.all(np.diff(column.astype(int)) <= 0) and column[0] > column[-1]
    with pytest.raises(ValueError, match="order cannot go with families"):
        sm.episodes(beginning, ["5ms:10ms"], 20, test="exact", order=order, families=True)
    with pytest.raises(ValueError, match="order='beauty'"):
        sm.episodes(beginning, ["5ms:10ms"], 20, test="exact", order="beauty")


@pytest.mark.parametrize("top", [0, 1])
def test_families_are_those_of_the_command(command, top):
    songbird = sm.read(SONGBIRD, sort=True)
    limit = ("--top", str(top)) if top else ()
    search = ("episodes", SONGBIRD, "--sort", "-d", "0:50ms", "-s", "20", "--max-size", "4")
    options = {"max_size": 4, "families": True, "top": top}
    tested = {"test": "exact", "jitter": "100ms", "surrogates": 39, "report": "core"}
    check_families(
        sm.episodes(songbird, ["0:50ms"], 20, **options),
        table(command, *search, "--families", *limit),
        "episode",
    )
    check_families(
        sm.episodes(songbird, ["0:50ms"], 20, **options, **tested),
        table(
            command, *search, "--families", *limit, "--test", "exact", "--jitter", "100ms",
            "--surrogates", "39", "--report", "core",
        ),
        "episode",
    )  # fmt: skip
    check_families(
        sm.patterns(songbird, "1/30s", 3, support=15, families=True, top=top),
        table(
            command, "patterns", SONGBIRD, "--sort", "--bin", "1/30s", "--window", "3",
            "--support", "15", "--families", *limit,
        ),
        "pattern",
    )  # fmt: skip
    with pytest.raises(ValueError, match="peel cannot go with families"):
        sm.episodes(songbird, ["0:50ms"], 20, test="exact", peel=True, families=True)


def test_labels_of_families_are_quoted_as_in_tables(tmp_path, command):
    random = np.random.default_rng(5)
    starts = np.sort(random.uniform(0, 100, 40))
    times = np.concatenate([starts + 0.003 * k for k in range(4)])
    labels = np.repeat(['a "b', "c d", "#e", "f,g"], starts.size)
    order = np.argsort(times)
    rec = sm.Recording(times[order], labels[order])
    found = sm.episodes(rec, ["0:5ms"], 20, families=True)
    assert list(found.family_units) == ['"a ""b" "c d" "#e" "f,g"']
    assert found.to_dict()["episode"][0].startswith('"a ""b" (0,5ms] "c d"')


def test_patterns_are_those_of_the_command(macaque, command):
    found = sm.patterns(macaque, "5ms", 10, support=60, min_spikes=3)
    wanted = table(
        command, "patterns", MACAQUE, "--bin", "5ms", "--window", "10", "--support", "60",
        "--min-spikes", "3",
    )
    assert sorted(zip(found.to_dict()["pattern"], found.count.tolist())) == sorted(
        zip(wanted["pattern"], map(int, wanted["occurrences"]))
    )
    auto = sm.patterns(macaque, "5ms", 5, support="published", min_spikes=2)
    assert auto.info["support"][2] > auto.info["support"][3]


def test_dither_follows_wide_bins():
    frames = {"bin": "1/30s", "window": 5, "support": 20, "surrogates": 3, "min_spikes": 3}
    assert sm.patterns(sm.sample(), **frames).test.dither == "100ms"
    assert sm.patterns(sm.sample(), dither="200ms", **frames).test.dither == "200ms"


def test_auto_occurrences_are_those_of_the_command(beginning, command):
    found = sm.patterns(
        beginning, "5ms", 5, support="auto", min_spikes=2, test="exact", jitter="50ms",
        surrogates=1, alpha=0.5, report="all", support_time="300ms",
    )  # fmt: skip
    wanted = table(
        command, "patterns", MACAQUE, "--stop", STOP, "--bin", "5ms", "--window", "5", "--support", "auto",
        "--min-spikes", "2", "--test", "exact", "--jitter", "50ms", "--surrogates", "1", "--alpha", "0.5",
        "--report", "all", "--support-time", "300ms",
    )  # fmt: skip
    assert found.info["support"][2] > 2 and len(found) > 0
    assert sorted(found.to_dict()["pattern"]) == sorted(wanted["pattern"])
    with pytest.raises(ValueError, match="one window"):
        sm.patterns(beginning, "5ms", 5, support="auto", test="exact", jitter=("25ms", "50ms"))


@pytest.mark.parametrize("spectrum", ["2d", "3d"])
def test_signatures_are_those_of_the_command(command, spectrum):
    found = sm.patterns(
        sm.read(MACAQUE, stop="8s"), "5ms", 5, support=30, min_spikes=2, surrogates=19, seed=3, alpha=0.5,
        correction="none", method="trial-shifting", reduce=(2, 2, 0), report="all", spectrum=spectrum,
    )
    wanted = table(
        command, "patterns", MACAQUE, "--stop", "8s", "--bin", "5ms", "--window", "5", "--support", "30",
        "--min-spikes", "2", "--surrogates", "19", "--seed", "3", "--alpha", "0.5", "--correction", "none",
        "--surrogate-method", "trial-shifting", "--reduce", "2,2,0", "--report", "all", "--spectrum", spectrum,
    )
    mine = found.to_dict()
    rows = {text: k for k, text in enumerate(mine["pattern"])}
    assert len(rows) == len(wanted["pattern"])
    order = [rows[text] for text in wanted["pattern"]]
    for name in ("p", "p_corrected"):
        assert np.allclose(mine[name][order], [float(v) for v in wanted[name]], rtol=1e-3)
        assert len(set(wanted[name])) > 1
    assert mine["significant"][order].sum() == found.test.n_significant
    assert mine["kept"].sum() == found.test.n_kept
    assert found.test.n_kept > 0 or spectrum == "2d"


def test_occurrences(random):
    times, units = draw(random, 800)
    rec = sm.Recording(times, units)
    found = sm.episodes(rec, ["0:5ms", "5ms:10ms"], 5, max_size=3)
    for k in random.choice(len(found), 20):
        occurrences = found.occurrences(int(k))
        assert occurrences.shape == (found.count[k], found.size[k])
        delays = np.diff(occurrences, axis=1)
        for p, (lo, hi) in enumerate(found[int(k)].delays):
            assert np.all((delays[:, p] > lo - 1e-9) & (delays[:, p] <= hi + 1e-9))
        assert np.all(occurrences[1:, 0] > occurrences[:-1, -1])
    patterns = sm.patterns(rec, "2ms", 6, support=4, min_spikes=2)
    for k in random.choice(len(patterns), 20):
        starts = patterns.occurrences(int(k))
        assert starts.size == patterns.count[k]
        pattern = patterns[int(k)]
        for start in starts:
            for unit, lag in zip(pattern.units, pattern.lags):
                bins = np.floor((rec.spikes(unit) - rec.start + 1e-9) / 0.002)
                assert round((start - rec.start) / 0.002) + lag in bins


def test_rows_can_be_chosen(random):
    times, units = draw(random)
    found = sm.episodes(sm.Recording(times, units), ["0:5ms"], 5, max_size=3)
    pairs = found[found.size == 2]
    assert np.all(pairs.size == 2) and len(pairs) == np.count_nonzero(found.size == 2)
    assert [str(e) for e in found[2:5]] == [found.text(k) for k in (2, 3, 4)]
    assert str(found[-1]) == found.text(len(found) - 1)
    assert len(found[[]]) == 0 and len(found[[0, 0]]) == 2
    for wrong in (len(found), -len(found) - 1, [len(found)]):
        with pytest.raises(IndexError):
            found[wrong]
    with pytest.raises(IndexError):
        found[np.ones(3, bool)]
    with pytest.raises(TypeError):
        found["a"]
    with pytest.raises(AttributeError, match="exact"):
        found.score


def test_counting_what_was_found(random):
    times, units = draw(random)
    rec = sm.Recording(times, units)
    found = sm.episodes(rec, ["0:5ms"], 5, max_size=3)
    again = sm.count(rec, found)
    assert np.array_equal(again.count, found.count)
    with pytest.raises(ValueError, match="99"):
        sm.count(rec, ["0 (0,5ms] 99"])


def test_threads_and_engines_change_nothing(random):
    times, units = draw(random, 2000, 10)
    rec = sm.Recording(times, units)
    one = sm.episodes(rec, ["0:5ms"], 20, test="exact", surrogates=19, report="all", threads=1)
    two = sm.episodes(rec, ["0:5ms"], 20, test="exact", surrogates=19, report="all", threads=2)
    for name, column in one.columns.items():
        assert np.array_equal(column, two.columns[name]), name


def test_calls_from_several_threads(random):
    times, units = draw(random)
    rec = sm.Recording(times, units)
    wanted = sm.episodes(rec, ["0:5ms"], 5).count
    found = [None] * 4

    def work(k):
        found[k] = sm.episodes(rec, ["0:5ms"], 5, threads=1).count

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(counts, wanted) for counts in found)


def test_executors_change_nothing(random):
    import concurrent.futures
    import multiprocessing

    rec = sm.Recording(*draw(random, 1000, 8), segments=[("0s", "1/3s"), ("1s", "3s")])
    spawn = multiprocessing.get_context("spawn")
    search = dict(support=5, min_spikes=2, report="all")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        for test in (
            lambda **where: sm.episodes(
                rec, ["0:5ms"], 8, test="exact", surrogates=19, report="all", **where
            ),
            lambda **where: sm.patterns(
                rec, "2ms", 4, test="exact", surrogates=19, jitter="20ms", **search, **where
            ),
            lambda **where: sm.patterns(
                rec, "2ms", 4, surrogates=19, method="trial-shifting", **search, **where
            ),
        ):
            here, there = test(), test(executor=pool, shards=3)
            assert here.columns.keys() == there.columns.keys() and len(here) > 0
            for name, column in here.columns.items():
                assert np.array_equal(column, there.columns[name]), name
        with pytest.raises(ValueError, match="test"):
            sm.patterns(rec, "2ms", 4, executor=pool, **search)
        with pytest.raises(ValueError, match="checkpoint"):
            sm.episodes(rec, ["0:5ms"], 8, test="exact", executor=pool, checkpoint="x.spk")
        with pytest.raises(ValueError, match="test"):
            sm.episodes(rec, ["0:5ms"], 8, executor=pool)


def test_results_pickle(random):
    times, units = draw(random)
    found = sm.episodes(sm.Recording(times, units), ["0:5ms"], 5, test="exact", surrogates=19,
                        report="all")
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict()["episode"] == found.to_dict()["episode"]
    assert np.array_equal(again.p, found.p)
    patterns = sm.patterns(sm.Recording(times, units), "2ms", 5, support=4)
    again = pickle.loads(pickle.dumps(patterns))
    assert again.to_dict()["pattern"] == patterns.to_dict()["pattern"]
    assert np.array_equal(again.occurrences(0), patterns.occurrences(0))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"support": 0}, "support"),
        ({"support": "5.0"}, "5.0"),
        ({"support": 5, "test": "approximate"}, "test"),
        ({"support": 5, "test": "exact", "report": "some"}, "report"),
        ({"support": 5, "test": "exact", "alpha": 2}, "alpha"),
        ({"support": 5, "surrogates": 5}, "test='exact'"),
        ({"support": 5, "threads": -1}, "threads"),
        ({"support": 5, "engine": "warp"}, "warp"),
        ({"support": 5, "test": "exact", "jitter": "soon"}, "jitter"),
    ],
)
def test_wrong_options_are_refused(random, options, text):
    rec = sm.Recording(*draw(random))
    with pytest.raises(ValueError, match=text):
        sm.episodes(rec, ["0:5ms"], **options)


def test_memory_limit(random):
    rec = sm.Recording(*draw(random, 5000, 20, 20.0))
    with pytest.raises(MemoryError):
        sm.patterns(rec, "5ms", 20, support=2, max_memory=100000)


def test_surrogates(macaque):
    methods = sm.surrogate_methods()
    assert "interval-jitter" in methods and methods["dither-spikes"]["warning"]
    one, two = sm.surrogates(macaque, "trial-shifting", 2, dither="15ms", seed=4)
    (again,) = sm.surrogates(macaque, "trial-shifting", 1, dither="15ms", seed=4, first=2)
    assert np.array_equal(two.ticks, again.ticks) and not np.array_equal(one.ticks, two.ticks)
    assert one.n_spikes == macaque.n_spikes
    with pytest.raises(TypeError, match="bins"):
        next(sm.surrogates(macaque, "bin-shuffling", bins="5ms"))


def test_figures(macaque, tmp_path):
    found = sm.episodes(macaque, ["5ms:10ms"], 100)
    try:
        found.figure(tmp_path / "episodes.svg", title="macaque")
    except sm.UnavailableError:
        pytest.skip("built without cairo")
    assert (tmp_path / "episodes.svg").read_text().startswith("<?xml")
    sm.patterns(macaque, "5ms", 5, support=60).figure(tmp_path / "patterns.svg")
    assert (tmp_path / "patterns.svg").stat().st_size > 1000


def test_progress_and_notes(beginning):
    seen = []
    sm.episodes(beginning, ["5ms:10ms"], 16, test="exact", surrogates=9,
                progress=lambda *what: seen.append(what))
    assert seen and all(isinstance(what, str) and done >= 0 for what, done, _ in seen)
    assert any("columns" in note for note in beginning.notes)


def test_bars_tell_a_share_and_no_steps_a_second(beginning, monkeypatch):
    bars = []

    class Bar:  # of tqdm, which need not be there
        def __init__(self, total, desc, bar_format):
            values = {"desc": desc, "percentage": 5, "bar": "##", "elapsed": "00:01",
                      "remaining": "00:19", "n": 1234567}  # fmt: skip
            bars.append((total, bar_format.format(**values)))

        def refresh(self): ...

        def close(self): ...

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    sm.episodes(beginning, ["5ms:10ms"], 16, test="exact", surrogates=9, progress=True)
    assert bars
    for total, text in bars:
        assert text.endswith(":   5 %|##| 00:01<00:19" if total else ": 1,234,567 00:01")
