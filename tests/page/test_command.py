#!/usr/bin/env python3
"""The page of spikemine live and spikemine watch, as a user starts them, in headless Chromium:  test_command.py [NAME ...]

The truth is what spikemine count prints for the same file, and what the run itself prints. SPIKEMINE names another
command than build/release/cli/spikemine; with SPIKEMINE_TEST_WRITE_FIGURES=1 a figure of the documentation is drawn.
"""

import base64
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser as chromium
import live_test

ROOT = Path(__file__).resolve().parents[2]
SPIKEMINE = os.environ.get("SPIKEMINE", str(ROOT / "build/release/cli/spikemine"))
MACAQUE = [str(ROOT / "data/movement_PGHF.spikes.txt"), "--columns", "time,unit"]


def spikemine(*arguments):
    return subprocess.run([SPIKEMINE, *arguments], check=True, capture_output=True, text=True).stdout


def column(table, name):
    """A column of a table of spikemine, as texts."""
    head, *rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
    return [row[head.index(name)] for row in rows]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Run:
    """A command that serves a page; `lines` are those of standard output once it has ended."""

    def __init__(self, folder, *arguments):
        self.out = open(Path(folder) / "out", "w+")  # noqa: SIM115: for as long as the command runs
        self.process = subprocess.Popen(
            [SPIKEMINE, *arguments], stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.PIPE, text=True,
            # Where a shell has put these tests into the background, Ctrl-C is ignored otherwise.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
        self.said = queue.Queue()
        self.heard = []
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        self.url = self.hear(r"the page is at (\S+)")
        self.port = int(re.search(r":(\d+)/", self.url).group(1))

    def listen(self):
        for line in self.process.stderr:
            self.said.put(line)
        self.said.put("")

    def hear(self, pattern, seconds=60):
        """Waits for a line of standard error with this pattern; returns its group."""
        end = time.monotonic() + seconds
        while line := self.said.get(timeout=max(0.01, end - time.monotonic())):
            self.heard.append(line)
            if found := re.search(pattern, line):
                return found.group(found.lastindex or 0)
        raise AssertionError(f"{pattern} is not in {self.heard}")

    def end(self, how=signal.SIGINT):
        """Ends it if it still runs; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(30)
        self.listener.join()
        self.process.stderr.close()
        return status

    def lines(self):
        self.out.seek(0)
        return [json.loads(line) for line in self.out]


class CommandTest(live_test.LiveTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="spikemine-page-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def make_list(self):
        """Episodes of the macaque and what count gives for them: (file, names, counts)."""
        file = str(self.folder / "list.tsv")
        spikemine("episodes", *MACAQUE, "-d", "0:20ms", "-s", "300", "--max-size", "3", "-o", file)
        table = spikemine("count", *MACAQUE, "-e", file)
        return file, column(table, "episode"), [int(text) for text in column(table, "count")]

    def press(self, name):
        self.script("Array.from(document.querySelectorAll('#transport button')).find((b) => b.textContent === arguments[0]).click()", name)
        self.browser.settle()

    def run_command(self, *arguments, page=True):
        run = Run(self.folder, *arguments)
        self.addCleanup(run.out.close)
        self.addCleanup(run.end)
        if page:
            self.visit(run.url, run.port)
        return run


class Counts(CommandTest):
    def test_counts_and_partitions_are_the_commands(self):
        """At the end of a replay: counts of count, spikes of the file, and the partitions of standard output."""
        file, names, counts = self.make_list()
        spikes = sum(not line.startswith("#") for line in Path(MACAQUE[0]).read_text().splitlines())
        run = self.run_command("live", *MACAQUE, "--speed", "max", "-d", "0:20ms", "-s", "1%", "--max-size", "3", "-e", file,
                               "--partition", "10s", "--step", "5s", "--page", "any", "--page-stay")  # fmt: skip
        run.hear("the source has ended; the page stays until Ctrl-C")
        self.until("return document.getElementById('link').textContent", "ended")
        self.until("return spikemine.page.store.spikes.next", spikes)
        self.assertEqual(self.script("return spikemine.page.items.map((item) => item.name)"), names)
        self.until("return spikemine.page.watched.counts", counts)
        self.until("return document.querySelectorAll('.meter .value span')[1].textContent", f"{sum(counts):,}")
        rows = "return Array.from(document.querySelectorAll('.item .count'), (cell) => Number(cell.textContent.replaceAll(',', '')))"
        self.until(rows, counts[: len(self.script(rows))])  # they are drawn twice a second
        self.check_meters(spikes)
        kept = self.script("return spikemine.page.partitions.kept")
        self.check_going_back()
        self.assertEqual(run.end(), 0)
        self.expected = ["ERR_"]
        self.check_partitions(kept, [line for line in run.lines() if line["type"] == "partition"])
        self.assertEqual(sum(line["type"] == "episode" for line in run.lines()), sum(counts))

    def test_a_watch_speaks_of_no_partition(self):
        """Nothing is mined: no panel of partitions, no advice on options that the command has not, all items in sight."""
        file, names, _ = self.make_list()
        run = self.run_command("watch", *MACAQUE, "--speed", "max", "-e", file, "--page", "any", "--page-stay")
        run.hear("the source has ended; the page stays until Ctrl-C")
        self.until("return document.getElementById('link').textContent", "ended")
        for width in (390, 1300):
            self.browser.resize(width, 900)
            self.assertTrue(self.script("return document.getElementById('partitions').hidden"))
            self.assertNotIn("partition", self.script("return document.querySelector('main').innerText").lower())
        cut, rows = self.script("""
            const box = document.getElementById('watched').getBoundingClientRect();
            const rows = Array.from(document.querySelectorAll('.item'), (row) => row.getBoundingClientRect().bottom);
            return [rows.slice(0, 3).filter((bottom) => bottom > box.bottom).length, rows.length]""")
        self.assertEqual((cut, rows), (0, min(60, len(names))))
        self.assertEqual(run.end(), 0)
        self.expected = ["ERR_"]

    def check_meters(self, spikes):
        meters = self.script("return spikemine.page.news.meters")
        self.assertEqual((meters["accepted"], meters["state"], meters["replay"]), (spikes, "ended", True))
        self.assertAlmostEqual(meters["duration_s"], 24.83, delta=0.02)
        self.assertEqual(meters["position_s"], meters["duration_s"])
        self.assertGreater(meters["latency_ms"][1], 0)
        self.assertTrue(self.script("return spikemine.page.replay.hidden"))  # there is nothing left to replay

    def check_going_back(self):
        """Each step is drawn, though nothing comes any more."""
        for behind in (10, 20):
            drawn = self.script("return spikemine.page.raster.drawn")
            self.press("−10 s")
            self.until(f"return spikemine.page.raster.drawn > {drawn}", True)
            self.assertIn(f"frozen, {behind}", self.browser.text("#raster-facts"))

    def check_partitions(self, shown, printed):
        self.assertGreaterEqual(len(printed), 4)
        same = ("number", "state", "start_s", "stop_s", "events", "support")
        self.assertEqual([[p[key] for key in same] for p in shown], [[p[key] for key in same] for p in printed])
        for page, line in zip(shown, printed, strict=True):
            self.assertEqual(page["found"], line["frequent"])
            truth = {e["episode"]: (e["count"], e["trend"]) for e in line["episodes"]}
            trends = [trend for name, (_, trend) in truth.items() if "]" in name] + ["vanished" for e in line["vanished"] if "]" in e["episode"]]
            self.assertEqual(page["trends"], {trend: trends.count(trend) for trend in page["trends"]})
            self.assertGreater(len(page["episodes"]), 10)
            for name, count, _, trend, *_ in page["episodes"]:
                self.assertEqual((count, trend), truth[name])
            gone = {e["episode"]: e["before"] for e in line["vanished"]}
            self.assertEqual({name: gone[name] for name, *_ in page["vanished"]},
                             {name: before for name, before, *_ in page["vanished"]})


class Songbird(CommandTest):
    def replay(self, *more):
        run = self.run_command("live", str(ROOT / "data/songbird_spikes.txt"), "--columns", "unit,time", "--sort", "--sample-rate", "30",
                               "-d", "0:50ms", "-s", "1%", "--speed", "max", "--test", "exact", "--jitter", "250ms", "--surrogates", "99",
                               "--page", "any", "--page-stay", *more)  # fmt: skip
        run.hear("the source has ended; the page stays until Ctrl-C")
        self.until("return document.getElementById('link').textContent", "ended")
        self.until("return spikemine.page.store.spikes.next", 3336)
        return run

    @unittest.skipUnless(os.environ.get("SPIKEMINE_TEST_WRITE_FIGURES"), "asked for by SPIKEMINE_TEST_WRITE_FIGURES=1")
    def test_pictures(self):
        self.replay()
        self.expected = ["ERR_"]
        for colours in ("light", "dark"):
            self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
            for width, height in ((390, 844), (800, 1100), (1400, 900), (2560, 1440)):
                self.browser.resize(width, height)
                time.sleep(0.6)  # lists are drawn twice a second
                self.browser.screen(ROOT / f"tests/page/pictures/live-{width}-{colours}.png", width, height, min(1, 900 / width))
        self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.browser.resize(1300, 900)

    def test_watched_items_beside_a_partition(self):
        """Three watched items are in sight, and after the end no button asks for what cannot be had."""
        (self.folder / "list").write_text("45 (0,50ms] 42 (0,50ms] 46\n10 (0,50ms] 12\n45 (0,50ms] 46\n")
        self.replay("--episodes", str(self.folder / "list"))
        self.expected = ["ERR_"]
        for size in ((390, 844), (800, 1100), (1400, 900), (2560, 1440)):
            self.browser.resize(*size)
            last, box, raster = self.script("""return ['.item:last-child', '#watched', '#raster']
                .map((s) => document.querySelector(s).getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])""")
            self.assertLessEqual(last[1], box[1], size)
            self.assertLess(last[1], raster[1], "what was asked for stands above the raster, or beside it")
        self.assertEqual(self.script("return [...document.querySelectorAll('.watch')].filter((b) => b.textContent === 'Watch').length"), 0)
        self.browser.resize(1300, 900)

    def test_alarm_of_a_short_list(self):
        """Where nothing is mined it stands open, right below the list, and marks are on a wide first screen, too."""
        (self.folder / "list").write_text("45 (0,50ms] 42 (0,50ms] 46\n10 (0,50ms] 12\n")
        run = self.run_command("watch", str(ROOT / "data/songbird_spikes.txt"), "--columns", "unit,time", "--sort", "-e", str(self.folder / "list"),
                               "--speed", "max", "--page", "any", "--page-stay")  # fmt: skip
        self.expected = ["ERR_"]
        run.hear("the source has ended; the page stays until Ctrl-C")
        self.until("return document.querySelectorAll('.item').length", 2)
        for size in ((800, 1100), (1400, 900), (2560, 1440)):
            self.browser.resize(*size)
            last, top, bottom = self.script("""const alarm = document.getElementById('alarm').getBoundingClientRect();
                return [document.querySelector('#watched').getBoundingClientRect().bottom, alarm.top, alarm.bottom]""")
            self.assertLess(top - last, 40, size)
            self.assertLess(bottom, size[1], size)
            marks, raster = self.script("""return ['marks-panel', 'raster-panel'].map((id) => document.getElementById(id).getBoundingClientRect())
                .map(({ left, bottom }) => [left, bottom])""")
            if size[0] > 1080:
                self.assertGreater(marks[0], 0.6 * size[0])
                self.assertEqual(marks[1], raster[1], "no blank beside the raster")
                self.assertLess(marks[1], size[1], size)
        self.browser.resize(1300, 900)

    def test_a_tested_replay(self):
        """The delay is told as it was asked for, though ticks are 1/30 s, and admits what mining admits. A last rest of
        few spikes is neither shown nor due for a test, and the meter tells spikes a second of the recording."""
        run = self.replay()
        self.until("return document.getElementById('partition-facts').textContent.startsWith('Partition 5,')", True)
        self.assertTrue(self.browser.text("#partition-facts").endswith(" → up to 50 ms"))
        self.script("spikemine.page.partitions.go(1)")  # what vanished is listed, but not frequent here
        listed = self.script("return document.querySelectorAll('.episode').length")
        self.assertIn(f"; {listed} are listed, vanished ones with them", self.browser.text("#partition-facts"))
        self.browser.click("#partition-tools button:last-child")
        meter = "return Array.from(document.querySelectorAll('.meter')).find((m) => m.textContent.startsWith(arguments[0])).textContent"
        self.assertEqual(self.script(meter, "Tested"), "Tested5 of 5but for the rest at the end, too short for a test")
        self.assertEqual(self.script(meter, "Spikes"), "Spikes a second150on average, 3336 in 22.2 s")
        self.assertEqual(self.browser.text("#source"), "songbird_spikes.txt · ended")  # its folder is in the tip
        wanted, got = self.script("""
            const { page, trends } = spikemine, p = page.partitions.shown();
            const rows = trends.rowsOf(p).filter(({ count }) => count !== null);
            const found = new Map(rows.map((row) => [row, 0]));
            new trends.Search(rows, (row) => found.set(row, found.get(row) + 1)).through(page.store, ...trends.spikesOf(p, page));
            return [rows.map(({ count }) => count), [...found.values()]];""")
        self.assertEqual(got, wanted)
        self.assertGreater(len(got), 20)
        self.check_steps()
        self.browser.resize(800, 1100)
        ends = self.script("return Array.from(document.querySelectorAll('.episode .count'), (c) => Math.round(c.getBoundingClientRect().right))")
        self.assertEqual(len(set(ends)), 1, "counts stand below each other")
        self.browser.resize(1300, 900)
        self.assertRegex(self.browser.text("#chance"), "^1 of 67 episodes exceeds chance. The strongest: 45 → 20 → 46 → 46, 6 times, p 0.03, ")
        self.assertEqual(self.script("return spikemine.page.trends.drawn[0].name"), "45 (0,50ms] 20 (0,50ms] 46 (0,50ms] 46")
        self.assertEqual(run.end(), 0)
        self.expected = ["ERR_"]


    def check_steps(self):
        """In the graph and in the list beside it the colour is that of a coloured episode, a dash the trend of the step."""
        drawn, edges, quiet = self.script("""
            const { page } = spikemine, { theme } = page, p = page.partitions.shown();
            const lines = Array.from(document.querySelectorAll('#follows-graph .edge path:nth-child(2)'),
                (line) => [line.getAttribute('stroke'), line.hasAttribute('stroke-dasharray')]);
            const sorted = page.partitions.graph.edges.map((edge, e) => e).sort((a, b) => page.partitions.graph.edges[a][2] - page.partitions.graph.edges[b][2]);
            return [page.trends.drawn.map(({ units, tone }) => [units, theme.category(tone)]),
                sorted.map((e, k) => [...p.edges[e], ...lines[k]]), theme.quiet]""")
        steps = {pair: colour for units, colour in reversed(drawn) for pair in zip(units, units[1:])}
        self.assertEqual([colour for *_, colour, _ in edges], [steps.get((a, b), quiet) for a, b, *_ in edges])
        self.assertEqual([dashed for *_, dashed in edges], [trend != "new" for _, _, _, trend, *_ in edges])
        self.assertGreater(len({colour for *_, colour, _ in edges}), 1)
        listed = self.script("""return Array.from(document.querySelectorAll('.step'), (step) =>
            [step.querySelector('.chain').textContent, Number(step.querySelector('.count').textContent), step.title])""")
        labels = self.script("return spikemine.page.labels")
        self.assertEqual(sorted(listed), sorted([f"{labels[a]} → {labels[b]}", count, trend] for a, b, count, trend, *_ in edges))
        self.assertEqual([count for _, count, _ in listed], sorted((count for *_, count, _ in listed), reverse=True))
        for width, height in ((390, 844), (800, 1100), (1400, 900), (2560, 1440)):
            self.browser.resize(width, height)
            sides = self.script("""return ['#raster-panel', '#follows', '#marks-panel'].map((s) => document.querySelector(s).getBoundingClientRect())
                .map(({ left, right }) => [left, right])""")
            self.assertEqual(sides[0], sides[1], "no blank beside the graph")
            self.assertEqual(sides[0], sides[2])
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)


class Time(CommandTest):
    def measure(self, ms):
        """How many times as fast as the wall's clock the shown time went, and the newest spike."""
        return self.browser.wait_script("""
            const { clock, store } = spikemine.page;
            const look = () => [clock.head * store.tickS, store.newest * store.tickS, performance.now() / 1000];
            const before = look();
            setTimeout(() => {
                const [head, newest, wall] = look().map((value, k) => value - before[k]);
                done([head / wall, newest / wall]);
            }, arguments[0]);""", ms)  # fmt: skip

    def pace(self, which, expected, share, ms=1000):
        """The pace is this, but for a share; a machine that stands still now and then gets three tries."""
        for _ in range(3):
            if abs((got := self.measure(ms)[which]) - expected) <= share * expected:
                return
        self.assertAlmostEqual(got, expected, delta=share * expected)

    def replay_at(self, speed):
        self.script("""const { replaySpeed } = spikemine.page;
            replaySpeed.value = arguments[0]; replaySpeed.dispatchEvent(new Event('change'))""", str(speed))  # fmt: skip
        self.until("return spikemine.page.news.meters.speed", speed)

    def test_a_replay_follows_pauses_and_plays(self):
        """The page's clock and the replay's own, each against the wall's clock."""
        file = str(self.folder / "made.txt")
        spikemine("simulate", "network", "--duration", "1000s", "--units", "20", "--seed", "1", "-o", file)
        (self.folder / "list").write_text("0 (0,10ms] 1\n")
        self.run_command("watch", file, "--speed", "50", "-e", str(self.folder / "list"), "--page", "any", "--emit", "none")
        self.until("return spikemine.page.store.newest * spikemine.page.store.tickS > 60", True, seconds=30)
        self.until("return spikemine.page.replay.hidden", False)
        self.assertEqual(self.script("return spikemine.page.replaySpeed.value"), "50")
        self.assertRegex(self.script("return spikemine.page.replayPlace.textContent"), r"^[0-9.]+ of (999\.\d|1000) s$")
        self.assertIsNone(self.script("return spikemine.page.news.meters.latency_ms[1]"))  # nothing is sent anywhere
        shown = self.script("return Array.from(document.querySelectorAll('.meter:not([hidden]) dt'), (name) => name.textContent)")
        self.assertTrue("Lost" in shown and "Latency" not in shown, shown)
        self.replay_at(1)
        self.pace(1, 1, 0.25)  # spikes come in steps
        self.pace(0, 1, 0.25)  # the page follows
        self.check_own_clock()
        self.check_replay()

    def check_own_clock(self):
        """Freeze, back, 0.1 times and 10 times, while the replay goes on."""
        self.press("Freeze")
        head, newest = self.measure(500)
        self.assertEqual(head, 0)
        self.assertGreater(newest, 0.2)
        before = self.head_s()
        self.press("−10 s")
        self.assertAlmostEqual(before - self.head_s(), 10, delta=0.001)
        self.assertRegex(self.browser.text("#raster-facts"), "^frozen, 1")  # over ten seconds behind
        self.script("spikemine.page.clock.seek(15 / spikemine.page.store.tickS)")
        for speed in (0.1, 10):
            self.script("spikemine.page.clock.setSpeed(arguments[0]); spikemine.page.clock.play()", speed)
            self.pace(0, speed, 0.05, 700)
        self.press("Now")
        self.until("return spikemine.page.clock.mode", "live")

    def check_replay(self):
        """The replay itself: 0.1 times, 10 times, halted."""
        self.replay_at(0.1)
        self.pace(1, 0.1, 0.5)
        self.replay_at(10)
        self.pace(1, 10, 0.25)
        self.script("spikemine.page.replayPause.click()")
        self.until("return spikemine.page.replayPause.textContent", "Resume replay")
        time.sleep(0.3)  # what was on its way arrives
        self.assertEqual(self.measure(400)[1], 0)
        self.assertIn("paused", self.browser.text("#source"))
        self.script("spikemine.page.replayPause.click()")
        self.until("return spikemine.page.replayPause.textContent", "Pause replay")
        self.pace(1, 10, 0.25, 500)


class Choice(CommandTest):
    def until_rows(self, *rows):
        self.until("""
            return Array.from(document.querySelectorAll('.item'), (row) => ['.item-name', '.count'].map((part) =>
                row.querySelector(part).textContent))""", [list(row) for row in rows])  # fmt: skip

    def button(self):
        """What the button of 2 (0,20ms] 3 in the mined list says, if it can be pressed."""
        return self.script("""
            const made = document.querySelector('.watch[data-episode="2 (0,20ms] 3"]');
            return made && [made.textContent, made.disabled]""")  # fmt: skip

    def press_watch(self):
        self.browser.click('.watch[data-episode="2 (0,20ms] 3"]')

    def test_watch_what_was_mined(self):
        """A row of the mined list is watched from the click on, and no more from the next; so says another tab, too."""
        port = free_port()
        (self.folder / "list.txt").write_text("1 (0,20ms] 2\n")
        run = self.run_command("live", f"tcp://127.0.0.1:{port}", "--columns", "time,unit", "-e", str(self.folder / "list.txt"),
                               "-d", "0:20ms", "-s", "2", "--partition", "1s", "--step", "1s", "--page", "any",
                               "--format", "json")  # fmt: skip
        with socket.create_server(("127.0.0.1", port)) as server:
            sender, _ = server.accept()
            with sender:
                self.feed_and_choose(sender)
                self.assertEqual(run.end(), 130)
        self.expected = ["ERR_"]
        lines = run.lines()
        place = [(line["state"], line["after_s"], line["spikes"]) for line in lines if line["type"] == "watch"]
        self.assertEqual(place, [("begun", 1.02, 18), ("ended", 2.02, 33)])
        self.assertEqual([line["episode_counts"] for line in lines if line["type"] == "counts"], [[16, 5]])

    def feed_and_choose(self, sender):
        def second(of):  # units 1, 2, 3 five times, and the first of the next second, which ends the partition
            last = "".join(f"{of + 1 + k / 100} {k + 1}\n" for k in range(3))
            sender.sendall(("".join(f"{of + j / 10 + k / 100} {k + 1}\n" for j in range(1, 5) for k in range(3)) + last).encode())

        sender.sendall(b"0 1\n0.01 2\n0.02 3\n")
        second(0)
        self.until("return spikemine.page.partitions.kept.length", 1)
        self.until_rows(("1 → 2", "6"))
        self.assertEqual(self.button(), ["Watch", False])
        own = "return document.querySelector('.watch[data-episode=\"1 (0,20ms] 2\"]').disabled"
        self.assertTrue(self.script(own))  # the command was given it
        self.press_watch()
        self.until("return spikemine.page.watchedItems()", [0, 1])
        self.assertEqual(self.button(), ["Watched", False])
        second(1)
        self.until("return spikemine.page.watched.counts", [11, 5])
        self.until_rows(("1 → 2", "11"), ("2 → 3", "5"))
        self.browser.visit("about:blank")
        self.browser.visit(f"http://127.0.0.1:{self.port}/")  # the tab has the token
        self.until("return globalThis.spikemine?.page?.watchedItems()", [0, 1])
        self.browser.click(".chosen button.button")
        self.until("return spikemine.page.watchedItems()", [0])
        self.assertEqual(self.button(), ["Watch", False])
        second(2)
        self.until("return spikemine.page.watched.counts[0]", 16)


class Restart(CommandTest):
    def test_the_page_waits_for_its_source(self):
        """It is there before anybody sends, and goes on when somebody does."""
        port = free_port()
        (self.folder / "list.txt").write_text("1 (0,20ms] 2\n")
        self.run_command("watch", f"tcp://127.0.0.1:{port}", "-e", str(self.folder / "list.txt"), "--columns", "time,unit",
                         "--emit", "none", "--page", "any")  # fmt: skip
        self.until("return document.getElementById('raster-facts').textContent", "waiting for the source")
        self.until("return document.getElementById('source').textContent.includes('waiting for 127.0.0.1')", True)
        with socket.create_server(("127.0.0.1", port)) as server:
            sender, _ = server.accept()
            with sender:
                sender.sendall(b"0.5 1\n0.51 2\n")
                self.until("return spikemine.page.store.spikes.next", 2, seconds=20)
                self.until("return spikemine.page.watched.counts", [1])
                self.assertEqual(self.script("return spikemine.page.rate"), [1_000_000_000, 1])
                self.assertIn("at 0.51", self.browser.text("#raster-facts"))
                self.expected = ["ERR_CONNECTION_REFUSED"]

    def test_browsers_find_the_page_again(self):
        """The same port and --page-token-file: the page goes on with the new process."""
        file, _, counts = self.make_list()
        token = self.folder / "token"
        port = free_port()
        options = ["watch", *MACAQUE, "-e", file, "--emit", "none", "--page", str(port), "--page-token-file", str(token)]
        first = self.run_command(*options, "--speed", "5")
        self.assertEqual(token.stat().st_mode & 0o777, 0o600)
        self.assertEqual(first.url, f"http://127.0.0.1:{port}/?token={token.read_text().strip()}")
        self.until("return spikemine.page.store.spikes.next > 1000", True)
        self.expected = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET"]
        self.assertEqual(first.end(signal.SIGKILL), -signal.SIGKILL)
        self.until("return document.getElementById('link').textContent", "reconnecting")
        second = self.run_command(*options, "--speed", "max", "--page-stay", page=False)
        self.assertEqual(second.url, first.url)
        self.until("return document.getElementById('link').textContent", "ended", seconds=20)
        self.until("return spikemine.page.watched.counts", counts)
        self.assertIn("The server was started anew", self.browser.text("#problems"))


class Picture(CommandTest):
    """The songbird's raster at two moments of one replay, one above the other."""

    @unittest.skipUnless(os.environ.get("SPIKEMINE_TEST_WRITE_FIGURES"), "asked for by SPIKEMINE_TEST_WRITE_FIGURES=1")
    def test_raster_over_time(self):
        rows = [line.split() for line in (ROOT / "data/songbird_spikes.txt").read_text().splitlines()]
        frames = sorted((round(float(time_s) * 30), float(unit)) for unit, time_s in rows)
        (self.folder / "bird.txt").write_text("".join(f"{frame}\t{unit:g}\n" for frame, unit in frames))
        bird = [str(self.folder / "bird.txt"), "--columns", "time,unit", "--time-unit", "samples@30"]
        found = spikemine("episodes", *bird, "-d", "0ms:100ms", "-s", "5", "--max-size", "5")
        (self.folder / "list").write_text("\n".join(self.different(column(found, "episode"))) + "\n")
        run = self.run_command("watch", *bird, "-e", str(self.folder / "list"), "--speed", "max", "--page", "any", "--page-stay",
                               "--emit", "none")  # fmt: skip
        run.hear("the source has ended")
        self.until("return document.getElementById('link').textContent", "ended")
        self.browser.resize(1600, 900)
        self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.script("spikemine.page.raster.setWidth(4)")
        parts = []
        for head_s in self.two_moments():
            drawn = self.script("return spikemine.page.raster.drawn")
            self.script("spikemine.page.clock.seek(arguments[0] / spikemine.page.store.tickS)", head_s)
            self.until(f"return spikemine.page.raster.drawn > {drawn}", True)
            self.script("""
                const { raster, theme } = spikemine.page, from = raster.plot.canvas;
                const parts = (globalThis.parts ??= document.createElement('canvas'));
                if (!parts.width || parts.height !== 2 * from.height) Object.assign(parts, { width: from.width, height: 2 * from.height });
                const context = parts.getContext('2d'), y = arguments[0] * from.height;
                context.fillStyle = theme.panel;
                context.fillRect(0, y, from.width, from.height);
                context.drawImage(from, 0, y);""", len(parts))  # fmt: skip
            parts.append(head_s)
        url = self.script("return globalThis.parts.toDataURL('image/png')")
        (ROOT / "docs/figures/live-raster.png").write_bytes(base64.b64decode(url.split(",")[1]))

    def different(self, names):
        """The most frequent episodes of five units of which no two share any."""
        chosen, taken = [], set()
        for name in names:
            units = name.split()[::2]
            if len(set(units)) == 5 and not taken & set(units):
                chosen.append(name)
                taken |= set(units)
        return chosen

    def two_moments(self):
        """The right edges of two stretches of four seconds with the most occurrences, apart from each other."""
        ends = self.script("""
            const { store } = spikemine.page, ends = [];
            store.eachOccurrence(0, Infinity, (item, size, word) => ends.push(store.placeOf(word + size - 1) * store.tickS));
            return ends""")  # fmt: skip
        self.assertGreater(len(ends), 10)
        def richness(edge, ends):
            return sum(edge - 4 < end <= edge for end in ends)
        first = max((end + 0.5 for end in ends), key=lambda edge: richness(edge, ends))
        rest = [end for end in ends if abs(end + 0.5 - first) > 4]
        second = max((end + 0.5 for end in rest), key=lambda edge: richness(edge, rest))
        return sorted((first, second))


if __name__ == "__main__":
    if chromium.missing() or not Path(SPIKEMINE).exists():
        print(f"the page of the command was not looked at: {chromium.missing() or SPIKEMINE + ' is not built'}")
        sys.exit(0)
    unittest.main(verbosity=1)
