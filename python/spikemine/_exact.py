"""The exact test of episodes and patterns: its options, its surrogates, its columns."""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any

import numpy as np

from ._analysis import Analysis, Rows
from ._choose import put_null
from ._columns import take_columns
from ._library import (
    duration_seconds,
    duration_text,
    durations,
    ffi,
    fill,
    lib,
    members,
    options,
    pointer_to,
)
from ._recording import Recording, check_jitter
from ._results import Array, Table, Tested


@dataclasses.dataclass(repr=False)
class ExactTest(Tested):
    """How an exact test was made, and what it found in the whole search."""

    jitter: tuple[str, ...]
    surrogates: int
    seed: int
    alpha: float
    n_tested: int
    n_significant: int
    n_core: int
    largest_scores: Array  # of each surrogate and window of jitter: the null distribution; none
    # after peeling, where each round has its own
    n_rounds: int = 0  # of peeling
    last_p: float | None = None  # after peeling: the smallest p of what is left
    null: str = ""  # what chance may do
    history: str | None = None  # that was given


@dataclasses.dataclass
class Exact:
    """Options of an exact test in the form of the library."""

    pointer: Any
    alpha: float
    jitter: tuple[str, ...]
    seed: int

    @classmethod
    def make(cls, a: Any, recording: Recording) -> Exact:
        """Of the arguments of a function."""
        column, n = durations(a.jitter, "jitter")
        listed = sorted(range(n), key=lambda k: duration_seconds(column[k]))
        ordered = ffi.new("spk_duration[]", [column[k] for k in listed])
        check_jitter(recording, "jitter", ordered[n - 1])
        checkpoint = getattr(a, "checkpoint", None)
        o = options(
            "spk_exact_options",
            jitter=ordered,
            n_jitter=n,
            seed=a.seed,
            distinct_units=getattr(a, "distinct_units", 0),
            min_size=getattr(a, "min_size", 0),
            n_surrogates=a.surrogates,
            checkpoint=None if checkpoint is None else os.fsencode(checkpoint),
        )
        put_null(o, a.null, a.history)
        texts = tuple(duration_text(ordered[k]) for k in range(n))
        return cls(o, a.alpha, texts, int(a.seed))

    @property
    def n_surrogates(self) -> int:
        return int(self.pointer.n_surrogates)

    def put_into(self, job: Analysis, search: Any) -> None:
        """Into an analysis, which borrows this and the search."""
        search.put(job, self.pointer)
        fill(job.options, exact=self.pointer, alpha=self.alpha)

    def finish(self, job: Rows, found: Table[Any]) -> None:
        """Puts the columns of the test into the rows, and what the test was."""
        report, n = job.columns.exact, len(found)
        found.columns.update(take_columns("exact", report, n, self.jitter))
        core = int(np.count_nonzero(found.columns["left_out"] < 0))
        peeled = report.round != ffi.NULL
        last_p = float(job.columns.last_p)
        was_given = report.history.digits >= 0
        found.test = ExactTest(
            jitter=self.jitter,
            surrogates=report.n_surrogates,
            seed=self.seed,
            alpha=self.alpha,
            n_core=core if peeled else report.n_core,
            largest_scores=_largest_scores(job.columns.maxima, len(self.jitter)),
            last_p=None if math.isnan(last_p) else last_p,
            history=duration_text(report.history) if was_given else None,
            **members(report, "n_tested", "n_significant", "n_rounds", "null"),
            sentences=job.sentences(),
        )


def _largest_scores(maxima: Any, n_scales: int) -> Array:
    """The largest score of each surrogate and window. Shape (surrogates, windows)."""
    if maxima == ffi.NULL:
        return np.zeros((0, n_scales))
    largest = np.zeros((lib.spk_exact_columns_of(maxima).n, n_scales))
    lib.spk_page_largest_scores(maxima, pointer_to(largest, "double *"))
    return largest
