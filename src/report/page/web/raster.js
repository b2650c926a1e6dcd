// What the rasters of both pages share: rows of units over time with names and axis, chains of spikes, a strip of all that
// there is with a frame round the stretch above, and the reader's hands.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { Plot, fitText, drawAxis } = spikemine.plot;
  const { timeMarks } = spikemine.format;

  const EVERY = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]; // rows from name to name
  const LEAST_LETTERS = 9; // pixels of a name
  const HAND = 4; // pixels that a pointer moves before it drags

  // Rows of spikes as pixels of one image.
  class Pixels {
    clear(width, height) {
      if (!this.image || this.width !== width || this.height !== height) {
        this.image = new ImageData(width, height);
        Object.assign(this, { width, height, data: new Uint32Array(this.image.data.buffer) });
      } else this.data.fill(0);
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

  // A raster has besides: view, { from, to, top, bottom } in ticks and rows; extent(), [first, last] of the strip;
  // seconds(ticks) and label(unit); borders(), { shaded: [[from, to] ...], lines: [ticks ...] }; drawSpikes, drawMarks,
  // drawBars and drawTicks; move(share, rows), zoom(factor, share), grip(ticks) and pull(ticks) for hands; tell(unit, ticks)
  // as lines of the bubble.
  class Raster {
    constructor(parent, below, theme, bubble, { label, height, letters, stripLabel, stripHeight }) {
      Object.assign(this, { theme, bubble, letters, order: [], rowOf: [], leading: 0, drawn: 0, pointers: new Map() });
      this.pixels = new Pixels();
      this.plot = new Plot(parent, theme, { height, label, focusable: true });
      this.plot.canvas.setAttribute("role", "application");
      this.plot.canvas.className = "raster";
      this.plot.draw = (context, width, h) => this.draw(context, width, h);
      this.strip = new Plot(below, theme, { height: stripHeight, label: stripLabel });
      this.strip.canvas.className = "overview";
      this.strip.draw = (context, width, h) => this.drawStrip(context, width, h);
      this.listen();
    }

    request() {
      this.plot.request();
      this.strip.request();
    }

    // Rows from above: the unit of each.
    setRows(order) {
      this.order = order;
      this.rowOf = new Uint32Array(order.length);
      order.forEach((u, row) => { this.rowOf[u] = row; });
    }

    // ---- drawing ------------------------------------------------------------------------------------------

    layout(context, width, height) {
      context.font = `${this.letters}px ${this.theme.font}`;
      let longest = context.measureText("unit").width;
      const step = Math.max(1, Math.floor(this.order.length / 400));
      for (let u = 0; u < this.order.length; u += step) longest = Math.max(longest, context.measureText(this.label(u)).width);
      const left = Math.ceil(Math.min(longest, (width < 600 ? 5 : 12) * this.letters)) + 12;
      const y = this.letters + 5;
      this.box = { x: left, y, width: Math.max(10, width - left - 12), height: Math.max(10, height - y - 42) };
    }

    draw(context, width, height) {
      const began = performance.now();
      const key = [width, height, this.order.length, this.theme.font].join();
      if (this.laidOut !== key) this.layout(context, width, height);
      this.laidOut = key;
      const { x, y, width: w, height: h } = this.box;
      const { ratio } = this.plot;
      this.pixels.clear(Math.round(w * ratio), Math.round(h * ratio));
      this.drawSpikes(ratio);
      context.putImageData(this.pixels.image, Math.round(x * ratio), Math.round(y * ratio));
      this.drawBorders(context);
      this.drawUnits(context);
      this.drawTime(context);
      this.drawMarks(context);
      this.drawn += 1;
      this.drawMs = performance.now() - began;
    }

    xOf(ticks) {
      const { from, to } = this.view;
      return this.box.x + ((ticks - from) / (to - from)) * this.box.width;
    }

    yOf(unit) {
      const { top, bottom } = this.view;
      return this.box.y + ((this.rowOf[unit] + 0.42 - top) / (bottom - top)) * this.box.height;
    }

    // The rows of pixels of a unit, [first, end), with a gap below where there is room.
    pixelRows(unit) {
      const { top, bottom } = this.view;
      const { height } = this.pixels;
      const tall = height / (bottom - top);
      const first = Math.max(0, Math.floor((this.rowOf[unit] - top) * tall));
      const gap = tall >= 3 ? Math.max(1, tall * 0.18) : 0;
      return [first, Math.min(height, Math.max(first + 1, Math.floor(first + tall - gap)))];
    }

    // What is no part of the recording is shaded, below the spikes; borders of segments are lines, unless they lie too
    // densely.
    drawBorders(context) {
      const { x, y, width, height } = this.box;
      const { shaded, lines } = this.borders();
      context.save();
      context.beginPath();
      context.rect(x, y, width, height);
      context.clip();
      context.globalCompositeOperation = "destination-over";
      context.fillStyle = this.theme.gap;
      context.strokeStyle = this.theme.accent;
      context.setLineDash([4, 4]);
      for (const [from, to] of shaded) {
        const [a, b] = [from, to].map((ticks) => Math.max(x, Math.min(x + width, this.xOf(ticks))));
        if (b > a) context.fillRect(a, y, b - a, height);
      }
      context.beginPath();
      let drawn = -Infinity;
      for (const ticks of lines) {
        const at = this.xOf(ticks);
        if (at < x || at > x + width || at - drawn < 3) continue;
        context.moveTo(Math.round(at) + 0.5, y);
        context.lineTo(Math.round(at) + 0.5, y + height);
        drawn = at;
      }
      context.stroke();
      context.restore();
    }

    // Names of units as there is room, in small letters rather than not at all; `leading` rows stand out, and a line ends
    // them.
    drawUnits(context) {
      const { x, y, width, height } = this.box;
      const { top, bottom } = this.view;
      const tall = height / (bottom - top);
      const small = Math.min(this.letters, Math.max(LEAST_LETTERS, Math.floor(tall)));
      const every = tall >= small ? 1 : Math.ceil((this.letters + 2) / tall);
      const nice = EVERY.find((n) => n >= every) || every;
      context.font = `${this.letters}px ${this.theme.font}`;
      context.textAlign = "right";
      context.fillStyle = this.theme.quiet;
      context.fillText("unit", x - 7, this.letters / 2 + 1);
      if (every === 1) context.font = `${small}px ${this.theme.font}`;
      for (let row = Math.ceil(Math.floor(top) / nice) * nice; row < Math.min(this.order.length, bottom); row += nice) {
        const unit = this.order[row];
        const middle = this.yOf(unit);
        if (middle < y + 2 || middle > y + height) continue;
        context.fillStyle = row < this.leading ? this.theme.ink : this.theme.quiet;
        context.fillText(fitText(context, this.label(unit), x - 10), x - 7, middle);
        context.fillRect(x - 4, Math.round(middle), 3, 1);
      }
      const border = Math.round(y + (this.leading - top) * tall) - 0.5;
      context.fillStyle = this.theme.line;
      if (this.leading > 0 && border > y && border < y + height) context.fillRect(x, border - 0.5, width, 1);
    }

    drawTime(context) {
      const { x, y, width, height } = this.box;
      const [low, high] = [this.seconds(this.view.from), this.seconds(this.view.to)];
      const scale = width / (high - low);
      context.font = `${Math.max(12, this.letters)}px ${this.theme.font}`;
      const most = width / (8 * this.letters);
      const fits = ({ marks, step }) => marks.every(([, text]) => context.measureText(text).width < 0.8 * step * scale);
      const { title, marks } = [4, 3].map((least) => timeMarks(low, high, Math.max(least, most))).find(fits) ?? timeMarks(low, high, Math.max(2, most));
      drawAxis(context, this.theme, x, x + width, y + height, marks.map(([s, text]) => [x + (s - low) * scale, text]), title);
    }

    // An occurrence: a line from spike to spike, [[x, y] ...], and what mark(k, x, y) draws at each of them.
    drawChain(context, places, { colour, width, alpha }, mark) {
      context.globalAlpha = alpha;
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      for (const [x, y] of places) context.lineTo(x, y);
      context.stroke();
      places.forEach(([x, y], k) => mark(k, x, y));
      context.globalAlpha = 1;
    }

    drawStrip(context, width, height) {
      if (!this.box) return;
      const { x, width: w } = this.box;
      const [low, high] = this.extent();
      const place = (ticks) => Math.max(x, Math.min(x + w, x + ((ticks - low) / (high - low)) * w));
      context.fillStyle = this.theme.faint;
      context.fillRect(x, 4, w, height - 8);
      context.fillStyle = this.theme.quiet;
      this.drawBars(context, place, height - 4, height - 14);
      context.fillStyle = this.theme.mark;
      this.drawTicks(context, place, height);
      const a = place(this.view.from);
      const b = Math.max(a + 3, place(this.view.to));
      context.fillStyle = context.strokeStyle = this.theme.accent;
      context.globalAlpha = 0.17;
      context.fillRect(a, 2, b - a, height - 4);
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.strokeRect(a, 2, b - a, height - 4);
    }

    // ---- hands ----------------------------------------------------------------------------------------------

    listen() {
      const { canvas } = this.plot;
      let scrolled = -Infinity;
      addEventListener("scroll", () => { scrolled = performance.now(); }, { passive: true });
      canvas.addEventListener("wheel", (event) => {
        // A page that is being scrolled goes on scrolling.
        if (performance.now() - scrolled >= 200 && this.wheel(event)) event.preventDefault();
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => this.down(event));
      canvas.addEventListener("pointermove", (event) => this.drag(event));
      for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
      canvas.addEventListener("pointerleave", () => this.bubble.hide());
      this.listenStrip();
    }

    // Where a pointer is, as shares of the spikes' box.
    share(event) {
      const { x, y } = this.plot.place(event);
      return { x: (x - this.box.x) / this.box.width, y: (y - this.box.y) / this.box.height };
    }

    // Returns whether the wheel did something here.
    wheel(event) {
      const pixels = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 300 : 1;
      const dx = event.deltaX * pixels;
      const dy = event.deltaY * pixels;
      if (event.altKey) this.zoomUnits(Math.exp(-(dy || dx) * 0.002), this.share(event).y);
      else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) this.move((event.shiftKey && dx === 0 ? dy : dx) / this.box.width, 0);
      else return this.zoom(Math.exp(-dy * 0.002), this.share(event).x);
      return true;
    }

    down(event) {
      if (event.button > 0) return;
      this.plot.canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.plot.place(event));
      this.dragged = false;
      this.bubble.hide();
    }

    drag(event) {
      const before = this.pointers.get(event.pointerId);
      if (!before) {
        this.hover(event);
        return;
      }
      const now = this.plot.place(event);
      const dx = now.x - before.x;
      const dy = now.y - before.y;
      if (this.pointers.size === 2) {
        const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
        const far = (place) => Math.max(10, Math.abs(place.x - other.x));
        this.dragged = true;
        this.pinch(far(now) / far(before), ((now.x + other.x) / 2 - this.box.x) / this.box.width, -dx / 2 / this.box.width);
      } else {
        if (!this.dragged && Math.hypot(dx, dy) < HAND) return;
        this.dragged = true;
        this.move(-dx / this.box.width, -dy / this.box.height);
      }
      this.pointers.set(event.pointerId, now);
    }

    pinch(factor, at, share) {
      this.zoom(factor, at);
      this.move(share, 0);
    }

    up(event) {
      if (this.pointers.delete(event.pointerId) && !this.dragged && event.type === "pointerup") this.click(event);
    }

    hover(event) {
      if (!this.box) return;
      const { x, y } = this.share(event);
      const { from, to, top, bottom } = this.view;
      const unit = this.order[Math.floor(top + y * (bottom - top))];
      if (x < 0 || x > 1 || y < 0 || y > 1 || unit === undefined) this.bubble.hide();
      else this.bubble.show(event.clientX, event.clientY, this.tell(unit, from + x * (to - from)));
    }

    listenStrip() {
      const { canvas } = this.strip;
      let held = false;
      const ticks = (event) => {
        const [low, high] = this.extent();
        return low + ((this.strip.place(event).x - this.box.x) / this.box.width) * (high - low);
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        held = true;
        this.grip(ticks(event));
      });
      canvas.addEventListener("pointermove", (event) => { if (held) this.pull(ticks(event)); });
      for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = false; });
    }

    // What a raster need not do.
    click() {}

    zoomUnits() {}
  }

  spikemine.raster = { Raster };
})(globalThis.spikemine);
