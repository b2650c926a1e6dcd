#!/usr/bin/env python3
"""The page of HTML reports in headless Chromium:  test_page.py [NAME ...]

SPIKEMINE: a command whose own reports are looked at, too.
"""

import copy
import json
import os
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser as chromium
import reports
from page_test import CommandTest, PageTest


def luminance(colour):
    """Of #rrggbb, as the accessibility guidelines (WCAG 2) define it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@unittest.skipIf(chromium.missing(), chromium.missing())
class Loading(PageTest):
    def test_no_error_no_request(self):
        for make in (reports.episodes, reports.patterns, reports.sequences, reports.hostile, reports.smallest):
            with self.subTest(make.__name__):
                self.open(make)
                console, asked = self.browser.logs()
                self.assertEqual(console, [])
                self.assertEqual([url for url in asked if not url.startswith(("file:", "data:"))], [])
                self.assertEqual(len([url for url in asked if url.startswith("file:")]), 1, asked)
                self.assertEqual(self.problems(), [])

    def test_policy_forbids_network(self):
        self.open(reports.smallest)
        text = self.script("return document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
        self.assertIn("default-src 'none'", text)
        got = self.browser.wait_script("fetch('https://example.org').then(() => done('loaded'), () => done('refused'))")
        self.assertEqual(got, "refused")

    def test_panels_without_data_are_hidden(self):
        visible = (
            "return Array.from(document.querySelectorAll('section.panel'), s => s.hidden ? '' : s.id).filter(s => s)"
        )
        self.open(reports.smallest)
        self.assertEqual(self.script(visible), ["summary", "recording", "making"])
        self.open(reports.episodes)
        self.assertEqual(self.script(visible), ["summary", "recording", "chosen", "results", "null", "graph", "making"])
        self.open(reports.patterns)
        self.assertEqual(self.script(visible), ["summary", "recording", "chosen", "spectrum", "results", "making"])
        self.open(reports.sequences)
        shown = ["summary", "recording", "chosen", "results", "part-members", "part-occurrences", "making"]
        self.assertEqual(self.script(visible), shown)

    def test_empty_list(self):
        report, _ = reports.episodes(n_rows=1)
        report.update(rows=[], results=[], occurrences={"n": 0, "v": ""}, graph={"edges": []})
        report["test"]["significant"] = []
        self.browser.open_text(reports.join(report))
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.browser.text("#results-count"), "0 results")
        self.assertEqual(self.browser.text(".none"), "There are no results.")
        self.assertTrue(self.script("return document.getElementById('chosen').hidden"))

    def test_what_is_said(self):
        report, _ = self.open(reports.episodes, notes=["a note"], method=["a way"])
        self.assertEqual(self.browser.text("#careful h2"), "What to be careful about")
        self.assertEqual(self.script("return document.querySelector('#careful #note-lines').textContent"), "a note")
        self.assertEqual(self.script("return document.querySelector('#making #method-lines').textContent"), "a way")
        lines = self.script("return Array.from(document.querySelectorAll('#summary .lines li'), li => li.textContent)")
        self.assertEqual(lines, report["summary"])
        rows = self.script(
            "return Array.from(document.querySelectorAll('#settings tr'), tr => Array.from(tr.cells, c => c.textContent))"
        )
        self.assertEqual(rows, report["settings"])
        self.assertEqual(self.browser.text("#command"), report["command"])
        self.assertEqual(self.browser.text("#title"), report["title"])

    def test_syntax_of_each_file(self):
        self.browser.open_text("<!DOCTYPE html>")
        files = (reports.WEB / "order.txt").read_text().split()
        self.assertEqual(sorted(files), sorted(path.name for path in reports.WEB.glob("*.js")))
        for name in files:
            wrong = self.script("try { new Function(arguments[0]) } catch (error) { return String(error) } return ''",
                                (reports.WEB / name).read_text())  # fmt: skip
            self.assertEqual(wrong, "", name)

    def test_labels_are_text(self):
        report, _ = self.open(reports.hostile)
        self.assertEqual(self.script("return document.title"), report["title"])
        self.assertEqual(
            self.script("return document.querySelectorAll('main b, main img, main script, main i').length"), 0
        )
        self.assertEqual(self.script("return document.querySelector('#row-0 .cell').title"), report["rows"][0][0])
        self.assertEqual(self.script("return spikemine.page.table.formats[2](null)"), "–")
        self.browser.click("#row-1")
        self.assertIn("no occurrences", self.browser.text("#aligned"))
        self.browser.click("#row-2")
        self.assertEqual(self.browser.text(".place"), "occurrence 1 of 1")
        self.assertEqual(self.problems(), [])


class Damage(PageTest):
    """What is wrong is told on the page."""

    def told(self, text):
        self.browser.open_text(reports.join(text))
        return " ".join(self.problems())

    def test_unknown_version(self):
        report, _ = reports.smallest()
        report["version"] = 2
        self.assertIn("version 2 of the report, this page reads version 1", self.told(report))

    def test_no_report(self):
        self.assertIn("no data of a spikemine report", self.told("{}"))
        self.assertIn("cannot be read", self.told("SPIKEMINE-DATA not replaced"))
        self.assertIn("cut off", self.told(json.dumps(reports.smallest()[0])[:-10]))

    def test_contradictions(self):
        report, _ = reports.episodes(n_rows=3)
        short = copy.deepcopy(report)
        short["rows"].pop()
        self.assertIn("2 rows for 3 results", self.told(short))
        wrong = copy.deepcopy(report)
        wrong["results"][1]["units"][0] = 40
        self.assertIn("Row 2 names a unit that is not in the recording", self.told(wrong))

    def test_damaged_columns_leave_the_rest(self):
        report, _ = reports.episodes(n_rows=3)
        for field, change, words in (
            (("recording", "spikes"), lambda column: {**column, "v": column["v"][:-8]}, "cut off"),
            (("recording", "spikes"), lambda column: {**column, "n": column["n"] - 1}, "more spikes than the column"),
            (("recording", "spikes"), lambda column: {**column, "v": "?" + column["v"][1:]}, "no base64"),
            (("occurrences",), lambda column: {**column, "v": column["v"][:-8]}, "cut off"),
            (("occurrences",), lambda column: {**column, "n": column["n"] + 1}, "spikes, the column"),
        ):
            damaged = copy.deepcopy(report)
            place = damaged[field[0]] if len(field) == 2 else damaged
            place[field[-1]] = change(place[field[-1]])
            told = self.told(damaged)
            self.assertIn(words, told)
            self.assertIn(field[-1], told)
            self.assertEqual(self.browser.text("#results-count"), "3 results")
            self.assertEqual(self.script("return document.getElementById('recording').hidden"), field[0] == "recording")


class Decoding(PageTest):
    def test_columns_are_exact(self):
        for make in (reports.episodes, reports.patterns, reports.hostile):
            _, truth = self.open(make)
            times = self.script("return Array.from(spikemine.page.spikes.times)")
            self.assertEqual(times, [time for train in truth["trains"] for time in train])
            self.assertEqual(self.script("return Array.from(spikemine.page.occurrences.times)"),
                             [time for row in truth["occurrences"] for times in row for time in times])  # fmt: skip

    def test_large_and_damaged_numbers(self):
        rng = random.Random(int(os.environ.get("SPIKEMINE_TEST_SEED", "11")))
        self.open(reports.smallest)
        numbers = [rng.getrandbits(rng.randrange(1, 54)) for _ in range(5000)] + [0, 127, 128, 2**32, 2**53 - 1]
        read = """
            const reader = new spikemine.decode.VarintReader(spikemine.decode.bytesOfBase64(arguments[0], 'x'), 'x');
            const got = [];
            try {
                for (let i = 0; i < arguments[1]; i++) got.push(arguments[2] ? reader.nextZigzag() : reader.next());
                reader.end();
            } catch (error) { return error.message }
            return got"""
        self.assertEqual(self.script(read, reports.varints(numbers), len(numbers), False), numbers)
        signed = [rng.choice((-1, 1)) * rng.getrandbits(rng.randrange(1, 53)) for _ in range(5000)]
        packed = reports.varints(map(reports.zigzag, signed))
        self.assertEqual(self.script(read, packed, len(signed), True), signed)
        beyond = [2**53 + 1, 2**60 + 12345, 2**63 - 1]
        for got, want in zip(self.script(read, reports.varints(beyond), 3, False), beyond):
            self.assertAlmostEqual(got / want, 1, delta=3e-16)
        self.assertIn("too large", self.script(read, reports.varints([2**70]), 1, False))
        self.assertIn("too early", self.script(read, reports.varints([5]), 2, False))
        self.assertIn("2 bytes too many", self.script(read, reports.varints([5, 6, 7]), 1, False))

    def test_times_beyond_32_bits(self):
        trains = [[5, 2**40, 2**40 + 1], [0]]
        self.browser.open_text(reports.join(reports.frame("episodes", ["a", "b"], trains, 1e-9, 2**41)))
        self.assertEqual(self.script("return Array.from(spikemine.page.spikes.times)"), trains[0] + trains[1])
        self.assertEqual(self.problems(), [])

    def test_ticks_finer_than_doubles(self):
        """Decimal times of 16 digits have ticks of 1e-16 s; the page shows them, rounded."""
        trains = [[1, 17_666_666_666_666_666, 221_999_999_999_999_999], [5]]
        self.browser.open_text(reports.join(reports.frame("episodes", ["a", "b"], trains, 1e-16, 222 * 10**15)))
        self.assertEqual(self.problems(), [])
        times = self.script("return Array.from(spikemine.page.spikes.times)")
        for got, want in zip(times, trains[0] + trains[1]):
            self.assertAlmostEqual(got * 1e-16, want * 1e-16, delta=1e-14)
        self.script("for (let k = 0; k < 60; k++) spikemine.page.raster.zoom(2)")
        self.browser.settle()
        self.assertEqual(self.problems(), [])


class Results(PageTest):
    def test_click_shows_the_occurrences(self):
        report, truth = self.open(reports.episodes)
        for row in (4, 7, 0):
            self.browser.click(f"#row-{row}")
            flat = [time for times in truth["occurrences"][row] for time in times]
            self.assertEqual(self.browser.text("#chosen-name"), report["rows"][row][0])
            self.assertEqual(self.script("return Array.from(spikemine.page.aligned.lags.times)"), flat)
            self.assertEqual(self.script("return Array.from(spikemine.page.raster.marks.times)"), flat)
            self.assertEqual(self.browser.text(".place"), f"occurrence 1 of {len(truth['occurrences'][row])}")
            lags = self.script(
                "return spikemine.page.aligned.lags.steps.map(s => [s.low, s.high, Array.from(s.values)])"
            )
            for k, (low, high, values) in enumerate(lags):
                self.assertEqual([low, high], report["results"][row]["lags"][k])
                self.assertEqual(values, sorted(t[k + 1] - t[k] for t in truth["occurrences"][row]))

    def test_lags_of_patterns(self):
        report, truth = self.open(reports.patterns)
        self.browser.click("#row-2")
        lags = self.script("return spikemine.page.aligned.lags.steps.map(s => [s.low, s.high, Array.from(s.values)])")
        for k, (low, high, values) in enumerate(lags, 1):
            lag = report["results"][2]["lags"][k]
            self.assertEqual([low, high], [lag - report["bin"], lag + report["bin"]])
            self.assertEqual(values, sorted(t[k] - t[0] for t in truth["occurrences"][2]))
            self.assertTrue(all(low < value < high for value in values))

    def test_lags_of_all_results_share_an_axis(self):
        for make in (reports.episodes, reports.patterns):
            report, _ = self.open(make)
            ranges = set()
            for row in (0, 2, 4):
                self.browser.click(f"#row-{row}")
                ranges.add(tuple(self.script("return spikemine.page.aligned.stepRange()")))
            lags = [result["lags"] for result in report["results"]]
            if make is reports.episodes:
                most = max(high for steps in lags for _, high in steps)
                least = 0
            else:
                most = max(lag - own[0] for own in lags for lag in own[1:]) + report["bin"]
                least = min(0, min(lag - own[0] for own in lags for lag in own[1:]) - report["bin"])
            self.assertEqual(ranges, {(least, most + max(1, 0.02 * (most - least)))})

    def test_begins_close_to_the_first_occurrence(self):
        _, truth = self.open(reports.episodes)
        view, times = self.view(), truth["occurrences"][self.script("return spikemine.page.row")][0]
        self.assertLessEqual(view["from"], min(times))
        self.assertGreaterEqual(view["to"], max(times))
        self.assertLess(view["to"] - view["from"], 3000)
        keys = self.script("return spikemine.page.table.columns.map(column => column.key)")
        self.assertEqual(keys[:4], ["episode", "count", "expected", "p"])

    def test_next_and_previous_move_the_raster(self):
        _, truth = self.open(reports.episodes)
        self.browser.click("#row-5")
        occurrences = truth["occurrences"][5]
        self.browser.click("#chosen-tools .button:last-child")
        for at in (1, 0, len(occurrences) - 1):
            view = self.view()
            self.assertEqual(self.script("return spikemine.page.current"), at)
            self.assertLessEqual(view["from"], min(occurrences[at]))
            self.assertGreaterEqual(view["to"], max(occurrences[at]))
            self.assertLess(view["to"] - view["from"], 3000)
            self.browser.click("#chosen-tools .button:first-child")

    def test_sorting(self):
        report, _ = self.open(reports.episodes)
        self.script("spikemine.page.table.setWide(true)")
        kinds = {0: ("text", 1, 0), 2: ("integer", -1, 1), 4: ("real", -1, 5), 6: ("real", 1, 6)}
        for column, (kind, first, place) in kinds.items():

            def expected(direction, column=column):
                rows = range(len(report["rows"]))
                value = {row: report["rows"][row][column] for row in rows}
                known = [row for row in rows if value[row] is not None]
                return sorted(known, key=lambda row: direction * value[row]) + [r for r in rows if value[r] is None]

            for direction in (first, -first):
                self.browser.click(f".head:nth-child({place + 1}) button")
                word = "ascending" if direction > 0 else "descending"
                self.assertEqual(
                    self.script(f"return spikemine.page.table.heads[{place}].getAttribute('aria-sort')"), word
                )
                if kind != "text":
                    self.assertEqual(self.shown(), expected(direction))
            self.browser.click(f".head:nth-child({place + 1}) button")
            self.assertEqual(self.shown(), list(range(len(report["rows"]))), "third time: the list's order")

    def test_text_is_sorted_as_people_order_it(self):
        report, _ = self.open(reports.episodes)
        self.browser.click(".head:nth-child(1) button")
        units = [int(report["rows"][row][0].split()[0][1:]) for row in self.shown()]
        self.assertEqual(units, sorted(units))

    def test_search(self):
        report, _ = self.open(reports.episodes)
        results = report["results"]
        self.browser.click("#search")
        self.browser.type("u3")
        self.assertEqual(self.shown(), [r for r, result in enumerate(results) if 3 in result["units"]])
        self.browser.type(" u5")
        self.assertEqual(self.shown(), [r for r, result in enumerate(results) if {3, 5} <= set(result["units"])])
        self.script(
            "const s = document.getElementById('search'); s.value = '(0,5ms]'; s.dispatchEvent(new Event('input'))"
        )
        self.assertEqual(self.shown(), [r for r, row in enumerate(report["rows"]) if "(0,5ms]" in row[0]])
        self.script(
            "const s = document.getElementById('search'); s.value = 'nothing'; s.dispatchEvent(new Event('input'))"
        )
        self.assertEqual(self.shown(), [])
        self.assertEqual(self.browser.text(".none"), "No row fits the search.")
        self.assertEqual(self.browser.text("#results-count"), f"0 of {len(results)} results")

    def test_search_of_labels_with_spaces(self):
        self.open(reports.hostile)
        for query, rows in (
            ("a b", []),
            ("ξ₁ 単位 🧠", [2]),
            ("<script>", [0]),
            ("__proto__", [2]),
            ("constructor", []),
        ):
            self.script("const s = document.getElementById('search'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))",
                        query)  # fmt: skip
            self.assertEqual(self.shown(), rows, query)

    def test_significant_only(self):
        report, _ = self.open(reports.episodes)
        self.browser.click("#significant")
        self.assertEqual(self.shown(), [r for r, row in enumerate(report["rows"]) if row[5] <= 0.05])

    def test_saved_table(self):
        report, _ = self.open(reports.episodes)
        lines = self.script("return spikemine.page.table.text()").splitlines()
        self.assertEqual(lines[0].split("\t"), ["episode", "count", "expected", "p", "size", "score", "fdr"])
        self.assertEqual(len(lines), 1 + len(report["rows"]))
        cells = lines[1 + 3].split("\t")
        self.assertEqual(
            [cells[0], int(cells[1]), float(cells[5]), cells[6]], [*report["rows"][3][0:4:2], report["rows"][3][4], ""]
        )

    def test_twenty_thousand_rows(self):
        report, truth = self.open(reports.many_rows)
        self.assertLess(self.script("return document.querySelectorAll('#table .row').length"), 80)
        self.browser.click("#row-0")
        self.browser.type("End")
        last = len(report["rows"]) - 1
        self.assertEqual(self.script("return document.querySelector('#row-%d .cell').title" % last), report["rows"][last][0])
        self.assertEqual(self.script("return Array.from(spikemine.page.aligned.lags.times)"),
                         [time for times in truth["occurrences"][last] for time in times])  # fmt: skip
        took = self.script("const t = performance.now(); spikemine.page.table.sort(5); return performance.now() - t")
        best = max(range(len(report["rows"])), key=lambda row: report["rows"][row][4])
        self.assertEqual(self.shown()[0], best)
        print(f"20,000 rows: sorted in {took:.0f} ms", file=sys.stderr)

    def test_numbers(self):
        self.open(reports.smallest)
        for value, text in ((0.005, "0.005"), (1, "1"), (0, "0"), (3.2e-7, "3.2×10⁻⁷"), (0.00497512437811, "0.004975"),
                            (1234567.8, "1.23×10⁶"), (-0.5, "−0.5"), (None, "–"), (12.3456, "12.35")):  # fmt: skip
            self.assertEqual(self.script("return spikemine.format.formatReal(arguments[0])", value), text)
        column = "const f = spikemine.format.columnFormat(arguments[0], arguments[1]); return arguments[1].map(f)"
        self.assertEqual(
            self.script(column, "real", [0.005, 0.25, 1, None, 2e-9]), ["0.005", "0.250", "1.000", "–", "2×10⁻⁹"]
        )
        self.assertEqual(self.script(column, "integer", [1, 12345, None, 1000]), ["1", "12,345", "–", "1000"])

    def test_times(self):
        self.open(reports.smallest)
        moment = "return spikemine.format.formatMoment(arguments[0], arguments[1])"
        for seconds, tick, text in ((1.5, 0.001, "1.500 s"), (-2, 0.001, "−2.000 s"), (3725.25, 0.005, "3725.250 s (62:05)"),
                                    (0.1, 1 / 30000, "0.10000 s"), (150, 1, "150 s (2:30)")):  # fmt: skip
            self.assertEqual(self.script(moment, seconds, tick), text)
        for low, high in ((0, 10), (3599, 3601), (0, 7200), (-5, 5), (100, 100.001), (0, 90000)):
            marks = self.script("return spikemine.format.timeMarks(arguments[0], arguments[1], 10).marks", low, high)
            self.assertTrue(2 <= len(marks) <= 13, (low, high, marks))
            self.assertEqual(len({text for _, text in marks}), len(marks), "each mark has a text of its own")
            for seconds, text in marks:
                parts = [float(part) for part in text.replace("−", "").split(":")]
                value = sum(part * 60**k for k, part in enumerate(reversed(parts)))
                self.assertAlmostEqual(value, abs(seconds), places=6)


class Keyboard(PageTest):
    def test_tab_reaches_everything_and_focus_is_seen(self):
        self.open(reports.episodes)
        seen = []
        for _ in range(40):
            self.browser.type("Tab")
            seen.append(
                self.script("""
                const e = document.activeElement, s = getComputedStyle(e);
                const name = e.id || e.getAttribute('data-unit') && 'node' || e.className || e.tagName;
                return [String(name), e.getAttribute('aria-label') || e.textContent || e.title || e.labels?.[0]?.textContent || '',
                    e.matches(':focus-visible') && (s.outlineStyle !== 'none' || e.classList.contains('node')
                        || e.classList.contains('skip'))]""")
            )
            if seen[-1][0] == "command":
                break
        names = [name for name, _, _ in seen]
        for name in ("skip", "theme", "raster", "search", "significant", "table", "graph-width", "node", "command"):
            self.assertIn(name, names)
        self.assertLess(names.index("raster"), names.index("search"))
        self.assertLess(names.index("search"), names.index("table"))
        for name, label, visible in seen:
            self.assertTrue(label.strip(), f"{name} has no name")
            self.assertTrue(visible, f"the focus on {name} is not seen")

    def test_grid(self):
        report, _ = self.open(reports.episodes)
        grid = "const g = document.querySelector('[role=grid]'); "
        self.assertEqual(
            self.script(grid + "return [g.getAttribute('aria-rowcount'), g.getAttribute('aria-colcount')]"), ["61", "7"]
        )
        self.script(grid + "g.focus()")
        for key, place in (("Home", 0), ("Down", 1), ("Down", 2), ("Up", 1), ("End", 59), ("Home", 0)):
            self.browser.type(key)
            self.assertEqual(self.script(grid + "return g.getAttribute('aria-activedescendant')"), f"row-{place}")
            self.assertEqual(
                self.script(f"return document.getElementById('row-{place}').getAttribute('aria-selected')"), "true"
            )
            self.assertEqual(self.browser.text("#chosen-name"), report["rows"][place][0])
        self.browser.type("PageDown")
        place = self.script("return spikemine.page.table.active")
        self.assertGreater(place, 5)
        inside = self.script("""const g = document.querySelector('[role=grid]').getBoundingClientRect();
            const r = document.querySelector('.rows .active').getBoundingClientRect(); return r.top >= g.top && r.bottom <= g.bottom + 1""")
        self.assertTrue(inside, "the active row is seen")

    def test_sort_search_and_step_by_keys(self):
        report, _ = self.open(reports.episodes)
        self.script("document.querySelector('.head:nth-child(2) button').focus()")
        self.browser.type("Enter")
        counts = [report["rows"][row][2] for row in self.shown()]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.browser.type("/")
        self.assertEqual(self.script("return document.activeElement.id"), "search")
        self.browser.type("u3")
        self.browser.type("Down")
        self.assertEqual(self.script("return document.activeElement.getAttribute('role')"), "grid")
        self.script("spikemine.page.showOccurrence(0, false)")
        self.browser.type("n")
        self.assertEqual(self.script("return spikemine.page.current"), 1)
        self.browser.type("p")
        self.assertEqual(self.script("return spikemine.page.current"), 0)

    def test_graph_by_keys(self):
        report, _ = self.open(reports.episodes)
        self.script("document.querySelector('.node').focus()")
        self.browser.type("Right")
        unit = int(self.script("return document.activeElement.dataset.unit"))
        self.browser.type("Enter")
        self.assertEqual(self.shown(), [r for r, result in enumerate(report["results"]) if unit in result["units"]])
        self.browser.click(".chip")
        self.assertEqual(len(self.shown()), len(report["rows"]))


class Looks(PageTest):
    def colours(self):
        return self.script("""
            const hex = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
            return Object.fromEntries(['ground', 'panel', 'ink', 'quiet', 'accent', 'mark'].map(n => [n, hex(n)]))""")

    def prefer(self, colours):
        self.browser.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}]
        )

    def test_dark_and_light(self):
        for preferred, other in (("light", "dark"), ("dark", "light")):
            self.prefer(preferred)
            self.open(reports.episodes)
            first = self.colours()
            self.assertEqual(self.script("return spikemine.page.theme.dark"), preferred == "dark")
            self.assertEqual(luminance(first["panel"]) < 0.2, preferred == "dark")
            self.browser.click("#theme")
            self.assertEqual(self.script("return spikemine.page.theme.dark"), other == "dark")
            self.assertNotEqual(first, self.colours())
        self.prefer("light")

    def test_contrast(self):
        for preferred in ("light", "dark"):
            self.prefer(preferred)
            self.open(reports.smallest)
            colours = self.colours()
            for name, least in (("ink", 7), ("quiet", 4.5), ("accent", 4.5), ("mark", 3)):
                for ground in ("panel", "ground"):
                    self.assertGreaterEqual(contrast(colours[name], colours[ground]), least, (preferred, name, ground))
            for colour in self.script("return spikemine.page.theme.categories"):
                self.assertGreaterEqual(contrast(colour, colours["panel"]), 2.2, (preferred, colour))
        self.prefer("light")

    def test_theme_change_redraws(self):
        self.prefer("light")
        self.open(reports.smallest)
        self.prefer("dark")
        self.browser.settle()
        self.assertTrue(self.script("return spikemine.page.theme.dark"))
        self.prefer("light")

    def test_widths(self):
        for make in (reports.episodes, reports.patterns, reports.sequences, reports.hostile):
            self.open(make)
            for width in (400, 700, 1100, 2000):
                self.browser.resize(width, 900)
                wide = self.script("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, (make.__name__, width))
                raster = self.script("return spikemine.page.raster.plot.canvas.getBoundingClientRect().width")
                self.assertGreater(raster, 0.6 * min(width, 1600) - 20)
        self.browser.resize(1300, 900)

    def test_print(self):
        self.prefer("dark")
        self.open(reports.episodes)
        pdf = self.browser.command("Page.printToPDF", printBackground=True)["data"]
        self.assertGreater(len(pdf), 20_000)
        self.browser.settle()
        self.assertTrue(self.script("return spikemine.page.theme.dark"), "dark again after printing")
        self.assertEqual(self.problems(), [])
        self.prefer("light")


class Chance(PageTest):
    def test_border_of_significance(self):
        """Beyond it, and only there, p = (1 + scores that reach it) / (1 + surrogates) is at most alpha."""
        report, _ = self.open(reports.episodes)
        scores = report["test"]["largest_scores"][0]
        border = self.script("return spikemine.page.nullPlots[0].border")
        p = lambda score: (1 + sum(s >= score for s in scores)) / (1 + len(scores))
        self.assertLessEqual(p(border + 1e-9), 0.05)
        self.assertGreater(p(border), 0.05)

    def test_scales_stand_apart(self):
        report, _ = reports.episodes()
        report = copy.deepcopy(report)
        report["columns"].append({"key": "jitter", "title": "jitter", "help": "", "type": "text"})
        for r, row in enumerate(report["rows"]):
            row.append("25ms" if r % 3 else "100ms")
        test = report["test"]
        test["scales"] = ["25ms", "100ms"]
        test["largest_scores"].append([2 * score for score in test["largest_scores"][0]])
        self.browser.open_text(reports.join(report))
        got = self.script("return spikemine.page.nullPlots.map(p => p.results.map(([row]) => row))")
        self.assertEqual(got, [[r for r in range(60) if r % 3], [r for r in range(60) if r % 3 == 0]])

    def test_spectrum(self):
        report, _ = self.open(reports.patterns)
        self.assertEqual(self.script("return spikemine.page.spectrum.durations"), list(range(12)))
        self.script(
            "const c = document.getElementById('spectrum-duration'); c.value = 7; c.dispatchEvent(new Event('change'))"
        )
        self.assertEqual(self.script("return spikemine.page.spectrum.duration"), 7)
        cells = self.script("return spikemine.page.spectrum.cells()")
        self.assertEqual(cells, [cell for cell in report["test"]["spectrum"] if cell[1] == 7])
        self.browser.click("#row-3")
        row = report["rows"][3]
        self.assertEqual(
            self.script("return spikemine.page.spectrum.chosen"), {"size": row[1], "count": row[2], "duration": row[3]}
        )
        self.assertEqual(self.script("return spikemine.page.spectrum.duration"), row[3])

    def test_cell_lists_its_patterns(self):
        report, _ = self.open(reports.patterns, 2, 30, 40_000, 5, 40, False)
        self.assertEqual(self.script("return document.getElementById('spectrum-duration')"), None)
        size, _, count, _, n = max(report["test"]["spectrum"], key=lambda cell: cell[4])
        self.script("spikemine.page.spectrum.plot.canvas.scrollIntoView({block: 'center'})")
        place = self.script("""
            const s = spikemine.page.spectrum, r = s.plot.canvas.getBoundingClientRect(), b = s.box;
            return [r.left + b.x0 + (arguments[1] - b.low + 0.5) * b.wide, r.top + b.y1 - (s.sizes.indexOf(arguments[0]) + 0.5) * s.rowHeight]""",
            size, count)  # fmt: skip
        self.browser.point(place, clicks=1)
        want = [r for r, row in enumerate(report["rows"]) if row[1] == size and row[2] == count]
        self.assertEqual(self.shown(), want)
        self.assertEqual(len(want), n)


class Graph(PageTest):
    def test_click_on_an_arrow_filters(self):
        report, _ = self.open(reports.episodes)
        a, b = report["graph"]["edges"][5][:2]
        self.script("spikemine.page.graph.lines[5].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        want = [r for r, result in enumerate(report["results"]) if (a, b) in zip(result["units"], result["units"][1:])]
        self.assertEqual(self.shown(), want)
        dim = self.script("return spikemine.page.graph.lines.map(l => l.classList.contains('dim'))")
        self.assertEqual([e for e, off in enumerate(dim) if not off], [5])
        self.script("spikemine.page.graph.lines[5].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.assertEqual(len(self.shown()), len(report["rows"]))

    def test_names_touch_no_circle(self):
        self.open(reports.episodes)
        names, gaps = self.script("""
            const circles = [...document.querySelectorAll('.graph .node .dot')].map(c => c.getBoundingClientRect());
            const texts = [...document.querySelectorAll('.graph .node text')];
            const gap = (t, c) => { // from the rim of a circle to the nearest place of a name
              const x = (c.left + c.right) / 2, y = (c.top + c.bottom) / 2;
              return Math.hypot(Math.max(t.left - x, 0, x - t.right), Math.max(t.top - y, 0, y - t.bottom)) - c.width / 2; };
            return [texts.map(t => t.textContent),
                texts.map(t => Math.min(...circles.map(c => gap(t.getBoundingClientRect(), c))))]""")
        self.assertGreater(len(names), 5)
        self.assertEqual([name for name, gap in zip(names, gaps) if gap <= 0], [])

    def test_width_by_excess(self):
        report, _ = self.open(reports.episodes)
        edges = report["graph"]["edges"]
        for by in (2, 3):
            widths = self.script("""
                const c = document.getElementById('graph-width'); c.value = arguments[0]; c.dispatchEvent(new Event('change'));
                return spikemine.page.graph.edges.map(e => spikemine.page.graph.widthOf(e))""", by)  # fmt: skip
            order = sorted(range(len(edges)), key=lambda e: edges[e][by])
            self.assertEqual([widths[e] for e in order], sorted(widths))
            most = max(edge[by] for edge in edges)
            for edge, width in zip(edges, widths):
                self.assertAlmostEqual(width, max(0.4, max(widths) * edge[by] / most))
            legend = self.script("""
                return Array.from(document.querySelectorAll('.graph.widths line'), (line) =>
                    [line.nextSibling.textContent, Number(line.getAttribute('stroke-width'))])""")
            self.assertTrue(1 <= len(legend) <= 3)
            for text, width in legend:
                self.assertAlmostEqual(width, max(widths) * float(text.replace(",", "")) / most)


class Command(CommandTest):
    """What reports of the command show is what its tables say."""

    def table(self, path):
        return [line.split("\t") for line in path.read_text().splitlines()]

    def test_episodes(self):
        """What the page shows of each row is what the table of occurrences says."""
        folder = self.run_command("episodes", "--delay", "0ms:34ms", "--delay", "34ms:67ms", "--support", "20",
                                  "--occurrences", "o.tsv")  # fmt: skip
        header, *rows = self.table(folder / "t.tsv")
        counts = {row[header.index("episode")]: int(row[header.index("count")]) for row in rows}
        names = self.script("return spikemine.page.report.rows.map(row => row[0])")
        self.assertEqual(sorted(names), sorted(counts))
        head, *lines = self.table(folder / "o.tsv")
        for row in [r for r, name in enumerate(names) if "]" in name][:5]:
            self.script("spikemine.page.table.activateRow(arguments[0])", row)
            shown = self.script(
                "return Array.from(spikemine.page.aligned.lags.times, t => spikemine.page.raster.seconds(t))"
            )
            told = [line[head.index("times_s")].split(",") for line in lines if line[0] == names[row]]
            self.assertEqual(len(told), counts[names[row]])
            self.assertEqual(
                [f"{time:.9f}" for time in shown], [f"{float(time):.9f}" for times in told for time in times]
            )

    def test_sequences(self):
        """Members and occurrences are those of the tables."""
        folder = self.run_command("sequences", "--longest-lag", "600ms", "--jitter", "8/30s", "--surrogates", "2",
                                  "--alpha", "1", "--max-sequences", "2", "--occurrences", "o.tsv")  # fmt: skip
        header, *members = self.table(folder / "t.tsv")
        head, *occurrences = self.table(folder / "o.tsv")
        for row in range(2):
            self.script("spikemine.page.table.activateRow(arguments[0])", row)
            part = "return spikemine.page.parts.map(p => p.table.rows)"
            own, moments = self.script(part)
            of = [line for line in members if line[0] == str(row + 1)]
            self.assertEqual([line[0] for line in own], [line[header.index("unit")] for line in of])
            for column, key in ((1, "lag_s"), (5, "member_p")):
                self.assertEqual([line[column] for line in own], [float(line[header.index(key)]) for line in of])
            of = [line for line in occurrences if line[0] == str(row + 1)]
            self.assertEqual([line[3] for line in moments], [int(line[head.index("missing")]) for line in of])
            told = [[None if t == "-" else float(t) for t in line[head.index("times_s")].split(",")] for line in of]
            shown = self.script("""
                const { shown } = spikemine.page.aligned;
                return Array.from(shown.times, t => t === t ? spikemine.page.raster.seconds(t) : null)""")
            for ours, theirs in zip(shown, [time for each in told for time in each]):
                self.assertEqual(ours is None, theirs is None)
                self.assertTrue(ours is None or abs(ours - theirs) < 1e-9)

    def test_patterns(self):
        folder = self.run_command("patterns", "--bin", "1/30s", "--window", "6", "--min-spikes", "4", "--min-neurons", "4",
                                  "--support", "10", "--surrogates", "50", "--dither", "200ms")  # fmt: skip
        rows = self.table(folder / "t.tsv")[1:]
        self.assertEqual(self.script("return spikemine.page.report.rows.length"), len(rows))
        self.assertFalse(self.script("return document.getElementById('spectrum').hidden"))


if __name__ == "__main__":
    if chromium.missing():
        print(f"pages were not looked at: {chromium.missing()}")
        sys.exit(0)
    unittest.main(verbosity=1)
