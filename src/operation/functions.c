/* Options that functions of the Python package have beside those of commands. */
#include "operation/options.h"
#include "spikemine/pattern.h"

const spk_option spk_options_recording[] = {
    OPTION(TEXT, "recording", "REC",
           "path of a file as read() takes it, a Recording, or anything that Recording takes",
           PYTHON(.type = "Any", .positional = true)),
    END,
};

const spk_option spk_options_counted[] = {
    OPTION(TEXT, "episodes", "FILE", "file with an episode on each line",
           PYTHON(.type = "Sequence[str] | Episodes | str | os.PathLike[str]", .positional = true,
                  .help = "texts such as \"56 (5ms,10ms] 49\", Episodes of any recording with "
                          "these names of units, or the path of a file")),
    END,
};

const spk_option spk_options_executing[] = {
    OPTION(TEXT, "executor", "EXECUTOR",
           "anything with submit() as concurrent.futures has it; it makes the surrogates in "
           "`shards` tasks, each with `threads` threads, with the same result",
           .work = true, PYTHON(.type = "Any")),
    WHOLE("shards", NULL, 1, MOST_32, "tasks for the executor; by default four for each worker",
          .work = true, PYTHON(.type = "int | None")),
    END,
};

const spk_option spk_options_suggested[] = {
    OPTION(TEXTS, "sets", "DELAYS",
           "sets of delays, each as episodes() takes them; by default about twelve from 5 ms to "
           "200 ms that suit most recordings",
           PYTHON(.type = "Sequence[Delays] | None", .positional = true)),
    ALPHA("level of all sets together, by whose number that of the test is divided"),
    SEED("seed of surrogates"),
    END,
};

const spk_option spk_options_either_search[] = {
    OPTION(TEXTS, "delays", "LO:HI", "of episodes, as episodes() has them",
           PYTHON(.type = "Delays | None", .positional = true, .of = "Episodes")),
    OPTION(TEXT, "support", "N|P%|auto",
           "as the function of the search has it: smallest count of an episode, or of a pattern, "
           "for which 2 is the default",
           .synonym = "min-occurrences",
           PYTHON(.type = "int | str | Mapping[int, int] | None", .positional = true)),
    TIME("bin", NULL, "of patterns, as patterns() has it", PYTHON(.of = "Patterns")),
    WHOLE("window", NULL, 1, SPK_MAX_WINDOW_BINS, "likewise",
          PYTHON(.type = "int | None", .of = "Patterns")),
    END,
};

const spk_option spk_options_calibrated[] = {
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

const spk_option spk_options_compared[] = {
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

const spk_option spk_options_progressing[] = {
    OPTION(TEXT, "progress", "FUNCTION",
           "True shows bars (tqdm); or a function (what, done, total)", .work = true,
           PYTHON(.type = "Progress")),
    END,
};
