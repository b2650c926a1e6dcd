"""The exact test of episodes and patterns: its options, its surrogates, its columns."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, TypeVar

import numpy as np

from ._choose import Chance
from ._executors import shards_for
from ._library import (
    Handle,
    Session,
    duration_seconds,
    duration_text,
    durations,
    ffi,
    lib,
    options,
    pointer_to,
)
from ._results import Array, Table, check_count, check_seed, copy_of

Results = TypeVar("Results", bound=Table)

NOT_EXPLAINED = 2**32 - 1
MEANINGS = [ffi.string(lib.spk_exact_means_text(k)).decode() for k in range(8)]

VERDICT = np.dtype(
    {
        "names": ["scale", "tested", "score", "expected", "p", "e_value", "fdr"],
        "formats": ["<u4", "?", "<u4", "<f8", "<f8", "<f8", "<f8"],
        "offsets": [
            dict(ffi.typeof("spk_exact_verdict").fields)[name].offset
            for name in ("scale", "tested", "score", "expected", "p", "e_value", "fdr")
        ],
        "itemsize": ffi.sizeof("spk_exact_verdict"),
    }
)


@dataclasses.dataclass
class ExactTest:
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
    kept: list[Any]  # what the options point to
    alpha: float
    jitter: tuple[str, ...]
    seed: int
    chance: Chance

    @classmethod
    def make(
        cls,
        own: Session,
        chance: Chance,
        surrogates: int | None,
        seed: int,
        alpha: float,
        min_size: int,
        distinct_units: int,
        checkpoint: str | None,
    ) -> Exact:
        if not 0 < alpha <= 1:
            raise ValueError(f"alpha={alpha}: must be above 0 and at most 1")
        o = options("spk_exact_options")
        column, n = durations(own, chance.jitter, "jitter")
        listed = sorted(range(n), key=lambda k: duration_seconds(column[k]))
        ordered = ffi.new("spk_duration[]", [column[k] for k in listed])
        o.jitter, o.n_jitter = ordered, n
        chance.put_into(own, o)
        o.seed = check_seed(seed)
        o.n_surrogates = 199 if surrogates is None else check_count("surrogates", surrogates, 1)
        o.min_size, o.distinct_units = min_size, distinct_units
        kept: list[Any] = [ordered]
        if checkpoint is not None:
            kept.append(ffi.new("char[]", os.fsencode(checkpoint)))
            o.checkpoint = kept[-1]
        texts = tuple(duration_text(ordered[k]) for k in range(n))
        return cls(o, kept, alpha, texts, seed, chance)

    def run(self, own: Session, recording: Any) -> Handle:
        """Makes the surrogates."""
        out = ffi.new("spk_maxima **")
        own.run(lib.spk_exact_run, recording._pointer, self.pointer, out)
        return Handle(out[0], lib.spk_maxima_free, own.context)

    def shards(self, executor: Any, shards: int | None) -> int:
        """Number of shards for an executor."""
        return shards_for(executor, shards, int(self.pointer.n_surrogates))

    def test(self, own: Session, found: Results, maxima: Handle, report: str) -> Results:
        """Tests all results of a search with the surrogates, and lists those of the report."""
        pointer = found.recording._pointer
        columns, kept = found._native()
        verdicts = np.zeros(len(found), VERDICT)
        scale_p = np.zeros((len(found), len(self.jitter)))
        own.run(
            getattr(lib, f"spk_exact_test_{found.language}"),
            pointer,
            self.pointer,
            maxima.pointer,
            columns,
            pointer_to(verdicts, "spk_exact_verdict *"),
            pointer_to(scale_p, "double *"),
        )
        del kept
        left_out = self._explain(own, found, verdicts)
        self._add_columns(found.columns, verdicts, scale_p, left_out)
        self._interpret(own, found, verdicts)
        found.test = self._summary(maxima.pointer, verdicts, left_out)
        listed: Results = found[_choose_rows(report, verdicts, left_out, self.alpha)]
        return listed

    def _explain(self, own: Session, found: Table, verdicts: Array) -> Array:
        """The position without which a part explains each significant result."""
        left_out = np.full(len(found), NOT_EXPLAINED, np.uint32)
        significant = np.flatnonzero(verdicts["p"] <= self.alpha)
        columns, kept = found[significant]._native()
        own_verdicts = np.ascontiguousarray(verdicts[significant])
        p, without = np.zeros(significant.size), np.zeros(significant.size, np.uint32)
        own.run(
            getattr(lib, f"spk_exact_explain_{found.language}"),
            found.recording._pointer,
            self.pointer,
            columns,
            pointer_to(own_verdicts, "spk_exact_verdict *"),
            pointer_to(p, "double *"),
            pointer_to(without, "uint32_t *"),
        )
        del kept
        left_out[significant] = np.where(p > self.alpha, without, NOT_EXPLAINED)
        return left_out

    def _interpret(self, own: Session, found: Table, verdicts: Array) -> None:
        """What significant results may mean beside a sequence, and p of their direction."""
        columns, kept = found._native()
        means, direction_p = np.zeros(len(found), np.uint32), np.ones(len(found))
        before = (self.pointer, self.alpha, columns, pointer_to(verdicts, "spk_exact_verdict *"))
        if found.language == "episodes":
            both = (pointer_to(means, "uint32_t *"), pointer_to(direction_p, "double *"))
            own.run(lib.spk_exact_interpret_episodes, found.recording._pointer, *before, *both)
            found.columns["direction_p"] = direction_p
        else:
            own.run(lib.spk_exact_interpret_patterns, *before, pointer_to(means, "uint32_t *"))
        del kept
        found.columns["meaning"] = np.array(MEANINGS)[means]

    def _add_columns(
        self, columns: dict[str, Array], verdicts: Array, scale_p: Array, left_out: Array
    ) -> None:
        columns["expected"] = verdicts["expected"].copy()
        columns["score"] = verdicts["score"] / 1000
        for name in ("p", "e_value", "fdr"):
            columns[name] = verdicts[name].copy()
        if len(self.jitter) > 1:
            columns["jitter"] = np.array(self.jitter)[verdicts["scale"]]
            for k, text in enumerate(self.jitter):
                columns[f"p_{text}"] = scale_p[:, k].copy()
        columns["left_out"] = np.where(left_out == NOT_EXPLAINED, -1, left_out.astype(np.int64))

    def _summary(self, maxima: Any, verdicts: Array, left_out: Array) -> ExactTest:
        columns = lib.spk_exact_columns_of(maxima)
        largest = np.zeros((columns.n, len(self.jitter)))
        first = copy_of(columns.first, np.uint64, columns.n + 1)
        step = copy_of(columns.step, np.uint32, int(first[-1]) * 3 if columns.n else 0).reshape(
            -1, 3
        )
        for k in range(columns.n - 1, -1, -1):
            own = step[int(first[k]) : int(first[k + 1])]
            if own.size:  # from the largest score down within a scale
                scales, where = np.unique(own[:, 0], return_index=True)
                largest[k, scales] = own[where, 1] / 1000
        significant = verdicts["p"] <= self.alpha
        return ExactTest(
            self.jitter,
            int(columns.n),
            self.seed,
            self.alpha,
            int(np.count_nonzero(verdicts["tested"])),
            int(np.count_nonzero(significant)),
            int(np.count_nonzero(significant & (left_out == NOT_EXPLAINED))),
            largest,
            **self.null,
        )

    @property
    def null(self) -> dict[str, Any]:
        """What a summary says of chance."""
        given = self.chance.history is not None
        history = duration_text(self.pointer.history) if given else None
        return {"null": self.chance.null, "history": history}


def _choose_rows(report: str, verdicts: Array, left_out: Array, alpha: float) -> Array:
    """Numbers of the listed results, the least likely first."""
    listed = np.ones(verdicts.size, bool) if report == "all" else verdicts["p"] <= alpha
    if report == "core":
        listed &= left_out == NOT_EXPLAINED
    rows = np.flatnonzero(listed)
    order = np.lexsort((rows, -verdicts["score"][rows].astype(np.int64), verdicts["p"][rows]))
    chosen: Array = rows[order]
    return chosen
