/*
 * Maxima: options, columns, life.
 *
 * Example, shard 1 of 3:
 *     surrogate   1        4        7
 *     first       0        2        2        3
 *     entry       e e               e      surrogate 4 has none
 *
 * Invariant: entries of number i are first[i] .. first[i + 1] - 1. Surrogates rise; all are of the
 * shard, whose numbers are shard, shard + n_shards, and so on. Bytes: 16 for each surrogate, and
 * its entries.
 */
#include "significance/maxima/maxima.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"

SPK_OPTIONS_INIT(spk_maxima_options, .n_surrogates = 1000, .shard = 1, .n_shards = 1);

/* ---- shards ---------------------------------------------------------------------------------- */

uint64_t spk_maxima_shard_size(const spk_maxima_part *part)
{
    assert(part->shard >= 1 && part->shard <= part->n_shards);
    if (part->n_surrogates < part->shard)
        return 0;
    return (part->n_surrogates - part->shard) / part->n_shards + 1;
}

uint64_t spk_maxima_shard_surrogate(const spk_maxima_part *part, uint64_t i)
{
    return part->shard + i * part->n_shards;
}

/* ---- life ------------------------------------------------------------------------------------ */

spk_status spk_maxima_create(spk_context *context, const spk_maxima_part *part, uint64_t n,
                             uint64_t n_entries, spk_maxima **out)
{
    spk_maxima *maxima = NULL;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &maxima, 1, "maxima");
    if (status != SPK_OK)
        return status;
    _Static_assert(sizeof(spk_maxima_entry) == sizeof(spk_pattern_maximum) &&
                       sizeof(spk_maxima_entry) == sizeof(spk_score_step),
                   "columns of entries are columns of either kind");
    maxima->part = *part;
    maxima->n = n;
    status = spk_strdup(context, &maxima->job, part->job);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "maxima", SPK_COLUMN(&maxima->surrogate, n),
                                   SPK_COLUMN(&maxima->first, n + 1),
                                   SPK_COLUMN(&maxima->entry, n_entries));
    if (status != SPK_OK) {
        spk_maxima_free(maxima);
        return status;
    }
    maxima->part.job = maxima->job;
    maxima->first[0] = 0;
    *out = maxima;
    return SPK_OK;
}

void spk_maxima_hold(spk_context *context, spk_maxima *maxima)
{
    uint64_t each = sizeof *maxima->surrogate + sizeof *maxima->first;
    spk_holding_set(context, &maxima->holding,
                    maxima->n * each + maxima->first[maxima->n] * sizeof *maxima->entry);
}

void spk_maxima_free(spk_maxima *maxima)
{
    if (maxima == NULL)
        return;
    spk_free_all(maxima->name, maxima->job, maxima->surrogate, maxima->first, maxima->entry);
    if (maxima->free_kept != NULL)
        maxima->free_kept(maxima->kept);
    spk_holding_release(&maxima->holding);
    free(maxima);
}

/* ---- access ---------------------------------------------------------------------------------- */

spk_maxima_columns spk_maxima_columns_of(const spk_maxima *maxima)
{
    bool counts = maxima->part.n_scales == 0;
    return (spk_maxima_columns){.n = counts ? maxima->n : 0,
                                .by_duration = maxima->part.by_duration,
                                .surrogate = maxima->surrogate,
                                .first = maxima->first,
                                .maximum = counts ? &maxima->entry->maximum : NULL};
}

spk_exact_columns spk_exact_columns_of(const spk_maxima *maxima)
{
    bool scores = maxima->part.n_scales > 0;
    return (spk_exact_columns){.n = scores ? maxima->n : 0,
                               .n_scales = maxima->part.n_scales,
                               .surrogate = maxima->surrogate,
                               .first = maxima->first,
                               .step = scores ? &maxima->entry->step : NULL};
}

spk_maxima_info spk_maxima_describe(const spk_maxima *maxima)
{
    uint64_t size = spk_maxima_shard_size(&maxima->part);
    assert(maxima->n <= size);
    return (spk_maxima_info){.job = maxima->job,
                             .n_surrogates = maxima->part.n_surrogates,
                             .shard = maxima->part.shard,
                             .n_shards = maxima->part.n_shards,
                             .n_of_shard = size,
                             .n_missing = size - maxima->n,
                             .by_duration = maxima->part.by_duration};
}

spk_maxima_name spk_maxima_name_of(const spk_maxima *maxima, size_t number)
{
    spk_maxima_name name;
    if (maxima->name != NULL)
        snprintf(name.text, sizeof name.text, "%s", maxima->name);
    else
        snprintf(name.text, sizeof name.text, "part %zu", number);
    return name;
}
