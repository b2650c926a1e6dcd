// The list of watched episodes and patterns: how often each was found, and when, as a small curve.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button } = spikemine.plot;
  const { Delays, formatInteger, plural } = spikemine.format;

  const GLYPHS = ["●", "■", "▲", "◆", "▼", "✚", "✖"]; // the shapes of theme.js
  const MOST_ROWS = 60;
  const COLUMNS = 60; // of a curve
  const CURVE = { width: 480, height: 52 }; // in its own pixels
  const MANY_ROWS = 6; // more are searched and put in order
  const SECONDS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, min: 60, h: 3600 };

  // Seconds of "50ms" or "1/30s"; null: without an end; undefined: no time.
  function secondsOf(text) {
    if (text === "inf") return null;
    const [, over, under, unit] = /^([\d.]+)(?:\/(\d+))?(\w*)$/.exec(text) ?? [];
    const scale = Number(over) === 0 ? 0 : SECONDS[unit];
    return scale === undefined ? undefined : (Number(over) / Number(under ?? 1)) * scale;
  }

  // Delays of an episode's steps, [low, high] in seconds, as its text has them; null: it is none.
  function stepsOf({ pattern, name, units }) {
    const steps = [...name.matchAll(/ \(([^\s,()]+),([^\s,()]+)\] /g)].map(([, low, high]) => [secondsOf(low), secondsOf(high)]);
    const whole = !pattern && steps.length === units.length - 1 && !steps.flat().includes(undefined);
    return whole ? steps : null;
  }

  class Watched {
    // page: as of LiveRaster; chosen: called with a set of items, or null for all.
    constructor(parent, tools, page, chosen) {
      Object.assign(this, { parent, tools: tools.closest(".fold"), page, chosen, counts: [], only: null, rows: new Map(), words: "" });
      this.list = element("div", { class: "watched", role: "group", "aria-label": "watched items" });
      this.rest = element("p", { class: "quiet" });
      parent.append(this.list, this.rest);
      this.order = element("select", { id: "watched-order", onchange: () => this.arrange() },
        element("option", { value: "list" }, "as listed"), element("option", { value: "most" }, "most first"),
        element("option", { value: "latest" }, "latest first"));
      this.search = element("input", { type: "search", placeholder: "Search", "aria-label": "search the watched items",
        oninput: () => this.arrange() });
      tools.append(this.search, this.order);
      page.theme.listeners.push(() => this.draw());
    }

    setCounts(from, counts) {
      counts.forEach((count, k) => { this.counts[from + k] = count; });
      this.draw();
    }

    count(item, count) {
      this.counts[item] = Math.max(this.counts[item] || 0, count);
    }

    total() {
      return this.counts.reduce((sum, count) => sum + (count || 0), 0);
    }

    // Episodes as mined lists have them, "45 → 42", with what the arrows mean; others by name.
    setNames() {
      const { items, labels } = this.page;
      const steps = items.map(stepsOf);
      this.delays = new Delays(steps.flatMap((each) => each ?? []), 1);
      this.names = items.map(({ name, units }, k) => (steps[k]
        ? units.map((unit, i) => (i > 0 ? `${this.delays.arrow(steps[k][i - 1])} ` : "") + labels[unit]).join(" ") : name));
    }

    // Which rows are shown, in which order.
    arrange() {
      const words = this.search.value.trim().toLowerCase();
      const { items } = this.page;
      let shown = this.page.watchedItems();
      this.setNames();
      this.tools.hidden = shown.length <= MANY_ROWS && !words;
      if (words) shown = shown.filter((k) => `${items[k].name} ${this.names[k]}`.toLowerCase().includes(words));
      const latest = this.order.value === "latest" ? this.latest() : null;
      if (latest) shown.sort((a, b) => (latest.get(b) ?? -1) - (latest.get(a) ?? -1) || a - b);
      else if (this.order.value === "most") shown.sort((a, b) => (this.counts[b] || 0) - (this.counts[a] || 0) || a - b);
      this.rest.textContent = shown.length > MOST_ROWS ? `and ${plural(shown.length - MOST_ROWS, "more item")}; search to see them`
        : items.length === 0 ? "Nothing is watched in this stream." : this.delays.legend();
      this.shown = shown.slice(0, MOST_ROWS);
      const key = this.shown.map((k) => `${k}${this.page.choices.has(k)}`).join();
      if (key !== this.key) {
        this.key = key;
        this.list.replaceChildren(...this.shown.map((k) => this.entry(k)));
      }
      if (this.only !== null && this.page.choices.get(this.only) === false) this.choose(this.only);
      this.draw();
    }

    // The row, with a button that ends it where a reader chose it.
    entry(k) {
      const { box } = this.row(k);
      if (!this.page.choices.has(k)) return box;
      return element("div", { class: "chosen" }, box, button("✕", `watch ${this.page.items[k].name} no more`,
        () => this.page.unwatch(k)));
    }

    latest() {
      const ring = this.page.store.occurrences;
      const latest = new Map();
      for (let k = ring.oldest; k < ring.next; k++) latest.set(ring.columns.item[k % ring.capacity], k);
      return latest;
    }

    row(k) {
      if (this.rows.has(k)) return this.rows.get(k);
      const { items, theme } = this.page;
      const glyph = element("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[k % GLYPHS.length]);
      const count = element("span", { class: "count" }, "0");
      const name = element("span", { class: "item-name" });
      const curve = element("canvas", { class: "curve", width: CURVE.width, height: CURVE.height, "aria-hidden": "true" });
      const box = element("button", { type: "button", class: "item", title: items[k].name,
        "aria-pressed": "false", "data-item": k, onclick: () => this.choose(k) },
      glyph, name, curve, count);
      const made = { box, glyph, name, count, curve, context: curve.getContext("2d"), theme };
      this.rows.set(k, made);
      return made;
    }

    // A click shows this item alone in the raster, another one all again.
    choose(k) {
      this.only = this.only === k ? null : k;
      for (const [item, row] of this.rows) {
        row.box.setAttribute("aria-pressed", String(item === this.only));
        row.box.classList.toggle("dim", this.only !== null && item !== this.only);
      }
      this.chosen(this.only === null ? null : new Set([this.only]));
    }

    // Occurrences of the shown items in COLUMNS parts of all that is kept.
    curves() {
      const { store } = this.page;
      const ring = store.occurrences;
      const { item, end } = ring.columns;
      const from = store.oldestPlace();
      const scale = COLUMNS / Math.max(1, store.newest - from + 1);
      const curves = new Map(this.shown.map((k) => [k, new Float64Array(COLUMNS)]));
      for (let k = ring.oldest; k < ring.next; k++) {
        const at = k % ring.capacity;
        const column = Math.floor((end[at] - from) * scale);
        if (column >= 0 && column < COLUMNS) {
          const curve = curves.get(item[at]);
          if (curve) curve[column]++;
        }
      }
      return curves;
    }

    draw() {
      if (!this.shown) return;
      const { theme } = this.page;
      const curves = this.curves();
      for (const k of this.shown) {
        const row = this.row(k);
        row.name.textContent = this.names[k];
        row.count.textContent = formatInteger(this.counts[k] || 0);
        row.glyph.style.color = theme.category(k);
        this.drawCurve(row.context, curves.get(k), theme.category(k), theme);
      }
    }

    drawCurve(context, curve, colour, theme) {
      const { width, height } = CURVE;
      const most = Math.max(1, ...curve);
      context.clearRect(0, 0, width, height);
      context.fillStyle = theme.faint;
      context.fillRect(0, height - 2, width, 2);
      context.fillStyle = colour;
      const bar = width / COLUMNS;
      for (let c = 0; c < COLUMNS; c++) {
        const h = (curve[c] / most) * (height - 4);
        if (h > 0) context.fillRect(c * bar, height - 2 - h, bar - 1.5, h);
      }
    }

    reset() {
      this.counts = [];
      this.rows.clear();
      this.key = null;
      this.only = null;
      this.chosen(null);
      this.arrange();
    }
  }

  spikemine.watched = { Watched, GLYPHS };
})(globalThis.spikemine);
