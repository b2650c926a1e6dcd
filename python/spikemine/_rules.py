"""Arguments of public functions: what each must be, and which go together. The rules for the latter
are those of the command's options, in the library."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import itertools
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


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real)


def whole(least: int, most: int) -> Kind:
    return Kind(
        lambda v: _is_number(v) and v == v // 1 and least <= v <= most,
        f"a whole number from {least} to {most}",
    )


def real(least: float, most: float) -> Kind:
    return Kind(
        lambda v: _is_number(v) and least <= v <= most,
        f"a number from {least:g} to {most:g}",
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
    **dict.fromkeys(("reconnect", "worker", "wait", "keep_up", "sort"), FLAG),
    **dict.fromkeys(("engine", "select", "format", "title"), TEXT),
    **dict.fromkeys(("labels", "delays", "segments", "sets"), SEVERAL),
    **dict.fromkeys(("gpus", "threads"), whole(0, 2**31 - 1)),
    "max_memory": whole(0, 2**64 - 1),
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
    if value is None or (value is False and default is not True):
        return False
    return bool(default) or not isinstance(value, (int, float)) or value != default


def _text(value: Any) -> str:
    """The value as the library's rules name it; "" where they name none."""
    return (
        str(value).strip() if isinstance(value, (str, numbers.Number)) and value is not True else ""
    )


class _Uses:
    """Arguments of a call in the form of the library; `defaults` are those of all parameters."""

    def __init__(self, defaults: dict[str, Any], arguments: dict[str, Any]) -> None:
        from ._library import ffi, lib, options, texts

        self.given = {n: _text(v) for n, v in arguments.items() if _is_set(v, defaults.get(n))}
        if self.given.get("peel"):  # peel=5
            self.given["peel-max"] = self.given["peel"]
        jitter = arguments.get("jitter")
        if isinstance(jitter, (list, tuple)) and len(jitter) > 1:
            self.given["jitter:several"] = ""
        self.names = [*defaults, *(self.given.keys() - defaults.keys())]
        fallback = [_text(v) if _is_set(v, None) else "" for v in map(defaults.get, self.names)]
        columns = self.names, [self.given.get(n, "") for n in self.names], fallback
        name, self.value, self.fallback = map(texts, columns)
        for k in range(len(self.names)):
            if self.names[k] not in self.given:
                self.value[k] = ffi.NULL
        lists = {"name": name, "value": self.value, "fallback": self.fallback}
        self.uses = options("spk_option_uses", n=len(self.names), **lists)
        self.uses.spelling = lib.SPK_SPELLING_PYTHON


def refuse_useless(operation: str, defaults: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Raises ValueError for arguments that do nothing, or that do not go together, by the rules that
    the library has for the operation."""
    from ._library import ffi, lib, session

    own = _Uses(defaults, arguments)
    if lib.spk_operation_check(ffi.NULL, operation.encode(), own.uses) != 0:
        with session() as of_message:
            of_message.call(lib.spk_operation_check, operation.encode(), own.uses)


def heeded(operation: str, defaults: dict[str, Any], arguments: dict[str, Any]) -> set[str]:
    """The parameters that say something of the result of a call that was checked: they are given, or
    could be, and are more than how the work is done."""
    from ._library import ffi, lib

    own = _Uses(defaults, arguments)
    value, fallback = own.value, own.fallback
    found = set()
    for k, name in enumerate(own.names):
        before = value[k]
        value[k] = fallback[k] if before == ffi.NULL else before
        if lib.spk_operation_check(ffi.NULL, operation.encode(), own.uses) == 0:
            found.add(name)
        value[k] = before
    return found - work_of(operation)


@functools.cache
def options_of(operation: str) -> dict[str, Any]:
    """What the library says of the options of an operation, by their names in it."""
    from ._library import ffi, lib

    listed = (lib.spk_operation_option(operation.encode(), k) for k in itertools.count())
    options = itertools.takewhile(lambda option: option != ffi.NULL, listed)
    return {ffi.string(o.name).decode().replace("-", "_"): o for o in options}


def kinds_of(operation: str) -> dict[str, Kind]:
    """What the numbers, choices and flags of an operation must be."""
    from ._library import ffi, lib

    found = {}
    for name, option in options_of(operation).items():
        if option.kind == lib.SPK_OPTION_INTEGER:
            found[name] = whole(int(option.minimum), int(option.maximum))
        elif option.kind == lib.SPK_OPTION_NUMBER:
            found[name] = real(option.minimum, option.maximum)
        elif option.kind == lib.SPK_OPTION_FLAG:
            found[name] = FLAG
        elif option.kind == lib.SPK_OPTION_CHOICE:
            names = ffi.string(option.argument).decode().split("|")
            found[name] = choice(*(None if n == "none" else n for n in names))
    return found


@functools.cache
def synonyms_of(operation: str) -> dict[str, str]:
    """The parameters by other names of them, which are accepted and told nowhere."""
    from ._library import ffi

    named = {name: option.synonym for name, option in options_of(operation).items()}
    return {
        ffi.string(synonym).decode().replace("-", "_"): name
        for name, synonym in named.items()
        if synonym != ffi.NULL
    }


def _by_name(operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Keywords, each by the parameter's own name."""
    names = synonyms_of(operation)
    for synonym in names.keys() & arguments.keys():
        if names[synonym] in arguments:
            raise TypeError(f"{synonym} is {names[synonym]}; give one of them")
    return {names.get(name, name): value for name, value in arguments.items()}


def work_of(operation: str) -> set[str]:
    """The parameters that never change a result."""
    return {name for name, option in options_of(operation).items() if option.work}


# What people pass to a function that has it not, and where it belongs: a search takes a Recording.
BELONGS_TO = {
    "units": "rec.select(units) leaves these units of a recording",
    "start": "rec.slice(start, stop) is a part of a recording",
    "stop": "rec.slice(start, stop) is a part of a recording",
    "trials": "rec.cut(trials) cuts a recording",
    "sort": "sm.read(path, sort=True) puts times in order",
}


def _refuse_unknown(function: Any, known: Iterable[str], given: Iterable[str]) -> None:
    """Raises TypeError for a name that the function has not, before one that is missing is told."""
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            hint = f"; {BELONGS_TO[name]}" if name in BELONGS_TO else hint
            where = function.__qualname__.removesuffix(".__init__")
            raise TypeError(f"{where}() has no argument {name!r}{hint}")


# What a missing argument is given as.
GIVEN_AS = {
    "delays": "such as delays=['0:10ms'] (sm.suggest(recording) and sm.explore(recording) find some)",
    "support": "a number, a share such as support='0.1%', or 'auto'",
    "bin": "such as bin='5ms'",
    "window": "in bins, such as window=20",
}


def _refuse_missing(function: Any, signature: inspect.Signature, given: Iterable[str]) -> None:
    """Raises TypeError where arguments without a default are not given; it names all of them."""
    missing = [
        f"{name}, {GIVEN_AS[name]}" if name in GIVEN_AS else name
        for name, p in signature.parameters.items()
        if p.default is p.empty and p.kind is not p.VAR_KEYWORD and name not in given
    ]
    if missing:
        where = function.__qualname__.removesuffix(".__init__")
        raise TypeError(f"{where}() needs {'; and '.join(missing)}")


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
        passes_on = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())

        @functools.wraps(function)
        def checking(*args: P.args, **kwargs: P.kwargs) -> Result:
            named = kwargs if operation is None else _by_name(operation, kwargs)
            if not passes_on:
                _refuse_unknown(function, defaults, named)
            _refuse_missing(function, signature, signature.bind_partial(*args, **named).arguments)
            arguments = signature.bind(*args, **named).arguments
            for name, value in arguments.items():
                if name in kind_of and (value is not None or defaults[name] is not None):
                    kind_of[name].check(name, value)
            if operation is not None:
                refuse_useless(operation, defaults, arguments)
            return function(*args, **named)

        return checking

    return decorate


def warn(text: str) -> None:
    """A warning at the user's line, however many of our functions lie between."""
    folder = os.path.dirname(__file__)
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(folder):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
