// Marks of moments, and what leaves the page: the stretch seen as text that spikemine reads, and as a picture.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button, save } = spikemine.plot;

  class Marks {
    constructor(parent, page, link) {
      Object.assign(this, { parent, page, link, list: [] });
      this.show();
    }

    set(list) {
      this.list = list;
      this.show();
    }

    show() {
      const rows = this.list.map((mark, k) => element("div", { class: "mark-row" },
        button(mark.text || `mark ${k + 1}`, "go to this mark", () => this.go(mark), { class: "button wide" }),
        element("span", { class: "quiet" }, this.page.momentOf(mark.place)),
        button("×", "take this mark away", () => this.link().order({ action: "unmark", place: mark.id }))));
      this.parent.replaceChildren(...(rows.length ? rows
        : [element("p", { class: "quiet" }, "No mark yet. Key m, or the button Mark, marks the moment at the right edge.")]));
    }

    // The middle of the raster, so that both sides are seen.
    go(mark) {
      this.page.clock.seek(mark.place + this.page.raster.widthS / this.page.store.tickS / 2);
    }

    add(text) {
      const place = Math.max(0, Math.round(this.page.clock.head));
      return this.link().order({ action: "mark", place, text: text || "" });
    }
  }

  // ---- text ------------------------------------------------------------------------------------------------

  const rateText = ([numerator, denominator]) => (denominator === 1 ? String(numerator) : `${numerator}/${denominator}`);

  // Labels that a line of text could not hold are written in quotes.
  const quoted = (label) => (/[\s,;"]|^#|^$/.test(label) ? `"${label.replace(/"/g, '""')}"` : label);

  // The stretches of segments within spikes [first, end) and places [from, to].
  function piecesOf(store, first, end, from, to) {
    const pieces = store.segments.map((segment, k) => ({ segment, from: Math.max(from, segment.begin),
      to: Math.min(to + 1, k + 1 < store.segments.length ? store.segments[k + 1].begin : Infinity) }));
    return pieces.filter((piece) => piece.to > piece.from);
  }

  // The spikes of [from, to] as lines "tick unit" that spikemine reads. The first lines tell how long a tick is, which
  // units did not fire, and the segments. Ticks are the stream's; where segments would overlap they are those of
  // the page's line of time, and a comment says by how much they are later.
  function textOf(page, from, to) {
    const { store, labels, rate, origin } = page;
    const ring = store.spikes;
    const low = Math.ceil(from);
    const high = Math.floor(to);
    const first = store.spikesFrom(low);
    const end = store.spikesFrom(high + 1);
    const pieces = piecesOf(store, first, end, low, high);
    const one = pieces.every((piece) => piece.segment.offset === pieces[0].segment.offset);
    const shift = origin - (one && pieces.length ? pieces[0].segment.offset : 0n);
    const seen = new Set();
    const spikes = [];
    for (let k = first; k < end; k++) {
      const unit = ring.columns.unit[k % ring.capacity];
      seen.add(unit);
      spikes.push(`${BigInt(ring.columns.place[k % ring.capacity]) + shift}\t${quoted(labels[unit])}`);
    }
    const lines = [`# spikemine time-unit samples@${rateText(rate)}`];
    labels.forEach((label, unit) => { if (!seen.has(unit)) lines.push(`# spikemine unit ${quoted(label)}`); });
    for (const piece of pieces) {
      if (!one && piece.segment.offset !== 0n) lines.push(`# the next segment is later by ${piece.segment.offset} ticks`);
      lines.push(`# spikemine segment ${BigInt(piece.from) + shift} ${BigInt(piece.to) + shift}`);
    }
    return lines.concat(spikes, "").join("\n");
  }

  spikemine.marks = { Marks, textOf, save };
})(globalThis.spikemine);
