"""Live spikes that come by themselves: rigs, sockets, and replay of recordings."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import numpy as np

from ._library import copy_of, ffi, lib, members, options, pointer_to, rate_of
from ._live import Live
from ._rules import checked

SAVE_S = 10.0  # between two savings of the state, as of the command


class LiveSource(Live):
    """A live stream that receives by itself: made by `live`. Iterating receives until the source
    ends; `async for` does so without holding up the event loop."""

    def __init__(self, address: str | os.PathLike[str], source: dict[str, Any], **job: Any) -> None:
        self._source = ffi.NULL
        super().__init__(None, **job)
        own = self._own
        for field in ("sample_rate", "tick"):
            if source[field] is not None:
                source[field] = rate_of(own, source[field])
        o = options("spk_live_source_options", **source)
        self._map = np.zeros(0, np.uint32)  # the stream's number of each unit of the source
        self._idle_since = self._saved = time.monotonic()
        out = ffi.new("spk_live_source **")
        try:
            own.run(lib.spk_live_source_open, os.fsencode(address), o, out)
        except BaseException:
            self.close()
            raise
        self._source = out[0]

    def _step(self, timeout: float) -> bool:
        with self._lock:
            if not self._closed and not self._ended:
                self._receive(timeout)
        self._deliver()
        return not (self._closed or self._ended)

    def _receive(self, timeout: float) -> None:
        a = ffi.new("spk_live_arrivals *")
        self._own.call(lib.spk_live_source_poll, self._source, int(timeout * 1000), a)
        rate = lib.spk_live_source_rate(self._source)
        if self._stream == ffi.NULL and rate.numerator > 0:
            self._begin(rate)
        if self._stream != ffi.NULL:
            self._forward(a)
            if self._state is not None and time.monotonic() - self._saved >= SAVE_S:
                self.save()
                self._saved = time.monotonic()
        if a.ended:
            self.end()

    def _forward(self, a: Any) -> None:
        if a.lost > 0:
            lib.spk_live_stream_lost(self._stream, a.lost)
        if a.border:
            start = ffi.new("spk_duration *", a.start) if a.has_start else ffi.NULL
            stop = ffi.new("spk_duration *", a.stop) if a.has_stop else ffi.NULL
            self._send_border(start, stop, a.trial, a.n_trials)
        n_units = int(lib.spk_live_source_n_units(self._source))
        if n_units > self._map.size:
            texts = [lib.spk_live_source_label(self._source, u) for u in range(n_units)]
            labels = [ffi.string(text).decode(errors="surrogateescape") for text in texts]
            self._map = np.array([self._number(label) for label in labels], np.uint32)
        if a.n > 0:
            units = self._map[copy_of(a.unit, int(a.n))]
            self._idle_since = time.monotonic()
            self._send(
                lib.spk_live_stream_push,
                a.n,
                a.time,
                pointer_to(units, "uint32_t *"),
                a.arrival_ns,
            )
        elif time.monotonic() - self._idle_since > 1:
            self._idle_since = time.monotonic()
            self._send(lib.spk_live_stream_settle)
        else:
            self._take_partitions(0)

    async def _more(self) -> None:
        await asyncio.to_thread(self._step, 0.1)

    def run(self) -> None:
        """Receives until the source ends, for streams with functions of the user."""
        while self._step(0.1):
            pass

    @property
    def source(self) -> dict[str, Any]:
        """The source in words and numbers: kind, state, bytes, garbage, reconnects, ..."""
        with self._lock:
            self._check_open()
            facts = ffi.new("spk_live_source_facts *")
            lib.spk_live_source_get_facts(self._source, facts)
            return members(facts[0])

    def close(self) -> None:
        """Closes the source, too."""
        with self._lock:
            if not self._closed:
                lib.spk_live_source_free(self._source)
                self._source = ffi.NULL
            super().close()


@checked()
def live(
    address: str | os.PathLike[str],
    *,
    rate: Any = None,
    tick: Any = None,
    speed: float = 1.0,
    reconnect: bool = True,
    select: str | None = None,
    worker: bool = True,
    **job: Any,
) -> LiveSource:
    """Opens a source of live spikes by its address, and watches and mines what it sends.

        async with sm.live("tcp://rig:4000", episodes=["56 (5ms,10ms] 49"]) as stream:
            async for event in stream: ...

    Parameters
    ----------
    address : "open-ephys://HOST:5556", "intan://HOST:5002", "lsl:NAME", "tcp://HOST:PORT",
        "tcp-listen://ADDRESS:PORT", "unix:PATH", "unix-listen:PATH", "-", or a file to be replayed
    rate : samples a second, where the source counts samples and does not tell
    tick : ticks a second of text; 1e9 by default
    speed : of a replay; 0: as fast as possible
    reconnect : makes connections that break again
    select : Open Ephys: the stream; Intan: channels
    job : all other arguments of Live but `rate`; partitions are mined in a thread of their own

    Raises FileError, UnavailableError, ArgumentError, and what Live raises.
    """
    source = {
        "sample_rate": rate,
        "tick": tick,
        "speed": speed,
        "reconnect": reconnect,
        "select": select,
    }
    return LiveSource(address, source, worker=worker, **job)
