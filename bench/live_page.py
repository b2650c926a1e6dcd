#!/usr/bin/env python3
"""The page of a live stream: frame times by spikes in view, standing over what is kept and following a stream.

bench/live_page.py >bench/results/live_page.md      build/release/tests/live_server serves the page
"""

import datetime
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/page"))
import browser as chromium
import test_live

SIZE = (1900, 1000)
PLAYED = (1000, 5000, 20_000, 100_000, 400_000)
FOLLOWED = (100, 500, 2000, 10_000)
MEASURE = """
    const { raster } = spikemine.page, times = [], ms = [];
    let before = null, seen = 0;
    const step = (now) => {
        if (before !== null) { times.push(now - before); ms.push(raster.drawMs); }
        before = now;
        seen = Math.max(seen, raster.inView);
        if (times.length >= arguments[0]) done([times, ms, seen]);
        else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);"""


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def row(times, drawing, seen):
    cells = [quantile(times, 0.5), quantile(times, 0.99), max(times), quantile(drawing, 0.5), max(drawing)]
    print(f"| {seen:,} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")


def head(title, first):
    print(f"\n## {title}\n\n| {first} | median_ms | p99_ms | worst_ms | drawing_ms | drawing_worst_ms |\n|---|---|---|---|---|---|")


def open_page(browser, server, *lines):
    for line in lines:
        server.say(line)
    browser.visit(server.url)
    browser.wait_script("const wait = () => (spikemine.page.news && spikemine.page.store.spikes.next >= spikemine.page.news.spikes ? done() : setTimeout(wait, 50)); wait();")


def play(browser, n):
    """10 s in view, of 25 s that are kept, played at the speed at which they came."""
    server = test_live.Server()
    try:
        open_page(browser, server, "units 100", "items", f"push {2 * n} 20", "occurrences 40", f"push {n // 2} 5")
        browser.script("const { clock, store } = spikemine.page; clock.seek(12 / store.tickS); clock.setSpeed(1); clock.play()")
        row(*browser.wait_script(MEASURE, 300))
    finally:
        server.close()


def follow(browser, rate):
    """10 s in view while spikes and some ten occurrences a second come in."""
    server = test_live.Server()
    try:
        open_page(browser, server, "units 100", "items", f"push {10 * rate} 10")
        feeder = threading.Thread(target=server.say, args=(f"run {rate} 8",))
        feeder.start()
        browser.wait_script("setTimeout(done, 1500)")
        row(*browser.wait_script(MEASURE, 300))
        feeder.join()
    finally:
        server.close()


def main():
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    browser = chromium.Browser(*SIZE)
    try:
        browser.resize(*SIZE)
        version = browser.command("Browser.getVersion")["product"].split("/")[1]
        print("# The page of a live stream: frame times\n")
        print(f"Made by `bench/live_page.py` on {datetime.date.today()}, commit {commit}, {cpu}, headless Chromium\n"
              f"{version} without a graphics processor, window of {SIZE[0]} x {SIZE[1]} pixels. Server and browser share the machine.")  # fmt: skip
        head("Playing what is kept: 100 units, 10 s in view", "spikes in view")
        for n in PLAYED:
            play(browser, n)
        head("Following a stream: 100 units, 10 s in view", "spikes in view")
        for rate in FOLLOWED:
            follow(browser, rate)
        print("\nA screen of 60 Hz has a frame each 16.7 ms. `drawing_ms` is the raster's own share of a frame.")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
