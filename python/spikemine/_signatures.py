"""The published test of patterns by their signatures: surrogates, p-values, reduction, stability."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._analysis import Analysis
from ._library import copy_of, duration_text, ffi, fill, members, options
from ._results import Array, Tested

if TYPE_CHECKING:
    from ._operations import PatternsArguments
    from ._patterns import Patterns


@dataclasses.dataclass(repr=False)
class SignatureTest(Tested):
    """The published test: p-values of signatures, from the largest counts of surrogates."""

    method: str
    dither: str
    surrogates: int
    seed: int
    alpha: float
    correction: str
    spectrum: str
    signatures: Array  # size, count, duration, n_patterns, n_above, p, p_published, p_corrected,
    # tested, significant
    pvalue_spectrum: Array  # size, duration, count, n_above, p, p_published
    n_tested: int
    n_significant: int
    n_kept: int


def signature_keys(found: Patterns, by_duration: bool) -> npt.NDArray[np.uint64]:
    """Size, count and duration in one number each, which sorts as the library does."""
    keys = found.size.astype(np.uint64) << np.uint64(48)
    keys |= found.count.astype(np.uint64) << np.uint64(16)
    return keys | found.duration.astype(np.uint64) if by_duration else keys


class Signatures:
    """Options of a test of signatures in the form of the library."""

    def __init__(self, surrogates: Any, arguments: PatternsArguments) -> None:
        self.surrogates, self.arguments = surrogates, arguments
        self.pointer = options("spk_maxima_options")

    @property
    def n_surrogates(self) -> int:
        return int(self.arguments.surrogates or 0)

    @property
    def by_duration(self) -> bool:
        return self.arguments.spectrum == "3d"

    def put_into(self, job: Analysis, search: Any) -> None:
        """Into an analysis, which borrows this and the search."""
        a, o = self.arguments, self.pointer
        search.put(job, o)
        fill(
            o,
            surrogates=self.surrogates,
            n_surrogates=self.n_surrogates,
            by_duration=self.by_duration,
            checkpoint=None if a.checkpoint is None else os.fsencode(a.checkpoint),
        )
        rule = {"alpha": a.alpha, "correction": a.correction, "published": a.published}
        fill(job.options, signatures=o, rule=options("spk_signature_options", **rule))
        if a.reduce is not None:
            h, k, l = a.reduce
            fill(job.options, reduce=options("spk_reduce_options", h=h, k=k, l=l))
        if a.stability is not None:
            epsilon, delta = a.stability
            wanted = {"epsilon": epsilon, "delta": delta, "seed": self.surrogates.seed}
            fill(job.options, stability=options("spk_stability_options", **wanted))

    def finish(self, job: Analysis, found: Patterns) -> None:
        """Puts the columns of the test into the rows, and what the test was."""
        a = self.arguments
        s, n = job.columns.signatures, len(found)
        signatures = copy_of(s.signature, s.n_signatures)
        at = copy_of(job.columns.signature, n).astype(np.int64)
        p = "p_published" if a.published else "p"
        for name in (p, "p_corrected", "significant"):
            found.columns[name] = signatures[name][at]
        if a.reduce is not None:
            told = s.kept != ffi.NULL
            found.columns["kept"] = copy_of(s.kept, n).astype(bool) if told else np.ones(n, bool)
        if a.stability is not None:
            for name in ("intensional", "extensional"):
                found.columns[f"stability_{name}"] = copy_of(getattr(s, name), n)
        found.test = SignatureTest(
            dither=duration_text(self.surrogates.dither),
            surrogates=self.n_surrogates,
            alpha=a.alpha,
            correction=a.correction,
            spectrum="3d" if self.by_duration else "2d",
            signatures=signatures,
            pvalue_spectrum=copy_of(s.pvalue, s.n_pvalues),
            n_tested=s.n_patterns,
            **members(self.surrogates, "method", "seed"),
            **members(s, "n_significant", "n_kept"),
            sentences=job.sentences(),
        )
