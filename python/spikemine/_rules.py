"""Arguments of public functions: what each must be, and which do something only beside others, as
the options of the command. One check reads these tables before a function begins."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import os
import warnings
from collections.abc import Callable, Iterable, Sized
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
Result = TypeVar("Result")


# ---- what an argument must be ----------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Kind:
    """Which values an argument may have. None is accepted where it is the default."""

    accepts: Callable[[Any], bool]
    words: str

    def check(self, name: str, value: Any) -> None:
        if self.accepts(value):
            return
        error = ValueError if isinstance(value, numbers.Number) else TypeError
        raise error(f"{name}={value!r}: must be {self.words}")


def _whole(most: int) -> Kind:
    return Kind(
        lambda v: isinstance(v, numbers.Real) and v == v // 1 and 0 <= float(v) <= most,
        f"a whole number from 0 to {most}",
    )


FLAG = Kind(
    lambda v: isinstance(v, (bool, np.bool_)) or (isinstance(v, int) and v in (0, 1)),
    "True or False",
)
TEXT = Kind(lambda v: isinstance(v, str), "a text")
SEVERAL = Kind(
    lambda v: isinstance(v, Iterable) and not isinstance(v, bytes), "a sequence, such as a list"
)
NAMES = Kind(
    lambda v: isinstance(v, Sized) and isinstance(v, Iterable) and all(map(TEXT.accepts, v)),
    "a list of names, which are texts",
)
LISTED = Kind(
    lambda v: isinstance(v, (Iterable, os.PathLike)), "a sequence of texts, or the path of a file"
)
PATTERNS = Kind(lambda v: hasattr(v, "windows"), "Patterns, as patterns() returns them")

# By name; functions may have other ones.
KINDS = {
    **dict.fromkeys(("maximal", "closed", "families", "published"), FLAG),
    **dict.fromkeys(("reconnect", "worker", "wait", "keep_up", "sort"), FLAG),
    **dict.fromkeys(("method", "correction", "engine", "select", "format", "title"), TEXT),
    **dict.fromkeys(("labels", "delays", "segments", "sets"), SEVERAL),
    **dict.fromkeys(("min_size", "distinct_units"), _whole(2**32 - 1)),
    **dict.fromkeys(("gpus", "threads"), _whole(2**31 - 1)),
    "max_memory": _whole(2**64 - 1),
    "progress": Kind(
        lambda v: isinstance(v, bool) or callable(v), "True, or a function (what, done, total)"
    ),
    "executor": Kind(
        lambda v: callable(getattr(v, "submit", None)),
        "something with submit(), as concurrent.futures has it",
    ),
}

# ---- which arguments do something ------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Rule:
    """Arguments, when they do something, and what to do where they do not."""

    names: str  # with blanks between
    heeded: Callable[[Any], bool]  # from the values of all arguments
    remedy: str  # {name} and {value} are those of the argument


def _is_set(value: Any, default: Any) -> bool:
    """Whether an argument that stands in a call asks for something: a flag that is off, or a limit
    of none, does not."""
    if value is None or value is False:
        return False
    return bool(default) or not isinstance(value, (int, float)) or value != default


def checked(*rules: Rule, **kinds: Kind) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """The function, which raises TypeError or ValueError for arguments of another kind, and
    ValueError for those that would do nothing. `kinds` are those of this function alone."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        signature = inspect.signature(function)
        defaults = {name: p.default for name, p in signature.parameters.items()}
        kind_of = {name: k for name, k in {**KINDS, **kinds}.items() if name in defaults}

        @functools.wraps(function)
        def checking(*args: P.args, **kwargs: P.kwargs) -> Result:
            bound = signature.bind(*args, **kwargs)
            given = {name for name, v in bound.arguments.items() if _is_set(v, defaults[name])}
            for name, value in bound.arguments.items():
                if name in kind_of and (value is not None or defaults[name] is not None):
                    kind_of[name].check(name, value)
            bound.apply_defaults()
            values = SimpleNamespace(**bound.arguments)
            for rule in rules:
                for name in rule.names.split():
                    if name in given and not rule.heeded(values):
                        raise ValueError(rule.remedy.format(name=name, value=bound.arguments[name]))
            return function(*args, **kwargs)

        return checking

    return decorate


def warn(text: str) -> None:
    """A warning at the user's line, however many of our functions lie between."""
    folder = os.path.dirname(__file__)
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(folder):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


# ---- rules that functions share --------------------------------------------------------------

EXACT = Rule("test", lambda a: a.test in (None, "exact"), "test={value!r}: must be 'exact' or None")

PEELING = (
    Rule(
        "checkpoint executor",
        lambda a: not a.peel,
        "{name}: not with peel, which makes surrogates in each round, from what the rounds before "
        "it left; leave out one of them",
    ),
    Rule(
        "maximal closed top families",
        lambda a: not a.peel,
        "{name}: not with peel, which lists each finding once; peel=5 ends after 5 findings",
    ),
    Rule(
        "report",
        lambda a: not a.peel or a.report in ("significant", "core"),
        "report: peeling lists what it accepts, 'significant' or 'core'",
    ),
)

EXECUTORS = (
    Rule(
        "shards",
        lambda a: a.executor is not None,
        "shards: is for an executor, which makes them; add executor",
    ),
    Rule(
        "checkpoint",
        lambda a: a.executor is None,
        "checkpoint: not with an executor, which has no file of its own; leave out one of them",
    ),
)

SEARCHES = (
    Rule(
        "support",
        lambda a: a.delays is not None,
        "support: is for episodes, with delays; patterns have min_occurrences",
    ),
    Rule("window", lambda a: a.bin is not None, "window: is for patterns, with bin"),
)
