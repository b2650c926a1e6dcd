"""Two conditions: which episodes or patterns occur more often in one of them?"""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._analysis import Analysis
from ._columns import take_columns
from ._episodes import Episodes
from ._inputs import names_of
from ._library import Session, copy_of, ffi, fill, lib, members, options, session, texts
from ._patterns import Patterns
from ._recording import Recording, as_recording
from ._results import Array, Tested
from ._search import check_either, open_either

if TYPE_CHECKING:
    from ._operations import CompareArguments


@dataclasses.dataclass(repr=False)
class Comparison(Tested):
    """How two conditions were compared, and what was found in the whole search."""

    labels: tuple[str, str]  # of conditions a and b
    trials: tuple[int, int]
    duration_s: tuple[float, float]
    n_permutations: int  # ways to deal out the conditions, beside the recording's own
    all_permutations: bool  # these are all that there are
    seed: int
    alpha: float
    smallest_p: float  # no p-value can be below it
    critical_z: float  # p <= alpha where |z| is larger; infinite: nowhere
    n_tested: int
    n_significant: int
    more_in_a: int  # of the significant ones
    more_in_b: int


def run_compare(a: CompareArguments) -> Episodes | Patterns:
    """Tells which episodes or patterns occur more often in one of two conditions.

    The search knows nothing of the conditions. They are then dealt out to the trials anew, so that
    the p-values take all that was searched into account. The recording has trials: those that were
    given to `cut` or as segments, in the order in which they were given.

    Returns Episodes or Patterns, the least likely first, with columns count_a, count_b, rate_a_hz,
    rate_b_hz, difference_hz (b less a) with the simultaneous interval lower_hz to upper_hz, more_in
    ("a", "b", "-"), z and p. `test` is a Comparison. Two recordings become one, `recording` of the
    result, in which the trials of b are later. Raises TypeError, ValueError (trials or labels that
    are missing or too few), OutOfMemoryError. Source: docs/how-to/compare-conditions.md.
    """
    if a.alpha == 1:
        raise ValueError("alpha=1: must be below 1")
    check_either(a)
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        recording, condition, labels = _conditions(own, recording, a.conditions)
        _check_smallest(condition[np.unique(recording.trials)], labels, a.alpha)
        o = options("spk_compare_options", n_trials=condition.size, condition=condition)
        fill(o, n_permutations=a.permutations, seed=a.seed, alpha=a.alpha)
        job = Analysis(own, recording, a.report, a)
        search = open_either(own, recording, a, None)
        search.put(job)
        fill(job.options, compare=o)
        job.run()
        chosen: Episodes | Patterns = search.rows(job)
        _finish(job, chosen, o, labels)
        job.finish(chosen)
    return chosen


# ---- conditions ------------------------------------------------------------------------------


def _conditions(
    own: Session, recording: Recording, conditions: Any
) -> tuple[Recording, Array, tuple[str, str]]:
    """The recording with all trials, the condition of each, and the names of the conditions."""
    if isinstance(conditions, (str, os.PathLike)):
        n = _check_trials(recording, "the recording")
        return recording, *_labels(own, lib.spk_conditions_read, os.fsencode(conditions), n)
    if _is_labels(conditions):
        n = _check_trials(recording, "the recording")
        names = names_of(_check_labels(conditions))
        if len(names) != n:
            raise ValueError(
                f"{len(names)} labels, but the recording has {n} trials; give one each"
            )
        return recording, *_labels(own, lib.spk_conditions_create, n, texts(names))
    other = as_recording(conditions)
    trials = [_check_trials(recording, "recording a"), _check_trials(other, "recording b")]
    labels = (recording.name or "a", other.name or "b")
    if labels[0] == labels[1]:
        labels = ("a", "b")
    return recording.join(other), np.repeat(np.arange(2, dtype=np.uint8), trials), labels


def _is_labels(conditions: Any) -> bool:
    """Whether it is a label for each trial, rather than something with spikes."""
    if isinstance(conditions, Recording) or hasattr(conditions, "columns"):
        return False
    array = np.asarray(conditions, dtype=None if hasattr(conditions, "dtype") else object)
    return array.ndim == 1 and all(
        value is None or isinstance(value, (str, bytes, bool, int, float, np.generic))
        for value in array
    )


def _check_labels(labels: Any) -> list[Any]:
    """None of them is missing, as tables have None or NaN."""
    listed = list(labels)
    for k, label in enumerate(listed):
        if label is None or (isinstance(label, (float, np.floating)) and np.isnan(label)):
            raise ValueError(
                f"trial {k + 1} has no label, but {label}; give one each, or cut the recording to "
                "trials that have one"
            )
    return listed


def _check_trials(recording: Recording, what: str) -> int:
    n = recording.n_trials
    if n < 2:
        raise ValueError(
            f"{what} has one trial, and a comparison deals out conditions to trials; give them "
            "with segments=[(start, stop), ...] or rec.cut(...)"
        )
    return n


def _labels(own: Session, function: Any, *arguments: Any) -> tuple[Array, tuple[str, str]]:
    made = own.make(function, *arguments)
    columns = lib.spk_conditions_columns(made.pointer)
    first, second = (ffi.string(columns.label[k]).decode() for k in range(2))
    return copy_of(columns.condition, columns.n_trials), (first, second)


def _check_smallest(condition: Array, labels: tuple[str, str], alpha: float) -> None:
    """With few trials no difference, however large, can be significant."""
    n = np.bincount(condition, minlength=2)
    least = lib.spk_compare_smallest_p(int(n[0]), int(n[1]), 2**64 - 1)
    if least > alpha:
        raise ValueError(
            f"{n[0]} trials of {labels[0]!r} and {n[1]} of {labels[1]!r} are too few: no p-value "
            f"can be below {least:.3g}, and alpha is {alpha:g}; give more trials, or a larger alpha"
        )


# ---- the test --------------------------------------------------------------------------------


def _finish(job: Analysis, found: Episodes | Patterns, o: Any, labels: tuple[str, str]) -> None:
    """Puts the columns of the comparison into the rows, and what it was."""
    report, more = job.columns.compare, job.columns.n_more
    report.label = names = [ffi.new("char[]", label.encode()) for label in labels]
    summary = report.summary
    found.columns.update(take_columns("comparison", report, len(found)))
    side = np.sign(found.columns["difference_hz"]).astype(np.int64) + 1
    found.columns["more_in"] = np.array(["a", "-", "b"])[side]
    found.test = Comparison(
        labels=labels,
        trials=(summary.trials[0], summary.trials[1]),
        duration_s=(summary.duration_s[0], summary.duration_s[1]),
        all_permutations=summary.all,
        more_in_a=more[0],
        more_in_b=more[1],
        **members(summary, "n_permutations", "smallest_p", "critical_z", "n_tested"),
        **members(report, "seed", "alpha", "n_significant"),
        sentences=job.sentences(),
    )
    del names
