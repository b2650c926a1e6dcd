// The raster: spikes of all units over time, with zoom and pan, marks of the chosen result, and an overview.
//
// A frame must cost the same whether it shows a second or hours. Counts of spikes are summed up once along a
// grid of time (Levels), so that the count of any pixel far out is the difference of two numbers; further in,
// where pixels are finer than that grid, few spikes are visible and each is drawn by itself.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, Plot, fitText, drawAxis } = spikemine.plot;
  const { formatMoment, formatDuration, timeMarks, formatReal, formatInteger, plural } = spikemine.format;

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

  // The spikes of a stretch as pixels; nothing else of the raster.
  class SpikePixels {
    constructor(levels, rates) {
      this.levels = levels;
      const sorted = Array.from(rates).sort((a, b) => a - b);
      this.highRate = sorted[Math.floor(0.95 * (sorted.length - 1))] || 0; // spikes in a tick
      this.shades = new Uint32Array(SHADES);
    }

    // shades[c]: colour of a pixel with c spikes, when `full` spikes give the full colour.
    mixShades([r, g, b], full) {
      for (let c = 1; c < SHADES; c++) {
        const share = full <= 1 ? 1 : Math.min(1, c / full);
        const alpha = Math.round(255 * (0.2 + 0.8 * share ** 0.75));
        this.shades[c] = ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
      }
    }

    resize(width, height) {
      if (this.image && this.image.width === width && this.image.height === height) return;
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.counts = new Uint32Array(width);
    }

    // view: { from, to } in ticks, { top, bottom } in rows; order: the unit of each row.
    draw(context, x, y, width, height, view, order, colour, thickness) {
      this.resize(width, height);
      this.pixels.fill(0);
      const step = (view.to - view.from) / width;
      const rowHeight = height / (view.bottom - view.top);
      this.mixShades(colour, 2 * this.highRate * step * Math.max(1, 1 / rowHeight));
      let row = -1;
      for (let r = Math.floor(view.top); r < Math.min(order.length, view.bottom); r++) {
        const y0 = Math.max(0, Math.floor((r - view.top) * rowHeight));
        if (y0 !== row) {
          if (row >= 0) this.writeRow(row, this.endOfRow(row, rowHeight, height), width, thickness);
          this.counts.fill(0);
          row = y0;
        }
        this.levels.addCounts(order[r], view.from, step, width, this.counts);
      }
      if (row >= 0) this.writeRow(row, this.endOfRow(row, rowHeight, height), width, thickness);
      context.putImageData(this.image, x, y);
    }

    endOfRow(y0, rowHeight, height) {
      const gap = rowHeight >= 3 ? Math.max(1, rowHeight * 0.18) : 0;
      return Math.min(height, Math.max(y0 + 1, Math.floor(y0 + rowHeight - gap)));
    }

    writeRow(y0, y1, width, thickness) {
      const { pixels, counts, shades } = this;
      const base = y0 * width;
      for (let c = 0; c < width; c++) {
        const count = counts[c];
        if (count === 0) continue;
        const shade = shades[count < SHADES ? count : SHADES - 1];
        for (let k = 0; k < thickness && c + k < width; k++) {
          if (k === 0 || counts[c + k] === 0) pixels[base + c + k] = shade;
        }
      }
      for (let y = y0 + 1; y < y1; y++) pixels.copyWithin(y * width, base, base + width);
    }
  }

  class Raster {
    // data: { times, first, units, tickS, start, span, segments }; bubble: for hovering;
    // told: called with (raster) after the stretch changed; picked: called with the number of a clicked occurrence.
    constructor(parent, theme, data, bubble, { told, picked }) {
      Object.assign(this, { theme, data, bubble, told, picked });
      this.units = data.units.length;
      this.levels = new Levels(data.times, data.first, data.span);
      this.pixels = new SpikePixels(this.levels, data.units.map((unit) => unit.n / Math.max(1, data.span)));
      this.span = Math.max(1, data.span);
      this.view = this.whole();
      this.marks = null;
      this.setOrder([]);
      const height = Math.min(360, Math.max(150, 66 + this.units * 16));
      const label = "Raster of spikes. Arrow keys move, plus and minus zoom, Home shows the whole recording.";
      this.plot = new Plot(parent, theme, { height, label, focusable: true });
      this.plot.canvas.setAttribute("role", "application");
      this.plot.canvas.className = "raster";
      this.plot.draw = (context, width, h) => this.draw(context, width, h);
      this.overview = new Plot(parent, theme, { height: 40, label: "Overview of the whole recording" });
      this.overview.canvas.className = "overview";
      this.overview.draw = (context, width, h) => this.drawOverview(context, width, h);
      this.pointers = new Map();
      this.listen();
    }

    // ---- the stretch that is shown ----------------------------------------------------------------

    // Rows from above: these units in this order, each once, then those that fire in the stretch, then the others, both
    // in the order of the recording; without units that order alone.
    setOrder(units, stretch = this.view) {
      const first = new Set(units);
      this.leading = first.size;
      const others = [...this.data.units.keys()].filter((u) => !first.has(u));
      const fires = (u) => this.leading > 0 && this.levels.fires(u, stretch.from, stretch.to);
      this.order = [...first, ...others.filter(fires), ...others.filter((u) => !fires(u))];
      this.firing = others.filter(fires).length;
      this.rowOf = new Uint32Array(this.units);
      this.order.forEach((u, row) => { this.rowOf[u] = row; });
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
      this.plot.request();
      this.overview.request();
      if (this.told) this.told(this);
    }

    move(share, unitShare = 0) {
      const { from, to, top, bottom } = this.view;
      const dt = share * (to - from);
      const du = unitShare * (bottom - top);
      this.setView({ from: from + dt, to: to + dt, top: top + du, bottom: bottom + du });
    }

    // Zooms by `factor` (above 1: closer) so that the moment at `share` of the width stays where it is.
    zoom(factor, share = 0.5) {
      const { from, to } = this.view;
      const width = Math.min(this.span, Math.max(this.leastWidth(), (to - from) / factor));
      const kept = from + share * (to - from);
      this.setView({ ...this.view, from: kept - share * width, to: kept + (1 - share) * width });
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

    // Moves to an occurrence, closer only where it would be too small to see; `close`: it fills a quarter of the width,
    // and rows of silent units are out of sight.
    showTimes(times, units, close) {
      if (times.length === 0) return;
      const low = Math.min(...times);
      const high = Math.max(...times);
      const long = Math.max(high - low, 2);
      const width = close ? Math.max(4 * long, 8)
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

    layout(context, width, height) {
      context.font = `11px ${this.theme.font}`;
      let label = 0;
      const step = Math.max(1, Math.floor(this.units / 400));
      for (let u = 0; u < this.units; u += step) {
        label = Math.max(label, context.measureText(String(this.data.units[u].label)).width);
      }
      const left = Math.ceil(Math.min(label, width < 600 ? 54 : 130)) + 12;
      this.box = { x: left, y: 14, width: Math.max(10, width - left - 10), height: height - 14 - 42 };
    }

    draw(context, width, height) {
      const began = performance.now();
      if (this.laidOut !== width || this.laidOutFont !== this.theme.font) {
        this.layout(context, width, height);
        this.laidOut = width;
        this.laidOutFont = this.theme.font;
      }
      const { x, y, width: w, height: h } = this.box;
      const ratio = this.plot.ratio;
      const near = (this.view.to - this.view.from) / w < 0.25;
      this.pixels.draw(context, Math.round(x * ratio), Math.round(y * ratio), Math.round(w * ratio),
        Math.round(h * ratio), this.view, this.order, spikemine.theme.partsOf(this.theme.ink),
        Math.round(ratio * (near ? 2 : 1)));
      this.drawSegments(context);
      this.drawUnits(context);
      this.drawTime(context);
      this.drawMarks(context);
      this.drawMs = performance.now() - began;
    }

    xOf(ticks) {
      return this.box.x + ((ticks - this.view.from) / (this.view.to - this.view.from)) * this.box.width;
    }

    yOf(unit) {
      return this.box.y + ((this.rowOf[unit] + 0.45 - this.view.top) / (this.view.bottom - this.view.top)) * this.box.height;
    }

    // Where nothing was recorded is shaded; the borders of segments are lines, unless they lie too densely.
    drawSegments(context) {
      const { x, y, width, height } = this.box;
      const segments = this.data.segments;
      context.save();
      context.beginPath();
      context.rect(x, y, width, height);
      context.clip();
      context.fillStyle = this.theme.gap;
      context.strokeStyle = this.theme.accent;
      context.globalCompositeOperation = "destination-over";
      let drawn = -Infinity;
      let before = 0;
      for (const [begin, end] of segments) {
        const a = this.xOf(before);
        const b = this.xOf(begin);
        if (b >= x && a <= x + width && b > a) context.fillRect(a, y, b - a, height);
        if (begin > 0 && b >= x && b <= x + width && b - drawn >= 3) {
          context.setLineDash([3, 3]);
          context.beginPath();
          context.moveTo(Math.round(b) + 0.5, y);
          context.lineTo(Math.round(b) + 0.5, y + height);
          context.stroke();
          drawn = b;
        }
        before = end;
      }
      before = Math.min(before, this.data.spikesUntil ?? this.span); // later spikes are not in the file
      const tail = this.xOf(before);
      if (before < this.span && tail < x + width) context.fillRect(tail, y, x + width - tail, height);
      context.restore();
    }

    drawUnits(context) {
      const { x, y, height } = this.box;
      const { top, bottom } = this.view;
      const rowHeight = height / (bottom - top);
      const every = Math.max(1, Math.ceil(13 / rowHeight));
      const nice = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => n >= every) || every;
      context.font = `11px ${this.theme.font}`;
      context.textAlign = "right";
      context.fillStyle = this.theme.quiet;
      context.fillText("unit", x - 7, 5);
      for (let row = Math.ceil(Math.floor(top) / nice) * nice; row < Math.min(this.units, bottom); row += nice) {
        const u = this.order[row];
        const middle = this.yOf(u);
        if (middle < y + 2 || middle > y + height) continue;
        context.fillStyle = row < this.leading ? this.theme.ink : this.theme.quiet;
        context.fillText(fitText(context, String(this.data.units[u].label), x - 10), x - 7, middle);
        context.fillRect(x - 4, Math.round(middle), 3, 1);
      }
      const border = Math.round(y + (this.leading - top) * rowHeight) - 0.5;
      context.strokeStyle = this.theme.line;
      context.beginPath();
      if (this.leading > 0 && border > y && border < y + height) context.rect(x, border, this.box.width, 0);
      context.stroke();
    }

    drawTime(context) {
      const { x, y, width, height } = this.box;
      const low = this.seconds(this.view.from);
      const high = this.seconds(this.view.to);
      const { title, marks } = timeMarks(low, high, Math.max(2, width / 90));
      const scale = width / (high - low);
      context.font = `12px ${this.theme.font}`;
      drawAxis(context, this.theme, x, x + width, y + height, marks.map(([s, text]) => [x + (s - low) * scale, text]),
        title);
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
      const narrow = Math.abs(this.xOf(times[begin + size - 1]) - this.xOf(times[begin])) < 3;
      context.globalAlpha = current ? 1 : 0.75;
      context.strokeStyle = this.theme.mark;
      context.lineWidth = current ? 2.2 : 1;
      context.beginPath();
      for (let k = 0; k < size; k++) context.lineTo(this.xOf(times[begin + k]), this.yOf(units[k]));
      context.stroke();
      for (let k = 0; k < size; k++) {
        context.fillStyle = this.theme.category(k);
        const r = current ? 5 : narrow ? 2 : 3.2;
        spikemine.theme.drawMarker(context, k, this.xOf(times[begin + k]), this.yOf(units[k]), r);
      }
      context.globalAlpha = 1;
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

    drawOverview(context, width, height) {
      if (!this.box) return;
      const { x, width: w } = this.box;
      const columns = Math.max(1, Math.floor(w));
      const counts = new Float64Array(columns);
      const cells = this.levels.cells;
      const scale = columns / this.span;
      for (let c = 0; c < cells; c++) {
        const column = Math.floor(c * this.levels.width * scale);
        if (column < columns) counts[column] += this.levels.all[c];
      }
      const most = Math.max(1, counts.reduce((a, b) => Math.max(a, b), 0));
      context.fillStyle = this.theme.faint;
      context.fillRect(x, 4, w, height - 8);
      context.fillStyle = this.theme.quiet;
      const bar = cells < columns ? Math.ceil(columns / cells) : 1;
      for (let c = 0; c < columns; c++) {
        const h = (counts[c] / most) * (height - 14);
        if (h > 0) context.fillRect(x + c, height - 4 - h, bar, h);
      }
      this.drawOverviewMarks(context, x, w);
      const a = x + (this.view.from / this.span) * w;
      const b = x + (this.view.to / this.span) * w;
      context.fillStyle = this.theme.accent;
      context.globalAlpha = 0.16;
      context.fillRect(a, 2, b - a, height - 4);
      context.globalAlpha = 1;
      context.strokeStyle = this.theme.accent;
      context.lineWidth = 1.5;
      context.strokeRect(a, 2, Math.max(2, b - a), height - 4);
    }

    drawOverviewMarks(context, x, w) {
      if (!this.marks) return;
      const { places, count, current } = this.marks;
      context.fillStyle = this.theme.mark;
      let drawn = -Infinity;
      for (let i = 0; i < count; i++) {
        const place = x + (places[i] / this.span) * w;
        if (place - drawn < 1) continue;
        drawn = place;
        context.fillRect(place, 4, 1, 6);
      }
      if (current >= 0) context.fillRect(x + (places[current] / this.span) * w - 1, 2, 3, 36);
    }

    // ---- pointer and keys -----------------------------------------------------------------------------

    listen() {
      const canvas = this.plot.canvas;
      let scrolled = -Infinity;
      addEventListener("scroll", () => { scrolled = performance.now(); }, { passive: true });
      canvas.addEventListener("wheel", (event) => {
        // A page that is being scrolled goes on scrolling; and nothing is left to zoom out of the whole.
        if (performance.now() - scrolled < 200) return;
        if (this.wheel(event)) event.preventDefault();
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => this.down(event));
      canvas.addEventListener("pointermove", (event) => this.drag(event));
      for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
      canvas.addEventListener("pointerleave", () => this.bubble.hide());
      canvas.addEventListener("dblclick", (event) => this.zoom(event.shiftKey ? 1 / 3 : 3, this.share(event).x));
      canvas.addEventListener("keydown", (event) => this.key(event));
      this.listenOverview();
    }

    share(event) {
      const rect = this.plot.canvas.getBoundingClientRect();
      return {
        x: (event.clientX - rect.left - this.box.x) / this.box.width,
        y: (event.clientY - rect.top - this.box.y) / this.box.height,
      };
    }

    wheel(event) {
      const pixels = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 300 : 1;
      const dx = event.deltaX * pixels;
      const dy = event.deltaY * pixels;
      const { x, y } = this.share(event);
      if (event.altKey) {
        this.zoomUnits(Math.exp(-(dy || dx) * 0.002), y);
        return true;
      }
      if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
        this.move((event.shiftKey && dx === 0 ? dy : dx) / this.box.width);
        return true;
      }
      if (dy > 0 && this.view.to - this.view.from >= this.span) return false;
      this.zoom(Math.exp(-dy * 0.002), x);
      return true;
    }

    down(event) {
      if (event.button > 0) return;
      this.plot.canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.dragged = false;
      this.bubble.hide();
    }

    drag(event) {
      const before = this.pointers.get(event.pointerId);
      if (!before) {
        this.hover(event);
        return;
      }
      const now = { x: event.clientX, y: event.clientY };
      if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
      else {
        const dx = now.x - before.x;
        const dy = now.y - before.y;
        if (!this.dragged && Math.hypot(dx, dy) < 4) return;
        this.dragged = true;
        this.move(-dx / this.box.width, -dy / this.box.height);
      }
      this.pointers.set(event.pointerId, now);
    }

    pinch(id, before, now) {
      const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
      const was = Math.max(10, Math.abs(before.x - other.x));
      const is = Math.max(10, Math.abs(now.x - other.x));
      const rect = this.plot.canvas.getBoundingClientRect();
      const middle = ((now.x + other.x) / 2 - rect.left - this.box.x) / this.box.width;
      this.dragged = true;
      this.zoom(is / was, middle);
      this.move(-(now.x - before.x) / 2 / this.box.width);
    }

    up(event) {
      if (this.pointers.delete(event.pointerId) && !this.dragged && event.type === "pointerup") this.click(event);
    }

    // The occurrence of the chosen result at the pointer becomes the current one.
    click(event) {
      if (!this.marks || !this.picked) return;
      const rect = this.plot.canvas.getBoundingClientRect();
      const x = event.clientX - rect.left;
      const y = event.clientY - rect.top;
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

    hover(event) {
      if (!this.box) return;
      const { x, y } = this.share(event);
      const row = Math.floor(this.view.top + y * (this.view.bottom - this.view.top));
      if (x < 0 || x > 1 || y < 0 || y > 1 || row < 0 || row >= this.units) {
        this.bubble.hide();
        return;
      }
      const u = this.order[row];
      const unit = this.data.units[u];
      const at = this.view.from + x * (this.view.to - this.view.from);
      const near = this.nearestSpike(u, at);
      const rate = unit.rate === null || unit.rate === undefined ? "" : `, ${formatReal(unit.rate)} Hz`;
      this.bubble.show(event.clientX, event.clientY, [
        `unit ${unit.label}`,
        near === null ? formatMoment(this.seconds(Math.floor(at)), this.data.tickS)
          : `spike at ${formatMoment(this.seconds(near), this.data.tickS)}`,
        `${plural(unit.n, "spike")}${rate}`,
      ]);
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

    listenOverview() {
      const canvas = this.overview.canvas;
      let kind = null;
      let grip = 0;
      const ticks = (event) => {
        const rect = canvas.getBoundingClientRect();
        return ((event.clientX - rect.left - this.box.x) / this.box.width) * this.span;
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        const at = ticks(event);
        const reach = (6 / this.box.width) * this.span;
        const { from, to } = this.view;
        const whole = to - from >= this.span;
        kind = Math.abs(at - from) < reach ? "from" : Math.abs(at - to) < reach ? "to" : whole ? "new" : "move";
        grip = kind === "new" ? at : at > from && at < to ? at - from : (to - from) / 2;
        if (kind === "move") this.setView({ ...this.view, from: at - grip, to: at - grip + (to - from) });
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!kind) return;
        const at = Math.min(this.span, Math.max(0, ticks(event)));
        const { from, to } = this.view;
        if (kind === "move") {
          const left = ticks(event) - grip;
          this.setView({ ...this.view, from: left, to: left + (to - from) });
        } else if (kind === "from" && at < to) this.setView({ ...this.view, from: at });
        else if (kind === "to" && at > from) this.setView({ ...this.view, to: at });
        else if (kind === "new" && Math.abs(at - grip) > this.span / 500) {
          this.setView({ ...this.view, from: Math.min(at, grip), to: Math.max(at, grip) });
        }
      });
      for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { kind = null; });
    }
  }

  spikemine.raster = { Levels, SpikePixels, Raster };
})(globalThis.spikemine);
