// What chance gives: largest scores of surrogates beside those of the results, and the spectrum of p-values.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { Plot, fitText, drawAxis, element, button } = spikemine.plot;
  const { axisMarks, formatReal, formatInteger, plural } = spikemine.format;

  // The score that a share `alpha` of surrogates reaches or passes at most, data counted among them.
  function criticalScore(scores, alpha) {
    const sorted = Array.from(scores).sort((a, b) => b - a);
    const place = Math.floor(alpha * (sorted.length + 1)) - 1;
    return place >= 0 && place < sorted.length ? sorted[place] : null;
  }

  // Largest scores of the surrogates at one time scale, scores of the results below them, the chosen one marked.
  class NullPlot {
    // results: [[row, score] ...] of this scale; picked: called with a row.
    constructor(parent, theme, { title, height, scores, alpha, results, bubble, picked }) {
      Object.assign(this, { theme, title, results, bubble, picked, chosen: -1 });
      this.scores = scores.filter((score) => Number.isFinite(score));
      this.border = alpha ? criticalScore(this.scores, alpha) : null;
      const words = `${title}: largest scores of ${plural(this.scores.length, "surrogate")}, from ` +
        `${formatReal(Math.min(...this.scores))} to ${formatReal(Math.max(...this.scores))}`;
      this.plot = new Plot(parent, theme, { height, label: words });
      this.plot.draw = (context, width, height) => this.draw(context, width, height);
      this.plot.canvas.addEventListener("pointermove", (event) => this.hover(event));
      this.plot.canvas.addEventListener("pointerleave", () => bubble.hide());
      this.plot.canvas.addEventListener("click", (event) => {
        const near = this.nearest(event);
        if (near) picked(near[0]);
      });
    }

    setChosen(row) {
      this.chosen = row;
      this.plot.request();
    }

    // Scores as far apart as their powers of ten where a few large ones would press almost all surrogates into one bar.
    scale(low, high) {
      const sorted = Float64Array.from(this.scores).sort();
      const most = sorted[Math.floor(0.95 * (sorted.length - 1))] - low;
      if (!(most < 0.02 * (high - low))) return { logarithmic: false, to: (v) => v };
      return { logarithmic: true, to: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v)) };
    }

    // Marks of an axis from low to high, in its own measure: [score, text].
    marks(low, high, most) {
      if (!this.axis.logarithmic) return axisMarks(low, high, most).map((v) => [v, formatReal(v)]);
      const powers = Math.floor(high);
      const every = Math.ceil((powers + 1) / Math.max(1, most));
      const marks = [[0, "0"]];
      for (let power = 0; power <= powers; power += every) marks.push([10 ** power, formatInteger(10 ** power)]);
      return marks;
    }

    range() {
      let low = Infinity;
      let high = -Infinity;
      for (const score of this.scores) {
        low = Math.min(low, score);
        high = Math.max(high, score);
      }
      for (const [, score] of this.results) {
        low = Math.min(low, score);
        high = Math.max(high, score);
      }
      return low <= high ? [low, high] : [0, 1];
    }

    draw(context, width, height) {
      const range = this.range();
      this.axis = this.scale(...range);
      const [least, most] = range.map(this.axis.to);
      const room = Math.max(0.02 * (most - least), 1e-9);
      const [low, high] = [least - room, most + room];
      const box = { x0: 52, x1: width - 12, y0: 26, y1: height - 98 };
      const xOf = (score) => box.x0 + ((this.axis.to(score) - low) / (high - low)) * (box.x1 - box.x0);
      this.box = { ...box, xOf };
      this.drawHistogram(context, box, low, high);
      this.drawBorder(context, box, xOf);
      this.drawResults(context, box, xOf);
      const marks = this.marks(low, high, (box.x1 - box.x0) / 70).map(([score, text]) => [xOf(score), text]);
      const short = `score${this.axis.logarithmic ? " (logarithmic)" : ""}`;
      const long = `${short}, ${this.title}`; // the text above has it, too
      const title = fitText(context, long, box.x1 - box.x0) === long ? long : short;
      drawAxis(context, this.theme, box.x0, box.x1, height - 44, marks, fitText(context, title, box.x1 - box.x0));
    }

    drawHistogram(context, { x0, x1, y0, y1 }, low, high) {
      const bars = Math.max(10, Math.min(60, Math.floor((x1 - x0) / 7)));
      const counts = new Uint32Array(bars);
      for (const score of this.scores) counts[Math.min(bars - 1, Math.floor(((this.axis.to(score) - low) / (high - low)) * bars))]++;
      const most = Math.max(1, ...counts);
      const wide = (x1 - x0) / bars;
      context.fillStyle = this.theme.category(0);
      counts.forEach((n, b) => {
        const h = (n / most) * (y1 - y0);
        if (n > 0) context.fillRect(x0 + b * wide + 0.5, y1 - h, wide - 1, h);
      });
      context.textAlign = "right";
      context.fillStyle = this.theme.quiet;
      context.strokeStyle = this.theme.line;
      for (const mark of axisMarks(0, most, 3, true)) {
        context.fillText(formatInteger(mark), x0 - 6, y1 - (mark / most) * (y1 - y0));
      }
      context.beginPath();
      context.moveTo(x0, y1 + 0.5);
      context.lineTo(x1, y1 + 0.5);
      context.stroke();
      context.textAlign = "left";
      context.fillText("surrogates", 2, 8);
    }

    drawBorder(context, { x0, x1, y0, y1 }, xOf) {
      if (this.border === null) return;
      const x = Math.round(xOf(this.border)) + 0.5;
      context.strokeStyle = this.theme.ink;
      context.setLineDash([4, 3]);
      context.beginPath();
      context.moveTo(x, y0 - 6);
      context.lineTo(x, y1 + 44);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = this.theme.ink;
      const right = x1 - x > 110;
      context.textAlign = right ? "left" : "right";
      context.fillText("significant beyond →", right ? x + 5 : x - 5, y0 - 4);
    }

    drawResults(context, { x0, y1 }, xOf) {
      context.textAlign = "left";
      context.fillStyle = this.theme.quiet;
      context.fillText("results", 2, y1 + 31);
      context.fillStyle = this.theme.category(1);
      context.globalAlpha = Math.max(0.25, Math.min(0.9, 60 / Math.max(1, this.results.length)));
      for (const [, score] of this.results) context.fillRect(xOf(score) - 1, y1 + 20, 2, 22);
      context.globalAlpha = 1;
      const chosen = this.results.find(([row]) => row === this.chosen);
      if (!chosen) return;
      const x = xOf(chosen[1]);
      context.fillStyle = this.theme.mark;
      context.fillRect(x - 1.5, y1 + 16, 3, 28);
      spikemine.theme.drawMarker(context, 4, x, y1 + 13, 5);
      const text = `chosen: ${formatReal(chosen[1])}`;
      const half = context.measureText(text).width / 2 + 12;
      context.textAlign = x > this.plot.width - 2 * half ? "right" : "left";
      context.fillText(text, x + (context.textAlign === "left" ? 9 : -9), y1 + 12);
    }

    nearest(event) {
      if (!this.box) return null;
      const { x } = this.plot.place(event);
      const far = ([, score]) => Math.abs(this.box.xOf(score) - x);
      let best = null;
      for (const result of this.results) if (best === null || far(result) < far(best)) best = result;
      return best && far(best) <= 8 ? best : null;
    }

    hover(event) {
      if (!this.box) return;
      const { y } = this.plot.place(event);
      const near = this.nearest(event);
      if (near && y > this.box.y1) {
        const beaten = this.scores.filter((score) => score >= near[1]).length;
        this.bubble.show(event.clientX, event.clientY, [
          `result ${near[0] + 1} of the list, score ${formatReal(near[1])}`,
          `${formatInteger(beaten)} of ${plural(this.scores.length, "surrogate")} reach it`,
        ]);
      } else this.bubble.hide();
    }
  }

  // ---- spectrum ---------------------------------------------------------------------------------------

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  // p-values of signatures (number of spikes, count) as a map of colours with the border of significance; with
  // durations a map for each.
  class SpectrumPlot {
    // picked: called with { size, duration, count } of a cell that holds results.
    constructor(parent, tools, theme, { test, bubble, picked, told }) {
      Object.assign(this, { theme, test, bubble, picked, told, chosen: null, cell: null });
      this.durations = [...new Set(test.spectrum.map(([, duration]) => duration).filter(isNumber))];
      this.durations.sort((a, b) => a - b);
      this.duration = this.durations.length ? this.durations[0] : null;
      this.sizes = [...new Set(test.spectrum.map(([size]) => size))].sort((a, b) => a - b);
      this.counts = test.spectrum.map(([, , count]) => count);
      this.rowHeight = this.sizes.length > 12 ? 22 : 28;
      this.range = [this.counts.reduce((a, b) => Math.min(a, b), Infinity),
        this.counts.reduce((a, b) => Math.max(a, b), 0)];
      this.smallest = Math.min(1, ...test.spectrum.map(([, , , p]) => p).filter((p) => p > 0));
      if (this.durations.length) this.buildChooser(tools);
      this.plot = new Plot(parent, theme,
        { height: () => this.sizes.length * this.rowHeight + 112, label: "p-values of signatures", focusable: true });
      this.plot.draw = (context, width, height) => this.draw(context, width, height);
      this.listen();
    }

    buildChooser(tools) {
      this.chooser = element("select",
        { id: "spectrum-duration", onchange: () => this.setDuration(Number(this.chooser.value)) });
      for (const duration of this.durations) {
        this.chooser.append(element("option", { value: duration }, String(duration)));
      }
      const step = (by) => {
        const place = this.durations.indexOf(this.duration) + by;
        if (place >= 0 && place < this.durations.length) this.setDuration(this.durations[place]);
      };
      tools.append(element("label", { for: "spectrum-duration" }, "duration (bins) "),
        button("‹", "shorter duration", () => step(-1)),
        this.chooser, button("›", "longer duration", () => step(1)));
    }

    setDuration(duration) {
      this.duration = duration;
      this.chooser.value = duration;
      this.cell = null;
      this.plot.request();
    }

    setChosen(signature) {
      this.chosen = signature;
      if (signature && this.durations.includes(signature.duration)) this.setDuration(signature.duration);
      this.plot.request();
    }

    cells() {
      return this.test.spectrum.filter(([, duration]) => this.duration === null || duration === this.duration);
    }

    // Larger for smaller p; a step at the border of significance would hide its own line.
    shade(p) {
      const least = Math.min(this.smallest, 0.05);
      return Math.log(Math.max(p, least)) / Math.log(least);
    }

    draw(context, width, height) {
      const [low, high] = this.range;
      const box = { x0: 42, x1: width - 14, y0: 8, y1: 8 + this.sizes.length * this.rowHeight };
      const wide = (box.x1 - box.x0) / (high - low + 1);
      const xOf = (count) => box.x0 + (count - low) * wide;
      const yOf = (size) => box.y1 - (this.sizes.indexOf(size) + 1) * this.rowHeight;
      this.box = { ...box, low, high, wide };
      context.fillStyle = this.theme.faint;
      context.fillRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
      for (const [size, , count, p, patterns] of this.cells()) {
        this.drawCell(context, xOf(count), yOf(size), wide, p, patterns);
      }
      this.drawBorder(context, xOf, yOf, box);
      this.drawChosen(context, xOf, yOf, wide);
      context.fillStyle = this.theme.quiet;
      context.textAlign = "right";
      for (const size of this.sizes) context.fillText(String(size), box.x0 - 8, yOf(size) + 14);
      context.save();
      context.translate(10, (box.y0 + box.y1) / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillText("spikes", 0, 0);
      context.restore();
      const marks = axisMarks(low, high, (box.x1 - box.x0) / 60, true)
        .map((v) => [xOf(v) + wide / 2, formatInteger(v)]);
      drawAxis(context, this.theme, box.x0, box.x1, box.y1 + 1, marks, "occurrences");
      this.drawScale(context, box, height);
    }

    drawCell(context, x, y, wide, p, patterns) {
      const colour = spikemine.theme.cividis(this.shade(p));
      context.fillStyle = spikemine.theme.textOf(colour);
      const gap = wide > 6 ? 1 : 0;
      context.fillRect(x, y, Math.max(1, wide - gap), this.rowHeight - 1);
      if (!patterns || wide < 3) return;
      context.fillStyle = colour[0] + colour[1] > 260 ? "#000" : "#fff";
      const text = formatInteger(patterns);
      context.textAlign = "center";
      context.font = `10px ${this.theme.font}`;
      if (wide > 12 && context.measureText(text).width < wide - 3) {
        context.fillText(text, x + wide / 2, y + this.rowHeight / 2);
      } else context.fillRect(x + wide / 2 - 1, y + this.rowHeight / 2 - 1, 2, 2);
      context.font = `12px ${this.theme.font}`;
    }

    // A stair: right of it signatures are significant.
    drawBorder(context, xOf, yOf, box) {
      const border = new Map(this.test.border
        .filter(([, duration]) => this.duration === null || !isNumber(duration) || duration === this.duration)
        .map(([size, , count]) => [size, count]));
      const trace = () => {
        context.beginPath();
        let pen = false;
        for (const size of this.sizes) {
          const count = border.get(size);
          if (!isNumber(count)) {
            pen = false;
            continue;
          }
          const x = Math.min(xOf(count), box.x1);
          const y = yOf(size);
          if (pen) context.lineTo(x, y + this.rowHeight);
          else context.moveTo(x, y + this.rowHeight);
          context.lineTo(x, y);
          pen = true;
        }
        context.stroke();
      };
      context.lineWidth = 5;
      context.strokeStyle = this.theme.panel;
      trace();
      context.lineWidth = 2.5;
      context.strokeStyle = this.theme.mark;
      trace();
      context.lineWidth = 1;
    }

    drawChosen(context, xOf, yOf, wide) {
      for (const [cell, colour] of [[this.chosen, this.theme.mark], [this.cell, this.theme.ink]]) {
        if (!cell || !this.sizes.includes(cell.size)
          || (this.duration !== null && cell.duration !== this.duration)) continue;
        if (cell.count < this.range[0] || cell.count > this.range[1]) continue;
        context.strokeStyle = colour;
        context.lineWidth = 2;
        context.strokeRect(xOf(cell.count) - 1, yOf(cell.size) - 1, Math.max(4, wide) + 1, this.rowHeight + 1);
        context.lineWidth = 1;
      }
    }

    drawScale(context, box, height) {
      const y = height - 30;
      const wide = Math.min(200, (box.x1 - box.x0) / 2);
      for (let i = 0; i < wide; i++) {
        context.fillStyle = spikemine.theme.textOf(spikemine.theme.cividis(i / wide));
        context.fillRect(box.x0 + i, y, 1.5, 10);
      }
      context.fillStyle = this.theme.quiet;
      context.textAlign = "left";
      context.fillText("p = 1", box.x0, y + 20);
      context.textAlign = "right";
      context.fillText(formatReal(Math.min(this.smallest, 0.05)), box.x0 + wide, y + 20);
      context.strokeStyle = this.theme.mark;
      context.lineWidth = 2.5;
      context.beginPath();
      context.moveTo(box.x0 + wide + 24, y - 2);
      context.lineTo(box.x0 + wide + 24, y + this.rowHeight / 2);
      context.stroke();
      context.lineWidth = 1;
      context.textAlign = "left";
      context.fillText(fitText(context, "significant from here on", box.x1 - box.x0 - wide - 32), box.x0 + wide + 32,
        y + 6);
    }

    cellAt(event) {
      if (!this.box) return null;
      const { x, y } = this.plot.place(event);
      const { x0, y1, wide, low } = this.box;
      const count = low + Math.floor((x - x0) / wide);
      const size = this.sizes[Math.floor((y1 - y) / this.rowHeight)];
      return this.cells().find((cell) => cell[0] === size && cell[2] === count) || null;
    }

    words([size, duration, count, p, patterns]) {
      return [
        `${plural(size, "spike")}, ${plural(count, "occurrence")}${isNumber(duration) ? `, duration ${duration}` : ""}`,
        `p = ${formatReal(p)}`,
        ...(isNumber(patterns) ? [plural(patterns, "pattern")] : []),
      ];
    }

    listen() {
      const canvas = this.plot.canvas;
      canvas.addEventListener("pointermove", (event) => {
        const cell = this.cellAt(event);
        if (cell) this.bubble.show(event.clientX, event.clientY, this.words(cell));
        else this.bubble.hide();
      });
      canvas.addEventListener("pointerleave", () => this.bubble.hide());
      canvas.addEventListener("click", (event) => this.pick(this.cellAt(event)));
      canvas.addEventListener("keydown", (event) => this.key(event));
      canvas.addEventListener("blur", () => {
        this.cell = null;
        this.plot.request();
      });
    }

    pick(cell) {
      if (cell && cell[4]) this.picked({ size: cell[0], duration: cell[1], count: cell[2] });
    }

    // Arrow keys walk over the cells, Enter filters the table.
    key(event) {
      const cells = this.cells();
      if (cells.length === 0) return;
      const at = this.cell && cells.find((cell) => cell[0] === this.cell.size && cell[2] === this.cell.count);
      if (event.key === "Enter" && at) this.pick(at);
      else {
        const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key]
          || [0, 0];
        if (!dx && !dy) return;
        const next = at ? nextCell(cells, at, dx, dy) : cells[0];
        this.cell = { size: next[0], duration: next[1], count: next[2] };
        this.told(this.words(next).join(", "));
        this.plot.request();
      }
      event.preventDefault();
    }
  }

  // The neighbour of a cell to a side; the cell itself at an edge.
  function nextCell(cells, at, dx, dy) {
    const far = (cell) => (dx ? (cell[2] - at[2]) * dx : (cell[0] - at[0]) * dy);
    const off = (cell) => (dx ? Math.abs(cell[0] - at[0]) * 1e6 : Math.abs(cell[2] - at[2]) / 1e6);
    const ahead = cells.filter((cell) => far(cell) > 0 && (!dx || cell[0] === at[0]));
    if (ahead.length === 0) return at;
    return ahead.reduce((best, cell) => (far(cell) + off(cell) < far(best) + off(best) ? cell : best));
  }

  spikemine.chance = { NullPlot, SpectrumPlot, criticalScore };
})(globalThis.spikemine);
