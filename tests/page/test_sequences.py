#!/usr/bin/env python3
"""Whole sequences on the page of HTML reports, alone and beside episodes:  test_sequences.py [NAME ...]"""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser as chromium
import reports
from page_test import PageTest


class Sequences(PageTest):
    """Members, occurrences and their picture, with spikes missing."""

    def part(self, key, what):
        return self.script(
            f"const p = spikemine.page.parts.find(p => p.key === arguments[0]).table; return {what}", key
        )

    def test_occurrences_are_decoded(self):
        report, truth = self.open(reports.sequences)
        for row, (starts, occurrences) in enumerate(truth["occurrences"]):
            self.browser.click(f"#row-{row}")
            self.assertEqual(self.script("return Array.from(spikemine.page.aligned.shown.starts)"), starts)
            times = self.script("return Array.from(spikemine.page.aligned.shown.times, t => t === t ? t : null)")
            self.assertEqual(times, [time for each in occurrences for time in each])
            extent = self.script("return [spikemine.page.raster.marks.low[0], spikemine.page.raster.marks.high[0]]")
            there = [time for time in occurrences[0] if time is not None]
            self.assertEqual(extent, [min(there), max(there)])
            self.assertIn(report["recording"]["units"][report["results"][row]["units"][0]]["label"],
                          self.script("return spikemine.page.aligned.plot.canvas.getAttribute('aria-label')"))  # fmt: skip
        self.assertEqual(self.problems(), [])

    def test_tables_follow_the_chosen_row(self):
        report, _ = self.open(reports.sequences)
        for row in (1, 0):
            self.browser.click(f"#row-{row}")
            for part in report["parts"]:
                self.assertEqual(self.part(part["key"], "p.rows"), part["rows"][row])
        self.assertEqual(self.browser.text("#members-0 .cell"), report["parts"][0]["rows"][0][0][0])
        self.assertEqual(self.script("return document.querySelectorAll('main b, main img, main script').length"), 0)
        self.part("members", "p.setWide(true)")
        self.browser.click("#part-members .head:nth-child(6) button")
        order = self.part("members", "Array.from(p.shown)")
        self.assertEqual(order, [0, 3, 1, 4, 2], "the smallest p first")
        lines = self.part("members", "p.text()").splitlines()
        self.assertEqual(lines[0].split("\t"), [column["key"] for column in report["parts"][0]["columns"]])
        self.assertEqual([line.split("\t")[1] for line in lines[1:]], [str(0.02 * m) if m else "0" for m in order])

    def test_numbers_of_members_and_occurrences(self):
        """No more digits than tell something; a saved table has all. Columns without a name share the width."""
        report, _ = self.open(reports.sequences)
        for part in report["parts"]:
            shown = self.part(part["key"], "p.columns.map((c, k) => p.formats[k](p.rows[0][k], 0))")
            for column, text, value in zip(part["columns"], shown, part["rows"][0][0]):
                digits = {"score": 1, "share": 2}.get(column["key"])
                self.assertTrue(digits is None or text == f"{value:.{digits}f}", (column, text))
        last, side = self.part("occurrences", "[p.heads[p.visible.at(-1)], p.box].map((each) => each.getBoundingClientRect().right)")
        self.assertAlmostEqual(last, side, delta=20)
        self.assertIn("sum of scores", self.script("return spikemine.page.table.columns.map((c) => c.title)"))

    def test_occurrences_of_table_picture_and_raster_are_one(self):
        report, truth = self.open(reports.sequences)
        starts, _ = truth["occurrences"][0]
        self.browser.click("#occurrences-4")
        self.assertEqual(self.script("return [spikemine.page.current, spikemine.page.aligned.current]"), [4, 4])
        view = self.view()
        self.assertTrue(view["from"] <= starts[4] + 40 <= view["to"] and view["to"] - view["from"] < 3000)
        self.browser.click("#chosen-tools .button:last-child")
        self.assertEqual(self.part("occurrences", "p.lastRow"), 5)
        at = self.script("const r = spikemine.page.aligned.plot.canvas.getBoundingClientRect(); return [r.left, r.top]")
        band = self.script("const b = spikemine.page.aligned.box; return [b.band, b.line]")
        self.script("spikemine.page.aligned.plot.canvas.scrollIntoView({block: 'center'})")
        at = self.script("const r = spikemine.page.aligned.plot.canvas.getBoundingClientRect(); return [r.left, r.top]")
        self.browser.point([at[0] + 120, at[1] + 4 + 2 * band[0] + 1 + 8.5 * band[1]], clicks=1)
        self.assertEqual(self.script("return spikemine.page.current"), 8)

    def test_damage_is_told(self):
        report, _ = reports.sequences()
        report["results"][0]["occurrences"] += 1
        self.browser.open_text(reports.join(report))
        self.assertIn("the results have 156 numbers, the column 150", " ".join(self.problems()))


    def test_findings_stand_first(self):
        """A line each with a number, above the sentences, but below a doubt; near copies are smaller, below their own."""
        report, _ = reports.sequences()
        report["results"][1]["copy_of"] = 0
        self.browser.open_text(reports.join({**report, "summary": ["a doubt", "told"], "doubts": 1}))
        tops, sizes, heights = self.script("""
            const boxes = Array.from(document.querySelectorAll('#doubt-lines li, .finding, #summary-lines li'));
            const found = Array.from(document.querySelectorAll('.finding'));
            return [boxes.map(b => b.getBoundingClientRect().top), found.map(f => parseFloat(getComputedStyle(f).fontSize)),
                found.map(f => f.getBoundingClientRect().height / parseFloat(getComputedStyle(f).fontSize))]""")
        self.assertEqual(tops, sorted(tops))
        self.assertEqual((len(tops), len(sizes)), (4, 2))
        self.assertLess(sizes[1], sizes[0])
        self.assertLess(max(heights), 2.5, "one line")
        self.assertEqual(self.script("return document.querySelectorAll('#findings > li').length"), 1)
        self.assertEqual(self.browser.text("#summary-lines"), "told")
        self.assertIn("nearly the same, ", self.browser.text(".copies .finding"))
        self.browser.click(".copies .finding")
        self.assertEqual(self.script("return spikemine.page.row"), 1)
        self.assertEqual(self.browser.text("#findings-lead"), "Click one to look at it:")

    def test_beside_episodes(self):
        """Whole sequences come first, with all panels of their own; the episodes are a click away, and back."""
        report, episodes = reports.episodes(n_units=12, n_rows=5, span=20_000)
        sequences, truth = reports.sequences()
        report["sequences"] = {key: sequences[key] for key in ("kind", "columns", "rows", "results", "parts", "occurrences")}
        report["sequences"]["graph"] = {"edges": [[5, 6, 9, None, "sequence 2"], [6, 7, 8, None, "sequence 2"]]}
        report["again"] = ["spikemine episodes 'a<b>.txt'", "spikemine sequences 'a<b>.txt'"]
        self.browser.open_text(reports.join(report))
        self.assertIn("whole sequences and serial episodes", self.browser.text("#made"))
        self.assertIn("of each episode", self.browser.text("#null-text"))
        self.assertEqual(self.browser.text("#null-title"), "What chance gives: episodes")
        for row, button in enumerate(self.script("return spikemine.page.lists[1].findings.strongest()"), len(sequences["results"])):
            own = set(report["results"][button]["units"])
            inside = [len(own & set(each["units"])) for each in sequences["results"]]
            most = next((k for k, n in enumerate(inside) if 2 * n > len(own)), None)
            words = "episode" if most is None else \
                f"episode, {'all' if inside[most] == len(own) else f'{inside[most]} of {len(own)}'} units in {most + 1}"
            self.assertIn(f"{words}, ", self.browser.text(f"#findings > li:nth-child({row + 1})"))
        shown = "return Array.from(spikemine.page.aligned.shown.times, t => t === t ? t : null)"
        marked = """
            const { times, units } = spikemine.page.raster.marks;
            return [Array.from(times, t => t === t ? t : null), units, spikemine.page.raster.order.slice(0, units.length)]"""
        self.assertEqual(self.script("return spikemine.page.row"), 0)
        for row, (_, occurrences) in ((0, truth["occurrences"][0]), (1, truth["occurrences"][1])):
            self.browser.click(f"#findings li:nth-child({row + 1}) button")
            times = [time for each in occurrences for time in each]
            units = sequences["results"][row]["units"]
            self.assertEqual(self.script(shown), times)
            self.assertEqual(self.script(marked), [times, units, units], "the raster shows what is told above")
            self.assertEqual(self.browser.text("#chosen-name").split(" → ")[0],
                             self.browser.text(f"#findings li:nth-child({row + 1})").split(" → ")[0])  # fmt: skip
            self.assertEqual(self.script("return spikemine.page.parts.map(p => p.rows.length)"), [2, 2])
        self.assertIn("u5 → u6 → u7", self.browser.text("#findings li:nth-child(2)"))
        self.assertEqual(self.script("return spikemine.page.graph.lines.length"), 2)
        self.browser.click("#lists .button:last-child")
        self.assertEqual(self.script("return spikemine.page.row"), 0)
        self.assertEqual(self.script(marked)[0], [time for each in episodes["occurrences"][0] for time in each])
        self.assertEqual(self.script("return document.querySelectorAll('#parts section').length"), 0)
        self.assertEqual(self.script("return spikemine.page.graph.lines.length"), len(report["graph"]["edges"]))
        self.script("spikemine.page.showTested(2)")
        self.browser.click("#lists .button:first-child")
        self.assertEqual(self.script(shown)[:1], [truth["occurrences"][0][1][0][0]])
        self.assertEqual(self.script("return document.querySelectorAll('.finding[aria-pressed=true]').length"), 1)
        listeners = "return spikemine.page.theme.listeners.length"
        before = self.script(listeners)
        for which in 3 * ("last", "first"):
            self.browser.click(f"#lists .button:{which}-child")
        self.assertEqual(self.script(listeners), before)
        self.assertEqual(self.script("return document.querySelectorAll('.findings').length"), 1)
        self.assertEqual(self.script("return Array.from(document.querySelectorAll('#again pre'), p => p.textContent)"),
                         report["again"])  # fmt: skip
        self.assertEqual(self.problems(), [])
        report["sequences"]["results"][0]["occurrences"] += 1
        self.browser.open_text(reports.join(report))
        self.assertIn("the results have", " ".join(self.problems()))
        self.assertEqual(self.script("return [spikemine.page.report.kind, document.getElementById('lists').children.length]"),
                         ["episodes", 0])  # fmt: skip

    def test_unit_of_lags(self):
        """The same as in figures (test_figure_layout.c) and Python (test_plot.py)."""
        self.open(reports.smallest)
        for longest, factor, unit in ((1e-6, 1e9, "ns"), (2e-6, 1e6, "µs"), (1.9e-3, 1e6, "µs"), (2e-3, 1e3, "ms"),
                                      (1.9, 1e3, "ms"), (2, 1, "s"), (900, 1 / 60, "min"), (10800, 1 / 3600, "h")):  # fmt: skip
            self.assertEqual(self.script("return spikemine.aligned.lagUnit(arguments[0])", longest), [factor, unit])

    def test_units_of_parts(self):
        self.open(reports.sequences)
        texts = "p.visible.slice(0, 4).map(c => [p.columns[c].title, p.formats[c](p.rows[1][c], 1)])"
        self.assertEqual(self.part("members", texts), [["unit", reports.HOSTILE[1]], ["lag_s", "20 ms"], ["spread_s", "2.5 ms"], ["member_p", "0.010"]])
        self.assertRegex(self.part("occurrences", "p.formats[3](p.rows[1][3], 1)"), "^[0-5] of 5$")


if __name__ == "__main__":
    if chromium.missing():
        print(f"pages were not looked at: {chromium.missing()}")
        sys.exit(0)
    unittest.main(verbosity=1)
