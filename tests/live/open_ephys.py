"""Plays the plugin ZMQ Interface of Open Ephys with pyzmq, written from its published format.

    open_ephys.py SPIKES

Prints the port that it publishes at, waits for a heartbeat at the next port, then publishes the
sample rate and SPIKES spikes: spike k at sample 100 k, of electrode "E{k % 7}", sorted as k % 3.
Every 50th message is skipped, as if it had been lost.
"""

import json
import struct
import sys
import time

import zmq


def bind_pair(context):
    """A PUB and a REP socket at neighbouring ports."""
    for port in range(20000, 60000, 2):
        publisher, heart = context.socket(zmq.PUB), context.socket(zmq.REP)
        publisher.set_hwm(0)  # holds for what is bound afterwards
        try:
            publisher.bind(f"tcp://127.0.0.1:{port}")
            heart.bind(f"tcp://127.0.0.1:{port + 1}")
            return publisher, heart, port
        except zmq.ZMQError:
            publisher.close(0)
            heart.close(0)
    raise SystemExit("no two neighbouring ports are free")


def main():
    n = int(sys.argv[1])
    context = zmq.Context()
    publisher, heart, port = bind_pair(context)
    print(port, flush=True)
    if not heart.poll(5000):
        raise SystemExit("no heartbeat came")
    beat = json.loads(heart.recv())
    assert beat["type"] == "heartbeat" and beat["application"] and beat["uuid"], beat
    heart.send(b"heartbeat received")
    time.sleep(0.2)  # a subscription takes a moment
    number = 0
    waveform = struct.pack("<40f", *range(40))

    def publish(envelope, header, data=b""):
        nonlocal number
        if number % 50 != 49:
            header["message_num"] = number
            publisher.send_multipart([envelope, json.dumps(header).encode(), data])
        number += 1

    for k in range(n):
        if k % 10 == 0:
            content = {"stream": "AP", "channel_num": 0, "channel_name": "CH1", "num_samples": 10,
                       "sample_num": 100 * k, "sample_rate": 30000.0}
            publish(b"DATA\0", {"type": "data", "content": content, "data_size": 40,
                                "timestamp": k}, waveform)
        spike = {"stream": "AP", "source_node": 104, "electrode": f"E{k % 7}",
                 "sample_num": 100 * k, "num_channels": 1, "num_samples": 40,
                 "sorted_id": k % 3, "threshold": [50.0]}
        publish(b"EVENT\0", {"type": "spike", "spike": spike, "timestamp": k}, waveform)
    publish(b"EVENT\0", {"type": "event", "content": {"stream": "AP", "sample_num": 1}})
    print(number, flush=True)
    sys.stdin.read()  # until nobody reads any more
    publisher.close(0)
    heart.close(0)


if __name__ == "__main__":
    main()
