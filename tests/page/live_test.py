"""What tests of the live page share: a browser, looking at the page's state, and that no request leaves the machine."""

import time
import unittest

import browser as chromium


class LiveTest(unittest.TestCase):
    browser = None

    @classmethod
    def setUpClass(cls):
        if LiveTest.browser is None:
            LiveTest.browser = chromium.Browser()
            unittest.addModuleCleanup(LiveTest.browser.close)

    def visit(self, url, port, size=(1300, 900)):
        """Opens a page; afterwards its console must be empty, and all requests must have gone to this port."""
        self.addCleanup(self.check_logs)
        self.port = port
        self.expected = []  # messages of the console that belong to the test
        self.browser.logs()
        self.browser.resize(*size)
        self.browser.visit(url)

    def check_logs(self):
        """No error on the console, and no request to anywhere else."""
        console, asked = self.browser.logs()
        self.assertEqual([line for line in console if not any(word in line for word in self.expected)], [])
        outside = [url for url in asked if not url.startswith((f"http://127.0.0.1:{self.port}/", "data:", "blob:"))]
        self.assertEqual(outside, [])
        self.browser.visit("about:blank")
        self.browser.logs()

    def script(self, text, *arguments):
        return self.browser.script(text, *arguments)

    def until(self, text, value, seconds=8):
        """Waits until the script's value is this."""
        end = time.monotonic() + seconds
        while (got := self.script(text)) != value and time.monotonic() < end:
            time.sleep(0.03)
        self.assertEqual(got, value)

    def head_s(self):
        return self.script("const p = spikemine.page; return p.clock.head * p.store.tickS")
