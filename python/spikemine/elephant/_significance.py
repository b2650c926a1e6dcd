"""The p-value spectrum and the test of signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._library import copy_of, ffi, lib, options, pointer_to, session
from .._surrogates import surrogate_options
from ._common import quantity, renamed, seed_of, warn
from ._mining import Concept, Limits, _check_trains, column
from ._surrogates import METHODS, options_of, recording_of

Array = npt.NDArray[Any]
CORRECTIONS = (
    "bonferroni", "sidak", "holm-sidak", "holm", "simes-hochberg", "hommel", "fdr_bh", "fdr_by",
    "fdr_tsbh", "fdr_tsbky", "", "no",
)  # fmt: skip
LOST = 0.01  # share of occupied bins that surrogates may lose without a warning


class PvalueSpectrum(list[Any]):
    """A p-value spectrum that knows how many surrogates made it: that of corrected=True."""

    def __init__(self, entries: Sequence[Any], n_surr: int) -> None:
        super().__init__(entries)
        self.n_surr = n_surr


@renamed(binsize="bin_size")
def pvalue_spectrum(
    spiketrains: Any,
    bin_size: Any,
    winlen: int,
    dither: Any,
    n_surr: int,
    min_spikes: int = 2,
    min_occ: int = 2,
    max_spikes: int | None = None,
    max_occ: int | None = None,
    min_neu: int = 1,
    spectrum: str = "#",
    surr_method: str = "dither_spikes",
    *,
    corrected: bool = False,
    seed: int | None = None,
    threads: int = 0,
    **surr_kwargs: Any,
) -> list[Any]:
    """For each signature the share of surrogates with such a pattern, or one with more spikes or
    occurrences; as elephant.spade.pvalue_spectrum.

    Parameters
    ----------
    spiketrains, bin_size, winlen, min_spikes, min_occ, max_spikes, max_occ, min_neu, corrected,
    threads : as for concepts_mining
    dither : pq.Quantity
    n_surr : number of surrogates
    spectrum : "#", by size and count, or "3d#", also by duration
    surr_method, surr_kwargs : as for Elephant's surrogates
    seed : by default drawn from numpy.random, so that numpy.random.seed repeats the result

    Returns
    -------
    list of [size, count, p], or [size, count, duration, p]; with `corrected`
    p = (1 + b) / (1 + n_surr).
    Raises TypeError, ValueError. Source: docs/explanation/significance.md.
    """
    if n_surr <= 0:
        raise ValueError("n_surr has to be >0")
    if surr_method not in METHODS:
        raise ValueError(f"specified surr_method (={surr_method}) not valid")
    if spectrum not in ("#", "3d#"):
        raise ValueError(f"Invalid spectrum: '{spectrum}'")
    _check_trains(spiketrains)
    dither, bin_size = quantity(dither, "dither"), quantity(bin_size, "bin_size")
    limits = Limits(min_spikes, min_occ, max_spikes, max_occ, min_neu, corrected)
    made = options_of(spiketrains, surr_method, dither, bin_size, surr_kwargs, corrected)
    recording = recording_of(spiketrains, made.trials)
    with session(threads) as own:
        surrogates = surrogate_options(made.method, made.dither, seed_of(seed), made.others)
        o = options(
            "spk_maxima_options",
            windows=options("spk_window_options", bin=bin_size, window=winlen),
            patterns=limits.options(),
            surrogates=surrogates,
            n_surrogates=n_surr,
            by_duration=spectrum == "3d#",
        )
        if not corrected:
            _warn_of_lost_bins(own, recording, surrogates, spiketrains, bin_size)
        maxima = own.run_to_make(lib.spk_maxima_run, recording._pointer, o)
        columns = ffi.new("spk_maxima_columns *", lib.spk_maxima_columns_of(maxima.pointer))
        return _spectrum(own, columns, limits, spectrum, n_surr)


def _spectrum(own: Any, columns: Any, limits: Limits, spectrum: str, n_surr: int) -> list[Any]:
    """The entries, of Elephant's types."""
    limit = {"min_spikes": limits.min_spikes, "support": limits.min_occ}
    o = options("spk_pvalue_options", published=not limits.corrected, **limit)
    out, n = ffi.new("spk_pvalue **"), ffi.new("uint64_t *")
    own.call(lib.spk_pvalue_spectrum, columns, o, out, n)
    try:
        table = copy_of(out[0], n[0])
    finally:
        lib.free(out[0])
    if not limits.corrected and _largest(columns) > 32767:
        warn(3)
    count = table["count"]
    counts = list(count if limits.corrected else count.astype(np.uint16))
    p = list(table["p" if limits.corrected else "p_published"])
    sizes, durations = table["size"].tolist(), table["duration"].tolist()
    if spectrum == "#":
        entries = [list(entry) for entry in zip(sizes, counts, p)]
    else:
        entries = [list(entry) for entry in zip(sizes, counts, durations, p)]
    return PvalueSpectrum(entries, n_surr) if limits.corrected else entries


def _largest(columns: Any) -> int:
    n = int(columns.first[columns.n]) if columns.n else 0
    return int(copy_of(columns.maximum, n)["count"].max()) if n else 0


def _warn_of_lost_bins(
    own: Any, recording: Any, surrogates: Any, spiketrains: Any, bin_size: Any
) -> None:
    """Compares occupied bins of the recording with those of one surrogate."""
    from .._recording import Recording

    made = own.run_to_make(
        lib.spk_surrogates_create, recording._pointer, surrogates, owner=recording
    )
    one = own.run_to_make(lib.spk_surrogates_make, made.pointer, 1)
    start = int(lib.spk_recording_start(recording._pointer))
    width = max(round(float(bin_size.rescale("s").item()) * 1e9), 1)

    def occupied(of: Any) -> int:
        return int(np.unique(of.units.astype(np.int64) << 40 | (of.ticks - start) // width).size)

    there, left = occupied(recording), occupied(Recording._of(own, one))
    if left < (1 - LOST) * there:
        warn(9, f" ({left} instead of {there})")


# ---- the test --------------------------------------------------------------------------------


def signatures_of(concepts: Sequence[Concept], spectrum: str, winlen: int) -> list[tuple[int, ...]]:
    """(size, count[, duration]) of each concept."""
    sizes = [(len(concept[0]), len(concept[1])) for concept in concepts]
    if spectrum == "#":
        return list(sizes)
    if not concepts:
        return []
    items, first = column([concept[0] for concept in concepts])
    durations = np.maximum.reduceat(items % winlen, first[:-1]).tolist()
    return [(*size, duration) for size, duration in zip(sizes, durations)]


def correct(p: Array, alpha: float, method: str) -> npt.NDArray[np.bool_]:
    """Which of the p-values stay below alpha after a correction for many tests."""
    p = np.ascontiguousarray(p, np.float64)
    if p.size == 0 or method in ("", "no"):
        return np.asarray(p <= alpha)
    rejected, corrected = np.zeros(p.size, np.uint8), np.zeros(p.size)
    with session() as own:
        own.call(
            lib.spk_correct, method.encode(), alpha, p.size, pointer_to(p, "double *"),
            pointer_to(rejected, "uint8_t *"), pointer_to(corrected, "double *"),
        )  # fmt: skip
    return np.asarray(rejected, bool)


def _observed(table: Array, signatures: set[tuple[int, ...]]) -> npt.NDArray[np.bool_]:
    keys = map(tuple, table[:, :-1].tolist())
    return np.fromiter((key in signatures for key in keys), bool, len(table))


def _tested(table: Array, observed: Array) -> npt.NDArray[np.bool_]:
    """What Elephant tests: observed entries with p not about 1, and of neighbours in the list with
    the same size and duration the last one. The entry before the first one is the last one."""
    tested = observed & ~np.isclose(table[:, -1], 1)
    group = np.delete(table[:, :-1], 1, axis=1)
    same = (group[1:] == group[:-1]).all(axis=1)
    tested[:-1] &= ~(tested[1:] & same)
    if len(tested) == 1:
        tested[:] = False
    return np.asarray(tested, bool)


def test_signature_significance(
    pv_spec: Any,
    concepts: Sequence[Concept],
    alpha: float,
    winlen: int,
    corr: str = "fdr_bh",
    report: str = "spectrum",
    spectrum: str = "#",
    *,
    corrected: bool = False,
) -> list[Any]:
    """Tests the signatures of a p-value spectrum; as elephant.spade.test_signature_significance.

    Parameters
    ----------
    pv_spec : the p-value spectrum
    concepts : what was mined
    alpha : level of significance
    winlen : length of the window in bins
    corr : correction for many tests; "" or "no" for none
    report : "spectrum", "significant" or "non_significant"
    spectrum : "#" or "3d#"
    corrected : every observed signature is tested; those that the spectrum lacks have
        p = 1 / (1 + n_surr), where it is that of pvalue_spectrum(corrected=True)

    Returns
    -------
    list of (size, count[, duration], significant), or of (size, count[, duration])
    Raises ValueError. Source: docs/explanation/significance.md.
    """
    if alpha == 1:
        return []
    if spectrum not in ("#", "3d#"):
        raise ValueError(f"spectrum must be either '#' or '3d#', got {spectrum} instead")
    if report not in ("spectrum", "significant", "non_significant"):
        raise ValueError(
            f"report must be 'spectrum', 'significant' or 'non_significant', got {report} instead"
        )
    if corr not in CORRECTIONS:
        raise ValueError("Parameter corr not recognized")
    signatures = set(signatures_of(concepts, spectrum, winlen))
    return verdicts_of(pv_spec, signatures, alpha, corr, report, spectrum, corrected)


def verdicts_of(
    pv_spec: Any,
    signatures: set[tuple[int, ...]],
    alpha: float,
    corr: str,
    report: str,
    spectrum: str,
    corrected: bool,
) -> list[Any]:
    """As test_signature_significance, of patterns with these signatures."""
    if alpha == 1:
        return []
    table = np.array(pv_spec, np.float64)
    if corrected:
        table = _complete(pv_spec, table, signatures, 3 if spectrum == "#" else 4)
    observed = _observed(table, signatures)
    verdicts: list[Any] = [False] * len(table)
    tested = observed if corrected else _tested(table, observed)
    for row, verdict in zip(np.flatnonzero(tested), correct(table[tested, -1], alpha, corr)):
        verdicts[row] = verdict
    if not corrected:
        all_of_them = observed & ~np.isclose(table[:, -1], 1)
        ours = np.zeros(len(table), bool)
        ours[all_of_them] = correct(table[all_of_them, -1], alpha, corr)
        differ = np.count_nonzero(ours != np.array(verdicts, bool))
        if differ:
            warn(2, f" ({differ} signatures)")
    rows = [tuple(row) for row in table[:, :-1]]
    if report == "spectrum":
        return [(*row, verdict) for row, verdict in zip(rows, verdicts)]
    wanted = report == "significant"
    return [row for row, verdict in zip(rows, verdicts) if bool(verdict) == wanted]


def _complete(pv_spec: Any, table: Array, signatures: set[tuple[int, ...]], width: int) -> Array:
    """The table with the observed signatures that no surrogate reached, if their p is known."""
    n_surr = getattr(pv_spec, "n_surr", None)
    table = table.reshape(-1, width)
    if n_surr is None:
        return table
    listed = set(map(tuple, table[:, :-1].tolist()))
    more = [(*key, 1 / (1 + n_surr)) for key in sorted(signatures - listed)]
    return np.concatenate([table, np.array(more).reshape(-1, width)])
