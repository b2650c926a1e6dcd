/* How options are written, and what operations share. Each option stands once: help, manual and
 * completion of the command, signatures and docstrings of Python, checks of values, and the
 * settings in reports are made from it. python/build_operations.py reads these files, too. */
#pragma once

#include "spikemine/operation.h"

/* ---- an option ------------------------------------------------------------------------------- */

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

/* ---- what several operations have ------------------------------------------------------------ */

#define COMPRESSION "a name in .gz, .xz, .zst or .bz2 is compressed"

/* Where a table of results goes. */
#define OUTPUT(argument_, help_)                                                                   \
    OPTION(TEXT, "output", argument_, help_ COMPRESSION, .letter = 'o', .work = true,              \
           .fallback = "-", COMMAND)

#define HTML                                                                                       \
    OPTION(TEXT, "html", "FILE",                                                                   \
           "report to look at: one .html file that opens in a browser, without a network, with "   \
           "the table, raster, occurrences, test and settings",                                    \
           .work = true, COMMAND)

#define PANELS(help_)                                                                              \
    OPTION(TEXT, "panels", "LIST", "draw these panels only, e.g. a,c: " help_, .work = true,       \
           COMMAND)

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

/* ---- the tables, which end with END ------------------------------------------------------------
 */

extern const spk_option spk_options_shared[], spk_options_reading[], spk_options_writing[],
    spk_options_figures[], spk_options_pages[], spk_options_calibrating[],
    spk_options_delays_of_episodes[], spk_options_supports[], spk_options_links[],
    spk_options_choosing_supports[], spk_options_supports_of_patterns[],
    spk_options_sizes_of_episodes[], spk_options_passes[], spk_options_selected_episodes[],
    spk_options_tested_episodes[], spk_options_compared_episodes[], spk_options_mining_episodes[],
    spk_options_written_episodes[], spk_options_counting[], spk_options_tested_given[],
    spk_options_searching_patterns[], spk_options_mining_patterns[],
    spk_options_limits_of_patterns[], spk_options_listing_patterns[],
    spk_options_selected_patterns[], spk_options_tested_patterns[], spk_options_compared_patterns[],
    spk_options_written_patterns[], spk_options_keeping_intervals[],
    spk_options_making_surrogates[], spk_options_numbering_surrogates[],
    spk_options_written_surrogates[], spk_options_merging[], spk_options_sequences[],
    spk_options_written_sequences[], spk_options_mining_live[], spk_options_testing_live[],
    spk_options_computing_live[], spk_options_watching[], spk_options_sources[],
    spk_options_emitting[], spk_options_planning[], spk_options_planning_episodes[],
    spk_options_planning_patterns[], spk_options_timing[], spk_options_timing_episodes[],
    spk_options_timing_patterns[], spk_options_tuning[], spk_options_simulating[],
    spk_options_simulating_sym26[], spk_options_simulating_network[],
    spk_options_simulating_probe[], spk_options_simulating_culture[], spk_options_describing[],
    spk_options_suggesting[], spk_options_exploring[], spk_options_exploring_in_a_page[],
    spk_options_converting[], spk_options_sampling[], spk_options_listing_formats[],
    spk_options_listing_engines[], spk_options_helping[], spk_options_recording[],
    spk_options_counted[], spk_options_executing[], spk_options_suggested[],
    spk_options_either_search[], spk_options_calibrated[], spk_options_compared[],
    spk_options_progressing[];
