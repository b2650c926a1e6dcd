"""A search in either language, for what is done with both: comparing and calibrating."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from . import _episodes, _patterns
from ._analysis import Analysis
from ._episodes import Episodes
from ._exact import Exact
from ._library import Session
from ._patterns import Patterns, Windows
from ._recording import Recording

if TYPE_CHECKING:
    from ._operations import CalibrateArguments, CompareArguments


class Search:
    """What is searched for: delays and a support, or a bin and a window."""

    def __init__(self, arguments: CalibrateArguments | CompareArguments) -> None:
        a = self.arguments = arguments
        if (a.delays is None) == (a.bin is None):
            raise TypeError("give delays and support for episodes, or bin and window for patterns")
        if a.delays is not None and a.support is None:
            raise TypeError("support is missing: the smallest count, a share, or 'auto'")
        if a.bin is not None and a.window is None:
            raise TypeError("window is missing: how many bins")

    def open(
        self, own: Session, recording: Recording, exact: Exact | None
    ) -> OpenEpisodes | OpenPatterns:
        """The options in the form of the library."""
        a = self.arguments
        if a.delays is not None:
            return OpenEpisodes(recording, *_episodes.search_options(own, recording, a, exact))
        return OpenPatterns(*_patterns.search_options(own, recording, a, exact))


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
