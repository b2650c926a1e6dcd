// What was found, in sentences: results as chains of units that fit into a cell, and the strongest of them.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, shareMuch } = spikemine.plot;
  const { bound, Delays, formatDuration, formatInteger, formatMean, formatReal, plural } = spikemine.format;

  const MOST = 4; // findings in sentences
  const MOST_LINKS = 8; // spikes of a sentence; of longer chains fewer, so that it fits into a line
  const FIRST_LINKS = 4;
  const SHORT = 24; // letters of a chain that is never cut
  const BACK = "the other way round";

  class Findings {
    constructor(report) {
      this.report = report;
      this.place = new Map(report.columns.map((column, c) => [column.key, c]));
      this.delays = new Delays(report.kind === "episodes" ? report.results.flatMap((result) => result.lags) : [],
        report.recording.tick_s);
    }

    value(row, ...keys) {
      const key = keys.find((each) => this.place.has(each));
      return key === undefined ? null : this.report.rows[row][this.place.get(key)] ?? null;
    }

    // ["a", "→² b", "→¹ c"]; spikes of patterns are "a@0", with their bins.
    links(row) {
      const { kind, recording, results, bin } = this.report;
      const { units, lags } = results[row];
      const labels = units.map((u) => String(recording.units[u].label));
      if (kind === "patterns") return labels.map((label, k) => `${label}@${Math.round(lags[k] / (bin || 1))}`);
      const arrow = (step) => (kind === "episodes" ? this.delays.arrow(lags[step]) : "→");
      return labels.map((label, k) => (k === 0 ? label : `${arrow(k - 1)} ${label}`));
    }

    chain(row) {
      return this.links(row).join(" ");
    }

    // A chain of many units: how many, the first ones and the last one.
    short(row) {
      const links = this.links(row);
      if (links.length <= MOST_LINKS) return links.join(" ");
      const what = this.report.kind === "patterns" ? "spikes" : "units";
      return `${links.length} ${what}: ${links.slice(0, FIRST_LINKS).join(" ")} … ${links[links.length - 1]}`;
    }

    // "18 times, 0.03 by chance, p 0.005; may mean rhythm"; of sequences "in 433 ms, 19 times, p 0.025"; `back`: of a
    // pair that stands below the other way round, which tells what both mean.
    words(row, back) {
      const count = this.value(row, "count", "occurrences");
      const expected = this.value(row, "expected");
      const p = this.value(row, "p");
      const meanings = (this.value(row, "meaning") || "-").split(",").filter((word) => word !== "-");
      const { kind, recording, results } = this.report;
      const long = kind === "sequences" ? Math.max(...results[row].lags) * recording.tick_s : 0;
      return [long > 0 && `in ${formatDuration(long)}`, count !== null && plural(count, "time"), expected !== null && `${formatMean(expected)} by chance`,
        p !== null && `p ${formatReal(Number(p.toPrecision(2)))}`].filter((part) => part).join(", ") +
        (back ? "" : this.backs(row).length > 0 ? "; both directions: synchrony" : meanings.length
          ? `; may mean ${meanings.map((word) => this.reason(word)).join(", ")}` : "");
    }

    // A meaning with what it was told by, where a reader cannot see that in the chain.
    reason(meaning) {
      const why = { episodes: "both directions are significant", patterns: "all spikes lie in one bin" };
      return meaning === "synchrony" ? `${meaning} (${why[this.report.kind]})` : meaning;
    }

    // The first significant rows that share less than half of their units, or one, with each one before them. Sequences are
    // peeled, and of families the best members are rows: none of them tells of another.
    strongest() {
      const { kind, results, test } = this.report;
      const apart = kind === "sequences" || this.place.has("members");
      const found = [];
      for (let row = 0; row < results.length && found.length < MOST; row++) {
        if (test?.significant && !test.significant[row]) continue;
        if (results[row].copy_of !== undefined || this.backs(row).some((other) => other < row)) continue; // stands below that one
        const near = (other) => shareMuch(results[row].units, results[other].units);
        if (apart || !found.some(near)) found.push(row);
      }
      return found;
    }

    // Of a pair that is synchrony the row that is the other way round, [] where none is.
    backs(row) {
      const { kind, results } = this.report;
      const [{ units: [from, to], lags }, means] = [results[row], this.value(row, "meaning")];
      if (kind !== "episodes" || results[row].units.length !== 2 || !/synchrony/.test(means)) return [];
      return [...results.keys()].filter((other) => results[other].units.length === 2 && results[other].units[0] === to
        && results[other].units[1] === from && String(results[other].lags) === String(lags));
    }

    // Rows that are nearly the same as this one.
    copies(row) {
      return this.report.results.flatMap((result, other) => (result.copy_of === row ? [other] : []));
    }

    // What stands below a row: [row, what it is].
    below(row) {
      return [...this.copies(row).map((copy) => [copy, "nearly the same"]), ...this.backs(row).filter((other) => other > row)
        .map((back) => [back, BACK])];
    }

    // Whether a test, or a search that is one, stands behind the rows.
    tested() {
      return Boolean(this.report.test) || this.report.kind === "sequences";
    }

    // `more`: whole sequences stand before these findings.
    lead(rows, more) {
      if (this.report.results.length === 0) return more ? "Click one to look at it:" : "";
      if (!this.tested()) return "Not tested against chance: busy units alone make long lists. The first of them:";
      const n = rows.length + rows.flatMap((row) => this.below(row)).length;
      const legend = this.delays.legend() && ` (${more ? "in episodes " : ""}${this.delays.legend()})`;
      if (n === 0) return more ? "Click one to look at it:" : "None is significant: all that is listed may be chance.";
      const all = this.report.results.length;
      const which = all === n ? "Click one to look at it"
        : `The strongest, ${this.place.has("members") ? "one for each family" : "one for each group of units"}; all ${formatInteger(all)} are in the table`;
      return `${which}${legend}:`;
    }

    // "episode, all units in 1": what it is where whole sequences stand before it, and the number of the one that has
    // most of its units.
    beside(row, kind, sequences) {
      const own = new Set(this.report.results[row].units);
      const common = sequences.map(({ units }) => units.filter((unit) => own.has(unit)).length);
      const most = common.findIndex((n) => 2 * n > own.size);
      return most < 0 ? kind : `${kind}, ${common[most] === own.size ? "all" : `${common[most]} of ${own.size}`} units in ${most + 1}`;
    }

    // The sentences in the page, each a button; picked: called with the row; kindOf: tells of a row what it is, where
    // others stand beside it.
    show(list, rows, picked, kindOf) {
      this.buttons = new Map();
      const item = (row, what) => {
        const back = what === BACK;
        const chain = this.short(row);
        const each = element("button", { type: "button", class: "finding", "aria-pressed": "false",
          onclick: () => picked(row) }, element("span", { class: chain.length <= SHORT ? "short" : null }, chain), " ",
        element("small", null, bound([what, this.words(row, back)].filter((part) => part).join(", "))));
        this.buttons.set(row, each);
        const copies = this.below(row).filter(([other]) => !this.buttons.has(other)).map(([other, kind]) => item(other, kind));
        return element("li", null, each, copies.length > 0 ? element("ul", { class: "copies" }, ...copies) : null);
      };
      list.append(...rows.map((row) => item(row, kindOf(row))));
    }

    setChosen(row) {
      this.buttons.forEach((each, of) => each.setAttribute("aria-pressed", String(of === row)));
    }
  }

  spikemine.findings = { Findings };
})(globalThis.spikemine);
