// Colours: those of the style sheet for drawings, Okabe and Ito's for categories, cividis for amounts.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  // Okabe & Ito 2008, in the order in which neighbours differ most; dark grounds take the lighter set.
  const CATEGORIES = {
    light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#000000"],
    dark: ["#56b4e9", "#f0803c", "#29c498", "#e29ac4", "#f0e442", "#e69f00", "#ffffff"],
  };
  const SHAPES = ["circle", "square", "triangle", "diamond", "down", "plus", "cross"];

  // Cividis (Nuñez, Anderton & Renslow 2018) at nine places.
  const CIVIDIS = [
    [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [165, 156, 116],
    [195, 179, 105], [254, 232, 56],
  ];

  function cividis(share) {
    const place = Math.min(1, Math.max(0, share)) * (CIVIDIS.length - 1);
    const low = Math.min(CIVIDIS.length - 2, Math.floor(place));
    return CIVIDIS[low].map((c, i) => Math.round(c + (CIVIDIS[low + 1][i] - c) * (place - low)));
  }

  const textOf = ([r, g, b], alpha) => (alpha === undefined ? `rgb(${r} ${g} ${b})` : `rgb(${r} ${g} ${b} / ${alpha})`);

  function partsOf(hex) {
    const value = parseInt(hex.trim().slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }

  const NAMES = ["ground", "panel", "ink", "quiet", "line", "faint", "accent", "mark", "gap"];

  // How much larger type and drawings are than on a screen of middle size: the root's letters are 10 pixels there.
  const scaleOf = (root) => parseFloat(getComputedStyle(root).fontSize) / 10;

  // What drawings need: colours by name, and whether the ground is dark.
  class Theme {
    constructor(root) {
      this.root = root;
      this.listeners = [];
      this.system = globalThis.matchMedia("(prefers-color-scheme: dark)");
      this.system.addEventListener("change", () => this.read());
      addEventListener("resize", () => { if (this.scale !== scaleOf(root)) this.read(); });
      this.read();
    }

    read() {
      const asked = this.root.dataset.theme;
      this.dark = asked ? asked === "dark" : this.system.matches;
      const style = getComputedStyle(this.root);
      for (const name of NAMES) this[name] = style.getPropertyValue(`--${name}`).trim();
      this.scale = scaleOf(this.root);
      this.font = style.getPropertyValue("--font").trim() || "sans-serif";
      this.categories = this.dark ? CATEGORIES.dark : CATEGORIES.light;
      for (const listener of this.listeners) listener();
    }

    set(name) {
      this.root.dataset.theme = name;
      this.read();
    }

    // A button that changes from light to dark and back, and says to which.
    bind(toggle) {
      const name = () => {
        toggle.textContent = this.dark ? "Light" : "Dark";
        toggle.setAttribute("aria-label", this.dark ? "light colours" : "dark colours");
      };
      toggle.addEventListener("click", () => this.set(this.dark ? "light" : "dark"));
      this.listeners.push(name);
      name();
    }

    category(k) {
      return this.categories[k % this.categories.length];
    }
  }

  // A marker of category k round (x, y); `r` is half its size.
  function drawMarker(context, k, x, y, r) {
    const shape = SHAPES[k % SHAPES.length];
    context.beginPath();
    if (shape === "circle") context.arc(x, y, r, 0, 2 * Math.PI);
    else if (shape === "square") context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
    else if (shape === "plus" || shape === "cross") {
      const w = r * 0.42;
      const points = [[-w, -r], [w, -r], [w, -w], [r, -w], [r, w], [w, w], [w, r], [-w, r], [-w, w], [-r, w], [-r, -w],
        [-w, -w]];
      const turn = shape === "cross" ? Math.SQRT1_2 : 0;
      for (const [px, py] of points) {
        if (turn) context.lineTo(x + (px - py) * turn, y + (px + py) * turn);
        else context.lineTo(x + px, y + py);
      }
      context.closePath();
    } else {
      const corners = {
        triangle: [[0, -1.15], [1.05, 0.8], [-1.05, 0.8]],
        down: [[0, 1.15], [1.05, -0.8], [-1.05, -0.8]],
        diamond: [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]],
      }[shape];
      for (const [px, py] of corners) context.lineTo(x + px * r, y + py * r);
      context.closePath();
    }
    context.fill();
  }

  spikemine.theme = { Theme, scaleOf, cividis, textOf, partsOf, drawMarker };
})(globalThis.spikemine);
