"""Pages of the C interface, one for each public header, from the text of the headers.

Comments there are plain C comments, and one may serve a group of functions. Doxygen and hawkmoth ask
for marks in comments that these headers do not have, and pass over a comment without them. So the
reader of tools/check-api.py, which knows what belongs to which declaration, finds them here, too, and
Sphinx's own domain for C understands the declarations.
"""

import importlib.util
import re
from pathlib import Path

from plain import to_rst

MACRO = re.compile(r"^#define (SPK_\w+)(\([^)]*\))?((?:[^\n]*\\\n)*[^\n]*)", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
HEADING = re.compile(r"/\* -{2,} (.*?) -*\s*\*/", re.S)
HIDDEN = {"SPK_API", "SPK_MUST_CHECK", "SPK_PRINTF", "SPK_BEGIN_C", "SPK_END_C"}


def api_reader(root):
    """tools/check-api.py as a module."""
    where = importlib.util.spec_from_file_location("check_api", root / "tools/check-api.py")
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    return module


def text_of(comment):
    """The lines of a comment without its marks."""
    lines = comment[2:-2].split("\n")
    first = [lines[0].strip()] if lines[0].strip() else []
    rest = [re.sub(r"^ ?\* ?", "", re.sub(r"^\s+\*", " *", line)) for line in lines[1:]]
    return first + [line.rstrip() for line in rest]


def signature(declaration):
    """A declaration as Sphinx reads it: without our macros, in one line."""
    text = COMMENT.sub("", declaration)
    text = re.sub(r"\bSPK_PRINTF\([^)]*\)|\b(SPK_API|SPK_MUST_CHECK)\b", "", text)
    text = re.sub(r"\s+", " ", text).strip().rstrip(";").strip()
    return re.sub(r"\(void\)$", "(void)", text)


class Item:
    """A declaration or macro, with the comment above it."""

    def __init__(self, offset, text, kind, name):
        self.offset, self.text, self.kind, self.name = offset, text, kind, name


def items_of(header, api):
    """The declarations and macros of a header in their order."""
    found = []
    for offset, text in header.statements:
        function = api.FUNCTION.search(text)
        struct, handle = api.STRUCT.fullmatch(text), api.HANDLE.fullmatch(text)
        source = header.text[offset : offset + len(text)]
        if struct:
            found.append(Item(offset, source, "struct", struct.group(3) or struct.group(1)))
        elif handle:
            found.append(Item(offset, source, "handle", handle.group(2)))
        elif re.match(r"typedef\s+enum\b", text):
            found.append(Item(offset, source, "enum", re.search(r"(\w+)\s*;$", text).group(1)))
        elif text.startswith("typedef"):
            found.append(Item(offset, source, "type", function.group(1) if function else None))
        elif function:
            found.append(Item(offset, source, "function", function.group(1)))
        else:
            raise SystemExit(f"{header.name}: the site does not know what this is: {source}")
    for match in MACRO.finditer(header.text):
        if match.group(1) not in HIDDEN and not inside(match.start(), header):
            found.append(Item(match.start(), match.group(), "macro", match.group(1)))
    return sorted(found, key=lambda item: item.offset)


def inside(offset, header):
    """Whether a place lies within the braces of a declaration."""
    return any(begin <= offset < begin + len(text) for begin, text in header.statements)


def names_of(headers, api):
    """Name -> role of all that is declared."""
    roles = {"function": "func", "struct": "struct", "handle": "struct", "enum": "enum", "type": "type"}
    return {
        item.name: f"c:{roles.get(item.kind, 'macro')}" for h in headers for item in items_of(h, api) if item.name
    }


def directive(item, others):
    """The lines that declare an item, and the functions that share its comment."""
    if item.kind == "function":
        rest = [" " * 15 + " " + signature(other.text) for other in others]
        return [f".. c:function:: {signature(item.text)}", *rest]
    if item.kind == "type":
        return [f".. c:type:: {re.sub(r'^typedef ', '', signature(item.text))}"]
    if item.kind == "macro":
        return [f".. c:macro:: {MACRO.match(item.text).group(1)}{MACRO.match(item.text).group(2) or ''}"]
    return [f".. c:{'struct' if item.kind == 'handle' else item.kind}:: {item.name}"]


def body(item, comment, link):
    lines = to_rst(comment, link, "c") if comment else []
    if item.kind in ("struct", "enum", "macro"):
        code = item.text.rstrip().split("\n")
        lines += ["", ".. code-block:: c", "", *["   " + line for line in code], ""]
    return ["   " + line if line else "" for line in lines]


def page(header, api, link):
    """The page of a header."""
    found = items_of(header, api)
    title = f"{header.name}"
    first = COMMENT.search(header.text)
    out = [title, "=" * len(title), "", *to_rst(text_of(first.group()), link, "c")]
    headings = [(m.start(), m.group(1).strip()) for m in HEADING.finditer(header.text)]
    k, before = 0, first.end()
    while k < len(found):
        item = found[k]
        for offset, heading in headings:
            if before <= offset < item.offset:
                heading = " ".join(heading.split()).capitalize()
                out += [heading, "-" * len(heading), ""]
        comments = [c for c in header.comments_above(item.offset) if not HEADING.fullmatch(c)]
        comment = comments[-1] if comments else None
        last = k + 1
        while last < len(found) and shares(header, found[last - 1], found[last], item):
            last += 1
        out += [*directive(item, found[k + 1 : last]), ""]
        out += [*body(item, text_of(comment) if comment else None, link), ""]
        before, k = item.offset, last
    return "\n".join(out) + "\n"


def shares(header, before, item, first):
    """Whether a function follows another one without a comment or a blank line between."""
    between = header.text[before.offset + len(before.text) : item.offset]
    return first.kind == item.kind == "function" and not between.strip()


def write(root, generated, folder, link_to_pages):
    """Writes the pages of all headers into a folder. `generated` is where the build put version.h."""
    api = api_reader(root)
    paths = sorted((root / "include/spikemine").glob("*.h"))
    headers = [api.Header(path) for path in paths] + [api.Header(Path(generated) / "spikemine/version.h")]
    overview = next(h for h in headers if h.name == "spikemine.h")
    names = names_of(headers, api)
    pages = {h.name for h in headers}

    def link(name, quoted):
        if name in names:
            return f":{names[name]}:`{name}`"
        if name in pages:
            return f":doc:`{name} </reference/c/{name.removesuffix('.h')}>`"
        return link_to_pages(name, quoted)

    folder.mkdir(parents=True, exist_ok=True)
    order = re.findall(r"^ \*   (\w+)\.h ", overview.text, re.M)
    rest = [h.name[:-2] for h in headers if h.name[:-2] not in [*order, "spikemine", "export"]]
    for header in headers:
        if header.name not in ("spikemine.h", "export.h"):
            (folder / f"{header.name[:-2]}.rst").write_text(page(header, api, link), encoding="utf-8")
    title = "The C headers"
    intro = to_rst(text_of(COMMENT.search(overview.text).group()), link, "c")
    (folder / "index.rst").write_text(
        "\n".join([title, "=" * len(title), "", *intro, ".. toctree::", "   :hidden:", ""]
                  + [f"   {name}" for name in [*order, *rest]]) + "\n", encoding="utf-8")
