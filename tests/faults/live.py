"""Jobs of live runs for run.py, with the other ends of their connections (played by tests/live/rigs.py).

A job is (words, peer) or (words, peer, False): where it is not exact, what a run has received, or had time for, differs
from run to run, and only how it ends is looked at. In words {NAME} is what the peer says.
"""
import contextlib
import gzip
import hashlib
import importlib.util
import pathlib
import re
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "live"))
import rigs

HAS_ZMQ = importlib.util.find_spec("zmq") is not None
HAS_LSL = importlib.util.find_spec("pylsl") is not None
# They stop where memory is out, or take it by the thousand when they start.
NOT_OURS = "libzmq:liblsl:libmicrohttpd:libgnutls:libstdc++:libsodium:libpgm:libunistring"
SPIKES = [(3000 * k + 150 * unit, unit) for k in range(40) for unit in range(4)]


def quiet(function, *arguments):
    """Runs it beside the command, which may go away at any moment."""

    def work():
        with contextlib.suppress(OSError, AssertionError, RuntimeError):
            function(*arguments)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@contextlib.contextmanager
def nobody(folder):
    with open(folder / "empty", "w+b") as file:
        (folder / "empty").unlink()
        yield {}, file


@contextlib.contextmanager
def typed(folder):
    """The recording on standard input."""
    with open(folder / "rec.txt", "rb") as file:
        yield {}, file


def served(unix, listens):
    """The recording over a socket."""

    @contextlib.contextmanager
    def peer(folder):
        data = (folder / "rec.txt").read_bytes()
        path = str(folder / "socket") if unix else None
        server = None if listens else rigs.listen(path)
        port = 0 if unix else rigs.free_port() if listens else server.getsockname()[1]

        def send():
            with server.accept()[0] if server else rigs.connect(("127.0.0.1", port), path, 5) as end:
                end.sendall(data)

        sender = quiet(send)
        with nobody(folder) as (_, stdin):
            yield {"peer": path or f"127.0.0.1:{port}"}, stdin
        if server:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
        sender.join(5)
        (folder / "socket").unlink(missing_ok=True)

    return peer


def rig(make):
    """Spikes of a rig."""

    @contextlib.contextmanager
    def peer(folder):
        other = make()
        player = quiet(other.play, SPIKES)
        with nobody(folder) as (_, stdin):
            yield {"peer": other.address, "options": " ".join(other.options)}, stdin
        player.join(0.5)
        with contextlib.suppress(OSError):
            other.close()

    return peer


@contextlib.contextmanager
def listeners(folder):
    """Free ports for sinks, and a client that reads one of them."""
    port, other = rigs.free_port(), rigs.free_port()

    def read():
        with rigs.connect(("127.0.0.1", port), None, 2) as end:
            while end.recv(65536):
                pass

    reader = quiet(read)
    with typed(folder) as (_, stdin):
        yield {"port": port, "other": other}, stdin
    reader.join(5)


def is_begun(name, content, right):
    """Whether a file of a run that failed is what a shorter run writes: a state, or recorded spikes."""
    if name.endswith(".state"):
        return hashlib.sha256(content[:-64]).hexdigest().encode() == content[-64:]
    if name.endswith(".gz"):
        content, right = gzip.decompress(content), gzip.decompress(right)
    spikes, whole = ([line for line in text.splitlines() if line[:1] != b"#"] for text in (content, right))
    return spikes == whole[: len(spikes)]


def is_told(out, right):
    """Whether all that a live run lacks is what partitions say that they skipped for lack of memory."""
    skipped = re.compile(rb'"state":"skipped","why":"[^"]*(cannot allocate|out of memory|memory)')
    mined = b'{"type":"partition"'  # each tells what is new since the one before
    others = [[line for line in text.splitlines() if not line.startswith(mined)] for text in (out, right)]
    return skipped.search(out) is not None and others[0] == others[1] and out.count(mined) == right.count(mined)


def make_inputs(folder):
    (folder / "seen.txt").write_text("a@0 b@1\na@0 b@1 7@3\n")
    (folder / "token").write_text("token-of-the-faults\n")
    (folder / "token").chmod(0o600)
    (folder / "rig.txt").write_text("A-000/1 (0,10ms] A-001/1\n")


# Their libraries call the system in threads of their own, and abort where it fails them.
ALLOCATIONS_ONLY = ("watch-sink-zmq", "watch-sink-open-ephys", "watch-open-ephys", "watch-sink-lsl", "watch-lsl")
# How ZeroMQ ends a program by itself where memory is out; libpgm, which it uses, does so without a word.
ZMQ_ABORTS = re.compile(rb"\(src/\w+\.[ch]pp:\d+\)\s*$")
MINE = "-d 0:20ms -s 4 --max-size 3 --partition 2s --step 1s --threads 1"
JOBS = {
    "watch-replay": ("watch rec.txt -e list.txt --speed max --recent 1s --state live.state --record out.txt", nobody),
    "watch-patterns": ("watch rec.txt --patterns seen.txt --bin 5ms --speed max --record out.txt.gz", nobody),
    "watch-trials": ("watch rec.txt -e list.txt --trials trials.txt --speed max --record out.txt", nobody),
    "watch-page": ("watch rec.txt -e list.txt --speed max --page any", nobody),
    "live-replay": (f"live rec.txt {MINE} --speed max", nobody),
    "live-tested": (f"live rec.txt {MINE} --test exact --surrogates 2 --speed max --keep-up", nobody, False),
    "live-all": (f"live rec.txt {MINE} -e list.txt --patterns seen.txt --bin 5ms --speed max --record out.txt --page any "
                 "--page-token-file token", nobody),
    "watch-stdin": ("watch - -e list.txt --tolerance 5ms --record out.txt", typed),
    "watch-tcp": ("watch tcp://{peer} -e list.txt --no-reconnect", served(False, False)),
    "watch-tcp-listen": ("watch tcp-listen://{peer} -e list.txt --no-reconnect", served(False, True)),
    "watch-unix": ("watch unix:{peer} -e list.txt --no-reconnect", served(True, False)),
    "watch-unix-listen": ("watch unix-listen:{peer} -e list.txt --no-reconnect", served(True, True)),
    "watch-intan": ("watch {peer} {options} -e rig.txt --record out.txt", rig(rigs.Intan)),
    "watch-sink-tcp": ("watch - -e list.txt --emit stdout,tcp:{port}", listeners),
}
if HAS_ZMQ:
    JOBS["watch-sink-zmq"] = ("watch - -e list.txt --emit stdout,zmq:{port}", listeners)
    JOBS["watch-sink-open-ephys"] = ("watch - -e list.txt --emit stdout,open-ephys:127.0.0.1:{port}", listeners)
    JOBS["watch-open-ephys"] = ("watch {peer} -e rig.txt --seconds 1.5 --record out.txt", rig(rigs.OpenEphys), False)
if HAS_LSL:
    JOBS["watch-sink-lsl"] = ("watch - -e list.txt --emit stdout,lsl:faults-{port}", listeners)
    JOBS["watch-lsl"] = ("watch {peer} -e rig.txt --seconds 2 --record out.txt", rig(lambda: rigs.Lsl(4)), False)
