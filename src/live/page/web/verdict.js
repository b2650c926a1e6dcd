// What a partition means, in three sentences: is it chance, what changed, what to do.
"use strict";
globalThis.spikemine = globalThis.spikemine || {};

(function (spikemine) {
  const { formatInteger, formatMean, formatReal, plural } = spikemine.format;
  const { TRENDS, NAMES, rowsOf, chainOf } = spikemine.trends;

  const isTested = (p) => p.tested === "";

  const numberOf = ({ trends }) => NAMES.slice(0, -1).reduce((sum, name) => sum + trends[name], 0);

  // Numbers of episodes by trend, in words: those of some.
  const numbersOf = (numbers, names) => names.filter((name) => numbers[name] > 0)
    .map((name) => `${TRENDS[name][0]}\u00a0${formatInteger(numbers[name])}\u00a0${name}`).join(", ");

  const chanceOf = ({ p, expected }) => (typeof p === "number" ? `p ${formatReal(p)}, ${formatMean(expected)} by chance` : "");

  function tellChance(p, labels) {
    if (!p) return "No partition has been mined yet.";
    if (p.state === "skipped") return "This partition was skipped.";
    const n = numberOf(p);
    if (n === 0) return `No episode was found ${plural(p.support, "time")} or more.`;
    const all = plural(n, "episode");
    if (!isTested(p)) return `${all}. Chance may make them: they were not tested${p.tested === "not asked for" ? "" : `, ${p.tested}`}.`;
    if (p.significant === 0) return `${n === 1 ? "1 episode, which does not exceed" : `None of ${all} exceeds`} chance.`;
    const [best] = rowsOf(p);
    return `${formatInteger(p.significant)} of ${all} ${p.significant === 1 ? "exceeds" : "exceed"} chance. The strongest: ${chainOf(best, labels)}, ${
      plural(best.count, "time")}, ${chanceOf(best)}.`;
  }

  function tellChange(p) {
    if (!p || p.state === "skipped") return "";
    if (p.before === null) return "It is the first one, so that nothing has changed yet.";
    return `Since partition ${p.before + 1}: ${numbersOf(p.trends, ["new", "growing", "vanished", "shrinking", "steady"]) || "no episode then or now"}.`;
  }

  // What a reader may do: [text, whether something is amiss].
  function advise(p, { news, mayWatch, watchedItems }) {
    const { meters, ended } = news || {};
    if (!meters) return ["", false];
    if (meters.partitions_tested < meters.tests_due) return [`Not tested: ${meters.untested}.`, true];
    if (meters.partitions_skipped > 0) {
      return [`${plural(meters.partitions_skipped, "partition")} skipped, as mining is slower than the stream. Take a longer --step, a larger --support or --keep-up${
        meters.replay ? ", or --speed max, which waits" : ""}.`, true];
    }
    if (!p) return [ended ? "The source ended before a partition was full: take a shorter --partition." : "The first one is mined once it is full.", false];
    if (p.tested === "not asked for") return ["Start with --test exact to learn what chance makes.", false];
    if (numberOf(p) === 0) return ["Take a smaller --support or a longer --delay to see more.", false];
    if (p.significant === 0) return ["A longer --partition or a larger --support lets a test see weaker ones.", false];
    if (ended) return ["The source has ended. ‹ shows earlier partitions, Save text keeps the stretch.", false];
    if (!mayWatch) return ["", false];
    return [watchedItems > 0 ? "Alarm, below what is watched, tells when one is found often." : "Watch counts one from now on. An alarm may then be bound to it.", false];
  }

  spikemine.verdict = { tellChance, tellChange, advise, numbersOf, numberOf, chanceOf };
})(globalThis.spikemine);
