// The raster of a live stream: the stretch that ends at the clock's head, spikes of occurrences in the colour of what
// they belong to, marks, borders of segments; and the strip that shows all that is kept.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, Plot, fitText, drawAxis } = spikemine.plot;
  const { timeMarks, formatMoment } = spikemine.format;
  const { partsOf, drawMarker } = spikemine.theme;

  const MOST_LINES = 400; // occurrences that are drawn with lines and markers; more are coloured spikes alone
  const WIDTHS_S = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

  const packed = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

  // Spikes as pixels of one image.
  class Pixels {
    resize(width, height) {
      if (this.image && this.image.width === width && this.image.height === height) {
        this.data.fill(0);
        return;
      }
      this.image = new ImageData(width, height);
      this.data = new Uint32Array(this.image.data.buffer);
      this.width = width;
      this.height = height;
    }

    // A stroke of `thickness` pixels at x, rows y0 to y1.
    stroke(x, y0, y1, thickness, colour) {
      const { data, width } = this;
      const end = Math.min(width, x + thickness);
      for (let y = y0; y < y1; y++) {
        for (let at = y * width + Math.max(0, x); at < y * width + end; at++) data[at] = colour;
      }
    }
  }

  class LiveRaster {
    // page: { store, clock, theme, labels, items, marks, bubble }; changed: the reader moved the clock or the width.
    constructor(parent, overview, page, changed) {
      Object.assign(this, { page, changed, widthS: 10, only: null, pointers: new Map(), drawn: 0 });
      this.pixels = new Pixels();
      const label = "Raster of spikes. Space: pause or play. Arrow left and right: back and on. Plus and minus: zoom.";
      this.plot = new Plot(parent, page.theme, { height: () => this.height(parent), label, focusable: true });
      this.plot.canvas.className = "raster live";
      this.plot.canvas.setAttribute("role", "application");
      this.plot.draw = (context, width, height) => this.draw(context, width, height);
      this.strip = new Plot(overview, page.theme, { height: 56, label: "All that is kept, with marks" });
      this.strip.canvas.className = "overview";
      this.strip.draw = (context, width, height) => this.drawStrip(context, width, height);
      this.listen();
    }

    height(parent) {
      return Math.max(220, parent.clientHeight);
    }

    request() {
      this.plot.request();
      this.strip.request();
    }

    // ---- the stretch ------------------------------------------------------------------------------------

    view() {
      const { clock, store } = this.page;
      return { from: clock.head - this.widthS / store.tickS, to: clock.head };
    }

    // Closer (-1) or wider (1), in round widths.
    zoom(by) {
      const nearest = WIDTHS_S.reduce((best, width, k) =>
        (Math.abs(Math.log(width / this.widthS)) < Math.abs(Math.log(WIDTHS_S[best] / this.widthS)) ? k : best), 0);
      this.setWidth(WIDTHS_S[Math.max(0, Math.min(WIDTHS_S.length - 1, nearest + by))]);
    }

    setWidth(seconds) {
      this.widthS = Math.max(WIDTHS_S[0], Math.min(WIDTHS_S[WIDTHS_S.length - 1], seconds));
      this.request();
      this.changed();
    }

    // Shows the occurrences of these items only; null: of all.
    setOnly(items) {
      this.only = items;
      this.request();
    }

    // ---- drawing ----------------------------------------------------------------------------------------

    layout(context, width, height) {
      const { labels } = this.page;
      const large = width > 900;
      this.letters = large ? 15 : 12;
      context.font = `${this.letters}px ${this.page.theme.font}`;
      let longest = context.measureText("unit").width;
      const step = Math.max(1, Math.floor(labels.length / 200));
      for (let u = 0; u < labels.length; u += step) longest = Math.max(longest, context.measureText(labels[u]).width);
      const left = Math.ceil(Math.min(longest, width < 600 ? 60 : 140)) + 14;
      this.box = { x: left, y: 18, width: Math.max(10, width - left - 14), height: Math.max(10, height - 18 - 44) };
      this.laidOut = `${width} ${height} ${labels.length}`;
    }

    draw(context, width, height) {
      const began = performance.now();
      if (this.laidOut !== `${width} ${height} ${this.page.labels.length}`) this.layout(context, width, height);
      const { from, to } = this.view();
      const ratio = this.plot.ratio;
      const { x, y, width: w, height: h } = this.box;
      this.drawSegments(context, from, to);
      this.pixels.resize(Math.round(w * ratio), Math.round(h * ratio));
      this.drawSpikes(from, to, ratio);
      const found = this.findOccurrences(from, to);
      this.colourSpikes(found, from, to, ratio);
      this.stamp(context, Math.round(x * ratio), Math.round(y * ratio));
      if (found.length <= MOST_LINES) this.drawOccurrences(context, found);
      this.drawUnits(context);
      this.drawTime(context, from, to);
      this.drawMarks(context, from, to);
      this.drawn += 1;
      this.drawMs = performance.now() - began;
    }

    // putImageData would wipe what lies below; an image drawn over it does not.
    stamp(context, x, y) {
      const { image, width, height } = this.pixels;
      if (!this.sheet) this.sheet = element("canvas");
      if (this.sheet.width !== width || this.sheet.height !== height) {
        this.sheet.width = width;
        this.sheet.height = height;
        this.sheetContext = this.sheet.getContext("2d");
      }
      this.sheetContext.putImageData(image, 0, 0);
      context.save();
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.drawImage(this.sheet, x, y);
      context.restore();
    }

    rowOf(unit, height) {
      const units = Math.max(1, this.page.labels.length);
      const y0 = Math.floor((unit * height) / units);
      const tall = height / units;
      const gap = tall >= 4 ? Math.max(1, tall * 0.2) : 0;
      return [y0, Math.min(height, Math.max(y0 + 1, Math.floor(y0 + tall - gap)))];
    }

    drawSpikes(from, to, ratio) {
      const { store, theme } = this.page;
      const ring = store.spikes;
      const { place, unit } = ring.columns;
      const { width, height, data } = this.pixels;
      const scale = width / (to - from);
      const colour = packed(partsOf(theme.quiet)); // what belongs to an occurrence stands out
      const first = store.spikesFrom(from);
      const end = store.spikesFrom(to + 1);
      const wide = (end - first) * 3 < width * 8 ? Math.round(2 * ratio) : Math.round(ratio);
      const rows = [];
      this.inView = end - first;
      for (let k = first; k < end; k++) {
        const at = k % ring.capacity;
        const x = Math.min(width - 1, Math.floor((place[at] - from) * scale));
        const u = unit[at];
        const row = rows[u] || (rows[u] = this.rowOf(u, height));
        if (row[0] < height && data[row[0] * width + x] === 0) this.pixels.stroke(x, row[0], row[1], wide, colour);
      }
    }

    // The occurrences in view, of the chosen items or of what changes: [{ name, tone, sign, size, units, place(i) }]. The
    // tone is the number of their colour, and of their marker where they have no sign.
    findOccurrences(from, to) {
      const { store, items, trends } = this.page;
      if (trends.on) return trends.find(from, to);
      const found = [];
      store.eachOccurrence(from, to, (item, size, word) => {
        if (!items[item] || (this.only && !this.only.has(item))) return;
        found.push({ name: items[item].name, tone: item, sign: null, size, units: items[item].units,
          place: (i) => store.placeOf(word + i) });
      });
      return found;
    }

    colourSpikes(found, from, to, ratio) {
      const { theme } = this.page;
      const { width, height } = this.pixels;
      const scale = width / (to - from);
      const colours = theme.categories.map((hex) => packed(partsOf(hex)));
      const wide = Math.max(2, Math.round(3 * ratio));
      for (const { tone, size, units, place } of found) {
        for (let i = 0; i < size; i++) {
          const x = Math.min(width - 1, Math.floor((place(i) - from) * scale));
          const [y0, y1] = this.rowOf(units[i], height);
          const left = x - (wide >> 1);
          if (left + wide > 0 && place(i) <= to) this.pixels.stroke(left, y0, y1, wide, colours[tone % colours.length]);
        }
      }
    }

    xOf(place) {
      const { from, to } = this.view();
      return this.box.x + ((place - from) / (to - from)) * this.box.width;
    }

    yOf(unit) {
      return this.box.y + ((unit + 0.42) / Math.max(1, this.page.labels.length)) * this.box.height;
    }

    // A line from spike to spike; markers tell items apart without colours.
    drawOccurrences(context, found) {
      const { theme } = this.page;
      const { x, y, width, height } = this.box;
      context.save();
      context.beginPath();
      context.rect(x, y - 4, width, height + 8);
      context.clip();
      const r = Math.max(2.5, Math.min(6, (0.4 * height) / Math.max(1, this.page.labels.length)));
      context.font = `${Math.max(10, 3 * r)}px ${theme.font}`;
      context.textAlign = "center";
      for (const { tone, sign, size, units, place } of found) {
        context.strokeStyle = context.fillStyle = theme.category(tone);
        context.lineWidth = 1.5;
        context.globalAlpha = 0.8;
        context.beginPath();
        for (let i = 0; i < size; i++) context.lineTo(this.xOf(place(i)), this.yOf(units[i]));
        context.stroke();
        context.globalAlpha = 1;
        for (let i = 0; i < size; i++) {
          if (sign) context.fillText(sign, this.xOf(place(i)), this.yOf(units[i]));
          else drawMarker(context, tone, this.xOf(place(i)), this.yOf(units[i]), r);
        }
      }
      context.restore();
    }

    // What lies before all that is kept is shaded; borders of segments are lines.
    drawSegments(context, from, to) {
      const { store, theme } = this.page;
      const { x, y, width, height } = this.box;
      const clampX = (place) => Math.max(x, Math.min(x + width, this.xOf(place)));
      context.fillStyle = theme.gap;
      const oldest = clampX(store.oldestPlace());
      if (oldest > x) context.fillRect(x, y, oldest - x, height);
      context.strokeStyle = theme.accent;
      context.lineWidth = 1.5;
      context.setLineDash([4, 4]);
      context.beginPath();
      store.segments.forEach(({ begin }, k) => {
        if ((k === 0 && begin <= store.oldestPlace()) || begin < from || begin > to) return;
        const at = Math.round(this.xOf(begin)) + 0.5;
        context.moveTo(at, y);
        context.lineTo(at, y + height);
      });
      context.stroke();
      context.setLineDash([]);
    }

    drawUnits(context) {
      const { labels, theme } = this.page;
      const { x, y, height } = this.box;
      const rowHeight = height / Math.max(1, labels.length);
      const every = Math.max(1, Math.ceil((this.letters + 2) / rowHeight));
      const nice = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => n >= every) || every;
      context.font = `${this.letters}px ${theme.font}`;
      context.textAlign = "right";
      context.fillStyle = theme.quiet;
      context.fillText("unit", x - 8, 8);
      for (let u = 0; u < labels.length; u += nice) {
        const middle = this.yOf(u);
        if (middle < y + 4) continue;
        context.fillText(fitText(context, labels[u], x - 12), x - 8, middle);
        context.fillRect(x - 5, Math.round(middle), 4, 1);
      }
    }

    drawTime(context, from, to) {
      const { store, theme } = this.page;
      const { x, y, width, height } = this.box;
      const shift = this.page.shiftAt(to); // seconds of the segment at the right edge
      const low = from * store.tickS + shift;
      const high = to * store.tickS + shift;
      const { title, marks } = timeMarks(low, high, Math.max(2, width / (this.letters * 8)));
      context.font = `${this.letters}px ${theme.font}`;
      const scale = width / (high - low);
      drawAxis(context, theme, x, x + width, y + height, marks.map(([s, text]) => [x + (s - low) * scale, text]), title);
    }

    drawMarks(context, from, to) {
      const { marks, theme } = this.page;
      const { x, y, width, height } = this.box;
      context.font = `${this.letters}px ${theme.font}`;
      context.textAlign = "left";
      let free = -Infinity;
      marks.forEach((mark, k) => {
        if (mark.place < from || mark.place > to) return;
        const at = Math.round(this.xOf(mark.place)) + 0.5;
        context.strokeStyle = context.fillStyle = theme.mark;
        context.lineWidth = 2;
        context.beginPath();
        context.moveTo(at, y - 6);
        context.lineTo(at, y + height);
        context.stroke();
        const name = mark.text || `mark ${k + 1}`;
        const room = Math.min(200, x + width - at - 6);
        if (at > free && room > 20) {
          const text = fitText(context, name, room);
          context.fillText(text, at + 5, y - 9);
          free = at + 12 + context.measureText(text).width;
        }
      });
    }

    // ---- the strip of all that is kept -------------------------------------------------------------------

    // [first, last] place of the strip.
    kept() {
      const { store } = this.page;
      const oldest = store.oldestPlace();
      return [oldest, Math.max(store.newest, oldest + 1 / store.tickS)];
    }

    drawStrip(context, width, height) {
      if (!this.box) return;
      const { store, theme, marks } = this.page;
      const { x, width: w } = this.box;
      const [oldest, newest] = this.kept();
      const place = (ticks) => x + ((ticks - oldest) / (newest - oldest)) * w;
      context.fillStyle = theme.faint;
      context.fillRect(x, 6, w, height - 12);
      let most = 1;
      for (const count of store.seconds.values()) most = Math.max(most, count);
      context.fillStyle = theme.quiet;
      const bar = Math.max(1, place(oldest + 1 / store.tickS) - x - 0.5);
      for (const [second, count] of store.seconds) {
        const left = Math.max(x, place(second / store.tickS));
        const h = (count / most) * (height - 18);
        context.fillRect(left, height - 6 - h, Math.min(bar, x + w - left), h);
      }
      context.fillStyle = theme.mark;
      for (const mark of marks) {
        if (mark.place >= oldest && mark.place <= newest) context.fillRect(place(mark.place) - 1, 2, 3, height - 8);
      }
      const { from, to } = this.view();
      const a = Math.max(x, place(from));
      const b = Math.max(a + 3, Math.min(x + w, place(to)));
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.18;
      context.fillRect(a, 2, b - a, height - 4);
      context.globalAlpha = 1;
      context.strokeStyle = theme.accent;
      context.lineWidth = 2;
      context.strokeRect(a, 3, b - a, height - 6);
    }

    // ---- pointer ----------------------------------------------------------------------------------------

    listen() {
      const canvas = this.plot.canvas;
      canvas.addEventListener("wheel", (event) => {
        if (event.ctrlKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          const { from, to } = this.view();
          this.page.clock.move((((event.deltaX || event.deltaY) / this.box.width) * (to - from)));
        } else this.setWidth(this.widthS * Math.exp(event.deltaY * 0.002));
        event.preventDefault();
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => {
        if (event.button > 0) return;
        canvas.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, event.clientX);
        this.page.bubble.hide();
      });
      canvas.addEventListener("pointermove", (event) => this.drag(event));
      for (const name of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
      }
      canvas.addEventListener("pointerleave", () => this.page.bubble.hide());
      this.listenStrip();
    }

    drag(event) {
      const before = this.pointers.get(event.pointerId);
      if (before === undefined) {
        this.hover(event);
        return;
      }
      const now = event.clientX;
      if (this.pointers.size === 2) {
        const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
        const factor = Math.max(20, Math.abs(before - other)) / Math.max(20, Math.abs(now - other));
        this.setWidth(this.widthS * factor);
      } else {
        const { from, to } = this.view();
        if (now !== before) this.page.clock.move(((before - now) / this.box.width) * (to - from));
      }
      this.pointers.set(event.pointerId, now);
    }

    hover(event) {
      if (!this.box) return;
      const { page } = this;
      const rect = this.plot.canvas.getBoundingClientRect();
      const shareX = (event.clientX - rect.left - this.box.x) / this.box.width;
      const shareY = (event.clientY - rect.top - this.box.y) / this.box.height;
      const unit = Math.floor(shareY * page.labels.length);
      if (shareX < 0 || shareX > 1 || shareY < 0 || unit < 0 || unit >= page.labels.length) {
        page.bubble.hide();
        return;
      }
      const { from, to } = this.view();
      const at = from + shareX * (to - from);
      const lines = [`unit ${page.labels[unit]}`, formatMoment(at * page.store.tickS + page.shiftAt(at), 0.001)];
      const near = this.occurrenceNear(at, unit, (6 * (to - from)) / this.box.width);
      if (near !== null) lines.push(near);
      page.bubble.show(event.clientX, event.clientY, lines);
    }

    // What an occurrence is of that has a spike of `unit` near a place, or null.
    occurrenceNear(at, unit, reach) {
      let best = null;
      for (const { name, size, units, place } of this.findOccurrences(at - reach, at + reach)) {
        for (let i = 0; i < size; i++) {
          if (units[i] === unit && Math.abs(place(i) - at) <= reach) best = name;
        }
      }
      return best;
    }

    listenStrip() {
      const canvas = this.strip.canvas;
      let held = false;
      const go = (event) => {
        const rect = canvas.getBoundingClientRect();
        const [oldest, newest] = this.kept();
        const at = oldest + ((event.clientX - rect.left - this.box.x) / this.box.width) * (newest - oldest);
        this.page.clock.seek(at + this.widthS / this.page.store.tickS / 2);
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        held = true;
        go(event);
      });
      canvas.addEventListener("pointermove", (event) => { if (held) go(event); });
      for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = false; });
    }
  }

  spikemine.liveRaster = { LiveRaster, WIDTHS_S };
})(globalThis.spikemine);
