/* Events of a live run as tables to read, on standard output. */
#ifndef CLI_LIVE_TABLE_H
#define CLI_LIVE_TABLE_H

#include "spikemine/live_session.h"

/* A spk_live_occurrence_sink, a spk_partition_sink, a spk_live_mark_sink and a
 * spk_live_choice_sink; `user` is a live_job. SPK_ERR_PIPE where nothing can be written. */
spk_status live_table_occurrence(void *user, const spk_live_occurrence *occurrence);
spk_status live_table_partition(void *user, const spk_partition_result *result);
spk_status live_table_mark(void *user, const spk_live_mark *mark);
spk_status live_table_choice(void *user, const spk_live_choice *choice);

#endif
