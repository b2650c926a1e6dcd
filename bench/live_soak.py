#!/usr/bin/env python3
"""A long live run: resident memory of `spikemine live` over time.

    bench/live_soak.py SPIKEMINE [--hours 8] [--speed 10] [--units 100] [--rate 10] [--episodes 1000]

A sender makes spikes of independent units at random and sends them as lines of text over a UNIX socket, `speed` times
as fast as they would come. `spikemine live` mines partitions of 60 s each 5 s, watches the episodes with counts of the
last minute, and serves the page, to which a client listens. A table of memory over time goes to standard output; the
exit status is 1 where memory grew by more than a tenth, or 8 MB, from a quarter of the run to its end, or where
spikes were lost.
"""

import argparse
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

CHUNK_S = 0.02  # of the clock on the wall


def write_episodes(path: Path, units: int, n: int, dice: random.Random) -> None:
    lines = []
    for _ in range(n):
        size = dice.choice((2, 3, 3, 4))
        words = [str(dice.randrange(units))]
        for _ in range(size - 1):
            words += ["(5ms,10ms]", str(dice.randrange(units))]
        lines.append(" ".join(words))
    path.write_text("\n".join(lines) + "\n")


def send(server: socket.socket, options: argparse.Namespace, sent: list[int]) -> None:
    """Spikes of a Poisson process in chunks, each when its time has come."""
    dice = random.Random(1)
    connection, _ = server.accept()
    total = options.units * options.rate
    now, stop = 0.0, options.hours * 3600.0
    began = time.monotonic()
    chunk = 0
    while now < stop:
        chunk += 1
        until = chunk * CHUNK_S * options.speed
        lines = []
        while now < until:
            lines.append(f"{now:.6f} {dice.randrange(options.units)}")
            now += dice.expovariate(total)
        wait = began + chunk * CHUNK_S - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if lines:
            connection.sendall(("\n".join(lines) + "\n").encode())
        sent[0] += len(lines)
    connection.close()


def listen_to_page(url: str) -> None:
    """A client of the page that reads what it sends, until it ends."""
    base, token = url.split("/?token=")
    request = urllib.request.Request(base + "/news", headers={"X-Spikemine-Token": token})
    try:
        with urllib.request.urlopen(request, timeout=600) as stream:
            while stream.read(4096):
                pass
    except OSError:
        pass


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(job: subprocess.Popen, options: argparse.Namespace, talk: Path, sent: list[int]) -> list[float]:
    began = time.monotonic()
    samples = []
    listener = None
    print("minute of the clock | hour of the recording | spikes sent | resident MB | processor s", flush=True)
    period = options.hours * 3600.0 / options.speed / 48
    due = began + period
    while job.poll() is None:
        time.sleep(0.2)
        url = re.search(r"http://\S+", talk.read_text()) if listener is None else None
        if url:
            listener = threading.Thread(target=listen_to_page, args=(url.group(0),), daemon=True)
            listener.start()
        if time.monotonic() >= due and job.poll() is None:
            due += period
            minute = (time.monotonic() - began) / 60
            try:
                resident = resident_mb(job.pid)
                if resident == 0:  # it has just ended
                    break
                samples.append(resident)
                print(f"{minute:.1f} | {minute * options.speed / 60:.2f} | {sent[0]} | {samples[-1]:.1f} | "
                      f"{cpu_s(job.pid):.1f}", flush=True)
            except (OSError, IndexError):
                break
    return samples


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spikemine")
    for name, kind, value in (("hours", float, 8), ("speed", float, 10), ("units", int, 100), ("rate", float, 10),
                              ("episodes", int, 1000)):
        parser.add_argument(f"--{name}", type=kind, default=value)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "spikes")
        listing, talk = Path(folder, "list.txt"), Path(folder, "talk.txt")
        write_episodes(listing, options.units, options.episodes, random.Random(2))
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(path))
        server.listen(1)
        sent = [0]
        sender = threading.Thread(target=send, args=(server, options, sent), daemon=True)
        sender.start()
        words = [options.spikemine, "live", f"unix:{path}", "--no-reconnect", "-d", "5ms:10ms", "-s", "0.2%",
                 "--partition", "60s", "--step", "5s", "--max-size", "3", "--episodes", str(listing),
                 "--recent", "60s", "--page", "any"]
        print("$ " + " ".join(words[1:]), flush=True)
        with talk.open("w") as errors:
            job = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            samples = watch(job, options, talk, sent)
        except KeyboardInterrupt:
            job.send_signal(signal.SIGINT)
            job.wait()
            return 1
        text = talk.read_text()
    print("\n".join(line for line in text.splitlines()[-6:]))
    if not samples:
        return 1
    quarter = samples[len(samples) // 4]
    grown = samples[-1] - quarter
    print(f"resident: {quarter:.1f} MB after a quarter, {samples[-1]:.1f} MB at the end, at most {max(samples):.1f} MB")
    # The same unit at the same microsecond counts once.
    told = re.search(r"([\d,]+) spikes of .* 0 lost, 0 late, 0 out of order, ([\d,]+) twice", text)
    whole = told is not None and sum(int(n.replace(",", "")) for n in told.groups()) == sent[0]
    print("all spikes arrived" if whole else "spikes are missing")
    return 0 if whole and job.returncode == 0 and grown < max(8.0, 0.1 * quarter) else 1


if __name__ == "__main__":
    sys.exit(main())
