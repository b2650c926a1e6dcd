"""Types that a checker sees: rows of results are no Any."""

import os
import pathlib
import subprocess
import sys

import pytest
import spikemine as sm

HEAD = """import numpy as np
import spikemine as sm
rec = sm.sample()
ep, pat = sm.episodes(rec, ["0:50ms"], 10), sm.patterns(rec, "5ms", 3, support=10)
seq = sm.sequences(rec, longest_lag="50ms", jitter="50ms")
"""
FLOATS = "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]"
TYPES = {
    "ep[0]": "spikemine._episodes.Episode",
    "ep[np.int64(0)].units": "tuple[str, ...]",
    "ep[:3]": "spikemine._episodes.Episodes",
    "ep[ep.count > 3]": "spikemine._episodes.Episodes",
    "pat[[0, 1]]": "spikemine._patterns.Patterns",
    "pat[0]": "spikemine._patterns.Pattern",
    "[one for one in ep]": "list[spikemine._episodes.Episode]",
    "[one.lags for one in pat]": "list[tuple[int, ...]]",
    "seq[0]": "spikemine._sequences.WholeSequence",
    "seq[seq.p < 0.05]": "spikemine._sequences.Sequences",
    "[one for one in seq]": "list[spikemine._sequences.WholeSequence]",
    "ep.occurrences(0)": FLOATS,
    "ep.occurrences(0, with_segment=True)[0]": FLOATS,
    "[times for times in ep.all_occurrences().spike_times_s]": f"list[{FLOATS}]",
}


def test_rows_have_types(tmp_path):
    pytest.importorskip("mypy")
    lines = [f"reveal_type({text})" for text in TYPES]
    (tmp_path / "script.py").write_text("\n".join([HEAD, *lines, 'ep["count"]', ""]))
    folder = pathlib.Path(sm.__file__).parents[1]
    path = {} if folder.name == "site-packages" else {"MYPYPATH": str(folder)}
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "script.py"],
        cwd=tmp_path, env=os.environ | path, capture_output=True, text=True,
    )  # fmt: skip
    told = checked.stdout.replace("numpy.floating[numpy._typing._64Bit]", "numpy.float64")
    revealed = [line.split('"')[1] for line in told.splitlines() if "Revealed type" in line]
    assert dict(zip(TYPES, revealed)) == TYPES, checked.stdout + checked.stderr
    errors = [line for line in told.splitlines() if "error:" in line]
    assert len(errors) == 1 and 'Invalid index type "str"' in errors[0]
