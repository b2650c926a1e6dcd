"""Reduction of a set of patterns, and stability."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._library import lib, options, pointer_to, session
from .._patterns import Patterns, Windows
from ._common import seed_of, warn
from ._mining import Concept, Relation, column, recording_of_ticks
from ._significance import signatures_of

Array = npt.NDArray[Any]

# ---- reduction -------------------------------------------------------------------------------


def _ranges(begin: Array, end: Array) -> tuple[Array, Array]:
    """All numbers of begin[k] .. end[k] - 1, and the k of each."""
    sizes = np.maximum(end - begin, 0)
    owner = np.repeat(np.arange(sizes.size), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(owner.size) - before[owner] + begin[owner], owner


@dataclasses.dataclass
class _Reduction:
    """What is judged, with lists of patterns by item and by window.

    A pair of patterns is judged at each shift at which it has common spikes and which occurs
    min_occ times. A pattern falls when any pair rejects it, so the order of pairs does not matter.
    """

    items: Array
    item_first: Array
    counts: Array
    signatures: list[tuple[int, ...]]
    winlen: int
    h: int
    k: int
    l: int
    min_spikes: int
    min_occ: int
    bad: set[tuple[int, ...]]

    def __post_init__(self) -> None:
        self.sizes = np.diff(self.item_first)
        owner = np.repeat(np.arange(self.sizes.size), self.sizes)
        order = np.argsort(self.items, kind="stable")
        self.by_item, self.item_owner = self.items[order], owner[order]
        last = [signature[2] if len(signature) > 2 else 0 for signature in self.signatures]
        self.last = np.array(last, np.int64)
        self.span = 1 << 24  # more than any count less than that of a spike each bin
        keys = [
            ((key[0] << 24) + key[1] << 24) + (key[2] if len(key) > 2 else 0) for key in self.bad
        ]
        self.bad_keys = np.array(keys, np.int64)

    def windows(self, windows: Array, first: Array) -> None:
        """Takes the windows of the patterns, pattern k: windows[first[k]] .. first[k + 1] - 1."""
        self.window, self.window_first = windows, first
        behind = int(windows.max()) + 1 if windows.size else 0
        self.there = np.zeros(behind + 2 * self.winlen, bool)  # windows of one pattern

    def _sharing(self, i: int) -> tuple[Array, Array, Array]:
        """Later patterns j that share spikes with pattern i at a shift, window of j minus window of
        i; and how many."""
        width = 2 * self.winlen - 1
        shifts = np.arange(width) - self.winlen + 1
        own = self.items[self.item_first[i] : self.item_first[i + 1]]
        moved = (own[None, :] - shifts[:, None]).reshape(-1)
        at, whose = _ranges(
            np.searchsorted(self.by_item, moved, "left"),
            np.searchsorted(self.by_item, moved, "right"),
        )
        owners = self.item_owner[at]
        later = owners > i
        keys = owners[later] * width + whose[later] // own.size
        keys, shared = np.unique(keys, return_counts=True)
        return keys // width, shifts[keys % width], shared

    def _in_bad(self, size: Array, count: Array, of: Array) -> npt.NDArray[np.bool_]:
        """Which signatures, with the durations of the patterns `of`, are not significant."""
        keys = (size * self.span + np.clip(count, 0, self.span - 1)) * self.span + self.last[of]
        return np.isin(keys, self.bad_keys) & (size >= 0) & (count >= 0)

    def _whole_falls(self, of: Any, explained: Array) -> npt.NDArray[np.bool_]:
        left = self.sizes[of] - explained + self.k
        return np.asarray((left < self.min_spikes) | self._in_bad(left, self.counts[of], of))

    def _part_falls(self, whole: Array, part: Array) -> npt.NDArray[np.bool_]:
        left = self.counts[part] - self.counts[whole] + self.h
        return np.asarray((left < self.min_occ) | self._in_bad(self.sizes[part], left, part))

    def _judge(self, i: int, j: Array, shared: Array) -> tuple[Array, Array]:
        """Whether i falls and whether each j falls. Of two that would fall the one that covers more
        spikes stays; of equal ones the whole, or the first."""
        own = np.full(j.size, i)
        j_inside = shared == self.sizes[j]
        i_inside = (shared == self.sizes[i]) & ~j_inside
        first = np.where(i_inside, self._part_falls(j, own), self._whole_falls(own, shared))
        second = np.where(j_inside, self._part_falls(own, j), self._whole_falls(j, shared))
        both = first & second
        covered = (self.sizes - self.l) * self.counts
        i_stays = np.where(i_inside, covered[i] > covered[j], covered[i] >= covered[j])
        return first & ~(both & i_stays), second & ~(both & ~i_stays)

    def _often(self, i: int, j: Array, shift: Array) -> npt.NDArray[np.bool_]:
        """Whether each pattern j begins min_occ times so many bins after pattern i."""
        at, whose = _ranges(self.window_first[j], self.window_first[j + 1])
        own = self.window[self.window_first[i] : self.window_first[i + 1]] + self.winlen
        self.there[own] = True
        hit = self.there[self.window[at] - shift[whose] + self.winlen]
        self.there[own] = False
        return np.asarray(np.bincount(whose[hit], minlength=j.size) >= self.min_occ)

    def keep(self) -> npt.NDArray[np.bool_]:
        """Which patterns stay. Occurrences are compared only where the answer may still change."""
        keep = np.ones(self.sizes.size, bool)
        for i in range(self.sizes.size):
            j, shift, shared = self._sharing(i)
            first, second = self._judge(i, j, shared)
            open_ = np.flatnonzero((first & keep[i]) | (second & keep[j]))
            hits = open_[self._often(i, j[open_], shift[open_])]
            keep[i] &= not first[hits].any()
            keep[j[hits[second[hits]]]] = False
        return keep


def pattern_set_reduction(
    concepts: Sequence[Concept],
    ns_signatures: Sequence[Any],
    winlen: int,
    spectrum: str,
    h_subset_filtering: int = 0,
    k_superset_filtering: int = 0,
    l_covered_spikes: int = 0,
    min_spikes: int = 2,
    min_occ: int = 2,
    *,
    corrected: bool = False,
) -> list[Concept]:
    """Patterns that no other pattern explains; as elephant.spade.pattern_set_reduction.

    Parameters
    ----------
    concepts : list of (intent, extent, ...)
    ns_signatures : signatures that are not significant
    winlen : length of the window in bins
    spectrum : "#" or "3d#"
    h_subset_filtering, k_superset_filtering, l_covered_spikes : h, k and l
    min_spikes, min_occ : smallest size and count
    corrected : lags are shifted; Elephant shifts item numbers, so that the last lags of a neuron
        become the first ones of the next

    Returns the concepts that stay, in their order.
    Source: Torre et al. 2013; docs/explanation/significance.md.
    """
    concepts = list(concepts)
    items, item_first = column([concept[0] for concept in concepts])
    windows, window_first = column([concept[1] for concept in concepts])
    signatures = signatures_of(concepts, spectrum, winlen)
    bad = {tuple(map(int, signature)) for signature in ns_signatures}

    def keep(numbers: Array) -> npt.NDArray[np.bool_]:
        reduction = _Reduction(
            numbers, item_first, np.diff(window_first), signatures, winlen, h_subset_filtering,
            k_superset_filtering, l_covered_spikes, min_spikes, min_occ, bad,
        )  # fmt: skip
        reduction.windows(windows, window_first)
        return reduction.keep()

    # Neurons so far apart that no shift makes an item of one that of another.
    kept = keep(items // winlen * (3 * winlen) + items % winlen)
    if not corrected:
        theirs = keep(items)
        differ = int(np.count_nonzero(theirs != kept))
        if differ:
            warn(1, f" ({differ} patterns)")
        kept = theirs
    return [concept for concept, stays in zip(concepts, kept) if stays]


# ---- stability -------------------------------------------------------------------------------


def _number_of_subsets(n_subsets: int, delta: float, epsilon: float) -> int:
    if not (isinstance(n_subsets, int) and n_subsets >= 0):
        raise ValueError("n_subsets must be an integer >=0")
    if n_subsets:
        return n_subsets
    if not (isinstance(delta, float) and delta > 0 and isinstance(epsilon, float) and epsilon > 0):
        raise ValueError("delta and epsilon must be floats > 0., given that n_subsets = 0")
    return round(float(np.log(2 / delta)) / (2 * epsilon**2) + 1)


def approximate_stability(
    concepts: Sequence[Concept],
    rel_matrix: Any,
    n_subsets: int = 0,
    delta: float = 0.0,
    epsilon: float = 0.0,
    *,
    seed: int | None = None,
    threads: int = 0,
) -> list[Concept]:
    """Intensional and extensional stability; as elephant.spade.approximate_stability.

    Parameters
    ----------
    concepts : list of (intent, extent)
    rel_matrix : matrix of windows and items, dense or sparse
    n_subsets : random subsets of each; 0: from delta and epsilon
    delta, epsilon : risk of an error, and the error
    seed : by default drawn from numpy.random

    Returns a list of (intent, extent, intensional, extensional), the first two as arrays.
    Where there are fewer subsets than asked for, all are looked at, and the result is Elephant's to
    the last bit; random subsets are others than Elephant's. Raises ValueError.
    Source: Babin and Kuznetsov 2012.
    """
    n = _number_of_subsets(n_subsets, delta, epsilon)
    if len(concepts) == 0:
        return []
    relation = Relation.of(rel_matrix)
    n_rows, n_items = relation.shape
    silent = np.setdiff1d(np.arange(n_rows), relation.rows)
    # A silent window contains no item, only the empty subset: it gets an item of its own.
    rows = np.concatenate([relation.rows, silent])
    items = np.concatenate([relation.items, np.full(silent.size, n_items)])
    n_all = n_items + (silent.size > 0)
    with session(threads) as own:
        windows = Windows(own, recording_of_ticks(items, rows, n_all, n_rows), 1, 1)
        spikes, first = column([np.sort(np.asarray(concept[0])) for concept in concepts])
        counts = np.array([len(concept[1]) for concept in concepts], np.uint32)
        patterns = Patterns(windows, first, spikes.astype(np.uint32), {"count": counts}, {})
        o = options("spk_stability_options", n_subsets=n, seed=seed_of(seed))
        inside, outside = np.zeros(len(concepts)), np.zeros(len(concepts))
        own.run(
            lib.spk_pattern_stability, windows.pointer, patterns._native(), o,
            pointer_to(inside, "double *"), pointer_to(outside, "double *"),
        )  # fmt: skip
    if silent.size:  # the empty set of windows has all items, but not the one that was added
        whole = (np.diff(first) == n_items) & (counts < 60)
        share = np.where(whole, 0.5 ** np.minimum(counts, 60), 0.0)
        outside += np.where(n * share > 1, share, 0.0)
    return [
        (np.array(concept[0]), np.array(concept[1]), float(a), float(b))
        for concept, a, b in zip(concepts, inside, outside)
    ]
