// The mined list as the raster shows it: a few episodes that differ from each other, each in a colour of its own. Their
// occurrences are found by the rule of mining among the spikes of the shown partition and those behind it.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, shareMuch } = spikemine.plot;

  // Their order is that of the graph's key.
  const TRENDS = { new: ["✱", "new"], growing: ["▲", "growing"], steady: ["=", "steady"], shrinking: ["▼", "shrinking"],
    vanished: ["✕", "vanished"] };
  const NAMES = Object.keys(TRENDS);
  const FIRST = ["new", "growing", "vanished", "shrinking", "steady"]; // in the list
  const MOST_ROWS = { episodes: 40, vanished: 10 }; // that the list has
  const MOST_DRAWN = 6; // episodes with a colour
  const MOST_ALIKE = 2; // of them with one trend, where others wait
  const MOST_LINES = 3; // occurrences of each that are lines: the newest
  const MOST_LINKS = 8; // units of a chain in the key

  // The listed episodes of a partition: [{ name, count, before, trend, p, units, ticks, expected, significant }], of
  // `ticks` two an interval. Significant ones are first, those in which a unit repeats behind the others, as its rhythm may
  // be all; of those with one p the one of most units; then what forms, grows and vanished; bursts of one unit are last.
  function rowsOf(partition) {
    const all = partition.episodes
      .map(([name, count, before, trend, p, units, ticks, expected]) => ({ name, count, before, trend, p, units, ticks, expected }));
    const gone = partition.vanished.slice(0, MOST_ROWS.vanished)
      .map(([name, before, units, ticks]) => ({ name, count: null, before, trend: "vanished", p: null, units, ticks }));
    for (const row of all.concat(gone)) row.ticks = row.ticks.map((tick) => tick ?? Infinity);
    const limit = all.map(({ p }) => p).sort((a, b) => a - b)[partition.significant - 1]; // the largest significant p
    for (const row of all) row.significant = row.p !== null && row.p <= limit;
    const place = ({ units, trend, significant }) =>
      (new Set(units).size === 1 ? 20 : 0) + (!significant ? 10 + FIRST.indexOf(trend) : new Set(units).size < units.length ? 5 : 0);
    const strength = (a, b) => a.p - b.p || new Set(b.units).size - new Set(a.units).size || b.count - b.expected - (a.count - a.expected);
    const sorted = (rows) => rows.sort((a, b) => place(a) - place(b) || (a.significant && b.significant ? strength(a, b) : 0));
    return sorted(sorted(all).slice(0, MOST_ROWS.episodes).concat(gone));
  }

  // "9 → 10 → 12"; of long chains the first units and the last one.
  function chainOf({ units }, labels) {
    const names = units.map((unit) => labels[unit]);
    return (names.length <= MOST_LINKS ? names : [...names.slice(0, MOST_LINKS - 2), "…", names.at(-1)]).join(" → ");
  }

  const isNear = (row, other) => shareMuch(row.units, other.units);

  // The rows of a partition that have a colour: where there was a test, what exceeds chance, and what did in the partition
  // before and vanished; else what changed. Of near copies it is the first one.
  function drawnOf(partition, before) {
    const was = new Set((before ? rowsOf(before) : []).filter(({ significant }) => significant).map(({ name }) => name));
    const counts = ({ name, trend, significant }) => (partition.tested !== "" ? trend !== "steady"
      : significant || (trend === "vanished" && was.has(name)));
    const rows = rowsOf(partition).filter(counts);
    const drawn = [];
    for (const most of [MOST_ALIKE, MOST_DRAWN]) { // so that what is new leaves room for what grows and vanished
      for (const row of rows) {
        const alike = row.significant ? [] : drawn.filter(({ trend }) => trend === row.trend);
        if (drawn.length < MOST_DRAWN && alike.length < most && !drawn.some((other) => isNear(row, other))) drawn.push(row);
      }
    }
    return rows.filter((row) => drawn.includes(row));
  }

  // Gives each row a `tone`: that of the row with its name before, else of one with most of its units, else a free one.
  function setTones(rows, before) {
    const free = new Set(Array(MOST_DRAWN).keys());
    const like = (same) => (row) => before.find((old) => free.has(old.tone) && same(row, old))?.tone;
    for (const find of [like((row, old) => row.name === old.name), like(isNear), () => [...free][0]]) {
      for (const row of rows.filter(({ tone }) => tone === undefined)) {
        row.tone = find(row);
        free.delete(row.tone);
      }
    }
    return rows;
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
    constructor(page, tools, key, changed) {
      Object.assign(this, { page, key, asked: null, drawn: [], found: [] });
      this.chooser = element("select", { id: "raster-colours", "aria-label": "what colours tell", onchange: () => {
        this.asked = this.chooser.value;
        changed();
      } }, element("option", { value: "watched" }, "colour: watched"), element("option", { value: "changes" }, "colour: mined"));
      tools.prepend(this.chooser);
      page.theme.listeners.push(() => this.show());
    }

    // Whether colours tell what was mined: as the reader asked, else where nothing is watched.
    get on() {
      const { partitions, watchedItems } = this.page;
      if (!partitions?.shown()) return false;
      return this.asked ? this.asked === "changes" : watchedItems.call(this.page).length === 0;
    }

    // Chooses what is drawn of the shown partition, and tells it in the key.
    show() {
      const { partitions } = this.page;
      const partition = partitions?.shown();
      this.chooser.hidden = !partition;
      this.chooser.value = this.on ? "changes" : "watched";
      this.key.hidden = !this.on;
      if (partition && partition !== this.chosen) {
        this.drawn = setTones(partition.state === "skipped" ? [] : drawnOf(partition, partitions.before(partition)), this.drawn);
        this.chosen = partition;
      }
      if (this.on) this.key.replaceChildren(...this.makeKey(partition));
    }

    makeKey(partition) {
      if (this.drawn.length === 0) {
        const why = partition.state === "skipped" ? "this partition was skipped" : partition.tested === ""
          ? "no episode of this partition exceeds chance" : "no episode changed in this partition";
        return [element("span", null, `Nothing is coloured: ${why}.`)];
      }
      return this.drawn.map((row) => element("span", { class: "key", title: row.name }, this.mark(row),
        element("span", { class: "chain" }, chainOf(row, this.page.labels)), element("span", null, TRENDS[row.trend].join(" "))));
    }

    // The row of this name that has a colour, where colours are those of the list.
    drawnAs(name) {
      return this.on ? this.drawn.find((row) => row.name === name) : undefined;
    }

    // A row's marker in its colour.
    mark({ tone }) {
      const mark = element("span", { class: "glyph", "aria-hidden": "true" }, spikemine.watched.GLYPHS[tone]);
      mark.style.color = this.page.theme.category(tone);
      return mark;
    }

    // Occurrences of what is drawn: [{ name, tone, size, units, place(i) }], those of the best rows last. Each spike is
    // looked at once. While spikes of the partition are on their way, those of the one before stay.
    all() {
      const { store, partitions } = this.page;
      if (this.of !== partitions.shown() && !this.begin(partitions.shown())) return this.found;
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
      const { drawn } = this;
      const search = new Search(drawn, (row, places) => this.found.push({
        name: `${row.name}, ${row.trend}`, tone: row.tone, rank: drawn.indexOf(row), size: places.length, units: row.units,
        first: places[0], last: places[places.length - 1], place: (i) => places[i],
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

    // The newest occurrences of each, of those that are over at a place.
    newest(found, to) {
      const lines = new Map();
      return found.filter(({ last }) => last <= to).reverse().filter(({ tone }) => {
        lines.set(tone, (lines.get(tone) || 0) + 1);
        return lines.get(tone) <= MOST_LINES;
      }).reverse();
    }

    reset() {
      Object.assign(this, { chosen: null, of: null, drawn: [], found: [] });
    }
  }

  spikemine.trends = { Trends, TRENDS, NAMES, rowsOf, drawnOf, setTones, chainOf, Search, spikesOf };
})(globalThis.spikemine);
