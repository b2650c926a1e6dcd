/* The options of each operation. Each stands here once: help, manual and completion of the command,
 * signatures and docstrings of Python, checks of values, and the settings in reports are made from
 * it. python/build_operations.py reads this file, too. */
#include <string.h>

#include "spikemine/episode.h"
#include "spikemine/operation.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

/* What differs in Python: name, type, fallback, help, `positional`, or the result that it is `of`
 * where there are two. The last argument of an option is this, or COMMAND where functions have it
 * not. */
#ifndef PYTHON
#define PYTHON(...)
#endif
#define COMMAND .command_only = true

#define OPTION(kind_, name_, argument_, help_, ...)                                                \
    {                                                                                              \
        .name = (name_), .kind = SPK_OPTION_##kind_, .argument = (argument_), .help = help_,       \
        __VA_ARGS__                                                                                \
    }
#define FLAG(name_, help_, ...)                                                                    \
    {                                                                                              \
        .name = (name_), .kind = SPK_OPTION_FLAG, .help = help_, __VA_ARGS__                       \
    }
#define CHOICE(name_, names_, fallback_, help_, ...)                                               \
    OPTION(CHOICE, name_, names_, help_, .fallback = (fallback_), __VA_ARGS__)
#define TIME(name_, fallback_, help_, ...)                                                         \
    OPTION(DURATION, name_, "TIME", help_, .fallback = (fallback_), __VA_ARGS__)
#define WHOLE(name_, fallback_, least_, most_, help_, ...)                                         \
    OPTION(INTEGER, name_, "N", help_, .fallback = (fallback_), .minimum = (least_),               \
           .maximum = (most_), __VA_ARGS__)
#define REAL(name_, argument_, fallback_, least_, most_, help_, ...)                               \
    OPTION(NUMBER, name_, argument_, help_, .fallback = (fallback_), .minimum = (least_),          \
           .maximum = (most_), __VA_ARGS__)
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#define MOST_32 4294967294.0
#define MOST_53 9007199254740992.0 /* every reader of JSON takes it as it is */

/* ---- shared by operations -------------------------------------------------------------------- */

static const spk_option shared[] = {
    OPTION(BYTES, "max-memory", "SIZE",
           "limit on the memory that the job holds, e.g. 400M or 4G: the recording, windows, lists "
           "and the search. Work is cut into parts that fit; a job that does not fit stops with a "
           "message. The program itself takes some 20 MB more. The default is three quarters of "
           "what the machine, a container, Slurm and ulimit leave",
           .work = true,
           PYTHON(.help = "limit in bytes on the memory that the job holds: the recording, "
                          "windows, lists and the search. Work is cut into parts that fit; a job "
                          "that does not fit raises OutOfMemoryError. None: three quarters of what "
                          "the machine, a container, Slurm and ulimit leave")),
    WHOLE("threads", "0", 0, 4096,
          "number of worker threads; 0 is one for each processor that may be used; the result "
          "never depends on it",
          .work = true, PYTHON()),
    END,
};

/* What is read, and how. */
static const spk_option reading[] = {
    OPTION(FORMAT, "input-format", "NAME",
           "the format of the file; without this option the content tells it, then the name. "
           "spikemine formats says what each one is",
           COMMAND),
    OPTION(
        TEXT, "time-column", "COLUMN",
        "where the times are: the name of a column or its number from 1, or the name of an array",
        COMMAND),
    OPTION(TEXT, "unit-column", "COLUMN", "the same of the units", COMMAND),
    OPTION(TEXT, "label-column", "COLUMN", "the column of a units table that names the units",
           COMMAND),
    OPTION(TEXT, "select", "EXPRESSION",
           "which units of a units table, by its columns, e.g. quality==good", COMMAND),
    OPTION(TEXT, "group", "NAME",
           "which units of a sorter's folder: good, mua, all, or another group that it has",
           COMMAND),
    OPTION(TEXT, "unit-file", "FILE",
           "file of the events' units, where a file of times has them in another one", COMMAND),
    CHOICE("columns", "guess|time,unit|unit,time", "guess",
           "order of the two columns; guess takes it from the header or from the content, and a "
           "note tells it",
           COMMAND),
    OPTION(TEXT, "time-unit", "guess|s|ms|us|samples@RATE",
           "unit of the times; guess takes it from the header (time_ms), else it is seconds. "
           "samples@30000 stands for sample numbers at 30 kHz; RATE may be 24414.0625 or 390625/16",
           .fallback = "guess", COMMAND),
    TIME("start", NULL, "first time that is used, e.g. 1.5s; earlier events are left out", COMMAND),
    TIME("stop", NULL,
         "time at which the recording ends, e.g. 60s; events at this time or later are left out",
         COMMAND),
    OPTION(TEXT, "trials", "FILE|NAME",
           "trials: a file with the start and the stop of one on each line, as 1.5s 3s or as "
           "numbers in the recording's unit of time, or the name of a table in the recording's "
           "file. Nothing crosses the border of a trial, and events outside all trials are left "
           "out. Where trials overlap, an event counts in each. The lines are the numbers of "
           "trials, whatever else is cut",
           COMMAND),
    OPTION(TEXT, "segments", "FILE|NAME",
           "the same for stretches without an interruption, which may not overlap. With both "
           "options, segments cut trials",
           COMMAND),
    OPTION(TEXT, "units", "LIST", "labels of the units that are used, separated by commas",
           COMMAND),
    REAL("min-rate", "HZ", "0", 0, 1e9,
         "leave out units that fire less often between the start and the stop of what is read",
         COMMAND),
    FLAG("sort", "accept times that go backwards, and put them in order", COMMAND),
    OPTION(INTEGER, "max-expansion", "TIMES",
           "largest factor by which a compressed file may grow when it is read; a file that grows "
           "more is refused. The first 64 MB are always allowed",
           .fallback = "1000", .minimum = 1, .maximum = 1e15, .work = true, COMMAND),
    END,
};

#define SEED(help_)   WHOLE("seed", "1", 0, MOST_53, help_, PYTHON())
#define ALPHA(help_)  REAL("alpha", "P", "0.05", 1e-12, 1, help_, PYTHON())
#define REPORT(help_) CHOICE("report", "significant|core|all", "significant", help_, PYTHON())

/* In the order of spk_exact_null_get. */
#define NULLS "interval-jitter|pattern-jitter|shift|shift-apart|trials"

#define NULL_HYPOTHESIS(within_)                                                                   \
    CHOICE("null", "auto|" NULLS, "auto",                                                          \
           within_                                                                                 \
           "what chance may do. interval-jitter: put spikes anywhere in windows, which breaks a "  \
           "unit's bursts and refractory period; pattern-jitter: the same, but spikes of a unit "  \
           "within --history move together; shift: move what a unit does between two pauses; "     \
           "shift-apart: move each unit as a whole in a circle, which breaks rates that change "   \
           "together; trials: give each unit the trials in another order. auto: shift, and "       \
           "shift-apart where units pause too rarely",                                             \
           PYTHON()),                                                                              \
        TIME("history", NULL,                                                                      \
             "with --null pattern-jitter: intervals of a unit up to this stay as they are; the "   \
             "default is half of --jitter. With --null shift: pauses longer than this may "        \
             "change; the default is 4 times --jitter",                                            \
             PYTHON())

#define JITTER(within_, end_)                                                                      \
    OPTION(TEXT, "jitter", "TIME,...",                                                             \
           within_                                                                                 \
           "length of the windows within which chance may move spikes, as --null says; rates "     \
           "may change on longer time scales. Several, as 5ms,25ms,100ms, tell the time scale of " \
           "what is found; p is corrected for their number" end_,                                  \
           .fallback = "25ms", PYTHON(.type = "Time | Sequence[Time]"))

#define PEELING(result_)                                                                           \
    FLAG("peel",                                                                                   \
         "with --test exact: list each finding once. The best " result_                            \
         " is accepted, the events "                                                               \
         "of its occurrences are removed, and what is left is tested again, until nothing is "     \
         "significant. Each round costs as much as the whole test",                                \
         PYTHON(.type = "bool | int")),                                                            \
        WHOLE("peel-max", NULL, 1, MOST_32, "end --peel after N rounds, hence after N findings",   \
              COMMAND)

static const spk_option calibrating[] = {
    WHOLE("calibrate", NULL, 1, 1e9,
          "with --test exact: test N surrogates in place of the recording, each against surrogates "
          "of its own, and tell how often the test is alarmed by chance. Without --surrogates as "
          "few are made for each as can reach alpha",
          COMMAND),
    OPTION(SURROGATE_METHOD, "calibrate-method", "NAME",
           "draws what --calibrate tests by another method, with the longest window of --jitter as "
           "its dither: what if chance were like that? shift-apart: what if these units were "
           "independent? The default is that of --null",
           COMMAND),
    END,
};

/* Files of surrogates, and what they hold. */
#define SURROGATE_FILES(what_)                                                                     \
    OPTION(TEXT, "checkpoint", "FILE",                                                             \
           "file in which finished surrogates are kept; the same command goes on from it after "   \
           "an interruption",                                                                      \
           .work = true,                                                                           \
           PYTHON(.help = "file in which finished surrogates are kept; the same call goes on "     \
                          "from it after an interruption")),                                       \
        OPTION(TEXT, "shard", "I/N",                                                               \
               "only make the surrogates of shard I of N, and write their " what_ " to the file "  \
               "of -o; spikemine merge joins the shards, and --maxima tests with them",            \
               COMMAND)

#define SURROGATES_MADE(what_)                                                                     \
    SURROGATE_FILES(what_),                                                                        \
        OPTION(TEXT, "maxima", "FILE",                                                             \
               "test with the " what_ " in this file in place of making surrogates; they must "    \
               "come from the same recording and options",                                         \
               .work = true, COMMAND)

#define SELECTION(result_, size_, contains_, closed_)                                              \
    WHOLE("distinct-units", NULL, 1, MOST_32,                                                      \
          "list " result_ "s with at least N different units. Bursts of one busy unit fill a "     \
          "list first; 2 leaves them out, 4 leaves sequences through many units",                  \
          PYTHON()),                                                                               \
        FLAG("maximal",                                                                            \
             "list only " result_ "s that no other one on the list contains. " contains_,          \
             PYTHON()),                                                                            \
        FLAG("closed", closed_, PYTHON()),                                                         \
        FLAG("families",                                                                           \
             "group near-duplicates, and list one " result_ " a family, its best one, with the "   \
             "number of members, how many times they occur together, and the family's units in "   \
             "the order in which they fire. Members occur at the same times and have common "      \
             "units in the same order. Families form around " result_ "s with 4 different units "  \
             "and more, or with N by --distinct-units N. --top N then lists the N largest "        \
             "families",                                                                           \
             PYTHON()),                                                                            \
        WHOLE("top", NULL, 1, MOST_32,                                                             \
              "list the N best of what the other options leave, the best one first: through more " \
              "different units, then of more " size_ ", then with the larger count",               \
              PYTHON())

#define ORDER_OF(names_, more_)                                                                    \
    CHOICE("order", names_, "p",                                                                   \
           "order of the rows of a test. p: the least likely first; else the largest number "      \
           "first" more_,                                                                          \
           PYTHON())
#define ORDER ORDER_OF("p|count|size|excess", ". excess: the count without what chance gives")

#define MIN_SIZE(result_, size_, ...)                                                              \
    WHOLE("min-size", NULL, 1, MOST_32, "list " result_ "s of at least N " size_, __VA_ARGS__)

#define TWO_CONDITIONS(result_)                                                                    \
    OPTION(TEXT, "compare", "FILE",                                                                \
           "another recording: which " result_ "s occur more often in one of the two? Both are "   \
           "read with the same options and mined together; REC is condition a, FILE is condition " \
           "b, and their trials are what the test deals out anew; "                                \
           "docs/how-to/compare-conditions.md",                                                    \
           COMMAND),                                                                               \
        OPTION(TEXT, "compare-trials", "FILE",                                                     \
               "the same for two kinds of trials of one recording: a file with the label of each " \
               "trial, one a line in their order, or its number and its label. The label that "    \
               "comes first in natural order is condition a",                                      \
               COMMAND)

#define PERMUTATIONS(...)                                                                          \
    WHOLE("permutations", "9999", 1, 1e9,                                                          \
          "how many times the conditions are dealt out to the trials anew; all ways where there "  \
          "are no more. --seed, --alpha and --report hold for the comparison, too",                \
          __VA_ARGS__)

/* ---- episodes -------------------------------------------------------------------------------- */

static const spk_option delays_of_episodes[] = {
    OPTION(TEXTS, "delay", "LO:HI",
           "interval in which the next unit fires: more than LO and at most HI after the unit "
           "before, e.g. 5ms:10ms or 0:1/30s. HI may be inf. The option may be given several "
           "times; every step then takes any of the intervals",
           PYTHON(.name = "delays", .type = "Delays", .positional = true,
                  .help = "intervals in which the next unit fires, as texts \"5ms:10ms\" or as "
                          "(lo, hi), times being texts or seconds: more than lo and at most hi "
                          "after the unit before. hi may be inf. Every step takes any of them")),
    END,
};

static const spk_option supports[] = {
    OPTION(TEXT, "support", "N|P%|auto",
           "smallest count of a frequent episode: a number such as 173, or a share of all events "
           "such as 0.1%, rounded up. auto takes 6 for a test, and the smallest --link-share with "
           "which searches end soon; without a test the smallest number at which chance gives at "
           "most 1,000 episodes of two units or more. Both come from 9 surrogates within the "
           "window of --jitter; without a test, within one that suits the delays. The recording "
           "has no part in it, so that a test stays exact. A note tells what it chose",
           .synonym = "min-occurrences",
           PYTHON(.type = "int | str", .positional = true,
                  .help = "smallest count of a frequent episode: a number, a share of all events "
                          "such as \"0.1%\", rounded up, or \"auto\". auto takes 6 for a test, and "
                          "the smallest link_share with which searches end soon; without a test "
                          "the smallest number at which chance gives at most 1,000 episodes of two "
                          "units or more. Both come from surrogates, so that a test stays exact; "
                          "info[\"support_choice\"] tells what it chose")),
    END,
};

static const spk_option choosing_supports[] = {
    REAL("link-share", "F", "0", 0, SPK_EPISODE_MAX_LINK_SHARE,
         "an episode must also occur F times as often as chance gives each of its links, two "
         "neighbours with their interval, at the mean rates of the two units. Busy units then need "
         "hundreds of occurrences where slow ones need six",
         PYTHON()),
    TIME("support-time", "30s",
         "time for choosing what --support auto takes. A search may take a hundredth of it on one "
         "processor, reckoned from its number of steps, so that the choice is the same on every "
         "machine",
         PYTHON()),
    END,
};

static const spk_option sizes_of_episodes[] = {
    WHOLE("max-size", "64", 1, SPK_EPISODE_MAX_SIZE, "largest size of an episode, in units",
          PYTHON()),
    END,
};

static const spk_option passes[] = {
    CHOICE("two-pass", "auto|on|off", "auto",
           "whether a quick upper bound of the count drops candidates before they are counted "
           "exactly",
           .work = true, COMMAND),
    END,
};

static const spk_option selected_episodes[] = {
    MIN_SIZE("episode", "units", PYTHON()),
    ORDER,
    SELECTION("episode", "units",
              "An episode contains its parts without gaps that have the same intervals",
              "list an episode only where no other one on the list that contains it has the same "
              "count"),
    END,
};

static const spk_option tested_episodes[] = {
    CHOICE("test", "none|exact", "none",
           "exact: the same search in surrogates, in which spikes move within windows as --null "
           "says, gives each episode a p-value that takes the whole search into account; "
           "docs/explanation/chance.md",
           PYTHON()),
    JITTER("", ""),
    NULL_HYPOTHESIS(""),
    WHOLE("surrogates", NULL, 1, 1e9,
          "number of surrogates; the smallest p-value is 1/(N+1). The default is 199",
          PYTHON(.type = "int | None")),
    SEED("seed of the random numbers; the same seed and options give the same p-values, with any "
         "engine, number of threads and shards"),
    ALPHA("largest p-value of a significant episode"),
    REPORT("which episodes a test lists, the least likely first; core: significant ones that no "
           "part of them explains"),
    PEELING("episode"),
    SURROGATES_MADE("scores"),
    END,
};

static const spk_option compared_episodes[] = {
    TWO_CONDITIONS("episode"),
    PERMUTATIONS(COMMAND),
    END,
};

static const spk_option mining_episodes[] = {
    OPTION(EPISODE_ENGINE, "engine", "NAME",
           "all engines give the same counts; auto takes the fastest one; spikemine engines lists "
           "them",
           .fallback = "auto",
           .more = ". auto takes a GPU where there is one and the job is worth its start",
           PYTHON()),
    OPTION(COUNT, "gpus", "N|all",
           "number of GPUs that are used; --engine auto then takes the fastest engine for GPUs. "
           "Without this option auto decides, and an engine for GPUs takes one GPU",
           .gpu = true, .work = true, .minimum = 1, .maximum = 1024, PYTHON(.type = "int")),
    CHOICE("compaction", "scan|flag|atomic", "scan",
           "way in which engine cuda-tracking collects the occurrences that it finds; other "
           "engines do not read it",
           .gpu = true, .work = true, COMMAND),
    CHOICE("divide", "auto|candidates|time", "auto",
           "what the ranks of spikemine-mpi share: candidates, with the whole recording on every "
           "rank, or time, with a stretch of it on each; auto shares candidates. The result is the "
           "same. A single process has nothing to share",
           .work = true, COMMAND),
    END,
};

/* ---- patterns -------------------------------------------------------------------------------- */

static const spk_option searching_patterns[] = {
    TIME("bin", NULL, "width of a bin, e.g. 5ms or 1/30s; it need not be a whole number of ticks",
         PYTHON(.type = "Time", .positional = true)),
    OPTION(INTEGER, "window", "BINS", "length of the window in bins; no pattern is longer",
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

static const spk_option mining_patterns[] = {
    OPTION(COUNT, "gpus", "N|all",
           "number of GPUs that are used; --engine auto then takes the engine for GPUs. Without "
           "this option auto stays on processors, and the engine for GPUs takes one. Surrogates "
           "are shared by all GPUs, a list of patterns has one",
           .gpu = true, .work = true, .minimum = 1, .maximum = 1024, PYTHON(.type = "int")),
    END,
};

static const spk_option limits_of_patterns[] = {
    OPTION(COUNT, "min-occurrences", "N|auto",
           "smallest number of windows in which a pattern occurs. auto sets it for each number of "
           "spikes, from 6 on, by what surrogates have within --jitter: for a test as low as "
           "--auto-time allows, else so that chance gives at most 1,000 patterns of a size. A note "
           "tells what it chose",
           .synonym = "support", .fallback = "2", .minimum = 1, .maximum = MOST_32,
           PYTHON(.type = "int | str | Mapping[int, int]",
                  .help = "smallest number of windows in which a pattern occurs. \"auto\" sets it "
                          "for each number of spikes, from 6 on, by what surrogates have within "
                          "jitter: for a test as low as auto_time allows, else so that chance "
                          "gives at most 1,000 patterns of a size. \"published\": by the recipe of "
                          "the published studies. {size: number} sets it")),
    TIME("auto-time", "30s",
         "time for choosing from surrogates. A search may take a hundredth of it on one processor, "
         "reckoned from its number of steps, so that the choice is the same on every machine",
         PYTHON()),
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

static const spk_option listing_patterns[] = {
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

static const spk_option selected_patterns[] = {
    MIN_SIZE("pattern", "spikes", COMMAND),
    ORDER,
    SELECTION("pattern", "spikes",
              "A pattern contains its parts at the same lags, also from a later spike on",
              "changes nothing as a rule: patterns are closed already, no spike can be added "
              "without losing occurrences. With --moving-window-filter off or a test the list is "
              "looked through once more, at all shifts"),
    END,
};

static const spk_option tested_patterns[] = {
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
    TIME("dither", "15ms", "how far spikes are moved, some bins at least", PYTHON()),
    TIME("refractory", "4ms", "shortest interval that methods with a refractory period make",
         PYTHON()),
    CHOICE(
        "edges", "drop|keep", "drop",
        "spikes that dithering moves out of the recording or trial are left out, or stay at its "
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

static const spk_option compared_patterns[] = {
    TWO_CONDITIONS("pattern"),
    PERMUTATIONS(COMMAND),
    END,
};

/* ---- surrogates ------------------------------------------------------------------------------ */

static const spk_option keeping_intervals[] = {
    TIME("truncation", "100ms", "longer intervals are in no histogram", PYTHON()),
    WHOLE("interval-bins", "100", 2, 4096, "bins of the histogram", PYTHON(.name = "n_bins")),
    TIME("sigma", "2ms", "standard deviation of its smoothing; 0: none", PYTHON()),
    FLAG("in-order", "move spikes in order of time, not every other one first",
         PYTHON(.name = "alternate", .fallback = "True",
                .help = "move every other spike first, not in order of time")),
    FLAG("square-root", "take the square root of the histogram", PYTHON(.name = "use_sqrt")),
    FLAG("up-to-neighbours", "let spikes move further than the dither, up to their neighbours",
         PYTHON(.name = "fast")),
    FLAG("no-cutoff", "let smoothing make intervals shorter than the refractory period",
         PYTHON(.name = "cutoff", .fallback = "True",
                .help = "let smoothing make no intervals shorter than the refractory period")),
    END,
};

static const spk_option making_surrogates[] = {
    OPTION(SURROGATE_METHOD, "method", "NAME", "docs/reference/surrogates.md says more of each",
           .fallback = "joint-isi-dithering",
           PYTHON(.positional = true, .help = "a name of surrogate_methods()")),
    TIME("dither", "15ms",
         "how far spikes move, both ways; the length of windows in interval-jitter, "
         "pattern-jitter, shift-pieces and jitter-spikes, half of it in bin-shuffling",
         PYTHON()),
    TIME("bin", NULL,
         "width of the bins that bin-shuffling, interval-jitter, pattern-jitter and shift-pieces "
         "keep; without this option the last three keep ticks",
         PYTHON()),
    TIME("history", NULL,
         "spikes of a unit that follow each other within this move together; the default is half "
         "the dither in pattern-jitter, 4 times the dither in shift-pieces",
         PYTHON()),
    SEED("seed of the random numbers; the same seed gives the same surrogates"),
    CHOICE(
        "edges", "drop|keep", "drop",
        "spikes that dither-spikes and dither-spike-train move out of their segment: drop them, "
        "or keep them at its end",
        PYTHON(.type = "bool", .fallback = "True",
               .help =
                   "drop spikes that are moved out of their segment; else they stay at its end")),
    TIME("refractory", "4ms",
         "methods that keep a refractory period make no shorter interval, unless the unit has one",
         PYTHON()),
    END,
};

static const spk_option numbering_surrogates[] = {
    WHOLE("number", "1", 1, 1e9, "how many surrogates", PYTHON(.name = "n", .positional = true)),
    OPTION(INTEGER, "first", "K",
           "number of the first one; surrogate K is the same whatever the others are",
           .fallback = "1", .minimum = 1, .maximum = 1e18, PYTHON()),
    END,
};

/* ---- sequences ------------------------------------------------------------------------------- */

static const spk_option sequences[] = {
    TIME("longest-lag", "200ms", "no two members of a sequence are further apart",
         PYTHON(.positional = true)),
    TIME("jitter", "50ms",
         "how far surrogates move spikes. It is the resolution, too: members are looked for within "
         "1/16 to 1/4 of it on both sides of their lag",
         PYTHON(.positional = true)),
    CHOICE("null", NULLS, "shift-apart",
           "what chance may do. shift-apart: move each unit in a circle by any amount, which keeps "
           "all that it does by itself and breaks rates that change in several units together. The "
           "others are those of spikemine episodes",
           PYTHON()),
    TIME("history", NULL, "as in spikemine episodes, with --null pattern-jitter and --null shift",
         PYTHON()),
    WHOLE("surrogates", "99", 1, 1e9, "surrogates of each search; no p is below 1 / (N + 1)",
          PYTHON()),
    REAL("alpha", "P", "0.05", 0, 1, "largest p of a sequence, and of a member", PYTHON()),
    REAL("member-q", "Q", "0", 0, 1,
         "keep members with a false discovery rate up to it, too: 0.1 gives more members, of which "
         "a tenth is false",
         PYTHON()),
    WHOLE("max-sequences", "10", 1, 1e6, "largest number of sequences to look for", PYTHON()),
    SEED("seed of the random numbers; the same seed gives the same surrogates"),
    SURROGATE_FILES("scores"),
    OPTION(TEXTS, "maxima", "FILE",
           "the scores in this file in place of making the surrogates of the first round; given "
           "again, those of the second round, and so on. With --shard the round behind them has "
           "its surrogates made",
           .work = true, COMMAND),
    END,
};

/* ---- others ---------------------------------------------------------------------------------- */

static const spk_option suggesting[] = {
    WHOLE("suggest-events", "50000", 1, MOST_53,
          "events that --suggest tries delays on, from the start of the recording; more take "
          "longer",
          PYTHON(.name = "events")),
    TIME("suggest-time", "30s",
         "time for --suggest. Sets for which it does not suffice are left out, and their number is "
         "told",
         PYTHON(.name = "time")),
    END,
};

static const spk_option exploring[] = {
    TIME("time", "60s",
         "time for all of it. Where it does not suffice, fewer surrogates are made, then less of "
         "the recording is looked at; what was left out is told",
         PYTHON()),
    ALPHA("level of each of the two questions, episodes and whole sequences. That of episodes is "
          "divided by the number of sets of delays that were tried"),
    SEED("seed of surrogates"),
    END,
};

static const spk_option live[] = {
    NULL_HYPOTHESIS("with --test exact: "),
    ALPHA("largest p-value of a significant episode"),
    SEED("seed of the surrogates"),
    END,
};

/* ---- of functions ---------------------------------------------------------------------------- */

static const spk_option recording[] = {
    OPTION(TEXT, "recording", "REC", "Recording, or anything that Recording takes",
           PYTHON(.type = "Any", .positional = true)),
    END,
};

static const spk_option explored[] = {
    OPTION(TEXT, "recording", "REC",
           "path of a file as read() takes it, a Recording, or anything that Recording takes",
           PYTHON(.type = "Any", .positional = true)),
    END,
};

static const spk_option counting[] = {
    OPTION(TEXT, "episodes", "FILE", "file with an episode on each line",
           PYTHON(.type = "Sequence[str] | Episodes | str | os.PathLike[str]", .positional = true,
                  .help = "texts such as \"56 (5ms,10ms] 49\", Episodes of any recording with "
                          "these names of units, or the path of a file")),
    END,
};

static const spk_option executing[] = {
    OPTION(TEXT, "executor", "EXECUTOR",
           "anything with submit() as concurrent.futures has it; it makes the surrogates in "
           "`shards` tasks, each with `threads` threads, with the same result",
           .work = true, PYTHON(.type = "Any")),
    WHOLE("shards", NULL, 1, MOST_32, "tasks for the executor; by default four for each worker",
          .work = true, PYTHON(.type = "int | None")),
    END,
};

static const spk_option suggested[] = {
    OPTION(TEXTS, "sets", "DELAYS",
           "sets of delays, each as episodes() takes them; by default about twelve from 5 ms to "
           "200 ms that suit most recordings",
           PYTHON(.type = "Sequence[Delays] | None", .positional = true)),
    ALPHA("level of all sets together, by whose number that of the test is divided"),
    SEED("seed of surrogates"),
    END,
};

static const spk_option either_search[] = {
    OPTION(TEXTS, "delays", "LO:HI", "of episodes, as episodes() has them",
           PYTHON(.type = "Delays | None", .positional = true, .of = "Episodes")),
    OPTION(TEXT, "support", "N|P%|auto", "likewise",
           PYTHON(.type = "int | str | None", .positional = true, .of = "Episodes")),
    TIME("bin", NULL, "of patterns, as patterns() has it", PYTHON(.of = "Patterns")),
    WHOLE("window", NULL, 1, SPK_MAX_WINDOW_BINS, "likewise",
          PYTHON(.type = "int | None", .of = "Patterns")),
    END,
};

static const spk_option calibrated[] = {
    WHOLE("runs", "200", 1, 1e9, "how many surrogates are tested", PYTHON()),
    OPTION(SURROGATE_METHOD, "method", "NAME",
           "another method by which the data are drawn, a name of surrogate_methods(), within the "
           "longest window of jitter; None: that of the test; shift-apart: were these units "
           "independent",
           PYTHON()),
    JITTER("", ""),
    NULL_HYPOTHESIS(""),
    WHOLE("surrogates", NULL, 1, 1e9,
          "number of surrogates of each run; by default as few as can reach alpha, 19 for 0.05 and "
          "one window",
          PYTHON(.type = "int | None")),
    ALPHA("level of the test, family-wise"),
    SEED("seed of the random numbers"),
    MIN_SIZE("result", "units or spikes", PYTHON()),
    WHOLE("distinct-units", NULL, 1, MOST_32, "list results with at least N different units",
          PYTHON()),
    END,
};

static const spk_option compared[] = {
    OPTION(TEXT, "conditions", "FILE",
           "another recording, whose trials are those of condition b; or a label for each trial of "
           "this one, of two kinds; or the path of a file of labels. The label that comes first in "
           "natural order is condition a",
           PYTHON(.type = "Any", .positional = true)),
    PERMUTATIONS(PYTHON()),
    ALPHA("level, family-wise; of the intervals, too"),
    SEED("seed of the permutations"),
    CHOICE("report", "significant|all", "significant", "which results are listed", PYTHON()),
    MIN_SIZE("result", "units or spikes", PYTHON()),
    SELECTION("result", "units or spikes", "See episodes() and patterns()",
              "list a result only where no other one that contains it has the same count"),
    ORDER_OF("p|count|size", ""),
    END,
};

static const spk_option progressing[] = {
    OPTION(TEXT, "progress", "FUNCTION",
           "True shows bars (tqdm); or a function (what, done, total)", .work = true,
           PYTHON(.type = "Progress")),
    END,
};

/* ---- together -------------------------------------------------------------------------------- */

enum { MOST_TABLES = 12 };

static const struct {
    const char *name;
    const spk_option *tables[MOST_TABLES];
} operations[] = {
    {"", {reading, shared}},
    {"episodes",
     {delays_of_episodes, supports, choosing_supports, sizes_of_episodes, passes, selected_episodes,
      tested_episodes, calibrating, compared_episodes, mining_episodes}},
    {"patterns",
     {searching_patterns, limits_of_patterns, listing_patterns, selected_patterns, tested_patterns,
      calibrating, keeping_intervals, compared_patterns, mining_patterns}},
    {"sequences", {sequences}},
    {"count", {mining_episodes}},
    {"info", {suggesting}},
    {"explore", {exploring}},
    {"surrogates", {making_surrogates, keeping_intervals, numbering_surrogates}},
    {"live", {delays_of_episodes, sizes_of_episodes, live}},
    {"plan episodes", {delays_of_episodes, choosing_supports, sizes_of_episodes, passes}},
    {"plan patterns", {searching_patterns, limits_of_patterns}},
    {"bench episodes", {delays_of_episodes, sizes_of_episodes}},
    {"sequences()", {recording, sequences, executing, shared, progressing}},
    {"surrogates()", {recording, making_surrogates, keeping_intervals, numbering_surrogates}},
    {"explore()", {explored, exploring, shared, progressing}},
    {"suggest()", {recording, suggested, suggesting, shared, progressing}},
    {"compare()",
     {recording, compared, either_search, choosing_supports, sizes_of_episodes, limits_of_patterns,
      mining_episodes, shared, progressing}},
    {"calibrate()",
     {recording, either_search, calibrated, choosing_supports, sizes_of_episodes,
      limits_of_patterns, mining_episodes, shared, progressing}},
    {"count()", {recording, counting, mining_episodes, shared, progressing}},
    {"episodes()",
     {recording, delays_of_episodes, supports, choosing_supports, sizes_of_episodes,
      selected_episodes, tested_episodes, mining_episodes, executing, shared, progressing}},
    {"patterns()",
     {recording, searching_patterns, limits_of_patterns, listing_patterns, selected_patterns,
      tested_patterns, keeping_intervals, mining_patterns, executing, shared, progressing}},
};

const spk_option *spk_operation_option(const char *operation, size_t k)
{
    const bool is_function = strchr(operation, '(') != NULL;
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        if (strcmp(operations[o].name, operation) != 0)
            continue;
        for (size_t t = 0; t < MOST_TABLES && operations[o].tables[t] != NULL; t++)
            for (const spk_option *p = operations[o].tables[t]; p->name != NULL; p++)
                if (!(is_function && p->command_only) && k-- == 0)
                    return p;
    }
    return NULL;
}
