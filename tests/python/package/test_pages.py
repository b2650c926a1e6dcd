"""The Python code of the pages runs as it stands there."""

import os

import pytest
from conftest import SOURCE

PAGES = ["docs/how-to/use-python.md"]


def code_of(path):
    """The indented blocks behind the comment <!-- python -->, one after the other."""
    lines, inside, waits = [], False, False
    for line in (SOURCE / path).read_text(encoding="utf-8").splitlines():
        if line.strip() == "<!-- python -->":
            waits = True
        elif line.startswith("    ") and (waits or inside):
            inside, waits = True, False
            lines.append(line[4:])
        elif inside and line == "":
            lines.append("")
        else:
            inside = False
    return "\n".join(lines)


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page, monkeypatch, capsys, tmp_path):
    code = code_of(page).replace('"raster.pdf"', f'"{tmp_path}/raster.pdf"')
    if "sm.plot." in code:
        pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(SOURCE)
    assert code.count("sm.") >= 3
    exec(compile(code, os.path.basename(page), "exec"), {})
    assert "movement_PGHF" in capsys.readouterr().out
