// The link to the server: news as they come, then what is lacking by number. It connects anew for as long as it takes,
// and says in words how it stands.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const WAITS_MS = [300, 700, 1500, 3000]; // between tries
  const SILENT_MS = 4000; // the server speaks every second

  class Link {
    // heard: { news(news), state(state), blocks(read), restarted(), status(kind, text) }
    constructor(heard) {
      Object.assign(this, { heard, server: null, tries: 0, fetching: false, again: false, drops: 0, status: "" });
      this.have = { labels: 0, items: 0, partitions: 0, marks: -1 };
      this.from = { spikes: 0, occurrences: 0 };
      this.connect();
      setInterval(() => this.watch(), 1000);
    }

    tell(kind, text) {
      if (this.status === kind + text) return;
      this.status = kind + text;
      this.heard.status(kind, text);
    }

    connect() {
      clearTimeout(this.retry);
      this.source?.close();
      this.spoke = performance.now();
      this.source = new EventSource("/news");
      this.source.onmessage = (event) => this.take(JSON.parse(event.data));
      this.source.onerror = () => this.lose();
    }

    // EventSource does not say why it failed; a question does.
    async lose() {
      this.source.close();
      const wait = WAITS_MS[Math.min(this.tries++, WAITS_MS.length - 1)];
      clearTimeout(this.retry);
      try {
        const answer = await fetch("/state?labels=9007199254740991&items=9007199254740991&partitions=9007199254740991");
        if (answer.status === 403) {
          this.tell("refused", "The server does not know this page any more: it was started anew with another token. " +
            "Open the address that it printed.");
        }
      } catch (error) {
        this.tell("lost", "The server does not answer. Trying again.");
      }
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.connect(), wait);
    }

    watch() {
      if (this.source.readyState === EventSource.OPEN && performance.now() - this.spoke > SILENT_MS) {
        this.tell("lost", "The server is silent. Connecting anew.");
        this.connect();
      }
    }

    take(news) {
      this.spoke = performance.now();
      this.tries = 0;
      if (this.server !== null && this.server !== news.server) {
        this.have = { labels: 0, items: 0, partitions: 0, marks: -1 };
        this.from = { spikes: 0, occurrences: 0 };
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
          await this.fetchState();
          await this.fetchBlocks();
        } while (this.again);
      } catch (error) {
        if (!(error instanceof TypeError)) console.error(error); // a TypeError: nobody answered, as the news will tell
      }
      this.fetching = false;
    }

    async fetchState() {
      const { have, news } = this;
      if (have.labels >= news.labels && have.items >= news.items && have.partitions >= news.partitions &&
        have.marks === news.marks && !this.wantsCounts) return;
      const counts = have.marks < 0 || this.wantsCounts ? 1 : 0;
      const answer = await fetch(`/state?labels=${have.labels}&items=${have.items}&partitions=${have.partitions}&counts=${counts}`);
      if (!answer.ok) return;
      const state = await answer.json();
      if (state.server !== this.server) return;
      this.wantsCounts = false;
      this.have = { labels: have.labels + state.labels.length, items: have.items + state.items.length,
        partitions: state.partitions_from + state.partitions.length, marks: state.marks_version };
      this.heard.state(state);
    }

    async fetchBlocks() {
      const { from, news } = this;
      if (from.spikes >= news.spikes && from.occurrences >= news.occurrences) return;
      const answer = await fetch(`/data?spikes=${from.spikes}&occurrences=${from.occurrences}`);
      if (!answer.ok) return;
      const read = spikemine.blocks.readBlocks(await answer.arrayBuffer());
      if (read.server !== this.server) return;
      const last = read.spikes[read.spikes.length - 1];
      from.spikes = last ? last.first + last.n : read.next;
      const { first, list } = read.occurrences;
      if (first > from.occurrences) this.wantsCounts = true; // some were forgotten before they were asked for
      from.occurrences = Math.max(from.occurrences, first + list.length);
      if (from.spikes < read.next) this.again = true;
      this.heard.blocks(read);
    }

    // An order to the server; true when it was taken.
    async order(fields) {
      try {
        const answer = await fetch("/action", { method: "POST", body: new URLSearchParams(fields).toString() });
        return answer.ok;
      } catch (error) {
        return false;
      }
    }
  }

  spikemine.link = { Link };
})(globalThis.spikemine);
