"""What episodes and patterns have in common: the exact test, selection, tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._executors import shards_for
from ._library import (
    Handle,
    Session,
    Time,
    duration_seconds,
    duration_text,
    durations,
    ffi,
    lib,
    options,
    pointer_to,
)

Array = npt.NDArray[Any]

REPORTS = ("significant", "core", "all")
NOT_EXPLAINED = 2**32 - 1

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
    largest_scores: Array  # of each surrogate and window of jitter: the null distribution


@dataclasses.dataclass
class Exact:
    """Options of an exact test in the form of the library."""

    own: Session
    pointer: Any
    kept: list[Any]
    alpha: float
    jitter: tuple[str, ...]
    seed: int

    @classmethod
    def make(
        cls,
        own: Session,
        jitter: Time | Sequence[Time],
        surrogates: int | None,
        seed: int,
        alpha: float,
        min_size: int,
        distinct_units: int,
        checkpoint: str | None,
    ) -> Exact:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha={alpha}: must be between 0 and 1")
        o = options("spk_exact_options")
        column, n = durations(own, jitter, "jitter")
        listed = sorted(range(n), key=lambda k: duration_seconds(column[k]))
        ordered = ffi.new("spk_duration[]", [column[k] for k in listed])
        o.jitter, o.n_jitter = ordered, n
        o.seed = check_count("seed", seed)
        o.n_surrogates = 199 if surrogates is None else check_count("surrogates", surrogates, 1)
        o.min_size, o.distinct_units = min_size, distinct_units
        kept: list[Any] = [ordered]
        if checkpoint is not None:
            kept.append(ffi.new("char[]", str(checkpoint).encode()))
            o.checkpoint = kept[-1]
        texts = tuple(duration_text(ordered[k]) for k in range(n))
        return cls(own, o, kept, alpha, texts, seed)

    def run(self, own: Session, recording: Any) -> Handle:
        """Makes the surrogates."""
        out = ffi.new("spk_maxima **")
        own.run(lib.spk_exact_run, recording._pointer, self.pointer, out)
        return Handle(out[0], lib.spk_maxima_free, own.context)

    def shards(self, executor: Any, shards: int | None) -> int:
        """Number of shards for an executor, which takes no checkpoint."""
        if self.pointer.checkpoint != ffi.NULL:
            raise ValueError("checkpoint: not with an executor, which has no file of its own")
        return shards_for(executor, shards, int(self.pointer.n_surrogates))

    def summary(self, maxima: Any, verdicts: Array, left_out: Array) -> ExactTest:
        columns = lib.spk_exact_columns_of(maxima)
        largest = np.zeros((columns.n, len(self.jitter)))
        first = _copy(columns.first, np.uint64, columns.n + 1)
        step = _copy(columns.step, np.uint32, int(first[-1]) * 3 if columns.n else 0).reshape(-1, 3)
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
        )


def _copy(pointer: Any, dtype: npt.DTypeLike, n: int) -> Array:
    kind = np.dtype(dtype)
    if n == 0:
        return np.zeros(0, kind)
    return np.frombuffer(ffi.buffer(pointer, int(n) * kind.itemsize), kind).copy()


def check_count(name: str, value: Any, least: int = 0) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or int(value) != value or int(value) < least:
        raise ValueError(f"{name}={value!r}: must be a whole number of at least {least}")
    return int(value)


def choose_rows(report: str, verdicts: Array, left_out: Array, alpha: float) -> Array:
    """Numbers of the listed results, the least likely first."""
    if report not in REPORTS:
        raise ValueError(f"report={report!r}: must be one of {', '.join(REPORTS)}")
    listed = np.ones(verdicts.size, bool) if report == "all" else verdicts["p"] <= alpha
    if report == "core":
        listed &= left_out == NOT_EXPLAINED
    rows = np.flatnonzero(listed)
    order = np.lexsort((rows, -verdicts["score"][rows].astype(np.int64), verdicts["p"][rows]))
    chosen: Array = rows[order]
    return chosen


def select(
    own: Session,
    function: Any,
    columns: Any,
    score: Array | None,
    min_size: int,
    distinct_units: int,
    maximal: bool,
    closed: bool,
    top: int,
) -> Array | None:
    """Numbers of the results that the options of selection keep; None: nothing was asked for."""
    if not (min_size or distinct_units or maximal or closed or top):
        return None
    o = options("spk_select_options")
    o.min_size, o.distinct_units = min_size, distinct_units
    o.maximal, o.closed, o.top = maximal, closed, top
    kept = None if score is None else np.ascontiguousarray(score, np.uint32)
    o.score = pointer_to(kept, "uint32_t *")
    n = int(columns.n)
    chosen = np.zeros(n + 1, np.uint64)
    found = ffi.new("uint64_t *")
    own.run(function, columns, o, pointer_to(chosen, "uint64_t *"), found)
    return chosen[: int(found[0])].astype(np.int64)


class Table:
    """Rows that are results. Subclasses have `offsets` and a column of values by position."""

    offsets: Array  # n + 1
    columns: dict[str, Array]  # by row: count and what tests add

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    def __iter__(self) -> Iterator[Any]:
        for k in range(len(self)):
            yield self[k]

    def __getitem__(self, which: Any) -> Any:
        raise NotImplementedError

    @property
    def size(self) -> Array:
        """Positions of each episode, spikes of each pattern. Shape (n,)."""
        return np.diff(self.offsets)

    def _index(self, which: Any) -> int | Array:
        """One row, or the numbers of several."""
        if isinstance(which, (int, np.integer)):
            k = int(which) + (len(self) if which < 0 else 0)
            if not 0 <= k < len(self):
                raise IndexError(f"row {which} of {len(self)}")
            return k
        if isinstance(which, slice):
            return np.arange(len(self))[which]
        array = np.asarray(which)
        if array.dtype == bool:
            if array.shape != (len(self),):
                raise IndexError(f"a mask of shape {array.shape} for {len(self)} rows")
            return np.flatnonzero(array)
        if array.size == 0:
            return np.zeros(0, np.int64)
        if array.dtype.kind not in "iu":
            raise TypeError(f"rows are chosen by numbers, slices or masks, not {array.dtype}")
        if array.size and not (-len(self) <= int(array.min()) and int(array.max()) < len(self)):
            raise IndexError(f"rows {int(array.min())} .. {int(array.max())} of {len(self)}")
        rows: Array = np.arange(len(self))[array]
        return rows

    def _take_rows(self, rows: Array, values: Sequence[Array]) -> tuple[Array, list[Array]]:
        """Offsets and values by position of some rows, without a loop."""
        sizes = self.size[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
        at = np.repeat(self.offsets[:-1][rows], sizes) + within
        return offsets, [value[at] for value in values]

    def _text(self, k: int) -> str:
        raise NotImplementedError

    def _table(self) -> dict[str, Any]:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The table as a dict of columns: what the command writes, as arrays and lists."""
        return self._table()

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self._table())

    def to_arrow(self) -> Any:
        """The table as a pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self._table())
