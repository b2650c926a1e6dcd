"""The published test of patterns by their signatures: surrogates, p-values, reduction, stability."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._library import Handle, Session, duration_text, ffi, lib, options, pointer_to
from ._results import Array, copy_of

if TYPE_CHECKING:
    from ._patterns import Patterns, Windows


@dataclasses.dataclass
class SignatureTest:
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


SIGNATURE = np.dtype(
    {
        "names": list(dict(ffi.typeof("spk_signature").fields)),
        "formats": ["<u4", "<u4", "<u4", "<u8", "<u8", "<f8", "<f8", "<f8", "?", "?"],
        "offsets": [field.offset for _, field in ffi.typeof("spk_signature").fields],
        "itemsize": ffi.sizeof("spk_signature"),
    }
)
PVALUE = np.dtype(
    {
        "names": list(dict(ffi.typeof("spk_pvalue").fields)),
        "formats": ["<u4", "<u4", "<u4", "<u8", "<f8", "<f8"],
        "offsets": [field.offset for _, field in ffi.typeof("spk_pvalue").fields],
        "itemsize": ffi.sizeof("spk_pvalue"),
    }
)


def signature_keys(found: Patterns, by_duration: bool) -> npt.NDArray[np.uint64]:
    """Size, count and duration in one number each, which sorts as the library does."""
    keys = found.size.astype(np.uint64) << np.uint64(48)
    keys |= found.count.astype(np.uint64) << np.uint64(16)
    return keys | found.duration.astype(np.uint64) if by_duration else keys


@dataclasses.dataclass
class Signatures:
    """A test of signatures, from the mined patterns to the listed ones."""

    own: Session
    options: Any
    surrogates: Any
    n_surrogates: int
    alpha: float
    correction: str
    by_duration: bool
    published: bool
    checkpoint: str | None

    def test(
        self,
        found: Patterns,
        maxima: Handle,
        report: str,
        reduce: tuple[int, int, int] | None,
        stability: tuple[float, float] | None,
    ) -> Patterns:
        of_maxima = ffi.new("spk_maxima_columns *", lib.spk_maxima_columns_of(maxima.pointer))
        signatures, at = self._signatures(found, of_maxima)
        pvalues = self._pvalues(of_maxima)
        p = "p_published" if self.published else "p"
        found.columns[p] = signatures[p][at]
        found.columns["p_corrected"] = signatures["p_corrected"][at]
        found.columns["significant"] = signatures["significant"][at]
        found.test = SignatureTest(
            ffi.string(self.surrogates.method).decode(),
            duration_text(self.surrogates.dither),
            self.n_surrogates,
            int(self.surrogates.seed),
            self.alpha,
            self.correction,
            "3d" if self.by_duration else "2d",
            signatures,
            pvalues,
            len(found),
            int(np.count_nonzero(found.columns["significant"])),
            0,
        )
        if reduce is not None:
            found = self._reduce(found, reduce, of_maxima, signatures)
        rows = np.arange(len(found))
        if report == "significant":
            rows = np.flatnonzero(found.columns.get("kept", found.columns["significant"]))
        found = found[rows]
        if stability is not None:
            self._stability(found, stability)
        return found

    def maxima(self, windows: Windows, shard: int = 1, n_shards: int = 1) -> Handle:
        """Makes the surrogates of a shard and finds the largest counts of each."""
        o = options("spk_maxima_options")
        o.windows, o.patterns = windows.options, self.options
        o.surrogates, o.n_surrogates = self.surrogates, self.n_surrogates
        o.by_duration = self.by_duration
        o.shard, o.n_shards = shard, n_shards
        name = None
        if self.checkpoint is not None:
            name = ffi.new("char[]", os.fsencode(self.checkpoint))
            o.checkpoint = name
        out = ffi.new("spk_maxima **")
        self.own.run(lib.spk_maxima_run, windows.recording._pointer, o, out)
        return Handle(out[0], lib.spk_maxima_free, self.own.context)

    def _signatures(self, found: Patterns, maxima: Any) -> tuple[Array, Array]:
        """All signatures in the library's order, and the one of each pattern."""
        entries, at, n = np.unique(
            signature_keys(found, self.by_duration), return_inverse=True, return_counts=True
        )
        observed = ffi.new("spk_spectrum_entry[]", max(len(entries), 1))
        for k, key in enumerate(entries.tolist()):
            observed[k] = (key >> 48, key >> 16 & 0xFFFFFFFF, key & 0xFFFF, int(n[k]))
        o = options("spk_signature_options")
        name = ffi.new("char[]", self.correction.encode())
        o.alpha, o.correction, o.published = self.alpha, name, self.published
        o.min_spikes, o.support = max(2, self.options.min_spikes), self.options.support
        out = np.zeros(len(entries), SIGNATURE)
        self.own.call(
            lib.spk_signatures_test,
            maxima,
            observed,
            len(entries),
            o,
            pointer_to(out, "spk_signature *"),
        )
        return out, at

    def _pvalues(self, maxima: Any) -> Array:
        o = options("spk_pvalue_options")
        o.min_spikes, o.support = max(2, self.options.min_spikes), self.options.support
        o.supports, o.published = self.options.supports, self.published
        out, n = ffi.new("spk_pvalue **"), ffi.new("uint64_t *")
        self.own.call(lib.spk_pvalue_spectrum, maxima, o, out, n)
        try:
            return copy_of(out[0], PVALUE, n[0])
        finally:
            lib.free(out[0])

    def _reduce(
        self, found: Patterns, reduce: tuple[int, int, int], maxima: Any, signatures: Array
    ) -> Patterns:
        significant = np.flatnonzero(found.columns["significant"])
        part = found[significant]
        columns, kept = part._native()
        o = options("spk_reduce_options")
        o.h, o.k, o.l = reduce
        o.min_spikes, o.support = max(2, self.options.min_spikes), self.options.support
        o.supports, o.maxima, o.published = self.options.supports, maxima, self.published
        o.signatures = pointer_to(signatures, "spk_signature *")
        o.n_signatures = len(signatures)
        keep = np.zeros(len(part) + 1, np.uint8)
        self.own.run(
            lib.spk_pattern_reduce,
            found.windows.pointer,
            columns,
            o,
            pointer_to(keep, "uint8_t *"),
        )
        del kept
        found.columns["kept"] = np.zeros(len(found), bool)
        found.columns["kept"][significant] = keep[: len(part)] != 0
        if isinstance(found.test, SignatureTest):
            found.test.n_kept = int(np.count_nonzero(keep[: len(part)]))
        return found

    def _stability(self, found: Patterns, stability: tuple[float, float]) -> None:
        columns, kept = found._native()
        o = options("spk_stability_options")
        o.epsilon, o.delta = stability
        o.seed = self.surrogates.seed
        inside, outside = np.zeros(len(found)), np.zeros(len(found))
        if len(found):
            self.own.run(
                lib.spk_pattern_stability,
                found.windows.pointer,
                columns,
                o,
                pointer_to(inside, "double *"),
                pointer_to(outside, "double *"),
            )
        del kept
        found.columns["stability_intensional"] = inside
        found.columns["stability_extensional"] = outside
