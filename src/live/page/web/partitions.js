// What mining found in each partition of the stream: its episodes, how they change, and who follows whom.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button } = spikemine.plot;
  const { Delays, formatInteger, formatMean, formatReal, formatDuration, plural } = spikemine.format;

  const { TRENDS, NAMES, rowsOf } = spikemine.trends;

  const MOST_KEPT = 120;

  // Numbers of episodes by trend, in words.
  const numbersOf = (numbers, names) => names.map((name) => `${TRENDS[name][0]} ${formatInteger(numbers[name])} ${name}`).join(", ");

  class Partitions {
    constructor(page, { list, facts, tools, graph, graphText }) {
      Object.assign(this, { page, list, facts, graphBox: graph, graphText, kept: [], place: -1 });
      this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "partition",
        oninput: () => this.go(Number(this.slider.value)) });
      page.theme.listeners.push(() => this.show());
      this.last = button("Latest", "go to the latest partition", () => this.go(this.latest()));
      tools.append(button("‹", "the partition before", () => this.go(this.shownPlace() - 1)), this.slider,
        button("›", "the next partition", () => this.go(this.shownPlace() + 1)), this.last);
    }

    add(partitions) {
      if (partitions.length === 0) return;
      const moved = this.kept.length + partitions.length - MOST_KEPT;
      this.kept = this.kept.concat(partitions).slice(-MOST_KEPT);
      if (this.place >= 0 && moved > 0) this.place = Math.max(0, this.place - moved);
      this.show();
    }

    reset() {
      this.kept = [];
      this.place = -1;
      this.graph = null;
      this.graphBox.replaceChildren();
      this.show();
    }

    // The latest one; of a rest that the end cut short, the one before: beside that all would have vanished.
    latest() {
      const last = this.kept.length - 1;
      return last > 0 && this.kept[last].state === "cut" ? last - 1 : last;
    }

    // -1: the latest one, also when more come.
    shownPlace() {
      return this.place < 0 ? this.latest() : this.place;
    }

    go(place) {
      const wanted = Math.max(0, Math.min(place, this.kept.length - 1));
      this.place = wanted === this.latest() ? -1 : wanted;
      this.show();
    }

    // The partition that is looked at; undefined: there is none.
    shown() {
      return this.kept[this.shownPlace()];
    }

    show() {
      const shown = this.shown();
      this.page.trends.show();
      this.page.touch();
      document.getElementById("partitions").hidden = !shown;
      document.getElementById("follows").hidden = !shown;
      this.page.showSide();
      if (!shown) return;
      this.slider.max = String(this.kept.length - 1);
      this.slider.value = String(this.shownPlace());
      this.last.disabled = this.place < 0;
      this.facts.textContent = this.describe(shown);
      this.facts.title = shown.seconds === undefined ? "" : `mined in ${formatDuration(shown.seconds)}`;
      const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.episode : null;
      this.list.replaceChildren(...this.makeRows(shown));
      this.showWatch();
      if (focused) [...this.list.querySelectorAll(".watch")].find((made) => made.dataset.episode === focused)?.focus();
      this.showGraph(shown);
    }

    // How many of the latest partition's episodes form, grow, shrink, and are gone, for a meter.
    changes() {
      const { trends } = this.kept[this.latest()] || {};
      if (!trends) return { value: "–", detail: "the last partition was skipped" };
      return { value: formatInteger(trends.new), detail: numbersOf(trends, ["growing", "shrinking", "vanished"]) };
    }

    describe(p) {
      const test = { "": `${formatInteger(p.significant)} significant`, "not asked for": "" }[p.tested] ?? `not tested: ${p.tested}`;
      const span = `${formatReal(p.start_s)} to ${formatReal(p.stop_s)} s`;
      if (p.state === "skipped") return `Partition ${p.number}, ${span}: skipped, ${p.why}`;
      const { vanished, ...there } = p.trends;
      const all = Object.values(there).reduce((sum, n) => sum + n);
      const often = `found ${plural(p.support, "time")} or more${p.raised ? " (a raised support)" : ""}`;
      const told = numbersOf(p.trends, NAMES.filter((name) => p.trends[name] > 0));
      const listed = rowsOf(p).length < all + vanished ? `; the best ${rowsOf(p).length} are listed` : "";
      return [`Partition ${p.number}, ${span}${p.state === "cut" ? " (cut short by the end)" : ""}`, plural(p.events, "spike"),
        `${plural(all, "episode")} ${often}${told ? `: ${told}` : ""}${listed}`, test].filter((part) => part).join(", ");
    }

    makeRows(p) {
      if (p.state !== "skipped" && p.episodes.length + p.vanished.length === 0) {
        return [element("p", { class: "quiet" }, "No episode is frequent enough in this partition.")];
      }
      const { labels, store } = this.page;
      const steps = ({ units, ticks }) => units.slice(1).map((u, k) => [ticks[2 * k], ticks[2 * k + 1]]);
      const delays = new Delays(rowsOf(p).flatMap(steps), store.tickS);
      this.facts.textContent += `. ${delays.legend()}`;
      return rowsOf(p).map((row) => this.makeRow(row, row.units.map((u, k) =>
        (k > 0 ? `${delays.arrow(steps(row)[k - 1])} ${labels[u]}` : labels[u])).join(" ")));
    }

    makeRow({ name, count, before, trend, p, expected, significant }, chain) {
      const [glyph, word] = TRENDS[trend];
      const sign = element("span", { class: "trend", title: word, role: "img", "aria-label": word }, glyph);
      sign.style.color = this.page.trends.colour(trend);
      return element("div", { class: `episode ${trend}`, title: name }, sign,
        element("span", { class: "item-name" }, chain),
        element("span", { class: "before", title: "its count in the partition before" }, before === null ? "" : `${formatInteger(before)} →`),
        element("span", { class: "count", title: "its count in this partition" }, count === null ? "–" : formatInteger(count)),
        element("span", { class: `chance${significant ? " significant" : ""}` }, typeof p === "number" ? `p ${formatReal(p)}, ${formatMean(expected)} by chance` : ""),
        ...this.makeWatch(name));
    }

    // A button that has the episode watched from now on, or no more; none where the page may not.
    makeWatch(name) {
      const { page } = this;
      if (!page.mayWatch) return [];
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
        : "Arrows: the strongest steps of its episodes. Wider: more often. Colour: how they changed since the partition before.";
      if (nodes.length === 0) return;
      if (!this.graph) {
        this.graph = new spikemine.graph.Graph(this.graphBox, this.graphBox, this.page.theme, {
          edges, labels: this.page.labels, bubble: this.page.bubble, picked: (what) => this.graph.hold(what),
        });
      }
      const delays = NAMES.slice(0, -1); // the same colours in each partition
      Object.assign(this.graph, { edges, nodes: nodes.sort((a, b) => a - b), labels: this.page.labels, delays, held: null });
      this.graph.place();
      this.graph.draw();
    }
  }

  spikemine.partitions = { Partitions };
})(globalThis.spikemine);
