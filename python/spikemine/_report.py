"""The report of the command, from results in Python: one HTML file that opens without a network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._analysis import WORDS, quoted
from ._choose import Chance
from ._columns import put_columns
from ._episodes import Episodes
from ._exact import ExactTest
from ._library import Progress, Session, duration, durations, ffi, lib, options, pointer_to, session
from ._patterns import Patterns
from ._results import Array, Table, check_count, structure
from ._sequences import Sequences
from ._signatures import PVALUE, SIGNATURE, SignatureTest


def report(
    result: Episodes | Patterns | Sequences,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    rows: int = 20_000,
    occurrence_bytes: int = 2_000_000,
    spikes: int = 10_000_000,
    progress: Progress = None,
) -> None:
    """Writes a report to look at: one HTML file with the table, the recording as a raster,
    occurrences, the test and all settings. It opens in a browser without a network.

    Parameters
    ----------
    result : Episodes or Patterns, tested or not, or Sequences
    path : of the file, which ends in .html; one that exists is replaced
    title : the name of the recording by default
    notes : sentences that a reader of the report must know
    rows : results in the file, the best ones first
    occurrence_bytes : size that their occurrences may take in the file
    spikes : spikes in the file, from the recording's start on
    progress : as for `episodes`

    What a limit leaves out is told in the file. The report of a test that was peeled shows the
    occurrences in the whole recording.
    Raises ValueError, FileError (the file cannot be written), OutOfMemoryError.
    Source: docs/reference/output.md of the project has the data inside the file.
    """
    limits = rows, occurrence_bytes, spikes
    write_report(result, path, title, notes, limits, progress=progress)


def write_report(
    result: Episodes | Patterns | Sequences,
    path: str | os.PathLike[str],
    title: str | None,
    notes: Sequence[str],
    limits: tuple[int, int, int] = (20_000, 2_000_000, 10_000_000),
    *,
    summary: Sequence[str] = (),
    method: Sequence[str] = (),
    again: Sequence[str] = (),
    beside: Sequences | None = None,
    progress: Progress = None,
) -> None:
    """`report`, with sentences on what was found and how, with the calls that give the same again,
    and with sequences beside episodes."""
    if not isinstance(result, (Episodes, Patterns, Sequences)):
        known = "Episodes, Patterns or Sequences"
        raise TypeError(f"result: must be {known}, not {type(result).__name__}")
    page = options("spk_page_options")
    kept: list[Any] = []
    with session(progress=progress) as own:
        name = os.path.basename(result.recording.name) or "recording"
        page.title = _text(title if title is not None else name, kept)
        page.recording = _text(name, kept)
        page.max_rows = check_count("rows", limits[0], 1)
        page.max_occurrence_bytes = check_count("occurrence_bytes", limits[1])
        page.max_spikes = check_count("spikes", limits[2])
        _put_words(page, result, notes, kept)
        page.summary, page.n_summary = _texts(summary, kept), len(summary)
        page.method, page.n_methods = _texts(method, kept), len(method)
        page.again, page.n_again = _texts(again, kept), len(again)
        if beside is not None:
            page.sequences, page.searched = beside._handle.pointer, beside.recording._pointer
        recording, target = result.recording._pointer, os.fsencode(path)
        if isinstance(result, Sequences):
            found = result._handle.pointer, result._report
            own.run(lib.spk_page_sequences, recording, *found, page, target)
            return
        if isinstance(result.test, ExactTest):
            _put_exact(own, page, result, result.test, kept)
        elif isinstance(result.test, SignatureTest):
            page.signatures = signature_report(own, result, result.test, kept)
        _put_families(page, result, kept)
        columns, of_columns = result._native()
        if isinstance(result, Patterns):
            windows = result.windows.pointer, result.windows._bin[0]
            own.run(lib.spk_page_patterns, recording, *windows, columns, page, target)
        else:
            own.run(lib.spk_page_episodes, recording, columns, page, target)
        del of_columns


def _text(value: str, kept: list[Any]) -> Any:
    kept.append(ffi.new("char[]", value.encode(errors="replace")))
    return kept[-1]


def _texts(values: Sequence[str], kept: list[Any]) -> Any:
    kept.append(ffi.new("char *[]", [_text(str(value), kept) for value in values]))
    return kept[-1]


def _put_words(page: Any, result: Table | Sequences, notes: Sequence[str], kept: list[Any]) -> None:
    """How the result was made, and the notes."""
    info = result.info
    settings = {**info.get("settings", {})}
    for name in ("engine", "support_choice"):
        if name in info:
            settings[f"{name} taken"] = str(info[name])
    if isinstance(info.get("support"), int) and info["support"] > 0:
        settings["support taken"] = str(info["support"])
    listed = ffi.new("spk_page_setting[]", max(len(settings), 1))
    for k, (name, value) in enumerate(settings.items()):
        listed[k].name, listed[k].value = _text(name, kept), _text(value, kept)
    page.setting, page.n_settings = listed, len(settings)
    page.note, page.n_notes = _texts(notes, kept), len(notes)
    kept.append(listed)
    call = info.get("call")
    if call is not None:
        page.command = _text(call, kept)
        page.as_listed = call.startswith("spikemine.count(")


def _column(values: Array, kind: Any, kept: list[Any]) -> Array:
    kept.append(np.ascontiguousarray(values, kind))
    column: Array = kept[-1]
    return column


def exact_report(own: Session, result: Table, test: ExactTest, kept: list[Any]) -> Any:
    """What an exact test says of the rows, as reports and figures take it; it borrows `kept`."""
    o = options("spk_exact_report")
    windows, o.n_jitter = durations(own, list(test.jitter), "jitter")
    o.jitter = windows
    verdicts = np.zeros(len(result), structure("spk_exact_verdict"))
    verdicts["tested"] = True
    arrays = {"verdict": verdicts}
    put_columns("exact", o, result.columns, test.jitter, arrays)
    kept += [o, windows, arrays]
    o.n_rounds = test.n_rounds
    chance = Chance(list(test.jitter), test.null, test.history)
    chance.put_into(own, o)
    o.seed, o.n_surrogates, o.alpha = test.seed, test.surrogates, test.alpha
    o.n_tested, o.n_significant, o.n_core = test.n_tested, test.n_significant, test.n_core
    o.n_rows = len(result)
    return o


def analysis_columns(own: Session, result: Table, kept: list[Any]) -> Any:
    """Results as rows of an analysis, with what its sentences tell of a row; it borrows `kept`."""
    o = ffi.new("spk_analysis_columns *")
    columns, of_columns = result._native()
    o.n = len(result)
    setattr(o, result.language, columns[0])
    if isinstance(result, Patterns):
        o.windows = result.windows.pointer
    if isinstance(result.test, ExactTest):
        o.exact = exact_report(own, result, result.test, kept)
    _put_families(o, result, kept)
    kept += [columns, of_columns]
    return o


def _put_exact(own: Session, page: Any, result: Table, test: ExactTest, kept: list[Any]) -> None:
    page.exact = exact_report(own, result, test, kept)
    if test.largest_scores.size:
        largest = _column(test.largest_scores, np.float64, kept)
        page.largest_score = pointer_to(largest, "double *")


def _put_families(page: Any, result: Table, kept: list[Any]) -> None:
    """The families whose best members the rows are, where they were asked for."""
    columns = result.columns
    if "family_units" not in columns:
        return
    numbers = {quoted(label): u for u, label in enumerate(result.recording.labels)}
    families, listed = ffi.new("spk_family[]", len(result)), ffi.new("spk_family_columns *")
    for k, text in enumerate(columns["family_units"]):
        units = ffi.new("uint32_t[]", [numbers[word] for word in WORDS.findall(text)])
        family = families[k]
        family.n_members, family.best = int(columns["members"][k]), k
        family.n_occurrences = int(columns["family_occurrences"][k])
        family.unit, family.n_units = units, len(units)
        kept.append(units)
    listed.n, listed.family = len(result), families
    page.families = listed
    kept += [families, listed]


def signature_report(own: Session, result: Table, test: SignatureTest, kept: list[Any]) -> Any:
    """What a test of signatures says of the rows, as reports and figures take it; it borrows
    `kept`."""
    columns = result.columns
    o = options("spk_significance")
    o.method = _text(test.method, kept)
    o.dither = duration(own, test.dither, "dither")[0]
    o.seed, o.n_surrogates, o.alpha = test.seed, test.surrogates, test.alpha
    o.correction = _text(test.correction, kept)
    o.by_duration, o.published = test.spectrum == "3d", "p_published" in columns
    signatures = _column(test.signatures, SIGNATURE, kept)
    pvalues = _column(test.pvalue_spectrum, PVALUE, kept)
    o.signature, o.n_signatures = pointer_to(signatures, "spk_signature *"), len(signatures)
    o.pvalue, o.n_pvalues = pointer_to(pvalues, "spk_pvalue *"), len(pvalues)
    o.n_patterns, o.n_significant, o.n_kept = test.n_tested, test.n_significant, test.n_kept
    o.n_rows = len(result)
    if "kept" in columns:
        o.reduction = _text("", kept)
        o.kept = pointer_to(_column(columns["kept"], np.uint8, kept), "uint8_t *")
    for name in ("intensional", "extensional"):
        if f"stability_{name}" in columns:
            values = _column(columns[f"stability_{name}"], np.float64, kept)
            setattr(o, name, pointer_to(values, "double *"))
    kept.append(o)
    return o
