"""Analyses of the library: a job in its form, and the rows that it leaves."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ._library import Handle, Session, ffi, lib, options, sentences
from ._results import Table, check_count, copy_of

REPORTS = ("significant", "core", "all")
STATUS_INTERNAL = 10
WORDS = re.compile(r'"(?:[^"]|"")*"|[^ ]+')  # labels as they stand in a text
PLAIN = re.compile(r'[^\s#"()\[\],\x00-\x1f][^\s"()\[\],\x00-\x1f]*')  # labels without quotes


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which rows are left, as `episodes` has it."""

    min_size: int = 0
    distinct_units: int = 0
    maximal: bool = False
    closed: bool = False
    top: int = 0
    families: bool = False
    order: str = "p"

    @classmethod
    def of(cls, arguments: Any) -> Selection:
        """That of a function, which may lack some of them."""
        fields = [field.name for field in dataclasses.fields(cls)]
        return cls(**{name: value for name, value in vars(arguments).items() if name in fields})


class Rows:
    """What an analysis of the library found."""

    def __init__(self, recording: Any, handle: Handle, columns: Any) -> None:
        self.recording, self.handle, self.columns = recording, handle, columns

    def sentences(self) -> tuple[str, ...]:
        """What the test found, as the command tells it."""
        return sentences(lib.spk_analysis_tell, self.columns, lib.SPK_SPELLING_PYTHON)

    def finish(self, found: Table) -> None:
        """Puts in what a search with or without a test says of its rows."""
        self.put_families(found)

    def put_families(self, found: Table) -> None:
        """Columns of the families whose best members the rows are, as the command has them."""
        if self.columns.families == ffi.NULL:
            return
        families = [self.columns.families.family[k] for k in range(len(found))]
        names = [quoted(label) for label in found.recording.labels]
        found.columns["members"] = np.array([f.n_members for f in families], np.uint64)
        found.columns["family_occurrences"] = np.array(
            [f.n_occurrences for f in families], np.uint64
        )
        found.columns["family_units"] = np.array(
            [" ".join(names[u] for u in copy_of(f.unit, np.uint32, f.n_units)) for f in families],
            str,
        )


class Analysis(Rows):
    """A job in the form of the library, and what it found."""

    def __init__(
        self, own: Session, recording: Any, report: str = "all", selection: Selection = Selection()
    ) -> None:
        if report not in REPORTS:
            raise ValueError(f"report={report!r}: must be one of {', '.join(REPORTS)}")
        handle = own.make(lib.spk_analysis_create)
        super().__init__(recording, handle, lib.spk_analysis_columns_of(handle.pointer))
        self.own = own
        self.options = options("spk_analysis_options")
        self.options.report = REPORTS.index(report)
        chosen = options("spk_select_options")
        for field in ("min_size", "distinct_units", "top"):
            setattr(chosen, field, check_count(field, getattr(selection, field)))
        chosen.maximal, chosen.closed = selection.maximal, selection.closed
        self.options.select, self.options.families = chosen, selection.families
        self.kept: list[Any] = [chosen]  # what the options point to
        if selection.order != "p":  # the test's own
            self.kept.append(ffi.new("char[]", selection.order.encode()))
            self.options.order = self.kept[-1]
        self._failed: list[BaseException] = []

    def take_maxima(self, maxima: Handle) -> None:
        """Surrogates that were made before."""
        self.kept.append(maxima)
        self.options.maxima = maxima.pointer

    def peel(self, rounds: bool | int, take: Callable[[Any], None]) -> None:
        """Peels, at most so many rounds. `take` gets each round that accepts something, while its
        memory lives."""

        @ffi.callback("spk_peel_sink")  # type: ignore[untyped-decorator]
        def sink(_user: Any, found: Any) -> int:
            try:
                if found.episode != ffi.NULL or found.pattern != ffi.NULL:
                    take(found)
            except Exception as error:  # noqa: BLE001 - goes on to the caller of run
                self._failed.append(error)
                return STATUS_INTERNAL
            return 0

        self.kept.append(sink)
        self.options.peel, self.options.round = True, sink
        self.options.max_rounds = 0 if rounds is True else check_count("peel", rounds, 1)

    def run(self) -> None:
        """Runs it; the columns have its rows then."""
        analysis = self.handle.pointer
        try:
            self.own.run(
                lambda _context, *job: lib.spk_analysis_run(analysis, *job),
                self.recording._pointer,
                self.options,
            )
        except Exception:
            if self._failed:
                raise self._failed[0] from None
            raise

    def finish(self, found: Table) -> None:
        super().finish(found)
        found.info["notes"] = tuple(self.own.notes)

    def make_maxima(self) -> Handle:
        """The surrogates of its test, or of a shard of it."""
        job = self.recording._pointer, self.options
        return self.own.run_to_make(lib.spk_analysis_make_maxima, *job)


def quoted(label: str) -> str:
    """A label as it stands in the text form of an episode."""
    if PLAIN.fullmatch(label):
        return label
    text = label.replace("\\", "\\\\").replace('"', '""').replace("\t", "\\t")
    return '"' + text.replace("\n", "\\n").replace("\r", "\\r") + '"'
