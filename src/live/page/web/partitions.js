// What mining found in each partition of the stream: its episodes, how they change, and who follows whom.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button } = spikemine.plot;
  const { Delays, formatInteger, formatReal, formatDuration, plural } = spikemine.format;
  const { TRENDS, NAMES, rowsOf } = spikemine.trends;
  const { tellChance, tellChange, advise, numbersOf, numberOf, chanceOf } = spikemine.verdict;

  const MOST_KEPT = 120;
  const DASHES = { growing: [14, 3], steady: [2.5, 2.5], shrinking: [7, 5] }; // what is new is a whole line
  const HOLD_MS = 2000; // that a partition stays before the next one is shown

  class Partitions {
    constructor(page, { list, facts, words, tools, graph, graphText, steps }) {
      Object.assign(this, { page, list, facts, words, graphBox: graph, graphText, steps, kept: [], place: -1, followed: null, holdMs: HOLD_MS, since: -Infinity, pointed: false });
      this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "partition",
        oninput: () => this.go(Number(this.slider.value)) });
      page.theme.listeners.push(() => this.show());
      this.last = button("Latest", "go to the latest partition", () => this.go(Infinity));
      list.addEventListener("pointerenter", ({ pointerType }) => { this.pointed = pointerType === "mouse"; }); // a finger stays nowhere
      list.addEventListener("pointerleave", () => { this.pointed = false; });
      tools.append(button("‹", "the partition before", () => this.go(this.shownPlace() - 1)), this.slider,
        button("›", "the next partition", () => this.go(this.shownPlace() + 1)), this.last);
    }

    add(partitions) {
      if (partitions.length === 0) return;
      const moved = this.kept.length + partitions.length - MOST_KEPT;
      this.kept = this.kept.concat(partitions).slice(-MOST_KEPT);
      if (this.place >= 0 && moved > 0) this.place = Math.max(0, this.place - moved);
      if (!this.follow()) this.showPlace();
    }

    // Goes on to the latest partition, unless the one that is shown has just come, or somebody points at its list: rows
    // that are read, or about to be pressed, stay where they are. Returns whether it did.
    follow() {
      const wait = this.holdMs - (performance.now() - this.since);
      const held = this.followed && !this.page.news?.ended && (wait > 0 || this.pointed);
      clearTimeout(this.timer);
      if (held) this.timer = setTimeout(() => this.follow(), Math.max(100, wait));
      else if (this.followed !== this.newest()) {
        Object.assign(this, { followed: this.newest(), since: performance.now() });
        this.show();
        return true;
      }
      return false;
    }

    reset() {
      this.kept = [];
      this.place = -1;
      this.followed = null;
      this.page.trends.reset();
      this.graph = null;
      this.graphBox.replaceChildren();
      this.steps.replaceChildren();
      this.show();
    }

    // The last that came; of a rest that the end cut short, the one before: beside that all would have vanished.
    newest() {
      const last = this.kept.at(-1);
      return last?.state === "cut" ? this.kept.at(-2) ?? last : last;
    }

    // The place of the latest one, as it is shown.
    latest() {
      return Math.max(this.kept.indexOf(this.followed), this.kept.length > 0 ? 0 : -1);
    }

    // The partition that one was compared with, where it is kept.
    before({ before, series }) {
      return this.kept.find((p) => p.number === before && p.series === series);
    }

    // -1: the latest one, also when more come.
    shownPlace() {
      return this.place < 0 ? this.latest() : this.place;
    }

    go(place) {
      const wanted = Math.max(0, Math.min(place, this.kept.length - 1));
      const latest = place === Infinity || this.kept[wanted] === this.newest();
      if (latest) Object.assign(this, { followed: this.newest(), since: performance.now() });
      this.place = latest ? -1 : wanted;
      this.show();
    }

    // The partition that is looked at; undefined: there is none.
    shown() {
      return this.kept[this.shownPlace()];
    }

    // Where the shown partition stands among those that are kept.
    showPlace() {
      this.slider.max = String(Math.max(0, this.kept.length - 1));
      this.slider.value = String(Math.max(0, this.shownPlace()));
      this.last.disabled = this.place < 0 && this.followed === this.newest();
    }

    // The sentences on top. Meters come more often than partitions.
    tell() {
      const { page, words } = this;
      const shown = this.shown();
      const { partitions_mined: mined, partitions_skipped: skipped } = page.news?.meters ?? {};
      document.getElementById("partitions").hidden = !(shown || page.mines || mined + skipped > 0);
      const [advice, amiss] = advise(shown, { news: page.news, mayWatch: page.mayWatch, watchedItems: page.watchedItems().length });
      const told = [tellChance(shown, page.labels), tellChange(shown), advice];
      words.forEach((line, k) => {
        if (line.textContent === told[k]) return;
        line.replaceChildren(...told[k].split(/(--\w+)/).map((part) => (part.startsWith("--") ? element("span", { class: "option" }, part) : part)));
        line.title = told[k];
      });
      words.at(-1).classList.toggle("amiss", amiss);
      page.showSide();
    }

    show() {
      const shown = this.shown();
      this.page.trends.show();
      this.page.touch();
      this.tell();
      this.showPlace();
      if (this.page.news?.meters) this.page.meters.show(this.page.news, this.page); // so that both tell the same numbers
      document.getElementById("follows").hidden = !shown;
      if (!shown) {
        this.list.replaceChildren();
        this.facts.textContent = "";
        return;
      }
      this.facts.textContent = this.describe(shown);
      this.facts.title = [`number ${shown.number} in what the command writes`, shown.seconds !== undefined && `mined in ${formatDuration(shown.seconds)}`]
        .filter((part) => part).join(", ");
      const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.episode : null;
      this.list.replaceChildren(...this.makeRows(shown));
      this.showWatch();
      if (focused) [...this.list.querySelectorAll(".watch")].find((made) => made.dataset.episode === focused)?.focus();
      this.showGraph(shown);
    }

    // For a meter: how many of the latest partition's episodes exceed chance, where a test was asked for; else how many
    // form, grow, shrink, and are gone.
    changes() {
      const p = this.kept[this.latest()];
      const { trends } = p || {};
      if (!trends) return { value: "–", detail: "the last partition was skipped" };
      if (p.tested !== "not asked for") {
        return { name: "Significant", meaning: "episodes of the last partition that exceed chance", ...(p.tested === ""
          ? { value: formatInteger(p.significant), detail: `of ${plural(numberOf(p), "episode")}` }
          : { value: "–", detail: "the last partition was not tested" }) };
      }
      return { value: formatInteger(trends.new), detail: numbersOf(trends, ["growing", "vanished", "shrinking"]) || "no other change" };
    }

    describe(p) {
      const test = { "": `${formatInteger(p.significant)} significant`, "not asked for": "" }[p.tested] ?? `not tested: ${p.tested}`;
      const span = `${formatReal(p.start_s)} to ${formatReal(p.stop_s)} s`;
      if (p.state === "skipped") return `Partition ${p.number + 1}, ${span}: skipped, ${p.why}`;
      const all = numberOf(p);
      const often = `found ${plural(p.support, "time")} or more${p.raised ? " (a raised support)" : ""}`;
      const n = rowsOf(p).length;
      const listed = n < all + p.trends.vanished ? `; ${p.trends.vanished > 0 ? `${n} are listed, vanished ones with them` : `the best ${n} are listed`}` : "";
      return [`Partition ${p.number + 1}, ${span}${p.state === "cut" ? " (cut short by the end)" : ""}`, plural(p.events, "spike"),
        `${plural(all, "episode")} ${often}${listed}`, test].filter((part) => part).join(", ");
    }

    makeRows(p) {
      if (p.state !== "skipped" && p.episodes.length + p.vanished.length === 0) {
        return [];
      }
      const { labels, store, trends } = this.page;
      const steps = ({ units, ticks }) => units.slice(1).map((u, k) => [ticks[2 * k], ticks[2 * k + 1]]);
      const rows = rowsOf(p);
      const delays = new Delays(rows.flatMap(steps), store.tickS);
      this.facts.textContent += `. ${delays.legend()}`;
      const coloured = rows.filter(({ name }) => trends.drawnAs(name));
      return coloured.concat(rows.filter((row) => !coloured.includes(row))).map((row) => this.makeRow(row, row.units.map((u, k) =>
        (k > 0 ? `${delays.arrow(steps(row)[k - 1])} ${labels[u]}` : labels[u])).join(" ")));
    }

    // Rows that have a colour in the raster have it here, too.
    makeRow({ name, count, before, trend, p, expected, significant }, chain) {
      const [glyph, word] = TRENDS[trend];
      const { trends, theme } = this.page;
      const drawn = trends.drawnAs(name);
      const sign = element("span", { class: "trend", title: word, role: "img", "aria-label": word }, glyph);
      if (drawn) sign.style.color = theme.category(drawn.tone);
      return element("div", { class: `episode ${trend}`, role: "listitem", title: name }, sign,
        element("span", { class: "item-name" }, ...(drawn ? [trends.mark(drawn), " "] : []), element("span", { class: "chain" }, chain)),
        element("span", { class: "before", title: "its count in the partition before" }, before === null ? "" : `${formatInteger(before)} →`),
        element("span", { class: "count", title: "its count in this partition" }, count === null ? "–" : formatInteger(count)),
        element("span", { class: `chance${significant ? " significant" : ""}` }, chanceOf({ p, expected })),
        ...this.makeWatch(name));
    }

    // A button that has the episode watched from now on, or no more; none where the page may not.
    makeWatch(name) {
      const { page } = this;
      if (!page.mayWatch || (page.news?.ended && page.watchedAs(name) === undefined)) return [];
      const made = button("", "", () => {
        const item = page.watchedAs(name);
        if (item === undefined) page.watch(name);
        else page.unwatch(item);
      }, { class: "button watch", "data-episode": name });
      return [made];
    }

    // What the buttons say. The list that the command was given is watched to the end.
    showWatch() {
      const { page } = this;
      for (const made of this.list.querySelectorAll(".watch")) {
        const name = made.dataset.episode;
        const item = page.watchedAs(name);
        const on = item !== undefined;
        if (page.news?.ended && !on) {
          made.remove();
          continue;
        }
        made.textContent = on ? "Watched" : "Watch";
        made.title = `watch ${name} ${on ? "no more" : "from now on"}`;
        made.setAttribute("aria-label", made.title);
        made.setAttribute("aria-pressed", String(on));
        made.disabled = Boolean(page.news?.ended) || (on && !page.choices.has(item));
      }
    }

    // One graph whose units stay where they are: those of all partitions that are kept.
    showGraph(p) {
      const nodes = [...new Set(this.kept.flatMap((each) => each.edges.flatMap(([from, to]) => [from, to])))];
      const edges = p.edges.map(([from, to, count, trend]) => [from, to, count, null, TRENDS[trend][1]]);
      this.graphText.textContent = edges.length === 0 ? "No unit follows another one often enough in this partition."
        : `Arrows: the strongest steps of its episodes. Wider: more often. Dashes: how they changed since the partition before.${
          this.page.trends.on ? " Coloured: steps of the episodes in colour." : ""}`;
      if (nodes.length === 0) return;
      if (!this.graph) {
        this.graph = new spikemine.graph.Graph(this.graphBox, this.graphBox, this.page.theme, {
          edges, labels: this.page.labels, bubble: this.page.bubble, picked: (what) => this.graph.hold(what),
          look: ([from, to, , , trend]) => ({ colour: this.colourOf(from, to), dash: DASHES[trend] }),
        });
      }
      const delays = NAMES.slice(0, -1); // the same key in each partition
      Object.assign(this.graph, { edges, nodes: nodes.sort((a, b) => a - b), labels: this.page.labels, delays, held: null });
      this.graph.place();
      this.graph.draw();
      this.steps.replaceChildren(...p.edges.slice().sort((a, b) => b[2] - a[2]).map((edge) => this.makeStep(edge)));
    }

    // That of the first coloured episode with this step.
    colourOf(from, to) {
      const { trends, theme } = this.page;
      const row = trends.on ? trends.drawn.find(({ units }) => units.some((unit, k) => unit === from && units[k + 1] === to)) : undefined;
      return row ? theme.category(row.tone) : theme.quiet;
    }

    // A step as a line beside the graph, which lights it there.
    makeStep([from, to, count, trend]) {
      const { labels } = this.page;
      const chain = element("span", { class: "chain" }, `${labels[from]} → ${labels[to]}`);
      if (this.colourOf(from, to) !== this.page.theme.quiet) chain.style.color = this.colourOf(from, to);
      return element("button", { class: "step", type: "button", title: TRENDS[trend][1], onpointerenter: () => this.graph.light({ from, to }),
        onpointerleave: () => this.graph.light(this.graph.held), onclick: () => this.graph.pick({ from, to }) },
      element("span", { class: "trend" }, TRENDS[trend][0]), chain, element("span", { class: "count" }, formatInteger(count)));
    }
  }

  spikemine.partitions = { Partitions };
})(globalThis.spikemine);
