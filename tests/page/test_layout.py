#!/usr/bin/env python3
"""How a report of the songbird looks, from a telephone to a large screen:  test_layout.py [NAME ...]

SPIKEMINE names the command that writes it. With SPIKEMINE_TEST_WRITE_FIGURES=1 the first screen at each size is written
to tests/page/pictures, and the picture of the documentation: look at them.
"""

import os
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser as chromium
import reports
from page_test import CommandTest, PageTest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "tests/page/pictures"
SIZES = ((390, 844), (800, 1100), (1400, 900), (2560, 1440))
TEST = ("episodes", "--test", "exact", "--delay", "0ms:34ms", "--delay", "34ms:67ms", "--support", "12", "--distinct-units",
        "2", "--jitter", "500ms", "--surrogates", "39", "--report", "core")  # fmt: skip


class Report(CommandTest):
    def test_sizes(self):
        """Nothing runs out of the side, no column is cut, count and p are there, and the first screen says what was found."""
        self.run_command(*TEST)
        for width, height in SIZES:
            self.browser.resize(width, height)
            with self.subTest(width=width):
                self.check_size(width, height)
        self.browser.resize(1300, 900)

    def check_size(self, width, height):
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)
        cut, shown = self.script("""
            const { box, heads, columns, visible } = spikemine.page.table, side = box.getBoundingClientRect().right;
            return [visible.map(c => heads[c]).filter(h => h.getBoundingClientRect().right > side
                || h.scrollWidth > h.clientWidth).map(h => h.textContent), visible.map(c => columns[c].key)]""")
        self.assertEqual(cut, [])
        self.assertLessEqual({"name", "count", "p"}, set(shown))
        self.assertGreaterEqual(len(shown), {390: 3, 800: 5, 1400: 6, 2560: 8}[width], shown)
        letters, used = self.script("""
            return [parseFloat(getComputedStyle(document.querySelector('.table')).fontSize),
                document.querySelector('main').clientWidth / innerWidth]""")
        self.assertGreaterEqual(letters, 17 if width == 2560 else 13)
        self.assertGreater(used, 0.85)
        found, raster = self.script("""
            return ['#findings', '#raster canvas'].map(s => document.querySelector(s).getBoundingClientRect().bottom)""")
        self.assertLess(found, height)
        if width >= 1400:
            self.assertLess(raster, height, "the raster is on the first screen, too")
            same = self.script("""
                const cells = [...document.querySelectorAll('#table .rows .cell:first-child')];
                return cells.filter(c => c.scrollWidth > c.clientWidth).length""")
            self.assertEqual(same, 0, "names are told apart")

    def test_more_columns(self):
        """What does not fit is a click away."""
        self.run_command(*TEST)
        keys = "const t = spikemine.page.table; return t.visible.map(c => t.columns[c].key)"
        fitting = self.script(keys)
        self.browser.click(".more")
        self.assertEqual(self.script("const t = spikemine.page.table; return t.visible.length - t.columns.length"), 0)
        self.browser.click(".more")
        self.assertEqual(self.script(keys), fitting)

    def test_options_are_whole(self):
        """An option of the command stands in one line, also on a telephone."""
        self.run_command(*TEST)
        self.browser.resize(390, 844)
        options = self.script("""
            return Array.from(document.querySelectorAll('#command .word'), (word) => [word.textContent, word.getClientRects().length])""")
        self.assertEqual(options, [[word, 1] for word in self.browser.text("#command").split() if word.startswith("-")])
        self.assertGreater(len(options), 5)
        self.browser.resize(1300, 900)

    def test_a_telephone(self):
        """Buttons of the raster in one line, several marks on its axis, an axis of scores that is not cut, no hints on keys."""
        self.run_command(*TEST)
        self.browser.resize(390, 844)
        tops = self.script("return Array.from(document.querySelectorAll('#raster-tools button'), (b) => b.getBoundingClientRect()).filter((r) => r.width).map((r) => r.top)")
        self.assertEqual(len(set(tops)), 1)
        self.assertEqual(self.script("return document.querySelector('#raster-help .keys').getClientRects().length"), 0)
        texts = self.script("""
            const { raster, nullPlots } = spikemine.page, seen = [[], []];
            [raster.plot, nullPlots[0].plot].forEach((plot, k) => {
                const own = plot.canvas.getContext('2d').fillText;
                CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { seen[k].push(String(text)); own.call(this, text, ...at); };
                plot.render();
                delete plot.canvas.getContext('2d').fillText;
                CanvasRenderingContext2D.prototype.fillText = own;
            });
            return seen""")
        self.assertGreaterEqual(sum(bool(re.fullmatch(r"[\d.:]+\.\d+", text)) for text in texts[0]), 3, texts[0])
        self.assertIn("score", texts[1])
        self.browser.resize(1300, 900)

    def test_each_head_has_a_tip(self):
        for command in (TEST, ("sequences", "--longest-lag", "600ms", "--jitter", "8/30s", "--surrogates", "2", "--alpha", "1",
                               "--max-sequences", "1")):  # fmt: skip
            self.run_command(*command)
            tips = self.script("return Array.from(document.querySelectorAll('.head button'), b => [b.textContent, b.title])")
            self.assertGreater(len(tips), 5)
            for name, tip in tips:
                self.assertRegex(tip, re.escape(name) + ": .{10}")

    def test_what_a_new_reader_asks(self):
        """Lags have the unit of the drawings, nothing is said to mean nothing, and the smallest p has its reason."""
        self.run_command(*TEST)
        facts = self.browser.text("#chosen-facts")
        self.assertRegex(facts, r"lags33\.3 ms, 33\.3 ms")
        self.assertNotIn("may mean", facts)
        self.assertIn("smallest p that so many surrogates give is 0.025", self.browser.text("#null-text"))
        self.assertEqual(self.browser.text(".place"), "occurrence 1 of 18")

    def test_findings(self):
        """The strongest of each group of units, in sentences with the numbers of the table; a click goes there."""
        self.run_command(*TEST)
        rows = self.script("return spikemine.page.findings.strongest()")
        self.assertEqual(rows[0], 0)
        units = self.script("return arguments[0].map(r => spikemine.page.report.results[r].units)", rows)
        for k, own in enumerate(units):
            self.assertTrue(all(len(set(own) & set(other)) <= len(set(own)) / 2 for other in units[:k]))
        value = "return spikemine.page.findings.value(arguments[0], arguments[1])"
        for k, row in enumerate(rows):
            said = self.script("return document.querySelectorAll('.finding')[arguments[0]].textContent", k)
            count, p = self.script(value, row, "count"), self.script(value, row, "p")
            self.assertRegex(said, rf" {count} times, [0-9.]+ by chance, p\u00a0{p:.2g}$".replace(".", r"\."))
            self.browser.click(f"#findings li:nth-child({k + 1}) button")
            self.assertEqual(self.script("return spikemine.page.row"), row)
            self.check_close(units[k])

    def check_close(self, units):
        """The units of the result stand above, in its order, and an occurrence fills a good part of the width."""
        order, view, marks = self.script("""
            const { raster, current } = spikemine.page, { low, high } = raster.marks;
            return [raster.order, raster.view, [low[current], high[current]]]""")
        self.assertEqual(order[: len(units)], units)
        self.assertEqual(sorted(order), list(range(74)))
        first = self.script("""
            const { levels, view, order } = spikemine.page.raster;
            return order.slice(0, view.bottom).filter(u => !levels.fires(u, view.from, view.to)).length""")
        self.assertLessEqual(first, 8 - len(set(units)), "units that are silent have no rows but those to spare")
        self.assertTrue(view["from"] <= marks[0] and marks[1] <= view["to"] and view["top"] == 0)
        self.assertGreater((marks[1] - marks[0]) / (view["to"] - view["from"]), 0.2)

    @unittest.skipUnless(os.environ.get("SPIKEMINE_TEST_WRITE_FIGURES"), "asked for by SPIKEMINE_TEST_WRITE_FIGURES=1")
    def test_pictures(self):
        for colours in ("light", "dark"):
            self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
            self.run_command(*TEST)
            for width, height in SIZES:
                self.browser.resize(width, height)
                self.browser.screen(PICTURES / f"report-{width}-{colours}.png", width, height, min(1, 900 / width))
        self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.browser.resize(1400, 1300)
        self.browser.screen(ROOT / "docs/figures/report.png", 1400, 1300, 1)
        self.browser.resize(1300, 900)


class MadeUp(PageTest):
    def test_nothing_found(self):
        """What is listed although nothing is significant is no finding, and without a test none is."""
        report, _ = reports.episodes(n_rows=5)
        report["test"]["significant"] = [False] * 5
        lead = "return [document.getElementById('findings-lead').textContent, document.querySelectorAll('.finding').length]"
        self.browser.open_text(reports.join(report))
        self.assertEqual(self.script(lead), ["None is significant: all that is listed may be chance.", 0])
        self.browser.open_text(reports.join({**report, "test": None}))
        said, n = self.script(lead)
        self.assertIn("Not tested against chance", said)
        self.assertGreater(n, 0)

    def test_what_a_row_means(self):
        """What cannot be told from the chain is said in words; a mean near 0 is not a power of ten, nor 0."""
        report, _ = reports.episodes(n_rows=1)
        report["columns"].append({"key": "meaning", "title": "may mean", "help": "", "type": "text"})
        report["rows"][0] += ["rhythm,synchrony"]
        report["test"]["significant"] = [True]
        for kind, expected, said, means in (
            ("episodes", 0, "< 0.001", "rhythm, synchrony (both directions are significant)"),
            ("patterns", 486.04, "486", "rhythm, synchrony (all spikes lie in one bin)"),
            ("episodes", 0.0257, "0.026", "rhythm, synchrony (both directions are significant)"),
        ):
            report["rows"][0][3] = expected
            self.browser.open_text(reports.join({**report, "kind": kind}))
            text = self.browser.text(".finding")
            self.assertIn(f", {said} by chance, p\u00a0", text)
            self.assertTrue(text.endswith(f"; may mean {means}"), text)
            cells = self.script("return Array.from(document.querySelectorAll('#table .rows .cell'), c => c.textContent)")
            self.assertEqual("< 0.001" in cells, expected == 0, cells)

    def test_a_pair_in_both_directions_is_one_finding(self):
        """The way back stands below it, is chosen by a click, and is no finding of its own."""
        report, _ = reports.episodes(n_rows=3)
        report["columns"].append({"key": "meaning", "title": "may mean", "help": "", "type": "text"})
        report["rows"] = [[*row, "synchrony"] for row in report["rows"]]
        report["test"]["significant"] = [True] * 3
        for row, units in enumerate(([0, 1], [1, 0], [2, 3])):
            report["results"][row].update(units=units, lags=[[0, 50]])
        self.browser.open_text(reports.join(report))
        texts = self.script("return Array.from(document.querySelectorAll('#findings > li > .finding'), (f) => f.textContent)")
        self.assertEqual(len(texts), 2)
        self.assertTrue(texts[0].endswith("; both directions: synchrony"), texts)
        self.assertTrue(texts[1].endswith("; may mean synchrony (both directions are significant)"), texts)
        back = self.script("return Array.from(document.querySelectorAll('.copies .finding'), (f) => f.textContent)")
        self.assertEqual(len(back), 1)
        self.assertRegex(back[0], r"the other way round, [\d,]+ times?, \S+ by chance, p.[\d.]+$")
        self.browser.click(".copies .finding")
        self.assertEqual(self.script("return spikemine.page.row"), 1)

    def test_digits_of_the_chosen_result(self):
        """Three tell enough of a number that stands alone; the table keeps its own."""
        report, _ = reports.episodes(n_rows=2)
        report["columns"].append({"key": "direction_p", "title": "direction p", "help": "", "type": "real"})
        for row, p in zip(report["rows"], (0.246135, 0.5)):
            row.append(p)
        self.browser.open_text(reports.join(report))
        self.assertIn("direction p0.246", self.browser.text("#chosen-facts"))
        self.assertNotIn("0.2461", self.browser.text("#chosen-facts"))
        cells = self.script("const t = spikemine.page.table; return t.columns.map((column, c) => t.formats[c](t.rows[0][c], 0))")
        self.assertIn("0.2461", cells)

    def test_the_command_without_its_folder(self):
        report, _ = reports.episodes(n_rows=1)
        for command in ("/tmp/x/bin/spikemine episodes a/b.txt", "'/tmp/my x/spikemine' episodes a/b.txt", "spikemine episodes a/b.txt"):
            self.browser.open_text(reports.join({**report, "command": command}))
            self.assertEqual(self.browser.text("#command"), "spikemine episodes a/b.txt")

    def test_table_as_tall_as_its_rows(self):
        """Few rows make a small table, which a search leaves as it is; many scroll."""
        height = "return spikemine.page.table.box.getBoundingClientRect().height"
        for n_rows, least, most in ((1, 55, 70), (4, 140, 160), (200, 590, 610)):
            self.open(reports.episodes, 1, 40, 600_000, 0.001, 200, n_rows)
            before = self.script(height)
            self.assertTrue(least <= before <= most, before)
            self.script("spikemine.page.setFilter('search', { keep: () => false })")
            self.assertEqual(self.script(height), before)

    def test_axis_of_scores(self):
        """A few large scores do not press the others into one bar; the axis names the null hypothesis."""
        report, _ = reports.episodes(n_rows=5)
        report["test"]["name"] = "units shifted apart, means within 25ms"
        axis = "const [plot] = spikemine.page.nullPlots; return [plot.axis.logarithmic, plot.title, plot.box.xOf(9) - plot.box.xOf(0)]"
        for largest, logarithmic in (([], False), ([4e6] * 3, True)):
            report["test"]["largest_scores"][0] = [k * 9 / 198 for k in range(199 - len(largest))] + largest
            self.browser.open_text(reports.join(report))
            got, title, wide = self.script(axis)
            self.assertEqual((got, title), (logarithmic, report["test"]["name"]))
            self.assertGreater(wide, 40)

    def test_the_fullest_occurrence_of_a_sequence(self):
        _, truth = self.open(reports.sequences)
        missing = [times.count(None) for times in truth["occurrences"][0][1]]
        self.assertEqual(self.script("return spikemine.page.current"), missing.index(min(missing)))

    def test_order_of_units(self):
        """The button and its key give the order of the recording, and that of the result back, with the units that fire
        in sight next; rows know their units."""
        report, truth = self.open(reports.episodes)
        row = self.script("return spikemine.page.row")
        first = list(dict.fromkeys(report["results"][row]["units"]))
        order = "const { raster } = spikemine.page; return [raster.order, Array.from(raster.rowOf)]"
        for key, want in (("o", []), ("o", first)):
            self.browser.type(key)
            got, rows = self.script(order)
            view = self.view()
            fires = [any(view["from"] <= time < view["to"] for time in train) for train in truth["trains"]]
            others = sorted((u for u in range(40) if u not in want), key=lambda u: want != [] and not fires[u])
            self.assertEqual(got, want + others)
            self.assertEqual([got[r] for r in rows], list(range(40)))
        time = truth["occurrences"][row][0][0]
        x, y = self.script("""
            const { raster } = spikemine.page, rect = raster.plot.canvas.getBoundingClientRect();
            return [rect.left + raster.xOf(arguments[0]), rect.top + raster.yOf(arguments[1])]""", time, first[0])  # fmt: skip
        self.browser.point((x, y))
        self.assertIn(f"unit u{first[0]}spike at", self.browser.text(".bubble"))


if __name__ == "__main__":
    if chromium.missing():
        print(f"pages were not looked at: {chromium.missing()}")
        sys.exit(0)
    unittest.main(verbosity=1)
