#!/usr/bin/env python3
"""The HTML report: frame times with a million spikes, sizes of files, and the picture of the documentation.

bench/report_page.py [COMMAND] >bench/results/report_page.md      COMMAND is build/release/cli/spikemine
bench/report_page.py --figure [COMMAND]                           writes docs/figures/report.png instead
"""

import base64
import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/page"))
import browser as chromium
import reports
import test_raster

STRETCHES = (("2 h, all", 1), ("1 h", 0.5), ("12 min", 0.1), ("1 min", 1 / 120), ("10 s", 1 / 720))
# Both recordings lie on a grid, frames of 1/30 s and bins of 5 ms: their times are numbers of steps here.
MACAQUE = ["macaque.txt", "--columns", "time,unit", "--time-unit", "samples@200", "--support", "50",
           "--delay", "0ms:5ms", "--delay", "5ms:10ms", "--delay", "10ms:15ms"]  # fmt: skip
SONGBIRD = ["songbird.txt", "--columns", "time,unit", "--time-unit", "samples@30"]
TESTED = ["--delay", "0ms:34ms", "--delay", "34ms:67ms", "--support", "12", "--distinct-units", "2", "--test", "exact",
          "--jitter", "500ms"]  # fmt: skip
PATTERNS = ["--bin", "1/30s", "--window", "6", "--min-spikes", "4", "--min-neurons", "4", "--support", "8"]
JOBS = (
    ("macaque, all episodes", ["episodes", *MACAQUE]),
    ("macaque, exact test, core", ["episodes", *MACAQUE, "--test", "exact", "--distinct-units", "2", "--jitter", "100ms",
                                   "--report", "core"]),
    ("songbird, exact test", ["episodes", *SONGBIRD, *TESTED]),
    ("songbird, patterns, test of signatures", ["patterns", *SONGBIRD, *PATTERNS, "--surrogates", "200", "--dither", "200ms"]),
)  # fmt: skip


def write_report(command, job, folder):
    folder = Path(folder)
    reports.write_steps("songbird_spikes.txt", folder / "songbird.txt", 1, 0, 30)
    reports.write_steps("movement_PGHF.spikes.txt", folder / "macaque.txt", 0, 1, 200)
    subprocess.run([command, *job, "-q", "-o", "table.tsv", "--html", "report.html"], cwd=folder, check=True)
    return folder / "report.html"


def frames(browser):
    report, _ = reports.million()
    browser.open_text(reports.join(report))
    print("## A million spikes, 200 units, 2 h at 30 kHz\n")
    started = browser.script("return spikemine.page.startMs")
    print(f"The page is ready {started:.0f} ms after its file is read. Frames while the raster moves:\n")
    print("| shown | median_ms | worst_ms | drawing_ms |\n|---|---|---|---|")
    for name, share in STRETCHES:
        times = sorted(test_raster.frame_times(browser, share, 120))
        drawing = browser.script("return spikemine.page.raster.drawMs")
        print(f"| {name} | {times[len(times) // 2]:.1f} | {times[-1]:.1f} | {drawing:.1f} |")
    print("\nA screen of 60 Hz has a frame each 16.7 ms. `drawing_ms` is the raster's own share of the last frame.\n")


def sizes(browser, command):
    page = len(reports.join("", ""))
    print("## Sizes\n")
    print(f"The page without data has {page / 1000:.0f} kB.\n")
    print("| report | rows | kB | ready_ms |\n|---|---|---|---|")
    for name, job in JOBS:
        with tempfile.TemporaryDirectory() as folder:
            file = write_report(command, job, folder)
            browser.open(file)
            rows, ready = browser.script("return [spikemine.page.report.rows.length, spikemine.page.startMs]")
            print(f"| {name} | {rows} | {file.stat().st_size / 1000:.0f} | {ready:.0f} |")


def machine():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown processor"


def measure(browser, command):
    commit = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"], check=True, cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    version = browser.send("GET", "/status")["build"]["version"].split()[0]
    print("# The HTML report: frame times and sizes\n")
    print(f"Made by `bench/report_page.py` on {datetime.date.today()}, commit {commit}, {machine()}, headless Chromium")
    print(f"{version} without a graphics processor, window of 1400 x 900 pixels.\n")
    frames(browser)
    sizes(browser, command)


def figure(browser, command):
    """The report of the songbird with a stretch of it, scaled to a file of moderate size."""
    with tempfile.TemporaryDirectory() as folder:
        browser.open(write_report(command, ["episodes", *SONGBIRD, *TESTED], folder))
    browser.script("""
        const page = spikemine.page, titles = page.report.columns.map((column) => column.key);
        page.table.sort(titles.indexOf("neurons"));
        page.table.activate(1);
        page.step(1);
        page.raster.setView({...page.raster.whole(), from: 0, to: page.raster.span / 4});""")
    browser.settle()
    height = browser.script("return document.getElementById('making').getBoundingClientRect().top + scrollY")
    shot = browser.command("Page.captureScreenshot", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": 1400, "height": height, "scale": 0.72})  # fmt: skip
    (ROOT / "docs/figures/report.png").write_bytes(base64.b64decode(shot["data"]))


def main():
    arguments = sys.argv[1:]
    picture = "--figure" in arguments
    command = str(Path(next((a for a in arguments if a != "--figure"), ROOT / "build/release/cli/spikemine")).resolve())
    browser = chromium.Browser(1400, 900)
    try:
        browser.resize(1400, 900)
        (figure if picture else measure)(browser, command)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
