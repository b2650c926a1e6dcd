"""Arguments of public functions: what each must be, and which go together. The rules for the latter
are those of the command's options, in the library."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import os
import warnings
from collections.abc import Callable, Iterable, Sized
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
    wrong: type[Exception] = TypeError  # raised for what is no number

    def check(self, name: str, value: Any) -> None:
        if self.accepts(value):
            return
        error = ValueError if isinstance(value, numbers.Number) else self.wrong
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


def choice(*names: str | None) -> Kind:
    words = [repr(name) for name in names]
    return Kind(lambda v: v in names, f"{', '.join(words[:-1])} or {words[-1]}", ValueError)


# By name; functions may have other ones.
KINDS = {
    **dict.fromkeys(("maximal", "closed", "families", "published"), FLAG),
    **dict.fromkeys(("reconnect", "worker", "wait", "keep_up", "sort"), FLAG),
    **dict.fromkeys(("method", "correction", "engine", "select", "format", "title"), TEXT),
    **dict.fromkeys(("labels", "delays", "segments", "sets"), SEVERAL),
    **dict.fromkeys(("min_size", "distinct_units"), _whole(2**32 - 1)),
    **dict.fromkeys(("gpus", "threads"), _whole(2**31 - 1)),
    "report": choice("significant", "core", "all"),
    "max_memory": _whole(2**64 - 1),
    "progress": Kind(
        lambda v: isinstance(v, bool) or callable(v), "True, or a function (what, done, total)"
    ),
    "executor": Kind(
        lambda v: callable(getattr(v, "submit", None)),
        "something with submit(), as concurrent.futures has it",
    ),
}

# ---- which arguments go together -------------------------------------------------------------


def _is_set(value: Any, default: Any) -> bool:
    """Whether an argument that stands in a call asks for something: a flag that is off, or a limit
    of none, does not."""
    if value is None or value is False:
        return False
    return bool(default) or not isinstance(value, (int, float)) or value != default


def _text(value: Any) -> str:
    """The value as the library's rules name it; "" where they name none."""
    return (
        str(value).strip() if isinstance(value, (str, numbers.Number)) and value is not True else ""
    )


def refuse_useless(operation: str, defaults: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Raises ValueError for arguments that do nothing, or that do not go together, by the rules that
    the library has for the operation. `defaults` are those of all parameters."""
    from ._library import ffi, lib, options, session, texts

    given = {name: _text(v) for name, v in arguments.items() if _is_set(v, defaults.get(name))}
    if given.get("peel"):  # peel=5
        given["peel-max"] = given["peel"]
    names = [*defaults, *(given.keys() - defaults.keys())]
    fallback = [_text(v) if _is_set(v, None) else "" for v in map(defaults.get, names)]
    uses = options("spk_option_uses")
    kept = [texts(names), texts([given.get(name, "") for name in names]), texts(fallback)]
    uses.n, (uses.name, uses.value, uses.fallback) = len(names), (column for column, _ in kept)
    for k, name in enumerate(names):
        if name not in given:
            kept[1][0][k] = ffi.NULL
    uses.spelling = lib.SPK_SPELLING_PYTHON
    if lib.spk_operation_check(ffi.NULL, operation.encode(), uses) != 0:
        with session() as own:  # which holds the message
            own.call(lib.spk_operation_check, operation.encode(), uses)


def checked(
    operation: str | None = None, **kinds: Kind
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """The function, which raises TypeError or ValueError for arguments of another kind, and
    ValueError for those that would do nothing, by the rules of the library for the operation.
    `kinds` are those of this function alone."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        signature = inspect.signature(function)
        defaults = {name: p.default for name, p in signature.parameters.items()}
        kind_of = {name: k for name, k in {**KINDS, **kinds}.items() if name in defaults}
        others = [n for n, p in signature.parameters.items() if p.kind is p.VAR_KEYWORD]

        @functools.wraps(function)
        def checking(*args: P.args, **kwargs: P.kwargs) -> Result:
            arguments = signature.bind(*args, **kwargs).arguments
            for name, value in arguments.items():
                if name in kind_of and (value is not None or defaults[name] is not None):
                    kind_of[name].check(name, value)
            if operation is not None:
                flat = dict(arguments)
                for name in others:
                    flat.update(flat.pop(name, {}))
                refuse_useless(operation, defaults, flat)
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
