"""Live streams: what is pushed in comes out as in a recording of the same spikes."""

import asyncio
import itertools
import json
import os
import socket
import subprocess
import threading

import numpy as np
import pytest
import spikemine as sm
from conftest import DATA, draw

EPISODES = ["0 (0,10ms] 1", "1 (5ms,20ms] 2 (0,20ms] 0", "3 (0,5ms] 3", "4 (0,30ms] 5"]


def ticks_of(times):
    return np.rint(times * 1000).astype(np.int64)


def push_in_chunks(live, ticks, units, random):
    at = 0
    while at < ticks.size:
        end = at + int(random.integers(1, 60))
        live.push(ticks[at:end], units[at:end])
        at = end


def check_occurrences(rec, events):
    """Those of each episode are the counted ones of the recording, in their order."""
    offline = sm.count(rec, EPISODES)
    for k in range(len(EPISODES)):
        found = [e for e in events if e.item == k]
        expected = offline.occurrences(k)
        assert len(found) == offline.count[k] == len(expected)
        assert [e.count for e in found] == list(range(1, len(found) + 1))
        np.testing.assert_allclose(np.ravel([e.times for e in found]), np.ravel(expected))
    return offline


def test_counts_and_occurrences_are_those_of_the_recording(random):
    times, units = draw(random, 1500)
    rec = sm.Recording(ticks_of(times), units, rate=1000, start=0)
    with sm.Live(1000, episodes=EPISODES, window="1s") as live:
        push_in_chunks(live, ticks_of(times), units, random)
        live.end()
        events = list(live)
        offline = check_occurrences(rec, events)
        assert live.counts().dtype == np.uint64
        np.testing.assert_array_equal(live.counts(), offline.count)
        assert live.names() == [str(e) for e in offline]
        assert live.counters["accepted"] == len(rec)
        last = sm.Recording(
            ticks_of(times), units, rate=1000, start=times[-1] - 0.9995, stop=times[-1] + 0.001
        )
        np.testing.assert_array_equal(live.recent(), sm.count(last, EPISODES).count)
    assert {e.kind for e in events} == {"episode"}
    assert events[0].ticks == tuple(round(t * 1000) for t in events[0].times)
    assert set(events[0].units) <= {"0", "1", "2", "3", "4", "5"}
    with pytest.raises(ValueError, match="closed"):
        live.push([1], [0])


def test_seconds_names_and_a_list_of_episodes(random, tmp_path):
    times, units = draw(random)
    rec = sm.Recording(times, units, rate=1000, start=0)
    names = np.array(["0", "1", "2", "3", "4", "5"])
    path = tmp_path / "list.txt"
    path.write_text("\n".join(EPISODES))
    for given, told in ((path, names[units]), (sm.count(rec, EPISODES), list(names[units]))):
        with sm.Live(1000, episodes=given) as live:
            live.push(times, told)
            check_occurrences(rec, list(live))
    with sm.Live(1000, episodes=EPISODES, labels=["5", "4", "3", "2", "1", "0"]) as live:
        live.push(times, 5 - units)
        check_occurrences(rec, list(live))


def test_patterns_are_watched(random):
    times, units = draw(random, 1500, n_units=3)
    ticks = ticks_of(times)
    rec = sm.Recording(ticks, units, rate=1000, start=0)
    pat = sm.patterns(rec, bin="5ms", window=3, min_spikes=2, support=40)
    assert len(pat) > 0
    with sm.Live(1000, patterns=pat) as live:
        live.border(start=0)  # bins count from here
        push_in_chunks(live, ticks, units, random)
        live.end()
        np.testing.assert_array_equal(live.counts("patterns"), pat.count)
        assert sum(e.kind == "pattern" for e in live) == pat.count.sum()


def test_functions_are_told_and_their_exceptions_end_the_call(random):
    times, units = draw(random, 800)
    ticks, told = ticks_of(times), []

    def tell(occurrence):
        told.append(occurrence)
        if len(told) == 3:
            raise KeyError("third")

    with sm.Live(1000, episodes=EPISODES, on_occurrence=tell) as live:
        with pytest.raises(KeyError, match="third"):
            live.push(ticks, units)
        assert len(told) == 3
        live.end()  # goes on behind it
        assert len(told) == live.counts().sum()
        assert list(live) == []


def test_what_waits_is_bounded(random):
    times, units = draw(random, 800)
    with sm.Live(1000, episodes=EPISODES, keep=5) as live:
        live.push(ticks_of(times), units)
        total = int(live.counts().sum())
        assert total > 5
        assert live.dropped == total - 5
        assert len(list(live)) == 5


def offline_partition(rec, part, **search):
    """Mines the slice of the recording."""
    cut = sm.Recording(
        rec.ticks,
        np.array(rec.labels)[rec.units],
        rate=rec.rate,
        start=f"{part.start}s",
        stop=f"{part.stop}s",
    )
    return sm.episodes(cut, ["0:10ms"], **search)


def counts_of(found):
    return dict(zip(found.to_dict()["episode"], found.count.tolist()))


@pytest.mark.parametrize("worker", [False, True])
def test_partitions_are_slices(random, worker):
    times, units = draw(random, 1500)
    ticks = ticks_of(times)
    rec = sm.Recording(ticks, units, rate=1000, start=0)
    job = {"partition": 1, "step": "500ms", "delays": ["0:10ms"], "support": 8}
    parts = []
    with sm.Live(1000, worker=worker, wait=True, on_partition=parts.append, **job) as live:
        push_in_chunks(live, ticks, units, random)
        live.end()
        totals = live.partitions
    assert [p.number for p in parts] == list(range(len(parts)))
    assert len(parts) == totals["mined"] >= 7
    assert [p.state for p in parts[:-1]] == ["mined"] * (len(parts) - 1)
    assert parts[-1].state == "cut"
    before = {}
    for part in parts:
        offline = offline_partition(rec, part, support=8)
        now = counts_of(part.episodes)
        assert now == counts_of(offline)
        assert part.tested == "not asked for"
        trend = dict(zip(now, part.episodes.trend))
        for text, count in now.items():
            old = before.get(text)
            is_clear = (count - (old or 0)) ** 2 > 4 * (count + (old or 0))
            word = "growing" if count > (old or 0) else "shrinking"
            word = word if is_clear else "steady"
            assert trend[text] == ("new" if old is None else word)
        assert set(part.vanished.to_dict()["episode"]) == set(before) - set(now)
        before = now


def test_partitions_are_tested(random):
    times, units = draw(random, 1500)
    job = {"partition": 2, "step": 1, "delays": ["0:10ms"], "support": 10}
    with sm.Live(1000, test="exact", surrogates=19, seed=3, wait=True, **job) as live:
        live.push(ticks_of(times), units)
        live.end()
        part = next(iter(live))
    rec = sm.Recording(ticks_of(times), units, rate=1000, start=0)
    offline = offline_partition(
        rec, part, support=10, test="exact", surrogates=19, seed=3, report="all"
    )
    assert part.tested == ""
    expected, found = (
        dict(zip(e.to_dict()["episode"], zip(e.p.tolist(), e.expected.tolist()))) for e in (offline, part.episodes)
    )
    assert {name: found[name] for name in expected} == expected
    table = part.episodes.to_dict()
    assert {"trend", "before", "p", "expected"} <= set(table)


def test_what_falls_behind_is_skipped_and_told(random):
    job = {"partition": 1, "step": 1, "delays": ["0:10ms"], "support": 3, "backlog": 2}
    with sm.Live(1000, keep_up=True, **job) as live:
        live.push(np.arange(0, 6001, 10), np.zeros(601, int))
        parts = list(live)
    assert [p.state for p in parts] == ["skipped"] * 4 + ["mined"] * 2
    assert parts[3].episodes is None
    assert parts[3].skipped == 4
    assert "behind" in parts[0].why
    assert parts[4].support_raised
    assert parts[4].support == 6


# ---- the state file --------------------------------------------------------------------------


def occurrences_of(events):
    return [(e.item, e.count, e.ticks, e.units) for e in events]


def test_a_stream_goes_on_from_its_state(random, tmp_path):
    """Restarts at random places change no count and no occurrence; units are known by their names."""
    times, units = draw(random, 1500)
    ticks, path = ticks_of(times), tmp_path / "live.state"
    job = {"episodes": EPISODES, "window": "1s", "tolerance": "3ms"}
    with sm.Live(1000, **job) as whole:
        whole.push(ticks, units)
        whole.settle()
        cuts = sorted({0, ticks.size, *random.integers(0, ticks.size, 6).tolist()})
        found = []
        for begin, end in itertools.pairwise(cuts):
            labels = [str(u) for u in random.permutation(6)]  # other numbers each time
            with sm.Live(1000, labels=labels, state=path, **job) as live:
                push_in_chunks(live, ticks[begin:end], units[begin:end].astype(str), random)
                if end < ticks.size:
                    live.save()
                    found += list(live)
                    live.close()  # as a crash would, but for what was saved
                    continue
                live.settle()
                np.testing.assert_array_equal(live.counts(), whole.counts())
                np.testing.assert_array_equal(live.recent(), whole.recent())
                assert live.counters["accepted"] == whole.counters["accepted"]
                found += list(live)
        assert occurrences_of(found) == occurrences_of(list(whole))


def numbers_of(events):
    """Item and count of each occurrence; of spikes at one time the order may differ."""
    return sorted((e.item, e.count) for e in events)


def watch(ticks, units, state, listed):
    """The command's counts and occurrences for samples on its standard input."""
    done = subprocess.run(
        [os.environ["SPIKEMINE"], "watch", "-", "--columns", "time,unit", "--emit", "stdout"]
        + ["--time-unit", "samples@1000", "-e", listed, "--state", state, "--recent", "1s"],
        input="".join(f"{t}\t{u}\n" for t, u in zip(ticks, units)),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    counts = [line["episode_counts"] for line in lines if line["type"] == "counts"][-1]
    return counts, [(line["item"], line["count"]) for line in lines if line["type"] == "episode"]


@pytest.mark.skipif("SPIKEMINE" not in os.environ, reason="the command is not built")
def test_the_command_and_python_go_on_from_each_other(random, tmp_path):
    times, units = draw(random, 1500)
    ticks, at = ticks_of(times), int(random.integers(100, 1400))
    listed = tmp_path / "list.txt"
    listed.write_text("\n".join(EPISODES))
    job = {"episodes": listed, "window": "1s"}
    with sm.Live(1000, **job) as whole:
        whole.push(ticks, units)
        expected = whole.counts().tolist()
        told = numbers_of(whole)

    with sm.Live(1000, state=tmp_path / "a", **job) as live:  # Python, then the command
        live.push(ticks[:at], units[:at])
        before = numbers_of(live)
    counts, after = watch(ticks[at:], units[at:], tmp_path / "a", listed)
    assert (counts, sorted(before + after)) == (expected, told)

    _, before = watch(ticks[:at], units[:at], tmp_path / "b", listed)  # the command, then Python
    with sm.Live(1000, state=tmp_path / "b", **job) as live:
        live.push(ticks[at:], units[at:])
        after = numbers_of(live)
        assert (live.counts().tolist(), sorted(before + after)) == (expected, told)


def test_states_of_other_jobs_are_refused(tmp_path):
    path = tmp_path / "live.state"
    with sm.Live(1000, episodes=EPISODES, state=path) as live:
        live.push([1, 2], [0, 1])
    assert path.exists()  # the end has saved it
    with pytest.raises(sm.ArgumentError, match="is the state of"):
        sm.Live(1000, episodes=EPISODES[:2], state=path)
    with pytest.raises(sm.ArgumentError, match="is the state of"):
        sm.Live(30000, episodes=EPISODES, state=path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(sm.FormatError):
        sm.Live(1000, episodes=EPISODES, state=path)
    spikes, before = tmp_path / "spikes.txt", path.read_bytes()
    spikes.write_text("0.1 1\n0.2 2\n")
    stream = sm.live(spikes, speed=0, episodes=EPISODES, state=path)
    with pytest.raises(sm.FormatError):
        stream.run()
    with pytest.raises(ValueError, match="was closed"):
        stream.end()
    assert path.read_bytes() == before  # what is refused is never touched
    with pytest.raises(ValueError, match="state needs episodes or patterns"):
        sm.Live(1000, state=path)
    with sm.Live(1000) as live, pytest.raises(ValueError, match="nothing is watched"):
        live.save(path)
    with sm.Live(1000, episodes=EPISODES) as live:
        with pytest.raises(ValueError, match="give a path"):
            live.save()
        with pytest.raises(sm.FileError):
            live.save(tmp_path / "none" / "state")
        live.end()
        with pytest.raises(ValueError, match="has ended"):
            live.save(path)


# ---- asyncio ---------------------------------------------------------------------------------


def test_an_event_loop_hears_of_pushes(random):
    times, units = draw(random, 800)
    rec = sm.Recording(ticks_of(times), units, rate=1000, start=0)

    async def listen():
        found = []
        async with sm.Live(1000, episodes=EPISODES) as live:
            pusher = threading.Thread(
                target=lambda: (push_in_chunks(live, ticks_of(times), units, random), live.end())
            )
            pusher.start()
            async for event in live:
                found.append(event)
            pusher.join()
        return found

    check_occurrences(rec, asyncio.run(asyncio.wait_for(listen(), 30)))


def test_a_source_is_followed_by_an_event_loop(random):
    times, units = draw(random, 800)
    rec = sm.Recording(ticks_of(times), units, rate=1000, start=0)
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(30)
    text = "".join(f"{t:.3f} {u}\n" for t, u in zip(times, units)).encode()
    beaten = threading.Event()  # the loop goes on while the source says nothing

    def serve():
        connection, _ = server.accept()
        with connection:
            connection.sendall(text[: len(text) // 2])
            beaten.wait(20)
            connection.sendall(text[len(text) // 2 :])

    async def follow():
        found, beats = [], 0

        async def beat():
            nonlocal beats
            while True:
                beats += 1
                if beats == 10:
                    beaten.set()
                await asyncio.sleep(0.001)

        heart = asyncio.create_task(beat())
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        async with sm.live(address, reconnect=False, episodes=EPISODES) as stream:
            async for event in stream:
                found.append(event)
            assert stream.source["kind"] == "tcp"
            assert stream.counters["accepted"] == len(rec)
        heart.cancel()
        return found, beats

    sender = threading.Thread(target=serve)
    sender.start()
    try:
        found, beats = asyncio.run(asyncio.wait_for(follow(), 30))
    finally:
        sender.join()
        server.close()
    check_occurrences(rec, found)
    assert beaten.is_set()
    assert beats >= 10


def test_a_replay_is_the_recording():
    path = DATA / "movement_PGHF.spikes.txt"
    rec = sm.read(path)
    texts = [str(e) for e in sm.episodes(rec, ["5ms:10ms"], 150)[:20]]
    with sm.live(path, speed=0, episodes=texts) as stream:
        stream.run()
        np.testing.assert_array_equal(stream.counts(), sm.count(rec, texts).count)
    events = list(stream)
    assert len(events) == sm.count(rec, texts).count.sum()


# ---- what is wrong ---------------------------------------------------------------------------


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="delays"):
        sm.Live(1000, partition="1s")
    with pytest.raises(sm.ArgumentError):
        sm.Live(1000, partition="1ns", delays=["0:10ms"])
    with pytest.raises(ValueError, match="exact"):
        sm.Live(1000, test="t")
    with pytest.raises(sm.SpikemineError):
        sm.Live(1000, episodes=["no episode ("])
    with pytest.raises(sm.ArgumentError):
        sm.live("nothing://here")
    with sm.Live(1000, labels=["a"]) as live:
        with pytest.raises(ValueError, match="labels"):
            live.push([1], [1])
        with pytest.raises(ValueError, match="same length"):
            live.push([1, 2], ["a"])
        with pytest.raises(ValueError, match="NaN"):
            live.push([float("nan")], ["a"])
        assert live.counts().size == 0
        assert live.partitions == {}


def test_late_spikes_are_counted_and_borders_are_kept():
    with sm.Live(1000, episodes=["0 (0,10ms] 1"], tolerance="5ms") as live:
        live.push([10, 8, 2, 20], [0, 1, 0, 0])
        live.settle()
        live.border()
        live.push([5, 9], [1, 1])
        live.end()
        counters = live.counters
        assert (counters["late"], counters["out_of_order"], counters["segments"]) == (1, 1, 2)
        assert live.counts()[0] == 0


def test_occurrences_name_the_trials_that_were_given(tmp_path):
    with sm.Live(1000, episodes=["0 (0,10ms] 1"]) as live:
        for trial in (4, None, 2):
            live.border(trial=trial)
            live.push([10, 15], [0, 1])
        live.end()
        assert [(e.segment, e.trial) for e in live] == [(0, 4), (1, 1), (2, 2)]
    rec = sm.Recording([1, 2, 11, 12], [0, 1, 0, 1], rate=1000).cut([(0.010, 0.020), (0, 0.009)])
    rec.write(tmp_path / "rec.npz")
    with sm.live(str(tmp_path / "rec.npz"), episodes=["0 (0,10ms] 1"], speed=0) as live:
        assert [e.trial for e in live] == list(rec.trials) == [1, 0]
