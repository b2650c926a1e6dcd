"""Peeling: round after round of the exact test, each without the spikes of what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._exact import MEANINGS, NOT_EXPLAINED, VERDICT, Exact, ExactTest
from ._library import Session, ffi, lib, options
from ._results import Array, Table, check_count

STATUS_INTERNAL = 10


class Rounds:
    """The rounds that accepted something."""

    def __init__(self, exact: Exact) -> None:
        self.exact = exact
        self.verdicts: list[Array] = []
        self.scale_p: list[Array] = []
        self.left_out: list[int] = []
        self.number: list[int] = []
        self.means: list[int] = []
        self.direction_p: list[float] = []
        self.n_tested = self.n_significant = self.n_rounds = 0
        self.last_p: float | None = None  # of what is left; None: there may be more to find
        self.summary: Any = None  # of the first search

    def add(self, found: Any) -> bool:
        """Keeps a round; whether it accepted something."""
        self.n_rounds = int(found.number)
        if self.n_rounds == 1:
            self.n_tested, self.n_significant = int(found.n_tested), int(found.n_significant)
            self.summary = _copy_summary(found)
        if found.episode == ffi.NULL and found.pattern == ffi.NULL:
            self.last_p = float(found.least_p)
            return False
        verdict = ffi.buffer(ffi.addressof(found, "verdict"))
        self.verdicts.append(np.frombuffer(verdict, VERDICT).copy())
        n_scales = len(self.exact.jitter)
        self.scale_p.append(np.array([found.scale_p[k] for k in range(n_scales)]))
        explained = found.part_p > self.exact.alpha
        self.left_out.append(int(found.left_out) if explained else NOT_EXPLAINED)
        self.number.append(self.n_rounds)
        self.means.append(int(found.means))
        self.direction_p.append(float(found.direction_p))
        return True

    def finish(self, found: Table) -> None:
        """Puts the columns of the test into the accepted results, and what the test was."""
        n_scales, n = len(self.exact.jitter), len(self.number)
        verdicts = np.concatenate([np.zeros(0, VERDICT), *self.verdicts])
        scale_p = np.array(self.scale_p).reshape(n, n_scales)
        left_out = np.array(self.left_out, np.uint32)
        self.exact._add_columns(found.columns, verdicts, scale_p, left_out)
        found.columns["meaning"] = np.array(MEANINGS)[np.array(self.means, np.int64)]
        if found.language == "episodes":
            found.columns["direction_p"] = np.array(self.direction_p)
        found.columns["round"] = np.array(self.number, np.int64)
        found.test = ExactTest(
            self.exact.jitter,
            int(self.exact.pointer.n_surrogates),
            self.exact.seed,
            self.exact.alpha,
            self.n_tested,
            self.n_significant,
            int(np.count_nonzero(left_out == NOT_EXPLAINED)),
            np.zeros((0, n_scales)),
            self.n_rounds,
            self.last_p,
            **self.exact.null,
        )


def _copy_summary(found: Any) -> dict[str, Any]:
    """What the first search did; its memory ends with the round."""
    if found.episode_summary != ffi.NULL:
        s = found.episode_summary
        sizes = [
            {
                "size": int(s.level[k].size),
                "candidates": int(s.level[k].candidates),
                "frequent": int(s.level[k].frequent),
            }
            for k in range(s.n_levels)
        ]
        return {
            "engine": ffi.string(s.engine).decode(),
            "seconds": s.seconds,
            "sizes": sizes,
        }
    s = found.pattern_summary
    return {"engine": ffi.string(s.engine).decode(), "seconds": s.mine_s + s.filter_s}


def run_rounds(
    own: Session,
    recording: Any,
    exact: Exact,
    report: str,
    peel: bool | int,
    take: Callable[[Any], None],
) -> Rounds:
    """Peels. `take` gets each round that accepts something, while its memory lives."""
    rounds = Rounds(exact)
    failed: list[BaseException] = []

    @ffi.callback("spk_peel_sink")  # type: ignore[untyped-decorator]
    def sink(_user: Any, found: Any) -> int:
        try:
            if rounds.add(found):
                take(found)
        except Exception as error:  # noqa: BLE001 - goes on to the caller below
            failed.append(error)
            return STATUS_INTERNAL
        return 0

    o = options("spk_peel_options")
    o.test, o.alpha, o.core = exact.pointer, exact.alpha, report == "core"
    o.max_rounds = 0 if peel is True else check_count("peel", peel, 1)
    try:
        own.run(lib.spk_exact_peel, recording._pointer, o, sink, ffi.NULL)
    except Exception:
        if failed:
            raise failed[0] from None
        raise
    return rounds
