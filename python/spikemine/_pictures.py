"""The pictures of the command: written to files, or shown in a notebook."""

from __future__ import annotations

import base64
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

from ._library import UnavailableError, ffi, lib, new_file
from ._library import options as options_of
from ._results import check_count

NOTEBOOK_DPI = 150


class Picture:
    """A picture that a notebook shows. `figure("picture.pdf")` writes it to a file."""

    def __init__(self, png: bytes) -> None:
        self._png = png

    def __repr__(self) -> str:
        return "<Picture: a notebook shows it; figure('picture.pdf') writes it to a file>"

    def _repr_png_(self) -> bytes:
        return self._png


def as_html(figure: Callable[..., Picture | None]) -> str:
    """The figure of three results, small, within HTML; none where the library draws no pictures."""
    try:
        picture = figure(title="", top=3)
    except UnavailableError:
        return ""
    png = b"" if picture is None else picture._repr_png_()
    data = base64.b64encode(png).decode()
    return f'<img alt="figure" style="width: 100%; max-width: 48em" src="data:image/png;base64,{data}">'


def options(found: Any, what: str, title: str | None, top: int, counted: bool = True) -> Any:
    """How a picture of results looks. Its title is the name of the recording where none is given, and
    below stands how much there is, as the command has it; counted=False: `what` says it."""
    recording, caption = found.recording, ffi.new("char[400]")
    n = len(found) if counted else 2**64 - 1
    lib.spk_figure_caption(recording._pointer, n, what.encode(), caption, len(caption))
    return options_of(
        "spk_figure_options",
        n_top=check_count("top", top),
        dpi=NOTEBOOK_DPI,
        title=(recording.name if title is None else title) or None,
        caption=ffi.string(caption).decode(),
    )


def drawn(
    path: str | os.PathLike[str] | None, force: bool, o: Any, draw: Callable[[bytes], None]
) -> Picture | None:
    """Draws into the file, or without one a picture for a notebook."""
    if path is not None:
        o.dpi = options_of("spk_figure_options").dpi
        draw(new_file(path, force))
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "picture.png")
        draw(os.fsencode(file))
        return Picture(file.read_bytes())
