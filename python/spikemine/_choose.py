"""What chance may do, and the supports that are chosen from it."""

from __future__ import annotations

from typing import Any

from ._library import Session, Time, duration, ffi, fill, lib
from ._results import check_seed


def nulls() -> dict[str, Any]:
    """What chance may do in an exact test: facts of the library by name."""
    facts = [lib.spk_exact_null_get(k) for k in range(lib.spk_exact_null_count())]
    return {ffi.string(fact.name).decode(): fact for fact in facts}


def put_null(o: Any, null: str, history: Time | None) -> None:
    """Null hypothesis and history of an exact test, into options that have both."""
    known = nulls()
    if null == "auto":
        return  # the library chooses
    if null not in known:
        raise ValueError(f"null={null!r}: must be one of auto, {', '.join(known)}")
    fill(o, null=known[null].name, history=history)


def choose_support(own: Session, recording: Any, job: Any, seed: int, time: Time) -> Any:
    """The support that the search of the job lacks, a spk_chosen_support: of a test the lowest that
    `time` allows, else the smallest at which chance gives few results. Its members live as long as
    it does."""
    out, limit = ffi.new("spk_chosen_support *"), duration(time, "time")[0]
    own.run(lib.spk_analysis_choose_support, recording._pointer, job, check_seed(seed), limit, out)
    return out
