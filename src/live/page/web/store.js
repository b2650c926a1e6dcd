// What the browser keeps: spikes and occurrences by their numbers, in rings that grow up to the server's size.
// Places are ticks since the first tick of the stream, on one line of time for all segments.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const MOST_SPIKES = 4 << 20;
  const MOST_OCCURRENCES = 1 << 17;
  const MOST_TIMES = 1 << 20;

  // Rows of some columns with ever growing numbers; old rows make room once `most` are there.
  class Ring {
    constructor(columns, most) {
      this.types = columns;
      this.most = most;
      this.capacity = Math.min(most, 1 << 14);
      this.columns = Object.fromEntries(Object.entries(columns).map(([name, Type]) => [name, new Type(this.capacity)]));
      this.oldest = 0;
      this.next = 0;
    }

    // Room for `n` more rows: grows, or forgets the oldest ones.
    reserve(n) {
      const needed = this.next - this.oldest + n;
      if (needed <= this.capacity) return;
      const capacity = Math.min(this.most, 2 ** Math.ceil(Math.log2(needed)));
      if (capacity > this.capacity) this.grow(capacity);
      this.oldest = Math.max(this.oldest, this.next + n - this.capacity);
    }

    grow(capacity) {
      for (const [name, Type] of Object.entries(this.types)) {
        const from = this.columns[name];
        const to = new Type(capacity);
        for (let k = this.oldest; k < this.next; k++) to[k % capacity] = from[k % this.capacity];
        this.columns[name] = to;
      }
      this.capacity = capacity;
    }

    // Rows before `number` are unknown: what follows begins there.
    skipTo(number) {
      this.oldest = number;
      this.next = number;
    }
  }

  class Store {
    constructor() {
      this.spikes = new Ring({ place: Float64Array, unit: Uint32Array }, MOST_SPIKES);
      this.occurrences = new Ring({ item: Uint32Array, size: Uint32Array, word: Float64Array, count: Float64Array,
        end: Float64Array }, MOST_OCCURRENCES);
      this.times = new Ring({ place: Float64Array }, MOST_TIMES);
      this.segments = []; // { segment, first, begin, offset }
      this.longest = 0; // occurrence, in ticks
      this.newest = 0;
      this.gaps = 0; // spikes that the server had forgotten before they were asked for
      this.seconds = new Map(); // spikes in each second of the line, for the overview
      this.tickS = 1;
      this.firstSecond = 0;
    }

    add(read) {
      for (const block of read.spikes) this.addSpikes(block);
      this.forget(read.oldest);
      this.addOccurrences(read.occurrences);
    }

    addSpikes(block) {
      const ring = this.spikes;
      if (block.first > ring.next) {
        if (ring.next > 0) this.gaps += block.first - ring.next;
        ring.skipTo(block.first);
        this.segments = [];
        this.seconds.clear();
      }
      const skipped = Math.min(block.n, ring.next - block.first);
      const last = this.segments[this.segments.length - 1];
      if (!last || last.segment !== block.segment) {
        this.segments.push({ segment: block.segment, first: ring.next, begin: block.begin, offset: block.offset });
      }
      for (let k = skipped; k < block.n; k += ring.most) this.copySpikes(block, k, Math.min(block.n, k + ring.most));
    }

    copySpikes(block, from, to) {
      const ring = this.spikes;
      ring.reserve(to - from);
      const { place, unit } = ring.columns;
      for (let k = from; k < to; k++) {
        const at = ring.next++ % ring.capacity;
        const where = block.base + block.places[k];
        place[at] = where;
        unit[at] = block.units[k];
        const second = Math.floor(where * this.tickS);
        this.seconds.set(second, (this.seconds.get(second) || 0) + 1);
      }
      this.newest = Math.max(this.newest, place[(ring.next - 1) % ring.capacity] || 0);
    }

    // The server's history is the page's: what it forgets is forgotten here.
    forget(oldest) {
      const ring = this.spikes;
      ring.oldest = Math.min(ring.next, Math.max(ring.oldest, oldest));
      while (this.segments.length > 1 && this.segments[1].first <= ring.oldest) this.segments.shift();
      const first = Math.floor(this.oldestPlace() * this.tickS);
      for (; this.firstSecond < first; this.firstSecond++) this.seconds.delete(this.firstSecond);
    }

    addOccurrences({ first, list }) {
      const ring = this.occurrences;
      if (first > ring.next) ring.skipTo(first);
      for (let k = ring.next - first; k < list.length; k++) this.addOccurrence(list[k]);
    }

    addOccurrence({ item, count, places }) {
      const ring = this.occurrences;
      const times = this.times;
      ring.reserve(1);
      times.reserve(places.length);
      let low = Infinity;
      let high = -Infinity;
      const word = times.next;
      for (const place of places) {
        times.columns.place[times.next++ % times.capacity] = place;
        if (place < low) low = place;
        if (place > high) high = place;
      }
      const at = ring.next++ % ring.capacity;
      Object.assign(this, { longest: Math.max(this.longest, high - low) });
      const { columns } = ring;
      columns.item[at] = item;
      columns.size[at] = places.length;
      columns.word[at] = word;
      columns.count[at] = count;
      columns.end[at] = high;
      while (ring.oldest < ring.next && columns.word[ring.oldest % ring.capacity] < times.oldest) ring.oldest++;
    }

    oldestPlace() {
      const { oldest, next, columns, capacity } = this.spikes;
      return oldest < next ? columns.place[oldest % capacity] : this.newest;
    }

    // The number of the first row of a ring whose `column` is at `place` or later; the column never goes back.
    static lowerBound(ring, column, place) {
      const values = ring.columns[column];
      let low = ring.oldest;
      let high = ring.next;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (values[middle % ring.capacity] < place) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    spikesFrom(place) {
      return Store.lowerBound(this.spikes, "place", place);
    }

    // Calls see(item, size, first time's number, occurrence's number) for occurrences that reach into [from, to).
    eachOccurrence(from, to, see) {
      const ring = this.occurrences;
      const { item, size, word, end } = ring.columns;
      const { place } = this.times.columns;
      for (let k = Store.lowerBound(ring, "end", from); k < ring.next; k++) {
        const at = k % ring.capacity;
        if (end[at] >= to + this.longest) break;
        if (place[word[at] % this.times.capacity] < to) see(item[at], size[at], word[at], k);
      }
    }

    placeOf(word) {
      return this.times.columns.place[word % this.times.capacity];
    }

    // The segment of spike number k.
    segmentOf(k) {
      let at = this.segments.length - 1;
      while (at > 0 && this.segments[at].first > k) at--;
      return this.segments[at];
    }
  }

  spikemine.store = { Store, Ring };
})(globalThis.spikemine);
