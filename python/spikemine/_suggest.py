"""Delays for a recording: sets of them tried against chance, and a test to begin with."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._episodes import Delays, _delay_column
from ._library import KEPT, Session, ffi, fill, lib, options, session
from ._objects import Tabular
from ._recording import as_recording

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
    left_out : sets that were not tried: 0, since work is counted
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
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        o = options(
            "spk_suggest_options", seed=a.seed, n_events=a.events, alpha=a.alpha, time=a.time
        )
        if a.sets is not None:
            fill(o, sets=_sets(own, a.sets), n_sets=len(a.sets))
        made = own.run_to_make(lib.spk_suggest_run, recording._pointer, o)
        return _take(lib.spk_suggestion_columns_of(made.pointer))


def _sets(own: Session, sets: Sequence[Delays]) -> Any:
    if len(sets) == 0:
        raise ValueError("sets: there is none; leave them out for the usual ones")
    column = ffi.new("spk_delay_set[]", len(sets))
    KEPT[column] = []
    for k, delays in enumerate(sets):
        listed = [delays] if isinstance(delays, str) else delays
        KEPT[column].append(_delay_column(own, listed))
        column[k].delays, column[k].n_delays = KEPT[column][-1], len(listed)
    return column


def _take(columns: Any) -> Suggestion:
    c, test, call = columns.tried, columns.test, columns.call
    trials = [c.trial[k] for k in range(c.n)]
    tried: dict[str, Any] = {
        "delays": [text_of(columns.delays[k]).split() for k in range(c.n)],
        "jitter": [text_of(columns.jitter[k]) for k in range(c.n)],
        "support": np.array([int(trial.support) for trial in trials], np.int64),
    }
    for k in range(3):
        sizes = [trial.size[k] for trial in trials]
        tried[f"found_{k + 2}"] = np.array([s.found if s.reached else np.nan for s in sizes])
        tried[f"chance_{k + 2}"] = np.array([s.by_chance for s in sizes])
    estimate = ffi.NULL if test == ffi.NULL else test.estimate
    was_tried = estimate != ffi.NULL and estimate.n_surrogates > 0
    return Suggestion(
        tried,
        int(c.n_events),
        int(c.n_left_out),
        text_of(columns.finding),
        None if call == ffi.NULL else settings_of(call),
        None if estimate == ffi.NULL else float(estimate.seconds),
        int(estimate.n_tested) if was_tried else None,
        int(estimate.n_results) if was_tried else None,
    )


# ---- calls that the library tells ------------------------------------------------------------


def text_of(pointer: Any) -> str:
    """A text of the library."""
    return str(ffi.string(pointer).decode())


def _value(text: str) -> Any:
    """A setting as an argument of a function."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def settings_of(call: Any) -> dict[str, Any]:
    """Arguments of the function that a call of the library names."""
    found: dict[str, Any] = {}
    for k in range(call.n_settings):
        name, value = text_of(call.setting[k].name).replace("-", "_"), call.setting[k].value
        if name == "delay":
            found.setdefault("delays", []).append(text_of(value))
        else:
            found[name] = True if value == ffi.NULL else _value(text_of(value))
    return found
