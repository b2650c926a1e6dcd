// What changes from partition to partition, as the raster shows it: the occurrences of the listed episodes that are new,
// grow, shrink or vanish, found by the rule of mining among the spikes of the shown partition and those behind it.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element } = spikemine.plot;
  const { formatReal } = spikemine.format;

  // Their order is that of the colours.
  const TRENDS = { new: ["✱", "new"], growing: ["▲", "growing"], steady: ["=", "steady"], shrinking: ["▼", "shrinking"],
    vanished: ["✕", "vanished"] };
  const NAMES = Object.keys(TRENDS);
  const FIRST = ["new", "growing", "vanished", "shrinking", "steady"]; // in the list
  const MOST_ROWS = { episodes: 40, vanished: 10 }; // that the list has, and the raster shows

  // The listed episodes of a partition: [{ name, count, before, trend, p, units, ticks, expected, significant }], of
  // `ticks` two an interval. Significant ones are first, then what forms, grows and vanished; bursts of one unit are last.
  function rowsOf(partition) {
    const all = partition.episodes
      .map(([name, count, before, trend, p, units, ticks, expected]) => ({ name, count, before, trend, p, units, ticks, expected }));
    const gone = partition.vanished.slice(0, MOST_ROWS.vanished)
      .map(([name, before, units, ticks]) => ({ name, count: null, before, trend: "vanished", p: null, units, ticks }));
    const limit = all.map(({ p }) => p).sort((a, b) => a - b)[partition.significant - 1]; // the largest significant p
    for (const row of all) row.significant = row.p !== null && row.p <= limit;
    const place = ({ units, trend, significant }) =>
      (new Set(units).size === 1 ? 20 : 0) + (significant ? 0 : 10) + FIRST.indexOf(trend);
    const sorted = (rows) => rows.sort((a, b) => place(a) - place(b));
    return sorted(sorted(all).slice(0, MOST_ROWS.episodes).concat(gone));
  }

  // Numbers of a partition's spikes, [first, last); null: they are not all here. Times may begin anew, as the series
  // tells: of the stretches with one clock that are behind it, it is the newest one with as many spikes.
  function spikesOf({ start, stop, events, series }, { store, origin, partitions }) {
    const { segments } = store;
    let newer = partitions.kept.at(-1).series - series; // stretches
    for (let k = segments.length - 1, end = store.spikes.next; k >= 0; k--) {
      const { first, offset } = segments[k];
      if (k > 0 && segments[k - 1].offset === offset) continue;
      const number = (tick) => Math.min(end, Math.max(first, store.spikesFrom(Number(BigInt(tick) - origin + offset))));
      const span = [number(start), number(stop)];
      if (newer-- <= 0 && span[1] - span[0] === events) return span;
      end = first;
    }
    return null;
  }

  // Chains that a next spike may continue; those that none can use are dropped.
  class Queue {
    constructor(low, high) {
      Object.assign(this, { low, high, chains: [] });
    }

    drop(place) {
      const { chains, low } = this;
      while (chains.length > 1 && place - chains[1][chains[1].length - 1] > low) chains.shift();
    }

    push(chain, place) {
      this.drop(place);
      this.chains.push(chain);
    }

    // The chain that starts latest of those that a spike continues, or null.
    find(place) {
      this.drop(place);
      const [chain] = this.chains;
      const distance = chain ? place - chain[chain.length - 1] : -1;
      return distance > this.low && distance <= this.high ? chain : null;
    }
  }

  // Occurrences that do not overlap, of all rows in one pass: calls see(row, places).
  class Search {
    constructor(rows, see) {
      Object.assign(this, { see, uses: new Map() });
      this.rows = rows.map((row) => ({ row, last: -Infinity, queues: [] }));
      for (const each of this.rows) {
        each.row.units.forEach((unit, at) => {
          this.uses.set(unit, [[each, at], ...(this.uses.get(unit) || [])]); // later positions first
        });
      }
      this.segment = null;
    }

    // Nothing crosses the border of a segment.
    begin() {
      for (const each of this.rows) {
        const { units, ticks } = each.row;
        each.queues = units.slice(1).map((unit, k) => new Queue(ticks[2 * k], ticks[2 * k + 1]));
      }
    }

    take(place, unit) {
      for (const [each, at] of this.uses.get(unit) || []) {
        const before = at > 0 ? each.queues[at - 1].find(place) : [];
        if (!before) continue;
        const chain = [...before, place];
        if (at < each.queues.length) each.queues[at].push(chain, place);
        else if (chain[0] > each.last) {
          each.last = place;
          this.see(each.row, chain);
        }
      }
    }

    // The spikes [first, last) of the store.
    through(store, first, last) {
      const { columns: { place, unit }, capacity } = store.spikes;
      for (let k = first; k < last; k++) {
        const now = store.segmentOf(k);
        if (now !== this.segment) this.begin();
        this.segment = now;
        this.take(place[k % capacity], unit[k % capacity]);
      }
    }
  }


  class Trends {
    // page: as of LiveRaster, with its partitions; changed: called when the reader chose other colours.
    constructor(page, tools, legend, changed) {
      Object.assign(this, { page, legend, asked: null });
      this.chooser = element("select", { id: "raster-colours", "aria-label": "what colours tell", onchange: () => {
        this.asked = this.chooser.value;
        changed();
      } }, element("option", { value: "watched" }, "colour: watched"), element("option", { value: "changes" }, "colour: changes"));
      tools.prepend(this.chooser);
      page.theme.listeners.push(() => this.show());
    }

    // Whether colours tell changes: as the reader asked, else where nothing is watched.
    get on() {
      const { partitions, watchedItems } = this.page;
      if (!partitions?.shown()) return false;
      return this.asked ? this.asked === "changes" : watchedItems.call(this.page).length === 0;
    }

    // Colour and sign of each trend that the raster shows.
    show() {
      const partition = this.page.partitions?.shown();
      this.chooser.hidden = !partition;
      this.chooser.value = this.on ? "changes" : "watched";
      this.legend.hidden = !this.on;
      if (!this.on) return;
      this.legend.replaceChildren(...NAMES.filter((name) => name !== "steady").map((name) => {
        const sign = element("span", { "aria-hidden": "true" }, TRENDS[name][0]);
        sign.style.color = this.colour(name);
        return element("span", null, sign, ` ${name}`);
      }), element("span", null, `listed episodes of ${formatReal(partition.start_s)} to ${formatReal(partition.stop_s)} s, there and since`));
    }

    colour(trend) {
      return trend === "steady" ? this.page.theme.quiet : this.page.theme.category(NAMES.indexOf(trend));
    }

    // Occurrences of the shown partition's changing episodes: [{ name, tone, sign, size, units, place(i) }], those of the
    // best rows last. Each spike is looked at once; none while spikes of the partition are on their way.
    all() {
      const { store, partitions } = this.page;
      if (this.of !== partitions.shown() && !this.begin(partitions.shown())) return [];
      const { oldest, next } = store.spikes;
      if (this.next < next) {
        const before = this.found.length;
        if (this.next < oldest) this.search.segment = null;
        this.search.through(store, Math.max(this.next, oldest), next);
        this.next = next;
        if (this.found.length > before) {
          const from = store.oldestPlace();
          this.found = this.found.filter(({ last }) => last >= from).sort((a, b) => b.rank - a.rank);
        }
      }
      return this.found;
    }

    // The partition's own spikes, as mining saw them: what is behind them continues no chain of theirs.
    begin(partition) {
      const span = spikesOf(partition, this.page);
      if (!span) return false;
      const rows = rowsOf(partition).filter(({ trend }) => trend !== "steady");
      const search = new Search(rows, (row, places) => this.found.push({
        name: `${row.trend}: ${row.name}`, tone: NAMES.indexOf(row.trend), sign: TRENDS[row.trend][0], rank: rows.indexOf(row),
        size: places.length, units: row.units, first: places[0], last: places[places.length - 1], place: (i) => places[i],
      }));
      Object.assign(this, { of: partition, search, next: span[1], found: [] });
      search.through(this.page.store, ...span);
      search.segment = null;
      this.found.sort((a, b) => b.rank - a.rank);
      return true;
    }

    find(from, to) {
      return this.all().filter(({ first, last }) => last >= from && first < to);
    }
  }

  spikemine.trends = { Trends, TRENDS, NAMES, rowsOf, Search, spikesOf };
})(globalThis.spikemine);
