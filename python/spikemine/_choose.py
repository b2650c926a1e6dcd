"""Supports that are chosen from what chance does."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._library import Session, Time, duration, duration_text, ffi, lib, options
from ._results import check_seed


class Auto(NamedTuple):
    """How min_occurrences="auto" chooses: for a test, within the window of an exact one."""

    tests: bool = False
    jitter: Any = None
    seed: int = 1
    time: Time = "30s"


def _one_window(jitter: Any, name: str) -> Time:
    """The window of jitter, of which a choice needs one."""
    if not isinstance(jitter, (list, tuple)):
        return jitter
    if len(jitter) != 1:
        raise ValueError(
            f"{name}='auto' goes with one window of jitter: it is chosen from what that window "
            "keeps, and for another one the test would not be exact; name one window, or a number"
        )
    return jitter[0]


def choose_pattern_supports(
    own: Session, recording: Any, windows: Any, auto: Auto, out: Any
) -> None:
    """Supports of patterns by size; `windows` is a spk_window_options."""
    c = options("spk_choose_options")
    c.seed, c.time = check_seed(auto.seed), duration(own, auto.time, "auto_time")[0]
    if auto.tests:
        c.most_by_chance = 0  # the test tells chance from the rest
    if auto.jitter is not None:
        c.jitter = duration(own, _one_window(auto.jitter, "min_occurrences"), "jitter")[0]
    choice = ffi.new("spk_support_choice *")
    own.run(lib.spk_choose_pattern_supports, recording._pointer, windows, c, out, choice)


def choose_support(
    own: Session, recording: Any, o: Any, jitter: Time | None, seed: int, time: Time
) -> dict[str, Any]:
    """The support for the delays and the largest size of `o`: of a test within the window `jitter`
    the lowest that `time` allows; without one (None) the smallest at which chance gives at most
    1000 episodes.
    """
    c = options("spk_choose_options")
    c.seed, c.max_size = check_seed(seed), o.max_size
    c.time = duration(own, time, "support_time")[0]
    if jitter is not None:
        c.most_by_chance = 0  # the test tells chance from the rest
    if jitter is not None:
        c.jitter = duration(own, _one_window(jitter, "support"), "jitter")[0]
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
