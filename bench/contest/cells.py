"""The contest: recordings, methods and settings. Nothing here was chosen after a run of it had been scored.

A cell is a kind of recording: options of `spikemine simulate probe`, and what every method is told: `step_s`, the longest
delay between members that follow each other, and `span_s`, the longest sequence. A method has two columns:

  own    the options that its authors' pages or studies use. Lengths that these pages leave to the reader are those of
         the rule.
  rule   one rule for all: bins of a quarter of the longest step, windows as long as the longest sequence, surrogates that
         move a spike by 5 bins to either side, 100 of them, level 0.05, support 5.

The size "first" is for a slow or shared machine, "full" is the contest. Seeds begin at 7000 and are those of the generator.
"""

SIZES = {
    "first": {"units": 24, "duration": "30s", "recordings": 20, "cpu_s": 120, "memory_gb": 4},
    "full": {"units": 40, "duration": "90s", "recordings": 20, "cpu_s": 3600, "memory_gb": 16},
}
SEED = 7000
# What all cells share: units of log-normal rates of mean 4 Hz.
BASE = {"rate": "4", "rate-spread": "0.8", "refractory": "2ms"}


def chains(number, sizes, steps_ms, repeats, jitter_ms, **more):
    """Options that plant sequences."""
    return {
        "sequences": number, "min-size": sizes[0], "max-size": sizes[1], "min-step": f"{steps_ms[0]}ms",
        "max-step": f"{steps_ms[1]}ms", "repeats": repeats, "jitter": f"{jitter_ms}ms",
    } | {key.replace("_", "-"): value for key, value in more.items()}  # fmt: skip


MIXED = chains(3, (3, 7), (2, 18), 30, 2, failing=0.1)
UNITS_WITH_HABITS = {"bursts": 0.5, "refractory": "4ms", "rhythm": 0.3, "rhythm-rate": "8"}
# name: (step_s, span_s, options of the generator)
CELLS = {
    "few": (0.020, 0.12, chains(2, (5, 7), (2, 18), 12, 0.3)),
    "mixed": (0.020, 0.12, MIXED),
    "slow": (0.050, 0.25, chains(2, (4, 6), (15, 50), 40, 3)),
    "hard": (0.030, 0.18, chains(2, (5, 7), (10, 30), 30, 5, failing=0.3)),
    "synchrony": (0.010, 0.01, chains(2, (5, 6), (0, 0), 20, 1, failing=0.1)),
    "long": (0.030, 0.42, chains(1, (10, 15), (10, 30), 20, 5, failing=0.2)),
    "warped": (0.030, 0.26, chains(2, (6, 8), (10, 30), 30, 1, failing=0.1, warp=1.25)),
    "adding jitter": (0.030, 0.18, chains(2, (5, 7), (10, 30), 30, 3, failing=0.1, adding_jitter=True)),
    "reversed": (0.020, 0.12, chains(2, (5, 7), (5, 18), 30, 1, failing=0.1, reversed=0.3)),
    "shared": (0.020, 0.12, chains(2, (5, 7), (5, 18), 30, 1, failing=0.1, shared=2)),
    "nested": (0.020, 0.12, chains(2, (5, 7), (5, 18), 30, 1, failing=0.1, nested=True)),
    "habits": (0.020, 0.12, MIXED | UNITS_WITH_HABITS),
    "sorting": (0.020, 0.12, MIXED | {"missed": 0.1, "merged": 2, "split": 2, "drift": 0.2}),
    "culture": (0.020, 0.12, MIXED | {"background": "wagenaar"}),
    "none": (0.020, 0.12, {}),
    "none, habits": (0.020, 0.12, UNITS_WITH_HABITS),
    "none, slow rates": (0.020, 0.12, {"modulation": 0.6, "modulation-rate": "0.5"}),
    "none, stimulus": (0.020, 0.12, {"stimulus": "2s"}),
    "none, culture": (0.020, 0.12, {"background": "wagenaar"}),
}
# Real recordings that can be a background, where the data are there.
BACKGROUNDS = {"wagenaar": "wagenaar/2-1-20.spk.txt"}


def rule(step_s, span_s):
    """The rule's lengths: bin, bins of a window, and how far surrogates move a spike to either side."""
    bin_s = step_s / 4
    return {"bin_s": bin_s, "window": max(1, round(span_s / bin_s)), "dither_s": 5 * bin_s, "surrogates": 100,
            "alpha": 0.05, "support": 5}  # fmt: skip


# method: (function of methods.py, options of the column `own`, options of the column `rule` beside its lengths)
METHODS = {
    # The tutorial of SPADE looks for synchrony only, so the own column is the published study of sequences
    # (INM-6/SPADE_surrogates), with the tutorial's number of surrogates and Elephant's default kind of them, since its
    # shifts of trials need trials. In the rule's column what remains is from the tutorial.
    "Elephant SPADE": ("spade",
        {"bin_s": 0.005, "window": 12, "dither_s": 0.025, "min_spikes": 3, "support": 10, "psr": (2, 2, 2), "spectrum": "3d#"},
        {"min_spikes": 3, "psr": (0, 0, 0), "spectrum": "#"}),
    # Russo and Durstewitz 2017: several bins, ten bins of lag.
    "Elephant CAD": ("cad", {"bins_s": (0.003, 0.005, 0.010, 0.020), "window": 10}, {}),
    "correlograms (reference)": ("correlograms", {"bin_s": 0.001, "window": 50, "dither_s": 0.005}, {}),
    # The songbird example of the authors' program. Its lengths and amounts follow from what all are told.
    "PPSeq (reference)": ("ppseq", {"types": 2}, {"types": 4}),
    # Defaults of the package; the factors' test of the paper (eLife 2019), on the quarter that was not fitted.
    "seqnmf": ("seqnmf", {"factors": 10, "lambda": 0.001}, {"factors": 4, "lambda": 0.001}),
    "spikemine episodes": ("episodes", {"suggest": True}, {}),
    "spikemine patterns": ("patterns", {"bin_s": 0.005, "window": 20, "dither_s": 0.025, "support": "auto"}, {}),
    "spikemine sequences": ("sequences", {"longest_lag_s": 0.2, "jitter_s": 0.05}, {}),
}  # fmt: skip
COLUMNS = ("rule", "own")
# Methods that are not in the cells, with the options of their authors' tutorials. scale.py measures their cost.
LEFT_OUT = {
    "Elephant ASSET": ("asset",
        {"bin_s": 0.003, "kernel_s": 0.05, "filter": (11, 3), "largest": 3, "threshold": 0.99, "distance": 11, "neighbors": 10,
         "stretch": 5}, {}),
}  # fmt: skip


def settings(method, column, cell):
    step_s, span_s, _ = CELLS[cell]
    _, own, more = (METHODS | LEFT_OUT)[method]
    return rule(step_s, span_s) | {"step_s": step_s, "span_s": span_s} | (own if column == "own" else more) | {"column": column}
