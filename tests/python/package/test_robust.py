"""Many calls, threads, processes, and wrong arguments."""

import concurrent.futures
import ctypes
import gc
import multiprocessing
import sys

import numpy as np
import pytest
from conftest import DATA, draw

import spikemine as sm


def held(turn, n):
    """Objects of Python, and bytes of the C library, that n turns leave behind. Caches fill up first: what each turn
    leaks is there in each of five runs."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("the C library does not tell how much memory is taken")

    def taken():
        gc.collect()
        told = libc.mallinfo2()
        return np.array([sys.getallocatedblocks(), told.uordblks + told.hblkhd])

    libc.mallinfo2.restype = MallocInfo
    for _ in range(5):
        before = taken()
        for _ in range(n):
            turn()
        objects, bytes_of_c = (taken() - before).tolist()
        if objects < n and bytes_of_c < 16 * n:
            break
    return objects, bytes_of_c


class MallocInfo(ctypes.Structure):
    NAMES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in NAMES.split()]


def test_calls_hold_no_memory():
    """Seen is one object of Python in each call, and one of the smallest pieces of malloc, 32 bytes."""
    times, units = np.arange(120) / 1000.0, np.arange(120) % 3
    rec = sm.Recording(times, units, segments=[(0, 0.06), (0.06, 0.12)])
    episodes = sm.episodes(rec, ["0:5ms"], 5, max_size=2)
    patterns = sm.patterns(rec, "2ms", 3, support=5)

    def refused():
        with pytest.raises(ValueError):
            sm.episodes(rec, ["5ms:1ms"], 50)

    calls = {
        "Recording": lambda: sm.Recording(times, units).ticks.sum(),
        "episodes": lambda: sm.episodes(rec, ["0:5ms"], 5, max_size=2, threads=1).count.sum(),
        "patterns": lambda: sm.patterns(rec, "2ms", 3, support=30, threads=1).count.sum(),
        "occurrences": lambda: episodes.occurrences(0).sum(),
        "spike_times": lambda: patterns.spike_times(0).sum(),
        "a row": lambda: str(episodes[1]),
        "surrogates": lambda: next(sm.surrogates(rec, "trial-shifting")).n_spikes,
        "an error": refused,
    }
    for name, call in calls.items():
        objects, bytes_of_c = held(call, 150)
        assert objects < 150 and bytes_of_c < 16 * 150, (name, objects, bytes_of_c)


def test_a_peeling_holds_no_memory():
    """Callbacks into Python, and what they keep."""
    rec = sm.Recording(np.arange(120) / 1000.0, np.arange(120) % 3)
    rounds = []

    def peel():
        found = sm.episodes(rec, ["0:5ms"], 5, max_size=2, test="exact", surrogates=1, alpha=0.9,
                            peel=1, threads=1)
        rounds.append(len(found))

    objects, bytes_of_c = held(peel, 80)
    assert objects < 80 and bytes_of_c < 16 * 80, (objects, bytes_of_c)
    assert rounds[-1] == 1


def test_threads_share_recordings_and_results(random):
    """All kinds of calls at the same time, on the same objects."""
    rec = sm.Recording(*draw(random, 800), segments=[(k, k + 1) for k in range(4)])
    episodes = sm.episodes(rec, ["0:5ms"], 5, max_size=2)
    calls = [
        lambda: sm.episodes(rec, ["0:5ms"], 5, max_size=2, threads=2).count,
        lambda: sm.patterns(rec, "2ms", 4, support=6, threads=2).count,
        lambda: episodes.occurrences(0),
        lambda: np.array(episodes.to_dict()["episode"]),
        lambda: sm.compare(rec, list("abab"), ["0:5ms"], 8, max_size=2, alpha=0.5, report="all").p,
        lambda: sm.episodes(
            rec, ["0:5ms"], 8, max_size=2, test="exact", surrogates=9, alpha=0.5, peel=2
        ).score,
        lambda: rec.spikes(3),
    ]
    wanted = [call() for call in calls]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda k: calls[k % len(calls)](), range(6 * len(calls))))
    for k, value in enumerate(found):
        assert np.array_equal(value, wanted[k % len(calls)]), k


def _count(rec):
    return sm.episodes(rec, ["0:5ms"], 5, threads=2).count


@pytest.mark.parametrize("kind", ["fork", "spawn"])
def test_processes_give_the_same(random, kind):
    if kind not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {kind} here")
    rec = sm.Recording(*draw(random))
    wanted = _count(rec)  # threads of the library have run before the fork
    context = multiprocessing.get_context(kind)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        for found in pool.map(_count, [rec, rec, rec]):
            assert np.array_equal(found, wanted)


def test_what_progress_raises_ends_the_call(random):
    rec = sm.Recording(*draw(random))

    def stop(*_):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        sm.episodes(rec, ["0:5ms"], 5, test="exact", surrogates=50, progress=stop)
    assert len(sm.episodes(rec, ["0:5ms"], 5)) > 0


POOL = concurrent.futures.ThreadPoolExecutor(1)
EPISODES = {"delays": ["0:5ms"], "support": 5}
PATTERNS = {"bin": "2ms", "window": 4, "support": 5}
PEELED = {**EPISODES, "test": "exact", "peel": True}
OF_TESTS = {"jitter": "25ms", "null": "shift", "history": "5ms", "alpha": 0.05, "report": "all", "checkpoint": "c.spk", "peel": True}


@pytest.mark.parametrize(
    ("function", "beside", "options"),
    [
        ("episodes", EPISODES, {**OF_TESTS, "surrogates": 9, "seed": 1, "executor": POOL}),
        ("episodes", {**EPISODES, "test": "exact"}, {"shards": 2}),
        ("episodes", {**EPISODES, "test": "exact", "executor": POOL}, {"checkpoint": "c.spk"}),
        ("episodes", PEELED, {"checkpoint": "c", "maximal": True, "closed": True, "top": 3}),
        ("episodes", PEELED, {"report": "all"}),
        ("patterns", PATTERNS, {**OF_TESTS, "seed": 1, "executor": POOL, "published": True}),
        ("patterns", PATTERNS, {"method": "dither-spikes", "dither": "15ms", "correction": "holm"}),
        ("patterns", PATTERNS, {"spectrum": "3d", "reduce": (2, 2, 0), "stability": (0.1, 0.1)}),
        ("patterns", {**PATTERNS, "surrogates": 9}, {"jitter": "25ms", "peel": 3}),
        ("patterns", {**PATTERNS, "test": "exact"}, {"method": "dither-spikes", "dither": "15ms"}),
        ("calibrate", {"bin": "2ms", "window": 4}, {"max_size": 3}),
        ("calibrate", EPISODES, {"window": 4}),
    ],
)
def test_arguments_that_would_do_nothing_are_refused(random, function, beside, options):
    rec = sm.Recording(*draw(random))
    for name, value in options.items():
        with pytest.raises(ValueError, match=name):
            getattr(sm, function)(rec, **beside, **{name: value})
    # What is off, or no limit, may stand anywhere.
    if function in ("episodes", "patterns") and "executor" not in beside:
        off = {"checkpoint": None, "executor": None, "maximal": False, "top": 0}
        getattr(sm, function)(rec, **beside, **off)


def test_arguments_of_streams_that_would_do_nothing_are_refused():
    for name, value in {"step": "1s", "delays": ["0:5ms"], "test": "exact", "backlog": 4}.items():
        with pytest.raises(ValueError, match=f"^{name} needs partition: it is for mining"):
            sm.Live(1000, **{name: value})
    for name, value in {"jitter": "25ms", "surrogates": 199, "alpha": 0.05, "seed": 1}.items():
        with pytest.raises(ValueError, match=f"^{name} needs test='exact'"):
            sm.Live(1000, partition="1s", delays=["0:5ms"], **{name: value})
    with pytest.raises(ValueError, match="^window needs episodes or patterns"):
        sm.Live(1000, window="1s")


@pytest.mark.parametrize("wrong", [object(), b"x", 2**70, -1, 2.5, [object()]])
def test_arguments_of_another_kind_are_told_by_name(random, wrong):
    rec = sm.Recording(*draw(random))
    surrogates = {**PATTERNS, "surrogates": 3}
    calls = [
        (sm.episodes, EPISODES, "maximal closed gpus threads max_memory distinct_units engine"),
        (sm.episodes, {**EPISODES, "test": "exact", "surrogates": 3}, "executor"),
        (sm.patterns, surrogates, "method correction published distinct_units"),
        (sm.calibrate, {**EPISODES, "runs": 2}, "method min_size"),
        (sm.surrogates, {}, "method"),
        (rec.write, {"path": "x.txt"}, "format"),
        (sm.episodes(rec, **EPISODES).figure, {"path": "x.svg"}, "title"),
        (sm.Live, {"rate": 1000}, "patterns threads max_memory"),
        (sm.live, {"address": "x.txt"}, "reconnect select"),
        (sm.read, {"path": DATA / "movement_PGHF.spikes.txt"}, "units sort"),
    ]
    for function, beside, names in calls:
        for name in names.split():
            of_rec = () if {"rate", "address", "path"} & set(beside) else (rec,)
            with pytest.raises((TypeError, ValueError), match=f"^{name}="):
                function(*of_rec, **{**beside, name: wrong})


NAN = float("nan")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"delays": [(-1, 5)]}, "delay"),
        ({"delays": [(0, NAN)]}, "delay 0"),
        ({"delays": [(1, 2, 3)]}, "is no interval"),
        ({"delays": []}, "delay"),
        ({"delays": [None]}, ""),
        ({"support": -1}, "support"),
        ({"support": 2.5}, "support"),
        ({"support": NAN}, ""),
        ({"support": "many"}, "many"),
        ({"max_size": 0}, "max_size"),
        ({"max_size": 2**40}, "max_size"),
        ({"seed": -1, "test": "exact"}, "seed"),
        ({"seed": 2**70, "test": "exact"}, "seed"),
        ({"surrogates": 0, "test": "exact"}, "surrogates"),
        ({"alpha": NAN, "test": "exact"}, "alpha"),
        ({"jitter": 0, "test": "exact"}, "jitter|window"),
        ({"jitter": -1, "test": "exact"}, "jitter"),
        ({"jitter": ["5ms", "5ms"], "test": "exact"}, "twice|jitter|window"),
        ({"engine": None}, "engine"),
        ({"progress": 5}, "progress"),
        ({"checkpoint": 5, "test": "exact"}, ""),
        ({"distinct_units": 2**40}, "distinct_units"),
        ({"top": -1}, "top"),
        ({"threads": -1}, "threads"),
        ({"max_memory": -1}, "max_memory"),
    ],
)
def test_wrong_arguments_of_episodes(random, options, text):
    rec = sm.Recording(*draw(random))
    with pytest.raises((TypeError, ValueError), match=text):
        sm.episodes(rec, **{"delays": ["0:5ms"], "support": 5, **options})


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"bin": 0}, "bin"),
        ({"bin": -0.001}, "bin"),
        ({"bin": NAN}, "bin"),
        ({"bin": None}, "bin"),
        ({"window": 0}, "window"),
        ({"window": 10**6}, "window"),
        ({"support": 0}, "support"),
        ({"min_spikes": 0}, "min_spikes"),
        ({"max_spikes": -1}, "max_spikes"),
        ({"surrogates": -2}, "surrogates"),
        ({"surrogates": 2, "method": "no_such"}, "no_such"),
        ({"surrogates": 2, "dither": NAN}, "dither"),
        ({"surrogates": 2, "correction": "no_such"}, "no_such"),
    ],
)
def test_wrong_arguments_of_patterns(random, options, text):
    rec = sm.Recording(*draw(random))
    with pytest.raises((TypeError, ValueError), match=text):
        sm.patterns(rec, **{"bin": "2ms", "window": 4, "support": 5, **options})


def test_warnings_are_at_the_line_of_the_user():
    with pytest.warns(UserWarning, match="count once") as caught:
        sm.Recording(np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1]))
    assert caught[0].filename == __file__
