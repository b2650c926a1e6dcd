"""What tests of the page share: a browser, and reports that are opened in it."""

import os
import subprocess
import unittest

import browser as chromium
import reports


class PageTest(unittest.TestCase):
    browser = None
    made = {}

    @classmethod
    def setUpClass(cls):
        if PageTest.browser is None:  # one for all classes: starting it takes a second
            PageTest.browser = chromium.Browser()
            unittest.addModuleCleanup(PageTest.browser.close)

    def open(self, make, *arguments, **changes):
        """Opens a report of tests/page/reports.py; returns (report, truth)."""
        key = (make.__name__, arguments)
        if key not in self.made:
            self.made[key] = make(*arguments)
        report, truth = self.made[key]
        report = {**report, **changes}
        self.browser.open_text(reports.join(report, report["title"]))
        return report, truth

    def script(self, text, *arguments):
        return self.browser.script(text, *arguments)

    def problems(self):
        return self.script("return Array.from(document.querySelectorAll('#problems .problem'), p => p.textContent)")

    def shown(self):
        """The rows of the list that the table shows, in its order."""
        return self.script("return Array.from(spikemine.page.table.shown)")

    def view(self):
        return self.script("return spikemine.page.raster.view")

    def box(self):
        """The raster's plotting area in the window; scrolling there has ended, which wheels respect."""
        return self.browser.wait_script("""
            const canvas = spikemine.page.raster.plot.canvas;
            canvas.scrollIntoView({block: 'center'});
            const rect = canvas.getBoundingClientRect(), box = spikemine.page.raster.box;
            setTimeout(() => done({x: rect.left + box.x, y: rect.top + box.y, width: box.width, height: box.height}), 250)""")


@unittest.skipUnless(os.environ.get("SPIKEMINE"), "SPIKEMINE names no command")
class CommandTest(PageTest):
    """Reports that the command writes."""

    written = {}  # folders by options: a page is opened more often than it is written

    def run_command(self, *options):
        """Writes table, occurrences and report of the songbird; opens the report; returns the folder."""
        if options not in self.written:
            self.written[options] = self.write(options, self.browser.folder / str(len(self.written)))
        self.browser.open(self.written[options] / "r.html")
        console, asked = self.browser.logs()
        self.assertEqual((console, self.problems()), ([], []))
        self.assertEqual([url for url in asked if url.startswith(("http", "ws"))], [])
        return self.written[options]

    def write(self, options, folder):
        folder.mkdir()
        reports.write_steps("songbird_spikes.txt", folder / "songbird.txt", 1, 0, 30)
        command = [os.environ["SPIKEMINE"], *options[:1], "songbird.txt", "--columns", "time,unit", "--time-unit",
                   "samples@30", *options[1:], "-q", "--force", "-o", "t.tsv", "--html", "r.html"]  # fmt: skip
        subprocess.run(command, cwd=folder, check=True)
        return folder
