#!/usr/bin/env python3
"""The page of a live stream in headless Chromium, served by build/release/tests/live_server:  test_live.py [NAME ...]

What it shows, keeps and looks like. SPIKEMINE names the command; with SPIKEMINE_TEST_WRITE_FIGURES=1 the picture of
the documentation is drawn anew.
"""

import os
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import live_server
from live_server import ROOT, ServedTest

SPIKEMINE = os.environ.get("SPIKEMINE", str(ROOT / "build/release/cli/spikemine"))


class Counts(ServedTest):
    def shown(self):
        return self.script("""
            return Array.from(document.querySelectorAll('.item'), (row) => row.querySelector('.count').textContent)""")

    def test_counts_are_the_servers(self):
        """Before and after the page was opened, over a border, and in a run."""
        server = self.serve("units 12", "items", "push 500 2", "occurrences 19", "border", "occurrences 5", "meters 321")
        spikes, counts = self.counts
        self.assertEqual([int(text) for text in self.shown()], counts)
        spikes, counts = server.say("run 900 0.5")
        self.until("return spikemine.page.store.spikes.next", spikes)
        self.until("return spikemine.page.watched.counts", counts)
        self.until("return document.querySelectorAll('.meter .value span')[1].textContent", str(sum(counts)))
        time.sleep(0.6)
        self.assertEqual([int(text) for text in self.shown()], counts)
        self.assertEqual(self.browser.text(".meter .value span"), "900")
        self.assertEqual(self.script("return document.querySelectorAll('.item-name')[0].textContent"), "u1 → u4")
        self.assertEqual(self.script("return document.querySelectorAll('.item')[0].title"), "u1 (5ms,10ms] u4")
        self.assertIn("→ 5 ms to 10 ms", self.browser.text("#watched .quiet"))

    def test_names_of_watched_items(self):
        """Arrows have numbers where delays differ; what is no episode of times keeps its text; few items need no search."""
        self.serve("units 3")
        self.script("""
            const { page } = spikemine, item = (name, ...units) => ({ name, units, pattern: name.includes('@') });
            page.labels.push('u0', 'u1', 'u2');
            page.items.push(item('u0 (0,50ms] u1', 0, 1), item('u1 (1/30s,inf] u2 (0,50ms] u0', 1, 2, 0), item('u0@0 u1@3', 0, 1));
            page.watched.arrange()""")
        names = "return Array.from(document.querySelectorAll('.item-name'), (name) => name.textContent)"
        self.assertEqual(self.script(names), ["u0 →¹ u1", "u1 →² u2 →¹ u0", "u0@0 u1@3"])
        self.assertEqual(self.browser.text("#watched .quiet"), "→¹ up to 50 ms, →² more than 33.3 ms")
        self.assertTrue(self.script("return document.getElementById('watched-tools').closest('.fold').hidden"))

    def test_spikes_are_the_servers(self):
        """Places and units of every spike, also of a segment whose times begin anew."""
        self.serve("units 7", "push 700 7", "border", "push 70 7")
        got = self.script("""
            const { place, unit } = spikemine.page.store.spikes.columns;
            return [Array.from(place.slice(0, 770)), Array.from(unit.slice(0, 770))]""")
        # The first spike is the origin, 100 ticks; the second segment begins where the first one ended.
        want = [100 * k for k in range(700)] + [69_900 + 1000 * k for k in range(70)]
        self.assertEqual(got, [want, [k % 7 for k in range(770)]])
        self.assertEqual(len(self.script("return spikemine.page.store.segments")), 2)

    def test_occurrences_are_coloured(self):
        """Spikes of an occurrence have the colour of its item, others that of text; a click leaves one item alone."""
        self.serve("units 12", "items", "push 240 4", "occurrences 2")
        self.script("spikemine.page.clock.seek(spikemine.page.store.newest); spikemine.page.raster.setWidth(2)")
        colours = """
            const { raster, store, theme, items } = spikemine.page, { box } = raster;
            const at = (place, unit) => {
                const [y0, y1] = raster.pixelRows(unit);
                const { from, to } = raster.view;
                const { width } = raster.pixels;
                const x = Math.min(width - 1, Math.floor((place - from) / (to - from) * width));
                return raster.pixels.data[Math.floor((y0 + y1) / 2) * width + x];
            };
            const packed = (hex) => { const [r, g, b] = spikemine.theme.partsOf(hex);
                return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0; };
            const seen = [];
            store.eachOccurrence(0, Infinity, (item, size, word) => {
                for (let i = 0; i < size; i++) {
                    seen.push(at(store.placeOf(word + i), items[item].units[i]) === packed(theme.category(item)));
                }
            });
            const plain = [];
            for (let k = 200; k < 239; k++) {
                plain.push(at(store.spikes.columns.place[k], store.spikes.columns.unit[k]) === packed(theme.quiet));
            }
            return [seen, plain]"""
        self.browser.settle()
        self.assertEqual(self.script(colours), [[True] * 5, [True] * 39])
        self.browser.click("[data-item='0']")
        self.assertEqual(self.script(colours)[0], [True] * 2 + [False] * 3)
        self.browser.click("[data-item='0']")
        self.assertEqual(self.script(colours)[0], [True] * 5)

    def test_rows_are_in_the_order_of_names(self):
        """Whatever unit fired first, also where names change with a stream that is begun anew."""
        self.serve("units 3", "push 300 3")
        self.assertEqual(self.script("return spikemine.page.raster.order"), [0, 1, 2])
        self.script("spikemine.page.labels = ['u10', 'u2', 'u1']; spikemine.page.raster.request()")
        self.browser.settle()
        self.assertEqual(self.script("return spikemine.page.raster.order"), [2, 1, 0])

    def test_search_and_order(self):
        self.serve("units 12", "items", "occurrences 11")
        self.script("const { search } = spikemine.page.watched; search.value = 'u11'; search.dispatchEvent(new Event('input'))")
        names = self.script("return Array.from(document.querySelectorAll('.item-name'), (n) => n.textContent)")
        self.assertTrue(names and all("u11" in name for name in names), names)
        self.script("const { search, order } = spikemine.page.watched; search.value = ''; order.value = 'most'; spikemine.page.watched.arrange()")
        shown = [int(text) for text in self.shown()]
        self.assertEqual(shown, sorted(self.counts[1], reverse=True))


class Alarms(ServedTest):
    def test_alarm(self):
        """An item that was chosen, found twice within the seconds of the rule: sound, colour, sentence and mark, once."""
        server = self.serve("units 12", "items", "occurrences 16")
        self.script("globalThis.beeps = 0; spikemine.alarms.beep = () => beeps++")
        self.browser.click("[data-item='1']")
        self.script("spikemine.page.alarms.number.value = 2; spikemine.page.alarms.seconds.value = 5")
        self.browser.click("#alarm-fold summary")
        self.browser.click("#alarm button")
        self.assertEqual(self.script("return document.querySelector('#alarm button').getAttribute('aria-pressed')"), "true")
        server.say("push 12 1")
        server.say("occurrences 8")
        self.until("return spikemine.page.watched.counts[1]", 3)
        self.assertEqual(self.script("return [beeps, spikemine.page.marks.length]"), [0, 0])
        server.say("occurrences 16")
        self.until("return spikemine.page.marks.map((mark) => mark.text)", ["alarm: " + "u6 (5ms,10ms] u9 (5ms,10ms] u12"])
        self.assertEqual(self.script("return beeps"), 1)
        self.assertEqual(self.script("return Array.from(document.querySelectorAll('.alarmed'), (box) => box.dataset.item)"), ["1"])
        self.assertRegex(self.script("return document.querySelector('#problems').textContent"), "Alarm at .*u6 .* 2 times within 5 s")
        self.script("spikemine.page.alarms.deeds.value = 'colour'")
        server.say("push 12 20")
        server.say("occurrences 16")
        self.until("return document.querySelector('#problems').textContent.includes('Alarm at 2')", True)
        self.assertEqual(self.script("return [beeps, spikemine.page.marks.length]"), [1, 1])
        self.browser.click("#alarm button")
        server.say("push 12 20")
        server.say("occurrences 16")
        self.until("return spikemine.page.watched.counts[1]", 9)
        self.assertEqual(self.script("return [beeps, spikemine.page.marks.length]"), [1, 1])


class Partitions(ServedTest):
    def rows(self):
        return self.script("""
            return Array.from(document.querySelectorAll('.episode'), (row) => [row.classList[1], row.title,
                ...['.before', '.count'].map((part) => row.querySelector(part).textContent)])""")

    def test_partitions(self):
        """Episodes of the latest partition with their trend, those before, and who follows whom."""
        server = self.serve("units 12", "items", "partitions 1 1", "occurrences 80")
        server.say("push 24 2")
        self.until("return spikemine.page.partitions.kept.length", 3)
        self.latest()
        kept = self.script("return spikemine.page.partitions.kept")
        self.assertEqual([p["number"] for p in kept], [0, 1, 2])
        trends = kept[2]["trends"]
        self.assertEqual(trends["new"], [episode[3] for episode in kept[2]["episodes"]].count("new"))
        server.say("meters 1")
        self.until("return Array.from(document.querySelectorAll('.meter:not([hidden])')).at(-1).textContent",
                   f"New episodes{trends['new']}{self.numbers(trends, 'growing', 'vanished', 'shrinking') or 'no other change'}")
        tested = "return Array.from(document.querySelectorAll('.meter.alarm:not([hidden])'), (box) => box.textContent)"
        self.assertEqual(self.script(tested), ["Tested1 of 32 had no time; take fewer --surrogates"])
        want = [[trend, name, "" if before is None else f"{before} →", str(count)]
                for name, count, before, trend, *_ in kept[2]["episodes"]]  # fmt: skip
        want += [["vanished", name, f"{before} →", "–"] for name, before, *_ in kept[2]["vanished"][:10]]
        first = ["new", "growing", "vanished", "shrinking", "steady"]  # what forms, grows and vanishes is on top
        want.sort(key=lambda row: first.index(row[0]))
        drawn = self.script("return spikemine.page.trends.drawn.map(({ name }) => name)")
        self.assertEqual(self.rows(), want)  # those with a colour would be on top; here items are watched
        self.colour_changes()
        self.assertEqual([row[1] for row in self.rows()], drawn + [row[1] for row in want if row[1] not in drawn])
        self.script("spikemine.page.trends.asked = null; spikemine.page.partitions.show()")
        self.browser.click("#partition-tools button")
        rows = self.rows()
        self.assertEqual([row[0] for row in rows if row[0] == "new"], [])
        self.assertTrue(rows and all(row[2] for row in rows), rows)
        self.assertIn("Partition 2, 1 to 2 s", self.browser.text("#partition-facts"))
        self.assertEqual(self.browser.text("#change"), f"Since partition 1: {self.numbers(kept[1]['trends'], *first)}.")
        chains = self.script("return Array.from(document.querySelectorAll('.episode .item-name'), (cell) => cell.textContent)")
        self.assertEqual(chains, [re.sub(r" \(.*?\] ", " → ", row[1]) for row in self.rows()])
        self.assertRegex(self.browser.text("#partition-facts"), r"episodes found \d+ times or more.*\. → 5 ms to 10 ms$")
        arrows = self.script("return document.querySelectorAll('#follows-graph .edge').length")
        self.assertEqual(arrows, len(kept[1]["edges"]))
        places = "return Array.from(document.querySelectorAll('#follows-graph .node'), (n) => n.querySelector('.dot').outerHTML)"
        before = self.script(places)
        self.script("spikemine.page.partitions.go(0)")
        self.assertEqual(self.script(places), before)  # units stay where they are
        self.assertTrue(all(row[0] == "new" for row in self.rows()))
        server.say("push 12 1")
        self.until("return spikemine.page.partitions.kept.length", 4)
        self.assertIn("Partition 1,", self.browser.text("#partition-facts"))  # it stays where the reader is
        self.script("spikemine.page.partitions.go(99)")
        self.assertIn("Partition 4,", self.browser.text("#partition-facts"))

    def latest(self):
        """The latest partition, which the page else shows a little later where they come fast."""
        self.script("spikemine.page.partitions.go(999)")

    def colour_changes(self):
        self.script("spikemine.page.trends.asked = 'changes'; spikemine.page.partitions.show()")

    def numbers(self, trends, *names):
        signs = {"new": "✱", "growing": "▲", "steady": "=", "shrinking": "▼", "vanished": "✕"}
        return ", ".join(f"{signs[name]}\u00a0{trends[name]}\u00a0{name}" for name in names if trends[name])

    def test_the_rest_at_the_end(self):
        """What the end cut short is shown where it is chosen; by itself it would say that all has vanished."""
        server = self.serve("units 12", "items", "partitions 1 1", "occurrences 80")
        server.say("push 24 2")
        self.until("return spikemine.page.partitions.kept.length", 3)
        self.script("""
            const { partitions } = spikemine.page, whole = partitions.kept.at(-1);
            partitions.add([{ ...whole, number: 3, state: 'cut', events: 2, trends: { ...whole.trends, new: 99 } }]);
            partitions.go(Infinity);""")
        self.assertIn("Partition 3,", self.browser.text("#partition-facts"))
        self.assertNotEqual(self.script("return spikemine.page.partitions.changes().value"), "99")
        for place, text in ((3, "Partition 4, 2 to 3 s (cut short by the end), 2 spikes"), (2, "Partition 3,"), (3, "Partition 4,")):
            self.script("spikemine.page.partitions.go(arguments[0])", place)
            self.assertIn(text, self.browser.text("#partition-facts"))


    def test_changes_are_coloured(self):
        """Occurrences of the listed episodes are as many as mining counted, over a border, too; the raster has the colours
        and signs of the list, if it is to."""
        server = self.serve("units 12", "items", "partitions 1 1", "occurrences 80", "push 24 1", "border", "occurrences 60")
        for _ in range(240):  # of one item, which so grows beyond what chance may do
            spikes, _ = server.say("occurrences 1")
        self.until("return spikemine.page.store.spikes.next", spikes)
        self.until("return spikemine.page.partitions.kept.length", 5)
        self.latest()
        counts = """
            const { page, trends } = spikemine;
            return page.partitions.kept.map((p) => {
                const rows = trends.rowsOf(p).filter(({ count }) => count !== null);
                const found = new Map(rows.map((row) => [row, 0]));
                new trends.Search(rows, (row) => found.set(row, found.get(row) + 1)).through(page.store, ...trends.spikesOf(p, page));
                return [rows.map(({ count }) => count), [...found.values()]];
            })"""  # fmt: skip
        for wanted, got in self.script(counts):
            self.assertEqual(got, wanted)
        self.assertTrue(self.script("return document.getElementById('raster-legend').hidden"))  # items are watched
        self.script("""
            const { trends, raster, clock, store } = spikemine.page;
            trends.chooser.value = 'changes';
            trends.chooser.dispatchEvent(new Event('change'));
            raster.setWidth(1);
            clock.seek(trends.all().at(-1).place(0) + 0.3 / store.tickS);""")  # fmt: skip
        self.browser.settle()
        self.assertIn("▲ growing", self.browser.text("#raster-legend"))
        wrong = self.script("""
            const { raster, trends, theme } = spikemine.page;
            const [row] = document.querySelectorAll('.episode:not(.steady)');
            const sign = row.querySelector('.trend'), glyph = row.querySelector('.glyph');
            const best = trends.all().at(-1), { from, to } = raster.view, { width, data } = raster.pixels;
            const [y0, y1] = raster.pixelRows(best.units[0]);
            const at = data[((y0 + y1) >> 1) * width + Math.floor((best.place(0) - from) / (to - from) * width)];
            const [r, g, b] = spikemine.theme.partsOf(theme.category(best.tone));
            const key = document.querySelector('.key .glyph');
            return [...[sign, glyph, key].map((e) => getComputedStyle(e).color === `rgb(${r}, ${g}, ${b})`),
                glyph.textContent === spikemine.watched.GLYPHS[best.tone], key.textContent === glyph.textContent,
                at === ((255 << 24 | b << 16 | g << 8 | r) >>> 0)].indexOf(false)""")  # fmt: skip
        self.assertEqual(wrong, -1)


    def test_what_has_a_colour(self):
        """Few episodes that differ: what exceeds chance, and what did and vanished; without a test what changed."""
        self.serve("units 3", "push 30 3")
        drawn, untested, tones = self.script("""
            const row = (name, trend, p, units) => [name, 9, 9, trend, p, units, [], 1];
            const { drawnOf, setTones } = spikemine.trends;
            const before = { significant: 1, tested: "", vanished: [], episodes: [row("was", "new", 0.01, [7, 8])] };
            const episodes = [row("best", "steady", 0.01, [0, 1, 2]), row("copy", "new", 0.01, [0, 1]), row("other", "new", 0.01, [4, 5]),
                row("chance", "new", 0.9, [9, 10])];
            const vanished = [["was", 5, [7, 8], []], ["never", 5, [11, 12], []]];
            const many = [..."abcdefgh"].map((name, k) => row(name, "new", null, [2 * k, 2 * k + 1]));
            const names = (rows) => rows.map(({ name }) => name);
            const untested = { significant: 0, tested: "not asked for", vanished, episodes: [...many, row("grows", "growing", null, [30, 31])] };
            const old = [{ name: "b", units: [4, 5], tone: 3 }, { name: "a", units: [6, 7, 8], tone: 0 }];
            return [names(drawnOf({ significant: 3, tested: "", vanished, episodes }, before)), names(drawnOf(untested)),
                setTones([{ name: "new", units: [1, 2] }, { name: "b", units: [9, 4] }, { name: "part", units: [7, 8] }], old).map(({ tone }) => tone)]""")
        self.assertEqual(drawn, ["best", "other", "was"])
        self.assertEqual(untested, ["a", "b", "c", "grows", "was", "never"])
        self.assertEqual(tones, [1, 3, 0])  # the same episode, and one with most of its units, keep their colours

    def test_meter_of_a_test(self):
        """Where a test was asked for the meter tells what exceeds chance, not what is frequent; else what changed."""
        self.serve("units 12", "items", "partitions 1 1", "occurrences 80", "push 24 2", "meters 1")
        self.until("return spikemine.page.partitions.kept.length > 0", True)
        self.latest()
        meter = "return Array.from(document.querySelectorAll('.meter'), (m) => [m.textContent, m.title]).at(-1)"
        for tested, significant, said in (("", 2, "Significant2of "), ("", 0, "Significant0of "), ("not asked for", 0, "New episodes"),
                                          ("no time", 0, "Significant–the last partition was not tested")):  # fmt: skip
            self.script("""
                const { page } = spikemine, { partitions } = page;
                Object.assign(partitions.kept[partitions.latest()], { tested: arguments[0], significant: arguments[1] });
                page.meters.show(page.news, page);""", tested, significant)
            text, title = self.script(meter)
            self.assertTrue(text.startswith(said), text)
            self.assertEqual("exceed chance" in title, said.startswith("S"))

    def test_why_nothing_has_a_colour(self):
        self.serve("units 3", "push 30 3")
        for more, why in (("state: 'skipped'", "was skipped"), ("tested: ''", "exceeds chance"), ("tested: 'no time'", "changed")):
            said = self.script(f"const {{ trends }} = spikemine.page; trends.drawn = []; return trends.makeKey({{ state: 'mined', {more} }})[0].textContent")
            self.assertRegex(said, f"^Nothing is coloured: .*{why}")

    def test_lines_are_the_newest(self):
        self.serve("units 3", "push 30 3")
        shown = self.script("""
            const found = [1, 2, 3, 4, 5, 6].flatMap((last) => [0, 1].map((tone) => ({ tone, last })));
            return spikemine.page.trends.newest(found, 5).map(({ tone, last }) => [tone, last])""")
        self.assertEqual(shown, [[tone, last] for last in (3, 4, 5) for tone in (0, 1)])

    def test_sentences(self):
        """Is it chance, what changed, what to do."""
        self.serve("units 3", "push 30 3")
        said = self.script("""
            const { tellChance, tellChange, advise } = spikemine.verdict;
            const trends = { new: 1, growing: 0, steady: 1, shrinking: 0, vanished: 0 };
            const row = (p) => ["name", 9, 9, "steady", p, [0, 1], [], 0.25];
            const p = { state: "mined", support: 4, tested: "", significant: 1, before: 2, trends, vanished: [], episodes: [row(0.01), row(0.9)] };
            const none = { ...p, significant: 0 }, plain = { ...p, significant: 0, tested: "not asked for" };
            const meters = { tests_due: 3, partitions_tested: 3, partitions_skipped: 0, untested: "" };
            const to = (part, news = meters) => advise(part, { news: { meters: news }, mayWatch: true, watchedItems: 0 });
            return [[p, none, plain, { ...plain, tested: "no time" }, { ...p, trends: { ...trends, new: 0, steady: 0 } }, undefined].map((each) => tellChance(each, ["a", "b"])),
                [p, { ...p, before: null }].map(tellChange),
                [to(p), to(none), to(plain), to(p, { ...meters, partitions_tested: 1, untested: "2 had no time" }),
                    to(plain, { ...meters, tests_due: 0, partitions_tested: 0, partitions_skipped: 2 }), to(undefined)]]""")
        self.assertEqual(said[0], ["1 of 2 episodes exceeds chance. The strongest: a → b, 9 times, p 0.01, 0.25 by chance.",
                                   "None of 2 episodes exceeds chance.", "2 episodes. Chance may make them: they were not tested.",
                                   "2 episodes. Chance may make them: they were not tested, no time.", "No episode was found 4 times or more.",
                                   "No partition has been mined yet."])  # fmt: skip
        self.assertEqual(said[1], ["Since partition 3: ✱\u00a01\u00a0new, =\u00a01\u00a0steady.", "It is the first one, so that nothing has changed yet."])
        for (text, amiss), (word, alarm) in zip(said[2], (("Watch", False), ("longer --partition", False), ("--test exact", False),
                                                          ("Not tested: 2 had no time", True), ("2 partitions skipped", True),
                                                          ("once it is full", False)), strict=True):  # fmt: skip
            self.assertIn(word, text)
            self.assertEqual(amiss, alarm)

    def test_nothing_jumps(self):
        """A partition that comes soon waits, and one whose list is pointed at stays; long sentences move nothing."""
        server = self.serve("units 12", "items", "partitions 1 1", "occurrences 80", "meters 1")
        self.until("return document.querySelectorAll('.episode').length > 0", True)
        self.script("spikemine.page.partitions.holdMs = 60000; spikemine.page.partitions.follow()")
        server.say("push 24 2")
        self.until("return spikemine.page.partitions.kept.length", 3)
        self.assertIn("Partition 1,", self.browser.text("#partition-facts"))
        self.assertEqual(self.script("const { slider, last } = spikemine.page.partitions; return [slider.max, last.disabled]"), ["2", False])
        x, y = self.script("const r = document.querySelector('.episode').getBoundingClientRect(); return [r.x + 30, r.y + 10]")
        self.browser.point((x, y))
        self.script("spikemine.page.partitions.holdMs = 0; spikemine.page.partitions.follow()")
        time.sleep(0.3)
        self.assertIn("Partition 1,", self.browser.text("#partition-facts"))
        self.browser.point((5, 5))
        self.until("return document.getElementById('partition-facts').textContent.includes('Partition 3,')", True)
        new, meter = self.script("return [spikemine.page.partitions.shown().trends.new, [...document.querySelectorAll('.meter .value')].at(-1).textContent]")
        self.assertEqual(meter, str(new))
        tops = "return ['raster', 'partition-list'].map((id) => document.getElementById(id).getBoundingClientRect().top)"
        for size in ((390, 844), (800, 1100), (1400, 900), (2560, 1440)):
            self.browser.resize(*size)
            before = self.script(tops)
            self.script("""
                const { partitions, news, meters } = spikemine.page;
                news.meters.untested = 'several had no time; '.repeat(9);
                meters.show(news, spikemine.page);
                for (const word of partitions.words) word.textContent = 'many words '.repeat(60);
                spikemine.page.tell('an alarm');""")
            self.assertEqual(self.script(tops), before, size)
            self.script("spikemine.page.partitions.show()")
        self.browser.resize(1300, 900)

    def test_order_of_the_list(self):
        """Significant episodes first, of them those of different units, then changes; bursts of one unit last, whatever their trend."""
        shown = self.serve("units 3", "push 30 3") and self.script("""
            const row = (name, trend, p, units) => [name, 9, 9, trend, p, units, [], 1];
            return spikemine.trends.rowsOf({ significant: 3, vanished: [["gone", 5, [0, 1], []]], episodes: [
                row("steady", "steady", 0.9, [0, 1]), row("burst", "new", 0.9, [0, 0]), row("new", "new", 0.9, [0, 1]),
                row("rhythm", "new", 0.01, [1, 0, 1]), row("rare", "steady", 0.02, [1, 2]), row("best burst", "new", 0.02, [1, 1]),
                ...Array(60).fill(row("many", "steady", 1, [0, 2])), row("late", "growing", 1, [0, 2]),
            ] }).map(({ name, significant }) => [name, Boolean(significant)])""")  # fmt: skip
        self.assertEqual(shown[:6], [["rare", True], ["rhythm", True], ["new", False], ["late", False], ["gone", False], ["steady", False]])
        self.assertEqual(len(shown), 41)

    def test_colours_go_on_behind_the_partition(self):
        """Listed episodes that occur once their partition is over are coloured, too, and no chain crosses its end."""
        server = self.serve("units 12", "items", "partitions 1 1", "occurrences 80", "push 24 1")
        self.until("return spikemine.page.partitions.kept.length > 0", True)
        self.script("spikemine.page.trends.asked = 'changes'; spikemine.page.partitions.go(0)")
        found = """
            const { trends, partitions, store, origin } = spikemine.page;
            const stop = Number(BigInt(partitions.shown().stop) - origin);
            const all = trends.all();
            return [all.length, all.filter(({ first }) => first >= stop).length,
                all.filter(({ first, last }) => first < stop && last >= stop).length]"""
        before = self.script(found)
        self.assertGreater(before[0], 0)
        spikes, _ = server.say("occurrences 8")
        self.until("return spikemine.page.store.spikes.next", spikes)
        after = self.script(found)
        self.assertGreater(after[1], before[1])
        self.assertEqual(after[2], 0)

    def test_what_was_mined_stands_above_the_fold(self):
        self.serve("units 12", "items", "partitions 1 1", "occurrences 80", "push 24 2", "meters 1")
        self.until("return spikemine.page.partitions.kept.length > 0", True)
        self.script("spikemine.page.partitions.go(0)")
        for size in ((390, 844), (800, 1100), (1400, 900), (2560, 1440)):
            self.browser.resize(*size)
            bottom = self.script("return document.querySelectorAll('.episode')[1].getBoundingClientRect().bottom")
            self.assertLess(bottom, size[1], size)
            ends = self.script("""
                return ['partitions', 'follows', 'alarm-fold', 'watched-panel']
                    .map((id) => document.getElementById(id).getBoundingClientRect().bottom)""")
            if size[0] > 1079:
                self.assertAlmostEqual(*ends[:2], delta=1)
                self.assertLess(*ends[2:])


class Marks(ServedTest):
    def test_marks(self):
        server = self.serve("units 5", "push 2000 100", "meters 1")
        self.script("const { clock, store } = spikemine.page; clock.seek(40 / store.tickS)")
        self.browser.type("m")
        self.until("return spikemine.page.marks.length", 1)
        self.script("spikemine.page.clock.now(); document.querySelector('.mark-text').value = 'cue <b>'")
        self.browser.type("m")
        self.until("return spikemine.page.marks.length", 2)
        self.assertEqual(self.script("return Array.from(document.querySelectorAll('.mark-row .wide'), (b) => b.textContent)"),
                         ["mark 1", "cue <b>"])  # fmt: skip
        self.assertEqual(server.actions(), ["mark 0 0 400500", "mark 0 0 1000000 cue <b>"])
        self.browser.click(".mark-row .wide")  # five seconds on: the mark is in the middle
        self.assertAlmostEqual(self.head_s(), 45, delta=0.01)
        self.browser.click(".mark-row button[aria-label='take this mark away']")
        self.until("return spikemine.page.marks.length", 1)

    def test_replay_is_asked_for(self):
        server = self.serve("units 5", "push 50 1", "meters 1")
        self.until("return spikemine.page.replay.hidden", False)
        words = self.script("return Array.from(document.querySelectorAll('#transport button'), (b) => b.textContent)")
        self.assertEqual(len(words), len(set(words)), words)
        self.script("const { replaySpeed } = spikemine.page; replaySpeed.value = '10'; replaySpeed.dispatchEvent(new Event('change'))")
        self.script("spikemine.page.replayPause.click()")
        end = time.monotonic() + 5
        actions = []
        while len(actions) < 2 and time.monotonic() < end:
            actions += server.actions()
        self.assertEqual(sorted(actions), ["pause 1 0 0", "speed 10 0 0"])

    def stretch(self, name):
        path = Path(self.browser.folder) / name
        path.write_text(self.script("return spikemine.page.stretchText()"))
        report = subprocess.run([SPIKEMINE, "info", str(path)], capture_output=True, text=True)
        self.assertEqual(report.returncode, 0, report.stderr)
        return path.read_text(), report.stdout

    def test_the_stretch_seen_as_text(self):
        """The command reads it: same spikes, units that did not fire, and the stretch itself."""
        self.serve("units 5", "push 2000 100", "units 7")
        self.script("const { clock, store } = spikemine.page; clock.seek(40 / store.tickS)")
        text, info = self.stretch("one.txt")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        want = [f"{500 * k}\tu{(k - 1) % 5 + 1}" for k in range(1, 2001) if 300_500 <= 500 * k <= 400_500]
        self.assertEqual(lines, want)
        self.assertIn("# spikemine time-unit samples@10000", text)
        self.assertIn("# spikemine segment 300500 400501", text)
        self.assertRegex(info, rf"(?m)\b{len(want)}\b")

    def test_the_stretch_over_a_border_as_text(self):
        """Segments whose times begin anew do not overlap in the file."""
        self.serve("units 5", "push 100 5", "border", "push 40 2")
        text, info = self.stretch("two.txt")
        self.assertEqual(len([line for line in text.splitlines() if not line.startswith("#")]), 140)
        self.assertEqual(text.count("# spikemine segment "), 2)
        self.assertRegex(info, r"(?m)\b140\b")

    def test_picture(self):
        self.serve("units 5", "push 2000 100")
        self.script("""
            globalThis.saved = [];
            spikemine.marks.save = (blob, name) => saved.push([blob.type, blob.size, name]);
            spikemine.page.savePicture(); spikemine.page.saveText();""")
        self.until("return saved.length", 2)
        saved = sorted(self.script("return saved"))
        self.assertEqual([kind for kind, _, _ in saved], ["image/png", "text/plain"])
        self.assertTrue(all(size > 1000 for _, size, _ in saved), saved)


class Looks(ServedTest):
    def test_dark_and_light(self):
        self.serve("units 20", "items", "push 2000 9", "occurrences 20")
        grounds = []
        for colours in ("dark", "light"):
            self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
            self.browser.settle()
            grounds.append(self.script("return getComputedStyle(document.documentElement).backgroundColor"))
            inked = self.script("return spikemine.page.raster.pixels.data.reduce((n, v) => n + (v !== 0), 0)")
            self.assertGreater(inked, 2000)
        self.assertEqual(len(set(grounds)), 2)
        self.browser.click("#theme")
        self.assertEqual(self.script("return getComputedStyle(document.documentElement).backgroundColor"), grounds[0])

    def test_sizes(self):
        """A tablet both ways, a telephone, a lab's screen: nothing runs out of the side, buttons fit a finger, and on
        the large screen numbers are large."""
        self.serve("units 20", "items", "push 2000 9", "occurrences 20", "meters 12345")
        for size in ((820, 1180), (1180, 820), (390, 800), (1920, 1080)):
            self.browser.resize(*size)
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), size[0])
            small = self.script("""
                return Array.from(document.querySelectorAll('#transport button, .tools button, .item'))
                    .filter((b) => b.offsetParent && (b.offsetHeight < 44 || b.offsetWidth < 44)).map((b) => b.textContent)""")
            self.assertEqual(small, [])
            self.assertGreater(self.script("return spikemine.page.raster.plot.canvas.clientHeight"), 200)
            lines = self.script("const t = document.getElementById('title'); return t.clientHeight / parseFloat(getComputedStyle(t).lineHeight)")
            self.assertLess(lines, 1.5, "no letter a line")
        self.assertGreater(self.script("return parseFloat(getComputedStyle(document.querySelector('.meter .value')).fontSize)"), 50)

    def test_a_telephone(self):
        """What changes stands above the raster, controls are folded away, and nothing is too small for a finger or too
        narrow for a word."""
        self.serve("units 12", "items", "partitions 1 1", "occurrences 80", "push 24 2", "meters 1", size=(390, 844))
        self.until("return spikemine.page.partitions.kept.length > 0", True)
        top = "return Array.from(arguments, (id) => document.getElementById(id).getBoundingClientRect().top)"
        list_top, raster_top, follows_top = self.script(top, "partition-list", "raster", "follows")
        self.assertLess(self.script(top, "chance")[0], 300)
        self.assertLess(list_top, 460)
        self.assertTrue(list_top < raster_top < follows_top)
        shown = "return Array.from(document.querySelectorAll('#transport button'), (b) => b.checkVisibility() ? b.textContent : '').join(' ').trim()"
        self.assertEqual(self.script(shown), "Freeze Now")
        for unfolded in (False, True):
            if unfolded:
                self.script("for (const name of document.querySelectorAll('.fold > summary')) name.click()")
                self.browser.settle()
                self.assertIn("Oldest", self.script(shown))
            self.assertEqual(self.script("return document.documentElement.scrollWidth"), 390)
            wrong = self.script("""
                const small = (e) => e.offsetHeight < 40 || e.offsetWidth < 40;
                const narrow = (e) => e.children.length === 0 && e.textContent.length > 4
                    && e.getBoundingClientRect().width < 2.2 * parseFloat(getComputedStyle(e).fontSize);
                const seen = (e) => e.checkVisibility() && !e.closest('svg') && !e.classList.contains('skip');
                const of = (selector, test) => Array.from(document.querySelectorAll(selector)).filter((e) => seen(e) && test(e))
                    .map((e) => e.outerHTML.slice(0, 90));
                return [...of('button, select, input, summary', small), ...of('main *, header *', narrow)]""")
            self.assertEqual(wrong, [])
        self.browser.resize(1300, 900)
        self.assertIn("Oldest", self.script(shown))

    def test_long_and_hostile_labels(self):
        """Text stays text."""
        self.serve("units 20", "items", "push 200 9")
        self.script("""
            const page = spikemine.page;
            page.labels[3] = '<img src=x onerror=alert(1)>' + 'long'.repeat(50);
            page.items.push({ name: '<b>bold</b> ' + 'u '.repeat(300), units: [1, 2], pattern: false });
            page.watched.arrange(); page.raster.laidOut = ''; page.raster.request();""")
        self.browser.settle()
        self.assertEqual(self.script("return document.querySelectorAll('main b, main img').length"), 0)
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 1300)


class Picture(ServedTest):
    @unittest.skipUnless(os.environ.get("SPIKEMINE_TEST_WRITE_FIGURES"), "asked for by SPIKEMINE_TEST_WRITE_FIGURES=1")
    def test_picture_of_the_documentation(self):
        server = self.serve("units 40", "items", "partitions 4 2", size=(1600, 1000))
        server.send("run 150 14")
        time.sleep(9)
        self.browser.type("m")
        time.sleep(4)
        self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.browser.settle()
        self.browser.picture(ROOT / "docs/figures/live-page.png")
        server.hear()


if __name__ == "__main__":
    live_server.main()
