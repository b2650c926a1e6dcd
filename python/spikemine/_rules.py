"""Arguments that do something only beside others, as the options of the command: a table for each
function, and the one check that reads it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


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


def checked(*rules: Rule) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """The function, which raises ValueError for arguments that would do nothing."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        signature = inspect.signature(function)
        defaults = {name: p.default for name, p in signature.parameters.items()}

        @functools.wraps(function)
        def checking(*args: P.args, **kwargs: P.kwargs) -> Result:
            bound = signature.bind(*args, **kwargs)
            given = {name for name, v in bound.arguments.items() if _is_set(v, defaults[name])}
            bound.apply_defaults()
            values = SimpleNamespace(**bound.arguments)
            for rule in rules:
                for name in rule.names.split():
                    if name in given and not rule.heeded(values):
                        raise ValueError(rule.remedy.format(name=name, value=bound.arguments[name]))
            return function(*args, **kwargs)

        return checking

    return decorate


# ---- rules that functions share --------------------------------------------------------------

EXACT = Rule(
    "test", lambda a: a.test in (None, "exact"), "test={value!r}: must be 'exact' or None"
)

PEELING = (
    Rule(
        "checkpoint executor",
        lambda a: not a.peel,
        "{name}: not with peel, which makes surrogates in each round, from what the rounds before "
        "it left; leave out one of them",
    ),
    Rule(
        "maximal closed top",
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
