"""Comparing, peeling, calibrating and choosing: the same as the command, and what it refuses."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from conftest import DATA

import spikemine as sm

MACAQUE = str(DATA / "movement_PGHF.spikes.txt")
STOP = "8s"
EPISODES = ("-d", "5ms:10ms", "-s", "60", "--max-size", "2")
PATTERNS = ("--bin", "5ms", "--window", "5", "--support", "30", "--min-spikes", "3")
OF_PATTERNS = dict(bin="5ms", window=5, support=30, min_spikes=3)
# The same of a shorter beginning, with about as many results.
BRIEF = "3s"
EPISODES_OF_BRIEF = ("-d", "5ms:10ms", "-s", "20", "--max-size", "2")
OF_BRIEF = dict(delays=["5ms:10ms"], support=20, max_size=2)
PATTERNS_OF_BRIEF = ("--bin", "5ms", "--window", "5", "--support", "12", "--min-spikes", "3")
OF_PATTERNS_OF_BRIEF = dict(bin="5ms", window=5, support=12, min_spikes=3)


@pytest.fixture(scope="module")
def part():
    return sm.read(MACAQUE, stop=STOP)


@pytest.fixture(scope="module")
def brief():
    return sm.read(MACAQUE, stop=BRIEF)


@pytest.fixture
def run(command):
    """What the command prints as JSON."""

    def call(*arguments, stop=STOP):
        done = subprocess.run(
            [command, *arguments, "--stop", stop, "--format", "json", "-q"],
            capture_output=True, text=True, check=True,
        )
        return json.loads(done.stdout)

    return call


def test_given_episodes_are_tested_as_the_command_does(command, part, run):
    pairs = ["62 (5ms,10ms] 76", "76 (5ms,10ms] 62", "62 (5ms,10ms] 62", "62 (5ms,10ms] 76"]
    found = sm.count(part, pairs, test="exact", jitter="50ms", surrogates=19, seed=4)
    given = [word for text in pairs for word in ("-e", text)]
    told = run("count", MACAQUE, *given, "--test", "exact", "--jitter", "50ms", "--surrogates", "19", "--seed", "4")
    rows = told["episodes"]
    assert texts_of(told) == list(found.to_dict()["episode"]) == pairs
    for key in ("count", "p", "expected", "direction_p", "back", "back_p"):
        np.testing.assert_allclose(found.columns[key], [row[key] for row in rows], rtol=1e-5)
    assert [side if side != "-" else None for side in found.columns["asymmetry"]] == [r["asymmetry"] for r in rows]
    assert [list(lags) for lags in found.columns["lags_s"]] == [row["lags_s"] or [] for row in rows]
    assert found.columns["back"][0] == found.count[1] and found.columns["p"][0] == found.columns["p"][3]
    assert found.test.surrogates == 19 and "given episodes" in found.summary()
    assert "times the other way" in found.summary()
    np.testing.assert_array_equal(found[1:].columns["back"], found.columns["back"][1:])
    assert pickle.loads(pickle.dumps(found)).columns.keys() == found.columns.keys()
    with pytest.raises(ValueError, match="jitter needs test='exact'"):
        sm.count(part, pairs, jitter="50ms")


def texts_of(document):
    """The episodes or patterns of a document, written as Python writes them."""
    if "episodes" in document:
        delays = document["delays"]
        return [
            " ".join(
                [e["units"][0]]
                + [f"{delays[d]} {u}" for d, u in zip(e["delays"], e["units"][1:])]
            )
            for e in document["episodes"]
        ]
    return [
        " ".join(f"{unit}@{lag}" for unit, lag in p["pattern"])
        for p in document["patterns"]
    ]


def check_same(found, document, names):
    """Rows and columns of a table are those of the command."""
    rows = document.get("episodes", document.get("patterns"))
    table = found.to_dict()
    assert table[found.language[:-1]] == texts_of(document)
    for name in names:
        wanted = [row[name] for row in rows]
        values = np.asarray(table[name]).tolist()
        assert len(values) == len(wanted)
        for value, other in zip(values, wanted):
            if isinstance(value, float) and other is None:
                assert not np.isfinite(value), name
            elif isinstance(value, float):
                assert value == pytest.approx(other, rel=2e-5, abs=1e-9), name
            else:
                assert value == ("-" if other is None else other), name


# ---- support ---------------------------------------------------------------------------------


def test_auto_support_is_that_of_the_command(brief, part, run):
    wanted = run(
        "episodes", MACAQUE, "-d", "5ms:10ms", "-s", "auto", "--test", "exact", "--jitter", "50ms",
        "--surrogates", "9", "--seed", "3", "--max-size", "2", stop=BRIEF,
    )
    found = sm.episodes(
        brief, ["5ms:10ms"], "auto", test="exact", jitter="50ms", surrogates=9, seed=3, max_size=2
    )
    assert found.info["support"] == wanted["provenance"]["threshold"]
    choice = found.info["support_choice"]
    assert f"{choice['by_chance']:.6g} on average" in wanted["provenance"]["threshold_choice"]
    assert choice["jitter"] == "50ms" and choice["surrogates"] == 9
    plain = sm.episodes(brief, ["5ms:10ms"], "auto", max_size=2)
    other = run("episodes", MACAQUE, "-d", "5ms:10ms", "-s", "auto", "--max-size", "2", stop=BRIEF)
    assert plain.info["support"] == other["provenance"]["threshold"]
    assert len(plain) == len(other["episodes"]) > 0
    assert found.info["support"] == 6 and choice["link_share"] == 0
    busy = sm.episodes(part, ["5ms:10ms"], "auto", max_size=3, test="exact", surrogates=1, alpha=0.5,
                       report="all", support_time="300ms")  # fmt: skip
    again = sm.episodes(part, ["5ms:10ms"], busy.info["support"], max_size=3, test="exact", surrogates=1, alpha=0.5,
                        report="all", link_share=busy.info["support_choice"]["link_share"])  # fmt: skip
    assert busy.info["support_choice"]["link_share"] > 0 and len(busy) == len(again) > 0
    with pytest.raises(ValueError, match="link_share"):
        sm.episodes(part, ["5ms:10ms"], "auto", link_share=0.1)
    with pytest.raises(ValueError, match="one window"):
        sm.episodes(part, ["5ms:10ms"], "auto", test="exact", jitter=("25ms", "50ms"))


# ---- peeling ---------------------------------------------------------------------------------


@pytest.mark.parametrize("report", ["significant", "core"])
def test_peeled_episodes_are_those_of_the_command(brief, run, report):
    wanted = run(
        "episodes", MACAQUE, *EPISODES_OF_BRIEF, "--test", "exact", "--peel", "--surrogates", "19",
        "--alpha", "0.7", "--report", report, "--null", "interval-jitter", stop=BRIEF,
    )
    found = sm.episodes(
        brief, **OF_BRIEF, test="exact", peel=True, surrogates=19, alpha=0.7,
        report=report, null="interval-jitter",
    )
    assert len(found) >= 2 and found.round.tolist() == list(range(1, len(found) + 1))
    check_same(found, wanted, ("count", "expected", "score", "p", "e_value", "fdr", "round"))
    check_same(found, wanted, ("meaning", "direction_p"))
    told = wanted["provenance"]["test"]
    assert found.test.n_rounds == told["rounds"] == len(found) + 1
    assert found.test.n_tested == told["results"]
    assert found.test.n_significant == told["results_significant"]
    assert found.test.last_p > 0.7 and found.info["sizes"][0]["size"] == 1
    spikes = []
    for k, episode in enumerate(found):  # what was counted, not what the whole recording has
        times = found.occurrences(k)
        assert times.shape == (found.count[k], 2)
        spikes += [(u, t) for row in times.tolist() for u, t in zip(episode.units, row)]
    assert len(set(spikes)) == len(spikes)  # those of earlier rounds are gone
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again[1:].occurrences(0), found.occurrences(1))


def test_peeled_patterns_are_those_of_the_command(brief, run):
    wanted = run(
        "patterns", MACAQUE, *PATTERNS_OF_BRIEF, "--test", "exact", "--peel", "--peel-max", "2",
        "--surrogates", "4", "--alpha", "0.8", "--seed", "2", "--null", "interval-jitter", stop=BRIEF,
    )
    found = sm.patterns(
        brief, **OF_PATTERNS_OF_BRIEF, test="exact", peel=2, surrogates=4, alpha=0.8, seed=2,
        null="interval-jitter",
    )
    assert 0 < len(found) <= 2
    check_same(found, wanted, ("score", "p", "meaning", "round"))
    assert found.count.tolist() == [p["occurrences"] for p in wanted["patterns"]]
    for k in range(len(found)):
        assert found.occurrences(k).size == found.count[k]
        assert found.spike_times(k).shape == (found.count[k], found.size[k])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"test": None}, "exact"),
        ({"report": "all"}, "report"),
        ({"checkpoint": "x.spk"}, "checkpoint"),
        ({"top": 3}, "top"),
        ({"peel": 1.5}, "peel"),
    ],
)
def test_what_does_not_go_with_peeling_is_refused(part, options, text):
    options = {"test": "exact", "peel": True, **options}
    with pytest.raises(ValueError, match=text):
        sm.episodes(part, ["5ms:10ms"], 40, **options)
    with pytest.raises(ValueError, match=text):
        sm.patterns(part, "5ms", 3, support=30, **options)


# ---- comparing -------------------------------------------------------------------------------

COMPARED = (
    "count_a", "count_b", "rate_a_hz", "rate_b_hz", "difference_hz", "lower_hz", "upper_hz",
    "more_in", "z", "p",
)


@pytest.fixture
def trials(tmp_path):
    """Twelve trials and a label of each, as files and as objects."""
    pairs = [(k / 2, k / 2 + 0.5) for k in range(12)]
    labels = ["go" if k % 3 else "stop" for k in range(12)]
    (tmp_path / "trials.txt").write_text("".join(f"{a} {b}\n" for a, b in pairs))
    (tmp_path / "labels.txt").write_text("\n".join(labels) + "\n")
    return pairs, labels, str(tmp_path / "trials.txt"), str(tmp_path / "labels.txt")


def test_trials_are_compared_as_by_the_command(part, run, trials):
    pairs, labels, trial_file, label_file = trials
    rec = part.cut(pairs)
    common = ("--trials", trial_file, "--compare-trials", label_file, "--report", "all",
              "--permutations", "199", "--seed", "5")
    options = dict(report="all", permutations=199, seed=5)
    wanted = run("episodes", MACAQUE, *EPISODES, *common, "--distinct-units", "2")
    found = sm.compare(rec, labels, ["5ms:10ms"], 60, max_size=2, distinct_units=2, **options)
    assert isinstance(found, sm.Episodes) and len(found) > 5
    check_same(found, wanted, COMPARED)
    told = wanted["provenance"]["comparison"]
    assert found.test.labels == ("go", "stop") == (told["a"]["label"], told["b"]["label"])
    assert found.test.trials == (8, 4) and found.test.duration_s == (4.0, 2.0)
    assert found.test.n_tested == told["results"]
    assert found.test.smallest_p == pytest.approx(told["smallest_p"])
    assert found.test.critical_z == pytest.approx(told["critical_z"])
    named = sm.compare(rec, label_file, ["5ms:10ms"], 60, max_size=2, distinct_units=2, **options)
    assert named.to_dict()["episode"] == found.to_dict()["episode"]
    wanted = run("episodes", MACAQUE, *EPISODES, *common, "--distinct-units", "2", "--families")
    found = sm.compare(rec, labels, ["5ms:10ms"], 60, max_size=2, distinct_units=2, families=True, **options)
    check_same(found, wanted, (*COMPARED, "members", "family_occurrences"))
    wanted = run("episodes", MACAQUE, *EPISODES, *common, "--order", "count")
    found = sm.compare(rec, labels, ["5ms:10ms"], 60, max_size=2, order="count", **options)
    check_same(found, wanted, COMPARED)
    with pytest.raises(ValueError, match="order cannot go with families"):
        sm.compare(rec, labels, ["5ms:10ms"], 60, order="count", families=True)

    wanted = run("patterns", MACAQUE, *PATTERNS, *common, "--top", "7")
    found = sm.compare(rec, np.array(labels), **OF_PATTERNS, top=7, **options)
    assert isinstance(found, sm.Patterns) and len(found) == 7
    check_same(found, wanted, COMPARED)
    assert np.all(np.array(found.columns["count_a"]) + found.columns["count_b"] == found.count)


def test_labels_are_of_the_trials_that_were_given(part, trials):
    """In whatever order; and the pieces of a trial share its label. Bytes are texts."""
    pairs, labels, _, _ = trials
    options = dict(max_size=2, report="all", permutations=199)
    wanted = sm.compare(part.cut(pairs), labels, ["5ms:10ms"], 60, **options)
    in_bytes = sm.compare(part.cut(pairs), np.array(labels, "S"), ["5ms:10ms"], 60, **options)
    assert in_bytes.test.labels == wanted.test.labels and repr(in_bytes) == repr(wanted)
    order = np.random.default_rng(1).permutation(12)
    given = part.cut([pairs[k] for k in order])
    found = sm.compare(given, [labels[k] for k in order], ["5ms:10ms"], 60, **options)
    for name, column in wanted.to_dict().items():
        assert list(found.to_dict()[name]) == list(column)
    pieces = given.restrict([(0.25, 3.1), (3.2, 6)])
    found = sm.compare(pieces, [labels[k] for k in order], ["5ms:10ms"], 60, **options)
    assert len(pieces.segments) == 13 and found.test.trials == (8, 4)
    assert sum(found.test.duration_s) == pytest.approx(6 - 0.25 - 0.1)


def test_recordings_are_compared_as_by_the_command(command, part, trials, tmp_path):
    pairs, _, trial_file, _ = trials
    other = sm.Recording(
        (part.times + 0.1).round(3) % 8, [part.labels[u] for u in part.units], sort=True
    )
    other.write(tmp_path / "b.txt")
    done = subprocess.run(
        [command, "episodes", MACAQUE, "--compare", str(tmp_path / "b.txt"), *EPISODES,
         "--trials", trial_file, "--report", "all", "--format", "json", "-q"],
        capture_output=True, text=True, check=True,
    )
    a, b = part.cut(pairs), sm.read(tmp_path / "b.txt").cut(pairs)
    found = sm.compare(a, b, ["5ms:10ms"], 60, max_size=2, report="all")
    check_same(found, json.loads(done.stdout), COMPARED)
    assert found.test.labels == ("movement_PGHF.spikes.txt", "b.txt")
    assert len(found.recording.segments) == 24
    _, segment = found.occurrences(0, with_segment=True)
    assert [np.sum(segment < 12), np.sum(segment >= 12)] == [found.count_a[0], found.count_b[0]]
    assert len(sm.compare(a, b, ["5ms:10ms"], 60, max_size=2)) == found.test.n_significant


def test_wrong_comparisons_are_refused(part, trials):
    pairs, labels, *_ = trials
    rec = part.cut(pairs)
    for conditions, text in (
        (labels[:-1], "11 labels"),
        (["a"] * 12, "a"),
        (list("abc") * 4, "third label"),
        (["a"] * 11 + ["b"], "too few"),
        (["a"] * 6 + [None] * 6, "trial 7 has no label, but None"),
        (np.repeat([1.0, np.nan], 6), "trial 7 has no label, but nan"),
        (part, "segment"),
    ):
        with pytest.raises(ValueError, match=text):
            sm.compare(rec, conditions, ["5ms:10ms"], 40)
    with pytest.raises(ValueError, match="segment"):
        sm.compare(part, labels, ["5ms:10ms"], 40)
    with pytest.raises(TypeError, match="delays"):
        sm.compare(rec, labels)
    with pytest.raises(TypeError, match="support"):
        sm.compare(rec, labels, ["5ms:10ms"])
    with pytest.raises(ValueError, match="min_spikes needs bin: it is for patterns"):
        sm.compare(rec, labels, ["5ms:10ms"], 40, min_spikes=3)
    with pytest.raises(ValueError, match="core"):
        sm.compare(rec, labels, ["5ms:10ms"], 40, report="core")


# ---- calibrating -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("search", "options", "more", "others"),
    [
        (EPISODES_OF_BRIEF, OF_BRIEF, (), {}),
        (
            EPISODES_OF_BRIEF,
            OF_BRIEF,
            ("--calibrate-method", "dither-spikes", "--jitter", "10ms,25ms", "--alpha", "0.4"),
            dict(method="dither-spikes", jitter=("10ms", "25ms"), alpha=0.4),
        ),
        (PATTERNS_OF_BRIEF, OF_PATTERNS_OF_BRIEF, ("--alpha", "0.3"), dict(alpha=0.3)),
        (
            PATTERNS_OF_BRIEF,
            OF_PATTERNS_OF_BRIEF,
            ("--calibrate-method", "shift-apart", "--null", "pattern-jitter", "--alpha", "0.3"),
            dict(method="shift-apart", null="pattern-jitter", alpha=0.3),
        ),
    ],
)
def test_calibrations_are_those_of_the_command(brief, run, search, options, more, others):
    what = "patterns" if search is PATTERNS_OF_BRIEF else "episodes"
    wanted = run(what, MACAQUE, *search, "--test", "exact", "--calibrate", "3", "--seed", "4", *more, stop=BRIEF)
    found = sm.calibrate(brief, **options, runs=3, seed=4, **others)
    assert found.surrogates == wanted["surrogates"] and found.method == wanted["method"]
    table = found.to_dict()
    for name, column in table.items():
        assert np.allclose(column, [row[name] for row in wanted["runs"]]), name
    assert set(table) == set(wanted["runs"][0])
    for rate, other in zip(found.rates, wanted["rates"], strict=True):
        assert (rate.alarms, rate.share) == (other["alarms"], pytest.approx(other["share"]))
        assert (rate.low, rate.high) == pytest.approx((other["low"], other["high"]))
        assert rate.promised == pytest.approx(other["promised"])
    assert "3 runs" in repr(found) and len(found) == 3 and len(set(found.p)) > 1


def test_calibrating_needs_a_search(part):
    with pytest.raises(TypeError, match="delays"):
        sm.calibrate(part)
    with pytest.raises(ValueError, match="runs"):
        sm.calibrate(part, ["5ms:10ms"], 40, runs=0)
    with pytest.raises(ValueError, match="no_such"):
        sm.calibrate(part, ["5ms:10ms"], 40, runs=1, method="no_such")


# ---- suggesting ------------------------------------------------------------------------------


@pytest.mark.parametrize(("stop", "events", "tried"), [("8s", 50000, 1146), ("22s", 400, 399)])
def test_suggestions_are_those_of_the_command(command, stop, events, tried):
    """With all spikes something is suggested, with the fewest nothing."""
    path = str(DATA / "songbird_spikes.txt")
    done = subprocess.run(
        [command, "info", path, "--suggest", "--suggest-events", str(events), "--stop", stop,
         "--sort", "--format", "json", "-q", "--suggest-time", "600s"],
        capture_output=True, text=True, check=True,
    )
    wanted = json.loads(done.stdout)
    rec = sm.read(path, stop=stop)
    found = sm.suggest(rec, events=events, time="600s")
    assert found.left_out == 0 and found.tried_events == tried and (found.options is None) == (events == 400)
    table = found.to_dict()
    assert len(found) == len(wanted["tried"]) and found.tried_events == wanted["tried_events"]
    for k, row in enumerate(wanted["tried"]):
        for name, value in row.items():
            mine = table[name][k]
            if name.startswith("chance"):
                assert mine == pytest.approx(value, abs=0.051)
            elif value is None:
                assert np.isnan(mine)
            else:
                assert mine == value, (k, name)
    assert found.finding == wanted["finding"] and wanted["finding"] in repr(found)
    line = wanted["suggestion"]
    if found.options is None:
        assert line == "none"
        return
    for delay in found.options["delays"]:
        assert f"--delay {delay}" in line
    for name in ("support", "link_share", "max_size", "distinct_units", "jitter", "surrogates", "alpha"):
        if name in found.options:
            assert f"--{name.replace('_', '-')} {found.options[name]}" in line
        else:
            assert f"--{name.replace('_', '-')}" not in line
    assert found.n_tested == wanted.get("suggestion_tested")
    assert found.n_results == wanted.get("suggestion_results")


def test_own_sets_of_delays(part):
    found = sm.suggest(part, [["0:5ms"], "5ms:10ms"], events=3000, time="600s")
    assert found.tried["delays"] == [["0:5ms"]] * 2 + [["5ms:10ms"]] * 2
    assert np.all(found.tried["chance_2"] >= 0)
    hasty = sm.suggest(part, [["0:5ms"], "5ms:10ms"], time="1us")
    assert len(hasty) == 4 and hasty.left_out == 0
    with pytest.raises(ValueError, match="sets"):
        sm.suggest(part, [])
    with pytest.raises(ValueError, match="alpha"):
        sm.suggest(part, alpha=1)
