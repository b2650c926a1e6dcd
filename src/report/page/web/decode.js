// Columns of numbers in a report: base64 of LEB128 varints. Numbers are exact up to 2^53; larger ones, from
// recordings whose ticks are finer than doubles, are rounded to 16 digits. Damaged columns are refused in words.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const LARGEST = 2 ** 64; // what is written has 64 bits

  function bytesOfBase64(text, what) {
    let binary;
    try {
      binary = atob(text);
    } catch (error) {
      throw new Error(`${what}: the text is no base64; the file was changed or cut off`);
    }
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  }

  const unzigzag = (value) => (value % 2 === 0 ? value / 2 : -(value / 2 + 0.5));

  // Reads one varint after another. Above 32 bits shifts would lose bits, hence the multiplication.
  class VarintReader {
    constructor(bytes, what) {
      this.bytes = bytes;
      this.at = 0;
      this.what = what;
    }

    next() {
      const bytes = this.bytes;
      let byte = bytes[this.at++];
      if (byte < 0x80) return byte;
      let value = 0;
      let factor = 1;
      while (byte >= 0x80) {
        value += (byte - 0x80) * factor;
        factor *= 128;
        if (factor > LARGEST) throw new Error(`${this.what}: a number at byte ${this.at} is too large`);
        byte = bytes[this.at++];
      }
      if (byte === undefined) throw new Error(`${this.what}: the numbers end too early; the file was cut off`);
      value += byte * factor;
      if (value > LARGEST) throw new Error(`${this.what}: a number at byte ${this.at} is too large`);
      return value;
    }

    // Signed: 0, -1, 1, -2, 2 ... were written as 0, 1, 2, 3, 4 ...
    nextZigzag() {
      return unzigzag(this.next());
    }

    // Signed, and 1 more of it was written: 0 stands for what is missing, NaN.
    nextMissing() {
      const value = this.next();
      return value === 0 ? NaN : unzigzag(value - 1);
    }

    end() {
      const left = this.bytes.length - this.at;
      if (left > 0) throw new Error(`${this.what}: ${left} bytes too many; the file was changed`);
    }
  }

  // Integers up to `largest` in the smallest array that holds them exactly.
  function integerArray(n, largest) {
    return largest < 2 ** 31 ? new Int32Array(n) : new Float64Array(n);
  }

  // The ticks of a recording from its start to its end; stop and segments count from the start.
  function spanOf({ stop, segments }) {
    return (segments || []).reduce((end, segment) => Math.max(end, segment[1]), stop || 0);
  }

  function readerOf(column, what) {
    if (!column || typeof column.v !== "string" || !Number.isSafeInteger(column.n) || column.n < 0) {
      throw new Error(`${what}: the column is missing or damaged`);
    }
    const bytes = bytesOfBase64(column.v, what);
    if (bytes.length < column.n) throw new Error(`${what}: ${column.n} numbers do not fit in ${bytes.length} bytes`);
    return new VarintReader(bytes, what);
  }

  // Spikes of a recording: { times, first }; the spikes of unit u are times[first[u] .. first[u + 1] - 1].
  function decodeSpikes(recording) {
    const what = "spikes";
    const column = recording.spikes;
    const reader = readerOf(column, what);
    const first = new Uint32Array(recording.units.length + 1);
    const span = spanOf(recording);
    const times = integerArray(column.n, span);
    let at = 0;
    recording.units.forEach((unit, u) => {
      first[u] = at;
      if (at + unit.n > column.n) throw new Error(`${what}: unit ${unit.label} has more spikes than the column`);
      let time = 0;
      for (const end = at + unit.n; at < end; at++) {
        time += reader.next();
        times[at] = time;
      }
      if (time > span * (1 + 1e-12)) {
        throw new Error(`${what}: unit ${unit.label} has a spike after the end of the recording`);
      }
    });
    first[recording.units.length] = at;
    if (at !== column.n) throw new Error(`${what}: the units have ${at} spikes, the column ${column.n}`);
    reader.end();
    return { times, first };
  }

  // Occurrences of all results: { times, first, spikes }; occurrence i of row r has the times
  // times[first[r] + i * spikes[r] ...], one for each of its spikes[r] spikes.
  function decodeOccurrences(report) {
    const what = "occurrences";
    const column = report.occurrences;
    const reader = readerOf(column, what);
    const times = integerArray(column.n, spanOf(report.recording));
    const first = new Float64Array(report.results.length + 1);
    const spikes = report.results.map((result) => result.units.length);
    let at = 0;
    report.results.forEach((result, row) => {
      first[row] = at;
      const size = spikes[row];
      if (at + result.occurrences * size > column.n) {
        throw new Error(`${what}: row ${row + 1} has more occurrences than the column`);
      }
      let start = 0;
      for (let i = 0; i < result.occurrences; i++) {
        start += reader.next(); // they come in order of their first spikes
        let time = start;
        times[at++] = time;
        for (let k = 1; k < size; k++) {
          time += reader.nextZigzag();
          times[at++] = time;
        }
      }
    });
    first[report.results.length] = at;
    if (at !== column.n) throw new Error(`${what}: the results have ${at} spikes, the column ${column.n}`);
    reader.end();
    return { times, first, spikes };
  }

  // Those of sequences, whose spikes may be missing: their times are NaN then. starts[r][i] is the time of occurrence
  // i of row r, which is that of the first unit's lag.
  function decodeSequences(report) {
    const what = "occurrences";
    const column = report.occurrences;
    const reader = readerOf(column, what);
    const first = new Float64Array(report.results.length + 1);
    const spikes = report.results.map((result) => result.units.length);
    const numbers = report.results.reduce((n, result, row) => n + result.occurrences * (1 + spikes[row]), 0);
    if (numbers !== column.n) throw new Error(`${what}: the results have ${numbers} numbers, the column ${column.n}`);
    const times = new Float64Array(column.n);
    let at = 0;
    const starts = report.results.map((result, row) => {
      first[row] = at;
      let start = 0;
      return Float64Array.from({ length: result.occurrences }, () => {
        start += reader.nextZigzag();
        for (let k = 0; k < spikes[row]; k++) times[at++] = start + reader.nextMissing();
        return start;
      });
    });
    first[report.results.length] = at;
    reader.end();
    return { times, first, spikes, starts };
  }

  // The times of the spikes of occurrence `index` of `row`.
  function occurrenceTimes(occurrences, row, index) {
    const size = occurrences.spikes[row];
    const begin = occurrences.first[row] + index * size;
    return occurrences.times.subarray(begin, begin + size);
  }

  spikemine.decode = {
    bytesOfBase64, VarintReader, decodeSpikes, decodeOccurrences, decodeSequences, occurrenceTimes, spanOf,
  };
})(globalThis.spikemine);
