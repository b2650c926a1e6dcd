/* What of the options of each operation goes together. The order is that in which rules are told:
 * what names the nearest cause comes first. */
#include <string.h>

#include "spikemine/operation.h"

#define NEEDS(terms_, others_, why_)                                                               \
    {                                                                                              \
        .verb = SPK_RULE_NEEDS, .terms = (terms_), .others = (others_), .why = (why_)              \
    }
#define EXCLUDES(terms_, others_, why_, ...)                                                       \
    {                                                                                              \
        .verb = SPK_RULE_EXCLUDES, .terms = (terms_), .others = (others_), .why = (why_),          \
        __VA_ARGS__                                                                                \
    }
#define REQUIRED(terms_, remedy_)                                                                  \
    {                                                                                              \
        .verb = SPK_RULE_REQUIRED, .terms = (terms_), .remedy = (remedy_)                          \
    }
#define LEAVE_OUT_ONE .remedy = NULL
#define END                                                                                        \
    {                                                                                              \
        .terms = NULL                                                                              \
    }

/* ---- groups ---------------------------------------------------------------------------------- */

#define COMPARISONS     "compare|compare-trials"
#define SURROGATE_TESTS "surrogates|maxima"
#define BEST_ONES       "maximal|closed|top|families"
#define SELECTION       "min-size|distinct-units|" BEST_ONES
#define SPECTRA         "spectrum=2d|spectrum=3d"
#define OF_HISTOGRAMS                                                                              \
    "truncation|interval-bins|sigma|in-order|square-root|up-to-neighbours|no-cutoff|"              \
    "n-bins|alternate|use-sqrt|fast|cutoff" /* in Python */
#define OF_SIGNATURES                                                                              \
    "surrogate-method|method|dither|refractory|edges|correction|published|reduce|stability|"       \
    "pvalues|" OF_HISTOGRAMS
#define BY_RECIPE "auto-rate-percentile|auto-alpha|auto-floor|auto-bins"

/* ---- shared by operations -------------------------------------------------------------------- */

static const spk_rule reading[] = {
    EXCLUDES("ranks", "input:stdin", "rank 0 alone has it",
             .remedy = "give a file that all ranks can open"),
    END,
};

static const spk_rule figures[] = {
    NEEDS("figure-size|font-size|dpi|figure-range|figure-top|panels", "figure", NULL),
    END,
};

static const spk_rule pages[] = {
    NEEDS("html-rows|html-occurrences", "html", NULL),
    EXCLUDES("html", COMPARISONS "|calibrate",
             "a report shows results of one search in one recording", LEAVE_OUT_ONE),
    END,
};

static const spk_rule nulls[] = {
    NEEDS("history", "null=pattern-jitter|null=shift",
          "the others move single spikes, or all that a unit does"),
    END,
};

static const spk_rule shards[] = {
    NEEDS("shard", "output", "it writes a file of surrogates, such as -o shard1.spk"),
    EXCLUDES("shard", "output=-", "it writes a file of surrogates",
             .remedy = "give its name, e.g. -o shard1.spk"),
    END,
};

static const spk_rule ordered[] = {
    EXCLUDES("order", "peel|families", "these have an order of their own", LEAVE_OUT_ONE),
    END,
};

static const spk_rule listing[] = {
    NEEDS("order=excess", "test=exact", "it alone has a mean count by chance"),
    NEEDS("order", "test=exact|" COMPARISONS, "the others write results in an order of their own"),
    END,
};

static const spk_rule exact[] = {
    NEEDS("peel-max", "peel", NULL),
    NEEDS("calibrate-method", "calibrate", NULL),
    NEEDS("jitter|null|history|peel|calibrate", "test=exact", NULL),
    NEEDS("report=core", "test=exact", "it alone tells which results a part of them explains"),
    EXCLUDES("maxima", "checkpoint", "--maxima makes no surrogates", LEAVE_OUT_ONE),
    EXCLUDES("shard", "maxima", "--shard makes surrogates, and --maxima has them all",
             LEAVE_OUT_ONE),
    EXCLUDES("peel", "shard|maxima|checkpoint|executor",
             "--peel makes surrogates in each round, from what the rounds before it left",
             LEAVE_OUT_ONE),
    EXCLUDES("peel", "report=all", "--peel lists what it accepts", LEAVE_OUT_ONE),
    EXCLUDES("peel", BEST_ONES, "--peel lists each finding once",
             .remedy = "leave out one of them; --peel-max N ends after N findings"),
    EXCLUDES("peel", "occurrences",
             "--peel counts in what earlier rounds left, and --occurrences are those of the whole "
             "recording",
             LEAVE_OUT_ONE),
    EXCLUDES("calibrate", "shard|maxima|checkpoint|report|peel|occurrences|figure|order|" BEST_ONES,
             "--calibrate tests surrogates and lists nothing of the recording", LEAVE_OUT_ONE),
    END,
};

static const spk_rule comparing[] = {
    NEEDS("permutations", COMPARISONS, NULL),
    EXCLUDES("compare", "compare-trials",
             "--compare names the recording of the other condition, --compare-trials the "
             "conditions of trials of one recording",
             .remedy = "give one of them"),
    EXCLUDES("compare=-", "input:stdin", "standard input is REC already", .remedy = "give a file"),
    EXCLUDES("test=exact|" SURROGATE_TESTS "|" SPECTRA, COMPARISONS,
             "a comparison is a test of its own", LEAVE_OUT_ONE),
    EXCLUDES("figure|occurrences", "compare", "the two recordings have times of their own",
             .remedy = "run each of them by itself"),
    END,
};

/* ---- episodes -------------------------------------------------------------------------------- */

static const spk_rule delays[] = {
    REQUIRED("delay", "it tells after which time the next unit may fire; try --delay 5ms:10ms for "
                      "more than 5 and at most 10 ms"),
    END,
};

static const spk_rule supports[] = {
    REQUIRED("support", "give the smallest count of a frequent episode, a share of the events such "
                        "as 0.1%, or auto"),
    END,
};

static const spk_rule automatic_supports[] = {
    NEEDS("support-time", "support=auto", NULL),
    EXCLUDES("link-share", "support=auto", "auto chooses the link share, too",
             .remedy = "leave out --link-share, or give --support a number"),
    END,
};

static const spk_rule windows_of_auto[] = {
    EXCLUDES("support=auto", "jitter:several",
             "it is chosen from what one window keeps, and for another one the test would not be "
             "exact",
             .unless = "auto-by=published|published", .remedy = "name one window, or a number"),
    END,
};

static const spk_rule plain_supports[] = {
    REQUIRED("support", "give the smallest count of a frequent episode, or a share of the events "
                        "such as 0.1%"),
    END,
};

static const spk_rule computing[] = {
    NEEDS("compaction", "engine=cuda-tracking", "other engines do not read it"),
    END,
};

static const spk_rule episodes[] = {
    NEEDS("surrogates|checkpoint|shard|maxima|executor", "test=exact", NULL),
    NEEDS("seed", "test=exact|support=auto|" COMPARISONS, "nothing else draws at random"),
    NEEDS("alpha|report", "test=exact|" COMPARISONS, NULL),
    EXCLUDES("divide=time", "test=exact|" COMPARISONS,
             "a test needs the whole recording on every rank", .remedy = "leave out --divide"),
    END,
};

static const spk_rule count[] = {
    REQUIRED("episodes", "give a file with an episode on each line, or an episode such as "
                         "'56 (5ms,10ms] 49'"),
    END,
};

static const spk_rule testing_given[] = {
    NEEDS("jitter|null|history|surrogates|seed|alpha|checkpoint|shard|maxima", "test=exact", NULL),
    EXCLUDES("maxima", "checkpoint", "--maxima makes no surrogates", LEAVE_OUT_ONE),
    EXCLUDES("shard", "maxima", "--shard makes surrogates, and --maxima has them all",
             LEAVE_OUT_ONE),
    EXCLUDES("divide=time", "test=exact", "a test needs the whole recording on every rank",
             .remedy = "leave out --divide"),
    END,
};

/* ---- patterns -------------------------------------------------------------------------------- */

static const spk_rule searching_patterns[] = {
    REQUIRED("bin|input-format=transactions", "give the width of a bin, e.g. --bin 5ms"),
    NEEDS("auto-by|support-time|" BY_RECIPE, "support=auto", NULL),
    NEEDS(BY_RECIPE, "auto-by=published|published", "surrogates need no recipe"),
    EXCLUDES("support-time", "auto-by=published|published", "the recipe makes no surrogates",
             LEAVE_OUT_ONE),
    END,
};

static const spk_rule transactions[] = {
    NEEDS("n-units", "input-format=transactions", NULL),
    EXCLUDES("input-format=transactions", "bin|trials|segments", "transactions are windows already",
             LEAVE_OUT_ONE),
    EXCLUDES("input-format=transactions",
             "columns|time-unit|start|stop|units|min-rate|sort|time-column|unit-column|label-"
             "column|select|"
             "group|unit-file",
             "transactions have neither times nor labels", LEAVE_OUT_ONE),
    EXCLUDES("input-format=transactions", "test=exact|" SURROGATE_TESTS "|" COMPARISONS,
             "a test needs a recording, and transactions have no spikes that could be moved",
             LEAVE_OUT_ONE),
    EXCLUDES("input-format=transactions", "figure|html",
             "a picture needs a recording, and transactions have no spike times", LEAVE_OUT_ONE),
    EXCLUDES("input-format=transactions", "support=auto",
             "auto needs a recording, from which surrogates are made",
             .unless = "auto-by=published", .remedy = "give a number, or --auto-by published"),
    END,
};

static const spk_rule patterns[] = {
    EXCLUDES("test=exact", OF_SIGNATURES "|" SPECTRA, "these belong to a test of signatures",
             LEAVE_OUT_ONE),
    NEEDS(OF_SIGNATURES "|test=signatures", SURROGATE_TESTS, NULL),
    NEEDS("checkpoint|shard|executor", "test=exact|surrogates", NULL),
    NEEDS("alpha|report", "test=exact|" SURROGATE_TESTS "|" COMPARISONS, NULL),
    NEEDS("seed", "test=exact|support=auto|" SURROGATE_TESTS "|" COMPARISONS,
          "nothing else draws at random"),
    EXCLUDES("unordered",
             "test=exact|" SURROGATE_TESTS "|" COMPARISONS "|" SPECTRA "|figure|html|" SELECTION,
             "--unordered writes patterns as they are found, and keeps none", LEAVE_OUT_ONE),
    EXCLUDES(SPECTRA, "occurrences|figure|html|" SELECTION,
             "--spectrum counts patterns and keeps none", .unless = SURROGATE_TESTS),
    END,
};

/* ---- others ---------------------------------------------------------------------------------- */

static const spk_rule info[] = {
    NEEDS("suggest-events|suggest-time|threads", "suggest", NULL),
    EXCLUDES("suggest", "input:several", "delays are suggested for one of them",
             .remedy = "name one"),
    END,
};

static const spk_rule live[] = {
    NEEDS("jitter|null|history|surrogates|alpha|seed", "test=exact", NULL),
    END,
};

static const spk_rule watching[] = {
    NEEDS("patterns", "bin", "it is the width with which the patterns were found"),
    NEEDS("bin|window", "patterns", NULL),
    NEEDS("state", "episodes|patterns", "a state is that of what is watched"),
    NEEDS("recent|counts", "episodes|patterns", "counts are of what is watched"),
    NEEDS("page-address|page-token-file|page-stay", "page", NULL),
    EXCLUDES("trials|segments", "input:stdin|input:stream", "its segments come with it",
             .remedy = "leave it out, or replay a file"),
    EXCLUDES("min-rate", "input:stdin|input:stream", "its rates are known at its end",
             .remedy = "leave it out, or replay a file"),
    EXCLUDES("speed", "input:stdin|input:stream", "only a replay has a speed",
             .remedy = "leave it out, or replay a file"),
    END,
};

static const spk_rule watch[] = {
    REQUIRED("episodes|patterns", "give --episodes FILE with an episode on each line, such as "
                                  "56 (5ms,10ms] 49, or --patterns FILE"),
    END,
};

static const spk_rule surrogates[] = {
    REQUIRED("output", "surrogates are files in a folder; name it with -o DIR"),
    NEEDS(OF_HISTOGRAMS, "method=joint-isi-dithering|method=isi-dithering",
          "the other methods have no histogram of intervals"),
    NEEDS("edges", "method=dither-spikes|method=dither-spike-train",
          "with the other methods no spike leaves its segment"),
    NEEDS("refractory",
          "method=dither-spikes-with-refractory-period|method=joint-isi-dithering|"
          "method=isi-dithering",
          "the other methods keep no refractory period"),
    NEEDS("history", "method=pattern-jitter|method=shift-pieces",
          "the other methods move no spikes together"),
    NEEDS("bin",
          "method=bin-shuffling|method=interval-jitter|method=pattern-jitter|method=shift-pieces",
          "the other methods know no bins"),
    END,
};

static const spk_rule simulating[] = {
    EXCLUDES("truth", "shuffle", "nothing planted is left", LEAVE_OUT_ONE),
    NEEDS("modulation-rate", "modulation", NULL),
    END,
};

static const spk_rule simulating_probes[] = {
    EXCLUDES("background", "duration|units|rate|rate-spread|bursts|modulation|stimulus|rhythm",
             "its units fire as they did", LEAVE_OUT_ONE),
    NEEDS("rhythm-rate", "rhythm", NULL),
    END,
};

static const spk_rule plan_episodes[] = {
    EXCLUDES("divide=time", "surrogates", "a test needs the whole recording on every rank",
             .remedy = "leave out --divide"),
    END,
};

static const spk_rule plan_patterns[] = {
    NEEDS("test|surrogate-method|dither|spectrum", "surrogates", NULL),
    EXCLUDES("test=exact", "surrogate-method|dither|spectrum",
             "these belong to a test of signatures", LEAVE_OUT_ONE),
    END,
};

/* ---- functions of the Python package --------------------------------------------------------- */

static const spk_rule executors[] = {
    NEEDS("shards", "executor", "it makes them"),
    EXCLUDES("checkpoint", "executor", "an executor has no file of its own", LEAVE_OUT_ONE),
    END,
};

static const spk_rule spectrum_of_test[] = {
    NEEDS("spectrum", "surrogates", NULL),
    END,
};

static const spk_rule either_search[] = {
    NEEDS("max-size|link-share", "delays", "it is for episodes"),
    NEEDS("window|min-spikes|max-spikes|max-occurrences|min-neurons", "bin", "it is for patterns"),
    END,
};

static const spk_rule stream[] = {
    NEEDS("partition", "delays", "partitions are mined with them, e.g. ['5ms:10ms']"),
    NEEDS("step|delays|support|max-size|engine|gpus|test|keep-up|backlog|wait|on-partition",
          "partition", "it is for mining stretches, e.g. of '60s'"),
    NEEDS("window|state|on-occurrence", "episodes|patterns", "it is for what is watched"),
    END,
};

/* ---- together -------------------------------------------------------------------------------- */

enum { MOST_TABLES = 16 };

static const struct {
    const char *name;
    const spk_rule *tables[MOST_TABLES];
} operations[] = {
    {"episodes",
     {delays, supports, automatic_supports, windows_of_auto, listing, ordered, exact, shards, nulls,
      comparing, episodes, computing, figures, pages, reading}},
    {"patterns",
     {searching_patterns, windows_of_auto, transactions, listing, ordered, exact, shards, nulls,
      comparing, patterns, figures, pages, reading}},
    {"sequences", {shards, nulls, figures, pages, reading}},
    {"count", {count, testing_given, shards, nulls, computing, figures, pages, reading}},
    {"info", {info, reading}},
    {"explore", {reading}},
    {"convert", {reading}},
    {"surrogates", {surrogates, reading}},
    {"live", {delays, plain_supports, live, nulls, watching}},
    {"watch", {watch, watching}},
    {"simulate sym26", {simulating}},
    {"simulate network", {simulating}},
    {"simulate probe", {simulating, simulating_probes}},
    {"simulate culture", {simulating}},
    {"plan episodes", {delays, supports, automatic_supports, plan_episodes, reading}},
    {"plan patterns", {searching_patterns, plan_patterns, reading}},
    {"bench episodes", {delays, plain_supports, reading}},
    {"bench patterns", {transactions, reading}},
    {"episodes()",
     {automatic_supports, windows_of_auto, listing, ordered, exact, nulls, episodes, executors}},
    {"patterns()",
     {searching_patterns, windows_of_auto, listing, ordered, exact, nulls, patterns,
      spectrum_of_test, executors}},
    {"sequences()", {nulls, executors}},
    {"count()", {testing_given, nulls}},
    {"surrogates()", {surrogates}},
    {"compare()", {ordered, either_search, automatic_supports}},
    {"calibrate()", {either_search, automatic_supports, windows_of_auto, nulls}},
    {"Live()", {stream, live, nulls}},
};

const spk_rule *spk_operation_rule(const char *operation, size_t k)
{
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        if (strcmp(operations[o].name, operation) != 0)
            continue;
        for (size_t t = 0; t < MOST_TABLES && operations[o].tables[t] != NULL; t++)
            for (const spk_rule *r = operations[o].tables[t]; r->terms != NULL; r++)
                if (k-- == 0)
                    return r;
    }
    return NULL;
}
