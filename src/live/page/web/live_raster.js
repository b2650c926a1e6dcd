// The raster of a live stream: the stretch that ends at the clock's head, spikes of occurrences in the colour of what
// they belong to, marks, borders of segments; and the strip that shows all that is kept.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { fitText } = spikemine.plot;
  const { compareText, formatMoment } = spikemine.format;
  const { partsOf, drawMarker } = spikemine.theme;

  const MOST_LINES = 400; // occurrences that are drawn with lines and markers; more are coloured spikes alone
  const WIDTHS_S = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

  const packed = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

  class LiveRaster extends spikemine.raster.Raster {
    // page: { store, clock, theme, labels, items, marks, bubble }; changed: the reader moved the clock or the width.
    constructor(parent, below, page, changed) {
      super(parent, below, page.theme, page.bubble, {
        label: "Raster of spikes. Space: freeze or play. Arrow left and right: back and on. Plus and minus: zoom.",
        height: () => Math.max(220, parent.clientHeight / page.theme.scale), letters: 12, stripLabel: "All that is kept, with marks", stripHeight: 56,
      });
      Object.assign(this, { page, changed, widthS: 10, only: null });
    }

    // ---- the stretch ------------------------------------------------------------------------------------

    get view() {
      const { clock, store, labels } = this.page;
      return { from: clock.head - this.widthS / store.tickS, to: clock.head, top: 0, bottom: Math.max(1, labels.length) };
    }

    // [first, last] place of all that is kept.
    extent() {
      const { store } = this.page;
      const oldest = store.oldestPlace();
      return [oldest, Math.max(store.newest, oldest + 1 / store.tickS)];
    }

    // Seconds of the segment at the right edge.
    seconds(place) {
      return place * this.page.store.tickS + this.page.shiftAt(this.view.to);
    }

    label(unit) {
      return this.page.labels[unit];
    }

    zoom(factor) {
      this.setWidth(this.widthS / factor);
      return true;
    }

    pinch(factor) {
      this.zoom(factor);
    }

    move(share) {
      if (share !== 0) this.page.clock.move((share * this.widthS) / this.page.store.tickS);
    }

    // Closer (-1) or wider (1), in round widths.
    widen(by) {
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
      this.letters = width > 900 ? 15 : 12;
      super.layout(context, width, height);
    }

    // Units stand in the order of their names, whenever they came.
    draw(context, width, height) {
      const { labels } = this.page;
      if (this.labels !== labels || this.order.length !== labels.length) {
        this.labels = labels;
        this.setRows([...labels.keys()].sort((a, b) => compareText(labels[a], labels[b])));
      }
      super.draw(context, width, height);
    }

    // Spikes in grey, so that what belongs to an occurrence stands out.
    drawSpikes(ratio) {
      const { store, theme } = this.page;
      const { from, to } = this.view;
      const ring = store.spikes;
      const { place, unit } = ring.columns;
      const { width, height, data } = this.pixels;
      const scale = width / (to - from);
      const colour = packed(partsOf(theme.quiet));
      const first = store.spikesFrom(from);
      const end = store.spikesFrom(to + 1);
      const wide = (end - first) * 3 < width * 8 ? Math.round(2 * ratio) : Math.round(ratio);
      const rows = this.order.map((row, u) => this.pixelRows(u));
      this.inView = end - first;
      for (let k = first; k < end; k++) {
        const at = k % ring.capacity;
        const x = Math.min(width - 1, Math.floor((place[at] - from) * scale));
        const row = rows[unit[at]]; // none where the name has not come yet
        if (row && row[0] < height && data[row[0] * width + x] === 0) this.pixels.stroke(x, row[0], row[1], wide, colour);
      }
      this.found = this.findOccurrences(from, to);
      this.colourSpikes(ratio);
    }

    // The occurrences in view, of the chosen items or of what was mined: [{ name, tone, size, units, place(i) }]. The tone
    // is the number of their colour and of their marker.
    findOccurrences(from, to) {
      const { store, items, trends } = this.page;
      if (trends.on) return trends.find(from, to);
      const found = [];
      store.eachOccurrence(from, to, (item, size, word) => {
        if (!items[item] || (this.only && !this.only.has(item))) return;
        found.push({ name: items[item].name, tone: item, size, units: items[item].units,
          place: (i) => store.placeOf(word + i) });
      });
      return found;
    }

    colourSpikes(ratio) {
      const { from, to } = this.view;
      const { width } = this.pixels;
      const scale = width / (to - from);
      const colours = this.theme.categories.map((hex) => packed(partsOf(hex)));
      const wide = Math.max(2, Math.round(3 * ratio));
      for (const { tone, size, units, place } of this.found) {
        for (let i = 0; i < size; i++) {
          const x = Math.min(width - 1, Math.floor((place(i) - from) * scale));
          const [y0, y1] = this.pixelRows(units[i]);
          const left = x - (wide >> 1);
          if (left + wide > 0 && place(i) <= to) this.pixels.stroke(left, y0, y1, wide, colours[tone % colours.length]);
        }
      }
    }

    // What lies before all that is kept is shaded.
    borders() {
      const { store } = this.page;
      const oldest = store.oldestPlace();
      const begins = store.segments.map(({ begin }) => begin);
      return { shaded: [[-Infinity, oldest]], lines: begins.filter((begin, k) => k > 0 || begin > oldest) };
    }

    drawMarks(context) {
      const { trends } = this.page;
      const lines = trends.on ? trends.newest(this.found, this.view.to) : this.found;
      if (lines.length <= MOST_LINES) this.drawOccurrences(context, lines);
      this.drawNames(context);
    }

    // Markers tell them apart without colours.
    drawOccurrences(context, lines) {
      const { theme } = this;
      const { x, y, width, height } = this.box;
      context.save();
      context.beginPath();
      context.rect(x, y - 4, width, height + 8);
      context.clip();
      const r = Math.max(2.5, Math.min(6, (0.4 * height) / Math.max(1, this.order.length)));
      for (const { tone, units, place } of lines) {
        const colour = context.fillStyle = theme.category(tone);
        const places = Array.from(units, (unit, i) => [this.xOf(place(i)), this.yOf(unit)]);
        this.drawChain(context, places, { colour, width: 1.5, alpha: 0.9 }, (i, at, middle) => {
          drawMarker(context, tone, at, middle, r);
        });
      }
      context.restore();
    }

    // The marks that readers made.
    drawNames(context) {
      const { marks, theme } = this.page;
      const { x, y, width, height } = this.box;
      const { from, to } = this.view;
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

    drawBars(context, place, foot, tall) {
      const { seconds, tickS } = this.page.store;
      const most = Math.max(1, ...seconds.values());
      for (const [second, count] of seconds) {
        const left = place(second / tickS);
        const wide = Math.max(1, place((second + 1) / tickS) - left - 0.5);
        context.fillRect(left, foot - (count / most) * tall, wide, (count / most) * tall);
      }
    }

    drawTicks(context, place, height) {
      const [oldest, newest] = this.extent();
      for (const mark of this.page.marks) {
        if (mark.place >= oldest && mark.place <= newest) context.fillRect(place(mark.place) - 1, 2, 3, height - 8);
      }
    }

    grip(at) {
      this.page.clock.seek(at + this.widthS / this.page.store.tickS / 2);
    }

    pull(at) {
      this.grip(at);
    }

    // ---- pointer ----------------------------------------------------------------------------------------

    tell(unit, at) {
      const { from, to } = this.view;
      const near = this.occurrenceNear(at, unit, (6 * (to - from)) / this.box.width);
      return [`unit ${this.label(unit)}`, formatMoment(at * this.page.store.tickS + this.page.shiftAt(at), 0.001),
        ...(near === null ? [] : [near])];
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
  }

  spikemine.liveRaster = { LiveRaster, WIDTHS_S };
})(globalThis.spikemine);
