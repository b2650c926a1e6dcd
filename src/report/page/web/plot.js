// What all drawings share: elements, canvases as sharp as the screen, text that fits, the bubble at the pointer.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  // element("button", { type: "button", class: "button" }, "text", child ...)
  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  function button(text, label, act, more) {
    return element("button", { type: "button", class: "button", title: label, "aria-label": label, onclick: act,
      ...more },
      text);
  }

  // A function that has `draw` called once before the next picture, however often it is called itself.
  function oncePerFrame(draw) {
    let pending = false;
    return () => {
      if (pending) return;
      pending = true;
      requestAnimationFrame(() => {
        pending = false;
        draw();
      });
    };
  }

  // A canvas that fills its parent's width and is drawn anew, once a frame at most, when asked to, when the
  // width changes, and when the colours or the theme's scale change. Its pixels are those of the theme.
  class Plot {
    constructor(parent, theme, { height, label, focusable }) {
      this.theme = theme;
      this.height = height;
      this.canvas = element("canvas", { role: "img", "aria-label": label, tabindex: focusable ? "0" : null });
      this.parent = parent;
      parent.append(this.canvas);
      this.context = this.canvas.getContext("2d");
      this.request = oncePerFrame(() => this.render());
      this.width = 0;
      this.ratio = 1;
      new ResizeObserver(() => this.request()).observe(parent);
      theme.listeners.push(() => this.request());
    }

    // Sets the size of the canvas; false where it is hidden.
    fit() {
      const { scale } = this.theme;
      const width = Math.floor(this.parent.clientWidth / scale);
      if (width < 20) return false;
      const ratio = scale * Math.min(3, globalThis.devicePixelRatio || 1);
      const height = typeof this.height === "function" ? this.height(width) : this.height;
      if (width !== this.width || ratio !== this.ratio || height !== this.drawnHeight) {
        this.width = width;
        this.ratio = ratio;
        this.drawnHeight = height;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        this.canvas.style.width = `${width * scale}px`;
        this.canvas.style.height = `${height * scale}px`;
      }
      return true;
    }

    // Where a pointer is in the drawing.
    place(event) {
      const { left, top } = this.canvas.getBoundingClientRect();
      return { x: (event.clientX - left) / this.theme.scale, y: (event.clientY - top) / this.theme.scale };
    }

    render() {
      if (!this.fit()) return;
      const context = this.context;
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.clearRect(0, 0, this.width, this.drawnHeight);
      context.font = `12px ${this.theme.font}`;
      context.textBaseline = "middle";
      if (this.draw) this.draw(context, this.width, this.drawnHeight);
    }
  }

  // `text`, shortened at its end until it is at most `room` wide.
  function fitText(context, text, room) {
    if (context.measureText(text).width <= room) return text;
    const letters = Array.from(text);
    let low = 0;
    let high = letters.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (context.measureText(`${letters.slice(0, middle).join("")}…`).width <= room) low = middle;
      else high = middle - 1;
    }
    return low > 0 ? `${letters.slice(0, low).join("")}…` : "";
  }

  // A horizontal axis below (x0, y) .. (x1, y): marks [[place, text] ...] in pixels, those that overlap left out.
  function drawAxis(context, theme, x0, x1, y, marks, title) {
    context.strokeStyle = theme.quiet;
    context.fillStyle = theme.quiet;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x0, y + 0.5);
    context.lineTo(x1, y + 0.5);
    context.textAlign = "center";
    let free = -Infinity;
    for (const [place, text] of marks) {
      const x = Math.round(place) + 0.5;
      context.moveTo(x, y + 0.5);
      context.lineTo(x, y + 5);
      const half = context.measureText(text).width / 2;
      const middle = Math.min(Math.max(x, x0 + half - 24), x1 - half + 10);
      if (middle - half > free) {
        context.fillText(text, middle, y + 13);
        free = middle + half + 8;
      }
    }
    context.stroke();
    if (title) context.fillText(title, (x0 + x1) / 2, y + 30);
  }

  // The bubble that tells what lies below the pointer.
  class Bubble {
    constructor() {
      this.box = element("div", { class: "bubble", role: "status", hidden: true });
      document.body.append(this.box);
    }

    show(x, y, lines) {
      this.box.replaceChildren(...lines.map((line) => element("div", null, line)));
      this.box.hidden = false;
      const { width, height } = this.box.getBoundingClientRect();
      const left = x + 14 + width > innerWidth - 8 ? x - 14 - width : x + 14;
      const top = y + 14 + height > innerHeight - 8 ? y - 14 - height : y + 14;
      this.box.style.left = `${Math.max(4, left)}px`;
      this.box.style.top = `${Math.max(4, top)}px`;
    }

    hide() {
      this.box.hidden = true;
    }
  }

  // What a canvas shows on the ground of its panel, as a PNG that `take` gets.
  function pictureOf(source, theme, take) {
    const copy = element("canvas", { width: source.width, height: source.height });
    const context = copy.getContext("2d");
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(source, 0, 0);
    copy.toBlob(take);
  }

  // Hands a file to the browser's folder for downloads.
  function save(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Whether half of the first units, two at least, are among the second ones.
  function shareMuch(units, others) {
    const own = new Set(units);
    const shared = new Set(others.filter((unit) => own.has(unit))).size;
    return 2 * shared + (shared > 1) > own.size;
  }

  spikemine.plot = { shareMuch, element, button, oncePerFrame, Plot, fitText, drawAxis, Bubble, pictureOf, save };
})(globalThis.spikemine);
