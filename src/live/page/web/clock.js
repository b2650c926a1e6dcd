// The page's own clock: where the right edge of the raster is. It follows the newest spike, stands, or plays what is
// kept, slower or faster than it was; the source knows nothing of it.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100];
  const SMOOTH_S = 0.12; // news come in steps; the head glides over them

  class Clock {
    // store: what is kept; changed: called when mode or speed did.
    constructor(store, changed) {
      Object.assign(this, { store, changed, mode: "live", speed: 1, head: 0, settled: false });
    }

    // Moves the head by so many seconds of the wall. Returns whether it moved.
    advance(seconds) {
      const { newest, tickS } = this.store;
      const before = this.head;
      if (this.mode === "live") {
        const share = this.settled ? 1 - Math.exp(-seconds / SMOOTH_S) : 1;
        const next = this.head + (newest - this.head) * share;
        this.head = Math.abs(newest - next) * 2000 * tickS < 1 ? newest : next;
        this.settled = newest > 0;
      } else if (this.mode === "play") {
        this.head += (seconds * this.speed) / tickS;
        if (this.head >= newest) {
          this.head = newest;
          if (this.speed >= 1) this.set("live");
        }
      }
      const oldest = this.store.oldestPlace();
      if (this.mode !== "live" && this.head < oldest) this.head = oldest; // forgotten meanwhile
      return this.head !== before;
    }

    set(mode) {
      if (mode === this.mode) return;
      this.mode = mode;
      this.changed();
    }

    now() {
      this.head = this.store.newest;
      this.set("live");
    }

    pause() {
      this.set("pause");
    }

    play() {
      this.set("play");
    }

    // Space: stands, or goes on from there at the speed that is set.
    toggle() {
      if (this.mode === "pause") this.play();
      else this.pause();
    }

    setSpeed(speed) {
      this.speed = speed;
      if (this.mode === "live" && speed !== 1) this.mode = "play";
      this.changed();
    }

    slower() {
      this.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]);
    }

    faster() {
      this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]);
    }

    // Goes to a place; what follows the newest spike stands there from now on.
    seek(place) {
      const { newest } = this.store;
      this.head = Math.min(newest, Math.max(this.store.oldestPlace(), place));
      if (this.mode === "live") this.pause();
    }

    move(ticks) {
      this.seek(this.head + ticks);
    }

    // Another stream: nothing of the old one holds.
    reset(store) {
      Object.assign(this, { store, head: 0, settled: false, mode: "live", speed: 1 });
      this.changed();
    }
  }

  spikemine.clock = { Clock, SPEEDS };
})(globalThis.spikemine);
