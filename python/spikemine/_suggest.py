"""Delays for a recording: sets of them tried against chance, and a test to begin with."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._episodes import Delays, _delay_column, as_recording
from ._library import (
    Handle,
    Session,
    duration,
    duration_text,
    ffi,
    lib,
    options,
    session,
)
from ._objects import Tabular

if TYPE_CHECKING:
    from ._operations import SuggestArguments


@dataclasses.dataclass
class Suggestion(Tabular):
    """What sets of delays give in a recording and in chance, and a test to begin with.

    Attributes
    ----------
    tried : dict of columns, one row for each set and support: delays (texts), jitter, support,
        found_2, found_3, found_4 (episodes of so many different units; NaN: too many), chance_2,
        chance_3, chance_4 (mean number by chance)
    tried_events : how many spikes were looked at
    left_out : sets for which the time did not suffice
    finding : what was found, in words
    options : arguments of sm.episodes for the best set; None where no set has clearly more than
        chance. Its alpha is divided by the number of sets that were tried
    seconds : that this test will take, about
    n_tested, n_results : results that it will test and find, about; None where it was not tried
    """

    tried: dict[str, Any]
    tried_events: int
    left_out: int
    finding: str
    options: dict[str, Any] | None
    seconds: float | None
    n_tested: int | None
    n_results: int | None

    def __len__(self) -> int:
        return len(self.tried["support"])

    def __repr__(self) -> str:
        return f"<Suggestion: {self.finding}>"

    def __str__(self) -> str:
        if self.options is None:
            return self.finding
        given = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.finding}\nsm.episodes(rec, {given})"

    def to_dict(self) -> dict[str, Any]:
        """The trials as a dict of columns; delays as one text."""
        return {**self.tried, "delays": [" ".join(texts) for texts in self.tried["delays"]]}


def run_suggest(a: SuggestArguments) -> Suggestion:
    """Tries sets of delays and tells with which the recording has more episodes than chance.

        found = sm.suggest(rec)
        print(found)
        if found.options:
            ep = sm.episodes(rec, **found.options)

    Returns a Suggestion. Raises ValueError, OutOfMemoryError. Source:
    docs/how-to/choose-delays-and-support.md.
    """
    if a.alpha == 1:
        raise ValueError("alpha=1: must be below 1")
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        o = options("spk_choose_options")
        o.seed = int(a.seed)
        o.n_events = int(a.events)
        o.time = duration(own, a.time, "time")[0]
        given, kept = _sets(own, a.sets)
        out = ffi.new("spk_delay_table **")
        n_sets = 0 if a.sets is None else len(a.sets)
        own.run(lib.spk_choose_delays, recording._pointer, given, n_sets, o, out)
        table = Handle(out[0], lib.spk_delay_table_free, own.context)
        plan = ffi.new("spk_delay_plan *")
        own.run(lib.spk_choose_plan, recording._pointer, table.pointer, a.alpha, o.seed, plan)
        del kept
        return _take(lib.spk_delay_table_get(table.pointer), plan)


def _sets(own: Session, sets: Sequence[Delays] | None) -> tuple[Any, list[Any]]:
    if sets is None:
        return ffi.NULL, []
    if len(sets) == 0:
        raise ValueError("sets: there is none; leave them out for the usual ones")
    column = ffi.new("spk_delay_set[]", len(sets))
    kept: list[Any] = [column]
    for k, delays in enumerate(sets):
        listed = [delays] if isinstance(delays, str) else delays
        kept.append(_delay_column(own, listed))
        column[k].delays, column[k].n_delays = kept[-1], len(listed)
    return column, kept


def _delays_of(trial: Any) -> list[str]:
    """Delays as texts that `episodes` takes: "5ms:10ms"."""
    return [
        f"{duration_text(trial.delays[d].lo)}:{duration_text(trial.delays[d].hi)}"
        for d in range(trial.n_delays)
    ]


def _take(columns: Any, plan: Any) -> Suggestion:
    trials = [columns.trial[k] for k in range(columns.n)]
    tried: dict[str, Any] = {
        "delays": [_delays_of(trial) for trial in trials],
        "jitter": [duration_text(trial.jitter) for trial in trials],
        "support": np.array([int(trial.support) for trial in trials], np.int64),
    }
    for k in range(3):
        sizes = [trial.size[k] for trial in trials]
        tried[f"found_{k + 2}"] = np.array([s.found if s.reached else np.nan for s in sizes])
        tried[f"chance_{k + 2}"] = np.array([s.by_chance for s in sizes])
    events, left_out = int(columns.n_events), int(columns.n_left_out)
    if plan.trial == ffi.NULL:
        return Suggestion(
            tried,
            events,
            left_out,
            "nothing: with none of these delays the recording has clearly more episodes than chance"
            if trials
            else "nothing was tried",
            None,
            None,
            None,
            None,
        )
    best, size = columns.trial[columns.best], int(columns.best_size)
    numbers = best.size[size - 2]
    finding = (
        f"delays {' '.join(_delays_of(best))}: {int(numbers.found)} episodes of {size} different "
        f"units occur {int(best.support)} times or more, where chance gives {numbers.by_chance:.1f} "
        f"(shift within {duration_text(best.jitter)})"
    )
    was_tried = plan.estimate.n_surrogates > 0
    return Suggestion(
        tried,
        events,
        left_out,
        finding,
        _options_of(plan),
        float(plan.estimate.seconds),
        int(plan.estimate.n_tested) if was_tried else None,
        int(plan.estimate.n_results) if was_tried else None,
    )


def _options_of(plan: Any) -> dict[str, Any]:
    """Arguments of episodes()."""
    found: dict[str, Any] = {
        "delays": _delays_of(plan.trial),
        "support": int(plan.support) if plan.is_whole else "auto",
    }
    if plan.link_share:
        found["link_share"] = plan.link_share
    if plan.max_size:
        found["max_size"] = int(plan.max_size)
    return {
        **found,
        "distinct_units": lib.SPK_CHOOSE_DISTINCT_UNITS,
        "test": "exact",
        "jitter": duration_text(plan.trial.jitter),
        "surrogates": int(plan.n_surrogates),
        "alpha": float(f"{plan.alpha:.2g}"),
    }
