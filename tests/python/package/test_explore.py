"""A first look: the same results as the calls that it names, and what it tells."""

import base64
import json
import re
import subprocess
import warnings

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
    assert found.sentences[2] == (
        "recording",
        "episodes were tested in all of it, and whole sequences looked for, with all 6 units",
    )
    assert topics[0] == "recording" and "test" in topics and found.left_out == ()
    best = next(text for topic, text in found.sentences if topic == "episode")
    assert best.startswith("x ") and " y: " in best
    text = found.summary()
    assert [line for line in text.splitlines() if line.endswith(":") and line[0] != " "] == [
        "the recording:", "what was found:", "what to be careful about:", "how it was tested:",
        "the same again, and to go on from:",
    ]  # fmt: skip
    assert "\n  Episodes were tested in all of it" in text  # as the command has it
    assert text.count("rates rise and fall together") == 1 and all(call in text for call in found.calls)
    assert "<li>x " in found._repr_html_() and repr(found) == text


def test_calls_give_the_same_again(recording, found):
    again = eval(found.calls[0], {"sm": sm, "rec": recording})
    assert again.to_dict()["episode"] == found.episodes.to_dict()["episode"]
    assert np.array_equal(again.p, found.episodes.p)
    assert again.test.n_tested == found.episodes.test.n_tested
    assert again.info["settings"]["jitter"] == found.episodes.info["settings"]["jitter"]
    assert found.calls[1].startswith("sm.sequences(rec, longest_lag='200ms', jitter='50ms', surrogates=99, alpha=0.025,")
    assert found.episodes.test.alpha < 0.025 / 2 and found.sequences.alpha == 0.025
    assert any("half of the level of 0.05 is for episodes" in text for _, text in found.sentences)


def test_report(found, tmp_path):
    found.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    data = json.loads(text.split('id="spikemine-data">')[1].split("</script>")[0])
    for key, topics in (("summary", ("recording", "sequences", "test")), ("notes", ("caution", "left_out")), ("method", ("method",))):
        assert data[key] == [text for topic, text in found.sentences if topic in topics]


def test_sample():
    recording = sm.sample()
    assert (recording.n_units, recording.n_spikes, recording.name) == (74, 3336, "songbird_spikes.txt")
    assert recording.summary().splitlines()[0] == "74 units with 3,336 spikes in 22.2 s"


def test_a_beginning_is_given_again(tmp_path):
    """What looks at the beginning alone is repeated by its call, on the recording that there is."""
    recording = sm.sample()
    part = recording.slice(stop="5s")
    assert part.n_spikes == np.sum(recording.times < 5) and part.stop == 5
    assert np.array_equal(recording.slice("5s", 6).times, recording.times[(recording.times >= 5) & (recording.times < 6)])
    recording.write(tmp_path / "rec.npz")
    read = sm.read(tmp_path / "rec.npz", stop="5s")
    assert np.array_equal(read.ticks, part.ticks) and read.segments.tolist() == part.segments.tolist()
    with pytest.raises(ValueError, match="stop"):
        recording.slice(stop="soon")


def test_wrong_units_of_time_are_doubted(recording):
    """Seconds that were meant as milliseconds, and numbers of samples that were read as milliseconds."""
    with pytest.warns(UserWarning, match=r"delay 0: 5 s is 16 % of the recording, .* Numbers are seconds"):
        sm.episodes(recording, delays=[(0, 5)], support=1000, max_size=2)
    endless = r"5 s is 16 % .* as in 5ms\? Numbers are seconds\. If it is, limit the search, as with max_size=3"
    with pytest.raises(ValueError, match=endless):
        sm.episodes(recording, delays=[(0, 5)], support=1000)
    with pytest.warns(UserWarning, match="bin and window: 10 s is"):
        sm.patterns(recording, 5, 2, support=1000)
    with pytest.warns(UserWarning, match=r"the recording lasts 10\.4 days; .*time_unit="):
        sm.Recording({"a": np.linspace(0, 9e5, 3000)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.episodes(recording, delays=[(0, 0.5)], support=1000, max_size=2)


def test_no_time(recording, tmp_path):
    hasty = sm.explore(recording, time="1us")
    assert hasty.sentences[0] == ("recording", "6 units with 400 spikes in 31 s")
    assert hasty.episodes is not None and hasty.sequences is None and len(hasty.left_out) >= 1
    hasty.report(tmp_path / "report.html")
    with pytest.raises(ValueError, match="alpha"):
        sm.explore(recording, alpha=1)


def test_first_rows_are_shown(recording, found):
    episodes = sm.episodes(recording, "0:10ms", 1)
    text = repr(episodes)
    lines = text.splitlines()
    assert lines[0].startswith("<Episodes: ") and lines[1].split() == ["size", "count", "episode"]
    assert len(lines) == 11 and lines[-1] == (
        f"... {len(episodes) - 8} more; these are rows 6 to 13, behind those of single units"
    )
    assert episodes.text(6) in lines[2]
    assert episodes._repr_html_().count("<tr>") == 9
    columns = repr(found.episodes[:1]).splitlines()[-2].split()
    assert {"expected", "p", "meaning"} <= set(columns)
    assert repr(episodes[:0]).splitlines() == ["<Episodes: 0 in " + repr(recording) + ">"]
    assert "<td>x</td>" in recording._repr_html_()
    patterns = sm.patterns(recording, "5ms", 3, support=2)
    assert "pattern" in repr(patterns).splitlines()[1]
    shown = found.sequences._repr_html_()
    n = len(found.sequences)
    assert shown.startswith(f"<p>{n} sequence{'s' * (n != 1)} in a recording<br>")
    assert sm.sample()._repr_html_().startswith("<p>Recording songbird_spikes.txt: 3,336 spikes, 74 units, ")


def test_a_notebook_shows_tables_and_the_picture(recording, found):
    occurrences = found.episodes.all_occurrences()
    shown = occurrences._repr_html_()
    assert shown.startswith(f"<p>&lt;Occurrences: {len(occurrences)} of ") and shown.count("<tr>") == 9
    times = [f"{time:.9g}" for time in occurrences.spike_times_s[0][0]]
    assert f"<td>{', '.join(times)}</td>" in shown and f"... {len(occurrences) - 8} more" in shown
    assert "<tr>" not in found.episodes[:0].all_occurrences()._repr_html_()
    tried = sm.suggest(recording, sets=["0:5ms"], time="1s")
    assert tried._repr_html_().count("<tr>") == len(tried) + 1 and tried.finding in tried._repr_html_()
    shown = found._repr_html_()
    data = re.findall('src="data:image/png;base64,([^"]+)"', shown)
    try:
        picture = found.episodes.figure(title="", top=3)
    except sm.UnavailableError:
        assert data == []
    else:
        assert [base64.b64decode(one) for one in data] == [picture._repr_png_()]
    assert f"<td>{found.episodes.text(0)}</td>" in shown


def test_a_prompt_says_what_to_type(macaque):
    ep = sm.episodes(macaque, ["5ms:10ms"], 150)
    first = int(np.flatnonzero(ep.size > 1)[0])
    rows = f"these are rows {first} to {first + 7}, behind those of single units"
    pairs = f"... {len(ep) - 8} more; {rows}"
    assert ep.text(first) in repr(ep) and ep.text(first) in ep._repr_html_()
    assert first > 8 and repr(ep).splitlines()[-1] == pairs and pairs in ep._repr_html_()
    assert repr(ep[0]) == f"<Episode {ep.text(0)}: {ep.count[0]} times>"
    assert "single" not in repr(ep[ep.size > 1]) + repr(sm.patterns(macaque, "5ms", 2, support=500))
    for name, remedy in (
        ("p", "columns of a test are there after test='exact'"),
        ("plot", "draw them with figure(), or with matplotlib by functions of sm.plot"),
        ("to_panda", "did you mean 'to_pandas'?"),
    ):
        with pytest.raises(AttributeError, match=re.escape(f"Episodes have no {name!r}; {remedy}")):
            getattr(ep, name)
    with pytest.raises(TypeError, match=r"a column is \.count$"):
        ep["count"]
    assert ep[:0].summary().splitlines()[-1] == "nothing is listed"
    assert repr(sm.Recording([0.5], ["a"])).startswith("<Recording: 1 spike, 1 unit, ")
    late = sm.Recording([1700000000.25, 1700000060.5], ["a", "a"])
    assert "1700000000.25 s to 1700000060.5" in repr(late)  # times may count from 1970
    reals = sm.Recording([0.5, 0.6], np.array([38.0, 7.0]))
    assert reals.labels == ["7", "38"] and reals.unit("38") == reals.unit("38.0") == 1


def told_by(command, operation, recording, *options):
    """What the command notes of the same."""
    run = subprocess.run(
        [command, operation, recording, "-o", "/dev/null", *options], capture_output=True, text=True, check=True
    )
    return [line[6:] for line in run.stderr.splitlines() if line.startswith("note: ")]


def test_results_say_what_was_tested(recording, command, tmp_path):
    path = tmp_path / "rec.txt"
    recording.write(path)
    ep = sm.episodes(path, ["0:10ms"], 2, test="exact", surrogates=99, jitter="25ms")
    arguments = ["-s", "2", "--test", "exact", "--surrogates", "99", "--jitter", "25ms"]
    told = told_by(command, "episodes", path, "-d", "0:10ms", *arguments)
    assert list(ep.notes) == told and "99 surrogates (shift within 25ms, seed 1): " in told[0]
    verb = "is" if ep.test.n_significant == 1 else "are"
    assert f"{ep.test.n_significant} of {ep.test.n_tested} episodes {verb} significant at 0.05" in told[0]
    assert repr(ep).splitlines()[1 : 1 + len(told)] == told
    assert told[0] in ep[:0]._repr_html_() and repr(ep.test) == f"<ExactTest: {'; '.join(told)}>"
    summary = ep.summary().splitlines()
    assert all(line[:1] == line[:1].upper() for line in recording.summary().splitlines())
    assert "see the warning" not in ep.summary()  # it stands there
    assert summary[0] == "6 units with 400 spikes in 31 s" and set(told) <= set(summary)
    best = f"  x -> y: {ep.count[0]} times, {ep.expected[0]:.2g} by chance, p {ep.p[0]:.2g}"
    assert any(line.startswith(best) for line in summary)
    patterns = sm.patterns(path, "5ms", 3, min_occurrences=2, surrogates=19, report="all")
    assert " signatures and " in repr(patterns).splitlines()[1]
    assert len(repr(patterns.test)) < 600 and patterns.text(0) in patterns.summary()
    labels = ["a", "b"] * 6
    cut = recording.cut([(2 * k, 2 * k + 2) for k in range(12)])
    compared = sm.compare(cut, labels, ["0:10ms"], 8, report="all")
    assert repr(compared).splitlines()[1] == "condition a: a, 6 trials, 12 s"


def test_notes_of_counting(recording):
    counted = sm.count(recording, ["x (0s,10ms] y"])
    assert counted.notes == () and counted.summary().splitlines()[-1].startswith("  x -> y: ")


def test_a_long_row_says_that_it_goes_on():
    """No row looks whole that is cut; columns of a test can be completed at a prompt."""
    start = np.arange(20.0)
    chain = sm.Recording({letter: start + 0.003 * k for k, letter in enumerate("abcdefgh")}, stop=21)
    found = sm.episodes(chain, [(0.002, 0.004)], support=20)
    whole = found[found.size == 8]
    row = repr(whole).splitlines()[-1]
    assert len(whole) == 1 and row.endswith(" ...") and whole.text(0) not in row
    assert {"count", "size"} <= set(dir(found))


@pytest.mark.parametrize(("expected", "text"), [(0.0002, "< 0.001"), (8.514, "8.5"), (1486.2, "1,486")])
def test_figures_tell_means_in_plain_numbers(expected, text):
    from spikemine.plot import _axes

    assert _axes.by_chance(expected) == text


def test_a_pair_in_both_directions_is_told_once():
    random = np.random.default_rng(4)
    first = 100 * random.random(200)
    second = first + 0.002 + 0.002 * random.random(200)
    times = np.concatenate([first, second, *(100 * random.random((3, 200)))])
    units = np.where(np.arange(200) % 2, "u", "v")
    labels = np.concatenate([units, np.where(units == "u", "v", "u"), *([c] * 200 for c in "wuv")])
    order = np.argsort(times)
    pair = sm.Recording(times[order], labels[order])
    ep = sm.episodes(pair, ["0:20ms"], 6, test="exact", jitter="100ms", report="core", max_size=2)
    assert sorted(ep.text(k) for k in range(len(ep))) == ["u (0,20ms] v", "v (0,20ms] u"]
    rows = [line for line in ep.summary().splitlines() if " by chance" in line]
    assert len(rows) == 1 and "more" not in ep.summary().splitlines()[-1]
    assert f" {ep.count[0]} times, " in rows[0] and f"synchrony (back {ep.count[1]} times, " in rows[0]
