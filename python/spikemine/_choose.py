"""What chance may do, and the support that it allows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ._library import Session, Time, duration, duration_text, ffi, lib, options
from ._results import check_seed


def nulls() -> dict[str, Any]:
    """What chance may do in an exact test: facts of the library by name, the default first."""
    facts = [lib.spk_exact_null_get(k) for k in range(lib.spk_exact_null_count())]
    return {ffi.string(fact.name).decode(): fact for fact in facts}


@dataclasses.dataclass(frozen=True)
class Chance:
    """What chance may do in an exact test."""

    jitter: Time | Sequence[Time]
    null: str = "interval-jitter"
    history: Time | None = None

    def put_into(self, own: Session, o: Any) -> None:
        """Null hypothesis and history, into options that have both."""
        known = nulls()
        if self.null not in known:
            raise ValueError(f"null={self.null!r}: must be one of {', '.join(known)}")
        if self.history is not None and not known[self.null].has_history:
            raise ValueError(f"history={self.history!r}: null={self.null!r} heeds none")
        o.null = known[self.null].name
        if self.history is not None:
            o.history = duration(own, self.history, "history")[0]


def choose_support(
    own: Session, recording: Any, o: Any, chance: Chance | None, seed: int
) -> dict[str, Any]:
    """The smallest support at which chance gives at most 1000 episodes, for the delays and the
    largest size of `o`. `chance` is that of a test; None: the window that goes with the delays.
    """
    c = options("spk_choose_options")
    c.seed, c.max_size = check_seed(seed), o.max_size
    jitter = None if chance is None else chance.jitter
    if chance is not None:
        chance.put_into(own, c)
    if isinstance(jitter, (list, tuple)):
        if len(jitter) != 1:
            raise ValueError(
                "support='auto' goes with one window of jitter: it is chosen from what that window "
                "keeps, and for another one the test would not be exact; name one window, or a "
                "number"
            )
        (jitter,) = jitter
    if jitter is not None:
        c.jitter = duration(own, jitter, "jitter")[0]
    out = ffi.new("spk_support_choice *")
    own.run(lib.spk_choose_support, recording._pointer, o.delays, o.n_delays, c, out)
    return {
        "support": int(out.support),
        "limited": bool(out.limited),
        "jitter": duration_text(out.jitter),
        "surrogates": int(out.n_surrogates),
        "by_chance": out.by_chance,
        "most_in_one": int(out.most_in_one),
        "seed": seed,
    }
