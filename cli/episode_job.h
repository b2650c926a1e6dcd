/* What `episodes` and `count` share: the options of a job. Other commands that mine episodes take
 * single options from here. */
#pragma once

#include "analysis.h"

#define EPISODE_ENGINE_OPTIONS(type, member)                                                       \
    CLI_HEADING("computing"), CLI_SHARED("engine", engine), CLI_SHARED("gpus", gpus),              \
        CLI_OPTION("compaction", type, member.compaction), CLI_SHARED("threads", threads),         \
        CLI_SHARED("max-memory", max_memory), CLI_SHARED("energy", energy),                        \
        CLI_OPTION("divide", type, member.divide)

typedef struct episode_job_values {
    int compaction; /* a spk_compaction */
    int divide;     /* a spk_divide */
} episode_job_values;

#define EPISODE_OUTPUT_OPTIONS                                                                     \
    CLI_HEADING("output"), CLI_SHARED("format", format), CLI_SHARED("output", output),             \
        CLI_SHARED("occurrences", occurrences), CLI_SHARED("figure", figure), CLI_PAGE_OPTIONS,    \
        CLI_SHARED("max-results", max_results), CLI_FILE_OPTIONS, CLI_FIGURE_OPTIONS,              \
        CLI_SHARED("figure-range", figure_range)

/* Prepares the figure, and checks what can be known before the recording is read: that the files do
 * not get in each other's way. `lists` are the sources of episodes; NULL where there are none.
 * CLI_DONE or an exit code. */
int episode_job_check(cli_analysis *a, const cli_texts *lists);

/* --engine, --gpus, --compaction and --divide into the options of a job. */
void episode_job_engine(const cli_session *session, const episode_job_values *values,
                        spk_episode_options *options);

/* Notes about intervals that do not go with the grid of the recording's times; refuses those whose
 * delays rounding would decide, and those so long that a search up to max_size would have no end.
 * CLI_DONE or an exit code. */
int episode_job_check_delays(cli_session *session, const spk_recording *recording,
                             const spk_delay *delays, size_t n, uint64_t max_size);

/* The intervals of --delay into delays[texts->n]. CLI_DONE or CLI_USAGE. */
int episode_job_delays(cli_session *session, const cli_texts *texts, spk_delay *delays);

/* The same into a new array, to be freed: at least one, and each once, since one given twice would
 * only list every episode twice. CLI_DONE or an exit code. */
int episode_job_take_delays(cli_session *session, const cli_texts *texts, spk_delay **out,
                            size_t *n_out);

/* ---- support, and what a rank reads ---------------------------------------------------------- */

enum { EPISODE_SUPPORT_TEXT = 560 };

typedef struct episode_support_values {
    const char *support;
    double link_share;
    cli_duration time; /* for auto */
} episode_support_values;

/* --link-share and --support-time; --support itself differs between commands. */
#define EPISODE_SUPPORT_OPTIONS(type, member)                                                      \
    CLI_OPTION("link-share", type, member.link_share), CLI_OPTION("support-time", type, member.time)

/* Checks what can be known before the recording is read. CLI_DONE or an exit code. */
int episode_support_check(cli_session *session, const episode_support_values *values);

/* Sets options->support and link_share; the other fields are there, and the analysis has its test.
 * Why it was chosen goes to `why`, "" where it was given, and to a note. CLI_DONE or an
 * exit code. */
int episode_support_take(const cli_analysis *a, const episode_support_values *values,
                         const spk_recording *recording, spk_episode_options *options,
                         char why[EPISODE_SUPPORT_TEXT]);

/* ---- what a rank reads ----------------------------------------------------------------------- */

/* Has this rank read its part of the recordings from now on, where the job is divided by time and
 * nothing but counts is wanted of it: pictures, pages and occurrences show the whole recording.
 * `part` must live until session->part is NULL again. Delays: those of episodes of at most
 * `max_size` units. */
void episode_part_take(cli_session *session, const episode_job_values *job, const spk_delay *delays,
                       size_t n, uint32_t max_size, spk_read_part *part);

/* The same for given episodes. A list that cannot be read has no effect here: the failure
 * is told when the recording is known. */
void episode_part_take_list(cli_session *session, const episode_job_values *job,
                            const cli_texts *lists, spk_read_part *part);
