/* Options of surrogates and of whole sequences. */
#include "operation/options.h"

const spk_option spk_options_keeping_intervals[] = {
    TIME("truncation", "100ms", "longer intervals are in no histogram", PYTHON()),
    WHOLE("interval-bins", "100", 2, 4096, "bins of the histogram", PYTHON(.name = "n_bins")),
    TIME("sigma", "2ms", "standard deviation of its smoothing; 0: none", PYTHON()),
    FLAG("in-order", "move spikes in order of time, not every other one first",
         PYTHON(.name = "alternate", .fallback = "True",
                .help = "move every other spike first, not in order of time")),
    FLAG("square-root", "take the square root of the histogram", PYTHON(.name = "use_sqrt")),
    FLAG("up-to-neighbours", "let spikes move further than the jitter, up to their neighbours",
         PYTHON(.name = "fast")),
    FLAG("no-cutoff", "let smoothing make intervals shorter than the refractory period",
         PYTHON(.name = "cutoff", .fallback = "True",
                .help = "let smoothing make no intervals shorter than the refractory period")),
    END,
};

const spk_option spk_options_making_surrogates[] = {
    OPTION(SURROGATE_METHOD, "method", "NAME", "docs/reference/surrogates.md says more of each",
           .fallback = "joint-isi-dithering", .letter = 'm',
           PYTHON(.positional = true, .help = "a name of surrogate_methods()")),
    TIME("dither", "15ms",
         "the jitter: how far spikes move, both ways; the length of windows in interval-jitter, "
         "pattern-jitter, shift-pieces and jitter-spikes, half of it in bin-shuffling",
         PYTHON()),
    TIME("bin", NULL,
         "width of the bins that bin-shuffling, interval-jitter, pattern-jitter and shift-pieces "
         "keep; without this option the last three keep ticks",
         PYTHON()),
    TIME("history", NULL,
         "spikes of a unit that follow each other within this move together; the default is half "
         "the jitter in pattern-jitter, and in shift-pieces 4 times the jitter, or up to 32 times "
         "where most units keep a rhythm across longer pauses",
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

const spk_option spk_options_numbering_surrogates[] = {
    WHOLE("number", "1", 1, 1e9, "how many surrogates", .letter = 'n',
          PYTHON(.name = "n", .positional = true)),
    OPTION(INTEGER, "first", "K",
           "number of the first one; surrogate K is the same whatever the others are",
           .fallback = "1", .minimum = 1, .maximum = 1e18, PYTHON()),
    END,
};

const spk_option spk_options_written_surrogates[] = {
    OPTION(TEXT, "output", "DIR",
           "folder of the surrogates, made where it is not there: surrogate-0001.txt and so on",
           .letter = 'o', COMMAND),
    OPTION(TEXT, "to", "FORMAT",
           "format of the files; spikemine formats lists the formats that are written",
           .fallback = "text", COMMAND),
    END,
};

const spk_option spk_options_merging[] = {
    OUTPUT("FILE", "file of all shards; - is standard output, "),
    END,
};

/* ---- sequences ------------------------------------------------------------------------------- */

#define RESOLUTION                                                                                 \
    "how far surrogates move spikes. It is the resolution, too: members are looked for within "    \
    "1/16 to 1/4 of it on both sides of their lag"

/* Its default follows from the recording. */
#define LENGTH_OF_CLOCK .positional = true, .type = "Time | None", .fallback = "none"

const spk_option spk_options_sequences[] = {
    TIME("longest-lag", "200ms",
         "no two members of a sequence are further apart; the default is 32 steps where times are "
         "steps of more than 6.25 ms, such as frames of a movie",
         .letter = 'l',
         PYTHON(LENGTH_OF_CLOCK, .help =
                                     "no two members of a sequence are further apart; "
                                     "None: 200ms, or 32 steps where times are steps of more than "
                                     "6.25 ms, such as frames of a movie")),
    TIME("jitter", "50ms",
         RESOLUTION "; the default is 8 steps where times are steps of more than 6.25 ms",
         .letter = 'j',
         PYTHON(LENGTH_OF_CLOCK,
                .help = RESOLUTION
                "; None: 50ms, or 8 steps where times are steps of more than 6.25 ms")),
    CHOICE("null", NULLS, "shift-apart",
           "what chance may do. shift-apart: move each unit in a circle by any amount, which keeps "
           "all that it does by itself and breaks rates that change in several units together. The "
           "others are those of spikemine episodes",
           PYTHON()),
    TIME("history", NULL, "as in spikemine episodes, with --null pattern-jitter and --null shift",
         PYTHON()),
    WHOLE("surrogates", "99", 1, 1e9, "surrogates of each search; no p is below 1 / (N + 1)",
          .letter = 'n', PYTHON()),
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

const spk_option spk_options_written_sequences[] = {
    OUTPUT("FILE", "the table, - for standard output; "),
    CHOICE("format", "tsv|json", "tsv", "a line for each member, or all of it with occurrences",
           .letter = 'f', .work = true, COMMAND),
    OPTION(TEXT, "occurrences", "FILE",
           "the occurrences with the times of their spikes, as tab separated text", .work = true,
           COMMAND),
    OPTION(TEXT, "figure", "FILE",
           "draw the sequences, all occurrences aligned; .png, .svg or .pdf", .work = true,
           COMMAND),
    HTML,
    PANELS("one for each sequence"),
    END,
};
