/*
 * Shards joined, and whether maxima are those of a job.
 *
 * Example, 8 surrogates:
 *     shard 1 of 3    1  4  7
 *     shard 2 of 3    2  5  8
 *     shard 3 of 3    3  6              joined: 1 2 3 4 5 6 7 8
 *
 * Invariant: number i of the whole, from 0, is number i / n_shards of shard i % n_shards, also from
 * 0; it holds as each shard is there once, and complete. Cost: a copy of all entries, and a sort of
 * the shards.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "significance/maxima/maxima.h"

/* ---- what is wrong with parts ---------------------------------------------------------------- */

static spk_status check_same_job(spk_context *context, size_t n, const spk_maxima *const *parts)
{
    static const char remedy[] = "only shards of one job can be joined";
    const spk_maxima_part *a = &parts[0]->part;
    spk_maxima_name first = spk_maxima_name_of(parts[0], 1);
    for (size_t k = 1; k < n; k++) {
        const spk_maxima_part *b = &parts[k]->part;
        spk_maxima_name name = spk_maxima_name_of(parts[k], k + 1);
        spk_status status =
            spk_maxima_compare_jobs(context, name.text, b->job, first.text, a->job, remedy);
        if (status != SPK_OK)
            return status;
        if (a->n_surrogates != b->n_surrogates)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "%s: is of a job of %" PRIu64 " surrogates, and %s of one of %" PRIu64
                            "; %s",
                            name.text, b->n_surrogates, first.text, a->n_surrogates, remedy);
        if (a->n_shards != b->n_shards)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "%s: is one of %" PRIu32 " shards, and %s one of %" PRIu32 "; %s",
                            name.text, b->n_shards, first.text, a->n_shards, remedy);
    }
    return SPK_OK;
}

/* Parts by shard, then in the order in which they were named. */
typedef struct sorted_part {
    uint32_t shard;
    size_t number; /* from 0 */
} sorted_part;

static int compare_parts(const void *a, const void *b)
{
    const sorted_part *x = a, *y = b;
    return SPK_BY(SPK_UP(x->shard, y->shard), SPK_UP(x->number, y->number));
}

static spk_status check_twice(spk_context *context, size_t n, const spk_maxima *const *parts,
                              const sorted_part *sorted)
{
    for (size_t k = 1; k < n; k++) {
        size_t a = sorted[k - 1].number, b = sorted[k].number;
        if (sorted[k].shard == sorted[k - 1].shard)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "%s: is shard %" PRIu32 "/%" PRIu32 ", and so is %s; name each shard "
                            "once",
                            spk_maxima_name_of(parts[b], b + 1).text, sorted[k].shard,
                            parts[b]->part.n_shards, spk_maxima_name_of(parts[a], a + 1).text);
    }
    return SPK_OK;
}

/* "2, 5 to 7, 11" of the shards that are not among those sorted. */
static void list_missing(size_t n, const sorted_part *sorted, uint32_t n_shards, char *out,
                         size_t size)
{
    size_t used = 0;
    uint64_t next = 1; /* the shard that should follow */
    out[0] = '\0';
    for (size_t k = 0; k <= n; k++) {
        uint64_t there = k < n ? sorted[k].shard : (uint64_t)n_shards + 1;
        if (there > next && used + 64 > size) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        if (there > next)
            used +=
                (size_t)snprintf(out + used, size - used, "%s%" PRIu64, used > 0 ? ", " : "", next);
        if (there > next + 1)
            used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64,
                                     there > next + 2 ? " to " : ", ", there - 1);
        next = there + 1;
    }
}

static spk_status check_missing(spk_context *context, size_t n, const sorted_part *sorted,
                                uint32_t n_shards)
{
    char list[400];
    list_missing(n, sorted, n_shards, list, sizeof list);
    if (list[0] == '\0')
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "of %" PRIu32 " shards these are missing: %s; run them, and name all shards",
                    n_shards, list);
}

static spk_status check_complete(spk_context *context, const spk_maxima *maxima, size_t number)
{
    spk_maxima_info info = spk_maxima_describe(maxima);
    if (info.n_missing == 0)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: %" PRIu64 " of the %" PRIu64 " surrogates of shard %" PRIu32 "/%" PRIu32
                    " are missing, as the run was interrupted; run it again with this file as its "
                    "checkpoint",
                    spk_maxima_name_of(maxima, number).text, info.n_missing, info.n_of_shard,
                    info.shard, info.n_shards);
}

static spk_status check_all_complete(spk_context *context, size_t n, const spk_maxima *const *parts)
{
    spk_status status = SPK_OK;
    for (size_t k = 0; k < n && status == SPK_OK; k++)
        status = check_complete(context, parts[k], k + 1);
    return status;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Surrogates go round through the shards: 1, 2, ... */
static void join(const spk_maxima *const *parts, const sorted_part *sorted, spk_maxima *out)
{
    uint32_t n_shards = parts[0]->part.n_shards;
    for (uint64_t i = 0; i < out->n; i++) {
        const spk_maxima *from = parts[sorted[i % n_shards].number];
        uint64_t at = i / n_shards, n = from->first[at + 1] - from->first[at];
        if (n > 0)
            memcpy(out->entry + out->first[i], from->entry + from->first[at],
                   n * sizeof *out->entry);
        out->surrogate[i] = from->surrogate[at];
        out->first[i + 1] = out->first[i] + n;
    }
}

static spk_status merge(spk_context *context, size_t n, const spk_maxima *const *parts,
                        sorted_part *sorted, spk_maxima **out)
{
    spk_maxima_part whole = parts[0]->part;
    uint64_t n_entries = 0;
    for (size_t k = 0; k < n; k++) {
        sorted[k] = (sorted_part){parts[k]->part.shard, k};
        n_entries += parts[k]->first[parts[k]->n];
    }
    qsort(sorted, n, sizeof *sorted, compare_parts);
    spk_status status = check_twice(context, n, parts, sorted);
    if (status == SPK_OK)
        status = check_missing(context, n, sorted, whole.n_shards);
    if (status == SPK_OK)
        status = check_all_complete(context, n, parts);
    whole.shard = whole.n_shards = 1;
    if (status == SPK_OK)
        status = spk_maxima_create(context, &whole, whole.n_surrogates, n_entries, out);
    if (status == SPK_OK)
        join(parts, sorted, *out);
    return status;
}

spk_status spk_maxima_merge(spk_context *context, size_t n, const spk_maxima *const *parts,
                            spk_maxima **out)
{
    sorted_part *sorted = NULL;
    *out = NULL;
    if (n == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no shard to join");
    spk_status status = check_same_job(context, n, parts);
    if (status != SPK_OK)
        return status;
    spk_stage stage = spk_stage_open(context);
    status = spk_alloc(context, &sorted, n, "shards");
    if (status == SPK_OK)
        status = merge(context, n, parts, sorted, out);
    spk_free(context, sorted);
    spk_stage_close(context, &stage);
    if (status == SPK_OK)
        spk_maxima_hold(context, *out);
    return status;
}

/* ---- checking -------------------------------------------------------------------------------- */

static spk_status check_whole(spk_context *context, const spk_maxima *maxima, uint64_t n_surrogates)
{
    const spk_maxima_part *part = &maxima->part;
    spk_maxima_name name = spk_maxima_name_of(maxima, 1);
    if (part->n_shards != 1)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: is shard %" PRIu32 " of %" PRIu32 " only; join all of them first "
                        "(spikemine merge)",
                        name.text, part->shard, part->n_shards);
    spk_status status = check_complete(context, maxima, 1);
    if (status == SPK_OK && n_surrogates != 0 && part->n_surrogates != n_surrogates)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "%s: has %" PRIu64 " surrogates, and %" PRIu64 " are asked for",
                          name.text, part->n_surrogates, n_surrogates);
    return status;
}

spk_status spk_maxima_check_text(spk_context *context, const spk_maxima *maxima, const char *job,
                                 uint64_t n_surrogates)
{
    spk_status status =
        spk_maxima_compare_jobs(context, spk_maxima_name_of(maxima, 1).text, maxima->job,
                                "this job", job, "take the same options, or other maxima");
    return status == SPK_OK ? check_whole(context, maxima, n_surrogates) : status;
}
