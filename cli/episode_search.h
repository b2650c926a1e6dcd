/* What a search for episodes begins with: its support, and what a rank reads of a recording that is
 * divided by time. */
#ifndef CLI_EPISODE_SEARCH_H
#define CLI_EPISODE_SEARCH_H

#include "chance_test.h"
#include "episode_job.h"

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
