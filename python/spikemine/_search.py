"""A search in either language, with a test or without: what is done for both in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._analysis import Analysis
from ._executors import file_of, gather, shards_for, travelling
from ._library import Session, session
from ._recording import Recording, as_recording

# The search and the test, if there is one, of the arguments of a function. EpisodeSearch and
# PatternSearch are what is searched for, Exact and Signatures how it is tested, in the form of the
# library; `pointer` of a test are its options, with its shard.
Open = Callable[[Session, Recording, Any], tuple[Any, Any]]


def run_search(a: Any, open_: Open) -> Any:
    """What a function of either language does with its arguments."""
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        search, judge = open_(own, recording, a)
        job = Analysis(own, recording, "all" if judge is None else a.report, a)
        stored: list[Any] | None = None
        if judge is None:
            search.put(job)
        else:
            judge.put_into(job, search)
            if a.peel:
                stored = []
                job.peel(a.peel, lambda found: stored.append(search.stored(found)))
            elif a.executor is not None:
                n = shards_for(a.executor, a.shards, judge.n_surrogates)
                whole = travelling(a, **search.chosen())
                job.take_maxima(gather(own, a.executor, n, _make_shard, recording, whole, open_))
        job.run()
        found = search.rows(job)
        if judge is not None:
            found = found[:]  # a copy, without what the test was made of
            judge.finish(job, found)
        found._stored = stored
        job.finish(found)
    return found


def _make_shard(shard: int, n_shards: int, recording: Recording, a: Any, open_: Open) -> bytes:
    """One shard of the surrogates, in whatever process this runs."""
    with session(a.threads or 1, a.max_memory) as own:
        job = Analysis(own, recording)
        search, judge = open_(own, recording, a)
        judge.put_into(job, search)
        judge.pointer.shard, judge.pointer.n_shards = shard, n_shards
        return file_of(own, job.make_maxima().pointer)


# ---- functions of both languages -------------------------------------------------------------


def check_either(a: Any) -> None:
    """Refuses arguments that name no search, or two."""
    if (a.delays is None) == (a.bin is None):
        raise TypeError("give delays and support for episodes, or bin and window for patterns")
    if a.delays is not None and a.support is None:
        raise TypeError("support is missing: the smallest count, a share, or 'auto'")
    if a.bin is not None and a.window is None:
        raise TypeError("window is missing: how many bins")


def open_either(own: Session, recording: Recording, a: Any, exact: Any) -> Any:
    """The search of such arguments: delays and a support, or a bin and a window."""
    from ._episodes import EpisodeSearch
    from ._patterns import PatternSearch

    kind = PatternSearch if a.delays is None else EpisodeSearch
    return kind.open(own, recording, a, exact)
