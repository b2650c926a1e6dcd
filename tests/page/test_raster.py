#!/usr/bin/env python3
"""The raster of HTML reports in headless Chromium, also with a million spikes:  test_raster.py [NAME ...]"""

import math
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser as chromium
import reports
from page_test import PageTest

FLUID_MS = (100, 1500)  # of a frame, median and worst: generous, since machines differ


class Raster(PageTest):
    def open(self, *arguments, **options):
        """A page begins close to an occurrence; these tests begin with the whole."""
        opened = super().open(*arguments, **options)
        self.script("spikemine.page.raster.showAll()")
        self.browser.settle()
        return opened

    def test_zoom_keeps_the_moment_at_the_pointer(self):
        self.open(reports.episodes)
        box = self.box()
        span = 600_000
        x, y = box["x"] + 0.25 * box["width"], box["y"] + 50
        self.browser.wheel(x, y, 0, -400)
        view = self.view()
        share = (round(x) - box["x"]) / box["width"]
        self.assertAlmostEqual(view["from"] + share * (view["to"] - view["from"]), share * span, delta=1)
        self.assertAlmostEqual(view["to"] - view["from"], span * math.exp(-0.8), delta=1)
        self.browser.wheel(x, y, 0, 4000)
        self.assertEqual(self.view(), {"from": 0, "to": span, "top": 0, "bottom": 40})

    def test_wheel_over_the_whole_scrolls_the_page(self):
        self.open(reports.episodes)
        box = self.box()
        before = self.script("return scrollY")
        self.browser.wheel(box["x"] + 100, box["y"] + 100, 0, 300)
        self.assertGreater(self.script("return scrollY"), before)
        self.assertEqual(self.view()["to"], 600_000)

    def test_drag_moves(self):
        self.open(reports.episodes)
        box = self.box()
        self.script("spikemine.page.raster.setView({from: 100000, to: 200000, top: 10, bottom: 30})")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.browser.point((x, y), (x - 50, y), (x - 100, y - 40), press=True)
        view = self.view()
        self.assertAlmostEqual(view["from"], 100_000 + 100 / box["width"] * 100_000, delta=300)
        self.assertAlmostEqual(view["to"] - view["from"], 100_000, delta=1e-3)
        self.assertAlmostEqual(view["top"], 10 + 40 / box["height"] * 20, delta=0.3)

    def test_keys(self):
        self.open(reports.episodes)
        self.script("spikemine.page.raster.plot.canvas.focus()")
        self.browser.type("+")
        self.assertAlmostEqual(self.view()["to"] - self.view()["from"], 400_000, delta=1)
        self.browser.type("Right")
        self.assertAlmostEqual(self.view()["from"], 140_000, delta=1)
        self.browser.type("Left")
        self.assertAlmostEqual(self.view()["from"], 100_000, delta=1)
        self.browser.type("]")
        self.assertAlmostEqual(self.view()["bottom"] - self.view()["top"], 40 / 1.5, delta=0.01)
        self.browser.type("Down")
        self.browser.type("-")
        self.assertAlmostEqual(self.view()["to"] - self.view()["from"], 600_000, delta=1)
        self.browser.type("Home")
        self.assertEqual(self.view(), {"from": 0, "to": 600_000, "top": 0, "bottom": 40})
        self.assertIn("whole recording", self.browser.text("#recording-facts"))

    def test_pinch(self):
        self.open(reports.episodes)
        box = self.box()
        y = box["y"] + 50
        middle = box["x"] + box["width"] / 2

        def finger(name, start, end):
            move = [
                {"type": "pointerMove", "x": round(start), "y": round(y), "duration": 0},
                {"type": "pointerDown", "button": 0},
            ]
            move += [
                {"type": "pointerMove", "x": round(start + (end - start) * k / 4), "y": round(y), "duration": 10}
                for k in range(1, 5)
            ]
            return {"type": "pointer", "id": name, "parameters": {"pointerType": "touch"},
                    "actions": move + [{"type": "pointerUp", "button": 0}]}  # fmt: skip

        fingers = [finger("one", middle - 50, middle - 150), finger("two", middle + 50, middle + 150)]
        self.browser.post("/actions", {"actions": fingers})
        self.browser.settle()
        view = self.view()
        self.assertAlmostEqual((view["to"] - view["from"]) / 600_000, 1 / 3, delta=0.06)
        self.assertAlmostEqual((view["to"] + view["from"]) / 2, 300_000, delta=15_000)

    def test_limits(self):
        self.open(reports.episodes)
        for view in ({"from": -1e9, "to": 10, "top": -5, "bottom": 3}, {"from": 599_999, "to": 1e12, "top": 39, "bottom": 90},
                     {"from": 5, "to": 5, "top": 4, "bottom": 4}, {"from": 9, "to": 2, "top": 0, "bottom": 40}):  # fmt: skip
            self.script("spikemine.page.raster.setView(arguments[0])", view)
            got = self.view()
            self.assertGreaterEqual(got["from"], 0)
            self.assertLessEqual(got["to"], 600_000)
            self.assertGreaterEqual(got["to"] - got["from"], 2 - 1e-6)
            self.assertTrue(0 <= got["top"] < got["bottom"] <= 40, got)

    def test_overview(self):
        self.open(reports.episodes)
        self.script("spikemine.page.raster.setView({from: 0, to: 60000, top: 0, bottom: 40})")
        box = self.box()
        rect = self.script(
            "const r = spikemine.page.raster.strip.canvas.getBoundingClientRect(); return [r.left, r.top]"
        )
        self.browser.point((box["x"] + box["width"] / 2, rect[1] + 20), clicks=1)
        view = self.view()
        self.assertAlmostEqual((view["from"] + view["to"]) / 2, 300_000, delta=1500)
        self.assertAlmostEqual(view["to"] - view["from"], 60_000, delta=1)

    def test_hover_tells_unit_and_time(self):
        """At the size at which pixels are those of the screen, and at one at which everything is drawn larger."""
        self.addCleanup(self.browser.resize, 1300, 900)
        report, truth = self.open(reports.episodes, 6, 5, 20_000, 0.001, 100, 5, 3000)
        unit = 2
        time = truth["trains"][unit][3]
        self.script(
            "spikemine.page.raster.setView({from: arguments[0] - 200, to: arguments[0] + 200, top: 0, bottom: 5})", time
        )
        for width in (1300, 2560):
            self.browser.resize(width, 1200)
            self.box()
            x, y = self.script("""
                const { raster, theme } = spikemine.page, rect = raster.plot.canvas.getBoundingClientRect();
                return [rect.left + theme.scale * raster.xOf(arguments[0]), rect.top + theme.scale * raster.yOf(arguments[1])]""",
                time, unit)  # fmt: skip
            self.browser.point((x, y))
            self.assertIn(f"unit {report['recording']['units'][unit]['label']}", self.browser.text(".bubble"))
            self.assertIn(f"spike at {(3000 + time) / 1000:.3f} s", self.browser.text(".bubble"))

    def test_counts_of_pixels(self):
        """Sums and single spikes give the numbers that counting one by one gives."""
        _, truth = self.open(reports.episodes)
        counts = """
            const counts = new Uint32Array(arguments[3]);
            spikemine.page.raster.levels.addCounts(arguments[0], arguments[1], arguments[2], arguments[3], counts);
            return Array.from(counts)"""
        cell = self.script("return spikemine.page.raster.levels.width")
        for unit in (0, 7, 39):
            train = truth["trains"][unit]
            self.assertEqual(sum(self.script(counts, unit, 0, 600_000 / 1000, 1000)), len(train))
            for start, step in ((1000, 8 * cell), (0, 4 * cell), (333, 1), (100_000, 2.5)):
                got = self.script(counts, unit, start, step, 500)
                if step < 4 * cell:
                    places = [math.floor((time - start) / step) for time in train]
                    self.assertEqual(got, [places.count(column) for column in range(500)])
                else:  # borders of pixels lie on the grid of sums
                    cells = [math.floor(time / cell) for time in train]
                    borders = [math.floor((start + k * step) / cell) for k in range(501)]
                    self.assertEqual(got, [sum(a <= c < b for c in cells) for a, b in zip(borders, borders[1:])])

    def test_spikes_are_drawn(self):
        """Pixels where a spike is, none where none is."""
        _, truth = self.open(reports.hostile)
        self.script(
            "spikemine.page.raster.setMarks(null); spikemine.page.raster.setView({from: 0, to: 500, top: 0, bottom: 10})"
        )
        self.browser.settle()
        inked = """
            const raster = spikemine.page.raster, context = raster.plot.context;
            return arguments[0].map(([u, t]) => context.getImageData(Math.floor(raster.xOf(t)), Math.round(raster.yOf(u)) - 2, 2, 1)
                .data.some((v, i) => i % 4 === 3 && v > 100))"""
        spikes = [[u, t] for u, train in enumerate(truth["trains"]) for t in train if 0 < t < 500]
        self.assertGreater(len(spikes), 20)
        self.assertTrue(all(self.script(inked, spikes)))
        near = {(u, t + d) for u, t in spikes for d in range(-3, 4)}
        empty = [[u, t] for u in range(10) for t in range(10, 490, 7) if (u, t) not in near]
        self.assertFalse(any(self.script(inked, empty)))

    def test_every_unit_has_a_name_as_long_as_letters_are_legible(self):
        self.open(reports.episodes)
        for pixels, every in ((16, 1), (10, 1), (6, 2)):
            names = self.script("""
                const { raster } = spikemine.page, seen = [];
                raster.setOrder([]);
                raster.setView({ from: 0, to: 60000, top: 0, bottom: raster.box.height / arguments[0] });
                const { fillText } = CanvasRenderingContext2D.prototype;
                CanvasRenderingContext2D.prototype.fillText = (text) => seen.push(text);
                raster.drawUnits(raster.plot.canvas.getContext("2d"));
                CanvasRenderingContext2D.prototype.fillText = fillText;
                return [seen.slice(1), Math.min(40, raster.view.bottom)]""", pixels)  # fmt: skip
            labels, rows = names
            self.assertEqual(labels, [f"u{unit}" for unit in range(0, math.ceil(rows), every)][: len(labels)])
            self.assertGreaterEqual(len(labels), rows / every - 1)


class Million(PageTest):
    def test_million_spikes_stay_fluid(self):
        report, truth = self.open(reports.million)
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.script("return spikemine.page.spikes.times.length"), 1_000_000)
        units = random.Random(1).sample(range(200), 5)
        for u in units:
            got = self.script(
                "const s = spikemine.page.spikes; return Array.from(s.times.subarray(s.first[arguments[0]], s.first[arguments[0] + 1]))",
                u,
            )
            self.assertEqual(got, truth["trains"][u])
        print(
            f"1,000,000 spikes: page started in {self.script('return spikemine.page.startMs'):.0f} ms", file=sys.stderr
        )
        for name, share in (("whole recording", 1), ("half", 0.5), ("a tenth", 0.1), ("10 s", 10 / 7200)):
            times = frame_times(self.browser, share)
            middle, worst = sorted(times)[len(times) // 2], max(times)
            print(f"  panning, {name}: median {middle:.1f} ms, worst {worst:.1f} ms of a frame", file=sys.stderr)
            self.assertLess(middle, FLUID_MS[0])
            self.assertLess(worst, FLUID_MS[1])


def frame_times(browser, share, frames=40):
    """Milliseconds between frames while the raster moves, `share` of the recording shown."""
    return browser.wait_script("""
        const raster = spikemine.page.raster, [share, frames] = arguments, span = raster.span;
        const times = [];
        let before = null;
        raster.setView({...raster.whole(), from: 0, to: share * span});
        const step = (now) => {
            if (before !== null) times.push(now - before);
            before = now;
            if (times.length >= frames) return done(times);
            if (share < 1) raster.move(0.02);
            else raster.request();
            requestAnimationFrame(step);
        };
        requestAnimationFrame(() => requestAnimationFrame(step));""", share, frames)  # fmt: skip


if __name__ == "__main__":
    if chromium.missing():
        print(f"pages were not looked at: {chromium.missing()}")
        sys.exit(0)
    unittest.main(verbosity=1)
