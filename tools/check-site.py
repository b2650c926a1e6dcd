#!/usr/bin/env python3
"""Whether the documentation site has everything, and needs nothing from elsewhere:

    tools/check-site.py SITE PACKAGE

Each function that the library in the folder PACKAGE exports, and each public name of the Python package,
has its entry. No page takes a script, a style, a font or a picture from another machine.
"""

import html.parser
import re
import subprocess
import sys
import zlib
from pathlib import Path


def inventory(site):
    """(kind, name) of all entries of the site, as its objects.inv has them."""
    data = (site / "objects.inv").read_bytes()
    text = zlib.decompress(data.split(b"\n", 4)[4]).decode()
    return {tuple(reversed(line.split()[:2])) for line in text.splitlines()}


def exported(package):
    """The functions that the library exports."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", *map(str, package.glob("libspikemine.so*"))],
        check=True, capture_output=True, text=True,
    ).stdout
    return set(re.findall(r" T (spk_\w+)(?:@.*)?$", listed, re.M))


def missing(entries, functions, names):
    """What has no entry, as lines of text."""
    for name in sorted(functions):
        if ("c:function", name) not in entries:
            yield f"{name}: the library exports it, and no page of the C headers has it"
    known = {name for kind, name in entries if kind.startswith("py:")}
    for name in sorted(names - known):
        yield f"{name}: a public name of the Python package, and no page has it"


class Resources(html.parser.HTMLParser):
    """What a page loads by itself."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("script", "img", "iframe", "source"):
            self.found.append(values.get("src"))
        elif tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.found.append(values.get("href"))


def is_far(address):
    return bool(address) and re.match(r"(https?:)?//", address) is not None


def far(site):
    """What pages and styles would fetch, as lines of text."""
    for path in sorted(site.rglob("*.html")):
        page = Resources()
        page.feed(path.read_text(encoding="utf-8"))
        for address in filter(is_far, page.found):
            yield f"{path.relative_to(site)}: loads {address}"
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"(?:url\(|@import )[\"']?([^\"')]+)", text):
            if is_far(address):
                yield f"{path.relative_to(site)}: loads {address}"


def public_names():
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs/site"))
    import importlib

    import package

    found = set()
    for name in package.public_modules():
        module = importlib.import_module(name)
        for entry in getattr(module, "__all__", ()):
            if not entry.startswith("__") and type(getattr(module, entry)) is not type(module):
                found.add(f"{name}.{entry}")
    return found


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    site, package = map(Path, arguments)
    functions = exported(package)
    if not functions:
        sys.exit(f"{package}: no library that exports functions")
    faults = [*missing(inventory(site), functions, public_names()), *far(site)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
