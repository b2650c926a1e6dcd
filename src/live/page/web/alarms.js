// A rule that the user sets: an item that is found so often within so long sounds, colours its row and makes a mark.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button } = spikemine.plot;
  const { formatReal, plural } = spikemine.format;

  // What an alarm does, beside the sentence.
  const DEEDS = ["sound, colour, mark", "colour, mark", "sound, colour", "colour"];

  let audio = null; // browsers allow sound once somebody clicked

  function beep() {
    if (!audio) return;
    const tone = audio.createOscillator();
    tone.frequency.value = 880;
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.25);
  }

  class Alarms {
    constructor(parent, page) {
      Object.assign(this, { page, on: false });
      const number = (value, label) => element("input", { type: "number", min: 1, value, "aria-label": label,
        onchange: () => this.set(this.on) });
      this.number = number(3, "occurrences that raise the alarm");
      this.seconds = number(10, "seconds within which they come");
      this.toggle = button("Alarm", "sound and mark when an item, or the chosen one, is found so often",
        () => this.set(!this.on), { class: "button", "aria-pressed": "false" });
      this.deeds = element("select", { "aria-label": "what an alarm does" }, ...DEEDS.map((deeds) => element("option", null, deeds)));
      parent.append(this.toggle, element("span", null, "at"), this.number, element("span", null, "times within"), this.seconds,
        element("span", null, "s:"), this.deeds);
      this.set(false);
    }

    // What came before is not told. A rule that changes begins anew.
    set(on) {
      this.on = on;
      this.toggle.setAttribute("aria-pressed", String(on));
      this.toggle.classList.toggle("on", on);
      if (on && globalThis.AudioContext) audio = audio || new AudioContext();
      this.since = this.page.store.newest;
      this.ends = new Map(); // of an item, its latest ones
      this.told = new Map(); // where an item was told last
    }

    // Occurrences that came, as blocks.js has them.
    take(list) {
      if (!this.on) return;
      const n = Math.max(1, Math.round(Number(this.number.value)) || 1);
      const span = Math.max(0, Number(this.seconds.value) || 0) / this.page.store.tickS;
      const { only } = this.page.watched;
      for (const { item, places } of list) {
        const end = places[places.length - 1];
        if (end <= this.since || (only !== null && item !== only)) continue;
        const ends = (this.ends.get(item) || []).concat(end).slice(-n);
        this.ends.set(item, ends);
        if (ends.length === n && end - ends[0] <= span && !(end - this.told.get(item) <= span)) this.raise(item, end, n);
      }
    }

    raise(item, place, n) {
      const { page } = this;
      const { name } = page.items[item];
      const { box } = page.watched.row(item);
      this.told.set(item, place);
      const does = (deed) => this.deeds.value.includes(deed);
      if (does("sound")) spikemine.alarms.beep();
      box.classList.add("alarmed");
      box.addEventListener("click", () => box.classList.remove("alarmed"), { once: true });
      page.tell(`Alarm at ${page.momentOf(place)}: ${name}, ${plural(n, "time")} within ${formatReal(Number(this.seconds.value))} s.`);
      if (does("mark")) page.link.order({ action: "mark", place: Math.round(place), text: `alarm: ${name}`.slice(0, 40) });
    }
  }

  spikemine.alarms = { Alarms, beep };
})(globalThis.spikemine);
