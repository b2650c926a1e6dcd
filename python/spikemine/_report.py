"""The report of the command, from results in Python: one HTML file that opens without a network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._analysis import WORDS, quoted
from ._choose import put_null
from ._columns import put_columns
from ._episodes import Episodes
from ._exact import ExactTest
from ._library import (
    KEPT,
    Progress,
    dtype_of,
    durations,
    ffi,
    fill,
    lib,
    new_file,
    options,
    session,
    struct,
    texts,
)
from ._patterns import Patterns
from ._results import Table, check_count
from ._sequences import Sequences
from ._signatures import SignatureTest


def report(
    result: Episodes | Patterns | Sequences,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    rows: int = 20_000,
    occurrence_bytes: int = 2_000_000,
    spikes: int = 10_000_000,
    force: bool = False,
    progress: Progress = None,
) -> None:
    """Writes a report to look at: one HTML file with the table, the recording as a raster,
    occurrences, the test and all settings. It opens in a browser without a network.

    Parameters
    ----------
    result : Episodes or Patterns, tested or not, or Sequences
    path : of the file, which ends in .html
    title : the name of the recording by default
    notes : sentences that a reader of the report must know
    rows : results in the file, the best ones first
    occurrence_bytes : size that their occurrences may take in the file
    spikes : spikes in the file, from the recording's start on
    force : replaces a file that exists already, which is refused without it
    progress : as for `episodes`

    What a limit leaves out is told in the file. The report of a test that was peeled shows the
    occurrences in the whole recording.
    Raises ValueError, FileError (the file exists, or cannot be written), OutOfMemoryError.
    Source: docs/reference/output.md of the project has the data inside the file.
    """
    limits = rows, occurrence_bytes, spikes
    write_report(result, path, title, notes, limits, force=force, progress=progress)


def write_report(
    result: Episodes | Patterns | Sequences,
    path: str | os.PathLike[str],
    title: str | None,
    notes: Sequence[str],
    limits: tuple[int, int, int] = (20_000, 2_000_000, 10_000_000),
    *,
    summary: Sequence[str] = (),
    n_doubts: int = 0,
    method: Sequence[str] = (),
    again: Sequence[str] = (),
    beside: Sequences | None = None,
    force: bool = False,
    progress: Progress = None,
) -> None:
    """`report`, with sentences on what was found and how, the first n_doubts above the results, with the calls that give the same again,
    and with sequences beside episodes."""
    if not isinstance(result, (Episodes, Patterns, Sequences)):
        known = "Episodes, Patterns or Sequences"
        raise TypeError(f"result: must be {known}, not {type(result).__name__}")
    name = os.path.basename(result.recording.name) or "recording"
    page = options(
        "spk_page_options",
        title=title if title is not None else name,
        recording=name,
        max_rows=check_count("rows", limits[0], 1),
        max_occurrence_bytes=check_count("occurrence_bytes", limits[1]),
        max_spikes=check_count("spikes", limits[2]),
        note=_printable(notes),
        n_notes=len(notes),
        summary=_printable(summary),
        n_summary=len(summary),
        n_doubts=n_doubts,
        method=_printable(method),
        n_methods=len(method),
        again=_printable(again),
        n_again=len(again),
    )
    _put_settings(page, result.info)
    if beside is not None:
        fill(page, sequences=beside._handle, searched=beside.recording._handle)
    recording, target = result.recording._pointer, new_file(path, force)
    with session(progress=progress) as own:
        if isinstance(result, Sequences):
            found = result._handle.pointer, result._report
            own.run(lib.spk_page_sequences, recording, *found, page, target)
            return
        if isinstance(result.test, ExactTest):
            largest = result.test.largest_scores
            fill(page, exact=exact_report(result, result.test), largest_score=largest)
        elif isinstance(result.test, SignatureTest):
            fill(page, signatures=signature_report(result, result.test))
        _put_families(page, result)
        columns = result._native()
        if isinstance(result, Patterns):
            windows = result.windows.pointer, result.windows._bin[0]
            own.run(lib.spk_page_patterns, recording, *windows, columns, page, target)
        else:
            own.run(lib.spk_page_episodes, recording, columns, page, target)


def _printable(values: Sequence[str]) -> list[str]:
    """Texts that a page can show."""
    return [str(value).encode(errors="replace").decode() for value in values]


def _put_settings(page: Any, info: dict[str, Any]) -> None:
    """How the result was made."""
    settings = {**info.get("settings", {})}
    for name in ("engine", "support_choice"):
        if name in info:
            settings[f"{name} taken"] = str(info[name])
    if isinstance(info.get("support"), int) and info["support"] > 0:
        settings["support taken"] = str(info["support"])
    listed = ffi.new("spk_page_setting[]", max(len(settings), 1))
    names, values = texts(_printable(list(settings))), texts(_printable(list(settings.values())))
    for k in range(len(settings)):
        listed[k].name, listed[k].value = names[k], values[k]
    KEPT[listed] = [names, values]
    call = info.get("call")
    fill(page, setting=listed, n_settings=len(settings), command=call)
    page.as_listed = call is not None and call.startswith("spikemine.count(")


def exact_report(result: Table[Any], test: ExactTest) -> Any:
    """What an exact test says of the rows, as reports and figures take it."""
    verdicts = np.zeros(len(result), dtype_of(ffi.typeof("spk_exact_verdict")))
    verdicts["tested"] = True
    windows, n = durations(list(test.jitter), "jitter")
    same = ("n_rounds", "seed", "alpha", "n_tested", "n_significant", "n_core")
    o = options(
        "spk_exact_report",
        jitter=windows,
        n_jitter=n,
        n_surrogates=test.surrogates,
        n_rows=len(result),
        **{name: getattr(test, name) for name in same},
    )
    put_columns("exact", o, result.columns, test.jitter, {"verdict": verdicts})
    put_null(o, test.null, test.history)
    return o


def analysis_columns(result: Table[Any]) -> Any:
    """Results as rows of an analysis, with what its sentences tell of a row."""
    o = struct("spk_analysis_columns", n=len(result), **{result.language: result._native()})
    if isinstance(result, Patterns):
        fill(o, windows=result.windows.handle)
    if isinstance(result.test, ExactTest):
        fill(o, exact=exact_report(result, result.test))
    _put_families(o, result)
    return o


def _put_families(page: Any, result: Table[Any]) -> None:
    """The families whose best members the rows are, where they were asked for."""
    columns = result.columns
    if "family_units" not in columns:
        return
    numbers = {quoted(label): u for u, label in enumerate(result.recording.labels)}
    families = ffi.new("spk_family[]", len(result))
    KEPT[families] = []
    for k, text in enumerate(columns["family_units"]):
        units = ffi.new("uint32_t[]", [numbers[word] for word in WORDS.findall(text)])
        family = families[k]
        family.n_members, family.best = int(columns["members"][k]), k
        family.n_occurrences = int(columns["family_occurrences"][k])
        family.unit, family.n_units = units, len(units)
        KEPT[families].append(units)
    fill(page, families=struct("spk_family_columns", n=len(result), family=families))


def signature_report(result: Table[Any], test: SignatureTest) -> Any:
    """What a test of signatures says of the rows, as reports and figures take it."""
    columns = result.columns
    same = ("method", "dither", "seed", "alpha", "correction", "n_significant", "n_kept")
    o = options(
        "spk_significance",
        n_surrogates=test.surrogates,
        by_duration=test.spectrum == "3d",
        published="p_published" in columns,
        signature=test.signatures,
        n_signatures=len(test.signatures),
        pvalue=test.pvalue_spectrum,
        n_pvalues=len(test.pvalue_spectrum),
        n_patterns=test.n_tested,
        n_rows=len(result),
        **{name: getattr(test, name) for name in same},
    )
    if "kept" in columns:
        fill(o, reduction="", kept=columns["kept"])
    for name in ("intensional", "extensional"):
        fill(o, **{name: columns.get(f"stability_{name}")})
    return o
