"""bench/contest/: what is planted is read, scores are those counted by hand, the two reference programs compute what
their papers say, and every run that is asked for is told apart by its settings."""

import argparse
import json
import math
import os
import pathlib
import signal
import sys
import threading
import time

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/contest"))
import cells  # noqa: E402
import correlograms  # noqa: E402
import methods  # noqa: E402
import ppseq  # noqa: E402
import recordings  # noqa: E402
import run  # noqa: E402
import scale  # noqa: E402
import scores  # noqa: E402

CHAIN = {"units": ["a", "b", "c"], "lags_s": [0.0, 0.01, 0.03], "times_s": [1.0, 2.0, 3.0, 4.0]}


def sequence(units, lags, times=()):
    return {"units": list(units), "lags_s": list(lags), "times_s": list(times)}


# ---- the page ------------------------------------------------------------------------------------


def test_orders_count_where_intervals_stand_apart_and_name_what_turns():
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    import page

    first = {"a": (0.9, 0.8, 1.0), "b": (0.5, 0.4, 0.6), "c": (0.7, 0.55, 0.85)}
    same = {"a": (0.8, 0.0, 1.0), "b": (0.1, 0.0, 1.0), "c": (0.0, 0.0, 0.1)}
    assert page.orders(first, same) == (1, [])  # only a and b stand apart at first
    assert page.orders(first, {"a": (0.1, 0.0, 0.2), "b": (0.2, 0.1, 0.3)}) == (1, [("a", "b", False)])
    assert page.orders(first, {"a": (0.1, 0.0, 0.2), "b": (0.4, 0.3, 0.5)}) == (1, [("a", "b", True)])


def row_of(method, f1):
    return {"cell": "few", "method": method, "seed": 7000, "pairs": {"f1": f1, "recall": f1, "precision": 1.0}}


def test_each_of_ours_is_told_beside_a_better_one_and_no_tie(monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    import page

    monkeypatch.setattr(page, "SCORES", {"pairs": ""})
    rows = [row_of(method, 0.5 if method == "spikemine patterns" else 0.75) for method in cells.METHODS]
    assert list(page.each_of_ours(rows, ["few"])) == ["spikemine patterns, pairs: few 0.50 (0.50 / 1.00; Elephant SPADE 0.75)"]


# ---- scores --------------------------------------------------------------------------------------


def test_pairs_in_the_wrong_order_are_wrong():
    made = scores.pair_score([sequence("ab", [0, 0.01]), sequence("cb", [0, 0.01])], [CHAIN])
    assert made == {"recall": 1 / 3, "precision": 0.5, "f1": 0.4, "wrong": 1}


def test_synchronous_units_have_no_order():
    together = sequence("abc", [0, 0, 0])
    assert scores.pair_score([sequence("ba", [0, 0.004]), sequence("ca", [0, 0])], [together])["recall"] == 2 / 3
    assert scores.pair_score([sequence("ab", [0, 0])], [CHAIN])["wrong"] == 0


def test_members_are_those_of_the_best_single_result():
    found = [sequence("ab", [0, 0.01]), sequence("abcx", [0, 0.01, 0.03, 0.05]), sequence("xyz", [0, 1, 2])]
    assert scores.member_score(found, CHAIN) == {"recall": 1, "precision": 0.75, "f1": 6 / 7}
    assert scores.member_score(found[2:], CHAIN)["f1"] == 0


def test_occurrences_are_aligned_by_lags_and_count_once():
    found = [sequence("bc", [0, 0.02], [1.012, 2.009, 7.0]), sequence("ab", [0, 0.01], [1.001, 3.0])]
    assert scores.occurrence_score(found, CHAIN) == {"recall": 0.75, "precision": 0.75, "f1": 0.75}


def test_a_run_without_result_has_found_nothing():
    made = scores.score([], [CHAIN])
    assert made["pairs"]["f1"] == made["members"]["f1"] == made["occurrences"]["f1"] == 0
    assert scores.score([], [])["pairs"] == {"recall": None, "precision": None, "f1": None, "wrong": 0}


def test_a_result_of_one_unit_is_no_sequence():
    assert scores.score([sequence("aaa", [0, 0.01, 0.02])], [])["results"] == 0


# ---- recordings ----------------------------------------------------------------------------------


def test_occurrences_in_reverse_order_are_a_sequence_of_their_own(tmp_path):
    rows = [[1.0, 1.01, 1.03], [2.0, None, 2.03], [3.03, 3.02, 3.0], [4.0, None, None]]
    path = tmp_path / "truth.json"
    path.write_text(json.dumps({"chains": [{"units": ["a", "b", "c"], "delays_s": [0.01, 0.02], "times_s": rows}]}))
    forward, back = recordings.truth_of(path)
    assert forward["times_s"] == pytest.approx([1.0, 2.0]) and forward["lags_s"] == pytest.approx([0, 0.01, 0.03])
    assert back["units"] == ["c", "b", "a"] and back["lags_s"] == pytest.approx([0, 0.02, 0.03])
    assert back["times_s"] == pytest.approx([3.0])


def test_a_background_replaces_units_and_length():
    words = list(recordings.options_of("culture", cells.SIZES["first"], background="piece.txt"))
    assert words[words.index("--background") + 1] == "piece.txt" and "--units" not in words
    assert "--duration" in list(recordings.options_of("none", cells.SIZES["first"]))


# ---- runs ----------------------------------------------------------------------------------------


def asked(**more):
    return argparse.Namespace(**{"size": "first", "cells": "", "methods": "", "columns": "", "seed": 7,
                                 "longest_first": False} | more)  # fmt: skip


def test_each_run_has_a_key_that_names_its_settings():
    keys = [run.identity(key) for key in run.wanted(asked(recordings=2))]
    assert len(set(keys)) == len(keys) == 2 * len(cells.CELLS) * len(cells.METHODS) * len(cells.COLUMNS)
    one, other = (run.key_of(size, "few", "Elephant SPADE", "rule", 1)["settings"] for size in cells.SIZES)
    assert one != other


def test_a_recording_of_all_comes_before_the_next():
    seeds = [key["seed"] for key in run.wanted(asked(recordings=3, cells="few,mixed"))]
    of_one = 2 * len(cells.METHODS) * len(cells.COLUMNS)
    assert seeds == [7] * of_one + [8] * of_one + [9] * of_one


def test_the_longest_runs_come_first_by_the_rows_that_are_there():
    both = ("seqnmf", "PPSeq (reference)")
    runs = [run.key_of("first", cell, method, "rule", 8) for cell in ("few", "long") for method in both]
    known = [("few", "seqnmf", 2), ("few", "PPSeq (reference)", 9), ("long", "seqnmf", 1), ("long", "seqnmf", 5)]
    rows = [run.key_of("first", cell, method, "rule", 7) | {"cpu_s": seconds} for cell, method, seconds in known]
    made = [(key["cell"], key["method"]) for key in run.longest_first(runs, rows)]
    assert made == [("long", "PPSeq (reference)"), ("few", "PPSeq (reference)"), ("long", "seqnmf"), ("few", "seqnmf")]


def test_a_commit_can_be_told_where_git_is_not(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run.importlib.metadata, "version", lambda _: "1")
    monkeypatch.setenv("COMMIT", "abc")
    made = run.conditions(write_command(tmp_path), 64)
    assert (made["commit"], made["jobs"]) == ("abc", 64)


def write_command(folder):
    path = folder / "spikemine"
    path.write_text("#!/bin/sh\necho spikemine 0\n")
    path.chmod(0o755)
    return path


def test_a_higher_limit_runs_again_what_a_lower_one_ended(tmp_path, monkeypatch):
    path = tmp_path / "scale.jsonl"
    ended = ((10, "done"), (24, "time"))
    rows = [{"method": "seqnmf", "axis": "units", "value": value, "outcome": outcome} for value, outcome in ended]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(scale, "point", lambda method, axis, value, options: {
        "method": method, "axis": axis, "value": value, "outcome": "time", "cpu_s": 1, "limit_s": options.limit})  # fmt: skip
    for limit, values in ((40, []), (300, [24]), (300, []), (301, [24])):
        done = scale.rows_of(path)
        before = len(path.read_text().splitlines())
        with open(path, "a", encoding="utf-8") as rows:
            scale.climb("seqnmf", "units", done, argparse.Namespace(limit=limit), rows)
        made = [json.loads(line) for line in path.read_text().splitlines()[before:]]
        assert [(row["value"], row["limit_s"]) for row in made] == [(value, limit) for value in values]


def test_a_run_that_got_no_processor_is_no_result(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "WALL", 0)
    with pytest.raises(TimeoutError, match="seqnmf got too little"):
        run.measure(run.key_of("first", "few", "seqnmf", "rule", 7), cells.SIZES["first"], "", "none.txt", tmp_path)


def test_runs_at_a_time_leave_a_row_each_and_none_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "conditions", lambda *_: {"commit": "x"})
    monkeypatch.setattr(run, "score", lambda key, _: key | {"outcome": "done", "cpu_s": 0})
    options = asked(recordings=1, cells="few", jobs=3, seconds=60, rows=tmp_path / "rows.jsonl", spikemine="")
    for _ in range(2):
        run.contest(options)
    made = sorted(run.identity(row) for row in run.rows_of(options.rows))
    assert made == sorted(run.identity(key) for key in run.wanted(options))


def test_an_interrupt_ends_all_runs_and_the_same_call_goes_on(tmp_path, monkeypatch):
    options = asked(recordings=1, cells="few", jobs=1, seconds=60, rows=tmp_path / "rows.jsonl", spikemine="")
    made = []

    def score(key, _):
        made.append(key)
        if len(made) == 2:
            while not run.rows_of(options.rows):
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            assert run.STOP.wait(60)
            raise TimeoutError
        return key | {"outcome": "done", "cpu_s": 0}

    monkeypatch.setattr(run, "conditions", lambda *_: {"commit": "x"})
    monkeypatch.setattr(run, "score", score)
    monkeypatch.setattr(run, "STOP", threading.Event())
    with pytest.raises(SystemExit, match="interrupted; the same command goes on"):
        run.contest(options)
    assert len(made) == 2 and len(run.rows_of(options.rows)) == 1
    monkeypatch.setattr(run, "STOP", threading.Event())
    run.contest(options)
    assert len(made) == 1 + len(list(run.wanted(options))) == 1 + len(run.rows_of(options.rows))


def test_a_recording_that_cannot_be_made_costs_no_other_row(tmp_path, monkeypatch):
    def score(key, _):
        if key["cell"] == "few":
            raise OSError("no such file")
        return key | {"outcome": "done", "cpu_s": 0}

    monkeypatch.setattr(run, "conditions", lambda *_: {"commit": "x"})
    monkeypatch.setattr(run, "score", score)
    options = asked(recordings=1, cells="few,mixed", jobs=2, seconds=60, rows=tmp_path / "rows.jsonl", spikemine="")
    with pytest.raises(SystemExit, match="few: no such file"):
        run.contest(options)
    assert {row["cell"] for row in run.rows_of(options.rows)} == {"mixed"}
    assert len(run.rows_of(options.rows)) == len(cells.METHODS) * len(cells.COLUMNS)


def test_a_row_that_was_cut_off_is_run_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"commit": "x"}\n{"cell": "few"}\n{"cell": "mi')
    assert run.rows_of(path) == [{"cell": "few"}]


@pytest.mark.parametrize("status, share, outcome", [(0, 0.99, "done"), (3, 0.1, "memory"), (4, 0.1, "failed"),
                                                    (4, 0.98, "time"), (-24, 1, "time"), (-11, 0.1, "failed")])  # fmt: skip
def test_outcomes(status, share, outcome):
    assert run.outcome_of(status, share) == outcome


# ---- ASSET ---------------------------------------------------------------------------------------


def test_a_wave_of_groups_that_comes_twice_is_found():
    pytest.importorskip("elephant")
    pytest.importorskip("sklearn")
    draw = np.random.default_rng(1)
    groups = np.arange(100) // 5
    alone = draw.integers(0, 100, 360)
    times = np.concatenate([draw.uniform(0, 0.9, 360), *(at + 0.003 * groups + draw.normal(0, 0.0003, 100) for at in (0.2, 0.7))])
    labels = [str(unit) for unit in np.concatenate([alone, np.arange(100), np.arange(100)])]
    job = methods.Job(pathlib.Path("none"), times, labels, 1, "")
    (wave,) = methods.asset(job, cells.settings("Elephant ASSET", "own", "mixed"))
    found = [int(unit) // 5 for unit in wave["units"]]
    assert len(found) > 50 and np.corrcoef(found, wave["lags_s"])[0, 1] > 0.99
    assert sorted(wave["times_s"]) == pytest.approx([0.2, 0.7], abs=0.006)


# ---- correlograms --------------------------------------------------------------------------------


def test_counts_are_those_of_all_pairs_of_spikes():
    draw = np.random.default_rng(1)
    times, units = np.round(draw.uniform(0, 2, 150), 2), draw.integers(0, 3, 150)
    bins = np.zeros((3, 3, 5), int)
    for i in range(150):
        for j in range(150):
            late = times[j] - times[i]
            if i != j and 0 <= late < 0.25:
                bins[units[i], units[j], min(int(late // 0.05), 4)] += 1
    assert (correlograms.counts_of(times, units, 3, 0.05, 5) == bins).all()


def test_the_poisson_tail_is_a_sum():
    for count, mean in ((0, 2.0), (1, 0.01), (5, 3.2), (40, 55.0)):
        below = math.fsum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(count))
        assert correlograms.poisson_tail(count, mean) == pytest.approx(1 - below)


def test_benjamini_and_hochberg_accept_up_to_the_last_that_fits():
    p = np.array([0.04, 0.001, 0.9, 0.03, 0.0375])  # sorted: 0.001 0.03 0.0375 0.04 0.9, limits: 0.01 0.02 0.03 0.04 0.05
    assert correlograms.accepted(p, 0.05).tolist() == [True, True, False, True, True]
    assert not correlograms.accepted(np.array([0.2, 0.06]), 0.05).any()


def test_a_planted_pair_is_found_with_its_lag():
    draw = np.random.default_rng(2)
    trains = [np.sort(draw.uniform(0, 60, 180)) for _ in range(5)]
    trains[3] = np.sort(np.concatenate([trains[3], trains[1][:60] + 0.012]))
    times, units = np.concatenate(trains), np.repeat(np.arange(5), [len(train) for train in trains])
    found = correlograms.pairs(times, units, 5, 0.005, 10, 0.05, copies=20)
    assert [(a, b, late) for a, b, late, _ in found] == [(1, 3, 2)]


# ---- PPSeq ---------------------------------------------------------------------------------------


def parameters(draw, n_units, n_types):
    share = draw.dirichlet(np.ones(n_units), n_types).T.copy()
    return share, draw.normal(0, 0.03, share.shape), draw.uniform(1e-4, 4e-4, share.shape)


def test_the_weight_of_an_event_is_an_integral_over_its_time_and_type():
    draw = np.random.default_rng(3)
    share, offset, width = parameters(draw, 4, 2)
    mix, spikes, (n, t) = np.array([0.3, 0.7]), [(0, 0.51), (2, 0.53), (3, 0.49)], (1, 0.52)
    sums = np.zeros((1, 3, 4))
    for unit, time in spikes:
        ppseq.add(sums, 0, 1, unit, time, share, offset, width)
    moments = np.linspace(0, 1, 20001)
    joint = np.zeros((2, 2))  # without and with the spike, by type
    for r in range(2):
        density = np.full(len(moments), mix[r])
        for k, (unit, time) in enumerate([*spikes, (n, t)]):
            c = width[unit, r]
            density = density * share[unit, r] * np.exp(-0.5 * (time - moments - offset[unit, r]) ** 2 / c)
            density /= math.sqrt(2 * math.pi * c)
            if k >= 2:
                joint[k - 2, r] = density.sum()
    weight = ppseq.event_weight(sums, 0, n, t, mix, share, offset, width, np.empty(2))
    assert weight == pytest.approx(joint[1].sum() / joint[0].sum(), rel=1e-6)
    chances = np.empty(2)
    ppseq.type_chances(sums, 0, mix, chances)
    assert chances == pytest.approx(joint[0] / joint[0].sum(), rel=1e-6)


def test_a_planted_sequence_is_found():
    draw = np.random.default_rng(4)
    at, lags = np.arange(0.4, 6, 0.7), np.arange(5) * 0.02
    trains = [at + lag + draw.normal(0, 0.002, len(at)) for lag in lags] + [draw.uniform(0, 6, 5) for _ in range(3)]
    times, units = np.concatenate(trains), np.repeat(np.arange(8), [len(train) for train in trains])
    prior = ppseq.Prior(types=1, amplitude=5, amplitude_variance=50, width=25e-6, offset_weight=0.01, background=8,
                        background_variance=8, longest=0.2)  # fmt: skip
    sampler = ppseq.Sampler(times, units, 8, 6.0, prior, 1, most_events=30)
    sampler.run(anneals=4, steps=15, after=20)
    (members, offsets, moments), = sampler.sequences()
    assert members.tolist() == [0, 1, 2, 3, 4] and np.abs(offsets - lags).max() < 0.006
    assert len(moments) == len(at) and np.abs(moments - at).max() < 0.01
