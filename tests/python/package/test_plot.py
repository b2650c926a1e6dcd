"""Figures show what the results say. The tests read the artists, by their names (gid)."""

import html
import math
import os
import re
import subprocess
import sys
import types
from collections import Counter

import numpy as np
import pytest
from conftest import DATA, draw

import spikemine as sm

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

BASE = dict(support=10, max_size=3)


@pytest.fixture(autouse=True)
def closed():
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


@pytest.fixture
def rec(random):
    """Three trials with a gap, and two chains u0 -> u1 -> u2 and u3 -> u3 -> u5 in them."""
    times, units = draw(random, 300)
    starts = np.arange(0.02, 3.9, 0.1)
    chains = [starts + lag for lag in (0, 0.004, 0.012, 0.05, 0.053, 0.058)]
    times = np.concatenate([times, *chains])
    units = np.concatenate([units, np.repeat([0, 1, 2, 3, 3, 5], starts.size)])
    names = np.array([f"u{k}" for k in range(6)])
    return sm.Recording(
        times.round(3), names[units], segments=[(0, 1), (1.5, 3), (3, 4)], stop=4, sort=True
    )


@pytest.fixture
def ep(rec):
    return sm.episodes(rec, ["0:5ms", "5ms:10ms"], **BASE)


@pytest.fixture
def pat(rec):
    return sm.patterns(rec, "3ms", 5, support=5, surrogates=19, report="all", alpha=0.2)


def named(ax, name):
    """The artist of a name."""
    found = [artist for artist in ax.get_children() if artist.get_gid() == name]
    assert len(found) == 1, name
    return found[0]


def points(line):
    """The points of a line, without its gaps."""
    x, y = (np.asarray(v, float) for v in line.get_data())
    return x[~np.isnan(x)], y[~np.isnan(x)]


def rows_of(line, size):
    """The points of a line with a gap behind each `size` of them."""
    x, y = (np.asarray(v, float).reshape(-1, size + 1) for v in line.get_data())
    assert np.isnan(x[:, size]).all()
    return x[:, :size], y[:, :size]


# ---- raster ----------------------------------------------------------------------------------


def test_the_raster_has_exactly_the_spikes(rec):
    x, y = rows_of(named(sm.plot.raster(rec), "spikes"), 2)
    assert np.array_equal(x[:, 0], rec.times) and np.array_equal(x[:, 0], x[:, 1])
    assert np.array_equal(y.mean(axis=1).round(), rec.units)
    ax = sm.plot.raster(rec, start="0.5s", stop=2, units=["u4", 1])
    x, y = rows_of(named(ax, "spikes"), 2)
    for row, unit in enumerate((4, 1)):
        own = rec.spikes(unit)
        mine = x[np.isclose(y.mean(axis=1), row), 0]
        assert np.array_equal(mine, own[(own >= 0.5) & (own < 2)])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["u4", "u1"]
    assert ax.get_xlim() == (0.5, 2) and ax.get_xlabel() == "time (s)"


def test_the_raster_marks_the_occurrences(rec, ep, pat):
    for results in (ep[ep.size == 3][:4], pat[:4]):
        ax = sm.plot.raster(rec, results, start=rec.start, units=rec.labels)
        texts = [text.get_text() for text in ax.get_legend().get_texts()]
        for k in range(len(results)):
            is_pattern = isinstance(results, sm.Patterns)
            times = results.spike_times(k) if is_pattern else results.occurrences(k)
            x, y = rows_of(named(ax, f"occurrences {k}"), int(results.size[k]))
            assert np.array_equal(x, times) and len(times) == results.count[k]
            units = results.units[results.offsets[k] : results.offsets[k + 1]]
            assert np.array_equal(y, np.broadcast_to(units, y.shape))
            assert results.text(k) in texts[k] and str(results.count[k]) in texts[k]
    own = sm.plot.raster(rec, ep[:1], units="results")
    labels = [label.get_text() for label in own.get_yticklabels()]
    assert labels == list(dict.fromkeys(ep[0].units))
    assert np.greater(*own.get_ylim())  # the first unit on top


def test_names_of_a_small_raster_are_apart():
    """Those of units that are no part of a result."""
    rec = sm.sample()
    ep = sm.episodes(rec, ["0:50ms"], 10, test="exact", surrogates=19, jitter="250ms", distinct_units=2)
    ax = sm.plot.raster(rec, ep)
    ax.figure.canvas.draw()
    units = {u for line in ax.lines if (line.get_gid() or "").startswith("occurrences") for u in line.get_ydata()}
    boxes = [label.get_window_extent() for y, label in zip(ax.get_yticks(), ax.get_yticklabels()) if y > max(units)]
    assert len(boxes) > 1 and all(upper.y0 >= lower.y1 - 1 for upper, lower in zip(boxes, boxes[1:]))


def test_names_below_a_long_legend_are_apart():
    """Those of units of the results, which are all named."""
    rec, delays = sm.sample(), ["0:34ms", "34ms:67ms"]
    ep = sm.episodes(rec, delays, 12, test="exact", surrogates=39, jitter="500ms", distinct_units=2, report="core")
    ax = sm.plot.raster(rec, ep)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) > 15 and all(upper.y0 >= lower.y1 - 1 for upper, lower in zip(boxes, boxes[1:]))


def test_the_raster_has_the_units_of_results_on_top(macaque):
    found = sm.episodes(macaque, ["5ms:10ms"], 100)
    ax = sm.plot.raster(macaque, found[found.size == 3][:2])
    first = list(dict.fromkeys(u for one in found[found.size == 3][:2] for u in one.units))
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(labels[: len(first)]) == sorted(first) and "100" in labels[len(first) :]
    ticks = ax.get_yticks()
    assert np.all(np.diff(ticks) > 0) and ticks[len(first)] - ticks[len(first) - 1] > 0.5
    x, y = rows_of(named(ax, "spikes"), 2)
    low, high = ax.get_xlim()
    inside = (macaque.times >= low) & (macaque.times < high)
    assert np.array_equal(x[:, 0], macaque.times[inside])


@pytest.mark.parametrize(
    ("name", "delays", "support"),
    [("songbird_spikes", "0:50ms", 20), ("movement_PGHF.spikes", "5ms:10ms", 100)],
)
def test_the_raster_chooses_the_stretch_of_the_command(command, tmp_path, name, delays, support):
    path = DATA / f"{name}.txt"
    options = ["-d", delays, "-s", str(support), "--sort", "--panels", "a", "-q", "-o", os.devnull]
    done = subprocess.run([command, "episodes", path, *options, "--figure", tmp_path / "a.svg"])
    if done.returncode != 0:
        pytest.skip("no cairo")
    drawn = (tmp_path / "a.svg").read_text()
    shown = re.findall(r"^\d: [\d,]+ occurrences of (.*)$", drawn, re.M)
    (heading,) = re.findall(
        r"<desc>.*; ([\d,]+) of ([\d,]+) occurrences lie in this stretch", drawn
    )
    found = sm.episodes(sm.read(path), [delays], support)
    texts = [html.escape(text, quote=False) for text in found.to_dict()["episode"]]
    ax = sm.plot.raster(found.recording, found[[texts.index(text) for text in shown]])
    assert ax.get_xlabel() == "time (s); {} of {} occurrences lie in this stretch".format(
        *heading
    ).replace(",", "")
    assert sm.plot.raster(found.recording).get_xlim() == (
        found.recording.start,
        found.recording.stop,
    )


def test_the_raster_shows_segments(rec):
    ax = sm.plot.raster(rec)
    (box,) = named(ax, "not observed").get_paths()
    assert box.get_extents().intervalx.tolist() == [1, 1.5]
    lines = named(ax, "segments").get_segments()
    assert [float(line[0][0]) for line in lines] == [1.5, 3]


def test_spikes_of_patterns_lie_in_their_bins(random):
    """The bins of segments that start, and of bins that end, between two ticks."""
    times, units = draw(random, 600)
    for segments in ([("1/3s", "5/3s"), ("2s", "11/3s")], None):
        rec = sm.Recording(times, units, segments=segments)
        found = sm.patterns(rec, "7/3ms" if segments else "2.5ms", 6, support=4)
        assert len(found) > 0
        for k in random.choice(len(found), min(len(found), 10), replace=False):
            starts, spikes = found.occurrences(int(k)), found.spike_times(int(k))
            assert spikes.shape == (found.count[k], found.size[k])
            within = spikes - starts[:, None] - found.windows.bin_s * np.array(found[int(k)].lags)
            assert np.all((within > -1e-9) & (within < found.windows.bin_s + 1e-9))
            for column, unit in zip(spikes.T, found[int(k)].units):
                assert np.isin(column, rec.spikes(unit)).all()


# ---- occurrences and lags --------------------------------------------------------------------


def test_occurrences_are_aligned(rec, ep, pat):
    pairs = ep[ep.size == 3]
    for results, k in ((pairs, 1), (pat, 0)):
        ax = sm.plot.occurrences(results, k)
        starts = results.occurrences(k)
        times = results.spike_times(k) if results is pat else starts
        origin = starts if results is pat else starts[:, 0]
        for p in range(int(results.size[k])):
            x, y = points(named(ax, f"position {p}"))
            assert np.allclose(x, (times[:, p] - origin) * 1000)
            assert np.array_equal(y, np.arange(len(times)) + 1)
        assert "ms" in ax.get_xlabel() and str(len(times)) in ax.get_ylabel()
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        lag = np.median(times[:, 1] - origin) * 1000
        assert legend[1] == f"{results[k].units[1]}  +{lag:.3g} ms"
    few = sm.plot.occurrences(pairs, 0, most=3, legend=False)
    assert points(named(few, "position 0"))[1].tolist() == [1, 2, 3] and few.get_legend() is None
    with pytest.raises(IndexError):
        sm.plot.occurrences(ep, len(ep))


def test_other_spikes_stay_within_the_segment():
    rec = sm.Recording(
        [0.99, 0.995, 1.0, 1.002, 1.5, 1.505, 1.508], list("abaaabb"), segments=[(0, 1), (1, 2)]
    )
    ep = sm.episodes(rec, ["0:6ms"], 2)
    k = [str(e) for e in ep].index("a (0,6ms] b")
    ax = sm.plot.occurrences(ep, k, margin="20ms")
    assert ep.occurrences(k).round(3).tolist() == [[0.99, 0.995], [1.5, 1.505]]
    x, _ = points(named(ax, "others a"))
    assert x.size == 0  # 1.000 and 1.002 are of another segment
    x, y = points(named(ax, "others b"))
    assert np.allclose(x, 8) and np.allclose(y.mean(), 2)


def test_lags(ep, pat):
    lags = {int(k): ep.occurrences(k) - ep.occurrences(k)[:, :1] for k in np.flatnonzero(ep.size == 3)}
    width = {k: np.ptp(lags[k][:, 1:].round(6), axis=0) for k in lags}
    k = max(lags, key=lambda k: (width[k].min(), width[k].max()))
    ax = sm.plot.lags(ep, k, bins=20)
    times = ep.occurrences(k)
    assert width[k].max() > 0
    for p in 1 + np.flatnonzero(width[k]):  # in one draw of a hundred a position has one value: no histogram
        values, edges, _ = named(ax, f"position {p}").get_data()
        wanted, _ = np.histogram((times[:, p] - times[:, 0]) * 1000, edges)
        assert np.array_equal(values, wanted) and values.sum() == len(times)
    bars = [patch for patch in sm.plot.lags(pat).patches if patch.get_gid() == "lags"]
    assert [round(bar.get_x(), 6) for bar in bars] == [0, 3, 6, 9, 12]
    further = np.delete(pat.lags, pat.offsets[:-1])
    assert [bar.get_height() for bar in bars] == np.bincount(further, minlength=5).tolist()
    bars = [patch for patch in sm.plot.lags(ep).patches if patch.get_gid() == "lags"]
    steps = np.delete(ep.delay, ep.offsets[:-1])
    assert [bar.get_height() for bar in bars] == np.bincount(steps, minlength=2).tolist()
    assert [round(bar.get_x(), 6) for bar in bars] == [0, 5]


def test_patterns_are_sequences(ep, pat):
    ax = sm.plot.patterns(pat, top=5)
    for k in range(5):
        x, _ = points(named(ax, f"spikes {k}"))
        assert np.allclose(x, np.array(pat[k].lags) * 3)
        said = named(ax, f"count {k}").get_text()
        assert said.startswith(f"{pat.count[k]}×") and f"{pat.p[k]:.2g}" in said
    k = int(np.flatnonzero(ep.size == 3)[0])
    x, _ = points(named(sm.plot.patterns(ep[k : k + 1]), "spikes 0"))
    times = ep.occurrences(k)
    assert np.allclose(x, np.median(times - times[:, :1], axis=0) * 1000)


def texts_of(legend):
    return [text.get_text() for text in legend.get_texts()]


def bars(ax, name):
    """Heights of the bars of a row above its foot, and its edges."""
    values, edges, baseline = named(ax, name).get_data()
    return values - baseline, edges


def test_findings_have_lags_on_one_axis(rec, ep, pat):
    for results, longest in ((ep[ep.size == 3], 10), (pat, 15)):
        shown = results[:2]
        ax = sm.plot.findings(shown, bins=30)
        assert np.allclose(ax.get_xlim(), (0, 1.05 * longest))  # the ends of shades are seen
        assert sm.plot.findings(results[1:2]).get_xlim() == ax.get_xlim()
        labels = [label.get_text() for label in ax.get_yticklabels()]
        units = [shown[k].units[p] for k in range(2) for p in range(shown.size[k])]
        assert labels == units
        for k in range(2):
            is_pattern = results is pat
            times = shown.spike_times(k) if is_pattern else shown.occurrences(k)
            for p in range(0 if is_pattern else 1, int(shown.size[k])):
                before = shown.occurrences(k) if is_pattern else times[:, p - 1]
                own = (times[:, p] - before) * 1000
                heights, edges = bars(ax, f"lags {k} {p}")
                there = heights > 0
                low, high = edges[:-1][there].min(), edges[1:][there].max()
                width = edges[1]
                assert low - 1e-6 <= own.min() <= low + width + 1e-6
                assert high - width - 1e-6 <= own.max() <= high + 1e-6
                allowed = named(ax, f"allowed {k} {p}").get_paths()[0].get_extents()
                assert allowed.x0 - width <= low and high <= allowed.x1 + width


def test_a_long_episode_is_named_by_its_units():
    """The whole sequence is read, where delays would leave no room for its end."""
    found = sm.episodes(sm.sample(), ["0:50ms"], 10, min_size=2)
    long, short = found[found.size == 6][:1], found[found.size == 2][:1]
    assert len(long.text(0)) > 48 >= len(short.text(0))
    said = named(sm.plot.findings(long), "finding 0").get_text()
    assert said.splitlines()[0] == " → ".join(long[0].units)
    assert named(sm.plot.findings(short), "finding 0").get_text().startswith(short.text(0))


def test_findings_say_what_the_test_says(rec, tmp_path):
    null = {"null": "interval-jitter"}
    exact = sm.episodes(
        rec, ["0:5ms", "5ms:10ms"], 10, test="exact", surrogates=19, report="all", **null
    )
    ax = sm.plot.findings(exact, top=2)
    said = named(ax, "finding 0").get_text()
    row = exact.columns
    count, expected = int(exact.count[0]), row["expected"][0]
    assert exact.text(0) in said and f"{count}×, {expected:.2g} by chance, p 0.05" in said
    assert f"direction p {row['direction_p'][0]:.2g}" in said
    rhythm = next(k for k, text in enumerate(row["meaning"]) if text == "rhythm")
    assert (
        "may mean rhythm"
        in named(sm.plot.findings(exact[rhythm : rhythm + 1]), "finding 0").get_text()
    )
    exact.figure(tmp_path / "episodes.svg", top=1)
    drawn = (tmp_path / "episodes.svg").read_text()
    assert f">{count} times, " in drawn and ">Delay behind the unit above (ms)<" in drawn
    for test in ({"test": "exact", "jitter": "50ms", **null}, {}):
        tested = sm.patterns(rec, "3ms", 5, support=8, surrogates=19, report="all", **test)
        tested.figure(tmp_path / "patterns.svg", top=1, force=True)
        drawn = (tmp_path / "patterns.svg").read_text()
        assert ">Time from the start of the window (ms)<" in drawn
        assert (" by chance<" in drawn) == bool(test)


# ---- network ---------------------------------------------------------------------------------


def test_arrows_are_as_wide_as_their_counts(ep):
    """In proportion, from 0 on, as the legend says; the least is a line that can be seen."""
    ax = sm.plot.network(ep)
    widths = {int(patch.get_gid().split()[-1]): patch.get_linewidth() for patch in ax.patches}
    most = max(widths)
    for count, width in widths.items():
        assert width == pytest.approx(max(widths[most] * count / most, 0.3))
    legend = named(ax, "legend count")
    told = [int(text.get_text()) for text in legend.get_texts()]
    assert 1 <= len(told) <= 3 and told[-1] <= most
    for count, line in zip(told, legend.get_lines()):
        assert line.get_linewidth() == pytest.approx(widths[most] * count / most)


def test_whole_numbers_are_named_without_zeros():
    """38.0 is 38 everywhere, unless a name is no such number."""
    for labels, shown in ((["38.0", "7.0"], ["38", "7"]), (["38.0", "b"], ["38.0", "b"])):
        times = np.concatenate([0.1 * np.arange(1, 9), 0.1 * np.arange(1, 9) + 0.004])
        rec = sm.Recording(times, np.repeat(labels, 8), sort=True)
        ep = sm.episodes(rec, ["0:5ms"], 8, min_size=2)
        named_units = [sm.plot.raster(rec, ep), sm.plot.findings(ep)]
        for ax in named_units:
            assert {label.get_text() for label in ax.get_yticklabels()} == set(shown)
        assert f"{shown[0]} (0,5ms] {shown[1]}  (8×)" in texts_of(named_units[0].get_legend())
        texts = {text.get_text() for text in sm.plot.network(ep).texts}
        assert set(shown) <= texts
        assert texts_of(sm.plot.occurrences(ep).get_legend())[0] == shown[0]


def test_results_that_differ_are_drawn():
    """Of more than `top` the first ones that share less than half of the units of the smaller one, or
    one unit, with one before; few results, and families, as they stand. All have names of one form."""
    ep = sm.episodes(sm.sample(), ["0:50ms"], 10)
    units = [set(ep.units[a:b].tolist()) for a, b in zip(ep.offsets, ep.offsets[1:])]
    want = []
    for k in np.flatnonzero(ep.size > 1):
        shared = [(len(units[k] & units[j]), min(len(units[k]), len(units[j]))) for j in want]
        alike = [n * 2 > least or (n * 2 == least and n >= 2) for n, least in shared]
        want += [] if any(alike) or len(want) == 6 else [k]
    ax = sm.plot.raster(ep.recording, ep)
    names = [text.split("  (")[0] for text in texts_of(ax.get_legend())]
    assert names == [ep.text(k) for k in want] and f"of 6 of {len(ep):,} episodes" in ax.get_xlabel()
    said = [named(sm.plot.findings(ep, top=2), f"finding {k}").get_text() for k in range(2)]
    assert [text.splitlines()[0] for text in said] == names[:2]
    summary = ep.summary().splitlines()
    told = [" -> ".join(ep[k].units) for k in want[:5]]
    assert [line.strip().split(":")[0] for line in summary[-6:-1]] == told
    assert summary[-1] == f"  ... {len(ep) - 5} more"
    near = ep[ep.size == 5][:3]
    assert len(sm.plot.raster(ep.recording, near).get_legend().get_texts()) == 3
    long = ep[[int(np.argmax(ep.size)), *want[:1]]]  # one has too long a text
    names = texts_of(sm.plot.raster(ep.recording, long).get_legend())
    assert len(long.text(0)) > 48 and all(" → " in name and "ms]" not in name for name in names)


def test_a_legend_tells_results_apart(rec, ep):
    """Each has a colour and a marker, in the legend as among the spikes, and above one of its own
    occurrences."""
    shown = ep[ep.size >= 2][:5]
    ax = sm.plot.raster(rec, shown, start=rec.start, stop=rec.stop)
    looks = set()
    for k, key in enumerate(ax.get_legend().get_lines()):
        drawn, tag = named(ax, f"occurrences {k}"), named(ax, f"tag {k}")
        look = key.get_color(), key.get_marker()
        assert (
            look == (drawn.get_color(), drawn.get_marker()) == (tag.get_color(), tag.get_marker())
        )
        assert key.get_linestyle() == "None" and key.get_markersize() >= 6
        assert tag.get_xdata()[0] in shown.occurrences(k)[:, 0]
        looks.add(look)
    assert len(looks) == 5


def test_a_figure_is_shown_or_written(rec, ep, pat, tmp_path):
    """Its title is the name of the recording, as the command's is that of the file."""
    path = tmp_path / "rec.txt"
    rec.write(path)
    named_rec = sm.read(path)
    found = sm.episodes(named_rec, ["0:10ms"], 8)
    for title, wanted in ((None, "rec.txt"), ("mine", "mine"), ("", None)):
        assert found.figure(tmp_path / "a.svg", title=title, force=True) is None
        drawn = (tmp_path / "a.svg").read_text()
        assert (f">{wanted}<" in drawn) == (wanted is not None) and ("rec.txt<" in drawn) == (
            title is None
        )
        n, spikes = len(found), named_rec.n_spikes
        assert (
            f">{named_rec.n_units} units, {spikes} spikes; {n} episodes; not tested: counts only<"
            in drawn
        )
    with pytest.raises(sm.FileError, match="a.svg: exists already; .* force=True"):
        found.figure(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == drawn
    for results in (found, ep, pat):
        picture = results.figure()
        assert picture._repr_png_().startswith(b"\x89PNG") and "figure(" in repr(picture)


def test_the_unit_of_lags():
    """The same as in figures (test_figure_layout.c) and reports (test_sequences.py)."""
    cases = ((1e-6, 1e9, "ns"), (2e-6, 1e6, "µs"), (1.9e-3, 1e6, "µs"), (2e-3, 1e3, "ms"), (1.9, 1e3, "ms"),
             (2, 1, "s"), (900, 1 / 60, "min"), (10800, 1 / 3600, "h"))  # fmt: skip
    for longest, factor, unit in cases:
        assert sm.plot._axes.scale_of(longest) == (factor, unit)


def test_lags_of_one_value():
    """A line at the value, and words; a single interval of delays is told to be no distribution."""
    rec = sm.Recording([k + lag for k in range(9) for lag in (0, 0.02)], [0, 1] * 9)
    ep = sm.episodes(rec, ["0:50ms"], 9)
    k = int(np.flatnonzero(ep.size == 2)[0])
    ax = sm.plot.lags(ep, k)
    x, y = points(named(ax, "position 1"))
    assert np.allclose(x, 20) and y.tolist() == [0, 9] and ax.get_ylim()[0] == 0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1  always 20 ms"]
    assert "all 1 steps" in named(sm.plot.lags(ep), "one interval").get_text()
    two = sm.plot.lags(sm.episodes(rec, ["0:10ms", "10ms:50ms"], 9))
    assert "one interval" not in [artist.get_gid() for artist in two.get_children()]


@pytest.mark.parametrize("width", [2.2, 4.6, 9])
def test_the_title_of_the_network_fits(ep, width):
    plt = pytest.importorskip("matplotlib.pyplot")
    fig, axes = plt.subplots(1, 2, figsize=(2 * width, 4))
    for ax in axes:
        sm.plot.network(ep, ax=ax)
    fig.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in axes]
    assert boxes[0].x0 >= 0 and boxes[0].x1 <= boxes[1].x0 and boxes[1].x1 <= fig.bbox.x1
    plt.close(fig)


@pytest.mark.parametrize("size", [2, 3, None])
def test_the_network_has_the_edges_of_the_graph(ep, pat, size):
    pytest.importorskip("networkx")
    for results in (ep, pat):
        ax = sm.plot.network(results, size=size, every=True)
        drawn = [patch.get_gid().split()[2:] for patch in ax.patches]
        labels = results.recording.labels
        edges = results.graph(size).edges(data=True)
        wanted = [(a, b, value["count"]) for a, b, value in edges]
        found = [(labels[int(a)], labels[int(b)], int(n)) for a, b, n in drawn]
        assert sorted(found) == sorted(wanted) and len(wanted) > 0


@pytest.mark.parametrize("more", [{}, {"test": "exact", "report": "all"}, {"min_size": 3}])
def test_the_network_is_that_of_the_command(rec, tmp_path, more):
    """The strongest arrows of steps of any result, and a title that says how many were left out."""
    test = "test" in more
    ep = sm.episodes(rec, ["0:5ms", "5ms:10ms"], **{**BASE, "support": 3, **more})
    ax = sm.plot.network(ep)
    ep.figure(tmp_path / "command.svg")
    title = ax.get_title().replace("\n", " ")
    assert " of " in title and f"{title}." in (tmp_path / "command.svg").read_text()
    arrows = [[int(x) for x in patch.get_gid().split()[2:]] for patch in ax.patches]
    steps = list(ep._steps(None))
    chance = ep.columns["expected"] if test else np.zeros(len(ep))
    strength = {}
    for k, a, b, *_ in steps:
        strength[a, b] = max(strength.get((a, b), 0), math.floor(ep.count[k] - chance[k] + 0.5))
    assert f": {len(arrows)} of " in title and ("above chance" in title) == bool(test)
    assert all(strength[a, b] == n for a, b, n in arrows)
    assert max(n for *_, n in arrows) == max(n for (a, b), n in strength.items() if a != b)
    for end in (0, 1):
        assert max(Counter(arrow[end] for arrow in arrows).values()) <= 3


# ---- tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("spectrum", ["2d", "3d"])
def test_cells_are_those_of_the_spectrum(rec, spectrum):
    pat = sm.patterns(
        rec, "3ms", 5, support=5, surrogates=19, report="all", spectrum=spectrum, alpha=0.2
    )
    ax = sm.plot.pvalue_spectrum(pat)
    mesh = named(ax, "p-values")
    cells = np.ma.masked_array(mesh.get_array()).reshape(mesh.get_coordinates().shape[0] - 1, -1)
    first = int(round(mesh.get_coordinates()[0, 0, 0] + 0.5))
    table = pat.test.pvalue_spectrum
    keys = sorted({(v["size"], v["duration"]) for v in [*table, *pat.test.signatures]})
    assert cells.count() == len(table) > 0
    for row in table:
        y = keys.index((row["size"], row["duration"]))
        assert cells[y, int(row["count"]) - first] == row["p"]
    for name, significant in (("significant", True), ("not significant", False)):
        x, y = points(named(ax, name))
        wanted = pat.test.signatures[pat.test.signatures["significant"] == significant]
        assert sorted(zip(x, y)) == sorted(
            (v["count"], keys.index((v["size"], v["duration"]))) for v in wanted
        )
    if spectrum == "3d":
        length = int(table["duration"][0])
        own = named(sm.plot.pvalue_spectrum(pat, duration=length), "p-values").get_array()
        assert np.ma.count(own) == np.count_nonzero(table["duration"] == length)
    else:
        with pytest.raises(ValueError, match="3d"):
            sm.plot.pvalue_spectrum(pat, duration=2)


@pytest.mark.parametrize("jitter", ["20ms", ("20ms", "80ms")])
def test_the_null_distribution_of_scores(rec, jitter):
    ep = sm.episodes(
        rec,
        ["0:5ms"],
        6,
        max_size=2,
        test="exact",
        jitter=jitter,
        surrogates=39,
        report="all",
        alpha=0.3,
    )
    ax = sm.plot.null_distribution(ep)
    marked = 0
    for s, text in enumerate(ep.test.jitter):
        values, edges, _ = named(ax, f"largest {text}").get_data()
        assert np.array_equal(values, np.histogram(ep.test.largest_scores[:, s], edges)[0])
        assert values.sum() == 39
        x, _ = points(named(ax, f"results {text}"))
        marked += x.size
        own = ep.score if len(ep.test.jitter) == 1 else ep.score[ep.jitter == text]
        assert np.array_equal(x, own)
        critical = named(ax, f"critical {text}").get_xdata()[0]
        p = ep.p if len(ep.test.jitter) == 1 else ep.p[ep.jitter == text]
        assert np.array_equal(p <= 0.3, own > critical + 1e-9)
    assert marked == len(ep)


def test_the_null_distribution_of_signatures(pat):
    ax = sm.plot.null_distribution(pat)
    table = pat.test.pvalue_spectrum
    for size in np.unique(table["size"]):
        x, y = points(named(ax, f"surrogates {size} 0"))
        own = np.sort(table[table["size"] == size], order="count")
        assert np.array_equal(x[:-1], own["count"]) and np.array_equal(y[:-1], own["p"])
        assert y[-1] == 1 / 20


# ---- all of them -----------------------------------------------------------------------------


def test_axes_in_axes_out(rec, ep, pat):
    exact = sm.episodes(rec, ["0:5ms"], 6, max_size=2, test="exact", surrogates=19, report="all")
    calls = [
        lambda ax: sm.plot.raster(rec, ep[:2], ax=ax),
        lambda ax: sm.plot.occurrences(ep, 0, ax=ax),
        lambda ax: sm.plot.lags(ep, 0, ax=ax),
        lambda ax: sm.plot.lags(pat, ax=ax),
        lambda ax: sm.plot.patterns(pat, ax=ax),
        lambda ax: sm.plot.findings(pat, ax=ax),
        lambda ax: sm.plot.network(ep, ax=ax),
        lambda ax: sm.plot.pvalue_spectrum(pat, ax=ax),
        lambda ax: sm.plot.null_distribution(exact, ax=ax),
        lambda ax: sm.plot.null_distribution(pat, ax=ax),
    ]
    for call in calls:
        figure, ax = plt.subplots()
        _, other = plt.subplots()  # the current one, which is not to be touched
        assert call(ax) is ax and not other.has_data() and plt.gca() is other
        figure.canvas.draw()
        numbers = plt.get_fignums()
        assert call(None).figure.number not in numbers
        plt.close("all")


def test_axes_beside_others_have_room(rec, ep):
    """Without a layout of the figure's own no legend and no label lies over other axes; one that is there stays."""
    whole, grid = plt.subplots(2, 2, figsize=(11, 8))
    sm.plot.raster(rec, ep[:3], ax=grid[0, 0])
    sm.plot.occurrences(ep, 0, ax=grid[0, 1])
    sm.plot.lags(ep, ax=grid[1, 0])
    sm.plot.network(ep, ax=grid[1, 1])
    whole.canvas.draw()
    boxes = [ax.get_tightbbox() for ax in grid.flat]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    for layout in ("tight", "constrained"):
        whole, (first, _) = plt.subplots(1, 2, layout=layout)
        own = whole.get_layout_engine()
        sm.plot.raster(rec, ep[:3], ax=first)
        assert whole.get_layout_engine() is own
    whole, alone = plt.subplots()
    sm.plot.raster(rec, ep[:3], ax=alone)
    assert whole.get_layout_engine() is None


def test_empty_results_are_drawn(rec, ep, pat):
    nothing = sm.Recording({"a": []})
    assert sm.plot.raster(nothing).get_xlabel() == "time (s)"
    none = sm.patterns(rec, "3ms", 5, support=5000, surrogates=19)
    exact = sm.episodes(rec, ["0:5ms"], 5000, test="exact", surrogates=19)
    for results in (ep[:0], pat[:0], none, exact):
        for function in (sm.plot.patterns, sm.plot.findings, sm.plot.lags, sm.plot.network):
            ax = function(results)
            assert "no " in named(ax, "empty").get_text()
            ax.figure.canvas.draw()
        sm.plot.raster(rec, results).figure.canvas.draw()
        plt.close("all")
    for function in (sm.plot.pvalue_spectrum, sm.plot.null_distribution):
        function(none).figure.canvas.draw()
    sm.plot.null_distribution(exact).figure.canvas.draw()


@pytest.fixture(scope="module")
def found():
    """A sequence of five units 4 ms apart, of which u2 misses every fifth spike."""
    starts = np.sort(np.random.default_rng(5).uniform(0, 60, 100)).round(3)
    spikes = {f"u{k}": starts + 0.004 * k for k in range(5)}
    spikes["u2"] = np.delete(spikes["u2"], slice(None, None, 5))
    rec = sm.Recording(spikes, stop=61)
    return sm.sequences(rec, longest_lag="20ms", jitter="50ms", surrogates=19, max_sequences=1)


def test_whole_sequences_are_drawn(found):
    """The raster has all spikes of all occurrences and no other; a band those of its member, and the
    others of the unit near by in grey."""
    one, rec = found[0], found.recording
    there = one.spikes >= 0
    assert not there.all()
    ax = sm.plot.raster(rec, found, start=rec.start, stop=rec.stop)
    x, y = points(named(ax, "occurrences 0"))
    names = dict(zip(ax.get_yticks(), (label.get_text() for label in ax.get_yticklabels())))
    drawn = Counter((names[row], round(t, 6)) for t, row in zip(x, y))
    times = one.spike_times_s
    assert drawn == Counter((one.units[p], round(times[k, p], 6)) for k, p in np.argwhere(there))
    assert f"{len(one.times_s)} of {len(one.times_s)} occurrences" in ax.get_xlabel()
    assert texts_of(ax.get_legend()) == [f"{' → '.join(one.units)}  ({len(times)}×, p {one.p:.2g})"]
    ax = sm.plot.occurrences(found, 0, margin="10ms")
    assert [label.get_text() for label in ax.get_yticklabels()] == list(one.units)
    for p, unit in enumerate(one.units):
        own = np.sort(points(named(ax, f"member {p}"))[0])[::2]
        lags = (times[:, p] - one.times_s) * 1000
        assert np.allclose(own, np.sort(lags[~np.isnan(lags)]))
        near = np.subtract.outer(rec.spikes(unit), one.times_s)
        near = near[(near >= -0.01) & (near <= one.lag_s[-1] + 0.01)]
        assert points(named(ax, f"others {p}"))[0].size == 2 * near.size


def test_what_does_not_draw_sequences_tells_what_does(found):
    functions = (sm.plot.lags, sm.plot.findings, sm.plot.patterns)
    for refused in (found, found[0]):
        for function in functions:
            with pytest.raises(TypeError, match=r"drawn by found\.figure\(\)"):
                function(refused)
    with pytest.raises(
        TypeError, match=r"not Sequences: give found\.recording, .*found\.figure\(\)"
    ):
        sm.plot.raster(found)


@pytest.mark.parametrize("n", [5, 9, 30])
@pytest.mark.parametrize("name", ["{}", "1{:02}", "channel{}"])
def test_names_in_a_network_touch_no_circle(n, name):
    """Short names stand within the circle of their unit, all others outside of all."""
    times = np.concatenate([np.arange(1, 30) * 0.1 + 0.004 * k for k in range(n)])
    rec = sm.Recording(times, np.repeat([name.format(k) for k in range(n)], 29), sort=True)
    ax = sm.plot.network(sm.episodes(rec, "0:5ms", 20, max_size=2), every=True)
    ax.figure.canvas.draw()
    circles = ax.transData.transform(np.column_stack(named(ax, "units").get_data()))
    radius = named(ax, "units").get_markersize() / 2 * ax.figure.dpi / 72
    labels = [text for text in ax.texts if (text.get_gid() or "").startswith("unit ")]
    assert len(labels) == len(circles) == n
    for label, own in zip(labels, circles):
        outline = label.get_window_extent().get_points()
        if n <= 24 and len(label.get_text()) <= 2:
            assert (np.abs(outline - own) <= radius).all()
        elif label.get_rotation() == 0:
            nearest = np.clip(circles, *outline)
            assert (np.hypot(*(nearest - circles).T) > radius).all(), label
        else:  # its anchor is its end that is next to the circle
            end = label.get_transform().transform(label.get_position())
            assert np.hypot(*(end - own)) > radius


def test_wrong_arguments_are_refused(rec, ep, pat):
    with pytest.raises(TypeError, match=r"ep\[:5\]"):
        sm.plot.raster(rec, ep[0])
    with pytest.raises(TypeError, match="Patterns"):
        sm.plot.pvalue_spectrum(ep)
    with pytest.raises(ValueError, match="test='exact'"):
        sm.plot.null_distribution(ep)
    with pytest.raises(ValueError, match="surrogates"):
        sm.plot.pvalue_spectrum(sm.patterns(rec, "3ms", 5, support=5))
    with pytest.raises(ValueError, match="before"):
        sm.plot.raster(rec, start=2, stop="1s")
    with pytest.raises(KeyError, match="u9"):
        sm.plot.raster(rec, units=["u9"])
    with pytest.raises(ValueError, match="results"):
        sm.plot.raster(rec, units="all")


def test_matplotlib_is_imported_when_it_is_used():
    code = "import sys, spikemine as sm; sm.plot.raster; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_remedy_is_named(rec, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'spikemine\[plot\]'"):
        sm.plot.raster(rec)
