#!/usr/bin/env python3
"""A watch beside floods of its page and of its clients over TCP: does all arrive, who is let in, and how late.

bench/live_flood.py SPIKEMINE [--seconds S] [--rate SPIKES] [--kinds KIND,...] >bench/results/live_flood.md

A stream of text comes in over a UNIX socket, 1,000 units, and 1,000 episodes are watched. Meanwhile:

    none      nobody
    idle      connections that say nothing, 300 at a time
    slow      requests that come byte by byte, clients with the token that read nothing, clients over TCP likewise
    garbage   requests without the token, nonsense, bytes for the clients' port

Ends with an error unless every spike is recorded, a client over TCP that reads gets every occurrence that counting the
recording finds, and whoever has the token is answered each time. Latencies are told, not judged.
"""

import argparse
import contextlib
import datetime
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("none", "idle", "slow", "garbage")
UNITS, EPISODES, MOST, THREADS = 1000, 1000, 300, 4
CHUNK_S = 0.002
ONCE, AGAIN = "GET /{} HTTP/1.0\r\nHost: localhost\r\n\r\n", "GET /{} HTTP/1.1\r\nHost: localhost\r\nX-Spikemine-Token: {}\r\n\r\n"


# ---- the flood, a process of its own ---------------------------------------------------------------------------------


def dial(port, small=False):
    made = socket.socket()
    if small:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(0.5)
    made.connect(("127.0.0.1", port))
    return made


def flood_idle(page, sink, token, kept, dice):
    kept.append(dial(dice.choice((page, sink))))


def flood_slow(page, sink, token, kept, dice):
    if len(kept) < MOST // THREADS:
        kind = dice.randrange(4)
        made = dial(sink if kind == 0 else page, small=True)
        kept.append(made)
        if kind == 1:
            made.sendall(AGAIN.format("news", token).encode())
        elif kind == 2:
            made.sendall(AGAIN.format("data?spikes=0", token).encode() * 4)
        return
    made = kept.pop(0)
    with contextlib.suppress(OSError):
        made.send(b"G")
        kept.append(made)
    time.sleep(0.001)


def flood_garbage(page, sink, token, kept, dice):
    with dial(dice.choice((page, page, sink))) as made:
        made.sendall(dice.choice((ONCE.format("data").encode(), ONCE.format("state?token=" + "x" * 32).encode(),
                                  b"\x16\x03\x01nonsense\r\n\r\n", b"0.5 u1\n" * 100)))
        made.recv(4096)


def flood(kind, page, sink, token):
    act = {"idle": flood_idle, "slow": flood_slow, "garbage": flood_garbage}[kind]

    def run(number):
        dice, kept = random.Random(number), []
        while True:
            with contextlib.suppress(OSError):
                act(page, sink, token, kept, dice)
            while len(kept) > MOST // THREADS:
                kept.pop(0).close()

    for number in range(THREADS):
        threading.Thread(target=run, args=(number,), daemon=True).start()
    sys.stdin.read()  # until the other end closes
    os._exit(0)


# ---- who belongs here ------------------------------------------------------------------------------------------------


class Reader(threading.Thread):
    """A client over TCP that takes every line until the end."""

    def __init__(self, port):
        super().__init__()
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")
        assert b'"hello"' in self.file.readline()
        self.occurrences = 0
        self.start()

    def run(self):
        for line in self.file:
            self.occurrences += b'"type":"episode"' in line
        self.file.close()
        self.socket.close()


class Owner(threading.Thread):
    """Asks the page for its state, five times a second, with the token."""

    def __init__(self, port, token):
        super().__init__()
        self.port, self.token, self.done = port, token, threading.Event()
        self.asked = self.answered = 0
        self.start()

    def run(self):
        while not self.done.wait(0.2):
            self.asked += 1
            with contextlib.suppress(OSError), dial(self.port) as made:
                made.settimeout(30)
                made.sendall(AGAIN.format("state", self.token).encode())
                self.answered += made.recv(64).startswith(b"HTTP/1.1 200")


def send(server, rate, seconds):
    """Spikes as time goes; returns how many were sent."""
    dice, sent = random.Random(1), 0
    connection, _ = server.accept()
    with connection:
        began = time.monotonic()
        while sent < rate * seconds:
            due = min(int((time.monotonic() - began) * rate), int(rate * seconds))
            connection.sendall("".join(f"{k / rate:.6f} u{dice.randrange(UNITS)}\n" for k in range(sent, due)).encode())
            sent = max(sent, due)
            time.sleep(CHUNK_S)
    return sent


# ---- one run ---------------------------------------------------------------------------------------------------------


def write_list(path):
    dice = random.Random(7)
    path.write_text("".join(" (5ms,10ms] ".join(f"u{dice.randrange(UNITS)}" for _ in range(dice.choice((2, 3, 4)))) + "\n"
                            for _ in range(EPISODES)))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_for(path, pattern):
    while not (found := re.search(pattern, path.read_text())):
        time.sleep(0.02)
    return found


def peak_mb(process):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text()).group(1)) / 1024


def count(command, folder):
    done = subprocess.run([command, "count", "rec.txt", "-e", "list.txt", "-q"], cwd=folder, check=True,
                          capture_output=True, text=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return sum(int(row[rows[0].index("count")]) for row in rows[1:])


def run(command, kind, folder, rate, seconds):
    write_list(folder / "list.txt")
    sink, talk = free_port(), folder / "talk"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "spikes"))
    server.listen(1)
    with talk.open("w") as errors:
        watch = subprocess.Popen([command, "watch", f"unix:{folder}/spikes", "--no-reconnect", "--columns", "time,unit",
                                  "-e", str(folder / "list.txt"), "--emit", f"tcp:{sink}", "--page", "any",
                                  "--record", str(folder / "rec.txt")], stderr=errors)
    page, token = wait_for(talk, r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)").groups()
    reader, owner = Reader(sink), Owner(int(page), token)
    hostile = kind != "none" and subprocess.Popen([sys.executable, __file__, command, "--flood", kind, page, str(sink), token],
                                                  stdin=subprocess.PIPE)
    sent = send(server, rate, seconds)
    peak = peak_mb(watch)
    owner.done.set()
    owner.join()
    if hostile:
        hostile.communicate()
    code = watch.wait(120)
    reader.join()
    server.close()
    return code, sent, reader.occurrences, count(command, folder), owner, peak, talk.read_text()


def number(pattern, text):
    found = re.search(pattern, text)
    return found.group(1).replace(",", "") if found else "?"


def table(options):
    print("# A watch beside floods\n")
    print(f"Made by `bench/live_flood.py SPIKEMINE --seconds {options.seconds:g} --rate {options.rate}` on "
          f"{datetime.date.today()}, {os.cpu_count()} processors.\n"
          f"{UNITS:,} units, {EPISODES:,} episodes. Latency is the time from a spike's arrival to the event out.\n")
    print("| flood | spikes sent | recorded | occurrences counted | sent to a client | answers to the owner | clients dropped "
          "| p50 ms | p99 ms | p99.9 ms | peak MB |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    whole = True
    for kind in options.kinds:
        with tempfile.TemporaryDirectory() as folder:
            code, sent, got, counted, owner, peak, talk = run(options.spikemine, kind, Path(folder), options.rate, options.seconds)
        accepted = number(r"([\d,]+) spikes of", talk)
        late = [number(rf"{name} ([\d.]+) ms", talk) for name in (r"p50", r"p99", r"p99\.9")]
        print(f"| {kind} | {sent} | {accepted} | {counted} | {got} | {owner.answered} of {owner.asked} "
              f"| {number(r'([0-9,]+) clients dropped', talk)} | {' | '.join(late)} | {peak:.0f} |", flush=True)
        whole &= code == 0 and accepted == str(sent) and got == counted > 0 and owner.answered == owner.asked > 0
    return 0 if whole else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spikemine", type=os.path.abspath)
    parser.add_argument("--kinds", default=",".join(KINDS), type=lambda text: text.split(","))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=int, default=20000)
    parser.add_argument("--flood", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.flood:
        kind, page, sink, token = options.flood
        flood(kind, int(page), int(sink), token)
    return table(options)


if __name__ == "__main__":
    sys.exit(main())
