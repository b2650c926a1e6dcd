/*
 * What `episodes` and `count` share: the options of a job and the files it writes. Other commands
 * that mine episodes take single options from here.
 */
#ifndef CLI_EPISODE_JOB_H
#define CLI_EPISODE_JOB_H

#include "analysis.h"
#include "outputs.h"

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

/* A job's open files and what the picture needs. */
typedef struct episode_job {
    cli_outputs out;
    const spk_recording *recording;
    const char *support_choice;    /* why auto chose it; "" or NULL: it was given */
    const double *expected;        /* of a test, for the figure; by row, NULL: there was none */
    const spk_exact_report *exact; /* of a test, for the report; NULL: there was none */
    const spk_maxima *maxima;      /* its surrogates; NULL: they are not one set */
    bool as_listed;                /* the figure shows the first episodes, not the most telling */
    uint32_t occurrences_from;     /* smallest size whose occurrences are written */
    spk_episode_list *drawn;       /* with --figure or --html: all episodes */
    cli_figure_look look;
    /* What is there of a job that ended early; NULL: the sizes that are complete. */
    const char *kept;
} episode_job;

/* Checks what can be known before the recording is read: --max-results, the figure's ending, and
 * that the files do not get in each other's way. `lists` are the sources of episodes; NULL where
 * there are none. CLI_DONE or an exit code. */
int episode_job_check(cli_session *session, const cli_texts *lists);

/* Opens the files. From now on the first signal keeps what is complete. CLI_DONE or an exit code.
 */
int episode_job_open(episode_job *job);

/* A spk_episode_sink: writes episodes to all files; `user` is the job. */
spk_status episode_job_add(void *user, const spk_episode_columns *episodes);

/* What --verbose tells of a finished size; `user` is the job. */
void episode_job_take_level(void *user, const spk_episode_level *level);

/* Ends the files: names them when status is SPK_OK, marks them incomplete where sizes are complete
 * or after a cancel, removes them otherwise. Reports errors; returns the exit code. */
int episode_job_close(episode_job *job, spk_status status, const spk_episode_summary *summary,
                      uint64_t support);

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

/* ---- tests ----------------------------------------------------------------------------------- */

/* Mines, tests and writes; with --shard makes surrogates only. Fills the summary of the search.
 * CLI_DONE or an exit code. */
int episode_test_run(episode_job *job, const spk_episode_options *options, exact_plan *plan,
                     spk_episode_summary *summary);

/* The same for a comparison. */
int episode_compare_run(episode_job *job, const spk_episode_options *options,
                        const compare_plan *plan, spk_episode_summary *summary);

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

/* Sets options->support and link_share; the other fields are there. `test` has its seed and may be
 * wanted. Why it was chosen goes to `why`, "" where it was given, and to a note. CLI_DONE or an
 * exit code. */
int episode_support_take(cli_session *session, const episode_support_values *values,
                         const spk_recording *recording, const exact_plan *test,
                         spk_episode_options *options, char why[EPISODE_SUPPORT_TEXT]);

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

#endif
