"""Headless Chromium for tests: WebDriver over HTTP, with Python's standard library alone."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Escape": "\ue00c", "Space": " ", "PageUp": "\ue00e",
    "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
    "Down": "\ue015", "Alt": "\ue00a",
}  # fmt: skip


def missing():
    """What is not here, as a sentence; '' when all is."""
    absent = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    return f"{' and '.join(absent)} missing: install chromium and chromium-driver" if absent else ""


class Browser:
    def __init__(self, width=1300, height=900):
        self.folder = Path(tempfile.mkdtemp(prefix="spikemine-page-"))
        # A session of its own, so that the end of the driver ends all processes of the browser.
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.http = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                self.root = f"http://127.0.0.1:{found.group(1)}"
                break
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--no-first-run", "--force-device-scale-factor=1",
            f"--user-data-dir={self.folder}/profile", f"--window-size={width},{height}",
        ]  # fmt: skip
        made = self.send("POST", "/session", {
            "capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }}
        })  # fmt: skip
        self.session = f"/session/{made['sessionId']}"

    def send(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.http.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{path}: {value['error']}: {value['message'].splitlines()[0]}") from None

    def post(self, path, body=None):
        return self.send("POST", self.session + path, body)

    def close(self):
        """Ends driver and browser, also when they no longer answer."""
        try:
            self.send("DELETE", self.session)
        except (OSError, RuntimeError):
            pass
        finally:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait(10)
            self.driver.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    # ---- pages ----------------------------------------------------------------------------------------

    def open_text(self, text, name="page.html"):
        """Opens a page as a file, once it stands still."""
        path = self.folder / name
        path.write_text(text)
        self.open(path)

    def open(self, path):
        self.visit(Path(path).resolve().as_uri())

    def visit(self, url):
        self.logs()
        self.post("/url", {"url": url})
        self.settle()

    def script(self, text, *arguments):
        """The value that JavaScript returns."""
        return self.post("/execute/sync", {"script": text, "args": list(arguments)})

    def wait_script(self, text, *arguments):
        """The value that JavaScript hands to done(...)."""
        body = f"const done = arguments[arguments.length - 1]; {text}"
        return self.post("/execute/async", {"script": body, "args": list(arguments)})

    def settle(self):
        """Waits for two frames: what was asked for has been drawn."""
        self.wait_script("requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));")

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.post("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width, height):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.settle()

    def logs(self):
        """(messages of the console, addresses that were asked for) since the last call."""
        console = [f"{entry['level']}: {entry['message']}" for entry in self.post("/se/log", {"type": "browser"})]
        asked = []
        for entry in self.post("/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return console, asked

    def picture(self, path):
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})  # fmt: skip
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def screen(self, path, width, height, scale):
        """What a window of this size shows first, as a picture so many times as large."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
        Path(path).write_bytes(base64.b64decode(self.command("Page.captureScreenshot", clip=clip)["data"]))

    # ---- hands ------------------------------------------------------------------------------------------

    def find(self, selector):
        return self.post("/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.post(f"/element/{self.find(selector)[ELEMENT]}/click")
        self.settle()

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0]).textContent", selector)

    def type(self, text):
        """Types letters, and keys by name: type("Down") or type("abc")."""
        keys = [KEYS[text]] if text in KEYS else list(text)
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})
        self.settle()

    def hold(self, modifier, text):
        key, held = KEYS.get(text, text), KEYS[modifier]
        steps = [("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held)]
        steps = [{"type": kind, "value": value} for kind, value in steps]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})
        self.settle()

    def point(self, *places, press=False, clicks=0):
        """Moves the mouse over places (x, y) of the window; pressed from the first to the last, or clicking there."""
        steps = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in places]
        if press:
            steps.insert(1, {"type": "pointerDown", "button": 0})
            steps.append({"type": "pointerUp", "button": 0})
        for _ in range(clicks):
            steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.post("/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        ]})  # fmt: skip
        self.settle()

    def wheel(self, x, y, dx, dy):
        step = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": dx, "deltaY": dy, "duration": 0}
        self.post("/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [step]}]})
        self.settle()


def main():
    """Pictures of reports:  browser.py OUT WIDTH light|dark FILE.html ..."""
    import sys

    out, width, colours, *files = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    browser = Browser()
    try:
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
        browser.resize(int(width), 1000)
        for file in files:
            browser.open(file)
            browser.picture(f"{out}/{Path(file).stem}-{width}-{colours}.png")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
