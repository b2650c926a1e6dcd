"""The whole analysis, from spike trains to patterns."""

from __future__ import annotations

import dataclasses
import logging
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._common import is_train, quantity, renamed, seed_of, warn
from ._mining import Concept, Concepts, Limits, bin_input, column, mine
from ._reduction import approximate_stability, pattern_set_reduction
from ._significance import (
    CORRECTIONS,
    pvalue_spectrum,
    signatures_of,
    verdicts_of,
)
from ._surrogates import METHODS

log = logging.getLogger("spikemine.elephant")

# ---- checks ----------------------------------------------------------------------------------


def _check_whole(**values: Any) -> None:
    for name, value in values.items():
        optional = name in ("max_spikes", "max_occ")
        if not (isinstance(value, int) or (optional and value is None)):
            raise TypeError(f"{name} must be an integer{' or None' if optional else ''}")


def _check_trains(spiketrains: Any) -> None:
    if not all(is_train(train) for train in spiketrains):
        raise TypeError("spiketrains must be a list of SpikeTrains")
    if len(spiketrains) == 0:
        raise ValueError("spiketrains must not be empty")
    first = spiketrains[0]
    if any(t.t_start != first.t_start or t.t_stop != first.t_stop for t in spiketrains):
        raise ValueError("All spiketrains must have the same t_start and t_stop")


def _check_stability(pars: Any) -> bool:
    if not isinstance(pars, dict):
        return False
    if "n_subsets" in pars or ("epsilon" in pars and "delta" in pars):
        return True
    raise ValueError(
        "for approximate stability computation you need to pass n_subsets or epsilon and delta."
    )


def _check_test(
    alpha: Any, n_surr: int, stat_corr: str, surr_method: str, psr_param: Any, output_format: str
) -> None:
    if alpha is not None and not isinstance(alpha, (int, float)):
        raise TypeError("alpha must be an integer, a float or None")
    if alpha is not None and 0 < alpha < 1 and n_surr == 0:
        warnings.warn("alpha has no effect without surrogates (n_surr=0)", stacklevel=4)
    if stat_corr not in CORRECTIONS:
        raise ValueError("Parameter stat_corr not recognized")
    if surr_method not in METHODS:
        raise ValueError(f"specified surr_method (={surr_method}) not valid")
    if psr_param is not None:
        if not isinstance(psr_param, (list, tuple)):
            raise TypeError("psr_param must be None or a list or tuple of integer")
        if not all(isinstance(param, int) for param in psr_param):
            raise TypeError("elements of psr_param must be integers")
    if output_format not in ("concepts", "patterns"):
        raise ValueError("The output_format value has to be 'patterns' or 'concepts'")


# ---- results ---------------------------------------------------------------------------------


def concept_output_to_patterns(
    concepts: Sequence[Concept],
    winlen: int,
    bin_size: Any,
    pv_spec: Any = None,
    spectrum: str = "#",
    t_start: Any = "0 ms",
) -> list[dict[str, Any]]:
    """Concepts as dictionaries; as elephant.spade.concept_output_to_patterns.

    Parameters
    ----------
    concepts : list of (intent, extent, ...)
    winlen : length of the window in bins
    bin_size, t_start : pq.Quantity
    pv_spec : the p-value spectrum; None: p-values are -1
    spectrum : "#" or "3d#"

    Returns a list of dictionaries: itemset, windows_ids, neurons (by lag), lags (pq.Quantity, from
    the first spike, without its 0), times (pq.Quantity), signature, pvalue.
    """
    items = _sorted([concept[0] for concept in concepts], winlen)
    bins, first_window = _sorted([concept[1] for concept in concepts])
    windows = (bins, slice(None), first_window)
    return _patterns_of(concepts, items, windows, winlen, bin_size, pv_spec, spectrum, t_start)


def _patterns_of(
    concepts: Sequence[Concept],
    of_items: tuple[Any, list[int]],
    of_windows: tuple[Any, Any, list[int]],
    winlen: int,
    bin_size: Any,
    pv_spec: Any,
    spectrum: str,
    t_start: Any,
) -> list[dict[str, Any]]:
    """The dictionaries, from columns as Concepts has them."""
    t_start = quantity(t_start, "t_start").rescale(bin_size.units)
    known: dict[tuple[int, ...], Any] = {}
    for entry in pv_spec if pv_spec is not None else ():
        known[tuple(map(int, entry[:-1]))] = entry[-1]
    n_surr = getattr(pv_spec, "n_surr", None)
    missing = -1 if pv_spec is None else 0.0 if n_surr is None else 1 / (1 + n_surr)
    # Quantities are slow to make: all are made at once, and each pattern has a part.
    (items, first), (bins, at, first_window) = of_items, of_windows
    lags, times = items % winlen * bin_size, (bins * bin_size + t_start)[at]
    neurons, durations = items // winlen, items % winlen
    output = []
    for k, concept in enumerate(concepts):
        a, b = first[k], first[k + 1]
        signature: tuple[Any, ...] = (b - a, len(concept[1]))
        if spectrum == "3d#":
            signature = (*signature, durations[b - 1])
        output.append(
            {
                "itemset": concept[0],
                "windows_ids": concept[1],
                "neurons": list(neurons[a:b]),
                "lags": lags[a + 1 : b],
                "times": times[first_window[k] : first_window[k + 1]],
                "signature": signature,
                "pvalue": known.get(signature, missing),
            }
        )
    return output


def _sorted(parts: Sequence[Any], winlen: int | None = None) -> tuple[Any, list[int]]:
    """The parts one behind the other, each sorted, items by lag; and where each begins."""
    values, first = column(parts)
    owner = np.repeat(np.arange(len(parts)), np.diff(first))
    keys = values if winlen is None else values % winlen
    if not np.all((np.diff(keys) >= 0) | (np.diff(owner) > 0)):
        values = values[np.lexsort((keys, owner))]
    return values, first.tolist()


@dataclasses.dataclass
class _Timer:
    """Tells the log how long steps took."""

    since: float = dataclasses.field(default_factory=time.perf_counter)

    def tell(self, what: str) -> None:
        now = time.perf_counter()
        log.info("Time for %s: %g", what, now - self.since)
        self.since = now


def _stable(
    concepts: list[Concept], relation: Any, pars: dict[str, Any], seed: int | None, threads: int
) -> list[Concept]:
    pars = dict(pars)
    threshold = pars.pop("stability_thresh", None)
    concepts = approximate_stability(concepts, relation, seed=seed, threads=threads, **pars)
    if threshold is None:
        return concepts
    return [c for c in concepts if c[2] > threshold[0] or c[3] > threshold[1]]


def _without(
    concepts: list[Concept], rejected: list[Any], spectrum: str, winlen: int
) -> list[Concept]:
    """Those whose signature is not rejected."""
    bad = {tuple(map(int, signature)) for signature in rejected}
    if not bad:
        return concepts
    keys = signatures_of(concepts, spectrum, winlen)
    return [concept for concept, key in zip(concepts, keys) if key not in bad]


def _warn_of_zero(concepts: Sequence[Concept], pv_spec: Any, spectrum: str, winlen: int) -> None:
    """Row 4, where a pattern that is reported has a p-value of 0."""
    listed = {tuple(map(int, entry[:-1])) for entry in pv_spec if entry[-1] > 0}
    n = sum(signature not in listed for signature in signatures_of(concepts, spectrum, winlen))
    if n:
        warn(4, f" ({n} patterns)")


@renamed(binsize="bin_size")
def spade(
    spiketrains: Any,
    bin_size: Any,
    winlen: int,
    min_spikes: int = 2,
    min_occ: int = 2,
    max_spikes: int | None = None,
    max_occ: int | None = None,
    min_neu: int = 1,
    approx_stab_pars: dict[str, Any] | None = None,
    n_surr: int = 0,
    dither: Any = "15 ms",
    spectrum: str = "#",
    alpha: float | None = None,
    stat_corr: str = "fdr_bh",
    surr_method: str = "dither_spikes",
    psr_param: Sequence[int] | None = None,
    output_format: str = "patterns",
    *,
    corrected: bool = False,
    seed: int | None = None,
    threads: int = 0,
    **surr_kwargs: Any,
) -> dict[str, Any]:
    """Finds significant spike patterns; same call and same result as elephant.spade.spade.

    Parameters
    ----------
    spiketrains : list of neo.SpikeTrain or SpikeTrainList, all of the same t_start and t_stop
    bin_size, dither : pq.Quantity
    winlen : length of the window in bins
    min_spikes, min_occ, max_spikes, max_occ, min_neu : limits of patterns
    approx_stab_pars : n_subsets, or epsilon and delta; stability_thresh
    n_surr : surrogates of the test; 0: no test
    spectrum : "#", signatures of size and count, or "3d#", also of duration
    alpha, stat_corr : level of significance and correction
    surr_method, surr_kwargs : as for elephant.spike_train_surrogates.surrogates
    psr_param : (h, k, l) of the reduction
    output_format : "patterns" or "concepts"
    corrected : without Elephant's errors (docs/how-to/come-from-elephant.md)
    seed : by default drawn from numpy.random, so that numpy.random.seed repeats the result
    threads : 0, one per processor

    Returns
    -------
    dict : patterns, and with n_surr pvalue_spectrum and non_sgnf_sgnt

    Warns SpikemineElephantWarning where an error of Elephant changed the result.
    Raises TypeError, ValueError. Source: docs/explanation/patterns.md and significance.md.
    """
    _check_trains(spiketrains)
    bin_size = quantity(bin_size, "bin_size")
    _check_whole(
        winlen=winlen, min_spikes=min_spikes, min_occ=min_occ, max_spikes=max_spikes,
        max_occ=max_occ, min_neu=min_neu, n_surr=n_surr,
    )  # fmt: skip
    with_stability = _check_stability(approx_stab_pars)
    dither = quantity(dither, "dither")
    if spectrum not in ("#", "3d#"):
        raise ValueError("spectrum must be '#' or '3d#'")
    _check_test(alpha, n_surr, stat_corr, surr_method, psr_param, output_format)
    timer, seed = _Timer(), seed_of(seed)
    limits = Limits(min_spikes, min_occ, max_spikes, max_occ, min_neu, corrected)
    mined = mine(bin_input(spiketrains, bin_size, corrected), winlen, limits, threads)
    timer.tell("data mining")
    stable: list[Concept] | None = None
    if with_stability and approx_stab_pars is not None:
        of_all = mined.concepts().concepts
        stable = _stable(of_all, mined.relation(), approx_stab_pars, seed, threads)
        timer.tell("stability computation")
    output: dict[str, Any] = {}
    pv_spec: Any = None
    rejected: list[Any] = []
    if n_surr > 0:
        pv_spec = output["pvalue_spectrum"] = pvalue_spectrum(
            spiketrains, bin_size, winlen, dither, n_surr, min_spikes, min_occ, max_spikes,
            max_occ, min_neu, spectrum, surr_method, corrected=corrected, seed=seed,
            threads=threads, **surr_kwargs,
        )  # fmt: skip
        timer.tell("pvalue spectrum computation")
        if alpha is not None and (len(pv_spec) > 0 or corrected):
            observed = set(
                mined.signatures(spectrum)
                if stable is None
                else signatures_of(stable, spectrum, winlen)
            )
            rejected = verdicts_of(
                pv_spec, observed, alpha, stat_corr, "non_significant", spectrum, corrected
            )
        output["non_sgnf_sgnt"] = rejected
    # Tuples are made of what the test leaves, except where stability needed all of them.
    columns: Concepts | None = None
    if stable is None:
        columns = mined.without(rejected).concepts()
        concepts = columns.concepts
    else:
        concepts = _without(stable, rejected, spectrum, winlen)
    if psr_param is not None:
        columns = None
        concepts = pattern_set_reduction(
            concepts, rejected, winlen, spectrum, psr_param[0], psr_param[1], psr_param[2],
            min_spikes, min_occ, corrected=corrected,
        )  # fmt: skip
    if n_surr > 0 and not corrected:
        _warn_of_zero(concepts, pv_spec, spectrum, winlen)
    if output_format == "concepts":
        output["patterns"] = concepts
    elif columns is not None:
        output["patterns"] = _patterns_of(
            concepts, columns.items, columns.windows, winlen, bin_size, pv_spec, spectrum,
            spiketrains[0].t_start,
        )  # fmt: skip
    else:
        output["patterns"] = concept_output_to_patterns(
            concepts, winlen, bin_size, pv_spec, spectrum, spiketrains[0].t_start
        )
    return output
