"""The support that chance allows."""

from __future__ import annotations

from typing import Any

from ._library import Session, Time, duration, duration_text, ffi, lib, options
from ._results import check_seed


def choose_support(
    own: Session, recording: Any, o: Any, jitter: Time | None, seed: int
) -> dict[str, Any]:
    """The smallest support at which chance gives at most 1000 episodes, for the delays and the
    largest size of `o`. Of a test `jitter` is the window; None: the one that goes with the delays.
    """
    c = options("spk_choose_options")
    c.seed, c.max_size = check_seed(seed), o.max_size
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
