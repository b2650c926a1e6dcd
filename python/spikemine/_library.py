"""The C library: where it lies, its errors, contexts, and arrays that look into its memory."""

from __future__ import annotations

import contextlib
import decimal
import fractions
import functools
import logging
import math
import os
import pathlib
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _binding
from ._rules import KINDS
from ._spelling import in_python

ffi: Any = _binding.ffi
log = logging.getLogger("spikemine")

# ---- the library itself ----------------------------------------------------------------------


def _find_library() -> str:
    """The library beside this file, or where SPIKEMINE_LIBRARY says."""
    named = os.environ.get("SPIKEMINE_LIBRARY")
    if named:
        return named
    folder = pathlib.Path(__file__).parent
    for pattern in ("libspikemine.so.*", "libspikemine.so", "libspikemine*.dylib"):
        found = sorted(folder.glob(pattern))
        if found:
            return str(found[0])
    raise ImportError(
        f"spikemine: no libspikemine in {folder}; install the package again (pip install .), or "
        "set SPIKEMINE_LIBRARY to the file"
    )


def _open_library() -> Any:
    path = _find_library()
    try:
        library = ffi.dlopen(path)
    except OSError as error:
        raise ImportError(f"spikemine: {path} cannot be opened: {error}") from error
    version = ffi.string(library.spk_version()).decode()
    if version != _binding.VERSION:
        raise ImportError(
            f"spikemine: the package is of version {_binding.VERSION}, the library {path} of "
            f"version {version}; install both from one source"
        )
    return library


lib: Any = _open_library()
version: str = _binding.VERSION

# ---- errors ----------------------------------------------------------------------------------


class SpikemineError(Exception):
    """What the library says went wrong: place, cause and remedy."""


class ArgumentError(SpikemineError, ValueError):
    """An argument that makes no sense."""


class OutOfMemoryError(SpikemineError, MemoryError):
    """There is not enough memory, or the limit does not allow it."""


class FileError(SpikemineError, OSError):
    """A file cannot be read or written."""


class FormatError(SpikemineError, ValueError):
    """Input that is not in the expected format."""


class RangeError(SpikemineError, ValueError):
    """A number outside its range."""


class OrderError(SpikemineError, ValueError):
    """Times that go backwards."""


class UnavailableError(SpikemineError, RuntimeError):
    """Not available in this build or on this machine."""


class UnsupportedError(SpikemineError, NotImplementedError):
    """An engine or a format does not do this job."""


class CancelledError(SpikemineError):
    """The job was cancelled."""


class InternalError(SpikemineError, RuntimeError):
    """An error of the library: please report it."""


class DeviceError(SpikemineError, RuntimeError):
    """A GPU failed."""


_ERRORS: dict[int, type[SpikemineError]] = {
    1: ArgumentError,
    2: OutOfMemoryError,
    3: FileError,
    4: FormatError,
    5: RangeError,
    6: OrderError,
    7: UnavailableError,
    8: UnsupportedError,
    9: CancelledError,
    10: InternalError,
    11: DeviceError,
    12: FileError,
}

# ---- contexts --------------------------------------------------------------------------------

Progress = bool | Callable[[str, int, int], None] | None


def new_file(path: str | os.PathLike[str], force: bool) -> bytes:
    """The name of a file to write. Like the command it takes the place of no file unasked."""
    if not force and os.path.isfile(path):
        raise FileError(
            f"{os.fspath(path)}: exists already; choose another name, or pass force=True to "
            "replace it"
        )
    return os.fsencode(path)


def _tqdm_progress() -> tuple[Callable[[str, int, int], None], Callable[[], None]]:
    """Shows progress by tqdm; what is being done becomes a bar of its own. Steps are shares of the
    work of any size, hence there is a percentage, and no number of them a second."""
    from tqdm.auto import tqdm

    bars: dict[str, Any] = {}

    def show(what: str, done: int, total: int) -> None:
        if what not in bars:
            close()
            form = (
                "{percentage:3.0f} %|{bar}| {elapsed}<{remaining}" if total else "{n:,} {elapsed}"
            )
            bars[what] = tqdm(total=total or None, desc=what, bar_format="{desc}: " + form)
        bars[what].n = done
        bars[what].refresh()

    def close() -> None:
        for bar in bars.values():
            bar.close()
        bars.clear()

    return show, close


class Session:
    """A context of the library for one call from Python."""

    def __init__(
        self, threads: int = 0, max_memory: int | None = None, progress: Progress = None
    ) -> None:
        KINDS["threads"].check("threads", threads)
        if max_memory is not None:
            KINDS["max_memory"].check("max_memory", max_memory)
        if progress is not None:
            KINDS["progress"].check("progress", progress)
        self.notes: list[str] = []
        self._callbacks: list[Any] = []
        self._close_progress: Callable[[], None] | None = None
        self._failed: BaseException | None = None  # what a progress function raised
        out = ffi.new("spk_context **")
        if lib.spk_context_create(out) != 0:
            raise OutOfMemoryError("no memory for a context")
        self.context = ffi.gc(out[0], lib.spk_context_free)
        lib.spk_context_set_threads(self.context, threads)
        if max_memory is None:
            lib.spk_context_set_default_memory_limit(self.context)
        else:
            lib.spk_context_set_memory_limit(self.context, max_memory)
        self._listen(progress)

    def _listen(self, progress: Progress) -> None:
        @ffi.callback("spk_note_fn")  # type: ignore[untyped-decorator]
        def note(_user: Any, text: Any) -> None:
            self.notes.append(in_python(ffi.string(text).decode(errors="replace")))

        self._callbacks.append(note)
        lib.spk_context_set_note(self.context, note, ffi.NULL)
        if not progress:
            return
        if progress is True:
            try:
                show, self._close_progress = _tqdm_progress()
            except ImportError:
                return
        else:
            show = progress

        @ffi.callback("spk_progress_fn")  # type: ignore[untyped-decorator]
        def forward(_user: Any, what: Any, done: int, total: int) -> None:
            try:
                show(ffi.string(what).decode(errors="replace"), done, total)
            except BaseException as error:  # noqa: BLE001 - the call is cancelled, and raises it
                self._failed = self._failed or error
                lib.spk_context_cancel(self.context)

        self._callbacks.append(forward)
        lib.spk_context_set_progress(self.context, forward, ffi.NULL)

    def close(self) -> None:
        """Ends notes and progress; what was made with the context may live on."""
        lib.spk_context_set_note(self.context, ffi.NULL, ffi.NULL)
        lib.spk_context_set_progress(self.context, ffi.NULL, ffi.NULL)
        self._callbacks.clear()
        if self._close_progress:
            self._close_progress()
        for note in self.notes:
            log.info("%s", note)

    def check(self, status: int) -> None:
        """Raises the error of a status, or what a progress function raised."""
        if self._failed is not None:
            raise self._failed
        if status == 0:
            return
        message = ffi.string(lib.spk_context_message(self.context)).decode(errors="replace")
        if not message:
            message = ffi.string(lib.spk_status_text(status)).decode()
        raise _ERRORS.get(status, SpikemineError)(in_python(message))

    def text(self, function: Any, *arguments: Any) -> str:
        """What a function that ends soon writes: function(context, ..., buffer, size)."""
        buffer = ffi.new("char[]", 400)
        self.call(function, *arguments, buffer, len(buffer))
        return in_python(ffi.string(buffer).decode(errors="replace"))

    def call(self, function: Any, *arguments: Any) -> None:
        """A call that ends soon: function(context, ...)."""
        self.check(function(self.context, *arguments))

    def run(self, function: Any, *arguments: Any) -> None:
        """A long call: function(context, ...). Ctrl-C cancels it."""
        if threading.current_thread() is not threading.main_thread():
            self.call(function, *arguments)
            return
        # Python's signal handlers run in this thread, between two of its steps. So another one
        # makes the call, and this one waits.
        status: list[int] = []
        worker = threading.Thread(
            target=lambda: status.append(function(self.context, *arguments)), daemon=True
        )
        worker.start()
        try:
            while worker.is_alive():
                worker.join(0.2)
        except BaseException:
            lib.spk_context_cancel(self.context)
            worker.join()
            raise
        self.check(status[0])

    def make(self, function: Any, *arguments: Any, owner: Any = None) -> Handle:
        """What function(context, ..., where it goes) makes soon; `owner` must live as long."""
        return self._made(self.call, function, arguments, owner)

    def run_to_make(self, function: Any, *arguments: Any, owner: Any = None) -> Handle:
        """The same by a long call."""
        return self._made(self.run, function, arguments, owner)

    def _made(self, call: Any, function: Any, arguments: tuple[Any, ...], owner: Any) -> Handle:
        out = ffi.new(ffi.typeof(function).args[-1])
        call(function, *arguments, out)
        return self.take(out, owner)

    def take(self, out: Any, owner: Any = None) -> Handle:
        """What a function of the library has put there, freed with its handle."""
        kind = ffi.typeof(out).item.item.cname.removeprefix("struct ")
        return Handle(out[0], getattr(lib, f"{kind}_free"), self.context, owner)


@contextlib.contextmanager
def session(
    threads: int = 0, max_memory: int | None = None, progress: Progress = None
) -> Iterator[Session]:
    """A session that is closed at the end."""
    own = Session(threads, max_memory, progress)
    try:
        yield own
    finally:
        own.close()


# ---- memory of the library -------------------------------------------------------------------


class Handle:
    """Something of the library, freed with the last reference to it or to one of its arrays."""

    def __init__(self, pointer: Any, free: Any, *owners: Any) -> None:
        self.pointer = ffi.gc(pointer, free)
        self._owners = owners  # what must live as long, such as the context

    @classmethod
    def borrow(cls, pointer: Any, *owners: Any) -> Handle:
        """Something that somebody else frees."""
        self = cls.__new__(cls)
        self.pointer, self._owners = pointer, owners
        return self

    def array(self, pointer: Any, *shape: int) -> npt.NDArray[Any]:
        """A read-only array over memory of the handle, without a copy."""
        kind = dtype_of(ffi.typeof(pointer).item)
        if int(np.prod(shape)) == 0:
            return np.zeros(shape, kind)
        view = _View(self, int(ffi.cast("uintptr_t", pointer)), kind, shape)
        return np.asarray(view)


class _View:
    """Tells numpy where memory lies, and keeps its owner alive."""

    def __init__(self, owner: Handle, address: int, dtype: np.dtype[Any], shape: Sequence[int]):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "typestr": dtype.str,
            "shape": tuple(shape),
        }


def pointer_to(array: npt.NDArray[Any], kind: Any) -> Any:
    """The memory of a contiguous array, which it keeps, NULL for none."""
    return ffi.from_buffer(kind, array) if array.size > 0 else ffi.NULL


def copy_of(pointer: Any, n: int) -> npt.NDArray[Any]:
    """A copy of a column of the library."""
    kind = dtype_of(ffi.typeof(pointer).item)
    if n == 0:
        return np.zeros(0, kind)
    return np.frombuffer(ffi.buffer(pointer, int(n) * kind.itemsize), kind).copy()


@functools.cache
def dtype_of(kind: Any) -> np.dtype[Any]:
    """The numpy dtype of a type of the library: a number, or a structure of them."""
    if kind.kind == "array":
        return np.dtype((dtype_of(kind.item), (kind.length,)))
    if kind.kind == "struct":
        names, fields = zip(*kind.fields)
        formats = [dtype_of(field.type) for field in fields]
        offsets, size = [field.offset for field in fields], ffi.sizeof(kind)
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
    others = {"double": "<f8", "float": "<f4", "bool": "?", "_Bool": "?"}
    sign = "u" if kind.cname.startswith("u") else "i"
    return np.dtype(others.get(kind.cname, f"<{sign}{ffi.sizeof(kind)}"))


# What structures point to, as long as they live.
KEPT: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()


def options(kind: str, **members: Any) -> Any:
    """Options of the library: these members, and defaults for the others."""
    out = ffi.new(f"{kind} *")
    getattr(lib, f"{kind}_init")(out, ffi.sizeof(kind))
    return fill(out, **members)


def struct(kind: str, **members: Any) -> Any:
    """A structure of the library with these members, zero but for them."""
    return fill(ffi.new(f"{kind} *"), **members)


def fill(out: Any, **members: Any) -> Any:
    """Puts values of Python into members of a structure, which keeps what they point to: numbers,
    texts and paths, times, arrays, lists of texts, other structures. None leaves a member as it is.
    """
    kinds = dict(ffi.typeof(out).item.fields)
    for name, value in members.items():
        if value is not None:
            made = _native(value, kinds[name].type, name)
            KEPT.setdefault(out, []).append((value, made))
            setattr(out, name, made)
    return out


def _native(value: Any, kind: Any, name: str) -> Any:
    """What a member of this type gets for a value."""
    if isinstance(value, Handle):
        return value.pointer
    if isinstance(value, ffi.CData):
        is_structure = kind.kind == "struct" and ffi.typeof(value).kind == "pointer"
        return value[0] if is_structure else value
    if "spk_duration" in kind.cname:
        time = duration(value, name)
        return time if kind.kind == "pointer" else time[0]
    if kind.kind != "pointer":
        return float(value) if kind.cname in ("double", "float") else int(value)
    if isinstance(value, np.ndarray):
        return pointer_to(np.ascontiguousarray(value, dtype_of(kind.item)), kind)
    if kind.item.cname == "char":
        text = os.fsencode(value) if isinstance(value, os.PathLike) else value
        return _text(text if isinstance(text, bytes) else str(text).encode(errors="replace"), name)
    return texts(value, name)


def members(value: Any, *names: str) -> dict[str, Any]:
    """These members of a structure, or all of them, as Python has numbers and texts."""
    found = {name: getattr(value, name) for name in names or dict(ffi.typeof(value).fields)}
    return {
        name: ffi.string(v).decode(errors="replace") if isinstance(v, ffi.CData) else v
        for name, v in found.items()
    }


def _text(value: bytes, what: str) -> Any:
    """A string of C, which ends at a zero byte."""
    if b"\0" in value:
        raise ValueError(f"{what}: {value.decode(errors='replace')!r} holds a zero byte")
    return ffi.new("char[]", value)


def texts(values: Sequence[str], what: str = "labels") -> Any:
    """A column of strings, which keeps them."""
    listed = [_text(value.encode(), what) for value in values]
    column = ffi.new("const char *[]", listed)
    KEPT[column] = listed
    return column


def sentences(tell: Any, *arguments: Any) -> tuple[str, ...]:
    """What a function of the library tells to its sink, which comes last."""
    told: list[str] = []

    @ffi.callback("spk_sentence_sink")  # type: ignore[untyped-decorator]
    def sink(_user: Any, text: Any) -> int:
        told.append(in_python(ffi.string(text).decode(errors="replace")))
        return 0

    with session(max_memory=0) as own:
        own.check(tell(*arguments, sink, ffi.NULL))
    return tuple(told)


# ---- times -----------------------------------------------------------------------------------

Time = Any  # "5ms", seconds as a number, or a quantity with a unit of time


def time_text(value: Time, what: str = "a time") -> str:
    """A time as the library reads it: "5ms" stays, 0.005 and quantities become seconds."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        raise TypeError(f"{what}: {value!r} is no time; write '5ms', or seconds as a number")
    unit = "s"
    dimension = getattr(value, "dimensionality", None)
    if dimension is not None:  # quantities: the number as it was written, exactly
        name = dimension.string
        if name not in ("s", "ms", "us", "ns"):
            value = value.rescale("s")
        else:
            unit = name
        value = value.item()
    if isinstance(value, fractions.Fraction):
        return f"{value.numerator}/{value.denominator}s"
    if isinstance(value, decimal.Decimal):
        return f"{value}{unit}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{what}: {value!r} is no time; write '5ms', or seconds as a number"
        ) from None
    if math.isnan(number):
        raise ValueError(f"{what}: NaN is no time")
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    return f"{number!r}{unit}" if not isinstance(value, (int, np.integer)) else f"{value}{unit}"


def duration(value: Time, what: str) -> Any:
    """A spk_duration."""
    out = ffi.new("spk_duration *")
    text = time_text(value, what).encode()
    if lib.spk_duration_parse(ffi.NULL, text, len(text), out) == 0:
        return out
    with session(max_memory=0) as of_message:
        try:
            of_message.call(lib.spk_duration_parse, text, len(text), out)
        except (FormatError, RangeError) as error:
            raise ArgumentError(f"{what}: {error}") from None
    return out


def durations(values: Any, what: str) -> tuple[Any, int]:
    """A column of durations from one time or several."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    column = ffi.new("spk_duration[]", len(listed))
    for k, value in enumerate(listed):
        column[k] = duration(value, what)[0]
    return column, len(listed)


def duration_text(value: Any) -> str:
    """The shortest exact form: "5ms"."""
    buffer = ffi.new("char[]", 64)
    lib.spk_duration_format(value, buffer, 64)
    return str(ffi.string(buffer).decode())


def duration_exact(value: Any) -> fractions.Fraction:
    """Seconds; not of an infinite duration."""
    digits, exponent, divisor = int(value.digits), int(value.exponent), int(value.divisor) or 1
    above, below = 10 ** max(exponent, 0), 10 ** max(-exponent, 0)
    return fractions.Fraction(digits * above, divisor * below)


def duration_seconds(value: Any) -> float:
    """Seconds in floating point."""
    return float("inf") if value.exponent == 2**31 - 1 else float(duration_exact(value))


def samples_of(time_unit: str, rate: Any) -> tuple[str, Any]:
    """A unit of time and its rate, which "samples@30000" says both."""
    name, _, told = time_unit.partition("@")
    return (name, told) if name == "samples" and told and rate is None else (time_unit, rate)


def rate_of(own: Session, value: Any) -> Any:
    """A spk_rate from samples a second: a number, a fraction, a text or a quantity."""
    if getattr(value, "dimensionality", None) is not None:
        value = value.rescale("Hz").item()
    if isinstance(value, fractions.Fraction):
        value = f"{value.numerator}/{value.denominator}"
    text = (value if isinstance(value, str) else repr(value)).encode()
    if isinstance(value, (float, np.floating)):
        text = format(decimal.Decimal(repr(float(value))), "f").encode()
    elif isinstance(value, (int, np.integer)):
        text = str(int(value)).encode()
    out = ffi.new("spk_rate *")
    own.call(lib.spk_rate_parse, text, len(text), out)
    return out[0]
