// Numbers, p-values and times as text, and the marks of an axis.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const MISSING = "–";

  function formatInteger(value) {
    if (value === null || value === undefined) return MISSING;
    return Math.abs(value) < 10000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  }

  // As people order text: unit 2 before 10.
  const { compare: compareText } = new Intl.Collator("en", { numeric: true });

  const raise = (integer) => String(integer).replace(/./g, (c) => SUPERSCRIPT[c]);

  function formatPower(value, digits) {
    const [mantissa, exponent] = value.toExponential(digits).split("e");
    return `${Number(mantissa)}×10${raise(Number(exponent))}`;
  }

  // A real number alone: four digits that count, powers of ten where zeros would hide them.
  function formatReal(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return MISSING;
    if (value === Infinity) return "∞";
    if (value === -Infinity) return "−∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size < 0.001 || size >= 1e6 ? formatPower(size, 2) : String(Number(size.toPrecision(4)));
    return value < 0 ? `−${text}` : text;
  }

  const LEAST_MEAN = 0.001;

  // A mean count in a sentence: two digits, or all before the point; what is below LEAST_MEAN is not told apart from 0.
  function formatMean(value) {
    if (value < LEAST_MEAN) return `< ${LEAST_MEAN}`;
    return value < 100 ? formatReal(Number(value.toPrecision(2))) : formatInteger(Math.round(value));
  }

  // The text of a column's numbers: as many decimals in each row, so that decimal points stand below each
  // other; powers of ten only for numbers that such decimals cannot show.
  function columnFormat(type, values) {
    if (type === "integer") return formatInteger;
    if (type !== "real") return (value) => (value === null || value === undefined ? MISSING : String(value));
    let decimals = 0;
    for (const value of values) {
      if (typeof value !== "number" || !Number.isFinite(value) || value === 0) continue;
      const size = Math.abs(value);
      if (size < 0.001 || size >= 1e6) continue;
      const whole = Math.max(0, Math.floor(Math.log10(size)) + 1);
      const shown = Number(value.toFixed(Math.max(0, Math.min(4, 5 - whole))));
      decimals = Math.max(decimals, (String(shown).split(".")[1] || "").length);
      if (decimals === 4) break;
    }
    return (value) => {
      if (typeof value !== "number" || !Number.isFinite(value) || value === 0) return formatReal(value);
      const size = Math.abs(value);
      if (size < 0.001 || size >= 1e6) return formatReal(value);
      return value.toFixed(size >= 1e5 ? Math.min(decimals, 1) : decimals).replace("-", "−");
    };
  }

  // ---- time ---------------------------------------------------------------------------------------

  const pad = (value, digits) => String(value).padStart(digits, "0");

  // Seconds with `decimals` digits; from a minute on as m:ss, from an hour on as h:mm:ss.
  function formatClock(seconds, decimals, style) {
    const scale = 10 ** decimals;
    const rounded = Math.round(Math.abs(seconds) * scale) / scale;
    const sign = seconds < 0 && rounded > 0 ? "−" : "";
    if (style === "s") return sign + rounded.toFixed(decimals);
    const whole = Math.floor(rounded);
    const rest = decimals > 0 ? (rounded - whole).toFixed(decimals).slice(1) : "";
    const minutes = Math.floor(whole / 60);
    if (style === "m:s") return `${sign}${minutes}:${pad(whole % 60, 2)}${rest}`;
    return `${sign}${Math.floor(minutes / 60)}:${pad(minutes % 60, 2)}:${pad(whole % 60, 2)}${rest}`;
  }

  const clockStyle = (seconds) => (Math.abs(seconds) < 120 ? "s" : Math.abs(seconds) < 7200 ? "m:s" : "h:m:s");
  const CLOCK_TITLES = { s: "time (s)", "m:s": "time (min:s)", "h:m:s": "time (h:min:s)" };

  // A moment of the recording, as exact as its tick.
  function formatMoment(seconds, tickS) {
    const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(tickS) - 1e-9)));
    const text = formatClock(seconds, decimals, "s");
    const style = clockStyle(seconds);
    return style === "s" ? `${text} s` : `${text} s (${formatClock(seconds, 0, style)})`;
  }

  // A duration in the unit that suits it: 0.4 ms, 25 ms, 1.2 s, 3 min.
  function formatDuration(seconds) {
    const size = Math.abs(seconds);
    const short = (value) => String(Number(value.toPrecision(3)));
    const sign = seconds < 0 ? "−" : "";
    if (size === 0) return "0 ms";
    if (size < 1e-6) return `${sign}${short(size * 1e9)} ns`;
    if (size < 1e-3) return `${sign}${short(size * 1e6)} µs`;
    if (size < 1) return `${sign}${short(size * 1e3)} ms`;
    if (size < 120) return `${sign}${short(size)} s`;
    if (size < 7200) return `${sign}${short(size / 60)} min`;
    return `${sign}${short(size / 3600)} h`;
  }

  // ---- axes ---------------------------------------------------------------------------------------

  const CLOCK_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

  // The step of 1, 2 or 5 times a power of ten that gives at most `most` marks on `span`.
  function roundStep(span, most) {
    const raw = span / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(raw));
    for (const factor of [1, 2, 5]) if (factor * power >= raw * (1 - 1e-9)) return factor * power;
    return 10 * power;
  }

  // Marks from low to high: [value ...].
  function axisMarks(low, high, most, integers) {
    if (!(high > low)) return [low];
    let step = roundStep(high - low, most);
    if (integers) step = Math.max(1, Math.round(step));
    const marks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
      marks.push(Number((k * step).toPrecision(12)));
    }
    return marks;
  }

  // Marks of a time axis in seconds: { title, marks: [[seconds, text] ...] }.
  function timeMarks(low, high, most) {
    const style = clockStyle(Math.max(Math.abs(low), Math.abs(high)));
    let step = roundStep(high - low, most);
    if (step > 20 && style !== "s") {
      step = CLOCK_STEPS.find((s) => s >= (high - low) / most) || 86400 * Math.ceil((high - low) / most / 86400);
      if ((high - low) / most <= 30) step = 30;
    }
    const decimals = step >= 1 ? 0 : Math.min(9, Math.ceil(-Math.log10(step) - 1e-9));
    const marks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
      marks.push([k * step, formatClock(k * step, decimals, style)]);
    }
    return { title: CLOCK_TITLES[style], marks, step };
  }

  // Delays, [low, high] in ticks: an arrow for each, numbered where there are several, and what the arrows mean.
  class Delays {
    constructor(delays, tickS) {
      const known = new Map(delays.map((delay) => [delay.join(), delay]));
      const end = (delay) => delay[1] ?? Infinity;
      this.list = [...known.values()].sort((a, b) => (end(a) === end(b) ? a[0] - b[0] : end(a) - end(b)));
      this.arrows = new Map(this.list.map((delay, k) => [delay.join(), this.list.length > 1 ? `→${raise(k + 1)}` : "→"]));
      this.tickS = tickS;
    }

    arrow(delay) {
      return this.arrows.get(delay?.join()) ?? "→"; // damaged results lack some
    }

    legend() {
      const time = (ticks) => formatDuration(ticks * this.tickS);
      const range = ([low, high]) => (high === null || high > Number.MAX_SAFE_INTEGER ? `more than ${time(low)}`
        : low === 0 ? `up to ${time(high)}` : `${time(low)} to ${time(high)}`);
      return this.list.map((delay) => `${this.arrow(delay)} ${range(delay)}`).join(", ");
    }
  }

  // A sentence in which p and its number stay on one line.
  function bound(sentence) {
    return sentence.replace(/\bp (?=[\d<])/g, "p\u00a0");
  }

  function plural(n, one, many) {
    return `${formatInteger(n)} ${n === 1 ? one : many || `${one}s`}`;
  }

  spikemine.format = {
    MISSING, LEAST_MEAN, compareText, formatInteger, formatReal, formatMean, columnFormat, formatClock, formatMoment,
    formatDuration, axisMarks, timeMarks, bound, plural, Delays,
  };
})(globalThis.spikemine);
