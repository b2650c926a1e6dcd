/* Options of episodes: search, list, test. */
#include "operation/options.h"
#include "spikemine/episode.h"

const spk_option spk_options_delays_of_episodes[] = {
    OPTION(TEXTS, "delay", "LO:HI",
           "interval in which the next unit fires: more than LO and at most HI after the unit "
           "before, e.g. 5ms:10ms or 0:1/30s. HI may be inf. The option may be given several "
           "times; every step then takes any of the intervals",
           .letter = 'd',
           PYTHON(.name = "delays", .type = "Delays", .positional = true,
                  .help = "intervals in which the next unit fires, as texts \"5ms:10ms\" or as "
                          "(lo, hi), times being texts or seconds: more than lo and at most hi "
                          "after the unit before. hi may be inf. Every step takes any of them")),
    END,
};

const spk_option spk_options_supports[] = {
    OPTION(TEXT, "support", "N|P%|auto",
           "smallest count of a frequent episode: a number such as 173, or a share of all events "
           "such as 0.1%, rounded up. auto takes 6 for a test, and the smallest --link-share with "
           "which searches end soon; without a test the smallest number at which chance gives at "
           "most 1,000 episodes of two units or more. Both come from 9 surrogates within the "
           "window of --jitter; without a test, within one that suits the delays. The recording "
           "has no part in it, so that a test stays exact. A note tells what it chose",
           .synonym = "min-occurrences", .letter = 's',
           PYTHON(.type = "int | str", .positional = true,
                  .help = "smallest count of a frequent episode: a number, a share of all events "
                          "such as \"0.1%\", rounded up, or \"auto\". auto takes 6 for a test, and "
                          "the smallest link_share with which searches end soon; without a test "
                          "the smallest number at which chance gives at most 1,000 episodes of two "
                          "units or more. Both come from surrogates, so that a test stays exact; "
                          "info[\"support_choice\"] tells what it chose")),
    END,
};

const spk_option spk_options_links[] = {
    REAL("link-share", "F", "0", 0, SPK_EPISODE_MAX_LINK_SHARE,
         "an episode must also occur F times as often as chance gives each of its links, two "
         "neighbours with their interval, at the mean rates of the two units. Busy units then need "
         "hundreds of occurrences where slow ones need six",
         PYTHON()),
    END,
};

const spk_option spk_options_sizes_of_episodes[] = {
    WHOLE("max-size", "64", 1, SPK_EPISODE_MAX_SIZE, "largest size of an episode, in units",
          PYTHON()),
    END,
};

const spk_option spk_options_passes[] = {
    CHOICE("two-pass", "auto|on|off", "auto",
           "whether a quick upper bound of the count drops candidates before they are counted "
           "exactly",
           .work = true, COMMAND),
    END,
};

const spk_option spk_options_selected_episodes[] = {
    MIN_SIZE("episode", "units", PYTHON()),
    ORDER,
    SELECTION("episode", "units",
              "An episode contains its parts without gaps that have the same intervals",
              "list an episode only where no other one on the list that contains it has the same "
              "count"),
    END,
};

/* How a test against chance is made, and the level of its p. */
#define IN_SURROGATES(level)                                                                       \
    JITTER("", ""), NULL_HYPOTHESIS(""),                                                           \
        WHOLE("surrogates", NULL, 1, 1e9,                                                          \
              "number of surrogates; the smallest p-value is 1/(N+1). The default is 199",         \
              PYTHON(.type = "int | None")),                                                       \
        SEED("seed of the random numbers; the same seed and options give the same p-values, with " \
             "any engine, number of threads and shards"),                                          \
        ALPHA(level)

const spk_option spk_options_tested_episodes[] = {
    CHOICE("test", "none|exact", "none",
           "exact: the same search in surrogates, in which spikes move within windows as --null "
           "says, gives each episode a p-value that takes the whole search into account; "
           "docs/explanation/chance.md",
           PYTHON()),
    IN_SURROGATES("largest p-value of a significant episode"),
    REPORT("which episodes a test lists, the least likely first; core: significant ones that no "
           "part of them explains"),
    PEELING("episode"),
    SURROGATES_MADE("scores"),
    END,
};

const spk_option spk_options_compared_episodes[] = {
    TWO_CONDITIONS("episode"),
    PERMUTATIONS(COMMAND),
    END,
};

const spk_option spk_options_mining_episodes[] = {
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

/* Where results go. */
const spk_option spk_options_written_episodes[] = {
    CHOICE("format", "tsv|json", "tsv",
           "form of the table: tab separated text, or JSON with provenance", .work = true, COMMAND),
    OUTPUT("FILE", "file of the episodes; - is standard output, "),
    OPTION(TEXT, "occurrences", "FILE",
           "file of the start, the end and the event times of every counted occurrence",
           .work = true, COMMAND),
    OPTION(TEXT, "figure", "FILE",
           "picture of examples with their occurrences and of who follows whom: .png, .svg or .pdf",
           .work = true, COMMAND),
    HTML,
    PANELS("a raster, b examples, c who follows whom, d after --test exact what it says of the "
           "examples"),
    END,
};

const spk_option spk_options_counting[] = {
    OPTION(TEXTS, "episodes", "FILE|EPISODE",
           "file with an episode on each line, or a table that spikemine episodes wrote; - is "
           "standard input. Or the episode itself, such as '56 (5ms,10ms] 49'; then the option may "
           "be given several times",
           .letter = 'e', COMMAND),
    END,
};

/* Of given episodes. */
const spk_option spk_options_tested_given[] = {
    CHOICE("test", "none|exact", "none",
           "exact: counts in surrogates, in which spikes move within windows as --null says, give "
           "each episode a p-value that takes all given ones into account, and the step's other "
           "direction is counted, too; docs/how-to/does-a-lead-b.md",
           PYTHON()),
    IN_SURROGATES("largest p-value of a significant episode, and of a direction"),
    SURROGATES_MADE("scores"),
    END,
};
