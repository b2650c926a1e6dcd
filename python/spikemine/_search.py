"""A search in either language, for what is done with both: comparing and calibrating."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _episodes, _patterns
from ._analysis import Analysis
from ._choose import Auto
from ._episodes import Delays, Episodes
from ._library import Session, Time
from ._patterns import Patterns, Windows
from ._recording import Recording
from ._rules import default_of

# Limits that a search may have; their defaults are those of episodes() and patterns().
OF_EPISODES = ("max_size",)
OF_PATTERNS = ("min_occurrences", "min_spikes", "max_spikes", "max_occurrences", "min_neurons")


@dataclasses.dataclass(frozen=True)
class Search:
    """What is searched for: delays and a support, or a bin and a window."""

    delays: Delays | None
    support: int | str | None
    bin: Time | None
    window: int | None
    engine: str
    gpus: int
    others: dict[str, Any]  # limits, as episodes() and patterns() have them

    def __post_init__(self) -> None:
        if (self.delays is None) == (self.bin is None):
            raise TypeError("give delays and support for episodes, or bin and window for patterns")
        if self.delays is not None and self.support is None:
            raise TypeError("support is missing: the smallest count, a share, or 'auto'")
        if self.bin is not None and self.window is None:
            raise TypeError("window is missing: how many bins")
        known = OF_EPISODES if self.delays is not None else OF_PATTERNS
        for name in self.others:
            if name not in known:
                raise TypeError(f"there is no option {name!r} here; there are {', '.join(known)}")

    def open(
        self, own: Session, recording: Recording, chance: Any, seed: int
    ) -> OpenEpisodes | OpenPatterns:
        """The options in the form of the library."""
        if self.delays is not None and self.support is not None:
            o, info = _episodes.search_options(
                own,
                recording,
                self.delays,
                self.support,
                self.others.get("max_size", default_of("episodes()", "max_size")),
                self.engine,
                self.gpus,
                chance,
                seed,
            )
            return OpenEpisodes(recording, o, info)
        limits = {n: self.others.get(n, default_of("patterns()", n)) for n in OF_PATTERNS}
        windows, o, support = _patterns.search_options(
            own,
            recording,
            self.bin,
            self.window or 0,
            limits["min_occurrences"],
            limits["min_spikes"],
            limits["max_spikes"],
            limits["max_occurrences"],
            limits["min_neurons"],
            self.engine,
            self.gpus,
            Auto(chance is not None, chance, seed),
        )
        return OpenPatterns(windows, o, support)


@dataclasses.dataclass
class OpenEpisodes:
    """A search for episodes in the form of the library."""

    recording: Recording
    options: Any
    info: dict[str, Any]

    def put_alone(self, job: Analysis) -> None:
        """Into an analysis that has no test of its own."""
        job.options.episodes = self.options

    def rows(self, job: Analysis) -> Episodes:
        """The rows of an analysis that ran."""
        found = _episodes.rows_of(job, int(self.options.support))
        found.info.update(self.info)
        return found

    def put_into(self, exact: Any) -> None:
        """Into the options of a test."""
        exact.episodes = self.options


@dataclasses.dataclass
class OpenPatterns:
    """A search for patterns in the form of the library."""

    windows: Windows
    options: Any
    support: Any

    def put_alone(self, job: Analysis) -> None:
        """Into an analysis that has no test of its own."""
        _patterns.put_alone(job, self.windows, self.options)

    def rows(self, job: Analysis) -> Patterns:
        """The rows of an analysis that ran."""
        return _patterns.rows_of(job, self.windows, self.support)

    def put_into(self, exact: Any) -> None:
        """Into the options of a test."""
        exact.windows, exact.patterns = self.windows.options, self.options
