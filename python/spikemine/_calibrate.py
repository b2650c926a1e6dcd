"""How often the exact test is alarmed by chance."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from ._exact import Exact
from ._library import Handle, copy_of, ffi, lib, members, options, session
from ._objects import Tabular
from ._recording import as_recording
from ._results import Array
from ._search import check_either, open_either

if TYPE_CHECKING:
    from ._operations import CalibrateArguments


@dataclasses.dataclass(frozen=True)
class AlarmRate:
    """A rate of false alarms."""

    jitter: str  # the window; "all": of all windows together, corrected for their number
    alarms: int  # runs whose smallest p is at most alpha
    share: float  # of all runs
    low: float  # 95 % interval by Clopper and Pearson
    high: float
    promised: float  # at most this where the null hypothesis holds
    uniform_p: float  # that the ranks of the data are uniform; NaN where it is not tested


@dataclasses.dataclass
class Calibration(Tabular):
    """What the runs of a calibration found.

    Attributes
    ----------
    method : how data were drawn
    jitter : windows of the test
    surrogates, seed, alpha : of the test
    p : float array (runs,); smallest p of any result, corrected for the number of windows
    scale_p : float array (runs, windows); the same at each window, not corrected
    rank : int64 array (runs, windows); rank of the data among their surrogates, from 1
    rates : AlarmRate of each window, and with several of all together
    """

    method: str
    jitter: tuple[str, ...]
    surrogates: int
    seed: int
    alpha: float
    p: Array
    scale_p: Array
    rank: Array
    rates: tuple[AlarmRate, ...]

    def __len__(self) -> int:
        return int(self.p.size)

    @property
    def exceeds(self) -> bool:
        """Whether alarms are more frequent than promised, beyond the 95 % interval."""
        return any(rate.low > rate.promised for rate in self.rates)

    def __repr__(self) -> str:
        rate = self.rates[-1]
        return (
            f"<Calibration: {rate.alarms} of {len(self)} runs have p <= {self.alpha:g}, a rate of "
            f"{rate.share:.3g} (95 % interval {rate.low:.3g} to {rate.high:.3g}); promised is at "
            f"most {rate.promised:.3g}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """The runs as a dict of columns: run, p, and rank, with several windows p and rank of
        each."""
        table: dict[str, Any] = {"run": np.arange(1, len(self) + 1), "p": self.p}
        if len(self.jitter) == 1:
            table["rank"] = self.rank[:, 0]
            return table
        for k, text in enumerate(self.jitter):
            table[f"p_{text}"], table[f"rank_{text}"] = self.scale_p[:, k], self.rank[:, k]
        return table


def run_calibrate(a: CalibrateArguments) -> Calibration:
    """Takes surrogates of a recording as data and tests each of them against its own surrogates.

    Where all is chance the test must find something in a share of alpha of the runs, at most.

    Returns a Calibration. Raises TypeError, ValueError, OutOfMemoryError. Source:
    docs/explanation/chance.md.
    """
    check_either(a)
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        exact = Exact.make(dataclasses.replace(a, surrogates=a.surrogates or 0), recording)
        search = open_either(own, recording, a, exact)
        search.put(None, exact.pointer)
        job = options("spk_analysis_options", exact=exact.pointer, alpha=a.alpha)
        o = options("spk_calibrate_options", n_runs=a.runs, method=a.method)
        made = own.run_to_make(lib.spk_analysis_calibrate, recording._pointer, job, o)
        return _take(made, exact, a.method)


def _take(made: Handle, exact: Exact, method: str | None) -> Calibration:
    columns = lib.spk_calibration_columns_of(made.pointer)
    n, n_scales = int(columns.n), int(columns.n_scales)
    rates = [_rate(made, exact.alpha, s, text) for s, text in enumerate(exact.jitter)]
    if n_scales > 1:
        rates.append(_rate(made, exact.alpha, 2**32 - 1, "all"))
    return Calibration(
        method or ffi.string(columns.method).decode(),
        exact.jitter,
        int(columns.n_surrogates),
        exact.seed,
        exact.alpha,
        copy_of(columns.p, n),
        copy_of(columns.scale_p, n * n_scales).reshape(n, n_scales),
        copy_of(columns.rank, n * n_scales).reshape(n, n_scales).astype(np.int64),
        tuple(rates),
    )


def _rate(made: Handle, alpha: float, scale: int, jitter: str) -> AlarmRate:
    out = ffi.new("spk_alarm_rate *")
    lib.spk_calibration_rate(made.pointer, alpha, scale, out)
    known = members(out, "share", "low", "high", "promised", "uniform_p")
    return AlarmRate(jitter, out.n_alarms, **known)
