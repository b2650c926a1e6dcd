/* Labels and delay intervals of episodes. */
#include "report/table/episode_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/check.h"

spk_status episode_names_make(spk_context *context, const spk_recording *recording,
                              report_label_form form, episode_names *names)
{
    return report_labels_make(context, recording, spk_recording_events(recording).n_units, form,
                              &names->unit);
}

void episode_names_free(episode_names *names)
{
    report_texts_free(&names->unit);
    report_texts_free(&names->delay);
    free(names->delays);
    *names = (episode_names){.delays = NULL};
}

static bool same_duration(spk_duration a, spk_duration b)
{
    return spk_duration_compare(a, b) == 0;
}

static bool same_table(const episode_names *names, const spk_episode_columns *episodes)
{
    bool same = names->n_delays == episodes->n_delays;
    for (size_t d = 0; d < names->n_delays && same; d++)
        same = same_duration(names->delays[d].lo, episodes->delays[d].lo) &&
               same_duration(names->delays[d].hi, episodes->delays[d].hi);
    return same;
}

static spk_status keep_table(spk_context *context, const spk_episode_columns *episodes,
                             episode_names *names)
{
    size_t n = episodes->n_delays;
    spk_status status = spk_alloc(context, &names->delays, n, "delay intervals");
    if (status != SPK_OK)
        return status;
    for (size_t d = 0; d < n; d++)
        names->delays[d] = episodes->delays[d];
    names->n_delays = n;
    names->has_table = true;
    return report_delays_make(context, names->delays, n, &names->delay);
}

spk_status episode_names_take(spk_context *context, const spk_recording *recording,
                              const spk_episode_columns *episodes, episode_names *names)
{
    spk_status status = report_check_episodes(context, recording, episodes);
    if (status != SPK_OK)
        return status;
    if (!names->has_table)
        return keep_table(context, episodes, names);
    if (same_table(names, episodes))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "these episodes have another table of delay intervals than those before them; "
                    "write them to a file of their own");
}

void episode_names_put(report_table *table, const episode_names *names,
                       const spk_episode_columns *episodes, uint64_t i)
{
    uint64_t first = episodes->offset[i];
    for (uint64_t k = first; k < episodes->offset[i + 1]; k++) {
        if (k > first)
            report_put_piece(table, &names->delay, episodes->delay[k]);
        report_put_piece(table, &names->unit, episodes->unit[k]);
    }
}
