"""The Python code of the pages runs as it stands there, in an empty folder."""

import os

import pytest
from conftest import SOURCE

PAGES = ["docs/how-to/use-python.md", "docs/how-to/watch-live.md", "docs/tutorial-python.md", "README.md"]


def code_of(path):
    """The blocks of Python, and those behind the comment <!-- python -->, one after the other."""
    lines, inside, waits, fenced = [], False, False, False
    for line in (SOURCE / path).read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fenced = line == "```python"
        elif fenced:
            lines.append(line)
        elif line.strip() == "<!-- python -->":
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
    code = code_of(page)
    if "sm.plot." in code:
        pytest.importorskip("matplotlib").use("Agg")
    if "to_pandas" in code:
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    assert code.count("sm.") >= 2
    exec(compile(code, os.path.basename(page), "exec"), {})
    assert "episodes" in capsys.readouterr().out
