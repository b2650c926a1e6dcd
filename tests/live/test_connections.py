"""Every source and every sink of spikemine watch, through the command.

What is watched while spikes come in equals what spikemine count finds in the file that --record
kept, from each source: files, standard input, sockets, Open Ephys, Intan RHX, LSL. What a sink
receives equals the lines on standard output. A mark of the page reaches all that have room for
one. Rigs are played by rigs.py.

SPIKEMINE names the command. SPIKEMINE_CONNECTIONS=all takes every recording of the folder
SPIKEMINE_DATA, in full; without it a bundled one, cut.
"""

import glob
import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import rigs

COMMAND = os.environ["SPIKEMINE"]
BUNDLED = os.path.join(os.path.dirname(__file__), "../../data/movement_PGHF.spikes.txt")
ALL = os.environ.get("SPIKEMINE_CONNECTIONS") == "all"
HAS_ZMQ = importlib.util.find_spec("zmq") is not None
HAS_LSL = importlib.util.find_spec("pylsl") is not None
if HAS_LSL:  # the same library on both ends
    folder = os.path.join(os.path.dirname(importlib.util.find_spec("pylsl").origin), "lib")
    for library in glob.glob(os.path.join(folder, "liblsl.so*"))[:1]:
        os.environ.setdefault("SPIKEMINE_LSL", library)


def recordings():
    """The paths of the recordings to send."""
    if not ALL:
        return [BUNDLED]
    found = []
    for path in glob.glob(os.path.join(os.environ["SPIKEMINE_DATA"], "**", "*"), recursive=True):
        if os.path.isfile(path) and os.path.basename(os.path.dirname(path)) != "expected":
            done = subprocess.run([COMMAND, "info", path, "-q"], capture_output=True)
            if done.returncode == 0:
                found.append(path)
    assert len(found) > 5, found
    return sorted(found)


def rows(path, folder):
    """Pairs (sample of rigs.RATE, label) of a recording."""
    text = os.path.join(folder, "as.txt")
    subprocess.run([COMMAND, "convert", path, text, "-q", "--force"], check=True)
    with open(text) as file:
        lines = file.read().splitlines()
    rate = [line.split("@")[-1] for line in lines if line.startswith("# spikemine time-unit")]
    fields = [line.split("\t") for line in lines if line[0] != "#"]
    assert fields[0] in (["sample", "unit"], ["time_s", "unit"]), fields[0]
    scale = rigs.RATE / Fraction(rate[0] if fields[0][0] == "sample" else 1)
    return [(round(Fraction(at) * scale), label) for at, label in fields[1:]]


def read(path, folder):
    """Pairs (sample, number of unit) in order, from the start on, each once."""
    numbers, spikes = {}, []
    for sample, label in rows(path, folder):
        spikes.append((sample, numbers.setdefault(label, len(numbers))))
    first = min(spikes)[0]
    spikes = sorted({(sample - first, unit) for sample, unit in spikes if unit < 512})
    return spikes if ALL else spikes[:4000]


def make_list(path, spikes, names):
    """Episodes of the busiest units: all pairs, and some of three and four."""
    busy = [unit for unit, _ in Counter(unit for _, unit in spikes).most_common(8)]
    draw = random.Random(len(spikes))
    with open(path, "w") as file:
        for a in busy:
            for b in busy:
                file.write(f"{names(a)} (5ms,20ms] {names(b)}\n")
        for _ in range(60):
            units = [names(draw.choice(busy)) for _ in range(draw.choice([3, 4]))]
            file.write(" (0,15ms] ".join(units) + "\n")


class Watch:
    """The command, with its lines on standard output."""

    def __init__(self, folder, source, *options):
        self.folder = folder
        self.out = open(os.path.join(folder, "out"), "w+b")
        self.err = open(os.path.join(folder, "err"), "w+b")
        self.run = subprocess.Popen(
            [COMMAND, "watch", source, "-e", os.path.join(folder, "list.txt"), *options],
            stdin=subprocess.PIPE, stdout=self.out, stderr=self.err,
            # Where a shell has put these tests into the background, Ctrl-C is ignored otherwise.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def lines(self):
        with open(self.out.name) as file:  # a line may be under way
            return [json.loads(line, parse_float=Decimal) for line in file if line.endswith("\n")]

    def wait_spikes(self, n, seconds=1200 if ALL else 120):
        """Until so many spikes are accepted, or the run has ended by itself."""
        until = time.monotonic() + seconds
        while self.run.poll() is None and time.monotonic() < until:
            counts = [line for line in self.lines() if line["type"] == "counts"]
            if counts and counts[-1]["spikes"] >= n:
                self.run.send_signal(signal.SIGINT)
                return
            time.sleep(0.1)

    def end(self, n=None):
        """Its exit code; n: spikes after which it is interrupted."""
        if n is not None:
            self.wait_spikes(n)
        try:
            self.run.communicate(timeout=1200 if ALL else 120)
        except subprocess.TimeoutExpired:
            self.run.kill()
            raise
        finally:
            self.out.close()
            self.err.close()
        return self.run.returncode

    def errors(self):
        with open(self.err.name) as file:
            return file.read()


def offline(folder):
    """Counts, and occurrences as rows (episode, number, times), of the recorded spikes."""
    table = os.path.join(folder, "occurrences")
    done = subprocess.run(
        [COMMAND, "count", "rec.txt", "-e", "list.txt", "-q", "--occurrences", table, "--force"],
        capture_output=True, text=True, check=True, cwd=folder,
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    counts = [int(row[rows[0].index("count")]) for row in rows[1:]]
    with open(table) as lines:
        occurrences = [line.rstrip("\n").split("\t") for line in lines][1:]
    return counts, sorted((r[0], r[1], tuple(map(Decimal, r[4].split(",")))) for r in occurrences)


class Sources(unittest.TestCase):
    """One test for each kind of source."""

    def check(self, make_rig, exact=True, ends=True):
        for path in recordings():
            with self.subTest(path=path), tempfile.TemporaryDirectory() as folder:
                spikes = read(path, folder)
                rig = make_rig(folder)
                try:
                    self.check_one(rig, folder, spikes, exact, ends)
                finally:
                    rig.close()

    def check_one(self, rig, folder, spikes, exact, ends):
        make_list(os.path.join(folder, "list.txt"), spikes, rig.names)
        watch = Watch(folder, rig.address, *rig.options, "--counts", "0.2",
                      "--record", os.path.join(folder, "rec.txt"))
        rig.play(spikes)
        code = watch.end(None if ends else len(spikes))
        self.assertIn(code, (0, 1) if ends else (0, 130), watch.errors())
        self.compare(watch, folder)
        if exact:
            got = rows(os.path.join(folder, "rec.txt"), folder)
            self.assertEqual(sorted(got), sorted((sample, rig.names(unit)) for sample, unit in spikes))

    def compare(self, watch, folder):
        counts, occurrences = offline(folder)
        lines = watch.lines()
        told = sorted((e["episode"], str(e["count"]), tuple(map(Decimal, e["times_s"])))
                      for e in lines if e["type"] == "episode")
        self.assertGreater(sum(counts), 0)
        self.assertEqual([e for e in lines if e["type"] == "counts"][-1]["episode_counts"], counts)
        self.assertEqual(told, occurrences)

    def test_replay(self):
        for path in recordings():
            with self.subTest(path=path), tempfile.TemporaryDirectory() as folder:
                units = Counter(label for _, label in rows(path, folder))
                names = [name for name, _ in units.most_common(6) if " " not in name]
                with open(os.path.join(folder, "list.txt"), "w") as file:
                    file.writelines(f"{a} (5ms,20ms] {b}\n" for a in names for b in names)
                watch = Watch(folder, path, "--speed", "max",
                              "--record", os.path.join(folder, "rec.txt"))
                self.assertEqual(watch.end(), 0, watch.errors())
                self.compare(watch, folder)
                direct = subprocess.run([COMMAND, "count", path, "-e", watch.folder + "/list.txt",
                                         "-q"], capture_output=True, text=True, check=True)
                recorded = subprocess.run([COMMAND, "count", folder + "/rec.txt", "-e",
                                           watch.folder + "/list.txt", "-q"],
                                          capture_output=True, text=True, check=True)
                self.assertEqual(direct.stdout, recorded.stdout)

    def test_standard_input(self):
        for path in recordings():
            with self.subTest(path=path), tempfile.TemporaryDirectory() as folder:
                spikes = read(path, folder)
                make_list(os.path.join(folder, "list.txt"), spikes, str)
                watch = Watch(folder, "-", *rigs.Lines.options,
                              "--record", os.path.join(folder, "rec.txt"))
                text = "".join(f"{sample}\t{unit}\n" for sample, unit in spikes).encode()
                for at in range(0, len(text), 1013):
                    watch.run.stdin.write(text[at : at + 1013])
                self.assertEqual(watch.end(), 0, watch.errors())
                self.compare(watch, folder)

    def test_tcp(self):
        self.check(lambda folder: rigs.Lines(folder, False, False))

    def test_tcp_listen(self):
        self.check(lambda folder: rigs.Lines(folder, False, True))

    def test_unix(self):
        self.check(lambda folder: rigs.Lines(folder, True, False))

    def test_unix_listen(self):
        self.check(lambda folder: rigs.Lines(folder, True, True))

    @unittest.skipUnless(HAS_ZMQ, "needs pyzmq")
    def test_open_ephys(self):
        self.check(lambda _: rigs.OpenEphys(), ends=False)

    def test_intan(self):
        self.check(lambda _: rigs.Intan())

    @unittest.skipUnless(HAS_LSL, "needs pylsl")
    def test_lsl(self):
        self.check(lambda _: rigs.Lsl(512), exact=False, ends=False)


class Fed(unittest.TestCase):
    """Spikes for standard input, and a list of episodes."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.spikes = read(BUNDLED, self.folder)
        make_list(os.path.join(self.folder, "list.txt"), self.spikes, str)


class Sinks(Fed):
    """One run with a receiver at each sink; all receive what standard output has."""

    def feed(self, watch, n, pause=0.0):
        """Spikes until n occurrences were told."""
        for at, (sample, unit) in enumerate(self.spikes):
            watch.run.stdin.write(f"{sample}\t{unit}\n".encode())
            if at % 50 == 49:
                watch.run.stdin.flush()
                time.sleep(pause)
                if len(watch.lines()) >= n:
                    break

    def catch_up(self, watch, rig):
        """Until the receiver has what was told so far: on a busy machine it answers late."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if len(rig.events) == sum(line["type"] == "episode" for line in watch.lines()):
                return
            time.sleep(0.1)

    def start(self, emit):
        return Watch(self.folder, "-", *rigs.Lines.options, "--emit", f"stdout,{emit}")

    @unittest.skipUnless(HAS_ZMQ, "needs pyzmq")
    def test_zmq(self):
        import zmq

        port = rigs.free_port()
        watch = self.start(f"zmq:{port}")
        with zmq.Context() as context, context.socket(zmq.SUB) as socket:
            socket.set_hwm(0)
            socket.subscribe(b"")
            monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
            socket.connect(f"tcp://127.0.0.1:{port}")
            self.assertTrue(monitor.poll(20000))
            time.sleep(0.3)  # the subscription reaches the publisher
            self.feed(watch, 300)
            self.assertEqual(watch.end(), 0, watch.errors())
            frames = []
            while socket.poll(500):
                frames.append(socket.recv_multipart())
            socket.disable_monitor()
            monitor.close()
        with open(os.path.join(self.folder, "out"), "rb") as file:
            lines = file.read().splitlines()
        self.assertGreater(len(lines), 300)
        self.assertEqual([frame[1] for frame in frames], lines)
        self.assertEqual([frame[0].decode() for frame in frames],
                         [json.loads(line)["type"] for line in lines])

    @unittest.skipUnless(HAS_ZMQ, "needs pyzmq")
    def test_open_ephys(self):
        rig = rigs.OpenEphys()
        try:
            watch = self.start(f"open-ephys:127.0.0.1:{rig.port}")
            self.feed(watch, 150, pause=0.2)  # each event waits for its answer
            self.catch_up(watch, rig)
            self.assertEqual(watch.end(), 0, watch.errors())
        finally:
            rig.close()
        told = [line for line in watch.lines() if line["type"] == "episode"]
        self.assertGreater(len(told), 100)
        self.assertEqual([(e["event_channel"], e["sample_num"]) for e in rig.events],
                         [(e["item"] % 8, int(e["times_s"][-1] * rigs.RATE + Decimal("0.5")))
                          for e in told])
        self.assertEqual({(e["type"], e["event_id"]) for e in rig.events}, {(3, 1)})

    @unittest.skipUnless(HAS_ZMQ, "needs pyzmq")
    def test_nobody_answers(self):
        """Events for a program that is not there are counted, and delay nothing."""
        watch = self.start(f"open-ephys:127.0.0.1:{rigs.free_port() - 1}")
        self.feed(watch, 20)
        self.assertEqual(watch.end(), 0, watch.errors())
        n = sum(line["type"] == "episode" for line in watch.lines())
        self.assertIn(f"note: {n} events found no place in a sink and were not sent",
                      watch.errors())

    @unittest.skipUnless(HAS_LSL, "needs pylsl")
    def test_lsl(self):
        import pylsl

        name = f"spikemine-sink-{os.getpid()}"
        watch = self.start(f"lsl:{name}")
        found = pylsl.resolve_byprop("name", name, timeout=20)
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0].type(), found[0].channel_count()), ("Markers", 1))
        inlet = pylsl.StreamInlet(found[0])
        inlet.open_stream(timeout=20)
        began = pylsl.local_clock()
        self.feed(watch, 300)
        markers = []
        while len(markers) < 300 and (pulled := inlet.pull_sample(timeout=5))[0]:
            markers.append(pulled)
        self.assertEqual(watch.end(), 0, watch.errors())
        while (pulled := inlet.pull_sample(timeout=0.5))[0]:
            markers.append(pulled)
        told = [line["episode"] for line in watch.lines() if line["type"] == "episode"]
        self.assertGreater(len(told), 300 - 1)
        self.assertEqual([sample[0] for sample, _ in markers], told[: len(markers)])
        self.assertGreaterEqual(len(markers), 300)
        self.assertTrue(all(began - 1 < at < pylsl.local_clock() for _, at in markers))


class Marks(Fed):
    """A mark of the page reaches standard output, the recording, ZeroMQ and LSL."""

    def mark(self, watch, place, text):
        """What a browser does when somebody marks a moment: `place` ticks behind the first one."""
        until = time.monotonic() + 20
        while not (found := re.search(r"the page is at (http://[^/]+)/\S*?([-\w]{16,})", watch.errors())):
            if "no libmicrohttpd" in watch.errors():
                watch.end()
                self.skipTest("this build serves no page")
            self.assertLess(time.monotonic(), until, watch.errors())
            time.sleep(0.02)
        time.sleep(0.5)  # the page sees the spikes
        body = f"action=mark&place={place}&text={text}".encode()
        request = urllib.request.Request(f"{found[1]}/action", body,
                                         {"X-Spikemine-Token": found[2]})
        with urllib.request.urlopen(request, timeout=20) as answer:
            self.assertEqual(answer.status, 200)
        time.sleep(0.5)  # the command hears of it

    def run_with_mark(self, *options):
        watch = Watch(self.folder, "-", *rigs.Lines.options, "--page", "any", *options,
                      "--record", os.path.join(self.folder, "rec.txt"))
        yield watch
        for sample, unit in self.spikes[:300]:
            watch.run.stdin.write(f"{sample}\t{unit}\n".encode())
        watch.run.stdin.flush()
        self.mark(watch, 45, "cue+1")
        yield watch
        self.assertEqual(watch.end(), 0, watch.errors())
        marks = [line for line in watch.lines() if line["type"] == "mark"]
        first = self.spikes[0][0]
        at = Decimal(first + 45) / rigs.RATE
        self.assertEqual([(m["time_s"], m["segment"], m["text"]) for m in marks],
                         [(at, 1, "cue 1")])
        with open(os.path.join(self.folder, "rec.txt")) as file:
            self.assertIn(f"# mark {first + 45} cue 1\n", file.read())
        yield at

    @unittest.skipUnless(HAS_ZMQ, "needs pyzmq")
    def test_zmq(self):
        import zmq

        port = rigs.free_port()
        steps = self.run_with_mark("--emit", f"stdout,zmq:{port}")
        next(steps)
        with zmq.Context() as context, context.socket(zmq.SUB) as socket:
            socket.subscribe(b"mark")
            socket.connect(f"tcp://127.0.0.1:{port}")
            time.sleep(1)  # the subscription reaches the publisher
            next(steps)
            self.assertTrue(socket.poll(20000))
            kind, line = socket.recv_multipart()
            at = next(steps)
        self.assertEqual(kind, b"mark")
        self.assertEqual(json.loads(line, parse_float=Decimal),
                         {"type": "mark", "time_s": at, "segment": 1, "trial": 1, "text": "cue 1"})

    @unittest.skipUnless(HAS_LSL, "needs pylsl")
    def test_lsl(self):
        import pylsl

        name = f"spikemine-marks-{os.getpid()}"
        steps = self.run_with_mark("--emit", f"stdout,lsl:{name}")
        next(steps)
        inlet = pylsl.StreamInlet(pylsl.resolve_byprop("name", name, timeout=20)[0])
        inlet.open_stream(timeout=20)
        next(steps)
        markers = []
        while (pulled := inlet.pull_sample(timeout=1))[0]:
            markers.append(pulled[0][0])
        at = next(steps)
        self.assertEqual([m for m in markers if m.startswith("mark ")], [f"mark {at} cue 1"])

    @unittest.skipUnless(HAS_ZMQ, "needs pyzmq")
    def test_open_ephys(self):
        """Its format has no room for a mark, which must not look like an occurrence."""
        rig = rigs.OpenEphys()
        try:
            steps = self.run_with_mark("--emit", f"stdout,open-ephys:127.0.0.1:{rig.port}")
            watch = next(steps)
            next(steps)
            next(steps)
        finally:
            rig.close()
        lines = {(e["item"] % 8, int(e["times_s"][-1] * rigs.RATE + Decimal("0.5")))
                 for e in watch.lines() if e["type"] == "episode"}
        events = {(e["event_channel"], e["sample_num"]) for e in rig.events}
        self.assertTrue(events and events <= lines)


class Missing(unittest.TestCase):
    """What is not there is said at once."""

    def refused(self, *arguments, environment=None):
        done = subprocess.run([COMMAND, "watch", *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60,
                              env={**os.environ, **(environment or {})})
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_port_is_taken(self):
        with tempfile.TemporaryDirectory() as folder, rigs.listen() as server:
            list_file = os.path.join(folder, "list.txt")
            with open(list_file, "w") as file:
                file.write("1 (0,5ms] 2\n")
            port = server.getsockname()[1]
            for sink in ["tcp"] + ["zmq"] * HAS_ZMQ:
                text = self.refused("-", "-e", list_file, "--emit", f"{sink}:{port}")
                self.assertIn("take another port", text)
            text = self.refused(f"tcp://127.0.0.1:{rigs.free_port()}", "-e", list_file,
                                "--no-reconnect")
            self.assertIn("127.0.0.1", text)


if __name__ == "__main__":
    unittest.main()
