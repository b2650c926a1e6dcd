"""spikemine patterns against Elephant's SPADE: concepts, spectra and moving-window filtering.

Elephant brings two miners, the C++ module `fim` and a pure Python one; both are asked where they
are installed. The command is build/release/cli/spikemine, or what SPIKEMINE names. Random inputs
come from SPIKEMINE_TEST_SEED, or a seed that the test prints.
"""

import functools
import os
import pathlib
import random
import shutil
import subprocess
import time

import pytest

np = pytest.importorskip("numpy")
neo = pytest.importorskip("neo")
pq = pytest.importorskip("quantities")
spade = pytest.importorskip("elephant.spade")
fast_fca = pytest.importorskip("elephant.spade_src.fast_fca")
pytestmark = pytest.mark.filterwarnings("ignore")

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SPIKEMINE", str(SOURCE / "build/release/cli/spikemine"))
MINERS = ["fim", "python"] if spade.HAVE_FIM else ["python"]
BIN_MS = 5


@pytest.fixture(scope="module", autouse=True)
def command():
    if shutil.which(COMMAND) is None:
        pytest.skip(f"no command {COMMAND}; build it or set SPIKEMINE")


def use_python_miner(monkeypatch):
    """The concepts' `<` of the Python miner is true for any two (Elephant 1.2.1: it returns -1 or
    1), so its list of concepts is not in order and holds some of them several times, all copies of
    which the moving-window filter then drops. Any order with smaller intents first is right."""
    monkeypatch.setattr(spade, "HAVE_FIM", False)
    monkeypatch.setattr(
        fast_fca.FormalConcept,
        "__lt__",
        lambda self, other: (len(self.intentIndexes), self.intentIndexes)
        < (len(other.intentIndexes), other.intentIndexes),
    )


@pytest.fixture(params=MINERS)
def miner(request, monkeypatch):
    """Makes Elephant use one of its miners."""
    if request.param == "python":
        use_python_miner(monkeypatch)
    return request.param


@pytest.fixture(params=["bitmap", "fpgrowth"])
def engine(request):
    return request.param


def bundled(first_bin, n_bins, n_units):
    """A piece of the bundled recording: a set of bins per unit."""
    raster = [set() for _ in range(n_units)]
    with open(SOURCE / "data/movement_PGHF.spikes.txt", encoding="ascii") as lines:
        for line in lines:
            seconds, unit = line.split()
            spike_bin = round(float(seconds) * 1000 / BIN_MS) - first_bin
            if 0 <= spike_bin < n_bins and int(unit) < n_units:
                raster[int(unit)].add(spike_bin)
    return raster


def small_rasters(n):
    """Random rasters with a planted pattern, and what to ask of each."""
    seed = int(os.environ.get("SPIKEMINE_TEST_SEED", time.time()))
    print(f"SPIKEMINE_TEST_SEED={seed}")
    generator = random.Random(seed)
    for _ in range(n):
        n_units = generator.randint(2, 6)
        n_bins = generator.randint(20, 60)
        rate = generator.uniform(0.03, 0.2)
        raster = [{b for b in range(n_bins) if generator.random() < rate} for _ in range(n_units)]
        for _ in range(generator.randint(2, 4)):
            start = generator.randrange(n_bins - 6)
            raster[0].add(start)
            raster[1].add(start + 2)
            raster[-1].add(start + 5)
        yield raster, {
            "window": generator.randint(1, 10),
            "min_occ": generator.randint(2, 4),
            "min_spikes": generator.randint(1, 3),
            "min_neu": generator.randint(1, 3),
        }


def windows_of(raster, window):
    """The transactions, one per bin with a spike (semantics of SPADE, written down directly)."""
    starts = sorted(set().union(*raster))
    return [
        [
            unit * window + lag
            for unit, bins in enumerate(raster)
            for lag in range(window)
            if start + lag in bins
        ]
        for start in starts
    ]


def elephant(raster, window, report="a", **limits):
    n_bins = max(max(bins, default=0) for bins in raster) + 1
    trains = [
        neo.SpikeTrain(
            (np.array(sorted(bins), dtype=float) + 0.5) * BIN_MS * pq.ms,
            t_start=0 * pq.ms,
            t_stop=n_bins * BIN_MS * pq.ms,
        )
        for bins in raster
    ]
    result, _ = spade.concepts_mining(trains, BIN_MS * pq.ms, window, report=report, **limits)
    if report != "a":
        return sorted(tuple(int(value) for value in row) for row in result)
    return sorted((tuple(sorted(map(int, intent))), len(extent)) for intent, extent in result)


def spikemine(tmp_path, raster, window, source, engine, *more, **limits):
    """Runs the command; rows of its table below the header."""
    path = tmp_path / "input.txt"
    if source == "transactions":
        text = "".join(" ".join(map(str, items)) + "\n" for items in windows_of(raster, window))
        arguments = ["--input-format", "transactions"]
    else:
        spikes = sorted((b, unit) for unit, bins in enumerate(raster) for b in bins)
        text = "".join(f"{b * BIN_MS / 1000:.3f} {unit}\n" for b, unit in spikes)
        arguments = ["--bin", f"{BIN_MS}ms", "--columns", "time,unit"]
    path.write_text(text, encoding="ascii")
    names = {
        "min_occ": "--support",
        "min_spikes": "--min-spikes",
        "min_neu": "--min-neurons",
        "max_spikes": "--max-spikes",
        "max_occ": "--max-occurrences",
    }
    for name, value in limits.items():
        arguments += [names[name], str(value)]
    arguments += ["--window", str(window), "--engine", engine, *more]
    done = subprocess.run(
        [COMMAND, "patterns", str(path), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def patterns_of(rows, window):
    found = []
    for spikes, occurrences, _, _, pattern in rows:
        items = []
        for spike in pattern.split():
            unit, lag = spike.split("@")
            items.append(int(unit) * window + int(lag))
        assert len(items) == int(spikes)
        found.append((tuple(sorted(items)), int(occurrences)))
    return sorted(found)


def all_windows_equal(raster, window):
    """Elephant then reports that one transaction whatever the limits are."""
    windows = windows_of(raster, window)
    return all(items == windows[0] for items in windows)


@pytest.mark.parametrize("source", ["transactions", "spikes"])
def test_concepts_of_random_rasters(tmp_path, miner, engine, source):
    compared = 0
    for raster, limits in small_rasters(15):
        if all_windows_equal(raster, limits["window"]):
            continue
        rows = spikemine(tmp_path, raster, source=source, engine=engine, **limits)
        ours = patterns_of(rows, limits["window"])
        assert ours == elephant(raster, **limits)
        compared += len(ours)
    assert compared > 0


@pytest.mark.parametrize("dimensions", ["2d", "3d"])
def test_spectra_of_random_rasters(tmp_path, miner, engine, dimensions):
    for raster, limits in small_rasters(15):
        if all_windows_equal(raster, limits["window"]):
            continue
        rows = spikemine(tmp_path, raster, limits["window"], "transactions", engine,
                         "--spectrum", dimensions,
                         **{name: limits[name] for name in limits if name != "window"})
        ours = sorted(tuple(map(int, row)) for row in rows)
        assert ours == elephant(raster, report="#" if dimensions == "2d" else "3d#", **limits)


def test_limits_above_against_the_python_miner(tmp_path, engine, monkeypatch):
    """With a maximum of spikes `fim` reports some sets that are not closed; the Python miner does
    not. Only that one applies the maximum of occurrences."""
    use_python_miner(monkeypatch)
    for raster, limits in small_rasters(15):
        limits["max_spikes"] = limits["min_spikes"] + 1
        limits["max_occ"] = limits["min_occ"] + 2
        rows = spikemine(tmp_path, raster, source="transactions", engine=engine, **limits)
        ours = patterns_of(rows, limits["window"])
        assert ours == elephant(raster, **limits)


def test_without_the_moving_window_step(tmp_path, miner, engine, monkeypatch):
    monkeypatch.setattr(
        spade, "_filter_for_moving_window_subsets", lambda concepts, winlen: concepts
    )
    for raster, limits in small_rasters(15):
        if all_windows_equal(raster, limits["window"]):
            continue
        window = limits.pop("window")
        rows = spikemine(tmp_path, raster, window, "transactions", engine,
                         "--moving-window-filter", "off", **limits)
        assert patterns_of(rows, window) == elephant(raster, window, **limits)


PIECE_LIMITS = {"min_occ": 10, "min_spikes": 3, "min_neu": 3}


@functools.lru_cache(maxsize=None)
def piece(first_bin):
    """A piece of a recording, and its patterns and spectra by Elephant, which takes seconds for them."""
    raster = bundled(first_bin, 500, 150)
    return raster, [elephant(raster, 20, report, **PIECE_LIMITS) for report in ("a", "#", "3d#")]


@pytest.mark.skipif(not spade.HAVE_FIM, reason="the Python miner is too slow for recordings")
@pytest.mark.parametrize("first_bin", [0, 1500, 3000])
def test_pieces_of_a_recording(tmp_path, engine, first_bin):
    raster, (theirs, *spectra) = piece(first_bin)
    assert len(theirs) > 100
    for source in ("transactions", "spikes"):
        rows = spikemine(tmp_path, raster, 20, source, engine, **PIECE_LIMITS)
        assert patterns_of(rows, 20) == theirs
    for dimensions, spectrum in zip(("2d", "3d"), spectra):
        rows = spikemine(
            tmp_path, raster, 20, "transactions", engine, "--spectrum", dimensions, **PIECE_LIMITS
        )
        ours = sorted(tuple(map(int, row)) for row in rows)
        assert ours == spectrum
