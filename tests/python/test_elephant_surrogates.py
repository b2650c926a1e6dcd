"""spikemine surrogates against Elephant's surrogates of the same trains: two-sample tests with fixed
seeds of the number of spikes, displacements, intervals and rates; and where Elephant errs, both
answers.

Times are whole ticks of 1/32 ms, so that they are exact in both programs.
"""

import os
import pathlib
import random
import shutil
import subprocess

import pytest

np = pytest.importorskip("numpy")
neo = pytest.importorskip("neo")
pq = pytest.importorskip("quantities")
stats = pytest.importorskip("scipy.stats")
surr = pytest.importorskip("elephant.spike_train_surrogates")
pytestmark = pytest.mark.filterwarnings("ignore")

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SPIKEMINE", str(SOURCE / "build/release/cli/spikemine"))
TICK = 1 / 32  # ms
STOP = 20000.0  # ms
N = 12  # surrogates
DITHER = 15.0  # ms
BIN = 5.0


@pytest.fixture(scope="module", autouse=True)
def command():
    if shutil.which(COMMAND) is None:
        pytest.skip(f"no command {COMMAND}; build it or set SPIKEMINE")


def draw_train(seed, start=0.0):
    """A gamma process of some 30 Hz with a dead time of 3 ms: times in ms."""
    generator = np.random.default_rng(seed)
    intervals = 3 + generator.gamma(2.0, 15.0, size=2000)
    times = np.round((start + np.cumsum(intervals)) / TICK) * TICK
    return times[times < start + STOP]


def ours(folder, times, *options, start=0.0, stop=None, n=N):
    """Surrogates of the command: a list of arrays of times in ms."""
    stop = start + STOP if stop is None else stop
    with open(folder / "rec.txt", "w", encoding="ascii") as out:
        out.write("# spikemine rate 32000\n")
        out.write(f"# spikemine segment {start / 1000:.8f}s {stop / 1000:.8f}s\n")
        for time in times:
            out.write(f"{time / 1000:.8f} a\n")
    target = folder / "made"
    subprocess.run(
        [COMMAND, "surrogates", folder / "rec.txt", "-q", "-o", target, "--force", "-n", str(n)]
        + ["--seed", "5", *options],
        check=True,
    )
    made = []
    for k in range(1, n + 1):
        with open(target / f"surrogate-{k:04d}.txt", encoding="ascii") as lines:
            rows = [line.split() for line in lines if line[0] not in "#t"]
        made.append(np.sort([round(float(row[0]) * 1000 / TICK) * TICK for row in rows]))
    return made


def theirs(times, method, start=0.0, n=N, **options):
    np.random.seed(11)
    random.seed(12)
    train = neo.SpikeTrain(times * pq.ms, t_start=start * pq.ms, t_stop=(start + STOP) * pq.ms)
    return [s.magnitude for s in surr.surrogates(train, n_surrogates=n, method=method, **options)]


def joined(function, trains):
    return np.concatenate([function(train) for train in trains])


def same(a, b, tick=TICK):
    """Two samples of one distribution. Ours are whole ticks: a uniform part of a tick is added."""
    generator = np.random.default_rng(3)
    a = a + generator.uniform(-tick / 2, tick / 2, len(a))
    b = b + generator.uniform(-tick / 2, tick / 2, len(b))
    p = stats.ks_2samp(a, b).pvalue
    assert p > 1e-3, p


METHODS = {
    "dither-spikes": {},
    "dither-spikes-with-refractory-period": {"refractory_period": 4 * pq.ms},
    "dither-spike-train": {},
    "jitter-spikes": {},
    "randomise-spikes": {},
    "shuffle-isis": {},
    "joint-isi-dithering": {"dither": DITHER * pq.ms},
    "isi-dithering": {"dither": DITHER * pq.ms},
    "bin-shuffling": {"bin_size": BIN * pq.ms},
}
KEEP_ORDER = ("dither-spikes-with", "joint", "isi")


def both(folder, method, seed=1):
    times = draw_train(seed)
    dither = [] if method in ("randomise-spikes", "shuffle-isis") else ["--dither", f"{DITHER}ms"]
    bins = ["--bin", f"{BIN}ms"] if method == "bin-shuffling" else []
    mine = ours(folder, times, "-m", method, *dither, *bins)
    other = theirs(times, method.replace("-", "_"), dt=DITHER * pq.ms, **METHODS[method])
    return times, mine, other


@pytest.mark.parametrize("method", METHODS)
def test_counts_rates_and_intervals(tmp_path, method):
    times, mine, other = both(tmp_path, method)
    lost = [len(times) - len(train) for train in mine]
    lost_there = [len(times) - len(train) for train in other]
    assert min(lost) >= 0 and max(lost) <= 2 and max(lost_there) <= 2
    if method not in ("dither-spikes", "dither-spike-train"):
        assert max(lost) == 0
    same(joined(np.diff, mine), joined(np.diff, other))
    same(np.concatenate(mine), np.concatenate(other))


@pytest.mark.parametrize("method", [m for m in METHODS if m.startswith(KEEP_ORDER)])
def test_displacements_of_methods_that_keep_order(tmp_path, method):
    times, mine, other = both(tmp_path, method)
    moved, moved_there = (np.concatenate([t - times for t in trains]) for trains in (mine, other))
    assert max(abs(moved)) <= DITHER
    shortest = min(4.0, min(np.diff(times)))
    assert min(joined(np.diff, mine)) >= shortest
    if method.startswith("dither"):
        assert max(abs(moved)) > DITHER - 0.5 and max(abs(moved_there)) > DITHER - 0.5
        same(moved, moved_there)
    else:  # spread, without the shift that Elephant's search makes; see below
        assert abs(np.std(moved) - np.std(moved_there)) < 0.05 * np.std(moved_there)


def test_displacements_of_a_lonely_spike(tmp_path):
    """A spike without neighbours, so that each displacement is seen: uniform, both ends reached."""
    times = np.arange(50.0, STOP - 50, 100.0)
    mine = ours(tmp_path, times, "-m", "dither-spikes", "--dither", f"{DITHER}ms")
    other = theirs(times, "dither_spikes", dt=DITHER * pq.ms)
    moved, moved_there = (np.concatenate([t - times for t in trains]) for trains in (mine, other))
    assert max(abs(moved)) <= DITHER and max(moved) > DITHER - 0.1 and min(moved) < 0.1 - DITHER
    same(moved, moved_there)


def test_trial_shifting(tmp_path):
    """Shifts round the ends of a short trial; all spikes by the same."""
    times = np.arange(8) * 7.0 + 2
    mine = ours(tmp_path, times, "-m", "trial-shifting", "--dither", "15ms", stop=60.0, n=300)
    np.random.seed(11)
    random.seed(12)
    train = neo.SpikeTrain(times * pq.ms, t_stop=60 * pq.ms)
    other = [s[0].magnitude for s in surr.trial_shifting([train], DITHER * pq.ms, n_surrogates=300)]
    same(np.concatenate(mine), np.concatenate(other))
    same(np.array([t[0] for t in mine]), np.array([t[0] for t in other]))
    for train in mine:
        shift = (train[0] - 2) % 7
        assert set(np.round((train - 2 - shift) % 60 % 7, 9)) <= {0.0, 4.0, 3.0, 7.0}


# ---- where Elephant errs: both answers ----------------------------------------------------------


@pytest.mark.parametrize("method", ["joint-isi-dithering", "isi-dithering"])
def test_row_5_the_dither_is_honoured(tmp_path, method):
    """surrogates(.., dt=5 ms) moves spikes by up to 15 ms all the same; ours by 5 ms."""
    times = draw_train(2)
    mine = ours(tmp_path, times, "-m", method, "--dither", "5ms")
    other = theirs(times, method.replace("-", "_"), dt=5 * pq.ms)
    assert 4 < max(abs(np.concatenate([t - times for t in mine]))) <= 5
    assert max(abs(np.concatenate([t - times for t in other]))) > 10


def test_row_6_windows_begin_at_the_start_once(tmp_path):
    """A train that begins at 1 s. Elephant adds the start twice to the edges of its windows: spikes
    go a second further, or it fails. Ours keep the number of spikes in each window."""
    start, window = 1000.0, 20.0
    times = draw_train(3, start)
    mine = ours(tmp_path, times, "-m", "jitter-spikes", "--dither", "20ms", start=start)
    edges = np.arange(start, start + STOP + window, window)
    for train in mine:
        assert (np.histogram(train, edges)[0] == np.histogram(times, edges)[0]).all()
    try:
        other = theirs(times, "jitter_spikes", start=start, dt=window * pq.ms)
    except (ValueError, IndexError):
        return
    kept = [(np.histogram(t, edges)[0] == np.histogram(times, edges)[0]).all() for t in other]
    assert not any(kept)


def test_row_8_bins_are_exact(tmp_path):
    """0.3 s are three bins of 0.1 s: windows of six bins. Elephant computes int(0.3 / 0.1) = 2 and
    shuffles in windows of four."""
    times = np.arange(10.0, STOP, 200.0) + 100 * (np.arange(len(np.arange(10.0, STOP, 200.0))) % 3 == 0)
    mine = ours(tmp_path, times, "-m", "bin-shuffling", "--dither", "0.3s", "--bin", "0.1s")
    other = theirs(times, "bin_shuffling", dt=0.3 * pq.s, bin_size=0.1 * pq.s)

    def keeps(trains, bins):
        edges = np.arange(0, STOP + 1, 100.0 * bins)[: int(STOP / 100 / bins) + 1]
        counts = np.histogram(times, edges)[0]
        return all((np.histogram(train, edges)[0] == counts).all() for train in trains)

    assert keeps(mine, 6) and not keeps(mine, 4)
    assert keeps(other, 4) and not keeps(other, 6)


def test_interval_steps_reach_both_ways(tmp_path):
    """Elephant's search skips the step farthest to the left, so that spikes come late on average;
    ours are as often early as late."""
    times = draw_train(4)
    mine = ours(tmp_path, times, "-m", "isi-dithering", "--dither", "5ms")
    other = theirs(times, "isi_dithering", dt=5 * pq.ms, dither=5 * pq.ms)
    first = np.arange(1, len(times) - 1, 2)  # those that move first
    steps, steps_there = (np.concatenate([(t - times)[first] for t in trains]) for trains in (mine, other))
    assert min(steps) < -4.5 and max(steps) > 4.5
    error = np.std(steps) / len(steps) ** 0.5
    assert abs(np.mean(steps)) < 4 * error
    assert np.mean(steps_there) > 4 * error
