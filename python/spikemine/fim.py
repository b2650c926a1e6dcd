"""Frequent sets of items, with the call of the module `fim` that Elephant brings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import Handle, Session, ffi, lib, options, session

__all__ = ["fpgrowth"]


def _transactions(tracts: Iterable[Any]) -> tuple[list[list[int]], list[Hashable] | None]:
    """Items as whole numbers, and their names where they were none."""
    if isinstance(tracts, dict):
        listed = [list(t) for t, n in tracts.items() for _ in range(n)]
    else:
        listed = [list(t) for t in tracts]
    try:
        return [[int(item) for item in t if _is_number(item)] for t in listed], None
    except TypeError:
        names = list(dict.fromkeys(item for t in listed for item in t))
        number = {name: k for k, name in enumerate(names)}
        return [[number[item] for item in t] for t in listed], names


def _is_number(item: Any) -> bool:
    if not isinstance(item, (int, np.integer)) or item < 0:
        raise TypeError("not a whole number")
    return True


def _windows(own: Session, transactions: list[list[int]], winlen: int) -> Handle:
    text = "".join(" ".join(map(str, t)) + "\n" for t in transactions).encode()
    of_text = b"transactions", text, len(text)
    return own.make(lib.spk_windows_parse_transactions, *of_text, 0, winlen)


def fpgrowth(
    tracts: Iterable[Any],
    target: str = "c",
    supp: float = 10,
    zmin: int = 1,
    zmax: int | None = None,
    report: str = "a",
    algo: str = "s",
    winlen: int = 1,
    min_neu: int = 1,
    threads: int = 0,
    verbose: int = 0,
    *,
    max_c: int | None = None,
) -> list[tuple[tuple[Any, ...], int]]:
    """Closed frequent sets of items, with the arguments that Elephant gives to fim.fpgrowth.

    Parameters
    ----------
    tracts : transactions, each of items; a dict has their multiplicities as values. Items are
        whole numbers neuron * winlen + lag, or with winlen=1 anything that can be a key.
    target : "c", closed sets
    supp : smallest support; below 0 a number of transactions, else a percentage of them
    zmin, zmax : smallest and largest size; None or below 0: no limit
    report : "a", with the number of transactions
    algo, verbose : accepted and ignored
    winlen : with more than 1, only sets with an item of lag 0 are listed
    min_neu : smallest number of distinct neurons
    threads : 0, one per processor
    max_c : largest support

    Returns a list of (items, support), in no special order. Raises ValueError.
    """
    if target not in ("c", "closed"):
        raise ValueError(f"target={target!r}: only closed sets are mined, target='c'")
    if report != "a":
        raise ValueError(f"report={report!r}: only 'a', the number of transactions")
    transactions, names = _transactions(tracts)
    if names is not None and winlen != 1:
        raise ValueError("winlen needs items that are whole numbers, neuron * winlen + lag")
    if not any(transactions):
        return []
    o = options(
        "spk_pattern_options",
        min_spikes=max(zmin, 1),
        max_spikes=0 if zmax is None or zmax < 0 else zmax,
        min_neurons=min_neu,
        support=max(1, -supp if supp < 0 else math.ceil(supp / 100 * len(transactions))),
        max_count=max_c,
        moving_window_filter=False,
    )
    with session(threads) as own:
        windows = _windows(own, transactions, winlen)
        found = own.make(lib.spk_pattern_list_create, winlen)
        add = ffi.addressof(lib, "spk_pattern_list_add")
        own.run(lib.spk_pattern_mine, windows.pointer, o, add, found.pointer, ffi.NULL)
        own.check(lib.spk_pattern_list_sort(found.pointer))
        return _listed(found, winlen, names)


def _listed(
    found: Handle, winlen: int, names: list[Hashable] | None
) -> list[tuple[tuple[Any, ...], int]]:
    columns = lib.spk_pattern_list_columns(found.pointer)
    offset: npt.NDArray[Any] = found.array(columns.offset, columns.n + 1)
    offsets = offset.astype(np.int64).tolist()
    items = found.array(columns.item, offsets[-1]).tolist()
    counts = found.array(columns.count, columns.n).tolist()
    sets = []
    for a, b, count in zip(offsets, offsets[1:], counts):
        own = tuple(items[a:b])
        if winlen == 1 or any(item % winlen == 0 for item in own):
            sets.append((own if names is None else tuple(names[i] for i in own), count))
    return sets
