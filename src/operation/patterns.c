/* Options of patterns: search, list, test. */
#include "operation/options.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

const spk_option spk_options_searching_patterns[] = {
    TIME("bin", NULL, "width of a bin, e.g. 5ms or 1/30s; it need not be a whole number of ticks",
         PYTHON(.type = "Time", .positional = true)),
    OPTION(INTEGER, "window", "BINS",
           "length of the window in bins; no pattern is longer. 1: all spikes of a pattern lie in "
           "one bin",
           .fallback = "1", .minimum = 1, .maximum = SPK_MAX_WINDOW_BINS,
           PYTHON(.positional = true, .fallback = NULL)),
    CHOICE("auto-by", "surrogates|published", "surrogates",
           "published: auto sets the numbers by the recipe of the published studies, which takes "
           "units for Poisson processes: chance patterns of busy units rarely reach them. "
           "--published takes it, too",
           COMMAND),
    REAL("auto-rate-percentile", "SHARE", "0.9", 0.001, 1,
         "--auto-by published takes all units to be as busy as this percentile of units that fire",
         COMMAND),
    REAL("auto-alpha", "P", "0.05", 1e-12, 0.999999,
         "probability that any chance pattern of a size passes what --auto-by published chooses",
         COMMAND),
    WHOLE("auto-floor", "10", 1, MOST_32, "smallest number that --auto-by published chooses",
          COMMAND),
    WHOLE("auto-bins", NULL, 1, MOST_53,
          "number of bins that --auto-by published reckons with; without this option the bins of "
          "the recording or its trials",
          COMMAND),
    CHOICE("moving-window-filter", "on|off", "on",
           "drop a pattern that is the end of another pattern with as many occurrences: it is the "
           "same event, which a later window sees. Engine fpgrowth keeps all patterns in memory "
           "for this",
           COMMAND),
    OPTION(PATTERN_ENGINE, "engine", "NAME",
           "all engines give the same patterns; spikemine engines lists them", .fallback = "auto",
           PYTHON()),
    END,
};

const spk_option spk_options_mining_patterns[] = {
    OPTION(COUNT, "gpus", "N|all",
           "number of GPUs that are used; --engine auto then takes the engine for GPUs. Without "
           "this option auto stays on processors, and the engine for GPUs takes one. Surrogates "
           "are shared by all GPUs, a list of patterns has one",
           .gpu = true, .work = true, .minimum = 1, .maximum = 1024, PYTHON(.type = "int")),
    END,
};

const spk_option spk_options_supports_of_patterns[] = {
    OPTION(
        COUNT, "support", "N|auto",
        "smallest number of windows in which a pattern occurs. auto sets it for each number of "
        "spikes, from 6 on, by what surrogates have within --jitter: for a test as low as "
        "--support-time allows, else so that chance gives at most 1,000 patterns of a size. A note "
        "tells what it chose",
        .synonym = "min-occurrences", .letter = 's', .fallback = "2", .minimum = 1,
        .maximum = MOST_32,
        PYTHON(.type = "int | str | Mapping[int, int]",
               .help = "smallest number of windows in which a pattern occurs. \"auto\" sets it "
                       "for each number of spikes, from 6 on, by what surrogates have within "
                       "jitter: for a test as low as support_time allows, else so that chance "
                       "gives at most 1,000 patterns of a size. \"published\": by the recipe of "
                       "the published studies. {size: number} sets it")),
    END,
};

const spk_option spk_options_limits_of_patterns[] = {
    WHOLE("max-occurrences", NULL, 1, MOST_32,
          "largest number of windows in which a pattern occurs", PYTHON()),
    WHOLE("min-spikes", "2", 1, MOST_32, "smallest number of spikes in a pattern", PYTHON()),
    WHOLE("max-spikes", NULL, 1, MOST_32,
          "largest number of spikes in a pattern. A larger pattern is not listed; its parts with "
          "as many occurrences are not closed, and are not listed either",
          PYTHON()),
    WHOLE("min-neurons", "1", 1, MOST_32, "smallest number of different units in a pattern",
          PYTHON()),
    END,
};

const spk_option spk_options_listing_patterns[] = {
    FLAG("unordered",
         "write patterns as they are found, in an order that differs from run to run: less memory, "
         "above all over ranks. The lines are the same. With engine fpgrowth, and with "
         "transactions that are no moving window, needs --moving-window-filter off",
         COMMAND),
    CHOICE("spectrum", "none|2d|3d", "none",
           "count the patterns by spikes and occurrences in place of listing them; 3d counts by "
           "duration, too. With --surrogates patterns are listed, and this is the spectrum of the "
           "test: 2d (also none) or 3d",
           PYTHON(.type = "Literal[\"2d\", \"3d\"]", .fallback = "2d",
                  .help = "spectrum of a test of signatures, which are numbers of spikes and "
                          "occurrences, in 3d durations, too")),
    END,
};

const spk_option spk_options_selected_patterns[] = {
    MIN_SIZE("pattern", "spikes", COMMAND),
    ORDER,
    SELECTION("pattern", "spikes",
              "A pattern contains its parts at the same lags, also from a later spike on",
              "changes nothing as a rule: patterns are closed already, no spike can be added "
              "without losing occurrences. With --moving-window-filter off or a test the list is "
              "looked through once more, at all shifts"),
    END,
};

const spk_option spk_options_tested_patterns[] = {
    CHOICE("test", "signatures|exact", "signatures",
           "signatures: patterns with as many spikes and occurrences have one p-value, as "
           "published, where --surrogates is given. exact: each pattern has a p-value of its own, "
           "which takes the whole search into account; docs/explanation/chance.md",
           PYTHON(.type = "Literal[\"signatures\", \"exact\"] | None", .fallback = NULL)),
    JITTER("with --test exact: ", ", in whole bins"),
    NULL_HYPOTHESIS("with --test exact: "),
    WHOLE("surrogates", NULL, 1, 1e9,
          "test the patterns against N surrogates: copies of the recording in which spikes were "
          "moved. The table then has the p-value of each pattern's signature (its numbers of "
          "spikes and occurrences), and significant patterns only. 1000 is usual",
          PYTHON(.type = "int | None", .help = "number of surrogates of a test. Of signatures 1000 "
                                               "are usual; an exact test has 199 by default")),
    OPTION(SURROGATE_METHOD, "surrogate-method", "NAME",
           "The default is joint-isi-dithering, with --published dither-spikes",
           PYTHON(.name = "method",
                  .help = "how surrogates of signatures are made, a name of surrogate_methods(). "
                          "The default is joint-isi-dithering, with published dither-spikes")),
    TIME(
        "dither", "15ms",
        "the jitter of these surrogates: how far spikes are moved; without --published the default "
        "is three bins where these are longer",
        PYTHON(.type = "Time | None", .fallback = "none",
               .help = "the jitter of these surrogates: how far spikes are moved; None: 15ms, or "
                       "three bins where these are longer and published is False")),
    TIME("refractory", "4ms", "shortest interval that methods with a refractory period make",
         PYTHON()),
    CHOICE(
        "edges", "drop|keep", "drop",
        "spikes that the jitter moves out of the recording or trial are left out, or stay at its "
        "end",
        PYTHON(.type = "bool", .fallback = "True",
               .help =
                   "drop spikes that are moved out of their segment; else they stay at its end")),
    SEED("seed of the random numbers; the same seed and options give the same surrogates and "
         "p-values, with any number of threads and shards"),
    ALPHA("level of significance of all tests together"),
    OPTION(CORRECTION, "correction", "NAME",
           "correction for many tests: bonferroni, sidak, holm-sidak, holm, simes-hochberg, "
           "hommel, fdr-bh, fdr-by, fdr-tsbh, fdr-tsbky or none",
           .fallback = "fdr-bh", PYTHON()),
    FLAG("published",
         "test by the rule of the published program Elephant: p is the share of surrogates that "
         "reach a signature, without + 1, and not every signature is tested",
         PYTHON()),
    REPORT("which patterns a test lists; core, with --test exact: significant ones that no part of "
           "them explains"),
    OPTION(TEXT, "reduce", "H,K,L",
           "drop significant patterns that a larger or an overlapping one explains (pattern set "
           "reduction); H, K and L are the corrections h, k and l of the published method, e.g. "
           "2,2,0",
           PYTHON(.type = "tuple[int, int, int] | None")),
    OPTION(TEXT, "stability", "E,D",
           "add the approximate stability of each pattern, intensional and extensional, with an "
           "error of at most E at a risk of D, e.g. 0.05,0.05",
           PYTHON(.type = "tuple[float, float] | None")),
    OPTION(TEXT, "pvalues", "FILE",
           "file of the p-value spectrum, with all signatures of the recording and their verdicts, "
           "in the form that --format says",
           .work = true, COMMAND),
    PEELING("pattern"),
    SURROGATES_MADE("maxima"),
    END,
};

const spk_option spk_options_compared_patterns[] = {
    TWO_CONDITIONS("pattern"),
    PERMUTATIONS(COMMAND),
    END,
};

/* Where results go. */
const spk_option spk_options_written_patterns[] = {
    CHOICE("format", "tsv|json", "tsv", "form of the result: a table, or one JSON object",
           .work = true, COMMAND),
    OUTPUT("FILE", "file of the patterns; - is standard output, "),
    OPTION(TEXT, "occurrences", "FILE",
           "file of the places where each pattern occurs: trial, bin and time of its first spike",
           .work = true, COMMAND),
    OPTION(
        TEXT, "figure", "FILE",
        "picture of examples with their occurrences and of statistics of all: .png, .svg or .pdf",
        .work = true, COMMAND),
    HTML,
    PANELS("a raster, b examples, c units, d spikes, e occurrences, f lags; of "
           "a test of signatures also g spectrum, and of any test last what it says of "
           "the examples"),
    WHOLE("n-units", NULL, 1, SPK_MAX_UNITS,
          "number of units in the transactions; without this option the largest item tells it",
          COMMAND),
    END,
};
