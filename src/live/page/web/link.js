// The link to the server: news as they come, then what is lacking by number. It connects anew for as long as it takes,
// and says in words how it stands. Each request brings the token in a header of its own; a cookie would go to every
// port of the machine, whoever listens there.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const WAITS_MS = [300, 700, 1500, 3000]; // between tries
  const SILENT_MS = 4000; // the server speaks every second

  // The token comes once in the address. From there it goes to the storage of this tab, which this port alone can read;
  // where the browser has none it stays in the address.
  function takeToken() {
    const given = new URLSearchParams(location.search).get("token");
    try {
      if (given !== null) {
        sessionStorage.setItem("token", given);
        history.replaceState(null, "", "/");
      }
      return sessionStorage.getItem("token") || "";
    } catch (error) {
      return given || "";
    }
  }

  // What may be said of the server's news: each text ends in an empty line.
  async function readNews(body, take) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const texts = (rest + piece.value).split("\n\n");
      rest = texts.pop();
      for (const text of texts) if (text.startsWith("data: ")) take(JSON.parse(text.slice(6)));
    }
  }

  class Link {
    // heard: { news(news), state(state), blocks(read), restarted(), status(kind, text) }
    constructor(heard) {
      Object.assign(this, { heard, server: null, tries: 0, fetching: false, again: false, drops: 0, status: "" });
      this.have = { labels: 0, items: 0, partitions: 0, marks: -1, choices: -1 };
      this.from = { spikes: 0, occurrences: 0 };
      this.counts = 0; // the item whose count is asked for next; null: none
      this.token = takeToken();
      this.connect();
      setInterval(() => this.watch(), 1000);
    }

    tell(kind, text) {
      if (this.status === kind + text) return;
      this.status = kind + text;
      this.heard.status(kind, text);
    }

    ask(path, options = {}) {
      return fetch(path, { ...options, headers: { "X-Spikemine-Token": this.token } });
    }

    // News until the connection breaks, or until another one replaces it.
    async connect() {
      clearTimeout(this.retry);
      this.source?.abort();
      const source = this.source = new AbortController();
      this.spoke = performance.now();
      this.open = false;
      try {
        const answer = await this.ask("/news", { signal: source.signal });
        this.open = answer.ok;
        if (answer.ok) await readNews(answer.body, (news) => this.take(news));
        else if (answer.status === 403) {
          this.tell("refused", "The server does not know this page: it was started anew with another token, or this " +
            "address has none. Open the address that it printed.");
        }
      } catch (error) {
        if (source === this.source) this.tell("lost", "The server does not answer. Trying again.");
      }
      if (source !== this.source) return;
      this.open = false;
      this.retry = setTimeout(() => this.connect(), WAITS_MS[Math.min(this.tries++, WAITS_MS.length - 1)]);
    }

    watch() {
      if (this.open && performance.now() - this.spoke > SILENT_MS) {
        this.tell("lost", "The server is silent. Connecting anew.");
        this.connect();
      }
    }

    take(news) {
      this.spoke = performance.now();
      this.tries = 0;
      if (this.server !== null && this.server !== news.server) {
        this.have = { labels: 0, items: 0, partitions: 0, marks: -1, choices: -1 };
        this.from = { spikes: 0, occurrences: 0 };
        this.counts = 0;
        this.heard.restarted();
      }
      this.server = news.server;
      this.news = news;
      this.tell(news.ended ? "ended" : "live", news.ended ? "The stream has ended." : "");
      this.heard.news(news);
      this.fetch();
    }

    // One question at a time; what came meanwhile is asked for afterwards.
    async fetch() {
      if (this.fetching) {
        this.again = true;
        return;
      }
      this.fetching = true;
      try {
        do {
          this.again = false;
          while (await this.fetchState()); // an answer need not have all that is lacking
          await this.fetchBlocks();
        } while (this.again);
      } catch (error) {
        if (!(error instanceof TypeError)) console.error(error); // a TypeError: nobody answered, as the news will tell
      }
      this.fetching = false;
    }

    // Whether anything came that there may be more of.
    async fetchState() {
      const { have, news } = this;
      if (have.labels >= news.labels && have.items >= news.items && have.partitions >= news.partitions &&
        have.marks === news.marks && have.choices === news.choices && this.counts === null) return false;
      const counts = this.counts === null ? "" : `&counts=${this.counts}`;
      const answer = await this.ask(`/state?labels=${have.labels}&items=${have.items}&partitions=${have.partitions}${counts}`);
      if (!answer.ok) return false;
      const state = await answer.json();
      if (state.server !== this.server) return false;
      if (state.counts) {
        const next = state.counts_from + state.counts.length;
        this.counts = state.counts.length > 0 && next < news.items ? next : null;
      }
      this.have = { labels: have.labels + state.labels.length, items: have.items + state.items.length,
        partitions: state.partitions_from + state.partitions.length, marks: state.marks_version,
        choices: state.choices_version };
      this.heard.state(state);
      return this.counts !== null || state.labels.length + state.items.length + state.partitions.length > 0;
    }

    async fetchBlocks() {
      const { from, news } = this;
      if (from.spikes >= news.spikes && from.occurrences >= news.occurrences) return;
      const answer = await this.ask(`/data?spikes=${from.spikes}&occurrences=${from.occurrences}`);
      if (!answer.ok) return;
      const read = spikemine.blocks.readBlocks(await answer.arrayBuffer());
      if (read.server !== this.server) return;
      const last = read.spikes[read.spikes.length - 1];
      from.spikes = last ? last.first + last.n : read.next;
      const { first, list } = read.occurrences;
      if (first > from.occurrences) this.counts = 0; // some were forgotten before they were asked for
      from.occurrences = Math.max(from.occurrences, first + list.length);
      if (from.spikes < read.next || (list.length > 0 && from.occurrences < read.nextOccurrence)) this.again = true;
      this.heard.blocks(read);
    }

    // An order to the server; true when it was taken.
    async order(fields) {
      try {
        const answer = await this.ask("/action", { method: "POST", body: new URLSearchParams(fields).toString() });
        return answer.ok;
      } catch (error) {
        return false;
      }
    }
  }

  spikemine.link = { Link };
})(globalThis.spikemine);
