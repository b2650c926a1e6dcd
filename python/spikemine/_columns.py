"""Columns that tests add to rows: read and put back as the library describes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._library import copy_of, ffi, fill, lib, struct
from ._results import Array

NOT_EXPLAINED = 2**32 - 1
MEANINGS = [ffi.string(lib.spk_exact_means_text(k)).decode() for k in range(8)]
SIDES = [ffi.string(lib.spk_asymmetry_text(k)).decode() for k in range(4)]
WORDS = {lib.SPK_COLUMN_MEANING: MEANINGS, lib.SPK_COLUMN_SIDE: SIDES}


class Column(NamedTuple):
    """A column of a test: values by row in `array` of what the library says of it, or in `field`
    of the structs there."""

    name: str  # with %s: of each window of jitter
    type: int
    test: str
    array: str
    field: str
    meaning: str  # a sentence

    @classmethod
    def get(cls, k: int) -> Column | None:
        """That of the library; None: it has fewer."""
        column = lib.spk_result_column_get(k)
        if column == ffi.NULL:
            return None
        member = "" if column.member == ffi.NULL else ffi.string(column.member).decode()
        array, _, field = member.partition(".")
        name = ffi.string(column.name if column.name != ffi.NULL else column.key).decode()
        meaning = ffi.string(column.meaning).decode()
        return cls(name, column.type, ffi.string(column.test).decode(), array, field, meaning)

    def read(self, values: Array, windows: Sequence[str]) -> Array:
        """As users see them."""
        if self.type == lib.SPK_COLUMN_MILLI:
            return np.asarray(values / 1000)
        if self.type == lib.SPK_COLUMN_PART:
            return np.where(values == NOT_EXPLAINED, -1, values.astype(np.int64))
        if self.type in WORDS:
            return np.array(WORDS[self.type])[values]
        if self.type == lib.SPK_COLUMN_WINDOW:
            return np.array(windows)[values]
        if self.type == lib.SPK_COLUMN_YES_NO:
            return values.astype(bool)
        own: Array = values.astype(np.int64) if self.type == lib.SPK_COLUMN_U32 else values.copy()
        return own

    def written(self, values: Array, windows: Sequence[str]) -> Array:
        """The reverse."""
        if self.type == lib.SPK_COLUMN_MILLI:
            return np.asarray(np.rint(values * 1000))
        if self.type == lib.SPK_COLUMN_PART:
            return np.where(values < 0, NOT_EXPLAINED, values)
        if self.type in WORDS or self.type == lib.SPK_COLUMN_WINDOW:
            texts = WORDS.get(self.type, list(windows))
            return np.array([texts.index(text) for text in values], np.uint32)
        return values


def _all() -> list[Column]:
    found: list[Column] = []
    while (column := Column.get(len(found))) is not None:
        found.append(column)
    return found


COLUMNS = _all()


def columns_of(test: str) -> list[Column]:
    """Those of a test that have values by row."""
    return [column for column in COLUMNS if column.test == test and column.array]


def _at(values: Array, field: str) -> Array:
    """A field of structs: "p", "count[0]"."""
    name, _, index = field.partition("[")
    return values[name][:, int(index[:-1])] if index else values[name]


def take_columns(test: str, report: Any, n: int, windows: Sequence[str] = ()) -> dict[str, Array]:
    """The columns of n rows that a test has, by name."""
    found: dict[str, Array] = {}
    for column in columns_of(test):
        member = getattr(report, column.array)
        if isinstance(member, ffi.CData) and ffi.typeof(member).kind == "struct":
            found.update(_take_reals(column, member, n))
            continue
        several = column.type == lib.SPK_COLUMN_WINDOW or "%s" in column.name
        if member == ffi.NULL or (several and len(windows) < 2):
            continue
        if "%s" in column.name:
            values = copy_of(member, n * len(windows)).reshape(n, len(windows))
            found.update({column.name % w: values[:, k].copy() for k, w in enumerate(windows)})
            continue
        values = copy_of(member, n)
        values = _at(values, column.field) if column.field else values
        found[column.name] = column.read(values, windows)
    return found


def _take_reals(column: Column, member: Any, n: int) -> dict[str, Array]:
    """Several numbers a row, as tuples."""
    if member.value == ffi.NULL:
        return {}
    first = copy_of(member.first, n + 1).astype(np.int64)
    values = copy_of(member.value, int(first[n])).tolist()
    rows = np.empty(n, object)
    for k in range(n):
        rows[k] = tuple(values[first[k] : first[k + 1]])
    return {column.name: rows}


def put_columns(
    test: str,
    report: Any,
    columns: dict[str, Array],
    windows: Sequence[str],
    arrays: dict[str, Array],
) -> None:
    """The reverse: `report` gets the columns that are there; `arrays` may have arrays of structs to
    begin with."""
    for column in columns_of(test):
        member = getattr(report, column.array)
        if isinstance(member, ffi.CData) and ffi.typeof(member).kind == "struct":
            if column.name in columns:
                _put_reals(report, column, columns[column.name])
            continue
        names = [column.name % w for w in windows] if "%s" in column.name else [column.name]
        if any(name not in columns for name in names):
            continue
        if column.field:
            values = column.written(columns[column.name], windows)
            _at(arrays[column.array], column.field)[:] = values
            continue
        listed = [column.written(columns[name], windows) for name in names]
        values = np.stack(listed, axis=1) if len(listed) > 1 else listed[0]
        arrays[column.array] = values
    fill(report, **arrays)


def _put_reals(report: Any, column: Column, rows: Array) -> None:
    first = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    values = [value for row in rows for value in row] or [0.0]  # without any there is no column
    kind = dict(ffi.typeof(report).item.fields)[column.array].type.cname
    fill(report, **{column.array: struct(kind, first=first, value=np.array(values))})
