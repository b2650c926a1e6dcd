"""What tests of a page served by build/release/tests/live_server share: that server, and a page opened on it.

SPIKEMINE_LIVE_SERVER names another server.
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import browser as chromium
import live_test

ROOT = Path(__file__).resolve().parents[2]
SERVER = os.environ.get("SPIKEMINE_LIVE_SERVER", str(ROOT / "build/release/tests/live_server"))
TOKEN = "token-of-the-tests_0"


class Server:
    """A stream of made-up spikes and its page; lines drive it (tests/page/live_server.c)."""

    def __init__(self, port=0):
        self.process = subprocess.Popen(
            [SERVER, str(port), TOKEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.url).group(1))

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().strip()

    def say(self, line):
        """Numbers of spikes and of occurrences of each item, after the order."""
        self.send(line)
        numbers = [int(word) for word in self.hear().split()]
        return numbers[0], numbers[1:]

    def actions(self):
        self.send("actions")
        return list(iter(self.hear, "."))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


class ServedTest(live_test.LiveTest):
    def serve(self, *lines, port=0, size=(1300, 900)):
        """Starts a server, has it obey lines, and opens its page. Returns the server; counts are in self.counts."""
        server = Server(port)
        self.addCleanup(server.close)
        for line in lines:
            self.counts = server.say(line)
        self.visit(server.url, server.port, size)
        self.until("return spikemine.page.store.spikes.next", self.counts[0])
        self.browser.settle()
        return server

    def watch_head(self, ms):
        """Seconds that the head moved, and that passed, over so many milliseconds of frames."""
        return self.browser.wait_script("""
            const { clock, store } = spikemine.page;
            requestAnimationFrame((start) => {
                const from = clock.head;
                const step = (now) => (now - start < arguments[0] ? requestAnimationFrame(step)
                    : done([(clock.head - from) * store.tickS, (now - start) / 1000]));
                requestAnimationFrame(step);
            });""", ms)  # fmt: skip


def main():
    """Runs the tests of a file, or says why the page cannot be looked at."""
    if Path(SERVER).exists() and subprocess.run([SERVER], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode == 77:
        print("the live page was not looked at: this build has no libmicrohttpd")
        sys.exit(0)
    if chromium.missing() or not Path(SERVER).exists():
        print(f"the live page was not looked at: {chromium.missing() or SERVER + ' is not built'}")
        sys.exit(0)
    unittest.main(verbosity=1)
