// Occurrences of the chosen result, a line each, aligned at their first spike, and the spread of each lag.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { Plot, fitText, drawAxis, element } = spikemine.plot;
  const { axisMarks, formatDuration, formatMoment, formatReal, plural } = spikemine.format;

  const LINES = 320; // most pixels of height for the lines of all occurrences

  function quantile(sorted, share) {
    const place = share * (sorted.length - 1);
    const low = Math.floor(place);
    return sorted[low] + (sorted[Math.min(sorted.length - 1, low + 1)] - sorted[low]) * (place - low);
  }

  // The times between which spike k of a result may lie, in ticks: after the spike before it in episodes, after
  // the first one in patterns.
  function allowedLags(report, result, k) {
    if (report.kind === "episodes") return result.lags[k - 1].map((lag) => lag ?? Infinity);
    const lag = result.lags[k] - result.lags[0];
    return [lag - (report.bin || 1), lag + (report.bin || 1)];
  }

  // [low, high] of the axis that the lags of all results share: from 0 to the largest delay.
  function lagRange(report) {
    let low = 0;
    let high = 1;
    for (const result of report.results) {
      const known = report.kind === "episodes" ? result.lags.length : result.lags.length - 1; // damaged ones lack some
      for (let k = 1; k <= Math.min(known, result.units.length - 1); k++) {
        const [from, to] = allowedLags(report, result, k);
        low = Math.min(low, from);
        if (Number.isFinite(to)) high = Math.max(high, to);
      }
    }
    return [low, high];
  }

  // What is drawn of a result: the delays between neighbouring spikes for episodes, the times since the first
  // spike for patterns. steps: [{ label, from, to, low, high, values }], low and high in ticks (low itself is
  // not allowed in episodes).
  function lagsOf(report, occurrences, row) {
    const result = report.results[row];
    const size = result.units.length;
    const label = (k) => String(report.recording.units[result.units[k]].label);
    const episodes = report.kind === "episodes";
    const times = occurrences.times.subarray(occurrences.first[row], occurrences.first[row + 1]);
    const steps = [];
    for (let k = 1; k < size; k++) {
      const values = new Float64Array(times.length / size);
      const from = episodes ? k - 1 : 0;
      for (let i = 0; i < values.length; i++) values[i] = times[i * size + k] - times[i * size + from];
      values.sort();
      const [low, high] = allowedLags(report, result, k);
      steps.push({ label: `${label(from)} → ${label(k)}`, from, to: k, low, high, values });
    }
    return { size, count: times.length / size, times, units: result.units, steps, episodes, label };
  }

  // "6.5 – 9 ms"; the unit once where both have the same.
  function formatRange(a, b) {
    const [from, to] = [formatDuration(a), formatDuration(b)];
    const [number, unit] = from.split(" ");
    return from === to ? from : to.endsWith(` ${unit}`) ? `${number} – ${to}` : `${from} – ${to}`;
  }

  // A unit of time for lags of up to `seconds`: [factor, name].
  const UNITS = [[10800, 1 / 3600, "h"], [900, 1 / 60, "min"], [2, 1, "s"], [2e-3, 1e3, "ms"], [2e-6, 1e6, "µs"]];

  // The same for each length as that of figures (spk_figure_time_unit).
  function lagUnit(seconds) {
    const [, factor, unit] = UNITS.find(([least]) => seconds >= least) || [0, 1e9, "ns"];
    return [factor, unit];
  }

  class Aligned {
    // picked: called with the number of an occurrence that was clicked.
    constructor(parent, theme, report, occurrences, bubble, picked) {
      Object.assign(this, { theme, report, occurrences, bubble, picked });
      this.note = element("p", { class: "quiet" });
      this.steps = element("div");
      this.lines = element("div");
      parent.append(this.note, this.steps, this.lines);
      this.tickS = report.recording.tick_s;
      this.range = lagRange(report);
      this.stepPlot = new Plot(this.steps, theme,
        { height: () => this.stepsHeight(), label: "Lags and allowed delays" });
      this.stepPlot.draw = (context, width) => this.drawSteps(context, width);
      this.linePlot = new Plot(this.lines, theme, { height: () => this.linesHeight(), label: "Aligned occurrences" });
      this.linePlot.draw = (context, width, height) => this.drawLines(context, width, height);
      this.plots = [this.stepPlot, this.linePlot];
      this.listen();
    }

    show(row, current) {
      this.row = row;
      this.current = current;
      this.lags = lagsOf(this.report, this.occurrences, row);
      const empty = this.lags.count === 0;
      this.steps.hidden = this.lines.hidden = empty;
      this.note.textContent = empty ? "The file holds no occurrences of this result."
        : this.lags.episodes ? "Delay of each step, on one axis for all results. Shaded: allowed; bars: occurrences; line: median, with the middle half."
          : "Time since the first spike, on one axis for all results. Shaded: what the bins allow; bars: occurrences; line: " +
            "median, with the middle half.";
      this.stepPlot.canvas.setAttribute("aria-label", this.words());
      this.stepPlot.request();
      this.linePlot.request();
    }

    setCurrent(current) {
      this.current = current;
      this.linePlot.request();
    }

    words() {
      const parts = this.lags.steps.map((step) => (step.values.length === 0 ? step.label
        : `${step.label}: median ${formatDuration(quantile(step.values, 0.5) * this.tickS)}`));
      return `Lags. ${parts.join("; ")}`;
    }

    stepHeight() {
      return this.lags.steps.length > 5 ? 25 : 34;
    }

    stepsHeight() {
      return this.lags && this.lags.steps.length ? this.lags.steps.length * this.stepHeight() + 44 : 1;
    }

    linesHeight() {
      if (!this.lags) return 1;
      const { count, size } = this.lags;
      return Math.min(LINES, Math.max(60, count * Math.max(9, Math.min(size * 5, LINES / count)))) + 76;
    }

    // ---- lags of each step --------------------------------------------------------------------------

    // The range of all results; of a delay without an end, as far as its occurrences go.
    stepRange() {
      let [low, high] = this.range;
      for (const { values } of this.lags.steps) {
        if (values.length === 0) continue;
        low = Math.min(low, values[0]);
        high = Math.max(high, values[values.length - 1]);
      }
      return [low, high + Math.max(1, 0.02 * (high - low))];
    }

    drawSteps(context, width) {
      if (!this.lags || this.lags.steps.length === 0) return;
      const [low, high] = this.stepRange();
      const labels = Math.min(width * 0.3, 20 + this.lags.steps.reduce((most, step) =>
        Math.max(most, context.measureText(step.label).width), 30));
      const numbers = Math.min(130, width * 0.3);
      const x0 = labels + 6;
      const x1 = width - numbers;
      const xOf = (ticks) => x0 + ((ticks - low) / (high - low)) * (x1 - x0);
      this.lags.steps.forEach((step, i) => this.drawStep(context, step, 4 + i * this.stepHeight(), xOf, x0, x1, width));
      const [factor, unit] = lagUnit(Math.max(Math.abs(low), high) * this.tickS);
      const scale = this.tickS * factor;
      const marks = axisMarks(low * scale, high * scale, (x1 - x0) / 60).map((v) => [xOf(v / scale), formatReal(v)]);
      drawAxis(context, this.theme, x0, x1, 4 + this.lags.steps.length * this.stepHeight(), marks,
        this.lags.episodes ? `delay (${unit})` : `time since the first spike (${unit})`);
    }

    drawStep(context, step, y, xOf, x0, x1, width) {
      const tall = this.stepHeight() - 6;
      const low = tall < 24; // no room for two lines of text
      const colour = this.theme.category(step.to);
      context.fillStyle = colour;
      context.globalAlpha = this.theme.dark ? 0.28 : 0.18;
      const a = Math.max(x0, xOf(step.low));
      context.fillRect(a, y, Math.max(2, Math.min(x1, xOf(step.high)) - a), tall);
      context.globalAlpha = 1;
      this.drawBars(context, step, y + tall, tall - 2, xOf, x0, x1);
      context.fillStyle = colour;
      spikemine.theme.drawMarker(context, step.to, 7, y + tall / 2, 4.5);
      context.fillStyle = this.theme.ink;
      context.textAlign = "left";
      context.fillText(fitText(context, step.label, x0 - 24), 16, y + tall / 2);
      if (step.values.length === 0) return;
      const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => quantile(step.values, share));
      context.fillStyle = this.theme.ink;
      context.fillRect(xOf(median) - 1, y - 1, 2, tall + 2);
      context.fillRect(xOf(q1), y + tall, Math.max(1, xOf(q3) - xOf(q1)), 2);
      const range = formatRange(q1 * this.tickS, q3 * this.tickS);
      const text = formatDuration(median * this.tickS) + (low && q1 < q3 ? ` (${range})` : "");
      context.fillText(fitText(context, text, width - x1 - 8), x1 + 8, y + (low ? tall / 2 : 8));
      if (low || q1 === q3) return;
      context.fillStyle = this.theme.quiet;
      context.fillText(fitText(context, range, width - x1 - 8), x1 + 8, y + 22);
    }

    // A bar for each tick, or for several where ticks are finer than three pixels.
    drawBars(context, step, foot, tall, xOf, x0, x1) {
      const per = Math.max(1, Math.ceil(3 / Math.abs(xOf(1) - xOf(0))));
      const bars = new Map();
      for (const value of step.values) {
        const bar = Math.floor(value / per);
        bars.set(bar, (bars.get(bar) || 0) + 1);
      }
      const most = Math.max(1, ...bars.values());
      context.fillStyle = this.theme.category(step.to);
      const wide = Math.min(14, Math.max(2, xOf(per) - xOf(0) - 1));
      for (const [bar, n] of bars) {
        const middle = xOf(bar * per + (per - 1) / 2);
        const height = Math.max(2, (tall * n) / most);
        const left = Math.max(x0, Math.min(x1 - wide, middle - wide / 2));
        context.fillRect(left, foot - height, wide, height);
      }
    }

    // ---- occurrences ----------------------------------------------------------------------------------

    lineRange() {
      const { times, size, count } = this.lags;
      let low = 0;
      let high = 1;
      for (let i = 0; i < count; i++) {
        for (let k = 1; k < size; k++) {
          const lag = times[i * size + k] - times[i * size];
          if (lag < low) low = lag;
          if (lag > high) high = lag;
        }
      }
      const room = 0.04 * (high - low);
      return [low - room, high + room];
    }

    drawLines(context, width, height) {
      if (!this.lags || this.lags.count === 0) return;
      const [low, high] = this.lineRange();
      const x0 = 54;
      const x1 = width - 12;
      const top = 28;
      const room = height - top - 46;
      const xOf = (ticks) => x0 + ((ticks - low) / (high - low)) * (x1 - x0);
      this.lineBox = { x0, x1, top, room, low, high, step: room / this.lags.count };
      this.drawLegend(context, x0, x1);
      this.drawSpikes(context, xOf);
      context.save();
      context.translate(8, top + room / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillStyle = this.theme.quiet;
      context.fillText("occurrence", 0, 0);
      context.restore();
      context.fillStyle = this.theme.quiet;
      context.textAlign = "right";
      for (const mark of axisMarks(1, this.lags.count, Math.max(1, room / 40), true)) {
        if (mark >= 1) context.fillText(String(mark), x0 - 8, top + (mark - 0.5) * this.lineBox.step);
      }
      const [factor, unit] = lagUnit(Math.max(Math.abs(low), high) * this.tickS);
      const scale = this.tickS * factor;
      const marks = axisMarks(low * scale, high * scale, (x1 - x0) / 70).map((v) => [xOf(v / scale), formatReal(v)]);
      drawAxis(context, this.theme, x0, x1, top + room + 2, marks, `time since the first spike (${unit})`);
    }

    drawSpikes(context, xOf) {
      const { times, size, count } = this.lags;
      const { top, step, x0, x1 } = this.lineBox;
      const r = Math.min(4, Math.max(1.2, step * 0.4));
      // Where lines are tall enough, spikes of the same moment stand below each other.
      const spread = step >= 14 && size > 1 ? (step - 2 * r - 2) / (size - 1) : 0;
      if (this.current >= 0) {
        context.fillStyle = this.theme.mark;
        context.globalAlpha = 0.22;
        context.fillRect(x0 - 4, top + (this.current + 0.5) * step - Math.max(3, step / 2), x1 - x0 + 8,
          Math.max(6, step));
        context.globalAlpha = 1;
      }
      for (let k = 0; k < size; k++) {
        context.fillStyle = this.theme.category(k);
        for (let i = 0; i < count; i++) {
          const x = xOf(times[i * size + k] - times[i * size]);
          const y = top + (i + 0.5) * step + spread * (k - (size - 1) / 2);
          if (r < 2) context.fillRect(x - 1.2, y - r / 2, 2.4, r);
          else spikemine.theme.drawMarker(context, k, x, y, r);
        }
      }
    }

    drawLegend(context, x0, x1) {
      let x = x0;
      context.textAlign = "left";
      for (let k = 0; k < this.lags.size; k++) {
        const text = fitText(context, this.lags.label(k), 90);
        const wide = 14 + context.measureText(text).width;
        if (x + wide > x1 && k > 0) {
          context.fillText("…", Math.min(x, x1 - 10), 11);
          break;
        }
        context.fillStyle = this.theme.category(k);
        spikemine.theme.drawMarker(context, k, x + 4, 11, 4.5);
        context.fillStyle = this.theme.ink;
        context.fillText(text, x + 13, 11);
        x += wide + 14;
      }
    }

    occurrenceAt(event) {
      if (!this.lineBox || !this.lags) return -1;
      const y = this.linePlot.place(event).y - this.lineBox.top;
      const i = Math.floor(y / this.lineBox.step);
      return i >= 0 && i < this.lags.count ? i : -1;
    }

    listen() {
      const canvas = this.linePlot.canvas;
      canvas.addEventListener("pointermove", (event) => {
        const i = this.occurrenceAt(event);
        if (i < 0) {
          this.bubble.hide();
          return;
        }
        const { times, size } = this.lags;
        const start = times[i * size];
        const lags = Array.from(times.subarray(i * size + 1, (i + 1) * size),
          (t) => formatDuration((t - start) * this.tickS));
        this.bubble.show(event.clientX, event.clientY, [
          `occurrence ${i + 1} of ${plural(this.lags.count, "occurrence")}`,
          `first spike at ${formatMoment((this.report.recording.start + start) * this.tickS, this.tickS)}`,
          ...(lags.length ? [`then after ${lags.join(", ")}`] : []),
        ]);
      });
      canvas.addEventListener("pointerleave", () => this.bubble.hide());
      canvas.addEventListener("click", (event) => {
        const i = this.occurrenceAt(event);
        if (i >= 0) this.picked(i);
      });
    }
  }

  spikemine.aligned = { Aligned, lagsOf, lagUnit, quantile };
})(globalThis.spikemine);
