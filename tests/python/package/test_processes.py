"""Ctrl-C, fork, and a library of another version."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import draw

import spikemine as sm

# A job in the background of a shell begins with Ctrl-C ignored.
LONG = """
import signal, sys, numpy as np, spikemine as sm
signal.signal(signal.SIGINT, signal.default_int_handler)
random = np.random.default_rng(1)
rec = sm.Recording(np.sort(random.random(60000)) * 60, random.integers(0, 40, 60000))
print("ready", flush=True)
try:
    sm.patterns(rec, "5ms", 20, support=3, surrogates=100000, threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""


def test_ctrl_c_ends_a_long_call():
    worker = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert worker.stdout.readline() == "ready\n"
    time.sleep(0.5)
    worker.send_signal(signal.SIGINT)
    said, _ = worker.communicate(timeout=60)
    assert said == "interrupted\n" and worker.returncode == 3


def test_a_forked_child_works(random):
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    rec = sm.Recording(*draw(random))
    wanted = sm.episodes(rec, ["0:5ms"], 5).count
    child = os.fork()
    if child == 0:
        same = np.array_equal(sm.episodes(rec, ["0:5ms"], 5).count, wanted)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_missing_library_is_named(tmp_path):
    environment = {**os.environ, "SPIKEMINE_LIBRARY": str(tmp_path / "none.so")}
    done = subprocess.run(
        [sys.executable, "-c", "import spikemine"], env=environment, capture_output=True, text=True
    )
    assert done.returncode != 0 and "none.so" in done.stderr


def test_another_version_is_refused(tmp_path):
    """A library that calls itself 99.9 in place of the package's version."""
    compiler = os.environ.get("CC", "cc")
    source = tmp_path / "other.c"
    source.write_text('const char *spk_version(void) { return "99.9"; }\n')
    built = subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "other.so", source])
    if built.returncode != 0:
        pytest.skip("no compiler")
    environment = {**os.environ, "SPIKEMINE_LIBRARY": str(tmp_path / "other.so")}
    done = subprocess.run(
        [sys.executable, "-c", "import spikemine"], env=environment, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "99.9" in done.stderr and sm.__version__ in done.stderr
