"""Mistakes that beginners make: each message says what is wrong, where, and what to write."""

import warnings

import numpy as np
import pytest
import spikemine as sm

TIMES = np.sort(np.random.default_rng(1).uniform(0, 20, 2000).round(4))
UNITS = np.arange(2000) % 40


class SpikeTrain:
    """Looks like none of the objects that are known."""


def found():
    return sm.episodes(sm.Recording(TIMES, UNITS), ["0:5ms"], 10**6)


def table(**columns):
    return sm.Recording(pytest.importorskip("pandas").DataFrame(columns))


MISTAKES = [
    (lambda: sm.Recording(TIMES, UNITS, time_unit="msec"), ["time_unit='msec'", "s, ms, us"]),
    (lambda: sm.Recording(TIMES, unit=UNITS), ["no argument 'unit'", "did you mean 'units'"]),
    (lambda: sm.Recording(TIMES), ["ndarray", "give times and units"]),
    (lambda: sm.Recording(TIMES, UNITS[1:]), ["2000 times, but 1999 units"]),
    (lambda: sm.Recording(UNITS, TIMES), ["are times and units swapped"]),
    (lambda: sm.Recording([TIMES[::-1], TIMES]), ["unit 0: time 1 is", "before time 0", "sort=True"]),
    (lambda: table(spike_t=TIMES, nr=UNITS), ["spike_t, nr", "none is called time or unit", "Recording(table['spike_t'], table['nr'])"]),
    (lambda: table(t0=TIMES, unit=UNITS), ["none is called time;", "Recording(table['t0'], table['unit'])"]),
    (lambda: sm.Recording(SpikeTrain()), ["cannot be made from SpikeTrain", "give times and units"]),
    (lambda: sm.episodes(TIMES, ["0:5ms"], 10), ["ndarray", "give times and units"]),
    (lambda: sm.episodes(sm.sample(), (0, 0.005), 10), ["0 is no interval", "'5ms:10ms'", "seconds"]),
    (lambda: sm.episodes(sm.sample(), ["5:10"], 10), ["'5'", "has no unit", "5ms"]),
    (lambda: sm.episodes(sm.sample(), ["5ms"], 10), ["'5ms'", "write LO:HI"]),
    (lambda: sm.episodes(sm.sample(), ["10ms:5ms"], 10), ["(10ms,5ms]", "must be below"]),
    (lambda: sm.episodes(sm.sample(), ["0:50ms"]), ["needs support", "'0.1%'"]),
    (lambda: sm.episodes(sm.sample()), ["needs delays", "sm.suggest", "and support, a number"]),
    (lambda: sm.episodes(sm.sample(), ["0:50ms"], 10, test="t-test"), ["test='t-test'", "'exact'"]),
    (lambda: sm.episodes(sm.sample(), ["0:50ms"], -3), ["support=-3", "at least 1"]),
    (lambda: sm.episodes(sm.sample(), ["0:50ms"], 0.5), ["support=0.5", "a share is text: '0.1%'"]),
    (lambda: sm.sequences(sm.sample(), jitter=50), ["a jitter of 50s and a longest lag of 32/30s", "at most 4 times the longest lag"]),
    (lambda: found()[0], ["row 0", "nothing was found, or chosen"]),
    (lambda: found().occurrences(3), ["row 3", "nothing was found, or chosen"]),
    (lambda: sm.read("."), [".: is a directory", "give a file in it"]),
    (lambda: sm.read("none.txt"), ["none.txt: cannot open", "check the name"]),
]  # fmt: skip


@pytest.mark.parametrize("mistake, words", MISTAKES)
def test_a_mistake_is_told_with_its_remedy(mistake, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError, IndexError, OSError)) as told:
        mistake()
    assert [word for word in words if word not in str(told.value)] == []


DOUBTS = [
    (lambda: sm.Recording(TIMES * 1000, UNITS), "is the unit of time right (time_unit='ms', or rate="),
    (lambda: sm.Recording((TIMES * 30000).astype(int), UNITS), "for samples give rate, such as rate=30000"),
    (lambda: sm.episodes(sm.Recording(TIMES, UNITS), [(0, 5)], 40, max_size=2), "as in 5ms? Numbers are seconds"),
    (lambda: sm.patterns(sm.sample(), "5ms", 5, support=10), "points of the grid of 1/30s on which all times lie, so that counts and lags beat"),
    (lambda: sm.Recording(TIMES, UNITS).slice("100s", "200s"), "no spike lies in this slice"),
    (lambda: sm.episodes(sm.sample(), ["0:50ms"], 40, test="exact", jitter=250, surrogates=19), "jitter: 250 s, and the recording lasts 22.2 s: "),
    (lambda: sm.count(sm.sample(), ["12 (0,50ms] 17"], test="exact", jitter=6, surrogates=19), "as in 25ms? Numbers are seconds"),
    (lambda: sm.sequences(sm.Recording(TIMES[::8], UNITS[::8]), longest_lag=20, jitter=5, max_sequences=1, surrogates=1), "longest_lag: 20 s is "),
]  # fmt: skip


@pytest.mark.parametrize("doubtful, words", DOUBTS)
def test_what_may_be_a_mistake_is_doubted(doubtful, words):
    with pytest.warns(UserWarning) as told:
        doubtful()
    assert any(words in str(warning.message) for warning in told)


def test_messages_name_arguments_of_python(tmp_path):
    """What an error tells to pass can be passed."""
    np.save(tmp_path / "spike_times.npy", np.array([30, 60, 90, 150]))
    np.save(tmp_path / "spike_clusters.npy", np.array([1, 2, 1, 2]))
    with pytest.raises(ValueError, match="pass time_unit=\"samples@RATE\", for example samples@30000"):
        sm.read(tmp_path)
    told = sm.read(tmp_path, time_unit="samples@30000")
    assert told.rate == 30000 and told.ticks.tolist() == [30, 60, 90, 150]
    same = sm.Recording([30, 60, 90, 150], [1, 2, 1, 2], time_unit="samples@30000")
    assert same.rate == 30000 and same.ticks.tolist() == told.ticks.tolist()
    (tmp_path / "pairs.txt").write_text("1.5 2.5\n2.5 3.5\n3.5 1.5\n")
    told = sm.read(tmp_path / "pairs.txt", time_column="2", unit_column="1", sort=True)
    assert told.times.tolist() == [1.5, 2.5, 3.5] and told.labels == ["1.5", "2.5", "3.5"]


@pytest.mark.parametrize(
    "told, wanted",
    [
        ("a.mat: ascend: pass --sort to put them", "a.mat: ascend: pass sort=True to put them"),
        ("leave --time-unit out, or raise --max-memory so", "leave time_unit out, or raise max_memory so"),
        ("read with --input-format matlab --time-column t", 'read with format="matlab" time_column="t"'),
        ("pass --time-column and --unit-column with names", "pass time_column and unit_column with names"),
        ("pass --columns unit,time", 'pass time_column="2", unit_column="1"'),
        ("earlier, --start=0.5ms", 'earlier, start="0.5ms"'),
        ("my--sort.txt: no --no-such-option, -- or --x", "my--sort.txt: no --no-such-option, -- or --x"),
    ],
)
def test_options_are_spelt_as_arguments(told, wanted):
    from spikemine._spelling import in_python

    assert in_python(told) == wanted


def test_unit_of_time_of_a_table():
    """A name tells it, an argument decides, and what has a unit of its own takes none."""
    pandas = pytest.importorskip("pandas")
    seconds = sm.Recording(TIMES, UNITS)
    milliseconds = pandas.DataFrame({"cell": UNITS, "Time_ms": TIMES * 1000})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.allclose(sm.Recording(milliseconds).times, seconds.times)
    milliseconds.columns = ["cell", "time"]
    assert np.allclose(sm.Recording(milliseconds, time_unit="ms").times, seconds.times)
    with pytest.raises(ValueError, match="TsGroup has a unit of time"):
        sm.Recording(pytest.importorskip("pynapple").TsGroup({1: TIMES}), time_unit="ms")
