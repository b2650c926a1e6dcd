"""What all tests of the package use. The package is the one that is installed, or that of a build
tree (PYTHONPATH=build/release/python)."""

import os
import pathlib

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("cffi")

SOURCE = pathlib.Path(__file__).resolve().parents[3]
DATA = SOURCE / "data"
SEED = int(os.environ.get("SPIKEMINE_TEST_SEED", "0")) or int.from_bytes(os.urandom(4), "little")


def pytest_report_header():
    return f"seed {SEED}, repeat with SPIKEMINE_TEST_SEED={SEED}"


@pytest.fixture
def random():
    return np.random.default_rng(SEED)


@pytest.fixture(scope="session")
def macaque():
    import spikemine

    return spikemine.read(DATA / "movement_PGHF.spikes.txt")


@pytest.fixture(scope="session")
def command():
    """The command of the same build."""
    path = os.environ.get("SPIKEMINE", str(SOURCE / "build/release/cli/spikemine"))
    if not os.access(path, os.X_OK):
        pytest.skip(f"no command {path}; build it or set SPIKEMINE")
    return path


def draw(random, n=400, n_units=6, seconds=4.0):
    """Times on a grid of a millisecond and the unit of each."""
    times = np.sort(random.choice(int(seconds * 1000), n)) / 1000.0
    return times, random.integers(0, n_units, n)
