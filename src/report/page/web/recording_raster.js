// The raster of a recording: spikes of all units over time, with zoom and pan, and marks of the chosen result.
//
// A frame must cost the same whether it shows a second or hours. Counts of spikes are summed up once along a
// grid of time (Levels), so that the count of any pixel far out is the difference of two numbers; further in,
// where pixels are finer than that grid, few spikes are visible and each is drawn by itself.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { formatMoment, formatDuration, formatReal, plural } = spikemine.format;

  const MOST_SUMS = 4 << 20; // numbers that Levels holds at most, of four bytes each
  const PIXELS_PER_CELL = 4; // a pixel is at least so many cells of the grid wide where sums are used
  const SHADES = 1024;
  const LEAST_CLOSE = 8; // rows that are shown close to an occurrence
  const MOST_CLOSE = 20; // unless it has more units
  const LINE_ROOM = 6; // pixels of width for each occurrence that is drawn as a line; with less, marks only

  // Of each occurrence its place, which is its first spike that is there, its first time and its last one.
  function extents({ times, size, count }) {
    const places = new Float64Array(count).fill(NaN);
    const low = new Float64Array(count).fill(Infinity);
    const high = new Float64Array(count).fill(-Infinity);
    for (let i = 0; i < count; i++) {
      for (let k = size - 1; k >= 0; k--) {
        const time = times[i * size + k];
        if (Number.isNaN(time)) continue;
        places[i] = time;
        low[i] = Math.min(low[i], time);
        high[i] = Math.max(high[i], time);
      }
    }
    return { places, low, high };
  }

  // sums[u * (cells + 1) + c]: spikes of unit u before cell c.
  class Levels {
    constructor(times, first, span) {
      const units = first.length - 1;
      this.times = times;
      this.first = first;
      this.cells = 1024;
      while (this.cells < 16384 && 2 * this.cells * units <= MOST_SUMS && this.cells < span) this.cells *= 2;
      this.width = Math.max(1, span / this.cells);
      this.sums = new Uint32Array(units * (this.cells + 1));
      this.all = new Uint32Array(this.cells);
      for (let u = 0; u < units; u++) this.sumUnit(u);
    }

    sumUnit(u) {
      const { times, first, cells, width, sums, all } = this;
      const base = u * (cells + 1);
      for (let i = first[u]; i < first[u + 1]; i++) {
        const cell = Math.min(cells - 1, Math.floor(times[i] / width));
        sums[base + cell + 1]++;
        all[cell]++;
      }
      for (let c = 1; c <= cells; c++) sums[base + c] += sums[base + c - 1];
    }

    cellOf(time) {
      return Math.max(0, Math.min(this.cells, Math.floor(time / this.width)));
    }

    fires(u, from, to) {
      const place = this.lowerBound(u, from);
      return place < this.first[u + 1] && this.times[place] < to;
    }

    // The place of the first spike of unit u at `time` or later.
    lowerBound(u, time) {
      const base = u * (this.cells + 1);
      const cell = this.cellOf(time);
      let low = this.first[u] + this.sums[base + cell];
      let high = this.first[u] + this.sums[base + Math.min(this.cells, cell + 1)];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.times[middle] < time) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    // Adds the spikes of unit u in each of `columns` pixels from `from` on, `step` ticks wide each.
    addCounts(u, from, step, columns, counts) {
      if (step < this.width * PIXELS_PER_CELL) {
        const { times, first } = this;
        const to = from + step * columns;
        const end = first[u + 1];
        for (let i = this.lowerBound(u, from); i < end && times[i] < to; i++) {
          counts[Math.floor((times[i] - from) / step)]++;
        }
        return;
      }
      const base = u * (this.cells + 1);
      const scale = 1 / this.width;
      let before = this.sums[base + this.cellOf(from)];
      for (let c = 0; c < columns; c++) {
        let cell = Math.floor((from + (c + 1) * step) * scale);
        cell = cell < 0 ? 0 : cell > this.cells ? this.cells : cell;
        const after = this.sums[base + cell];
        counts[c] += after - before;
        before = after;
      }
    }
  }

  class RecordingRaster extends spikemine.raster.Raster {
    // data: { times, first, units, tickS, start, span, segments }; bubble: for hovering;
    // told: called with (raster) after the stretch changed; picked: called with the number of a clicked occurrence.
    constructor(parent, theme, data, bubble, { told, picked }) {
      super(parent, parent, theme, bubble, {
        label: "Raster of spikes. Arrow keys move, plus and minus zoom, Home shows the whole recording.",
        height: Math.min(360, Math.max(150, 66 + data.units.length * 16)), letters: 11,
        stripLabel: "Overview of the whole recording", stripHeight: 40,
      });
      Object.assign(this, { data, told, picked, units: data.units.length, span: Math.max(1, data.span), marks: null });
      this.levels = new Levels(data.times, data.first, data.span);
      const rates = data.units.map((unit) => unit.n / this.span).sort((a, b) => a - b); // spikes in a tick
      this.highRate = rates[Math.floor(0.95 * (rates.length - 1))] || 0;
      this.shades = new Uint32Array(SHADES);
      this.view = this.whole();
      this.setOrder([]);
      this.plot.canvas.addEventListener("dblclick", (event) => this.zoom(event.shiftKey ? 1 / 3 : 3, this.share(event).x));
      this.plot.canvas.addEventListener("keydown", (event) => this.key(event));
    }

    // ---- the stretch that is shown ----------------------------------------------------------------

    // Rows from above: these units in this order, each once, then those that fire in the stretch, then the others, both
    // in the order of the recording; without units that order alone.
    setOrder(units, stretch = this.view) {
      const first = new Set(units);
      this.leading = first.size;
      const others = [...this.data.units.keys()].filter((u) => !first.has(u));
      const fires = (u) => this.leading > 0 && this.levels.fires(u, stretch.from, stretch.to);
      this.setRows([...first, ...others.filter(fires), ...others.filter((u) => !fires(u))]);
      this.firing = others.filter(fires).length;
    }

    whole() {
      return { from: 0, to: Math.max(1, this.data.span), top: 0, bottom: Math.max(1, this.units) };
    }

    leastWidth() {
      return Math.min(this.span, Math.max(2, this.span / 1e9));
    }

    // Takes a stretch as it can be: inside the recording, not narrower than two ticks and a unit.
    setView(view) {
      const width = Math.min(this.span, Math.max(this.leastWidth(), view.to - view.from));
      const tall = Math.min(Math.max(1, this.units), Math.max(Math.min(this.units, 1), view.bottom - view.top));
      const middle = (view.from + view.to) / 2;
      const from = Math.min(this.span - width, Math.max(0, middle - width / 2));
      const top = Math.min(this.units - tall, Math.max(0, view.top));
      this.view = { from, to: from + width, top: Math.max(0, top), bottom: Math.max(0, top) + tall };
      this.request();
    }

    request() {
      super.request();
      if (this.told) this.told(this);
    }

    move(share, unitShare = 0) {
      const { from, to, top, bottom } = this.view;
      const dt = share * (to - from);
      const du = unitShare * (bottom - top);
      this.setView({ from: from + dt, to: to + dt, top: top + du, bottom: bottom + du });
    }

    // Zooms by `factor` (above 1: closer) so that the moment at `share` of the width stays where it is. False where nothing
    // is left to zoom out of the whole.
    zoom(factor, share = 0.5) {
      const { from, to } = this.view;
      if (factor < 1 && to - from >= this.span) return false;
      const width = Math.min(this.span, Math.max(this.leastWidth(), (to - from) / factor));
      const kept = from + share * (to - from);
      this.setView({ ...this.view, from: kept - share * width, to: kept + (1 - share) * width });
      return true;
    }

    zoomUnits(factor, share = 0.5) {
      const { top, bottom } = this.view;
      const tall = Math.min(this.units, Math.max(1, (bottom - top) / factor));
      const kept = top + share * (bottom - top);
      this.setView({ ...this.view, top: kept - share * tall, bottom: kept - share * tall + tall });
    }

    showAll() {
      this.setView(this.whole());
    }

    // Moves to an occurrence, closer only where it would be too small to see; `close`: it fills two fifths of the width,
    // and rows of silent units are out of sight.
    showTimes(times, units, close) {
      if (times.length === 0) return;
      const low = Math.min(...times);
      const high = Math.max(...times);
      const long = Math.max(high - low, 2);
      const width = close ? Math.max(2.5 * long, 8)
        : Math.min(Math.max(this.view.to - this.view.from, 1.5 * long), Math.max(12 * long, 20));
      const middle = (low + high) / 2;
      if (close) this.setOrder(this.order.slice(0, this.leading), { from: middle - width / 2, to: middle + width / 2 });
      let { top, bottom } = close ? this.closeRows() : this.view;
      const rows = Array.from(units, (u) => this.rowOf[u]);
      const first = Math.min(...rows);
      const last = Math.max(...rows) + 1;
      if (first < top || last > bottom) {
        const tall = Math.max(bottom - top, last - first);
        top = Math.min(first, Math.max(top, last - tall));
        bottom = top + tall;
      }
      this.setView({ from: middle - width / 2, to: middle + width / 2, top, bottom });
    }

    // The units of the result and those that fire with them, as many as have room for their names.
    closeRows() {
      const rows = this.leading > 0 ? this.leading + this.firing : MOST_CLOSE;
      return { top: 0, bottom: Math.max(LEAST_CLOSE, this.leading + 2, Math.min(rows, MOST_CLOSE)) };
    }

    seconds(ticks) {
      return (this.data.start + ticks) * this.data.tickS;
    }

    // What is shown, in words.
    describe() {
      const { from, to, top, bottom } = this.view;
      const width = (to - from) * this.data.tickS;
      if (to - from >= this.span && bottom - top >= this.units) return `whole recording, ${formatDuration(width)}`;
      const moment = (ticks) => formatMoment(this.seconds(Math.round(ticks)), Math.max(this.data.tickS, width / 1000));
      const seen = Math.min(this.units, Math.ceil(bottom)) - Math.floor(top);
      const rows = seen < this.units ? `, ${seen} of ${plural(this.units, "unit")}` : "";
      return `${formatDuration(width)} from ${moment(from)}${rows}`;
    }

    // marks: { times, size, count, units, current } of the chosen result, or null. A time is NaN where a spike is
    // missing. Adds for each occurrence its first and its last time, and its place: that of its first spike.
    setMarks(marks) {
      this.marks = marks && { ...marks, ...extents(marks) };
      this.request();
    }

    // ---- drawing ------------------------------------------------------------------------------------

    extent() {
      return [0, this.span];
    }

    label(u) {
      return String(this.data.units[u].label);
    }

    // shades[c]: colour of a pixel with c spikes, when `full` spikes give the full colour.
    mixShades([r, g, b], full) {
      for (let c = 1; c < SHADES; c++) {
        const share = full <= 1 ? 1 : Math.min(1, c / full);
        const alpha = Math.round(255 * (0.2 + 0.8 * share ** 0.75));
        this.shades[c] = ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
      }
    }

    // Units that share a row of pixels are summed up.
    drawSpikes(ratio) {
      const { from, to, top, bottom } = this.view;
      const { width, height } = this.pixels;
      const step = (to - from) / width;
      const thickness = Math.round(ratio * ((to - from) / this.box.width < 0.25 ? 2 : 1));
      this.mixShades(spikemine.theme.partsOf(this.theme.ink), 2 * this.highRate * step * Math.max(1, (bottom - top) / height));
      const counts = new Uint32Array(width);
      let rows = null;
      for (let r = Math.floor(top); r < Math.min(this.units, bottom); r++) {
        const next = this.pixelRows(this.order[r]);
        if (rows && next[0] !== rows[0]) {
          this.drawRow(rows, counts, thickness);
          counts.fill(0);
        }
        rows = next;
        this.levels.addCounts(this.order[r], from, step, width, counts);
      }
      if (rows) this.drawRow(rows, counts, thickness);
    }

    drawRow([y0, y1], counts, thickness) {
      const { data, width } = this.pixels;
      const base = y0 * width;
      for (let c = 0; c < width; c++) {
        const count = counts[c];
        if (count === 0) continue;
        const shade = this.shades[count < SHADES ? count : SHADES - 1];
        for (let k = 0; k < thickness && c + k < width; k++) {
          if (k === 0 || counts[c + k] === 0) data[base + c + k] = shade;
        }
      }
      for (let y = y0 + 1; y < y1; y++) data.copyWithin(y * width, base, base + width);
    }

    // Where nothing was recorded, what is not in the file, and the beginnings of segments.
    borders() {
      const { segments, spikesUntil } = this.data;
      const ends = [0, ...segments.map(([, end]) => end)];
      const last = Math.min(ends[segments.length], spikesUntil ?? this.span);
      return { shaded: [...segments.map(([begin], k) => [ends[k], begin]), [last, this.span]],
        lines: segments.map(([begin]) => begin).filter((begin) => begin > 0) };
    }

    // The occurrences of the chosen result that are visible: their numbers, in order.
    visibleMarks() {
      const { low, high, count } = this.marks;
      const visible = [];
      for (let i = 0; i < count; i++) if (high[i] >= this.view.from && low[i] <= this.view.to) visible.push(i);
      return visible;
    }

    drawMarks(context) {
      if (!this.marks || this.marks.count === 0) return;
      const { x, y, width, height } = this.box;
      const { times, size, units, current, places } = this.marks;
      const visible = this.visibleMarks();
      context.save();
      context.beginPath();
      context.rect(x - 5, 0, width + 10, y + height + 1);
      context.clip();
      context.fillStyle = this.theme.mark;
      let drawn = -Infinity;
      for (const i of visible) {
        const place = this.xOf(places[i]);
        if (place - drawn < 1) continue;
        drawn = place;
        context.beginPath();
        context.moveTo(place - 3, 3);
        context.lineTo(place + 3, 3);
        context.lineTo(place, y - 2);
        context.fill();
      }
      if (visible.length * LINE_ROOM <= width) {
        for (const i of visible) if (i !== current) this.drawOccurrence(context, times, i * size, size, units, false);
      } else this.drawDots(context, visible);
      if (current >= 0) this.drawOccurrence(context, times, current * size, size, units, true);
      context.restore();
    }

    drawOccurrence(context, times, begin, size, units, current) {
      const places = Array.from(units, (u, k) => [this.xOf(times[begin + k]), this.yOf(u)]);
      const r = current ? 5 : Math.abs(places[size - 1][0] - places[0][0]) < 3 ? 2 : 3.2;
      this.drawChain(context, places, { colour: this.theme.mark, width: current ? 2.2 : 1, alpha: current ? 1 : 0.75 }, (k, x, y) => {
        context.fillStyle = this.theme.category(k);
        spikemine.theme.drawMarker(context, k, x, y, r);
      });
    }

    drawDots(context, visible) {
      const { times, size, units } = this.marks;
      for (let k = 0; k < size; k++) {
        context.fillStyle = this.theme.category(k);
        const middle = this.yOf(units[k]);
        let drawn = -Infinity;
        for (const i of visible) {
          const place = this.xOf(times[i * size + k]);
          if (Number.isNaN(place) || (place - drawn < 1 && place >= drawn)) continue;
          drawn = place;
          context.fillRect(place - 1, middle - 2, 2, 4);
        }
      }
    }

    drawBars(context, place, foot, tall) {
      const { x, width } = this.box;
      const { all, cells, width: wide } = this.levels;
      const counts = new Float64Array(Math.max(1, Math.floor(width)));
      for (let c = 0; c < cells; c++) {
        const column = Math.floor((c * wide * counts.length) / this.span);
        if (column < counts.length) counts[column] += all[c];
      }
      const most = counts.reduce((a, b) => Math.max(a, b), 1);
      const bar = Math.ceil(counts.length / Math.min(cells, counts.length));
      counts.forEach((n, c) => { if (n > 0) context.fillRect(x + c, foot - (n / most) * tall, bar, (n / most) * tall); });
    }

    drawTicks(context, place, height) {
      if (!this.marks) return;
      const { places, count, current } = this.marks;
      let drawn = -Infinity;
      for (let i = 0; i < count; i++) {
        const at = place(places[i]);
        if (at - drawn < 1) continue;
        drawn = at;
        context.fillRect(at, 4, 1, 6);
      }
      if (current >= 0) context.fillRect(place(places[current]) - 1, 2, 3, height - 4);
    }

    // ---- pointer and keys -----------------------------------------------------------------------------

    // The occurrence of the chosen result at the pointer becomes the current one.
    click(event) {
      if (!this.marks || !this.picked) return;
      const { x, y } = this.plot.place(event);
      const { times, size, units } = this.marks;
      let best = 14;
      let found = -1;
      for (const i of this.visibleMarks()) {
        for (let k = 0; k < size; k++) {
          const far = Math.hypot(this.xOf(times[i * size + k]) - x, y < this.box.y ? 0 : this.yOf(units[k]) - y);
          if (far < best) {
            best = far;
            found = i;
          }
        }
      }
      if (found >= 0) this.picked(found);
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = event.shiftKey ? 0.5 : 0.1;
      const acts = {
        ArrowLeft: () => this.move(-step), ArrowRight: () => this.move(step),
        ArrowUp: () => this.move(0, -step), ArrowDown: () => this.move(0, step),
        PageUp: () => this.move(-0.9), PageDown: () => this.move(0.9),
        "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5),
        _: () => this.zoom(1 / 1.5),
        "]": () => this.zoomUnits(1.5), "[": () => this.zoomUnits(1 / 1.5),
        Home: () => this.showAll(), 0: () => this.showAll(),
      };
      if (!acts[event.key]) return;
      acts[event.key]();
      event.preventDefault();
    }

    tell(u, at) {
      const unit = this.data.units[u];
      const near = this.nearestSpike(u, at);
      const rate = unit.rate === null || unit.rate === undefined ? "" : `, ${formatReal(unit.rate)} Hz`;
      const moment = formatMoment(this.seconds(near ?? Math.floor(at)), this.data.tickS);
      return [`unit ${unit.label}`, near === null ? moment : `spike at ${moment}`, `${plural(unit.n, "spike")}${rate}`];
    }

    // The spike of unit u within five pixels of `at`, or null.
    nearestSpike(u, at) {
      const reach = (5 * (this.view.to - this.view.from)) / this.box.width;
      const place = this.levels.lowerBound(u, at);
      let best = null;
      for (const i of [place - 1, place]) {
        if (i < this.data.first[u] || i >= this.data.first[u + 1]) continue;
        const time = this.data.times[i];
        if (Math.abs(time - at) <= reach && (best === null || Math.abs(time - at) < Math.abs(best - at))) best = time;
      }
      return best;
    }

    // In the strip a side of the frame is pulled, the frame is moved, or, where it is all, a new one is drawn.
    grip(at) {
      const { from, to } = this.view;
      const near = (side) => Math.abs(at - side) < (6 / this.box.width) * this.span;
      this.held = near(from) ? "from" : near(to) ? "to" : to - from >= this.span ? "new" : "move";
      this.heldAt = this.held === "new" ? at : at > from && at < to ? at - from : (to - from) / 2;
      if (this.held === "move") this.pull(at);
    }

    pull(at) {
      const { from, to } = this.view;
      const inside = Math.min(this.span, Math.max(0, at));
      if (this.held === "move") this.setView({ ...this.view, from: at - this.heldAt, to: at - this.heldAt + (to - from) });
      else if (this.held === "from" && inside < to) this.setView({ ...this.view, from: inside });
      else if (this.held === "to" && inside > from) this.setView({ ...this.view, to: inside });
      else if (this.held === "new" && Math.abs(inside - this.heldAt) > this.span / 500) {
        this.setView({ ...this.view, from: Math.min(inside, this.heldAt), to: Math.max(inside, this.heldAt) });
      }
    }
  }

  spikemine.recordingRaster = { Levels, RecordingRaster };
})(globalThis.spikemine);
