// A sequence: its units as bands in order of their lags, and in each band a line for each occurrence, all aligned
// at the lag of the first unit.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { Plot, fitText, drawAxis, element } = spikemine.plot;
  const { lagUnit } = spikemine.aligned;
  const { axisMarks, formatDuration, formatMoment, formatReal, plural } = spikemine.format;

  const TOP = 4;
  const FOOT = 46; // pixels of the axis

  class Bands {
    // spikes: of the recording, or null; picked: called with the number of an occurrence that was clicked.
    constructor(parent, theme, report, { spikes, occurrences }, bubble, picked) {
      Object.assign(this, { theme, report, spikes, occurrences, bubble, picked });
      this.tickS = report.recording.tick_s;
      this.note = element("p", { class: "quiet" });
      const box = element("div");
      parent.append(this.note, box);
      this.plot = new Plot(box, theme, { height: () => this.height(), label: "Aligned occurrences" });
      this.plot.draw = (context, width) => this.draw(context, width);
      this.plots = [this.plot];
      this.listen();
    }

    show(row, current) {
      const { units, lags, spreads, occurrences: count } = this.report.results[row];
      this.current = current;
      this.shown = {
        units, lags, spreads, count, starts: this.occurrences.starts[row],
        times: this.occurrences.times.subarray(this.occurrences.first[row], this.occurrences.first[row + 1]),
      };
      this.plot.canvas.hidden = count === 0;
      this.note.textContent = count === 0 ? "The file holds no occurrences of this result."
        : "A band for each unit, in order of lags; a line of a band is an occurrence. All are aligned at the lag of the " +
          "first unit. Coloured: spikes of the sequence; grey: other spikes; line: median lag.";
      this.plot.canvas.setAttribute("aria-label", this.words());
      this.plot.request();
    }

    setCurrent(current) {
      this.current = current;
      this.plot.request();
    }

    label(m) {
      return String(this.report.recording.units[this.shown.units[m]].label);
    }

    words() {
      const { units, lags } = this.shown;
      return `Sequence. ${units.map((u, m) => `${this.label(m)}: median ${formatDuration(lags[m] * this.tickS)}`).join("; ")}`;
    }

    // Pixels of a band: two for each occurrence, unless there are many or few, or many units.
    band() {
      return Math.max(14, Math.min(54, 2 * this.shown.count + 2, 800 / this.shown.units.length));
    }

    height() {
      return this.shown ? TOP + this.shown.units.length * this.band() + FOOT : 1;
    }

    // The times about the first lag that are shown, as in the figure.
    range() {
      const { lags, spreads } = this.shown;
      const last = lags.length - 1;
      const room = Math.ceil(0.2 * lags[last] + 4 * spreads[last]) + 1;
      return [-room, lags[last] + room];
    }

    draw(context, width) {
      if (!this.shown || this.shown.count === 0) return;
      const { units, count } = this.shown;
      const [low, high] = this.range();
      const band = this.band();
      const x0 = 10 + Math.min(width * 0.25, Math.max(...units.map((u, m) => context.measureText(this.label(m)).width)));
      const x1 = width - 10;
      const xOf = (ticks) => x0 + ((ticks - low) / (high - low)) * (x1 - x0);
      this.box = { x0, x1, low, high, band, line: (band - 2) / count };
      units.forEach((u, m) => this.drawBand(context, m, xOf));
      const [factor, unit] = lagUnit(Math.max(Math.abs(low), high) * this.tickS);
      const scale = this.tickS * factor;
      const marks = axisMarks(low * scale, high * scale, (x1 - x0) / 70).map((v) => [xOf(v / scale), formatReal(v)]);
      drawAxis(context, this.theme, x0, x1, TOP + units.length * band, marks, `time after the first unit (${unit})`);
    }

    drawBand(context, m, xOf) {
      const { x0, x1, band, line } = this.box;
      const { units, lags, count } = this.shown;
      const top = TOP + m * band;
      context.fillStyle = this.theme.ink;
      context.textAlign = "right";
      context.fillText(fitText(context, this.label(m), x0 - 10), x0 - 6, top + band / 2);
      context.fillStyle = this.theme.line;
      context.fillRect(x0, top + band - 1, x1 - x0, 1);
      context.fillRect(xOf(lags[m]) - 0.5, top, 1, band);
      if (this.current >= 0) {
        context.fillStyle = this.theme.mark;
        context.globalAlpha = 0.3;
        context.fillRect(x0, top + 1 + this.current * line, x1 - x0, Math.max(1.5, line));
        context.globalAlpha = 1;
      }
      for (let i = 0; i < count; i++) {
        const y = top + 1 + i * line;
        context.fillStyle = this.theme.quiet;
        context.globalAlpha = 0.5;
        for (const lag of this.others(units[m], i)) context.fillRect(xOf(lag) - 0.6, y, 1.2, Math.max(1, line));
        context.globalAlpha = 1;
        context.fillStyle = this.theme.category(0);
        context.fillRect(xOf(this.lag(m, i)) - 1.3, y, 2.6, Math.max(1.6, line)); // draws nothing where it is missing
      }
    }

    // Of member m in occurrence i, NaN where its spike is missing.
    lag(m, i) {
      return this.shown.times[i * this.shown.units.length + m] - this.shown.starts[i];
    }

    // All spikes of a unit about occurrence i, behind the lag of the first unit.
    others(unit, i) {
      if (!this.spikes) return [];
      const { times, first } = this.spikes;
      const start = this.shown.starts[i];
      let low = first[unit];
      let high = first[unit + 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < start + this.box.low) low = middle + 1;
        else high = middle;
      }
      const found = [];
      for (; low < first[unit + 1] && times[low] <= start + this.box.high; low++) found.push(times[low] - start);
      return found;
    }

    // [member, occurrence] at the pointer, or null.
    at(event) {
      if (!this.box) return null;
      const y = this.plot.place(event).y - TOP;
      const m = Math.floor(y / this.box.band);
      if (m < 0 || m >= this.shown.units.length) return null;
      const i = Math.floor((y - m * this.box.band - 1) / this.box.line);
      return [m, Math.max(0, Math.min(this.shown.count - 1, i))];
    }

    listen() {
      const canvas = this.plot.canvas;
      canvas.addEventListener("pointermove", (event) => {
        const place = this.at(event);
        if (!place) {
          this.bubble.hide();
          return;
        }
        const [m, i] = place;
        const { lags, spreads, starts, count } = this.shown;
        const lag = this.lag(m, i);
        const start = (this.report.recording.start + starts[i]) * this.tickS;
        this.bubble.show(event.clientX, event.clientY, [
          `${this.label(m)}: median lag ${formatDuration(lags[m] * this.tickS)}, spread ${formatDuration(spreads[m] * this.tickS)}`,
          `occurrence ${i + 1} of ${plural(count, "occurrence")}, at ${formatMoment(start, this.tickS)}`,
          Number.isNaN(lag) ? "its spike is missing" : `its spike is at ${formatDuration(lag * this.tickS)}`,
        ]);
      });
      canvas.addEventListener("pointerleave", () => this.bubble.hide());
      canvas.addEventListener("click", (event) => {
        const place = this.at(event);
        if (place) this.picked(place[1]);
      });
    }
  }

  spikemine.bands = { Bands };
})(globalThis.spikemine);
