"""The other ends of live connections, played from their published formats: servers of text, the
plugin ZMQ Interface of Open Ephys (pyzmq), Intan RHX, and the Lab Streaming Layer (pylsl).

A rig has `address`, `options` of the command, `names` (its label of unit k) and `play(spikes)`,
which sends pairs (sample, unit) and returns when all are sent. `close()` ends it.
"""

import itertools
import json
import os
import socket
import struct
import threading
import time

RATE = 30000


def listen(path=None):
    """A listening socket of TCP, or of a path."""
    server = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    server.bind(path or ("127.0.0.1", 0))
    server.listen(1)
    return server


def connect(address, path=None, seconds=20):
    """Connects to who will listen there."""
    until = time.monotonic() + seconds
    while True:
        client = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        try:
            client.connect(path or address)
            return client
        except OSError:
            client.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def free_port():
    with listen() as server:
        return server.getsockname()[1]


class Lines:
    """Text over a socket; the command listens where `listens` says so."""

    options = ["--columns", "time,unit", "--time-unit", f"samples@{RATE}", "--no-reconnect"]
    names = staticmethod(str)

    def __init__(self, folder, unix, listens):
        self.path = os.path.join(folder, "socket") if unix else None
        self.server = None if listens else listen(self.path)
        port = free_port() if listens and not unix else 0
        if self.server and not unix:
            port = self.server.getsockname()[1]
        self.there = ("127.0.0.1", port)
        scheme = "unix" if unix else "tcp"
        scheme += "-listen" if listens else ""
        self.address = f"{scheme}:{self.path}" if unix else f"{scheme}://127.0.0.1:{port}"

    def play(self, spikes):
        peer = self.server.accept()[0] if self.server else connect(self.there, self.path)
        with peer:
            peer.sendall("".join(f"{sample}\t{unit}\n" for sample, unit in spikes).encode())

    def close(self):
        if self.server:
            self.server.close()


class OpenEphys:
    """A publisher, and who answers heartbeats at the next port; `events` are those that came back."""

    options = []

    def __init__(self):
        import zmq

        self.zmq = zmq
        self.context = zmq.Context()
        for port in range(21000, 60000, 2):
            self.publisher, self.heart = (self.context.socket(k) for k in (zmq.PUB, zmq.REP))
            self.publisher.set_hwm(0)  # holds for what is bound afterwards
            try:
                self.publisher.bind(f"tcp://127.0.0.1:{port}")
                self.heart.bind(f"tcp://127.0.0.1:{port + 1}")
                break
            except zmq.ZMQError:
                self.publisher.close(0)
                self.heart.close(0)
        self.port = port
        self.address = f"open-ephys://127.0.0.1:{port}"
        self.events = []
        self.beat = threading.Event()
        self.done = False
        self.answering = threading.Thread(target=self.answer)
        self.answering.start()

    @staticmethod
    def names(unit):
        return f"104/E{unit}/{unit % 3}"

    def answer(self):
        while not self.done:
            if not self.heart.poll(20):
                continue
            request = json.loads(self.heart.recv())
            if request["type"] == "event":
                self.events.append(request["event"])
            self.heart.send(b"received")
            self.beat.set()

    def play(self, spikes):
        assert self.beat.wait(20), "no heartbeat came"
        time.sleep(0.3)  # a subscription takes a moment
        waveform, number = bytes(160), 0
        for sample, unit in spikes:
            if number % 11 == 0:  # continuous data, which tell the rate
                content = {"stream": "AP", "channel_num": 0, "channel_name": "CH1",
                           "num_samples": 10, "sample_num": sample, "sample_rate": float(RATE)}
                header = {"type": "data", "content": content, "data_size": 40, "timestamp": 0,
                          "message_num": number}
                self.publisher.send_multipart([b"DATA\0", json.dumps(header).encode(), waveform])
                number += 1
            spike = {"stream": "AP", "source_node": 104, "electrode": f"E{unit}",
                     "sample_num": sample, "num_channels": 1, "num_samples": 40,
                     "sorted_id": unit % 3, "threshold": [50.0]}
            header = {"type": "spike", "spike": spike, "timestamp": 0, "message_num": number}
            self.publisher.send_multipart([b"EVENT\0", json.dumps(header).encode(), waveform])
            number += 1

    def close(self):
        self.done = True
        self.answering.join()
        self.publisher.close(0)
        self.heart.close(0)
        self.context.term()


class Intan:
    """RHX: a server of commands and one of records of 14 bytes."""

    MAGIC = 0x3AE2710F

    def __init__(self):
        self.control, self.data = listen(), listen()
        self.address = f"intan://127.0.0.1:{self.data.getsockname()[1]}"
        self.options = ["--control-port", str(self.control.getsockname()[1]), "--no-reconnect"]
        self.mode = "Stop"
        self.peer = None
        self.obeying = threading.Thread(target=self.obey, daemon=True)
        self.obeying.start()

    @staticmethod
    def names(unit):
        return f"{'ABCD'[unit // 128]}-{unit % 128:03}/1"

    def reply(self, command):
        words = command.split()
        if words[0].lower() == "get":
            known = {"sampleratehertz": str(RATE), "runmode": self.mode}
            known.update({f"{port}.numberamplifierchannels": "128" for port in "abcd"})
            value = known.get(words[1].lower())
            return f"Return: {words[1]} {value}" if value else "Error: no such thing"
        if words[0].lower() == "set" and words[1].lower() == "runmode":
            self.mode = words[2]
        return None

    def obey(self):
        try:
            self.peer = self.control.accept()[0]
            while chunk := self.peer.recv(4096):
                for command in chunk.decode().split(";"):
                    text = self.reply(command) if command.strip() else None
                    if text:
                        self.peer.sendall(text.encode())
        except OSError:
            pass

    def play(self, spikes):
        peer = self.data.accept()[0]
        until = time.monotonic() + 20
        while self.mode != "Run" and time.monotonic() < until:
            time.sleep(0.01)
        assert self.mode == "Run", "RHX was not told to run"
        records = bytearray()
        for sample, unit in spikes:
            channel = self.names(unit)[:5].encode()
            records += struct.pack("<I5sIB", self.MAGIC, channel, sample % 2**32, 1)
        with peer:
            for at in range(0, len(records), 1000):  # cut within records
                peer.sendall(records[at : at + 1000])
        self.peer.close()

    def close(self):
        self.control.close()
        self.data.close()


class Lsl:
    """An outlet of unit numbers with labels in its description."""

    number = itertools.count()
    options = ["--tick", "1us"]

    def __init__(self, n_units):
        import pylsl

        self.pylsl = pylsl
        name = f"spikemine-{os.getpid()}-{next(self.number)}"
        info = pylsl.StreamInfo(name, "Spikes", 1, 0, "int32", name)
        units = info.desc().append_child("units")
        for unit in range(n_units):
            units.append_child("unit").append_child_value("label", self.names(unit))
        # Room for all samples, in hundreds: an outlet that is full drops the oldest.
        self.outlet = pylsl.StreamOutlet(info, 0, 3000)
        self.address = f"lsl:{name}"

    @staticmethod
    def names(unit):
        return f"unit{unit}"

    def play(self, spikes):
        assert self.outlet.wait_for_consumers(20), "nobody listens"
        start = self.pylsl.local_clock()
        for sample, unit in spikes:
            self.outlet.push_sample([unit], start + sample / RATE)

    def close(self):
        del self.outlet
