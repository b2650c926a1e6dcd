// Blocks of numbers from the server: spikes and occurrences, as history.h describes them. Little endian, as all
// machines with browsers are.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const nameAt = (view, at) => String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2),
    view.getUint8(at + 3));

  function readSpikes(view, at, n) {
    const buffer = view.buffer;
    return {
      n, first: view.getFloat64(at + 8, true), segment: view.getFloat64(at + 16, true),
      begin: view.getFloat64(at + 24, true), base: view.getFloat64(at + 32, true),
      offset: view.getBigInt64(at + 40, true), places: new Uint32Array(buffer, at + 48, n),
      units: new Uint32Array(buffer, at + 48 + 4 * n, n),
    };
  }

  // Occurrences one behind the other: { item, size, count, at } where `at` is the byte of its first place.
  function readOccurrences(view, at, n) {
    const list = [];
    let next = at + 16;
    for (let k = 0; k < n; k++) {
      const size = view.getUint32(next + 4, true);
      list.push({ item: view.getUint32(next, true), count: view.getFloat64(next + 8, true),
        places: new Float64Array(view.buffer, next + 16, size) });
      next += 16 + 8 * size;
    }
    return { first: view.getFloat64(at + 8, true), list, end: next };
  }

  // { server, oldest, next, oldestOccurrence, nextOccurrence, spikes: [...], occurrences: { first, list } }
  function readBlocks(buffer) {
    const view = new DataView(buffer);
    if (buffer.byteLength < 48 || nameAt(view, 0) !== "SPKH" || view.getUint32(4, true) !== 1) {
      throw new Error("the server answered with something else than spikes");
    }
    const [server, oldest, next, oldestOccurrence, nextOccurrence] = [8, 16, 24, 32, 40]
      .map((at) => view.getFloat64(at, true));
    const read = { server, oldest, next, oldestOccurrence, nextOccurrence, spikes: [],
      occurrences: { first: nextOccurrence, list: [] } };
    for (let at = 48; at < buffer.byteLength;) {
      const n = view.getUint32(at + 4, true);
      if (nameAt(view, at) === "SPKS") {
        read.spikes.push(readSpikes(view, at, n));
        at += 48 + 8 * n;
      } else {
        read.occurrences = readOccurrences(view, at, n);
        at = read.occurrences.end;
      }
    }
    return read;
  }

  spikemine.blocks = { readBlocks };
})(globalThis.spikemine);
