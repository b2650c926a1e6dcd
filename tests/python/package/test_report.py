"""The report that Python writes holds the data that the command writes."""

import base64
import json
import pickle
import re
import subprocess

import numpy as np
import pytest
import spikemine as sm



# What tells of the way that the report was made.
WORDS = ("command", "settings", "title")


def data_of(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="spikemine-data">(.*?)</script>', text, re.S).group(1))


def settings_of(data):
    return dict(map(tuple, data["settings"]))


def both(command, tmp_path, result, *arguments):
    """The data of the command's report and of ours."""
    words = [command, *arguments, "-q", "-o", "/dev/null", "--html", tmp_path / "theirs.html"]
    subprocess.run(list(map(str, words)), check=True)
    sm.report(result, tmp_path / "ours.html")
    theirs, ours = data_of(tmp_path / "theirs.html"), data_of(tmp_path / "ours.html")
    for word in WORDS:
        theirs.pop(word), ours.pop(word)
    return theirs, ours


@pytest.fixture
def file(tmp_path):
    random = np.random.default_rng(5)
    times = np.sort(random.integers(0, 4000, 900))
    units = random.integers(0, 5, times.size)
    lines = {(int(t), int(u)) for t, u in zip(times, units)}
    for t in range(50, 3900, 130):
        lines |= {(t, 0), (t + 4, 1), (t + 9, 2)}
    path = tmp_path / "rec.txt"
    path.write_text("".join(f"{t / 1000:.3f}\t{u}\n" for t, u in sorted(lines)))
    return path


@pytest.mark.parametrize("test", [None, "exact", "peel"])
def test_episodes(command, tmp_path, file, test):
    recording = sm.read(file)
    delays = [("0", "5ms"), ("5ms", "10ms")]
    told = ["--delay", "0:5ms", "--delay", "5ms:10ms", "--support", 12, "--max-size", 3]
    exact = dict(test="exact", surrogates=19, seed=3, jitter=["25ms", "50ms"], report="all")
    if test == "peel":
        exact.update(peel=True, report="significant", jitter="50ms")
    if test is not None:
        jitter = "50ms" if test == "peel" else "25ms,50ms"
        told += ["--test", "exact", "--surrogates", 19, "--seed", 3, "--jitter", jitter]
        told += ["--peel"] if test == "peel" else ["--report", "all"]
    found = sm.episodes(recording, delays, 12, max_size=3, **(exact if test else {}))
    assert len(found) > 0
    theirs, ours = both(command, tmp_path, found, "episodes", file, *told)
    assert ours == theirs
    settings = settings_of(data_of(tmp_path / "ours.html"))
    assert settings["delays"] == "0:5ms, 5ms:10ms" and settings["support"] == "12"
    assert settings["max_size"] == "3" and ("jitter" in settings) == (test is not None)


@pytest.mark.parametrize("test", [None, "signatures", "exact"])
def test_patterns(command, tmp_path, file, test):
    recording = sm.read(file)
    told = ["--bin", "5ms", "--window", 4, "--support", 12]
    more = {}
    if test == "signatures":
        told += ["--surrogates", 30, "--seed", 3, "--spectrum", "3d", "--report", "all"]
        told += ["--reduce", "0,0,0", "--stability", "0.2,0.2"]
        more = dict(surrogates=30, seed=3, spectrum="3d", report="all", reduce=(0, 0, 0))
        more["stability"] = (0.2, 0.2)
    if test == "exact":
        told += ["--test", "exact", "--surrogates", 19, "--seed", 3, "--report", "all"]
        more = dict(test="exact", surrogates=19, seed=3, report="all")
    found = sm.patterns(recording, "5ms", 4, support=12, min_spikes=2, **more)
    assert len(found) > 0
    theirs, ours = both(command, tmp_path, found, "patterns", file, *told)
    assert ours == theirs
    assert settings_of(data_of(tmp_path / "ours.html"))["bin"] == "5ms"


@pytest.mark.parametrize("test", [None, "exact"])
def test_families(command, tmp_path, test):
    lines = [(100 + 130 * k + 4 * u, f"u({u})") for k in range(30) for u in range(5)]
    file = tmp_path / "chain.txt"
    file.write_text("".join(f"{t / 1000:.3f}\t{u}\n" for t, u in lines))
    told = ["--delay", "0:5ms", "--support", 12, "--families"]
    exact = dict(test="exact", surrogates=19) if test else {}
    told += ["--test", "exact", "--surrogates", 19] if test else []
    found = sm.episodes(sm.read(file), ["0:5ms"], 12, families=True, **exact)
    assert found.columns["family_units"][0].startswith('"u(0)" "u(1)" "u(2)" "u(3)"')
    theirs, ours = both(command, tmp_path, found, "episodes", file, *told)
    assert theirs == ours
    assert "family_units" in [column["key"] for column in ours["columns"]]


def test_sequences(command, tmp_path):
    draw = np.random.default_rng(4)
    lines = {(int(t), u) for u in range(6) for t in draw.integers(0, 20_000, 40)}
    for k in range(20):
        members = [m for m in range(5) if (k + m) % 5 != 4]
        lines |= {(500 + 900 * k + 15 * m + int(draw.integers(-3, 4)), m) for m in members}
    file = tmp_path / "sequence.txt"
    file.write_text("".join(f"{t / 1000:.3f}\t{u}\n" for t, u in sorted(lines)))
    options = ["--surrogates", 3, "--alpha", 0.25, "--longest-lag", "100ms"]
    found = sm.sequences(sm.read(file), "100ms", surrogates=3, alpha=0.25)
    assert found.info["call"].startswith("spikemine.sequences(recording, longest_lag='100ms'")
    theirs, ours = both(command, tmp_path, found, "sequences", file, *options)
    assert theirs == ours
    assert ours["kind"] == "sequences" and len(ours["rows"]) == len(found) > 0
    members, occurrences = ours["parts"]
    assert [row[0] for row in members["rows"][0]] == list(found[0].units)
    assert np.allclose([row[0] for row in occurrences["rows"][0]], found[0].times_s)
    assert [row[3] for row in occurrences["rows"][0]] == list(found[0].missing)


def test_what_is_in_it(tmp_path, file):
    found = sm.episodes(sm.read(file), [("0", "5ms")], 12)
    again = pickle.loads(pickle.dumps(found[:3]))
    again.recording.name = "</script>"
    sm.report(again, tmp_path / "few.html", title="<b>", notes=["see"], rows=2, spikes=100)
    data = data_of(tmp_path / "few.html")
    assert data["title"] == "<b>" and data["notes"][0] == "see" and len(data["rows"]) == 2
    assert data["command"].startswith("spikemine.episodes(recording, delays=[('0', '5ms')]")
    assert len(base64.b64decode(data["recording"]["spikes"]["v"])) >= 90
    counted = sm.count(found.recording, ["0 (0,5ms] 1", "1 (0,5ms] 0"])
    sm.report(counted, str(tmp_path / "count.html"))
    written = (tmp_path / "count.html").read_text()
    with pytest.raises(sm.FileError, match="count.html: exists already; .* force=True"):
        sm.report(counted, tmp_path / "count.html", title="another")
    assert (tmp_path / "count.html").read_text() == written
    sm.report(counted, tmp_path / "count.html", title="another", force=True)
    assert (tmp_path / "count.html").read_text() != written
    rows = data_of(tmp_path / "count.html")["rows"]
    assert [row[0] for row in rows] == ["0 (0,5ms] 1", "1 (0,5ms] 0"]


def test_what_is_wrong(tmp_path, file):
    found = sm.episodes(sm.read(file), [("0", "5ms")], 12)
    with pytest.raises(TypeError, match="result: must be Episodes, Patterns or Sequences, not list"):
        sm.report([], tmp_path / "r.html")
    with pytest.raises(ValueError, match="must end in .html"):
        sm.report(found, tmp_path / "r.pdf")
    with pytest.raises(ValueError, match="rows=0"):
        sm.report(found, tmp_path / "r.html", rows=0)
    with pytest.raises(sm.FileError, match="nofolder"):
        sm.report(found, tmp_path / "nofolder" / "r.html")
    assert not list(tmp_path.glob("*.html"))
