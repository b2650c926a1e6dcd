#!/usr/bin/env python3
"""The sources of the documentation site are laid out as they should be, and what is missing is named."""

import importlib.util
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))

import headers  # noqa: E402
import pages  # noqa: E402
import plain  # noqa: E402


def check_site():
    where = importlib.util.spec_from_file_location("check_site", ROOT / "tools/check-site.py")
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    return module


HEADER = """\
/* About things. */
#ifndef T_H
#define T_H

/* Most of them. */
#define SPK_MOST 3u

/* ---- making ----------------- */

/* A thing. Threads: one at a time. */
typedef struct spk_thing spk_thing;

/* Makes a *thing* of n_; see `spk_thing_free`. */
SPK_API SPK_MUST_CHECK spk_status spk_thing_create(spk_context *context,
                                                   spk_thing **out);
SPK_API void spk_thing_free(spk_thing *thing);

/* Its parts.
 *
 *     spk_parts parts = {0};
 */
typedef struct spk_parts {
    size_t n; /* of them */
} spk_parts;

SPK_API void spk_thing_alone(void);
#endif
"""


class Headers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "thing.h"
        path.write_text(HEADER)
        self.api = headers.api_reader(ROOT)
        self.header = self.api.Header(path)
        names = headers.names_of([self.header], self.api)
        self.page = headers.page(self.header, self.api, lambda n, q: f":{names[n]}:`{n}`" if n in names else None)

    def tearDown(self):
        self.folder.cleanup()

    def test_functions_with_one_comment_stand_together(self):
        self.assertIn(
            ".. c:function:: spk_status spk_thing_create(spk_context *context, spk_thing **out)\n"
            "                void spk_thing_free(spk_thing *thing)\n\n   Makes a \\*thing\\* of n\\_; see ",
            self.page,
        )

    def test_a_function_without_comment_is_there(self):
        self.assertIn("\n.. c:function:: void spk_thing_alone(void)\n", self.page)

    def test_names_are_references(self):
        self.assertIn("see \\ :c:func:`spk_thing_free`\\ .", self.page)

    def test_a_struct_shows_its_members_with_their_comments(self):
        self.assertIn("       size_t n; /* of them */", self.page)
        self.assertIn("   .. code-block:: c\n\n           spk_parts parts = {0};", self.page)

    def test_headings_and_macros(self):
        self.assertIn("Making\n------\n\n.. c:struct:: spk_thing\n", self.page)
        self.assertIn(".. c:macro:: SPK_MOST\n\n   Most of them.\n", self.page)


class Text(unittest.TestCase):
    def test_entries(self):
        lines = ["Parameters", "----------", "a, b_c : of one", "    kind", "d, e,", "f : as there"]
        self.assertEqual(
            plain.to_rst(lines),
            [":Parameters:", "    - **a**, **b\\_c** – of one kind", "    - **d**, **e**, **f** – as there", ""],
        )

    def test_lists_and_drawings(self):
        lines = ["Rules:", "- one", "  goes on", "- *two*", "", "    A -> B"]
        self.assertEqual(
            plain.to_rst(lines, language="c"),
            ["Rules:", "", "- one goes on", "- \\*two\\*", "", ".. code-block:: none", "", "        A -> B", ""],
        )


class Pages(unittest.TestCase):
    def turned(self, page, text):
        needed = set()
        return pages.turned(ROOT / page, text, needed), needed

    def test_links_go_where_the_pages_went(self):
        for page, link, expected in [
            ("README.md", "docs/tutorial.md", "tutorial.md"),
            ("README.md", "docs/README.md", "contents.md"),
            ("docs/README.md", "../bench/results/README.md#a", "bench/results/index.md#a"),
            ("docs/how-to/use-python.md", "../../data/README.md", "../data/index.md"),
            ("docs/glossary.md", "#here", "#here"),
            ("docs/glossary.md", "https://a.org/README.md", "https://a.org/README.md"),
        ]:
            text, needed = self.turned(page, f"[a]({link}) and `[b](README.md)`")
            self.assertEqual(text, f"[a]({expected}) and `[b](README.md)`")
            self.assertFalse(needed)

    def test_files_behind_links_come_along(self):
        text, needed = self.turned("README.md", "![x](docs/demo.png) [y](LICENSE)")
        self.assertEqual(text, "![x](demo.png) [y](LICENSE)")
        self.assertEqual(needed, {ROOT / "docs/demo.png", ROOT / "LICENSE"})

    def test_every_page_of_the_map_is_in_the_margin(self):
        listed = [entry for _, entries in pages.order() for entry in entries]
        self.assertEqual(len(listed), len(set(listed)))
        found = [pages.place(p).with_suffix("") for p in ROOT.glob("docs/**/*.md") if p.name != "README.md"]
        self.assertEqual(sorted(set(listed) - {"bench/results/index"}), sorted(map(str, found)))

    def test_a_notebook_has_cells(self):
        text = pages.notebook("<!-- notebook -->\n# A\n\n```python\nx = 1\n```\n\n```python\ny\n```\n")
        self.assertEqual(text.count("```{code-cell} ipython3\n"), 3)
        self.assertLess(text.index("remove-cell"), text.index("x = 1"))
        self.assertIn(f"os.symlink({str(ROOT / 'data')!r}, \"data\")", text)

    def test_pages_write_into_the_current_folder(self):
        for path in ROOT.glob("docs/**/*.md"):
            for name in re.findall(r"savefig\(\"([^\"]*)\"", path.read_text(encoding="utf-8")):
                self.assertNotIn("/", name, f"{path}: readers have no such folder")

    def test_the_glossary_has_all_terms(self):
        text = (ROOT / "docs/glossary.md").read_text()
        rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
        made = pages.glossary(text)
        self.assertNotIn("| ", made)
        for row in rows:
            term, meaning = row.strip("| ").split(" | ", 1)
            self.assertIn(f"\n{term}\n  {meaning}\n", made)


class Missing(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        entries = {("c:function", "spk_a"), ("c:macro", "spk_b"), ("py:function", "spikemine.read")}
        check = check_site()
        faults = list(check.missing(entries, {"spk_a", "spk_b"}, {"spikemine.read", "spikemine.plot"}))
        self.assertEqual([fault.split(":")[0] for fault in faults], ["spk_b", "spikemine.plot"])

    def test_a_page_that_loads_from_elsewhere_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder)
            (site / "a.html").write_text('<a href="https://a.org">x</a><img src="b.png"><script src="//c.org/d.js">')
            (site / "b.css").write_text("@font-face { src: url('https://e.org/f.woff') } p { src: url(g.png) }")
            self.assertEqual(
                list(check_site().far(site)), ["a.html: loads //c.org/d.js", "b.css: loads https://e.org/f.woff"]
            )


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
