"""Surrogates: copies of a recording in which spikes were moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._library import Handle, Time, ffi, lib, members, options, session
from ._recording import Recording, as_recording

if TYPE_CHECKING:
    from ._operations import SurrogatesArguments

_OTHERS = ("edges", "n_bins", "alternate", "use_sqrt", "fast", "cutoff")


def surrogate_methods() -> dict[str, dict[str, str]]:
    """All methods by name: summary, null hypothesis, what is kept, source, known failures."""
    found = {}
    for k in range(lib.spk_surrogate_method_count()):
        method = lib.spk_surrogate_method_get(k)
        fields = ("summary", "null_hypothesis", "keeps", "source", "warning")
        found[ffi.string(method.name).decode()] = members(method, *fields)
    return found


def intervals_of(a: Any) -> dict[str, Any]:
    """What methods keep of intervals and edges, from the arguments of a function."""
    return {name: getattr(a, name) for name in ("refractory", "truncation", "sigma", *_OTHERS)}


def surrogate_options(method: str, dither: Time, seed: int, others: dict[str, Any]) -> Any:
    """Options in the form of the library."""
    return options("spk_surrogate_options", method=method, dither=dither, seed=seed, **others)


def run_surrogates(a: SurrogatesArguments) -> Iterator[Recording]:
    """Makes surrogates number first .. first + n - 1 of a recording, one after the other.

    Returns an iterator of Recordings. Raises TypeError, ValueError, OutOfMemoryError. Source:
    docs/reference/surrogates.md.
    """
    recording = as_recording(a.recording)
    others = {"bin": a.bin, "history": a.history, **intervals_of(a)}
    with session() as own:
        o = surrogate_options(a.method, a.dither, a.seed, others)
        made = own.run_to_make(lib.spk_surrogates_create, recording._pointer, o, owner=recording)
    return _make(recording, made, int(a.first), int(a.n))


def _make(recording: Recording, made: Handle, first: int, n: int) -> Iterator[Recording]:
    for k in range(first, first + n):
        with session() as own:
            one = own.run_to_make(lib.spk_surrogates_make, made.pointer, k)
            yield Recording._of(own, one, recording.name)
