"""The methods of the contest. Each takes a recording and settings, and gives sequences as `scores.py` describes them."""

import contextlib
import csv
import io
import statistics
import subprocess
import warnings

import numpy as np

warnings.filterwarnings("ignore")


class Job:
    """A recording in the forms that methods want."""

    def __init__(self, path, times, labels, seed, spikemine):
        self.path, self.spikemine, self.seed = path, spikemine, seed
        self.labels = sorted(set(labels))
        number = {label: k for k, label in enumerate(self.labels)}
        self.times, self.units = np.array(times), np.array([number[label] for label in labels])
        self.stop = float(np.ceil(self.times.max() + 0.001))

    def sequence(self, units, lags_s, times_s):
        """From numbers of units; lags count from the first."""
        order = sorted(range(len(units)), key=lambda k: lags_s[k])
        first = lags_s[order[0]]
        return {"units": [self.labels[units[k]] for k in order], "lags_s": [float(lags_s[k] - first) for k in order],
                "times_s": [float(time + first) for time in times_s]}  # fmt: skip

    def trains(self):
        import neo
        import quantities as pq

        return [neo.SpikeTrain(self.times[self.units == k] * pq.s, t_stop=self.stop * pq.s) for k in range(len(self.labels))]

    def counts(self, bin_s):
        """An array of units and bins."""
        n_bins = int(np.ceil(self.stop / bin_s))
        counts = np.zeros((len(self.labels), n_bins))
        np.add.at(counts, (self.units, np.minimum((self.times / bin_s).astype(int), n_bins - 1)), 1)
        return counts


# ---- Elephant ------------------------------------------------------------------------------------


def spade(job, options):
    import quantities as pq
    from elephant.spade import spade as run

    np.random.seed(job.seed)
    with contextlib.redirect_stdout(io.StringIO()):
        patterns = run(job.trains(), options["bin_s"] * pq.s, options["window"], min_spikes=options["min_spikes"],
                       min_occ=options["support"], n_surr=options["surrogates"], dither=options["dither_s"] * pq.s,
                       spectrum=options["spectrum"], alpha=options["alpha"], psr_param=options["psr"])["patterns"]  # fmt: skip
    for one in patterns:
        lags = [0.0, *one["lags"].rescale("s").magnitude.tolist()]
        yield job.sequence(list(one["neurons"]), lags, one["times"].rescale("s").magnitude.tolist())


def cad(job, options):
    import quantities as pq
    from elephant.cell_assembly_detection import cell_assembly_detection
    from elephant.conversion import BinnedSpikeTrain

    trains = job.trains()
    for bin_s in options.get("bins_s", (options["bin_s"],)):
        binned = BinnedSpikeTrain(trains, bin_size=bin_s * pq.s, tolerance=None)
        for one in cell_assembly_detection(binned, max_lag=options["window"], alpha=options["alpha"]):
            lags = [0.0, *one["lags"].rescale("s").magnitude.tolist()]
            yield job.sequence(list(one["neurons"]), lags, one["times"].rescale("s").magnitude.tolist())


def asset(job, options):
    """A result is a sequence of synchronous events that came twice."""
    import quantities as pq
    from elephant.asset import ASSET

    run = ASSET(job.trains(), bin_size=options["bin_s"] * pq.s)
    chance = run.probability_matrix_analytical(run.intersection_matrix(), kernel_width=options["kernel_s"] * pq.s)
    joint = run.joint_probability_matrix(chance, filter_shape=options["filter"], n_largest=options["largest"])
    mask = run.mask_matrices([chance, joint], [options["threshold"]] * 2)
    clusters = run.cluster_matrix_entries(mask, max_distance=options["distance"], min_neighbors=options["neighbors"],
                                          stretch=options["stretch"])  # fmt: skip
    for events in run.extract_synchronous_events(clusters).values():
        members = {unit: bins for bins, units in sorted(events.items()) for unit in units}
        first = [min(bins[which] for bins in members.values()) for which in (0, 1)]
        lags = [(bins[0] - first[0]) * options["bin_s"] for bins in members.values()]
        yield job.sequence(list(members), lags, [bin_ * options["bin_s"] for bin_ in first])


# ---- reference programs and packages ---------------------------------------------------------------


def correlograms(job, options):
    from correlograms import pairs

    bin_s, window = options["bin_s"], 2 * options["dither_s"]
    found = pairs(job.times, job.units, len(job.labels), bin_s, options["window"], window, options["surrogates"],
                  options["alpha"], job.seed)  # fmt: skip
    for a, b, late, _ in found:
        begin, follow = job.times[job.units == a], job.times[job.units == b]
        after = np.searchsorted(follow, begin + (late + 1) * bin_s) - np.searchsorted(follow, begin + late * bin_s)
        yield job.sequence([a, b], [0.0, (late + 0.5) * bin_s], begin[after > 0])


def ppseq(job, options):
    from ppseq import Prior, Sampler

    members = options["span_s"] / options["step_s"] + 1
    rate = len(job.times) / job.stop
    # Offsets spread over half of the longest sequence, widths of a bin: both follow from the longest step and sequence.
    width = options["bin_s"] ** 2
    prior = Prior(types=options["types"], amplitude=members, amplitude_variance=members * 10, width=width,
                  offset_weight=width / (options["span_s"] / 2) ** 2, background=rate, background_variance=rate,
                  longest=2 * options["span_s"])  # fmt: skip
    sampler = Sampler(job.times, job.units, len(job.labels), job.stop, prior, job.seed, most_events=len(job.times) // 2)
    sampler.run()
    for units, lags, times in sampler.sequences():
        yield job.sequence(units.tolist(), lags, times)


def overlap_skewness(rest, factor):
    """Skewness of a factor's overlap with the data over time."""
    total = sum(factor[:, late] @ np.roll(rest, -late, axis=1) for late in range(factor.shape[1]))
    far = total - total.mean()
    return (far**3).mean() / max((far**2).mean(), 1e-300) ** 1.5


def significant_factors(rest, factors, alpha, draw):
    """The test of Mackevicius et al. (2019): is the overlap more skewed than with each unit's row moved by itself?"""
    _, n_factors, length = factors.shape
    for k in range(n_factors):
        factor = factors[:, k]
        if not factor.max() > 0:
            continue
        true, reached, copies = overlap_skewness(rest, factor), 0, int(np.ceil(n_factors / alpha)) * 2
        for _ in range(copies):
            moved = np.array([np.roll(row, draw.integers(length)) for row in factor])
            reached += overlap_skewness(rest, moved) >= true
        if (reached + 1) / (copies + 1) <= alpha / n_factors:
            yield k


def peaks_of(values, apart):
    """Places of maxima more than three standard deviations above the mean, the highest first, none near another."""
    kept = []
    high = np.flatnonzero(values > values.mean() + 3 * values.std())
    for place in high[np.argsort(-values[high], kind="stable")]:
        if all(abs(place - other) > apart for other in kept):
            kept.append(int(place))
    return sorted(kept)


def seqnmf(job, options):
    from seqnmf import seqnmf as factorize

    np.random.seed(job.seed)
    counts, bin_s, window = job.counts(options["bin_s"]), options["bin_s"], max(2, options["window"])
    border = 3 * counts.shape[1] // 4
    n_factors = options["factors"]
    factors, *_ = factorize(counts[:, :border].copy(), K=n_factors, L=window, Lambda=options["lambda"])
    kept = list(significant_factors(counts[:, border:], factors, options["alpha"], np.random.default_rng(job.seed)))
    if not kept:
        return
    _, when, *_ = factorize(counts.copy(), K=n_factors, L=window, Lambda=options["lambda"], W_init=factors.copy(),
                            W_fixed=True, shift=False, sort_factors=False, max_iter=20)  # fmt: skip
    for k in kept:
        peak = factors[:, k].max(axis=1)
        units = np.flatnonzero(peak >= peak.max() / 4)
        if len(units) >= 2:
            lags = factors[units, k].argmax(axis=1) * bin_s
            yield job.sequence(units.tolist(), lags.tolist(), [(place - 0.5) * bin_s for place in peaks_of(when[k], window)])


# ---- ours ----------------------------------------------------------------------------------------


def run_ours(job, command, *words):
    """Rows of the results and of their occurrences."""
    made, where = job.path.with_suffix(f".{command}.tsv"), job.path.with_suffix(f".{command}.occurrences.tsv")
    subprocess.run([job.spikemine, command, job.path, *words, "--threads", "1", "--seed", str(job.seed), "-q", "--force", "-o",
                    made, "--occurrences", where], check=True, capture_output=True, text=True)  # fmt: skip
    tables = []
    for path in (made, where):
        with open(path, encoding="utf-8") as lines:
            tables.append(list(csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t")))
    return tables


def exact_test(options):
    return ["--test", "exact", "--jitter", f"{2 * options['dither_s']:.6f}s", "--surrogates", "99", "--distinct-units", "2"]


def rows_as_sequences(job, rows, where, column, units_of, times_of):
    """Each result with the median lags of its occurrences."""
    number = {label: k for k, label in enumerate(job.labels)}
    spikes = {}
    for row in where:
        spikes.setdefault(row[column], []).append(times_of(row))
    for row in rows:
        units = units_of(row[column])
        times = spikes.get(row[column], [])
        if len(set(units)) > 1 and times:
            lags = [statistics.median(one[k] - one[0] for one in times) for k in range(len(units))]
            yield job.sequence([number[unit] for unit in units], lags, [one[0] for one in times])


def episode_units(text):
    return [word for word in text.split() if word[0] not in "(["]


def episodes(job, options):
    step = options["bin_s"]
    words = [word for k in range(4) for word in ("-d", f"{k * step:.6f}s:{(k + 1) * step:.6f}s")]
    words += ["-s", str(options["support"]), "--max-size", "7", *exact_test(options)]
    if options.get("suggest"):
        words = suggestion(job) or ["--delay", "0:10ms", "--support", "auto", "--test", "exact", "--jitter", "50ms"]
    rows, where = run_ours(job, "episodes", *words)
    yield from rows_as_sequences(job, rows, where, "episode", episode_units,
                                 lambda row: [float(time) for time in row["times_s"].split(",")])  # fmt: skip


def suggestion(job):
    """Options that `info --suggest` gives, or none; `run_ours` says the number of threads."""
    done = subprocess.run([job.spikemine, "info", job.path, "--suggest", "--threads", "1"], check=True, capture_output=True,
                          text=True)  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith("suggestion\t"):
            return line.split("\t")[1].replace(" --threads 1", "").split()[3:]
    return None


def patterns(job, options):
    bin_s = options["bin_s"]
    rows, where = run_ours(job, "patterns", "--bin", f"{bin_s:.6f}s", "--window", str(options["window"]), "--min-spikes", "2",
                           "--support", str(options["support"]), *exact_test(options))  # fmt: skip

    def parts(text, which):
        return [part.rsplit("@", 1)[which] for part in text.split()]

    yield from rows_as_sequences(job, rows, where, "pattern", lambda text: parts(text, 0),
                                 lambda row: [float(row["time_s"]) + int(late) * bin_s for late in parts(row["pattern"], 1)])  # fmt: skip


def sequences(job, options):
    longest, jitter = options.get("longest_lag_s", options["span_s"]), options.get("jitter_s", 2 * options["dither_s"])
    rows, where = run_ours(job, "sequences", "-l", f"{longest:.6f}s", "-j", f"{jitter:.6f}s")
    number = {label: k for k, label in enumerate(job.labels)}
    for name in dict.fromkeys(row["sequence"] for row in rows):
        mine = [row for row in rows if row["sequence"] == name]
        yield job.sequence([number[row["unit"]] for row in mine], [float(row["lag_s"]) for row in mine],
                           [float(row["time_s"]) for row in where if row["sequence"] == name])  # fmt: skip
