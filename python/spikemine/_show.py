"""What a prompt and a notebook show of tables: their first rows."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

FIRST_ROWS = 8
WIDEST = 80  # letters of a cell in text
# Columns that say most, in this order; a table has some of them.
SHOWN = (
    *("size", "spikes", "count", "occurrences", "neurons", "episode"),
    *("pattern", "members", "expected", "p", "meaning", "back", "asymmetry"),
)


def chosen(table: Mapping[str, Any]) -> dict[str, list[str]]:
    """The columns that are shown, as texts."""
    return {name: [cell(value) for value in table[name]] for name in SHOWN if name in table}


def every(table: Mapping[str, Any]) -> dict[str, list[str]]:
    """All columns as texts; times in seconds have all their digits."""
    return {
        name: [cell(value, 9 if name.endswith("_s") else 3) for value in column]
        for name, column in table.items()
    }


def cell(value: Any, digits: int = 3) -> str:
    """A value as it is read: numbers with these digits where they are no counts."""
    if getattr(value, "shape", ()):
        return ", ".join(cell(one, digits) for one in value)
    if hasattr(value, "item"):
        value = value.item()
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def seconds(time: float) -> str:
    """A time in a recording, with digits that tell it from others also where it counts from 1970."""
    return f"{time:.{6 if abs(time) < 1e5 else 12}g} s"


def begun(text: str) -> str:
    """A sentence as the command prints it: with a capital letter."""
    return text[:1].upper() + text[1:]


def cut(text: str) -> str:
    """A text that a line has room for; "..." stands for what is left out."""
    return text if len(text) <= WIDEST else text[: WIDEST - 4].rsplit(" ", 1)[0] + " ..."


def rows_left(n: int, begin: int) -> str:
    """How many rows are not shown, and which are, where those of single units come first; "": all."""
    shown = f"; these are rows {begin} to {begin + FIRST_ROWS - 1}, behind those of single units"
    return f"... {n - FIRST_ROWS} more{shown if begin else ''}" if n > FIRST_ROWS else ""


def row(kind: str, text: str, count: int, values: Mapping[str, Any]) -> str:
    """One result as a prompt shows it."""
    told = {name: cell(values[name]) for name in SHOWN if values.get(name, "-") != "-"}
    parts = [f"{count} times", *(f"{name} {value}" for name, value in told.items())]
    return f"<{kind} {text}: {', '.join(parts)}>"


def as_text(head: str, columns: Mapping[str, Sequence[str]], n: int, begin: int = 0) -> str:
    """A head with the first of n rows below it, numbers to the right."""
    texts = [[name, *map(cut, column)] for name, column in columns.items()]
    widths = [max(map(len, column)) for column in texts]
    lines = [
        "  ".join(
            text.ljust(width)
            if name in ("episode", "pattern", "units", "meaning", "asymmetry")
            else text.rjust(width)
            for name, text, width in zip(columns, row, widths)
        ).rstrip()
        for row in zip(*texts)
    ]
    return "\n".join([head, *(lines if n else []), *filter(None, [rows_left(n, begin)])])


def as_html(head: str, columns: Mapping[str, Sequence[str]], n: int, begin: int = 0) -> str:
    """The same for notebooks."""
    names = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>"
        for row in zip(*columns.values())
    )
    table = f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>" if n else ""
    above = "<br>".join(map(html.escape, head.splitlines()))
    return f"<p>{above}</p>{table}<p>{html.escape(rows_left(n, begin))}</p>"
