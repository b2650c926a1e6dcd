/* What a rank reads of a recording that is divided by time. */
#ifndef CLI_EPISODE_PART_H
#define CLI_EPISODE_PART_H

#include "episode_job.h"

/* Has this rank read its part of the recordings from now on, where the job is divided by time and
 * nothing but counts is wanted of it: pictures, pages and occurrences show the whole recording.
 * `part` must live until session->part is NULL again. Delays: those of episodes of at most
 * `max_size` units. */
void episode_part_take(cli_session *session, const episode_job_values *job, const spk_delay *delays,
                       size_t n, uint32_t max_size, spk_read_part *part);

/* The same for the episodes of a list. A list that cannot be read has no effect here: the failure
 * is told when the recording is known. */
void episode_part_take_list(cli_session *session, const episode_job_values *job, const char *path,
                            spk_read_part *part);

#endif
