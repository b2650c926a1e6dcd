"""What tables of episodes and of patterns have in common: rows, selection, export."""

from __future__ import annotations

import copy
import dataclasses
import difflib
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _show
from ._library import ffi, lib, sentences
from ._objects import Found, needed
from ._rules import heeded, work_of

Array = npt.NDArray[Any]
P = ParamSpec("P")
Result = TypeVar("Result", bound="Told")
Row = TypeVar("Row")
Own = TypeVar("Own", bound="Table[Any]")
Rows = slice | Array | Sequence[int] | Sequence[bool]


def check_count(
    name: str, value: Any, least: int = 0, most: int = 2**32 - 1, hint: str = ""
) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, bool) or int(value) != value or int(value) < least:
        raise ValueError(f"{name}={value!r}: must be a whole number of at least {least}{hint}")
    if int(value) > most:
        raise ValueError(f"{name}={value!r}: must be at most {most}")
    return int(value)


def check_seed(value: Any) -> int:
    """A seed, which every reader of JSON takes as it is."""
    return check_count("seed", value, 0, 2**53)


# ---- how a result was made -------------------------------------------------------------------

MOST_LISTED = 100


def _setting(value: Any) -> str:
    """A value as a user would write it; lists with commas, intervals in lists with a colon."""
    if not isinstance(value, (list, tuple)) or len(value) > MOST_LISTED:
        return value if isinstance(value, str) else _brief(value)
    pairs = [isinstance(item, (list, tuple)) and len(item) == 2 for item in value]
    return ", ".join(
        f"{item[0]}:{item[1]}" if pair else str(item) for item, pair in zip(value, pairs)
    )


def _brief(value: Any) -> str:
    """As it is written in Python, but for what is long."""
    if isinstance(value, (list, tuple)) and len(value) > MOST_LISTED:
        return f"<{len(value)} values>"
    text = repr(value)
    return text if len(text) < 10 * MOST_LISTED else f"<{type(value).__name__}>"


def _is_set(value: Any) -> bool:
    return value is not None and not (isinstance(value, (bool, int, float)) and value == 0)


class Told(Protocol):
    """A result that tells how it was made."""

    info: dict[str, Any]


def remember(operation: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """The function, whose results have in `info` the call and its settings, for reports."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        signature = inspect.signature(function)
        defaults = {name: p.default for name, p in signature.parameters.items()}
        first = next(iter(defaults))

        @functools.wraps(function)
        def remembering(*args: P.args, **kwargs: P.kwargs) -> Result:
            result = function(*args, **kwargs)
            bound = signature.bind(*args, **kwargs)
            given = dict(bound.arguments)
            bound.apply_defaults()
            settings = dict(bound.arguments)
            for values in (given, settings):
                values.pop(first)
            known = heeded(operation, defaults, given)
            work = work_of(operation)
            told = [f"{name}={_brief(value)}" for name, value in given.items() if name not in work]
            result.info["call"] = f"spikemine.{function.__name__}({', '.join([first, *told])})"
            result.info["settings"] = {
                name: _setting(value)
                for name, value in settings.items()
                if name in known and _is_set(value)
            }
            return result

        return remembering

    return decorate


@dataclasses.dataclass(repr=False)
class Tested:
    """A test and what it found in the whole search."""

    sentences: tuple[str, ...] = dataclasses.field(default=(), kw_only=True)  # as the command's

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {'; '.join(self.sentences)}>"


class Table(Found, Generic[Row]):
    """Rows that are results. Indexing with a slice, a mask or numbers gives the table of these."""

    language: str  # "episodes" or "patterns", as in the names of the library's functions
    a_test: str  # what adds columns, in words
    by_position: tuple[str, ...]  # the arrays that have a value for each position
    recording: Any
    offsets: Array  # n + 1
    columns: dict[str, Array]  # by row: count and what tests add
    info: dict[str, Any]
    test: Any
    _stored: list[Any] | None  # occurrences where they are not those of the whole recording

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    def __iter__(self) -> Iterator[Row]:
        for k in range(len(self)):
            yield self._one(k)

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> Row: ...

    @overload
    def __getitem__(self: Own, which: Rows) -> Own: ...

    def __getitem__(self, which: Any) -> Any:
        rows = self._index(which)
        if isinstance(rows, int):
            return self._one(rows)
        # Values by position, without a loop.
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
        at = np.repeat(self.offsets[rows], sizes) + within
        chosen = copy.copy(self)
        chosen.offsets = offsets
        for name in self.by_position:
            setattr(chosen, name, getattr(self, name)[at])
        chosen.columns = {name: column[rows] for name, column in self.columns.items()}
        chosen._stored = None if self._stored is None else [self._stored[k] for k in rows]
        return chosen

    def _one(self, k: int) -> Row:
        """Row k by itself."""
        raise NotImplementedError

    def _told(self) -> tuple[str, ...]:
        return () if self.test is None else self.test.sentences

    def _told_rows(self, n: int) -> tuple[list[str], int]:
        from ._report import analysis_columns

        first = differing(self, n)
        columns = analysis_columns(first)
        told = [k for k in range(len(first)) if not lib.spk_analysis_told_before(columns, k)]
        one = lib.spk_analysis_tell_row, columns, self.recording._pointer
        return [text for k in told for text in sentences(*one, k)], len(first)

    def _shown(self) -> tuple[str, dict[str, list[str]], int]:
        """What a prompt and a notebook show: a head, columns of the first rows, those of several
        units where there are any, the number of all."""
        begin = self._pairs_from()
        first = self[begin : begin + _show.FIRST_ROWS]._table()
        head = f"<{type(self).__name__}: {len(self)} in {self.recording!r}>"
        return "\n".join([head, *self._told()]), _show.chosen(first), len(self)

    def __repr__(self) -> str:
        return _show.as_text(*self._shown(), self._pairs_from())

    def _repr_html_(self) -> str:
        return self._as_html(*self._shown(), self._pairs_from())

    @property
    def size(self) -> Array:
        """Positions of each episode, spikes of each pattern. Shape (n,)."""
        return np.diff(self.offsets)

    def __getattr__(self, name: str) -> Array:
        try:
            columns: dict[str, Array] = object.__getattribute__(self, "columns")
            return columns[name]
        except (AttributeError, KeyError):
            raise AttributeError(self._no_such(name)) from None

    def _no_such(self, name: str) -> str:
        """What a missing attribute may have been meant for."""
        from ._columns import COLUMNS

        lacks = f"{type(self).__name__} have no {name!r}"
        if any(name == column.name for column in COLUMNS):
            return f"{lacks}; columns of a test are there after {self.a_test}"
        if "plot" in name:
            return f"{lacks}; draw them with figure(), or with matplotlib by functions of sm.plot"
        known = [*dir(type(self)), *self.__dict__, *self.__dict__.get("columns", ())]
        near = difflib.get_close_matches(name, [one for one in known if one[0] != "_"], 1)
        return f"{lacks}; did you mean {near[0]!r}?" if near else lacks

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.columns})

    def text(self, k: int) -> str:
        """Result k in its text form: `56 (5ms,10ms] 49`, or `12@0 40@3 7@11` (unit@lag)."""
        return str(self[np.array([self._index(k)])]._texts([0])[0])

    def _row(self, k: int) -> int:
        row = self._index(k)
        if not isinstance(row, int):
            raise TypeError(f"occurrences of one {self.language[:-1]}: give its number")
        return row

    def _pairs_from(self) -> int:
        """The first row that is shown: one of several units, where so many rows are there; else 0."""
        several = np.flatnonzero(self.size > 1) if self.language == "episodes" else np.zeros(0)
        first = int(several[0]) if several.size else 0
        return max(min(first, len(self) - _show.FIRST_ROWS), 0)

    def _values(self, k: int) -> dict[str, Any]:
        """Row k of the columns, as Python has numbers and texts."""
        entries = {name: column[k] for name, column in self.columns.items()}
        return {
            name: entry.item() if isinstance(entry, np.generic) else entry
            for name, entry in entries.items()
        }

    def _texts(self, rows: Sequence[int]) -> list[str]:
        """The text forms of these rows."""
        columns = self._native()
        form = getattr(lib, f"spk_{self.language[:-1]}_format")
        buffer = ffi.new("char[]", 4096)
        found = []
        for k in rows:
            n = form(self.recording._pointer, columns, k, buffer, ffi.sizeof(buffer))
            if n >= ffi.sizeof(buffer):
                buffer = ffi.new("char[]", n + 1)
                form(self.recording._pointer, columns, k, buffer, n + 1)
            found.append(ffi.string(buffer).decode())
        return found

    def _steps(self, size: int | None) -> Iterator[tuple[int, int, int, float, float]]:
        """Each step of the results of this size, or of all: result, unit, next unit, delay."""
        raise NotImplementedError

    def _graph(self, size: int | None, name: str, times: Callable[[float, float], Any]) -> Any:
        """A networkx.MultiDiGraph of these steps. Attributes of an edge: those that `times` makes
        of its delay, the text of the result under `name`, and its columns."""
        networkx = needed("networkx", "graph")
        labels = self.recording.labels
        graph = networkx.MultiDiGraph()
        graph.add_nodes_from(labels)
        steps = list(self._steps(size))
        rows = sorted({step[0] for step in steps})
        texts = dict(zip(rows, self._texts(rows)))
        for k, unit, after, lo, hi in steps:
            own = {**times(lo, hi), name: texts[k], **self._values(k)}
            graph.add_edge(labels[unit], labels[after], **own)
        return graph

    def _names(self) -> list[tuple[str, tuple[str, ...]]]:
        labels = self.recording.labels
        cut = np.split(self.units, self.offsets[1:-1])
        texts = self._texts(range(len(self)))
        return [(text, tuple(labels[u] for u in own)) for text, own in zip(texts, cut)]

    def _rows(self) -> dict[str, Any]:
        return {**self._table(), "units": [units for _, units in self._names()]}

    def _native(self) -> Any:
        """The columns in the form of the library."""
        raise NotImplementedError

    def _table(self) -> dict[str, Any]:
        """The columns of the command."""
        raise NotImplementedError

    def _of_tests(self) -> dict[str, Any]:
        """Columns of tests as the command has them: parts that explain a result are texts."""
        table: dict[str, Any] = {}
        for name, column in self.columns.items():
            if name == "left_out":
                table["explained_by"] = self._explained_by()
            elif name != "count":
                table[name] = column
        return table

    def _explained_by(self) -> list[str]:
        """The part that explains each result: it without one position; "" where none does."""
        rows = np.flatnonzero(self.columns["left_out"] >= 0)
        parts = self[rows]
        stays = np.ones(int(parts.offsets[-1]), bool)
        stays[parts.offsets[:-1] + parts.columns["left_out"]] = False
        for name in self.by_position:
            setattr(parts, name, getattr(parts, name)[stays])
        parts.offsets = parts.offsets - np.arange(rows.size + 1)
        parts._begin_anew()
        found = [""] * len(self)
        for k, text in zip(rows, parts._texts(range(rows.size))):
            found[k] = text
        return found

    def _begin_anew(self) -> None:
        """Puts right what values by position say of the first one, after positions went."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The table as a dict of columns: what the command writes, as arrays and lists."""
        return self._table()


def _share_much(a: set[int], b: set[int]) -> bool:
    """As spk_share_much of the library."""
    shared = len(a & b)
    return 2 * shared + (shared > 1) > min(len(a), len(b))


def differing(found: Own, most: int) -> Own:
    """The first results that differ, as in the picture of the command: of two that share half of
    the units of the smaller one, two units at least, the first. Few results, and families, are all taken."""
    if len(found) <= most or "members" in found.columns:
        return found[:most]
    kept: dict[int, set[int]] = {}
    units, ends = found.units.tolist(), found.offsets.tolist()
    for k, (start, stop) in enumerate(itertools.pairwise(ends)):
        own = set(units[start:stop])
        near = (_share_much(own, other) for other in kept.values())
        if stop - start > 1 and not any(near):
            kept[k] = own
        if len(kept) == most:
            break
    return found[np.array(list(kept))] if kept else found[:most]
