"""What chance may do, and the supports that are chosen from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from ._library import Session, Time, duration, duration_text, durations, ffi, lib, options
from ._results import check_seed


def nulls() -> dict[str, Any]:
    """What chance may do in an exact test: facts of the library by name."""
    facts = [lib.spk_exact_null_get(k) for k in range(lib.spk_exact_null_count())]
    return {ffi.string(fact.name).decode(): fact for fact in facts}


@dataclasses.dataclass(frozen=True)
class Chance:
    """What chance may do in an exact test."""

    jitter: Time | Sequence[Time]
    null: str = "auto"
    history: Time | None = None

    def choose(self, own: Session, recording: Any) -> Chance:
        """This with a null hypothesis that suits the recording, where none is named."""
        if self.null != "auto":
            return self
        column, n = durations(own, self.jitter, "jitter")
        chosen = lib.spk_exact_null_choose(recording._pointer, column, n)
        return dataclasses.replace(self, null=ffi.string(chosen.name).decode())

    def put_into(self, own: Session, o: Any) -> None:
        """Null hypothesis and history, into options that have both."""
        known = nulls()
        if self.null == "auto":
            return  # the library chooses
        if self.null not in known:
            raise ValueError(f"null={self.null!r}: must be one of auto, {', '.join(known)}")
        o.null = known[self.null].name
        if self.history is not None:
            o.history = duration(own, self.history, "history")[0]


class Auto(NamedTuple):
    """How min_occurrences="auto" chooses: for a test of either kind, and `chance` of an exact one."""

    tests: bool = False
    chance: Chance | None = None
    seed: int = 1
    time: Time = "30s"


def _choosing(own: Session, seed: int, time: Time, chance: Chance | None, name: str) -> Any:
    """Options for choosing `name`: those of a test with this chance, which has one window."""
    c = options("spk_choose_options")
    c.seed, c.time = check_seed(seed), duration(own, time, "time")[0]
    if chance is None:
        return c
    c.most_by_chance = 0  # the test tells chance from the rest
    chance.put_into(own, c)
    jitter = chance.jitter
    if isinstance(jitter, (list, tuple)):
        if len(jitter) != 1:
            raise ValueError(
                f"{name}='auto' goes with one window of jitter: it is chosen from what that window "
                "keeps, and for another one the test would not be exact; name one window, or a "
                "number"
            )
        (jitter,) = jitter
    c.jitter = duration(own, jitter, "jitter")[0]
    return c


def choose_pattern_supports(
    own: Session, recording: Any, windows: Any, auto: Auto, out: Any
) -> None:
    """Supports of patterns by size; `windows` is a spk_window_options."""
    c = _choosing(own, auto.seed, auto.time, auto.chance, "min_occurrences")
    if auto.tests:
        c.most_by_chance = 0
    choice = ffi.new("spk_support_choice *")
    own.run(lib.spk_choose_pattern_supports, recording._pointer, windows, c, out, choice)


def choose_support(
    own: Session, recording: Any, o: Any, chance: Chance | None, seed: int, time: Time
) -> dict[str, Any]:
    """The support for the delays and the largest size of `o`: of a test of this chance the lowest
    that `time` allows; without one (None) the smallest at which chance gives at most 1000 episodes.
    """
    c = _choosing(own, seed, time, chance, "support")
    c.max_size = o.max_size
    out = ffi.new("spk_support_choice *")
    own.run(lib.spk_choose_support, recording._pointer, o.delays, o.n_delays, c, out)
    return {
        "support": int(out.support),
        "link_share": out.link_share,
        "limited": bool(out.limited),
        "jitter": duration_text(out.jitter),
        "surrogates": int(out.n_surrogates),
        "by_chance": out.by_chance,
        "most_in_one": int(out.most_in_one),
        "seed": seed,
    }
