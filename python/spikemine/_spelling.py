"""Messages of the library in the words of Python: options of the command become arguments."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

# Options that have another name here.
NAMES = {"input-format": "format", "columns": "time_column, unit_column"}
COLUMNS = {
    "time,unit": 'time_column="1", unit_column="2"',
    "unit,time": 'time_column="2", unit_column="1"',
}
# What a sentence goes on with behind an option; any other word is its value.
PROSE = {"a", "and", "as", "has", "if", "is", "it", "names", "or", "out", "so", "the", "that", "to"}
PROSE |= {"two", "with"}


@functools.cache
def _defaults() -> dict[str, Any]:
    """The arguments of all public functions, with their defaults."""
    import spikemine

    public = [getattr(spikemine, name) for name in spikemine.__all__]
    return {
        name: parameter.default
        for function in filter(inspect.isfunction, public)
        for name, parameter in inspect.signature(function).parameters.items()
    }


def _argument(match: re.Match[str]) -> str:
    option, between, word = match.groups("")
    if option == "columns" and word in COLUMNS:
        return COLUMNS[word]
    name = NAMES.get(option, option.replace("-", "_"))
    if name.split(",")[0] not in _defaults():
        return match.group()
    if isinstance(_defaults().get(name), bool):
        return f"{name}=True{between}{word}"
    if not word or word in PROSE:
        return f"{name}{between}{word}"
    return f"{name}={word}" if word.isdigit() else f'{name}="{word}"'


def in_python(text: str) -> str:
    """A message with `time_unit="samples@30000"` for `--time-unit samples@30000`. What no function
    takes as an argument stays."""
    return re.sub(r"(?<![^\s(])--([a-z][a-z-]*)(?:([ =])([\w@%.,:*-]*\w))?", _argument, text)
