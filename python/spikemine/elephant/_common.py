"""What all parts of the drop-in share: its warning, renamed arguments, seeds and checks."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

# Where Elephant 1.2.1 errs; docs/how-to/come-from-elephant.md has the same numbers.
ROWS = {
    1: "the reduction took spikes of two neurons for one, because it shifts item numbers",
    2: "a signature was not tested, because its neighbour with one more occurrence was observed too",
    3: "a count above 32767 emptied the p-value spectrum of its size",
    4: "a p-value of 0 was given, though few surrogates cannot show one below 1 / (surrogates + 1)",
    5: "`dt` was ignored: spikes move by up to 15 ms, unless `dither` is given",
    6: "t_start was added twice to the windows of jitter_spikes",
    8: "bins or displacements were rounded down by an error of floating point",
    9: "surrogates occupy fewer bins than the spike trains, which makes false positives",
    10: "the matrix of windows and spikes is dense and large",
    11: "max_occ was not applied to the patterns",
}


class SpikemineElephantWarning(UserWarning):
    """A result is Elephant's, and it would differ without one of Elephant's errors.

    Attributes
    ----------
    row : number of the error in docs/how-to/come-from-elephant.md
    """

    def __init__(self, row: int, detail: str = "") -> None:
        self.row = row
        text = f"row {row}: {ROWS[row]}{detail}; corrected=True gives the result without this error"
        super().__init__(text)


def warn(row: int, detail: str = "") -> None:
    """Says that an error of Elephant changed the result, at the line that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__):
        frame, level = frame.f_back, level + 1
    warnings.warn(SpikemineElephantWarning(row, detail), stacklevel=level)


def renamed(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accepts old names of arguments, old="new", with a DeprecationWarning, as Elephant does."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in names.items():
                if old in kwargs:
                    warnings.warn(
                        f"'{old}' is deprecated; use '{new}'", DeprecationWarning, stacklevel=2
                    )
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate


def seed_of(seed: int | None) -> int:
    """The seed itself; without one a draw from numpy, so that numpy.random.seed repeats results."""
    return int(np.random.randint(0, 2**62)) >> 9 if seed is None else seed


def is_train(value: Any) -> bool:
    """Whether this is a neo.SpikeTrain."""
    import neo

    return isinstance(value, neo.SpikeTrain)


def quantity(value: Any, what: str) -> Any:
    """A pq.Quantity; a text such as "15 ms", which only defaults are, becomes one."""
    import quantities as pq

    if isinstance(value, str):
        number, unit = value.split()
        return float(number) * getattr(pq, unit)
    if not isinstance(value, pq.Quantity):
        raise TypeError(f"{what} must be a pq.Quantity, such as 5 * pq.ms")
    return value
