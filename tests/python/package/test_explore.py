"""A first look: the same results as the calls that it names, and what it tells."""

import numpy as np
import pytest

import spikemine as sm


@pytest.fixture(scope="module")
def recording():
    """y fires 3 ms after x; the other units are chance."""
    draw = np.random.default_rng(3)
    x = draw.uniform(0, 30, 80)
    times = {"x": x, "y": x + draw.uniform(0.003, 0.004, 80)}
    times.update({name: draw.uniform(0, 30, 60) for name in "abcd"})
    return sm.Recording({name: np.sort(column) for name, column in times.items()}, stop=31)


@pytest.fixture(scope="module")
def found(recording):
    return sm.explore(recording, time="3000s")


def test_sentences(found):
    topics = [topic for topic, _ in found.sentences]
    assert topics[0] == "recording" and "test" in topics and found.left_out == ()
    best = next(text for topic, text in found.sentences if topic == "episode")
    assert best.startswith("x ") and " y: " in best
    text = found.summary()
    assert "test of episodes:" in text and all(call in text for call in found.calls)
    assert "<li>x " in found._repr_html_() and repr(found) == text


def test_calls_give_the_same_again(recording, found):
    again = eval(found.calls[0], {"sm": sm, "rec": recording})
    assert again.to_dict()["episode"] == found.episodes.to_dict()["episode"]
    assert np.array_equal(again.p, found.episodes.p)
    assert again.test.n_tested == found.episodes.test.n_tested
    assert again.info["settings"]["jitter"] == found.episodes.info["settings"]["jitter"]
    assert found.calls[1].startswith("sm.sequences(rec, longest_lag='200ms', jitter='50ms', surrogates=99")


def test_report(found, tmp_path):
    found.report(tmp_path / "report.html")
    assert "sets of delays were tried" in (tmp_path / "report.html").read_text()


def test_no_time(recording, tmp_path):
    hasty = sm.explore(recording, time="1us")
    assert hasty.episodes is None and hasty.sequences is None and len(hasty.left_out) >= 2
    with pytest.raises(ValueError, match="time"):
        hasty.report(tmp_path / "report.html")
    with pytest.raises(ValueError, match="alpha"):
        sm.explore(recording, alpha=1)


def test_first_rows_are_shown(recording, found):
    episodes = sm.episodes(recording, "0:10ms", 1)
    text = repr(episodes)
    lines = text.splitlines()
    assert lines[0].startswith("<Episodes: ") and lines[1].split() == ["size", "count", "episode"]
    assert len(lines) == 11 and lines[-1] == f"... {len(episodes) - 8} more"
    assert episodes._repr_html_().count("<tr>") == 9
    assert {"expected", "p", "meaning"} <= set(repr(found.episodes).splitlines()[1].split())
    assert repr(episodes[:0]).splitlines() == ["<Episodes: 0 of " + repr(recording) + ">"]
    assert "<td>x</td>" in recording._repr_html_()
    patterns = sm.patterns(recording, "5ms", 3, support=2)
    assert "pattern" in repr(patterns).splitlines()[1]
    shown = found.sequences._repr_html_()
    assert shown.startswith("<p>&lt;Sequences: ")
