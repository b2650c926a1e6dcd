// The page of a live stream: takes what the link brings, moves the clock, and lets each part draw itself once a frame.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { element, button, Bubble, pictureOf } = spikemine.plot;
  const { formatInteger, formatReal, formatDuration, formatMoment, plural } = spikemine.format;
  const { Store } = spikemine.store;
  const { Clock } = spikemine.clock;

  const FEW_ITEMS = 5; // watched ones that leave room below them
  const SLOW_MS = 500; // between drawings of lists and curves
  const REPLAY_SPEEDS = [0.1, 0.5, 1, 2, 5, 10, 100];
  const byId = (id) => document.getElementById(id);

  const REPLAY_FASTEST = "max";

  // ---- meters ------------------------------------------------------------------------------------------------

  const watches = (news, page) => page.items.length > 0;

  // Each: name, what it means, { value, unit, detail, alarm } of the news, or another name with its meaning, when it is
  // shown.
  const METERS = [
    ["Spikes a second", "of all units together; of a replay in a second of the recording", ({ meters, ended }) => (ended && meters.duration_s > 0
      ? { value: short(meters.accepted / meters.duration_s), detail: `on average, ${short(meters.accepted)} in ${formatDuration(meters.duration_s)}` }
      : { value: short(meters.spikes_per_s), detail: `${short(meters.accepted)} so far` })],
    ["Occurrences", "how often watched items were found so far", (news, page) => ({ value: short(page.watched.total()),
      detail: plural(page.watchedItems().length, "watched item") }), watches],
    ["Latency", "from the arrival of a spike to the occurrence that it completes; of 99 % at most this",
      ({ meters }) => ({ ...milliseconds(meters.latency_ms[1]), detail: typeof meters.latency_ms[1] === "number"
        ? `99 % are within this, half within ${text(meters.latency_ms[0])}` : "none was measured" }),
      (news, page) => watches(news, page) && (!news.meters.replay || typeof news.meters.latency_ms[1] === "number")],
    ["Lost", "spikes that the source sent and that no count has", ({ meters, unseen }) => {
      const lost = meters.lost + meters.late + meters.outside + meters.garbage;
      const parts = [[meters.lost, "missing"], [meters.late, "late"], [meters.garbage, "garbage"],
        [meters.duplicates, "came twice"], [unseen, "not shown"]];
      const told = parts.filter(([n]) => n > 0).map(([n, word]) => `${short(n)} ${word}`).join(", ");
      return { value: short(lost), alarm: lost > 0, detail: told || "nothing is missing" };
    }],
    ["Partitions", "stretches of the stream, each mined as a whole", ({ meters }) => ({ value: short(meters.partitions_mined), alarm: meters.partitions_skipped > 0,
      detail: meters.partitions_skipped ? [`${short(meters.partitions_skipped)} skipped`, meters.skipped_why].filter((part) => part).join(": ") : "none skipped" }),
      ({ meters, partitions }) => partitions > 0 || meters.partitions_mined + meters.partitions_skipped > 0],
    ["Tested", "partitions whose episodes were tested against chance", ({ meters }) => ({ value: `${short(meters.partitions_tested)} of ${short(meters.tests_due)}`,
      detail: meters.untested || "every partition", alarm: meters.partitions_tested < meters.tests_due }),
    ({ meters }) => meters.tests_due > 0],
    ["New episodes", "in the last partition, and not frequent in the one before", (news, page) => page.partitions.changes(),
      (news, page) => page.partitions.kept.length > 0],
  ];

  // Large numbers in few letters: 12,345 stays, 1234567 is 1.23 M.
  function short(value) {
    if (value === null || value === undefined) return "–";
    if (value >= 1e9) return `${(value / 1e9).toFixed(2)} G`;
    if (value >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
    return formatInteger(Math.round(value));
  }

  const text = (ms) => (typeof ms === "number" ? formatDuration(ms / 1000) : "–");

  function milliseconds(ms) {
    if (typeof ms !== "number") return { value: "–" };
    const [value, unit] = formatDuration(ms / 1000).split(" ");
    return { value, unit };
  }

  class Meters {
    constructor(parent) {
      this.parent = parent;
      this.made = METERS.map(([name, meaning, , when]) => {
        const value = element("span", null, "–");
        const unit = element("small");
        const detail = element("div", { class: "detail" });
        const title = element("dt", null, name);
        const box = element("dl", { class: `meter ${name === "Tested" ? "tested" : ""}`, title: meaning, hidden: Boolean(when) }, title,
          element("dd", null, element("div", { class: "value" }, value, unit), detail));
        parent.append(box);
        return { box, title, value, unit, detail };
      });
    }

    show(news, page) {
      METERS.forEach(([name, meaning, read, when], k) => {
        const { box, title, value, unit, detail } = this.made[k];
        if (when) box.hidden = !when(news, page);
        const shown = read(news, page);
        title.textContent = shown.name ?? name;
        box.title = shown.meaning ?? meaning;
        value.textContent = shown.value;
        unit.textContent = shown.unit || "";
        detail.textContent = detail.title = shown.detail || "";
        box.classList.toggle("alarm", Boolean(shown.alarm));
      });
    }
  }

  // ---- the page ----------------------------------------------------------------------------------------------

  class Page {
    constructor() {
      this.theme = new spikemine.theme.Theme(document.documentElement);
      this.bubble = new Bubble();
      this.forgetAll();
      this.clock = new Clock(this.store, () => this.showClock());
      this.meters = new Meters(byId("meters"));
      this.raster = new spikemine.liveRaster.LiveRaster(byId("raster"), byId("strip"), this, () => this.showWidth());
      this.trends = new spikemine.trends.Trends(this, byId("width-tools"), byId("raster-legend"), () => {
        this.partitions.show();
      });
      this.watched = new spikemine.watched.Watched(byId("watched"), byId("watched-tools"), this,
        (items) => this.raster.setOnly(items));
      this.alarms = new spikemine.alarms.Alarms(byId("alarm"), this);
      this.partitions = new spikemine.partitions.Partitions(this, { list: byId("partition-list"),
        facts: byId("partition-facts"), words: ["chance", "change", "advice"].map(byId), tools: byId("partition-tools"), graph: byId("follows-graph"),
        graphText: byId("follows-text"), steps: byId("follows-steps") });
      this.markList = new spikemine.marks.Marks(byId("marks"), this, () => this.link);
      this.buildHead();
      this.buildTransport();
      this.buildWidth();
      this.buildMarks();
      addEventListener("keydown", (event) => this.key(event));
      this.watched.arrange();
      this.link = new spikemine.link.Link({
        news: (news) => this.takeNews(news), state: (state) => this.takeState(state),
        blocks: (read) => this.takeBlocks(read), restarted: () => this.restart(),
        status: (kind, words) => this.showLink(kind, words),
      });
      this.slow = 0;
      this.showClock();
      this.showWidth();
      requestAnimationFrame((now) => this.frame(now));
    }

    forgetAll() {
      this.store = new Store();
      Object.assign(this, { labels: [], items: [], marks: [], rate: [1, 1], origin: 0n, news: null, mayWatch: false, mines: false,
        choices: new Map() });
    }

    // ---- what is watched --------------------------------------------------------------------------------------

    // Numbers of the items that are watched still.
    watchedItems() {
      return [...this.items.keys()].filter((k) => this.choices.get(k) !== false);
    }

    // The item of this name, or undefined.
    watchedAs(name) {
      return this.watchedItems().find((k) => this.items[k].name === name);
    }

    async watch(name) {
      if (!await this.link.order({ action: "watch", text: name })) {
        this.tell(`${name} cannot be watched: the server does not answer, or too many were chosen in this run.`);
      }
    }

    async unwatch(item) {
      if (!await this.link.order({ action: "unwatch", place: item })) this.tell("The server did not take this; try again.");
    }

    // ---- what comes -------------------------------------------------------------------------------------------

    takeNews(news) {
      if (this.news?.begun !== news.begun) this.touch();
      const ends = news.ended && !this.news?.ended;
      this.news = news;
      if (ends) this.partitions.showWatch();
      if (ends) this.partitions.follow();
      this.origin = BigInt(news.origin);
      if (news.rate[0] > 0) this.setRate(news.rate);
      if (!news.meters) return;
      this.meters.show(news, this);
      this.partitions.tell();
      const { source, state, replay } = news.meters;
      byId("source").textContent = [replay ? source.replace(/.*[/\\](?=.)/, "") : source, state].filter((part) => part).join(" · ");
      byId("source").title = source;
      this.showReplay(news);
    }

    setRate(rate) {
      this.rate = rate;
      this.store.tickS = rate[1] / rate[0];
    }

    takeState(state) {
      document.title = state.title;
      byId("title").textContent = state.title;
      this.labels.push(...state.labels);
      this.items.push(...state.items);
      this.marks = state.marks;
      this.markList.set(state.marks);
      this.mayWatch = state.may_watch;
      this.mines = state.mines;
      this.choices = new Map(state.choices);
      if (state.counts) this.watched.setCounts(state.counts_from, state.counts);
      this.watched.arrange();
      this.showWatched();
      this.partitions.add(state.partitions);
      this.partitions.showWatch();
      this.partitions.tell();
      this.trends.show();
      this.touch();
    }

    takeBlocks(read) {
      this.store.add(read);
      for (const { item, count } of read.occurrences.list) this.watched.count(item, count);
      this.alarms.take(read.occurrences.list);
      this.touch();
    }

    restart() {
      this.forgetAll();
      this.clock.reset(this.store);
      this.watched.reset();
      this.alarms.set(this.alarms.on);
      this.partitions.reset();
      this.markList.set([]);
      this.tell(`The server was started anew at ${new Date().toLocaleTimeString()}. What it showed before is gone from this page.`);
    }

    // A sentence above the page that can be sent away.
    tell(words) {
      const line = element("p", { class: "problem" }, words, " ", button("Close", "close this message",
        () => line.remove(), { class: "link" }));
      byId("problems").replaceChildren(line);
    }

    showLink(kind, words) {
      const names = { live: "connected", ended: "ended", lost: "reconnecting", refused: "refused" };
      byId("link").textContent = names[kind];
      byId("link").className = `pill ${kind}`;
      byId("link").title = words;
      if (kind === "lost" || kind === "refused") this.tell(words);
      else if (this.lastLink === "lost") this.connectedAgain();
      this.lastLink = kind;
    }

    connectedAgain() {
      const line = byId("problems").firstChild;
      if (line && !line.textContent.startsWith("The server was started anew")) line.remove();
    }

    // ---- time ---------------------------------------------------------------------------------------------------

    // Seconds from the page's line of time to the source's own time, at a place.
    shiftAt(place) {
      const { segments, tickS } = this.store;
      let at = segments.length - 1;
      while (at > 0 && segments[at].begin > place) at--;
      return at < 0 ? 0 : Number(this.origin - segments[at].offset) * tickS;
    }

    momentOf(place) {
      return formatMoment(place * this.store.tickS + this.shiftAt(place), 0.001);
    }

    showWatched() {
      const nothing = this.watchedItems().length === 0;
      byId("watched-panel").hidden = nothing;
      this.showSide();
    }

    // What is watched and what was mined stand beside the raster; without both it has the room. A short list leaves room
    // for the marks.
    showSide() {
      const mined = !byId("partitions").hidden;
      if (mined && !this.mined) byId("alarm-fold").open = this.alarms.on; // rows need the room
      this.mined = mined;
      const alone = byId("watched-panel").hidden && byId("partitions").hidden;
      document.querySelector(".stage").classList.toggle("alone", alone);
      document.querySelector("main").classList.toggle("few", !alone && !mined && this.watchedItems().length <= FEW_ITEMS);
    }

    // Something came: the raster is drawn with the next frame, lists and curves twice a second.
    touch() {
      this.stale = true;
      this.listsStale = true;
    }

    // One frame: the clock moves, or somebody moved it, and what changed is drawn.
    frame(now) {
      const seconds = Math.min(0.5, (now - (this.before ?? now)) / 1000);
      this.before = now;
      this.clock.advance(seconds);
      if (this.clock.head !== this.shownHead || this.stale) {
        this.stale = false;
        this.shownHead = this.clock.head;
        this.raster.request();
        this.showPlace();
      }
      if (this.listsStale && now - this.slow > SLOW_MS) {
        this.listsStale = false;
        this.slow = now;
        if (this.watched.order.value === "list") this.watched.draw();
        else this.watched.arrange();
        if (this.news?.meters) this.meters.show(this.news, this);
      }
      requestAnimationFrame((next) => this.frame(next));
    }

    // ---- tools --------------------------------------------------------------------------------------------------

    buildHead() {
      this.theme.bind(byId("theme"));
      this.foldControls();
      const full = byId("full");
      full.hidden = !document.fullscreenEnabled;
      full.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen()
        : document.documentElement.requestFullscreen()));
    }

    // A narrow screen shows what most readers need; the rest is a touch away.
    foldControls() {
      const narrow = matchMedia("(max-width: 600px)");
      const fold = () => {
        for (const box of document.querySelectorAll(".fold")) box.open = !narrow.matches && !(box.id === "alarm-fold" && this.mined);
      };
      narrow.addEventListener("change", fold);
      fold();
    }

    buildTransport() {
      const { clock } = this;
      this.playButton = button("Freeze", "freeze this page or play on (space)", () => clock.toggle(), { class: "button play" });
      this.nowButton = button("Now", "jump to now (n)", () => clock.now());
      this.speedText = element("span", { class: "speed", role: "status", "aria-label": "speed" });
      this.replay = element("span", { class: "group", hidden: true },
        this.replayPause = button("Pause replay", "pause the replay itself, for all pages", () => this.pauseReplay(), { class: "button pause" }),
        this.replaySpeed = element("select", { "aria-label": "speed of the replay", onchange: () =>
          this.link.order({ action: "speed", value: this.replaySpeed.value }) },
        ...REPLAY_SPEEDS.map((speed) => element("option", { value: speed }, `${speed}×`)),
        element("option", { value: 0 }, REPLAY_FASTEST)));
      this.replayPlace = byId("replay-place");
      byId("transport").prepend(this.playButton, this.nowButton);
      byId("transport-more").append(
        button("Oldest", "oldest that is kept (Home)", () => clock.seek(this.store.oldestPlace() + this.widthTicks())),
        button("−10 s", "ten seconds back", () => clock.move(-10 / this.store.tickS)),
        button("+10 s", "ten seconds on", () => clock.move(10 / this.store.tickS)),
        button("slower", "slower (comma)", () => clock.slower()), this.speedText,
        button("faster", "faster (full stop)", () => clock.faster()), element("span", { class: "gap" }), this.replay,
        button("Mark", "mark this moment (m)", () => this.mark()));
    }

    buildWidth() {
      this.widthText = element("span", { class: "place" });
      byId("width-tools").append(button("−", "show more time (minus)", () => this.raster.widen(1)), this.widthText,
        button("+", "show less time (plus)", () => this.raster.widen(-1)),
        button("Save text", "save the spikes of this stretch as a text file", () => this.saveText()),
        button("Picture", "save the raster as a picture", () => this.savePicture()));
    }

    buildMarks() {
      this.markText = element("input", { type: "search", class: "mark-text", placeholder: "Name of the next",
        "aria-label": "name of the next mark", maxlength: 40 });
      this.markText.addEventListener("keydown", (event) => { if (event.key === "Enter") this.mark(); });
      byId("mark-tools").append(this.markText, button("Mark", "mark this moment (m)", () => this.mark()));
    }

    widthTicks() {
      return this.raster.widthS / this.store.tickS;
    }

    async mark() {
      const done = await this.markList.add(this.markText.value);
      if (done) this.markText.value = "";
      else this.tell("The mark was not taken: the server does not answer, nothing has begun yet, or this moment is forgotten.");
    }

    async pauseReplay() {
      await this.link.order({ action: "pause", value: this.news.meters.paused ? 0 : 1 });
    }

    showReplay({ meters, ended }) {
      this.replay.hidden = !meters.replay || ended;
      this.replayPause.textContent = meters.paused ? "Resume replay" : "Pause replay";
      this.replayPlace.textContent = meters.duration_s > 0 && !ended
        ? `${meters.position_s.toFixed(1)} of ${formatReal(meters.duration_s)} s` : "";
      if (document.activeElement !== this.replaySpeed) this.showReplaySpeed(String(meters.speed));
    }

    // A speed that the command was given need not be one of ours.
    showReplaySpeed(speed) {
      const choice = this.replaySpeed;
      if (!Array.from(choice.options).some(({ value }) => value === speed)) {
        choice.append(element("option", { value: speed }, `${speed}×`));
      }
      choice.value = speed;
    }

    showClock() {
      const { mode, speed } = this.clock;
      this.playButton.textContent = mode === "pause" ? "Play" : "Freeze";
      this.playButton.classList.toggle("on", mode === "pause");
      this.nowButton.classList.toggle("on", mode === "live");
      this.speedText.textContent = `${speed}×`;
      this.stale = true;
    }

    showPlace() {
      const { clock, store, news } = this;
      if (news && !news.begun) {
        byId("raster-facts").textContent = news.rate[0] > 0 ? "waiting for the first spike" : "waiting for the source";
        return;
      }
      const behind = (store.newest - clock.head) * store.tickS;
      const where = clock.mode === "live" ? "now" : `${formatDuration(Math.max(0, behind))} behind now`;
      const state = { live: "following", pause: "frozen", play: "playing" }[clock.mode];
      byId("raster-facts").textContent = `${news?.ended && clock.mode === "live" ? "ended" : `${state}, ${where}`}, at ${this.momentOf(clock.head)}`;
    }

    showWidth() {
      this.widthText.textContent = formatDuration(this.raster.widthS);
    }

    // ---- what leaves the page -------------------------------------------------------------------------------------

    fileName() {
      return this.momentOf(this.clock.head).replace(/ .*/, "").replace(/[^0-9.]+/g, "_");
    }

    stretchText() {
      const { from, to } = this.raster.view;
      return spikemine.marks.textOf(this, from, to);
    }

    saveText() {
      spikemine.marks.save(new Blob([this.stretchText()], { type: "text/plain" }), `spikes-${this.fileName()}.txt`);
    }

    savePicture() {
      pictureOf(this.raster.plot.canvas, this.theme, (blob) => spikemine.marks.save(blob, `spikes-${this.fileName()}.png`));
    }

    // ---- keys -----------------------------------------------------------------------------------------------------

    key(event) {
      const at = event.target;
      if (/^(input|select|textarea)$/i.test(at.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && /^(button|a|summary)$/i.test(at.tagName)) return; // presses it
      if (event.key.startsWith("Arrow") && at.closest?.(".graph")) return; // walks over the graph
      const step = (event.shiftKey ? 0.5 : 0.1) * this.widthTicks();
      const acts = {
        " ": () => this.clock.toggle(), ArrowLeft: () => this.clock.move(-step), ArrowRight: () => this.clock.move(step),
        ",": () => this.clock.slower(), ".": () => this.clock.faster(), n: () => this.clock.now(),
        End: () => this.clock.now(), Home: () => this.clock.seek(this.store.oldestPlace() + this.widthTicks()),
        m: () => this.mark(), "+": () => this.raster.widen(-1), "=": () => this.raster.widen(-1),
        "-": () => this.raster.widen(1), _: () => this.raster.widen(1),
      };
      if (!acts[event.key]) return;
      acts[event.key]();
      event.preventDefault();
    }
  }

  spikemine.page = new Page();
})(globalThis.spikemine);
