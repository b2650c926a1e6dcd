#!/usr/bin/env python3
"""Whether the public headers keep their promises, as far as their text shows it.

    tools/check-api.py [FOLDER]      the sources' folder; this project's own by default

Names every function, handle, struct or header that breaks one of these rules:

  tested     a public function occurs in tests/unit/*.c or tests/support/*.c, in another test than
             test_null_context*.c, which look at statuses only
  null       a public function with a spk_context parameter is called with NULL in its place in
             tests/unit/test_null_context*.c or the sample that these use (tests/support/sample.c),
             and so is each _free with no handle
  status     a function that returns spk_status is SPK_MUST_CHECK
  threads    the comment above the typedef of an opaque handle says "Threads:"
  size       an options struct begins with size_t struct_size
  comment    a function has a comment above it; one comment may serve a group without blank lines
  verb       nothing ends a handle but _free and _commit
  grow       a struct whose comment says that it may grow is handed out by the library, one at a time
  overview   spikemine.h includes every public header
  core       what it includes first, the core, has at most 140 functions
  exported   a function declared in a public header is SPK_API
"""

import pathlib
import re
import sys

LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
FUNCTION = re.compile(r"\b(spk_\w+)\s*\(")
HANDLE = re.compile(r"typedef\s+struct\s+(\w+)\s+(\w+)\s*;")
STRUCT = re.compile(r"(?:typedef\s+)?struct\s+(\w*)\s*\{(.*)\}\s*(\w*)\s*;", re.S)
NULL_TESTS = "test_null_context*.c"
NULL_SAMPLE = "sample.c"
MOST_CORE = 140


def white(match):
    """As many blanks; lines stay lines."""
    return re.sub(r"[^\n]", " ", match.group())


def blank(text):
    """The text with comments and strings as blanks; offsets stay."""
    return LITERAL.sub(white, text)


def without_directives(code):
    """The code with preprocessor lines and their continuations as blanks."""
    return DIRECTIVE.sub(white, code)


def closing(code, begin):
    """Offset of the bracket that closes the one at `begin`; the end where none does."""
    depth = 0
    for at in range(begin, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    return len(code)


def split_arguments(text):
    """What commas outside of brackets separate."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def statements(code):
    """(offset, text) of each declaration outside of braces; a struct or enum with its body is one.

    SPK_BEGIN_C and SPK_END_C, the braces of extern "C", count for nothing.
    """
    code = re.sub(r"\bSPK_(BEGIN|END)_C\b", white, code)
    at, begin = 0, 0
    while at < len(code):
        if code[at] in "({":
            at = closing(code, at)
        elif code[at] in ";}":
            text = code[begin : at + 1]
            lead = len(text) - len(text.lstrip())
            if code[at] == ";" and text.strip() != ";":
                yield begin + lead, text.strip()
            begin = at + 1
        at += 1


class Header:
    """One public header: its text, and what it declares."""

    def __init__(self, path):
        self.name = path.name[: -len(".in")] if path.name.endswith(".in") else path.name
        self.text = path.read_text(encoding="utf-8")
        self.code = without_directives(blank(self.text))
        self.lines = self.text.split("\n")
        self.statements = list(statements(self.code))

    def functions(self):
        """(offset, name, declaration) of each function."""
        for offset, text in self.statements:
            match = FUNCTION.search(text)
            if match and not text.startswith("typedef"):
                yield offset, match.group(1), text

    def structs(self):
        """(names, body) of each struct whose members are declared."""
        for _, text in self.statements:
            match = STRUCT.fullmatch(text)
            if match:
                yield {match.group(1), match.group(3)} - {""}, match.group(2)

    def handles(self):
        """(offset, name) of each type of which only the name is known."""
        defined = set().union(*(names for names, _ in self.structs()))
        for offset, text in self.statements:
            match = HANDLE.fullmatch(text)
            if match and match.group(1) not in defined:
                yield offset, match.group(2)

    def comments_above(self, offset):
        """The comments in the lines above a declaration, up to the first blank line.

        Comments inside of structs belong to members and do not count.
        """
        line = self.text.count("\n", 0, offset)
        first = line
        while first > 0 and self.lines[first - 1].strip():
            first -= 1
        begin = sum(len(text) + 1 for text in self.lines[:first])
        above, found = self.text[begin:offset], []
        for match in re.finditer(r"/\*.*?\*/", above, re.S):
            before = self.code[begin : begin + match.start()]
            if before.count("{") == before.count("}"):
                found.append(match.group())
        return found


def check_functions(header, tests, calls):
    for offset, name, text in header.functions():
        head = text[: text.index(name)]
        if "SPK_API" not in head:
            yield f"{header.name}: {name} is not SPK_API"
        if re.search(r"\bspk_status\s+$", head) and "SPK_MUST_CHECK" not in head:
            yield f"{header.name}: {name} returns spk_status, but is not SPK_MUST_CHECK"
        if not header.comments_above(offset):
            yield f"{header.name}: {name} has no comment above it"
        ends = name.endswith(("_close", "_stop", "_discard", "_destroy"))
        if ends and re.search(r"\bvoid\s+$", head):
            yield f"{header.name}: {name} should be called _free, as all that ends a handle"
        if name not in tests:
            yield f"{header.name}: {name} occurs in no test (tests/unit, tests/support)"
        place, what = context_parameter(text, name), "context"
        if place is None and name.endswith("_free"):
            place, what = 0, "handle"
        if place is not None and not any(
            len(call) > place and call[place] == "NULL" for call in calls.get(name, [])
        ):
            yield f"{header.name}: {name} is not called with a NULL {what} in {NULL_TESTS}"


def context_parameter(text, name):
    """Which parameter is the context; None where there is none."""
    begin = text.index("(", text.index(name))
    parameters = split_arguments(text[begin + 1 : closing(text, begin)])
    for place, parameter in enumerate(parameters):
        if re.search(r"\bspk_context\s*\*(?!\s*\*)", parameter):
            return place
    return None


def check_types(header):
    for offset, name in header.handles():
        above = header.comments_above(offset)
        if not above or "Threads:" not in above[-1]:
            yield f'{header.name}: the comment above {name} does not say "Threads:"'
    for names, body in header.structs():
        first = body.split(";")[0].split()
        options = re.search(r"\bstruct_size\b", body) or any(n.endswith("_options") for n in names)
        if options and first != ["size_t", "struct_size"]:
            yield f"{header.name}: {max(names)} does not begin with size_t struct_size"


def may_grow(header):
    """Names of the structs that may grow at their end."""
    for offset, text in header.statements:
        match = STRUCT.fullmatch(text)
        if match and any("may grow at its end" in c for c in header.comments_above(offset)):
            yield match.group(3)


def check_growth(headers):
    """Programs that allocate such a struct, copy it or step through an array have its old size."""
    for name in sorted({name for header in headers for name in may_grow(header)}):
        alien = re.compile(rf"(?<!const )\b{name}\b(?!\s*;)|const {name}\b\s*[^*\s]")
        for header in headers:
            for _, text in header.statements:
                if not STRUCT.fullmatch(text) and alien.search(text):
                    yield f"{header.name}: {name} may grow, but is not handed out by the library"


def check_core(headers, overview):
    """The first block of includes is the core."""
    first = re.search(r'(?:^#include "spikemine/.*"\n)+', overview, re.M)
    core = set(re.findall(r'"spikemine/(.*)"', first.group())) if first else set()
    n = sum(len(list(header.functions())) for header in headers if header.name in core)
    if n > MOST_CORE:
        yield f"spikemine.h: the core has {n} functions, more than {MOST_CORE}"


def read_calls(paths):
    """Function name -> lists of arguments of its calls."""
    calls = {}
    for path in paths:
        code = blank(path.read_text(encoding="utf-8"))
        for match in FUNCTION.finditer(code):
            begin = match.end() - 1
            arguments = split_arguments(code[begin + 1 : closing(code, begin)])
            calls.setdefault(match.group(1), []).append(arguments)
    return calls


def read_words(paths):
    words = set()
    for path in paths:
        words.update(re.findall(r"\bspk_\w+", blank(path.read_text(encoding="utf-8"))))
    return words


def check(folder):
    """All faults, as lines of text."""
    public = folder / "include" / "spikemine"
    headers = [Header(path) for path in sorted([*public.glob("*.h"), *public.glob("*.h.in")])]
    tests = folder / "tests"
    nulls = {*tests.glob(f"unit/{NULL_TESTS}"), *tests.glob(f"support/{NULL_SAMPLE}")}
    words = read_words({*tests.glob("unit/*.c"), *tests.glob("support/*.c")} - nulls)
    calls = read_calls(nulls)
    overview = next((h.text for h in headers if h.name == "spikemine.h"), "")
    included = set(re.findall(r'^#include "spikemine/(.*)"', overview, re.M))
    n_functions = 0
    faults = []
    for header in headers:
        n_functions += len(list(header.functions()))
        faults += check_functions(header, words, calls)
        faults += check_types(header)
        if header.name not in included | {"spikemine.h"}:
            faults.append(f"spikemine.h: does not include {header.name}")
    faults += check_growth(headers)
    faults += check_core(headers, overview)
    if n_functions == 0:
        faults.append(f"{public}: no public function found")
    return faults


def main(arguments):
    here = pathlib.Path(__file__).resolve().parents[1]
    faults = check(pathlib.Path(arguments[0]) if arguments else here)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
