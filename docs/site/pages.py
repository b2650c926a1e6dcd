#!/usr/bin/env python3
"""Lays out the sources of the documentation site:

    docs/site/pages.py FOLDER GENERATED

The pages of the tree are copied to FOLDER with their links turned, since the site has a front page
where GitHub shows README.md. docs/README.md, the map of all pages, gives the order. Pages of the C
headers and of the Python package are made here; GENERATED is the build's folder of generated headers.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import headers

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ["CHANGELOG", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY"]
PAGES = ["README.md", *[f"{page}.md" for page in PROJECT], "data/README.md", "bench/results/*.md", "docs/**/*.md"]
CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.S | re.M)
TARGET = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
NOTEBOOK = "<!-- notebook -->"
KERNEL = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
---

"""
# Pages name recordings as a reader in the folder of the source does, and write into the current folder, which
# is an empty one here: a page that needs any other folder fails.
SETUP = """```{{code-cell}} ipython3
:tags: [remove-cell]
import os, tempfile
_folder = tempfile.TemporaryDirectory()
os.chdir(_folder.name)
os.symlink({data!r}, "data")
%config InlineBackend.figure_formats = ["svg"]
```

"""


def place(path):
    """Where a file of the tree lies in the site."""
    name = path.relative_to(ROOT)
    if name == Path("docs/README.md"):
        return Path("contents.md")
    if name.name == "README.md":
        name = name.with_name("index.md")
    return name.relative_to("docs") if name.parts[0] == "docs" else name


def turned(path, text, needed):
    """The text of a page with its links as they are in the site; files that it links are noted."""
    here = place(path).parent

    def turn(match):
        file, mark, anchor = match.group(1).partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match.group(1)
        other = (path.parent / file).resolve()
        if other.suffix != ".md":
            needed.add(other)
        return os.path.relpath(place(other), here) + mark + anchor

    parts = CODE.split(text)
    parts[::2] = [TARGET.sub(turn, part) for part in parts[::2]]
    return "".join(parts)


def toctree(entries, caption=None):
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return "\n" + "\n".join([*lines, *entries, "```"]) + "\n"


def order():
    """(caption, entries) of each kind of page, as docs/README.md lists them."""
    found, kind = [], ""
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        heading, link = re.match(r"(##+) ([^:]*)", line), re.match(r"- \[[^\]]*\]\(([^)#]+)\)", line)
        if heading and heading.group(1) == "##":
            kind = heading.group(2)
            found.append((kind, []))
        elif heading:
            found.append((f"{kind}: {heading.group(2)}", []))
        elif link:
            target = place((ROOT / "docs" / link.group(1)).resolve())
            found[-1][1].append(str(target.with_suffix("")))
    return [(caption, entries) for caption, entries in found if entries]


def front():
    """The list of all pages, for the margin."""
    text = toctree(["All pages <contents>"])
    for caption, entries in order():
        if caption == "Reference":
            entries = ["reference/python/index", "reference/c/index", *entries]
        text += toctree(entries, caption)
    return text + toctree([*PROJECT, "data/index"], "Project")


def glossary(text):
    """The rows of the table as terms, which references and the search find."""
    rows = re.findall(r"^\| (?!term \||-)(.+?) \| (.+?) \|$", text, re.M)
    terms = "".join(f"{term}\n  {meaning}\n\n" for term, meaning in rows)
    begin = text.index("| term |")
    return text[:begin] + "```{glossary}\n" + terms + "```\n"


def notebook(text):
    """Blocks of Python as cells that are run."""
    text = text.replace(NOTEBOOK + "\n", "")
    text = text.replace("```python\n", SETUP.format(data=str(ROOT / "data")) + "```python\n", 1)
    return KERNEL + text.replace("```python\n", "```{code-cell} ipython3\n")


def coloured(text):
    """Indented blocks behind the comment <!-- python --> as blocks of Python."""
    def fence(match):
        lines = [line[4:] for line in match.group(1).rstrip("\n").split("\n")]
        return "```python\n" + "\n".join(lines) + "\n```\n\n"

    return re.sub(r"<!-- python -->\n((?:    .*\n|\n)+)", fence, text)


def lay_out_pages(out):
    needed = set()
    for path in sorted({path for pattern in PAGES for path in ROOT.glob(pattern)}):
        where = place(path)
        text = coloured(turned(path, path.read_text(encoding="utf-8"), needed))
        if text.startswith(NOTEBOOK):
            text = notebook(text)
        if where == Path("index.md"):
            text += front()
        elif where == Path("glossary.md"):
            text = glossary(text)
        elif where == Path("bench/results/index.md"):
            text += toctree(sorted(p.stem for p in path.parent.glob("*.md") if p.name != "README.md"))
        (out / where).parent.mkdir(parents=True, exist_ok=True)
        (out / where).write_text(text, encoding="utf-8")
    for path in needed:
        (out / place(path)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, out / place(path))


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    out = Path(arguments[0])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    lay_out_pages(out)
    headers.write(ROOT, arguments[1], out / "reference/c", link_to_pages)
    import package

    package.write(out / "reference/python", link_to_pages)


def link_to_pages(name, quoted):
    """The reference of a file name docs/PAGE.md, or of PAGE.md alone."""
    if not name.endswith(".md"):
        return None
    found = [p for p in ROOT.glob("docs/**/*.md") if p.match(name) and p.name != "README.md"]
    return f":doc:`/{place(found[0]).with_suffix('')}`" if len(found) == 1 else None


if __name__ == "__main__":
    main(sys.argv[1:])
