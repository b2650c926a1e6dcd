// A table of results: sorted, searched, scrolled over any number of rows, walked by keys.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button, oncePerFrame } = spikemine.plot;
  const { columnFormat, compareText, formatInteger, plural } = spikemine.format;

  const ROW = 28; // height of a row in pixels of the theme, as in the style sheet
  const TALLEST = 8000000; // browsers end pages between 10 and 30 million pixels

  // Columns that a narrow table keeps, the first one longest; the others follow in their order.
  const NEEDED = ["name", "episode", "pattern", "units", "unit", "time_s", "count", "occurrences", "p", "lag_s", "spread_s",
    "member_p", "expected", "score"];

  // Missing values stand last, whatever the direction.
  function compareCells(a, b, direction) {
    const noA = a === null || a === undefined;
    const noB = b === null || b === undefined;
    if (noA || noB) return noA - noB;
    if (typeof a === "number" && typeof b === "number") return direction * (a - b);
    return direction * compareText(String(a), String(b));
  }

  class Table {
    // columns: a `format(value, row)` of its own may be among the fields; chosen: called with the row that the reader
    // chose; id: of the elements of rows, without their places.
    constructor(parent, columns, rows, { label, chosen, id }) {
      Object.assign(this, { columns, rows, chosen, id: id || "row", wide: false, visible: [] });
      this.formats = columns.map((column, c) => column.format || columnFormat(column.type, rows.map((row) => row[c])));
      this.order = rows.map((row, r) => r);
      this.shown = this.order;
      this.keep = null;
      this.sorting = { column: -1, direction: 1 };
      this.made = new Map(); // elements of rows by their place
      this.active = -1; // place in `shown`
      this.request = oncePerFrame(() => this.render());
      this.build(parent, label);
      this.measure();
      this.refresh();
    }

    build(parent, label) {
      this.heads = this.columns.map((column, c) =>
        element("div", { role: "columnheader", class: `head ${column.type}`, "aria-colindex": c + 1,
          "aria-sort": "none" },
          element("button", {
            type: "button", title: column.help ? `${column.title}: ${column.help}` : column.title,
            onclick: () => this.sort(c),
          }, element("span", null, column.title), element("span", { class: "arrow", "aria-hidden": "true" }))));
      this.head = element("div", { role: "row", class: "row heads", "aria-rowindex": 1 });
      this.body = element("div", { class: "rows", role: "rowgroup" });
      this.box = element("div", {
        role: "grid", class: "table", tabindex: "0", "aria-label": label, "aria-colcount": this.columns.length,
        "aria-rowcount": this.rows.length + 1,
      }, element("div", { role: "rowgroup", class: "headgroup" }, this.head), this.body);
      this.box.style.setProperty("--all-rows", this.rows.length);
      this.more = button("", "all columns, or those that fit", () => this.setWide(!this.wide), { class: "link more" });
      this.none = element("p", { class: "none quiet", hidden: true });
      parent.append(this.box, this.none);
      this.box.addEventListener("scroll", () => this.request(), { passive: true });
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.body.addEventListener("click", (event) => {
        const row = event.target.closest("[data-place]");
        if (row) this.activate(Number(row.dataset.place));
      });
      new ResizeObserver(() => {
        if (this.scale === spikemine.theme.scaleOf(document.documentElement)) this.fit();
        else {
          this.measure();
          this.refresh();
        }
        if (this.active >= 0) this.reveal();
        this.request();
      }).observe(this.box);
    }

    // Columns as wide as their widest text, of a sample when there are many rows; long text is cut at its end.
    measure() {
      this.scale = spikemine.theme.scaleOf(document.documentElement);
      this.tall = ROW * this.scale;
      const px = (pixels) => pixels * this.scale;
      const context = document.createElement("canvas").getContext("2d");
      const { fontSize, fontFamily } = getComputedStyle(this.box);
      const every = Math.max(1, Math.floor(this.rows.length / 2000));
      this.widths = this.columns.map((column, c) => {
        context.font = `600 ${fontSize} ${fontFamily}`;
        let widest = context.measureText(column.title).width + px(14);
        context.font = `${fontSize} ${fontFamily}`;
        for (let r = 0; r < this.rows.length; r += every) {
          widest = Math.max(widest, context.measureText(this.formats[c](this.rows[r][c], r)).width);
        }
        const width = Math.ceil(widest + px(20));
        return { width, least: Math.min(width, px(column.type === "text" ? 120 : 220)) };
      });
      this.names = this.columns.findIndex((column) => column.type === "text");
      this.fit();
    }

    // Shows the columns that there is room for, none of them cut, and the names long enough to be told apart; `wide`:
    // all, and the table scrolls to the side.
    fit() {
      const place = (c) => (NEEDED.indexOf(this.columns[c].key) + NEEDED.length + 1) % (NEEDED.length + 1);
      const wanted = [...this.columns.keys()].sort((a, b) => place(a) - place(b) || a - b);
      const wide = this.box.clientWidth;
      const least = (c) => (c === this.names ? Math.min(this.widths[c].width, Math.max(140 * this.scale, 0.45 * wide)) : this.widths[c].least);
      const css = (c) => (this.names < 0 ? `minmax(${least(c)}px, ${least(c)}fr)` : this.columns[c].type === "text" ? `minmax(${least(c)}px, ${Math.min(this.widths[c].width, 620 * this.scale)}fr)`
        : `${least(c)}px`);
      let room = this.wide ? Infinity : wide;
      const fitting = wanted.filter((c, k) => {
        const fits = k === 0 || least(c) <= room;
        room = fits ? room - least(c) : 0; // what is needed less does not take the place of more
        return fits;
      }).sort((a, b) => a - b);
      this.box.style.setProperty("--total", `${fitting.reduce((sum, c) => sum + least(c), 0)}px`);
      this.box.style.setProperty("--columns", fitting.map(css).join(" "));
      if (fitting.join() === this.visible.join()) return;
      this.visible = fitting;
      this.head.replaceChildren(...fitting.map((c) => this.heads[c]));
      this.made.clear();
      this.body.replaceChildren();
      this.request();
      this.more.hidden = fitting.length === this.columns.length && !this.wide;
      this.more.textContent = this.wide ? "Columns that fit" : plural(this.columns.length - fitting.length, "more column");
    }

    setWide(wide) {
      this.wide = wide;
      this.fit();
    }

    // ---- what is shown, in which order ----------------------------------------------------------------

    // Shows the rows for which keep(row) holds; null: all.
    filter(keep) {
      this.keep = keep;
      this.refresh();
    }

    sort(column, direction) {
      const type = this.columns[column].type;
      const first = type === "text" || /^(fdr|rank|e_value|p_.*|(.*_)?[pq])$/.test(this.columns[column].key) ? 1 : -1;
      const same = this.sorting.column === column;
      // A third time: back to the order of the list.
      if (direction === undefined && same && this.sorting.direction !== first) {
        this.sorting = { column: -1, direction: 1 };
      } else this.sorting = { column, direction: direction || (same ? -this.sorting.direction : first) };
      this.refresh();
      this.box.scrollTop = 0;
    }

    refresh() {
      const row = this.activeRow();
      const { column, direction } = this.sorting;
      this.order = this.rows.map((cells, r) => r);
      if (column >= 0) {
        this.order.sort((a, b) => compareCells(this.rows[a][column], this.rows[b][column], direction) || a - b);
      }
      this.shown = this.keep ? this.order.filter(this.keep) : this.order;
      this.active = row < 0 ? -1 : this.shown.indexOf(row);
      this.heads.forEach((head, c) => {
        const sorted = c === column ? (direction > 0 ? "ascending" : "descending") : "none";
        head.setAttribute("aria-sort", sorted);
        head.querySelector(".arrow").textContent = { ascending: "▲", descending: "▼", none: "" }[sorted];
      });
      const height = this.shown.length * this.tall;
      this.stretch = Math.max(1, height / TALLEST);
      this.body.style.height = `${height / this.stretch}px`;
      this.box.setAttribute("aria-rowcount", this.shown.length + 1);
      this.none.hidden = this.shown.length > 0;
      this.none.textContent = this.rows.length === 0 ? "There are no results." : "No row fits the search.";
      this.made.clear();
      this.body.replaceChildren();
      this.render();
      if (this.active >= 0) this.reveal();
    }

    activeRow() {
      return this.active >= 0 && this.active < this.shown.length ? this.shown[this.active] : this.lastRow ?? -1;
    }

    // ---- drawing: rows that are seen, kept while they are ----------------------------------------------

    render() {
      const seen = Math.ceil((this.box.clientHeight || 400) / this.tall) + 2;
      const first = Math.max(0, Math.floor((this.box.scrollTop * this.stretch) / this.tall) - 4);
      this.draw(first, Math.min(this.shown.length, first + seen + 8));
    }

    draw(first, end) {
      // Of a table that is taller than browsers allow, the rows stand where the reader is.
      const shift = this.box.scrollTop * (1 - this.stretch);
      for (const [place, row] of this.made) {
        if (place >= first && place < end) continue;
        row.remove();
        this.made.delete(place);
      }
      for (let place = first; place < end; place++) {
        let row = this.made.get(place);
        if (!row) {
          row = this.makeRow(place);
          this.made.set(place, row);
          this.body.append(row);
        }
        row.style.transform = `translateY(${place * this.tall + shift}px)`;
        row.classList.toggle("active", place === this.active);
        row.setAttribute("aria-selected", place === this.active ? "true" : "false");
      }
      const seen = this.active >= first && this.active < end;
      this.box.setAttribute("aria-activedescendant", seen ? `${this.id}-${this.active}` : "");
    }

    makeRow(place) {
      const cells = this.rows[this.shown[place]];
      const format = (c) => this.formats[c](cells[c], this.shown[place]);
      return element("div", {
        role: "row", id: `${this.id}-${place}`, class: "row", "data-place": place, "aria-rowindex": place + 2,
      }, ...this.visible.map((c) => element("div", { role: "gridcell", class: `cell ${this.columns[c].type}`,
        "aria-colindex": c + 1, title: this.columns[c].type === "text" ? cells[c] : null }, format(c))));
    }

    // Scrolls so that the active row is seen.
    reveal() {
      const top = (this.active * this.tall) / this.stretch;
      const room = this.box.clientHeight - this.head.offsetHeight - this.tall;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (top > this.box.scrollTop + room) this.box.scrollTop = top - room;
    }

    // ---- choosing -----------------------------------------------------------------------------------------

    activate(place) {
      if (this.shown.length === 0) return;
      this.active = Math.max(0, Math.min(this.shown.length - 1, place));
      this.lastRow = this.shown[this.active];
      this.reveal();
      this.render();
      this.chosen(this.lastRow);
    }

    // Chooses a row of the list wherever it stands; nothing when the search hides it.
    activateRow(row) {
      const place = this.shown.indexOf(row);
      if (place >= 0) this.activate(place);
    }

    key(event) {
      if (event.target !== this.box || event.ctrlKey || event.metaKey || event.altKey) return;
      const page = Math.max(1, Math.floor(this.box.clientHeight / this.tall) - 2);
      const to = {
        ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page,
        Home: 0, End: this.shown.length - 1, Enter: Math.max(0, this.active), " ": Math.max(0, this.active),
      }[event.key];
      if (to === undefined) {
        if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
          this.box.scrollLeft += event.key === "ArrowLeft" ? -60 : 60;
          event.preventDefault();
        }
        return;
      }
      this.activate(to);
      event.preventDefault();
    }

    // Draws the first rows, as many as paper may have; returns how many.
    print(most) {
      const n = Math.min(most, this.shown.length);
      this.draw(0, n);
      this.box.style.setProperty("--printed-rows", n);
      return n;
    }

    // What is shown as text with tabs between the columns.
    text() {
      const clean = (value) => (value === null || value === undefined ? "" : String(value).replace(/[\t\r\n]+/g, " "));
      const lines = this.shown.map((r) => this.rows[r].map(clean).join("\t"));
      return [this.columns.map((column) => clean(column.key)).join("\t"), ...lines, ""].join("\n");
    }
  }

  // The rows that a search finds. A word that is a unit's whole label asks for that unit; other words are looked
  // for in labels and cells. All words must fit.
  class Search {
    constructor(report) {
      this.labels = report.recording.units.map((unit) => String(unit.label).toLowerCase());
      this.results = report.results;
      const texts = report.columns.map((column, c) => (column.type === "text" ? c : -1)).filter((c) => c >= 0);
      this.cells = report.rows.map((row) => texts.map((c) => row[c] ?? "").join("\n").toLowerCase());
      this.byLabel = new Map();
      const known = (label, u) => this.byLabel.set(label, [...(this.byLabel.get(label) || []), u]);
      this.labels.forEach(known);
    }

    wordsOf(query) {
      const whole = query.trim().toLowerCase();
      if (this.byLabel.has(whole)) return [whole];
      return (whole.match(/"[^"]*"|\S+/g) || []).map((word) => word.replace(/"/g, "")).filter((word) => word);
    }

    // null when the query is empty, otherwise a test of a row.
    test(query) {
      const words = this.wordsOf(query).map((word) => {
        const exact = this.byLabel.get(word);
        return { word, units: new Set(exact || []), exact: exact !== undefined };
      });
      if (words.length === 0) return null;
      return (row) => words.every(({ word, units, exact }) => {
        const of = this.results[row].units;
        if (exact) return of.some((u) => units.has(u));
        return this.cells[row].includes(word) || of.some((u) => this.labels[u].includes(word));
      });
    }
  }

  spikemine.table = { Table, Search, compareCells, formatInteger };
})(globalThis.spikemine);
