/* What rows of episodes are made of: the labels of units, and the delay intervals, which the first
 * episodes bring with them. */
#ifndef SPK_REPORT_TABLE_EPISODE_NAMES_H
#define SPK_REPORT_TABLE_EPISODE_NAMES_H

#include "report/table/table.h"

typedef struct episode_names {
    report_texts unit;
    report_texts delay; /* by number in the table */
    bool has_table;
    size_t n_delays;
    spk_delay *delays; /* a copy of the table */
} episode_names;

/* Start with zeros; free after a failure, too. */
spk_status episode_names_make(spk_context *context, const spk_recording *recording,
                              report_label_form form, episode_names *names);
void episode_names_free(episode_names *names);

/* Takes the table of the first episodes; checks that these episodes fit the recording and that
 * theirs is the same. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY. */
spk_status episode_names_take(spk_context *context, const spk_recording *recording,
                              const spk_episode_columns *episodes, episode_names *names);

/* Writes the text form of episode i. */
void episode_names_put(report_table *table, const episode_names *names,
                       const spk_episode_columns *episodes, uint64_t i);

#endif
