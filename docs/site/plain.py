"""Plain text of comments and docstrings as reStructuredText.

The text of this project's headers and docstrings is plain: paragraphs, lists with '-', code that is
indented, and sections of entries 'name : meaning' with an underlined heading.
"""

import re

BULLET = re.compile(r"\s*- ")
ENTRY = re.compile(r"\*{0,2}\w[\w, *]*(?:\([^)]*\)[\w, *]*)* : ")
WORD = re.compile(r"`[^`]+`|[A-Za-z_][\w./-]*\w|.", re.S)


def blocks(lines):
    """The runs of lines between blank ones."""
    found = []
    for line in lines:
        if not line.strip():
            found.append([])
        else:
            if not found:
                found.append([])
            found[-1].append(line.rstrip())
    return [block for block in found if block]


def indent_of(line):
    return len(line) - len(line.lstrip())


def escaped(text):
    return re.sub(r"([\\*_|`])", r"\\\1", text)


def inline(text, link):
    """Text with what reStructuredText would take for a mark escaped; `link` gives the reference of a
    word, or None."""
    out = []
    for word in WORD.findall(text):
        quoted = word.startswith("`")
        name = word.strip("`") if quoted else word
        role = link(name, quoted)
        if role:
            out.append(f"\\ {role}\\ ")
        elif quoted:
            out.append(f"\\ ``{name}``\\ ")
        else:
            out.append(escaped(word))
    return "".join(out)


def paragraph(lines, link):
    return [inline(" ".join(line.strip() for line in lines), link), ""]


def literal(lines, language):
    """Indented lines; of a drawing or a table, where no line looks like code."""
    if not any(re.search(r";$|^\s*(#include|import|rec|ep) |[\w\]] = |\w\(.*\)$", line) for line in lines):
        language = "none"
    return [f".. code-block:: {language}", "", *["    " + line for line in lines], ""]


def bullets(lines, link):
    """A list, and the paragraph above it."""
    items, out = [], []
    for line in lines:
        if BULLET.match(line):
            items.append([BULLET.sub("", line, count=1)])
        else:
            (items[-1] if items else out).append(line)
    out = paragraph(out, link) if out else []
    for item in items:
        out.append("- " + paragraph(item, link)[0])
    return [*out, ""]


def entries(lines, link, heading="Parameters"):
    """Lines 'name : meaning', each with the indented lines below it, as a list in a field."""
    found, rest = [], []
    for line in lines:
        goes_on = found and " : " not in " ".join(found[-1])  # names that take more than a line
        if found and (indent_of(line) or goes_on):
            found[-1].append(line)
        elif ENTRY.match(line) or line.rstrip().endswith(","):
            found.append([line])
        else:
            rest.append(line)
    out = [f":{heading}:"] if found else []
    for entry in found:
        text = " ".join(line.strip() for line in entry)
        names, colon, meaning = text.partition(" : ")
        names = ", ".join(f"**{escaped(name.strip())}**" for name in names.split(","))
        out.append(f"    - {names} – {inline(meaning, link)}" if colon else f"    - {inline(text, link)}")
    out += [""] if found else []
    return out + (paragraph(rest, link) if rest else [])


def section(lines, link):
    heading, body = lines[0].strip(), lines[2:]
    if any(ENTRY.match(line) for line in body):
        return entries(body, link, heading)
    return [f":{heading}: {paragraph(body, link)[0]}", ""]


def to_rst(lines, link=lambda name, quoted: None, language="none"):
    """The lines as reStructuredText; `language` is that of code in them."""
    out = []
    for block in blocks(lines):
        if len(block) > 1 and re.fullmatch(r"-{3,}", block[1].strip()):
            out += section(block, link)
        elif any(BULLET.match(line) for line in block):
            out += bullets(block, link)
        elif indent_of(block[0]) >= 2:
            out += literal(block, language)
        elif any(ENTRY.match(line) for line in block):
            start = next(k for k, line in enumerate(block) if ENTRY.match(line))
            out += (paragraph(block[:start], link) if start else []) + entries(block[start:], link)
        else:
            out += paragraph(block, link)
    return out
