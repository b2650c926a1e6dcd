// Who follows whom: units on a circle, an arrow for each pair, wider for larger numbers.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element } = spikemine.plot;
  const { formatReal, formatInteger } = spikemine.format;

  const MOST_WIDTH = 5.5;
  const SIDE = 520; // of the drawing, in its own units; the page scales it

  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined) continue;
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  const shorten = (text, most) => {
    const letters = Array.from(text);
    return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
  };

  class Graph {
    // edges: [from, to, count, excess, delay]; picked: called with { unit } or { from, to } or null; look: the colour of an
    // edge and its dashes, without which each delay has a colour.
    constructor(parent, tools, theme, { edges, labels, bubble, picked, look }) {
      Object.assign(this, { parent, theme, edges, labels, bubble, picked, by: 2, held: null });
      this.look = look || ((edge) => ({ colour: theme.category(Math.max(0, this.delays.indexOf(edge[4]))) }));
      this.nodes = [...new Set(edges.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
      this.delays = [...new Set(edges.map((edge) => edge[4]).filter((delay) => delay))];
      if (edges.some((edge) => typeof edge[3] === "number")) {
        this.by = 3;
        this.buildChooser(tools);
      }
      this.place();
      this.draw();
      theme.listeners.push(() => this.draw());
    }

    buildChooser(tools) {
      const chooser = element("select", { id: "graph-width", onchange: () => {
        this.by = Number(chooser.value);
        this.draw();
      } }, element("option", { value: 3 }, "excess over chance"), element("option", { value: 2 }, "count"));
      tools.append(element("label", { for: "graph-width" }, "wider arrows: larger "), chooser);
    }

    // Units in the order of the recording, clockwise from the top; more room than a circle of labels needs.
    place() {
      const n = this.nodes.length;
      const longest = Math.max(...this.nodes.map((unit) => Math.min(10, Array.from(String(this.labels[unit])).length)));
      this.radius = SIDE / 2 - 20 - 8 * longest;
      this.at = new Map(this.nodes.map((unit, i) => {
        const angle = (2 * Math.PI * i) / n - Math.PI / 2;
        return [unit, { angle, x: SIDE / 2 + this.radius * Math.cos(angle),
          y: SIDE / 2 + this.radius * Math.sin(angle) }];
      }));
      this.dot = Math.max(2.5, Math.min(6, (Math.PI * this.radius) / (2.4 * n)));
    }

    // As wide as its number, from 0 on; the least is a line that can be seen.
    widthOf(edge) {
      return this.widthFor(edge[this.by] || 0);
    }

    widthFor(number) {
      return Math.max(0.4, (MOST_WIDTH * number) / this.most());
    }

    most() {
      return Math.max(...this.edges.map((each) => each[this.by] || 0), 1e-9);
    }

    // Lines of a few round numbers, as wide as arrows of these. The drawing has the scale of the graph.
    makeWidths() {
      const most = this.most();
      const least = this.by === 2 ? Math.max(1, most / 5) : most / 5;
      const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
      const step = power * [1, 2, 5, 10].find((lead) => lead * power >= least * (1 - 1e-9));
      const n = Math.floor(most / step + 1e-9);
      const numbers = [...new Set([1, Math.floor((n + 1) / 2), n])].map((k) => k * step);
      const x = (k) => SIDE / 2 + 110 * (k - numbers.length / 2);
      return svg("svg", { viewBox: `0 0 ${SIDE} 22`, class: "graph widths" }, ...numbers.flatMap((number, k) => [
        svg("line", { x1: x(k), x2: x(k) + 36, y1: 11, y2: 11, "stroke-width": this.widthFor(number), stroke: "currentColor" }),
        svg("text", { x: x(k) + 44, y: 11, "dominant-baseline": "central", "font-size": 13, fill: "currentColor" }, formatReal(number)),
      ]));
    }

    draw() {
      const n = this.nodes.length;
      const focused = this.parent.contains(document.activeElement) ? document.activeElement.dataset.unit : null;
      this.lines = this.edges.map((edge) => this.makeEdge(edge));
      this.dots = this.nodes.map((unit, i) => this.makeNode(unit, i));
      const order = this.edges.map((edge, e) => e).sort((a, b) =>
        this.widthOf(this.edges[a]) - this.widthOf(this.edges[b]));
      const picture = svg("svg", {
        viewBox: `0 0 ${SIDE} ${SIDE}`, class: "graph", role: "group",
        "aria-label": `${this.nodes.length} units, ${this.edges.length} pairs. Arrow keys walk over the units, Enter filters the table.`,
      }, ...order.map((e) => this.lines[e]), ...this.dots);
      const legend = this.delays.length > 0 ? [element("div", { class: "legend" }, ...this.delays.map((delay) => {
        const { colour, dash } = this.look([null, null, 0, null, delay]);
        const line = element("span", { class: "swatch" });
        line.style.background = dash ? `repeating-linear-gradient(90deg, ${colour} 0 ${dash[0]}px, transparent 0 ${dash[0] + dash[1]}px)` : colour;
        return element("span", null, line, shorten(String(delay), 40));
      }))] : [];
      const widths = this.edges.length > 0 ? [this.makeWidths()] : [];
      for (const drawing of [picture, ...widths]) drawing.style.maxWidth = `${Math.min(54, 20 + 6 * n)}rem`;
      this.parent.replaceChildren(picture, ...widths, ...legend);
      this.light(this.held);
      if (focused) this.parent.querySelector(`[data-unit="${focused}"]`)?.focus();
    }

    makeEdge(edge) {
      const [from, to] = edge;
      const a = this.at.get(from);
      const b = this.at.get(to);
      const width = this.widthOf(edge);
      const { colour, dash } = this.look(edge);
      const { path, head } = from === to ? this.loop(a, width) : this.arc(a, b, width);
      const line = svg("g", {
        class: "edge", onpointermove: (event) => this.tell(event, edge), onpointerleave: () => this.untell(),
        onclick: () => this.pick({ from, to }),
      }, svg("path", { d: path, fill: "none", stroke: "transparent", "stroke-width": width + 8 }),
      svg("path", { d: path, fill: "none", stroke: colour, "stroke-width": width.toFixed(2), "stroke-dasharray": dash?.join(" ") }),
      svg("path", { d: head, fill: colour }));
      return line;
    }

    // A curve towards the middle, to the side of its direction, so that both ways of a pair are told apart.
    arc(a, b, width) {
      const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      const dx = b.x - a.x;
      const dy = b.y - a.y;
      const pull = 0.3;
      const control = {
        x: middle.x + (SIDE / 2 - middle.x) * pull - dy * 0.12, y: middle.y + (SIDE / 2 - middle.y) * pull + dx * 0.12,
      };
      return this.curve(a, control, b, width);
    }

    loop(a, width) {
      const out = (turn, far) => ({
        x: a.x + Math.cos(a.angle + turn) * far - Math.cos(a.angle) * 0, y: a.y + Math.sin(a.angle + turn) * far,
      });
      const p = out(Math.PI - 0.75, 34);
      const q = out(Math.PI + 0.75, 34);
      const head = this.arrow(q, a, width);
      return { path: `M ${a.x} ${a.y} C ${p.x} ${p.y} ${q.x} ${q.y} ${head.x} ${head.y}`, head: head.path };
    }

    curve(a, control, b, width) {
      const head = this.arrow(control, b, width);
      const f = (v) => v.toFixed(1);
      return { path: `M ${f(a.x)} ${f(a.y)} Q ${f(control.x)} ${f(control.y)} ${f(head.x)} ${f(head.y)}`,
        head: head.path };
    }

    // The head of an arrow that comes from `control` and ends at the rim of a unit's dot.
    arrow(control, end, width) {
      const length = Math.hypot(end.x - control.x, end.y - control.y) || 1;
      const ux = (end.x - control.x) / length;
      const uy = (end.y - control.y) / length;
      const tip = { x: end.x - ux * (this.dot + 1), y: end.y - uy * (this.dot + 1) };
      const size = 5 + width * 1.3;
      const foot = { x: tip.x - ux * size, y: tip.y - uy * size };
      const half = size * 0.45;
      const f = (v) => v.toFixed(1);
      return {
        x: foot.x + ux, y: foot.y + uy,
        path: `M ${f(tip.x)} ${f(tip.y)} L ${f(foot.x - uy * half)} ${f(foot.y + ux * half)} L ${f(foot.x + uy * half)} ${f(foot.y - ux * half)} Z`,
      };
    }

    makeNode(unit, i) {
      const { angle, x, y } = this.at.get(unit);
      const label = String(this.labels[unit]);
      const right = Math.cos(angle) >= -1e-9;
      const many = this.nodes.length > 40;
      const upright = many ? 0 : Math.abs(Math.sin(angle)); // a name above or below its circle stands free of it
      const far = this.radius + this.dot + 6 + 6 * upright;
      const turn = ((angle * 180) / Math.PI + (right ? 0 : 180)).toFixed(1);
      const text = svg("text", {
        x: SIDE / 2 + far * Math.cos(angle), y: SIDE / 2 + far * Math.sin(angle), "dominant-baseline": "central",
        "text-anchor": upright > 0.97 ? "middle" : right ? "start" : "end",
        "font-size": many ? Math.max(6, Math.min(11, 1100 / this.nodes.length)) : 13,
        transform: many ? `rotate(${turn} ${SIDE / 2 + far * Math.cos(angle)} ${SIDE / 2 + far * Math.sin(angle)})` : null,
      }, shorten(label, 10));
      return svg("g", {
        class: "node", role: "button", tabindex: i === 0 ? "0" : "-1", "data-unit": unit,
        "aria-label": this.wordsOf(unit),
        onpointermove: (event) => this.tellUnit(event, unit), onpointerleave: () => this.untell(),
        onfocus: () => this.light({ unit }), onblur: () => this.light(this.held),
        onkeydown: (event) => this.key(event, i), onclick: () => this.pick({ unit }),
      }, svg("circle", { cx: x, cy: y, r: this.dot + 6, fill: "transparent" }),
        svg("circle", { cx: x, cy: y, r: this.dot, class: "dot" }), text);
    }

    wordsOf(unit) {
      const to = this.edges.filter((edge) => edge[0] === unit).map((edge) => this.labels[edge[1]]);
      const from = this.edges.filter((edge) => edge[1] === unit).map((edge) => this.labels[edge[0]]);
      return `unit ${this.labels[unit]}${to.length ? `, followed by ${to.join(", ")}` : ""}` +
        `${from.length ? `, follows ${from.join(", ")}` : ""}`;
    }

    key(event, i) {
      const n = this.dots.length;
      const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0,
        End: n - 1 }[event.key];
      if (to !== undefined) {
        const next = this.dots[(to + n) % n];
        for (const dot of this.dots) dot.setAttribute("tabindex", dot === next ? "0" : "-1");
        next.focus();
      } else if (event.key === "Enter" || event.key === " ") this.pick({ unit: this.nodes[i] });
      else return;
      event.preventDefault();
    }

    // Draws strongly what belongs to a unit or a pair; null: everything.
    light(what) {
      const fits = (edge) => !what || (what.unit !== undefined ? edge[0] === what.unit || edge[1] === what.unit
        : edge[0] === what.from && edge[1] === what.to);
      const units = new Set(this.edges.filter(fits).flatMap(([from, to]) => [from, to]));
      this.edges.forEach((edge, e) => this.lines[e].classList.toggle("dim", !fits(edge)));
      this.nodes.forEach((unit, i) => {
        this.dots[i].classList.toggle("dim", what !== null && !units.has(unit));
        this.dots[i].classList.toggle("held", this.held !== null && this.held.unit === unit);
      });
    }

    // Keeps a unit or a pair lit, as the filter of the table; null: none.
    hold(what) {
      this.held = what;
      this.light(what);
    }

    pick(what) {
      const same = this.held && this.held.unit === what.unit && this.held.from === what.from
        && this.held.to === what.to;
      this.picked(same ? null : what);
    }

    tell(event, edge) {
      const [from, to, count, excess, delay] = edge;
      this.light({ from, to });
      this.bubble.show(event.clientX, event.clientY, [
        `${this.labels[from]} → ${this.labels[to]}${delay ? `, ${delay}` : ""}`,
        `count ${formatInteger(count)}${typeof excess === "number" ? `, excess ${formatReal(excess)}` : ""}`,
      ]);
    }

    tellUnit(event, unit) {
      this.light({ unit });
      this.bubble.show(event.clientX, event.clientY, [this.wordsOf(unit)]);
    }

    untell() {
      this.bubble.hide();
      this.light(this.held);
    }
  }

  spikemine.graph = { Graph };
})(globalThis.spikemine);
