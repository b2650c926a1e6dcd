"""Surrogates on an executor: processes, Dask, mpi4py.futures, submitit, or any other one with
`submit`. Each task makes one shard; the shards are joined to what one process would have made."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import tempfile
from collections.abc import Callable
from typing import Any

from ._library import Handle, Session, ffi, lib

# What makes a shard: (shard, n_shards) and whatever describes the job -> the bytes of its file.
MakeShard = Callable[..., bytes]


def travelling(a: Any, **chosen: Any) -> Any:
    """The arguments of a function as they go to another process, with what was chosen for some."""
    return dataclasses.replace(a, recording=None, executor=None, progress=None, **chosen)


def file_of(own: Session, maxima: Any) -> bytes:
    """The bytes of a file of maxima, to be sent from one process to another."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shard.spk")
        own.call(lib.spk_maxima_write, maxima, os.fsencode(path))
        with open(path, "rb") as file:
            return file.read()


def maxima_of(own: Session, data: bytes) -> Handle:
    """The maxima of a file with these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shard.spk")
        with open(path, "wb") as file:
            file.write(data)
        return own.make(lib.spk_maxima_read, os.fsencode(path))


def gather(own: Session, executor: Any, n_shards: int, make: MakeShard, *job: Any) -> Handle:
    """Makes all shards on the executor and joins them."""
    futures = [executor.submit(make, k + 1, n_shards, *job) for k in range(n_shards)]
    try:
        shards = [maxima_of(own, future.result()) for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    parts = ffi.new("spk_maxima *[]", [shard.pointer for shard in shards])
    return own.make(lib.spk_maxima_merge, len(shards), parts)


def shards_for(executor: Any, shards: int | None, surrogates: int) -> int:
    """As many shards as were asked for; by default four for each worker that is known of."""
    if shards is not None:
        if isinstance(shards, bool) or int(shards) != shards or shards < 1:
            raise ValueError(f"shards={shards!r}: must be a whole number above 0")
        return min(int(shards), surrogates)
    workers = getattr(executor, "_max_workers", None) or 8
    if isinstance(executor, concurrent.futures.ThreadPoolExecutor):
        workers = 1  # threads of one process: the library uses all processors by itself
    return max(1, min(4 * int(workers), surrogates))
