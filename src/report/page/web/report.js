// The page: reads the data of the report, fills the panels and links them. Whatever is wrong is told in words.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button, Bubble, pictureOf, save } = spikemine.plot;
  const { LEAST_MEAN, MISSING, columnFormat, formatInteger, formatMean, formatReal, formatMoment,
    formatDuration, bound, plural } = spikemine.format;

  const VERSION = 1;
  const MOST_EDGES = 600; // more arrows are a black disc
  const byId = (id) => document.getElementById(id);

  function tellProblem(text) {
    byId("problems").append(element("p", { class: "problem" }, text));
  }

  // A command whose options stay whole where a line ends.
  function unbroken(command) {
    return command.split(/(\s+)/).map((word) => (word.startsWith("-") ? element("span", { class: "word" }, word) : word));
  }

  // A command without the folder of its program.
  function nameOnly(command) {
    return command.replace(/^'[^']*\/([^'/]+)'|^\S*\//, "$1");
  }

  // ---- data ---------------------------------------------------------------------------------------------

  // The report as an object; throws an Error whose message is for readers.
  function readReport(text) {
    let report;
    try {
      report = JSON.parse(text);
    } catch (error) {
      throw new Error("The data of this report cannot be read: the file was changed or cut off. Make the report again. " +
        `(${error.message})`);
    }
    if (!report || report.format !== "spikemine-report") {
      throw new Error("This page holds no data of a spikemine report. Make the report again.");
    }
    if (report.version !== VERSION) {
      throw new Error(`The data are of version ${report.version} of the report, this page reads version ${VERSION}. ` +
        "Open the report with the page that was made with it, or make it again.");
    }
    return complete(report);
  }

  const KINDS = {
    episodes: ["serial episodes", "episode"], patterns: ["SPADE patterns", "pattern"],
    sequences: ["whole sequences", "whole sequence"],
  };

  // Absent fields become empty ones; what contradicts itself is refused.
  function complete(report) {
    for (const key of ["summary", "settings", "notes", "method", "again", "columns", "rows", "results", "parts"]) {
      report[key] = Array.isArray(report[key]) ? report[key] : [];
    }
    const recording = report.recording || {};
    report.recording = {
      ...recording, units: recording.units || [], tick_s: recording.tick_s || 1, start: recording.start || 0,
      stop: recording.stop || 0, segments: recording.segments || [],
    };
    if (report.rows.length !== report.results.length) {
      throw new Error(`The table has ${report.rows.length} rows for ${report.results.length} results: the file was ` +
        "changed. Make the report again.");
    }
    report.results.forEach((result, row) => {
      if (!Array.isArray(result.units) || result.units.some((u) => !report.recording.units[u])) {
        throw new Error(`Row ${row + 1} names a unit that is not in the recording: the file was changed. Make the report again.`);
      }
      result.occurrences = result.occurrences || 0;
      result.lags = result.lags || [];
    });
    if (report.sequences) complete(Object.assign(report.sequences, { recording: report.recording }));
    return report;
  }

  // What can be decoded is shown, also when the other column is damaged.
  function decodeColumns(report) {
    const parts = { spikes: null, occurrences: null, besides: null };
    const attempt = (name, decode) => {
      try {
        parts[name] = decode();
      } catch (error) {
        tellProblem(`Damaged data, ${error.message}. The panels that need them are not shown.`);
      }
    };
    if (report.recording.spikes) attempt("spikes", () => spikemine.decode.decodeSpikes(report.recording));
    const { decodeOccurrences, decodeSequences } = spikemine.decode;
    const decode = report.kind === "sequences" ? decodeSequences : decodeOccurrences;
    if (report.occurrences) attempt("occurrences", () => decode(report));
    if (report.sequences) attempt("besides", () => decodeSequences(report.sequences));
    return parts;
  }

  // ---- the page -------------------------------------------------------------------------------------------

  class Page {
    constructor(report) {
      this.file = this.report = report;
      this.theme = new spikemine.theme.Theme(document.documentElement);
      this.bubble = new Bubble();
      this.row = -1;
      this.current = -1;
      this.filters = new Map(); // name -> { text, keep, end }
      Object.assign(this, decodeColumns(report));
      this.nullPlots = [];
      this.listeners = []; // to the theme, of what shows a list
      this.lists = this.listsOf(report);
      for (const build of ["buildHead", "buildSummary", "buildFindings", "buildRaster", "buildChosen", "buildNull", "buildSpectrum",
        "buildLists", "buildMaking"]) this.attempt(build);
      addEventListener("keydown", (event) => this.key(event));
      this.listenPrint();
    }

    // ---- lists of results -----------------------------------------------------------------------------------------

    // Whole sequences beside episodes come first: they say most. Each list is a report of its own on the recording.
    listsOf(report) {
      const lists = [{ report, occurrences: this.occurrences }];
      const { sequences } = report;
      if (this.besides && sequences.results.length > 0) lists.unshift({ report: sequences, occurrences: this.besides });
      return lists.map((list) => ({ ...list, findings: new spikemine.findings.Findings(list.report) }));
    }

    // A button for each list where there are several, and the panels of the first one.
    buildLists() {
      const [first] = this.lists;
      for (const list of this.lists.length > 1 ? this.lists : []) {
        list.button = button(plural(list.report.rows.length, KINDS[list.report.kind][1]), `list the ${KINDS[list.report.kind][0]}`,
          () => this.showFinding(list.findings.strongest()[0] ?? 0, list));
        byId("lists").append(list.button);
      }
      this.showFinding(first.findings.strongest()[0] ?? 0, first);
    }

    // Shows a list: its table, its graph, and what its results consist of.
    turn(list) {
      if (this.list === list) return;
      Object.assign(this, { list, row: -1, current: -1, count: 0, table: null, aligned: null, moments: null, graph: null }, list);
      this.filters.clear();
      byId("search").value = "";
      byId("chosen").hidden = true;
      for (const id of ["table", "table-help", "aligned", "parts", "graph-tools", "graph-plot"]) byId(id).replaceChildren();
      for (const each of this.lists) if (each.button) each.button.setAttribute("aria-pressed", String(each === list));
      const before = this.theme.listeners.filter((listener) => !this.listeners.includes(listener));
      this.theme.listeners = before.slice();
      for (const build of ["buildAligned", "buildParts", "buildTable", "buildGraph"]) this.attempt(build);
      this.listeners = this.theme.listeners.slice(before.length);
      if (this.raster) this.raster.setMarks(null);
    }

    // A result of a list, and the raster close to its fullest occurrence; All shows the whole recording.
    showFinding(row, list = this.list) {
      this.turn(list);
      if (!this.table || row >= this.report.rows.length) return;
      if (!this.table.shown.includes(row)) this.endFilters();
      this.table.activateRow(row);
      if (this.current >= 0) this.showOccurrence(this.fullest(), true, true);
    }

    // A row of the results that were tested, wherever it is named.
    showTested(row) {
      this.turn(this.lists[this.lists.length - 1]);
      if (this.table) this.table.activateRow(row);
    }

    // The first of the occurrences with the fewest missing spikes.
    fullest() {
      let best = 0;
      for (let i = 1; i < this.count; i++) if (this.spikesOf(i).length > this.spikesOf(best).length) best = i;
      return best;
    }

    attempt(build) {
      try {
        this[build]();
      } catch (error) {
        tellProblem(`A panel could not be drawn (${build}: ${error.message}). The rest of the page holds.`);
        console.error(error);
      }
    }

    buildHead() {
      const { title, made_by: maker } = this.report;
      byId("title").textContent = title || this.report.recording.name || "Report";
      byId("made").textContent = [
        this.lists.map((list) => (KINDS[list.report.kind] || [])[0]).join(" and "),
        maker && `made by ${maker}`,
      ].filter((part) => part).join(", ");
      this.theme.bind(byId("theme"));
    }

    buildSummary() {
      const { summary, notes } = this.report;
      byId("summary").hidden = summary.length === 0;
      const lines = summary.map((line) => element("li", null, bound(line)));
      byId("doubt-lines").append(...lines.slice(0, this.report.doubts || 0)); // above all else
      byId("summary-lines").append(...lines.slice(this.report.doubts || 0));
      byId("careful").hidden = notes.length === 0;
      byId("note-lines").append(...notes.map((line) => element("li", null, bound(line))));
    }

    buildFindings() {
      const several = this.lists.length > 1, [first] = this.lists;
      const sequences = several ? first.findings.strongest().map((row) => first.report.results[row]) : [];
      for (const list of this.lists) {
        const { findings, report } = list;
        const kind = several && KINDS[report.kind][1];
        const rows = findings.strongest();
        byId("findings-lead").textContent = findings.lead(rows, several); // of what was tested, the last list
        findings.show(byId("findings"), rows, (row) => this.showFinding(row, list),
          (row) => (list === first ? kind : findings.beside(row, kind, sequences)));
      }
    }

    // ---- raster -----------------------------------------------------------------------------------------

    buildRaster() {
      const { recording } = this.report;
      if (!this.spikes || recording.units.length === 0) return;
      byId("recording").hidden = false;
      const facts = byId("recording-facts");
      const data = {
        ...this.spikes, units: recording.units, tickS: recording.tick_s, start: recording.start,
        span: spikemine.decode.spanOf(recording), segments: recording.segments,
        spikesUntil: recording.spikes_until,
      };
      this.raster = new spikemine.recordingRaster.RecordingRaster(byId("raster"), this.theme, data, this.bubble, {
        told: (raster) => { facts.textContent = raster.describe(); },
        picked: (occurrence) => this.showOccurrence(occurrence, false),
      });
      facts.textContent = this.raster.describe();
      const raster = this.raster;
      byId("raster-tools").append(
        this.order = button("In order", "the units of the chosen result above, in its order (o)", () => this.toggleOrder(),
          { "aria-pressed": "true" }),
        button("‹", "earlier (arrow left)", () => raster.move(-0.4)),
        button("›", "later (arrow right)", () => raster.move(0.4)),
        button("−", "less close (minus)", () => raster.zoom(1 / 2)),
        button("+", "closer (plus)", () => raster.zoom(2)),
        button("All", "whole recording (Home)", () => raster.showAll()),
        button("Picture", "save the raster as a picture", () => this.savePicture()));
      byId("raster-help").append("Wheel or pinch: zoom. Drag: move. ", element("span", { class: "keys" }, "Shift and wheel: move; Alt and wheel: " +
        "fewer or more units. Keys: arrows, + and −, [ and ] for units, Home, o for the order. "), "The strip shows the whole recording.");
    }

    // Rows as the chosen result has its units, or as the recording has them.
    toggleOrder() {
      this.order.setAttribute("aria-pressed", String(this.order.getAttribute("aria-pressed") !== "true"));
      this.orderUnits();
      this.raster.request();
    }

    orderUnits() {
      const ordered = this.order.getAttribute("aria-pressed") === "true" && this.row >= 0;
      this.raster.setOrder(ordered ? this.report.results[this.row].units : []);
    }

    savePicture() {
      pictureOf(this.raster.plot.canvas, this.theme, (blob) => save(blob, `${this.fileName()}.raster.png`));
    }

    fileName() {
      return String(this.file.title || "report").replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80);
    }

    // ---- table --------------------------------------------------------------------------------------------

    // Place of a column: what it is, how often, by chance, p; a narrow screen shows these.
    rank(c) {
      const order = ["name", "episode", "pattern", "sequence", "units", "count", "occurrences", "expected", "p"];
      const place = order.indexOf(this.report.columns[c].key);
      return place < 0 ? order.length : place;
    }

    buildTable() {
      const { recording } = this.report;
      const filled = this.report.columns.map((column, c) => c).filter((c) => this.report.rows.length === 0 ||
        this.report.rows.some((row) => row[c] !== null && row[c] !== undefined))
        .sort((a, b) => this.rank(a) - this.rank(b));
      const columns = filled.map((c) => this.withFormat(this.report.columns[c], c));
      const rows = this.report.rows.map((row) => filled.map((c) => row[c]));
      byId("results").hidden = columns.length === 0;
      if (columns.length === 0) return;
      this.search = new spikemine.table.Search(this.report);
      this.table = new spikemine.table.Table(byId("table"), columns, rows, {
        label: "Results", chosen: (row) => this.choose(row),
      });
      const input = byId("search");
      input.oninput = () => {
        const test = this.search.test(input.value);
        this.setFilter("search", test && { keep: test });
      };
      input.placeholder = recording.units.length ? "Search: labels of units, text" : "Search";
      input.setAttribute("aria-label", "search the results by labels of units or text");
      input.onkeydown = (event) => {
        if (event.key === "ArrowDown" && this.table.shown.length) {
          this.table.box.focus();
          if (this.table.active < 0) this.table.activate(0);
          event.preventDefault();
        }
      };
      this.buildSignificant();
      byId("table-help").append(this.findings.delays.legend() && `${this.findings.delays.legend()}. `, "Click a title to sort. ",
        element("span", { class: "keys" }, "Keys in the table: arrows, Page, Home, End; n and p: next and previous occurrence. "),
        button("Save table", "save the rows that are shown as a text file with tabs",
          () => this.saveTable(this.table, `${this.fileName()}.${this.report.kind}.tsv`), { class: "link" }), " ", this.table.more);
      this.showFilters();
    }

    // Names as chains, means as far as they can be told, and lags without digits that no recording has.
    withFormat(column, c) {
      const names = ["name", "episode", "pattern", "units"];
      const { findings } = this; // those of this table, also once another list is shown
      if (names.includes(column.key)) return { ...column, format: (name, row) => findings.chain(row) };
      if (column.key === "expected") {
        const format = columnFormat(column.type, this.report.rows.map((row) => row[c]));
        const small = (value) => value !== null && value < LEAST_MEAN;
        return { ...column, format: (value) => (small(value) ? formatMean(value) : format(value)) };
      }
      if (column.key === "statistic") return { ...column, title: "sum of scores", format: (value) => (value === null ? MISSING : value.toFixed(1)) };
      if (column.key === "p" && findings.report.kind === "sequences") return { ...column, help: column.help.replace("a statistic", "a sum of scores") };
      if (column.key !== "lags_s") return column;
      const lag = (text) => (text.trim() === "" || Number.isNaN(Number(text)) ? text.trim() : formatDuration(Number(text)));
      return { ...column, title: "lags", format: (text) => String(text ?? "–").split(",").map(lag).join(", ") };
    }

    // Of members and occurrences: durations with their unit, digits that tell, and missing spikes of how many.
    withUnits(column, size) {
      const { key, title } = column;
      const decimals = { score: 1, share: 2 }[key];
      if (decimals) return { ...column, format: (value) => (value === null ? MISSING : value.toFixed(decimals)) };
      if (key === "missing") return { ...column, format: (n) => `${formatInteger(n)} of ${size}` };
      if (!["lag_s", "spread_s"].includes(key)) return column;
      return { ...column, title: title.replace(" (s)", ""), format: (seconds) => (seconds === null ? MISSING : formatDuration(seconds)) };
    }

    buildSignificant() {
      byId("significant")?.parentElement.remove();
      const significant = (this.report.test && this.report.test.significant) || [];
      if (!significant.includes(true) || !significant.includes(false)) return;
      const box = element("input", { type: "checkbox", id: "significant", onchange: () => {
        this.setFilter("significant", box.checked ? { keep: (row) => significant[row] } : null);
      } });
      byId("filters").before(element("label", { for: "significant" }, box, " significant only"));
    }

    // A filter of the table: { keep, text (as a chip that ends it), end (called then) }; null ends it.
    setFilter(name, filter) {
      if (filter) this.filters.set(name, filter);
      else this.filters.delete(name);
      const all = [...this.filters.values()];
      this.table.filter(all.length ? (row) => all.every(({ keep }) => keep(row)) : null);
      this.showFilters();
    }

    endFilters() {
      byId("search").value = "";
      for (const { end } of this.filters.values()) if (end) end();
      this.filters.clear();
      this.setFilter("search", null);
    }

    showFilters() {
      const chips = [...this.filters].filter(([, filter]) => filter.text).map(([name, filter]) =>
        button(`${filter.text} ×`, `end the filter: ${filter.text}`, () => {
          this.setFilter(name, null);
          if (filter.end) filter.end();
          byId("search").focus();
        }, { class: "chip" }));
      byId("filters").replaceChildren(...chips);
      const n = this.table.shown.length;
      const all = this.report.rows.length;
      byId("results-count").textContent = n === all
        ? plural(all, "result") : `${formatInteger(n)} of ${plural(all, "result")}`;
    }

    // ---- chosen result --------------------------------------------------------------------------------------

    buildChosen() {
      byId("chosen-tools").append(
        this.before = button("‹ previous", "previous occurrence (p)", () => this.step(-1)),
        this.place = element("span", { class: "place", "aria-live": "polite" }),
        this.after = button("next ›", "next occurrence (n)", () => this.step(1)));
    }

    buildAligned() {
      if (!this.occurrences) return;
      const picked = (occurrence) => this.showOccurrence(occurrence, true);
      this.aligned = this.report.kind === "sequences"
        ? new spikemine.bands.Bands(byId("aligned"), this.theme, this.report, this, this.bubble, picked)
        : new spikemine.aligned.Aligned(byId("aligned"), this.theme, this.report, this.occurrences, this.bubble, picked);
    }

    // Tables of what the chosen result consists of.
    buildParts() {
      byId("results").classList.toggle("short", this.report.parts.length > 0); // room for them below it
      this.parts = this.report.parts.map((part) => {
        const count = element("p", { class: "quiet" });
        const box = element("div");
        const more = element("span");
        const panel = { ...part, box, count, more, table: null };
        const keep = button("Save table", `save the table of ${part.title.toLowerCase()} as a text file with tabs`,
          () => this.saveTable(panel.table, `${this.fileName()}.${this.row + 1}.${part.key}.tsv`), { class: "link" });
        byId("parts").append(element("section", { id: `part-${part.key}`, class: "panel", "aria-label": part.title },
          element("div", { class: "heading" }, element("h2", null, part.title), count,
            element("div", { class: "tools" }, more, keep)), box));
        return panel;
      });
    }

    showParts(row) {
      for (const part of this.parts) {
        const rows = part.rows[row] || [];
        const columns = part.columns.map((column) => this.withUnits(column, this.report.results[row].units.length));
        const isOccurrences = part.key === "occurrences";
        part.count.textContent = formatInteger(rows.length);
        part.box.replaceChildren();
        part.table = new spikemine.table.Table(part.box, columns, rows, {
          label: part.title, id: part.key, chosen: (place) => isOccurrences && this.showOccurrence(place, true),
        });
        part.more.replaceChildren(part.table.more);
        if (isOccurrences) this.moments = part.table;
      }
    }

    saveTable(table, name) {
      save(new Blob([table.text()], { type: "text/tab-separated-values" }), name);
    }

    // Shows a row of the list in all panels.
    choose(row) {
      if (this.row === row) return;
      this.row = row;
      const result = this.report.results[row];
      byId("chosen").hidden = false;
      this.fillFacts(row);
      this.showParts(row);
      this.count = this.occurrences ? result.occurrences : 0;
      this.current = this.count > 0 ? 0 : -1;
      if (this.aligned) this.aligned.show(row, this.current);
      for (const list of this.lists) list.findings.setChosen(list === this.list ? row : -1);
      if (this.raster) {
        this.orderUnits();
        this.raster.setMarks(this.count === 0 ? null : {
          times: this.occurrences.times.subarray(this.occurrences.first[row], this.occurrences.first[row + 1]),
          size: result.units.length, count: this.count, units: result.units, current: this.current,
        });
      }
      if (this.current >= 0 && this.raster && this.raster.visibleMarks().length === 0) this.showOccurrence(0, true);
      const tested = this.report === this.file;
      for (const plot of this.nullPlots) plot.setChosen(tested ? row : -1);
      if (this.spectrum) this.spectrum.setChosen(this.signature(row));
      this.showPlace();
    }

    fillFacts(row) {
      const { columns, rows } = this.table;
      const name = columns.findIndex((column) => column.type === "text");
      byId("chosen-name").textContent = this.report.kind === "sequences" ? this.findings.chain(row)
        : name >= 0 ? rows[row][name] ?? "" : `row ${row + 1}`;
      // Alone, a number needs no digits for those below it.
      const fact = ({ type, format }, c) => (type === "real" && !format && Number.isFinite(rows[row][c])
        ? formatReal(Number(rows[row][c].toPrecision(3))) : this.table.formats[c](rows[row][c], row));
      const empty = (c) => c === name || [null, undefined, "-"].includes(rows[row][c]);
      const facts = columns.map((column, c) => (empty(c) ? null : element("div", { title: column.help },
        element("dt", null, column.title), element("dd", null, fact(column, c)))));
      byId("chosen-facts").replaceChildren(...facts.filter((fact) => fact));
    }

    showPlace() {
      const some = this.count > 0;
      this.before.disabled = this.after.disabled = this.count < 2;
      this.place.textContent = some ? `occurrence ${formatInteger(this.current + 1)} of ${formatInteger(this.count)}` : "no occurrences";
      if (!some) return;
      const { recording } = this.report;
      const [time] = this.spikesOf(this.current);
      this.place.title = `first spike at ${formatMoment((recording.start + time) * recording.tick_s, recording.tick_s)}`;
    }

    // The times of an occurrence's spikes, without those that are missing.
    spikesOf(occurrence) {
      return spikemine.decode.occurrenceTimes(this.occurrences, this.row, occurrence).filter((time) => time === time);
    }

    step(by) {
      if (this.count > 0) this.showOccurrence((this.current + by + this.count) % this.count, true);
    }

    // Makes an occurrence the current one; `move`: the raster goes there, `close`: closely.
    showOccurrence(occurrence, move, close) {
      this.current = occurrence;
      if (this.aligned) this.aligned.setCurrent(occurrence);
      if (this.raster && this.raster.marks) {
        this.raster.marks.current = occurrence;
        this.raster.request();
        if (move) this.raster.showTimes(this.spikesOf(occurrence), this.report.results[this.row].units, close);
      }
      if (this.moments && this.moments.lastRow !== occurrence) this.moments.activateRow(occurrence);
      this.showPlace();
    }

    key(event) {
      const typing = /^(input|select|textarea)$/i.test(event.target.tagName) && event.target.type !== "checkbox";
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "n") this.step(1);
      else if (event.key === "p") this.step(-1);
      else if (event.key === "o" && this.raster) this.toggleOrder();
      else if (event.key === "/" && this.table) {
        byId("search").focus();
        event.preventDefault();
      }
    }

    // ---- chance -------------------------------------------------------------------------------------------------

    column(...keys) {
      return this.report.columns.findIndex((column) => keys.includes(column.key));
    }

    buildNull() {
      const test = this.report.test;
      if (!test || !Array.isArray(test.largest_scores)
        || !test.largest_scores.some((scores) => scores.length > 0)) return;
      byId("null").hidden = false;
      if (this.lists.length > 1) byId("null-title").textContent = `What chance gives: ${KINDS[this.file.kind][1]}s`;
      const score = this.column("score");
      const scale = this.column("jitter", "scale");
      const scales = test.scales || [];
      const alpha = test.alpha / test.largest_scores.length;
      test.largest_scores.forEach((scores, s) => {
        const own = (row) => test.largest_scores.length === 1 || scale < 0 || row[scale] === scales[s];
        const results = this.report.rows.map((row, r) => [r, own(row) ? row[score] : null])
          .filter(([, value]) => typeof value === "number" && Number.isFinite(value));
        if (scores.length === 0) return;
        this.nullPlots.push(new spikemine.chance.NullPlot(byId("null-plots"), this.theme, {
          height: test.largest_scores.length === 1 ? 215 : 270,
          title: (test.name || "surrogates").replace(scales.join(", "), scales[s]),
          scores, alpha, results, bubble: this.bubble,
          picked: (row) => this.showTested(row),
        }));
      });
      byId("null-text").textContent = `Bars: the largest score of each of ${plural(test.surrogates, "surrogate")}, which are the ` +
        `recording as chance would have it${test.name ? ` (${test.name})` : ""}. Lines below: the score of each ${KINDS[this.report.kind][1]}. The ` +
        `smallest p that so many surrogates give is ${formatReal(1 / (test.surrogates + 1))}.`;
    }

    signature(row) {
      const duration = this.column("duration");
      const count = this.column("occurrences", "count");
      const cells = this.report.rows[row];
      return { size: this.report.results[row].units.length, count: cells[count], duration: cells[duration] ?? null };
    }

    buildSpectrum() {
      const test = this.report.test;
      if (!test || !Array.isArray(test.spectrum) || test.spectrum.length === 0) return;
      byId("spectrum").hidden = false;
      test.border = test.border || [];
      const status = element("p", { class: "unseen", role: "status" });
      byId("spectrum").append(status);
      this.spectrum = new spikemine.chance.SpectrumPlot(byId("spectrum-plot"), byId("spectrum-tools"), this.theme, {
        test, bubble: this.bubble, told: (text) => { status.textContent = text; },
        picked: (signature) => this.filterSignature(signature),
      });
      byId("spectrum-text").textContent = `By number of spikes and of occurrences, from ${plural(test.surrogates, "surrogate")}` +
        `${test.name ? ` (${test.name})` : ""}. Numbers: patterns found. Click one to list its patterns.`;
    }

    filterSignature(asked) {
      if (!this.table) return;
      const same = (row) => {
        const own = this.signature(row);
        return own.size === asked.size && own.count === asked.count
          && (asked.duration === null || own.duration === asked.duration);
      };
      this.setFilter("signature", { keep: same,
        text: `${plural(asked.size, "spike")}, ${plural(asked.count, "occurrence")}` });
    }

    // ---- graph ----------------------------------------------------------------------------------------------------

    buildGraph() {
      const { graph, recording } = this.report;
      const all = ((graph && graph.edges) || []).filter(([from, to]) => recording.units[from] && recording.units[to]);
      byId("graph").hidden = all.length === 0;
      if (all.length === 0) return;
      const edges = all.length > MOST_EDGES ? all.slice().sort((a, b) => b[2] - a[2]).slice(0, MOST_EDGES) : all;
      const many = edges.length < all.length ? ` with the largest counts, of ${formatInteger(all.length)}` : "";
      byId("graph-text").textContent = `${plural(edges.length, "pair")}${many}; wider for larger numbers. Click a unit or an ` +
        "arrow to list the results through it.";
      this.graph = new spikemine.graph.Graph(byId("graph-plot"), byId("graph-tools"), this.theme, {
        edges, labels: recording.units.map((unit) => unit.label), bubble: this.bubble,
        picked: (what) => this.filterGraph(what),
      });
    }

    // Rows through a unit, or in which one unit follows another at once.
    filterGraph(what) {
      this.graph.hold(what);
      if (!this.table) return;
      const label = (u) => this.report.recording.units[u].label;
      const units = (row) => this.report.results[row].units;
      let filter = null;
      if (what && what.unit !== undefined) {
        filter = { text: `unit ${label(what.unit)}`, keep: (row) => units(row).includes(what.unit) };
      } else if (what) {
        filter = {
          text: `${label(what.from)} → ${label(what.to)}`,
          keep: (row) => units(row).some((u, k) => k > 0 && u === what.to && units(row)[k - 1] === what.from),
        };
      }
      if (filter) filter.end = () => this.graph.hold(null);
      this.setFilter("graph", filter);
    }

    // ---- how it was made ------------------------------------------------------------------------------------------

    buildMaking() {
      const { command, again, method, settings, made_by: maker, recording } = this.file;
      byId("making").hidden = !command && settings.length + method.length === 0;
      byId("method").hidden = method.length === 0;
      byId("method-lines").append(...method.map((line) => element("li", null, line)));
      byId("command").hidden = !command;
      byId("command").append(...unbroken(nameOnly(command || "")));
      byId("again").hidden = again.length === 0;
      byId("again").append(...again.map((line) => element("pre", { class: "command", tabindex: "0" }, ...unbroken(line))));
      byId("settings").tBodies[0].append(...settings.map(([name, value]) => element("tr", null,
        element("th", { scope: "row" }, String(name)), element("td", null, value === null ? "–" : String(value)))));
      const resolution = recording.units.length
        ? ` Times are exact to a tick of ${formatDuration(recording.tick_s)}.` : "";
      byId("footer").textContent = `${maker ? `Made by ${maker}. ` : ""}This file is complete and loads nothing from the network.${resolution}`;
    }

    printTable(most) {
      const n = this.table.print(most);
      for (const { table } of this.parts) if (table) table.print(most);
      if (n < this.table.shown.length) byId("results-count").textContent += `, the first ${n} of them here`;
    }

    // Paper is white, and a table on it shows its first rows without scrolling.
    listenPrint() {
      let before = null;
      addEventListener("beforeprint", () => {
        before = document.documentElement.dataset.theme || "";
        this.theme.set("light");
        if (this.table) this.printTable(60);
        const { raster, spectrum, aligned, nullPlots } = this;
        const plots = [raster?.plot, raster?.strip, spectrum?.plot, ...(aligned?.plots || []),
          ...nullPlots.map((each) => each.plot)];
        for (const plot of plots) if (plot) plot.render();
      });
      addEventListener("afterprint", () => {
        if (before) this.theme.set(before);
        else {
          delete document.documentElement.dataset.theme;
          this.theme.read();
        }
        if (this.table) {
          this.table.render();
          this.showFilters();
        }
      });
    }
  }

  function start() {
    addEventListener("error", (event) => tellProblem(`The page failed: ${event.message}.`));
    const began = performance.now();
    try {
      spikemine.page = new Page(readReport(byId("spikemine-data").textContent));
      spikemine.page.startMs = performance.now() - began;
    } catch (error) {
      tellProblem(error.message);
    }
  }

  spikemine.report = { readReport, Page };
  if (byId("spikemine-data")) start();
})(globalThis.spikemine);
