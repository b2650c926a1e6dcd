"""A first look at a recording: delays, test and whole sequences in one job that keeps to a time."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _pictures, _show
from ._analysis import Rows
from ._episodes import Episodes, rows_of
from ._exact import Exact
from ._library import Handle, duration_text, ffi, lib, options, session
from ._recording import Recording, as_recording
from ._report import write_report
from ._sequences import Sequences, sequences_of
from ._suggest import settings_of, text_of

if TYPE_CHECKING:
    from ._operations import ExploreArguments

TOPICS = {  # in the order of the library, with the heading of each; "": it goes on
    "doubt": "check this first",
    "recording": "the recording",
    "sequences": "what was found",
    "sequence": "",
    "test": "what was found",
    "episode": "",
    "caution": "what to be careful about",
    "left_out": "left out for lack of time",
    "method": "how it was tested",
}


class Exploration:
    """What a first look found.

    Attributes
    ----------
    recording : Recording
    episodes : Episodes, the significant ones that no part of them explains, of families the best;
        None where the test did not end in time
    sequences : Sequences; None where the search did not end in time
    sentences : tuple of (topic, text); topics are doubt, recording, sequences, sequence, test,
        episode, caution, left_out, method
    calls : tuple of texts; calls that give the same results again, with the recording as `rec`
    left_out : tuple of texts; what the time did not suffice for
    """

    def __init__(
        self,
        recording: Recording,
        episodes: Episodes | None,
        sequences: Sequences | None,
        sentences: Sequence[tuple[str, str]],
        calls: Sequence[str],
    ) -> None:
        self.recording = recording
        self.episodes, self.sequences = episodes, sequences
        self.sentences, self.calls = tuple(sentences), tuple(calls)

    @property
    def left_out(self) -> tuple[str, ...]:
        return self._texts("left_out")

    def summary(self) -> str:
        """What was found, in sentences, and the calls that give it again."""
        lines: list[str] = []
        for heading, texts in self._parts():
            lines += [f"{heading}:", *(f"  {text}" for text in texts), ""]
        return "\n".join(lines).rstrip()

    def _parts(self) -> list[tuple[str, list[str]]]:
        """Headings with their sentences."""
        parts: list[tuple[str, list[str]]] = []
        for topic, text in self.sentences:
            heading = TOPICS[topic]
            if heading and (not parts or parts[-1][0] != heading):
                parts.append((heading, []))
            parts[-1][1].append(_show.begun(text) if heading else f"  {text}")
        return [*parts, ("the same again, and to go on from", list(self.calls))]

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        parts = [
            f"<p><b>{html.escape(heading)}</b></p><ul>"
            + "".join(f"<li>{html.escape(text.strip())}</li>" for text in texts)
            + "</ul>"
            for heading, texts in self._parts()
        ]
        tables = [
            _show.as_html(name, *found._shown()[1:]) + _pictures.as_html(found.figure)
            for name, found in (("whole sequences", self.sequences), ("episodes", self.episodes))
            if found
        ]
        return "\n".join([parts[0], *tables, *parts[1:]])  # a doubt is told first

    def report(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the report of the command: of the episodes with the sequences beside them, or
        where there are none of the sequences alone, with these sentences and these calls. A file
        that exists already is replaced with force=True alone.
        Raises ValueError (the time sufficed for neither), FileError."""
        shown: Episodes | Sequences | None = self.episodes
        if not shown and (self.sequences or shown is None):
            shown = self.sequences
        if shown is None:
            raise ValueError("report: the time sufficed for no result; give sm.explore more of it")
        beside = self.sequences if isinstance(shown, Episodes) else None
        write_report(
            shown,
            path,
            None,
            self._texts("caution", "left_out"),
            summary=self._texts("doubt", "recording", "sequences", "test"),
            n_doubts=len(self._texts("doubt")),
            method=self._texts("method"),
            again=self.calls,
            beside=beside,
            force=force,
        )

    def _texts(self, *topics: str) -> tuple[str, ...]:
        return tuple(text for topic, text in self.sentences if topic in topics)


def run_explore(a: ExploreArguments) -> Exploration:
    """Takes a first look: what is in a recording, and what a test finds there.

        found = sm.explore("session.nwb") # or sm.explore(sm.sample()), to try it
        print(found.summary())
        found.report("report.html")

    Sets of delays are tried against chance, all episodes are tested with the best set, and whole
    sequences are looked for. Half of the level is for episodes and half for whole sequences. Delays
    and support are chosen before the test, whose half is divided by the number of sets that were
    tried, so that p stays exact.

    Returns an Exploration. Raises ValueError, OutOfMemoryError. Source:
    docs/how-to/explore.md.
    """
    recording = as_recording(a.recording)
    with session(a.threads, a.max_memory, a.progress) as own:
        o = options("spk_explore_options", alpha=a.alpha, seed=a.seed, time=a.time)
        handle = own.run_to_make(lib.spk_explore_run, recording._pointer, o, owner=recording)
        columns = lib.spk_explore_columns_of(handle.pointer)
        steps = [columns.step[k] for k in range(columns.n_steps)]
        topics = list(TOPICS)
        return Exploration(
            recording,
            _episodes_of(recording, handle, columns, steps),
            _sequences_of(recording, handle, columns, steps),
            [
                (topics[int(columns.sentence[k].topic)], text_of(columns.sentence[k].text))
                for k in range(columns.n_sentences)
            ],
            [_call(step) for step in steps],
        )


# ---- steps as calls --------------------------------------------------------------------------


def _call(step: Any) -> str:
    rec = "rec"
    if step.stop != ffi.NULL:
        rec = f"rec.slice(stop={text_of(step.stop)!r})"
    given = ", ".join(f"{name}={value!r}" for name, value in settings_of(step).items())
    return f"sm.{text_of(step.operation)}({rec}, {given})"


def _info(step: Any) -> dict[str, Any]:
    """How the result of a step was made, for reports."""
    settings = {name: _setting(value) for name, value in settings_of(step).items()}
    if step.stop != ffi.NULL:
        settings["stop"] = text_of(step.stop)
    return {"call": _call(step).replace("sm.", "spikemine.", 1), "settings": settings}


def _setting(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


# ---- results ---------------------------------------------------------------------------------


def _looked_at(recording: Recording, pointer: Any, handle: Handle) -> Recording:
    """The recording itself, or the beginning of it, which the job owns."""
    if pointer == recording._pointer:
        return recording
    return Recording._borrow(pointer, handle, name=recording.name)


def _episodes_of(
    recording: Recording, handle: Handle, columns: Any, steps: list[Any]
) -> Episodes | None:
    if columns.episodes == ffi.NULL:
        return None
    job = Rows(_looked_at(recording, columns.tested, handle), handle, columns.episodes)
    made = columns.episodes.exact
    found: Episodes = rows_of(job, int(columns.support))[:]
    jitter = (duration_text(made.jitter[0]),)
    Exact(made, float(made.alpha), jitter, int(made.seed)).finish(job, found)
    job.finish(found)
    found.info.update(_info(steps[0]))
    return found


def _sequences_of(
    recording: Recording, handle: Handle, columns: Any, steps: list[Any]
) -> Sequences | None:
    if columns.sequences == ffi.NULL:
        return None
    looked_at = _looked_at(recording, columns.searched, handle)
    found = sequences_of(looked_at, Handle.borrow(columns.sequences, handle), columns.search)
    found.info.update(_info(steps[-1]))
    return found
