#!/usr/bin/env python3
"""The page of a live stream while time goes on:  test_live_time.py [NAME ...]

How it follows and stands still, how fast it draws, and what it does when its server goes away.
"""

import http.server
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import live_server
from live_server import SERVER, ServedTest, Server

FRAME_MS = (60, 400)  # median and worst of a frame with 20,000 spikes in view: generous, since machines differ


class Time(ServedTest):
    def test_follows_and_pauses(self):
        server = self.serve("units 5", "push 1000 20")
        server.send("run 500 1.3")
        time.sleep(0.4)
        moved, passed = self.watch_head(700)
        self.assertAlmostEqual(moved, passed, delta=0.35)
        self.browser.type(" ")
        moved, _ = self.watch_head(500)
        self.assertEqual(moved, 0)
        self.assertIn("frozen", self.browser.text("#raster-facts"))
        self.browser.type("n")
        server.hear()
        self.until("const p = spikemine.page; return p.clock.head === p.store.newest && p.clock.mode", "live")

    def test_speeds(self):
        """The head moves so many times as fast as time, over what is kept, whatever the source does."""
        self.serve("units 5", "push 20000 400")
        for speed, ms in ((0.1, 400), (1, 300), (10, 300), (100, 400)):
            self.script("const { clock, store } = spikemine.page; clock.seek(20 / store.tickS); clock.setSpeed(arguments[0]); clock.play()", speed)
            moved, passed = self.watch_head(ms)
            self.assertAlmostEqual(moved / passed, speed, delta=0.02 * speed, msg=f"{speed} times")
            self.assertIn("playing", self.browser.text("#raster-facts"))
        self.script("const { clock, store } = spikemine.page; clock.seek(store.newest - 5 / store.tickS); clock.play()")
        self.until("return spikemine.page.clock.mode", "live")  # it has caught up

    def test_keys(self):
        self.serve("units 5", "push 2000 100")
        self.browser.type("Home")
        self.assertAlmostEqual(self.head_s(), 10, delta=0.2)
        self.assertEqual(self.script("return spikemine.page.clock.mode"), "pause")
        self.browser.type("Right")
        self.assertAlmostEqual(self.head_s(), 11, delta=0.2)
        self.browser.type("Left")
        self.browser.hold("Shift", "Right")
        self.assertAlmostEqual(self.head_s(), 15, delta=0.2)
        self.browser.type("+")
        self.assertEqual(self.script("return spikemine.page.raster.widthS"), 5)
        self.browser.type("-")
        self.browser.type("-")
        self.assertEqual(self.script("return spikemine.page.raster.widthS"), 20)
        self.browser.type(".")
        self.assertEqual(self.script("return [spikemine.page.clock.speed, spikemine.page.clock.mode]"), [2, "pause"])
        self.browser.type(",")
        self.browser.type(",")
        self.assertEqual(self.browser.text(".speed"), "0.5×")
        self.browser.type("End")
        self.assertEqual(self.script("return spikemine.page.clock.mode"), "live")
        for _ in range(3):
            self.browser.type("Tab")
        self.assertNotEqual(self.script("return document.activeElement.tagName"), "BODY")

    def test_hands(self):
        """Dragging, the wheel, the strip, and the buttons."""
        self.serve("units 5", "push 2000 100")
        rect = self.script("const r = spikemine.page.raster.plot.canvas.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]")
        box = self.script("return spikemine.page.raster.box")
        x, y = rect[0] + box["x"] + box["width"] / 2, rect[1] + rect[3] / 2
        before = self.head_s()
        self.browser.point((x, y), (x + 50, y), (x + box["width"] / 4, y), press=True)
        self.assertAlmostEqual(before - self.head_s(), 2.5, delta=0.1)
        self.browser.wheel(x, y, 0, 200)
        self.assertAlmostEqual(self.script("return spikemine.page.raster.widthS"), 10 * 1.4918, delta=0.01)
        strip = self.script("const r = spikemine.page.raster.strip.canvas.getBoundingClientRect(); return [r.left, r.top]")
        self.script("spikemine.page.raster.setWidth(10)")
        self.browser.point((strip[0] + box["x"] + 0.3 * box["width"], strip[1] + 20), clicks=1)
        self.assertAlmostEqual(self.head_s(), 35, delta=0.5)
        self.script("Array.from(document.querySelectorAll('#transport button')).find((b) => b.textContent === '+10 s').click()")
        self.assertAlmostEqual(self.head_s(), 45, delta=0.5)
        self.script("Array.from(document.querySelectorAll('#transport button')).find((b) => b.textContent === 'Now').click()")
        self.assertEqual(self.script("return spikemine.page.clock.mode"), "live")


class Frames(ServedTest):
    def test_twenty_thousand_spikes_in_view(self):
        self.serve("units 100", "items", "push 60000 30", "occurrences 40", "push 20000 10", size=(1900, 1000))
        self.script("const { clock, store } = spikemine.page; clock.seek(15 / store.tickS); clock.setSpeed(1); clock.play()")
        times, drawn, ms, seen = self.browser.wait_script("""
            const { raster } = spikemine.page, times = [], ms = [], first = raster.drawn;
            let before = null, seen = 0;
            const step = (now) => {
                if (before !== null) { times.push(now - before); ms.push(raster.drawMs); }
                before = now;
                seen = Math.max(seen, raster.inView);
                if (times.length >= 90) done([times, raster.drawn - first, ms, seen]);
                else requestAnimationFrame(step);
            };
            requestAnimationFrame(step);""")  # fmt: skip
        times.sort()
        ms.sort()
        middle, worst = times[45], times[-1]
        print(f"{seen} spikes in view: frames of {middle:.1f} ms (median), {worst:.1f} ms (worst); drawing takes "
              f"{ms[45]:.1f} ms (median), {ms[-1]:.1f} ms (worst)", file=sys.stderr)  # fmt: skip
        self.assertGreaterEqual(seen, 19_900)
        self.assertLess(middle, FRAME_MS[0])
        self.assertLess(worst, FRAME_MS[1])
        self.assertLessEqual(drawn, 92)  # once a frame at most

    def test_nothing_is_drawn_while_nothing_moves(self):
        self.serve("units 5", "push 2000 100")
        self.browser.type(" ")
        time.sleep(0.6)
        before = self.script("return spikemine.page.raster.drawn")
        self.watch_head(300)
        self.assertEqual(self.script("return spikemine.page.raster.drawn"), before)


class Access(ServedTest):
    def test_the_address_shows_no_token(self):
        server = self.serve("units 5", "push 50 1")
        self.assertEqual(self.script("return location.href"), f"http://127.0.0.1:{server.port}/")
        self.browser.post("/refresh")
        self.until("return spikemine.page.store.spikes.next", 50)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/state")
        self.assertEqual(refused.exception.code, 403)
        refused.exception.close()

    def test_the_token_stays_with_this_port(self):
        """A page at another port of the machine gets nothing of it, and without the token there is nothing to see."""
        server = self.serve("units 5", "push 50 1")
        heard = []

        class Other(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                heard.append(str(self.headers) + self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b'<link rel="icon" href="data:,">')

            def log_message(self, *_):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        try:
            self.browser.visit(f"http://127.0.0.1:{other.server_port}/")
            self.assertEqual(self.script("return [sessionStorage.length, localStorage.length, document.cookie]"), [0, 0, ""])
        finally:
            other.shutdown()
            other.server_close()
        self.assertIn("Host: 127.0.0.1", heard[0])
        self.assertNotIn("Cookie", heard[0])
        self.assertNotIn(live_server.TOKEN, "".join(heard))
        self.browser.logs()
        self.expected = ["403"]
        self.browser.visit(f"http://127.0.0.1:{server.port}/")
        self.until("return document.getElementById('link').textContent", "connected")  # the same tab
        self.script("sessionStorage.clear()")
        self.browser.post("/refresh")
        self.until("return document.getElementById('link').textContent", "refused")
        self.assertIn("Open the address that it printed", self.browser.text("#problems"))
        self.assertEqual(self.script("return spikemine.page.labels.length"), 0)

    def test_reconnects_after_a_restart(self):
        server = self.serve("units 5", "items", "push 500 5", "occurrences 9")
        server.close()
        self.expected = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET"]
        self.until("return document.getElementById('link').textContent", "reconnecting")
        self.assertIn("does not answer", self.browser.text("#problems"))
        other = Server(server.port)
        self.addCleanup(other.close)
        other.say("units 5")
        other.say("items")
        spikes, counts = other.say("occurrences 3")
        self.until("return document.getElementById('link').textContent", "connected")
        self.until("return spikemine.page.store.spikes.next", spikes)
        self.assertIn("The server was started anew", self.browser.text("#problems"))
        self.until("return spikemine.page.watched.counts", counts)
        self.assertEqual(self.script("return spikemine.page.labels.length"), 5)
        self.browser.click("#problems button")
        self.assertEqual(self.browser.text("#problems"), "")

    def test_another_token_is_told(self):
        server = self.serve("units 5", "push 50 1")
        server.close()
        self.expected = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "403"]
        other = subprocess.Popen([SERVER, str(server.port), "another-token-of-16"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)  # fmt: skip
        try:
            other.stdout.readline()
            self.until("return document.getElementById('link').textContent", "refused")
            self.assertIn("Open the address that it printed", self.browser.text("#problems"))
        finally:
            other.communicate()

    def test_the_end_is_told(self):
        server = self.serve("units 5", "push 50 1")
        server.say("end")
        self.until("return document.getElementById('link').textContent", "ended")


if __name__ == "__main__":
    live_server.main()
