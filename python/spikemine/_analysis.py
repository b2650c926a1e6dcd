"""Analyses of the library: a job in its form, and the rows that it leaves."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ._library import Handle, Session, copy_of, ffi, fill, lib, options, sentences
from ._results import Table, check_count

REPORTS = ("significant", "core", "all")
SELECTION = ("min_size", "distinct_units", "top", "maximal", "closed")
STATUS_INTERNAL = 10
WORDS = re.compile(r'"(?:[^"]|"")*"|[^ ]+')  # labels as they stand in a text
PLAIN = re.compile(r'[^\s#"()\[\],\x00-\x1f][^\s"()\[\],\x00-\x1f]*')  # labels without quotes


class Rows:
    """What an analysis of the library found."""

    def __init__(self, recording: Any, handle: Handle, columns: Any) -> None:
        self.recording, self.handle, self.columns = recording, handle, columns

    def sentences(self) -> tuple[str, ...]:
        """What the test found, as the command tells it."""
        return sentences(lib.spk_analysis_tell, self.columns, lib.SPK_SPELLING_PYTHON)

    def finish(self, found: Table[Any]) -> None:
        """Puts in what a search with or without a test says of its rows."""
        self.put_families(found)

    def put_families(self, found: Table[Any]) -> None:
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
            [" ".join(names[u] for u in copy_of(f.unit, f.n_units)) for f in families],
            str,
        )


class Analysis(Rows):
    """A job in the form of the library, and what it found."""

    def __init__(
        self, own: Session, recording: Any, report: str = "all", arguments: Any = None
    ) -> None:
        """`arguments` of a function say which rows are left; it may lack some of them."""
        handle = own.make(lib.spk_analysis_create)
        super().__init__(recording, handle, lib.spk_analysis_columns_of(handle.pointer))
        self.own = own
        chosen = {name: getattr(arguments, name, None) for name in SELECTION}
        order = getattr(arguments, "order", "p")
        self.options = options(
            "spk_analysis_options",
            report=REPORTS.index(report),
            select=options("spk_select_options", **chosen),
            families=getattr(arguments, "families", None),
            order=None if order == "p" else order,  # None: the test's own
        )
        self._failed: list[BaseException] = []

    def take_maxima(self, maxima: Handle) -> None:
        """Surrogates that were made before."""
        fill(self.options, maxima=maxima)

    def peel(self, rounds: bool | int, take: Callable[[Any], None]) -> None:
        """Peels, at most so many rounds. `take` gets each round that accepts something, while its
        memory lives. The options keep the callback, which hence must not lead back to them."""
        failed = self._failed

        @ffi.callback("spk_peel_sink")  # type: ignore[untyped-decorator]
        def sink(_user: Any, found: Any) -> int:
            try:
                if found.episode != ffi.NULL or found.pattern != ffi.NULL:
                    take(found)
            except Exception as error:  # noqa: BLE001 - goes on to the caller of run
                failed.append(error)
                return STATUS_INTERNAL
            return 0

        most = 0 if rounds is True else check_count("peel", rounds, 1)
        fill(self.options, peel=True, round=sink, max_rounds=most)

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

    def finish(self, found: Table[Any]) -> None:
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
