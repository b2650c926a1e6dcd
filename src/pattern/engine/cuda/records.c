/* cuda-bitmap: sorting what rounds bring by task, and batches for the sink. */
#include "pattern/engine/cuda/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

enum { HEAD = SPK_PATTERN_PILE_HEAD, BATCH = 16384, LEAST_BATCH = 64 };

static uint64_t length_of(const uint32_t *record)
{
    return HEAD + (uint64_t)record[2];
}

/* The output of a round, behind what is held. */
static spk_status fetch(cp_run *run, cp_records *r)
{
    const uint64_t n = cp_out_words(cp_run_found(run));
    spk_status status = spk_grow(run->context, &r->word, &r->room, r->n + n, "patterns");
    if (status == SPK_OK)
        status =
            run->machine->fetch(run->context, r->word + r->n, run->view.out, n * sizeof *r->word);
    if (status == SPK_OK)
        r->n += n;
    return status;
}

/* The records of a task that came in parts, by part. */
static void order_parts(cp_records *r, uint64_t begin, uint64_t end)
{
    enum { PLACE_BITS = 40 };
    bool parts = false;
    for (uint64_t k = begin; k < end && !parts; k++)
        parts = r->word[r->record[k] + 1] > 0;
    if (!parts)
        return;
    for (uint64_t k = begin; k < end; k++)
        r->record[k] |= (uint64_t)r->word[r->record[k] + 1] << PLACE_BITS;
    qsort(r->record + begin, end - begin, sizeof *r->record, spk_compare_uint64);
    for (uint64_t k = begin; k < end; k++)
        r->record[k] &= (UINT64_C(1) << PLACE_BITS) - 1;
}

/* Lists the records of tasks below `sure`, by task; *n: how many. */
static spk_status list_records(spk_context *context, cp_records *r, uint64_t sure, uint64_t *n)
{
    uint64_t n_tasks = 0;
    *n = 0;
    for (uint64_t at = 0; at < r->n; at += length_of(r->word + at))
        if (r->word[at] < sure) {
            n_tasks = n_tasks > r->word[at] ? n_tasks : r->word[at] + UINT64_C(1);
            ++*n;
        }
    spk_status status = spk_grow(context, &r->first, &r->first_room, n_tasks + 2, "patterns");
    if (status == SPK_OK)
        status = spk_grow(context, &r->record, &r->record_room, *n, "patterns");
    if (status != SPK_OK)
        return status;
    uint64_t *first = r->first + 1; /* shifted by one while filling */
    memset(r->first, 0, (n_tasks + 2) * sizeof *r->first);
    for (uint64_t at = 0; at < r->n; at += length_of(r->word + at))
        if (r->word[at] < sure)
            first[r->unordered ? n_tasks : r->word[at] + 1]++;
    for (uint64_t t = 0; t < n_tasks && !r->unordered; t++)
        first[t + 1] += first[t];
    uint64_t next = 0;
    for (uint64_t at = 0; at < r->n; at += length_of(r->word + at))
        if (r->word[at] < sure)
            r->record[r->unordered ? next++ : first[r->word[at]]++] = at;
    if (!r->unordered) {
#pragma omp parallel for num_threads(r->n_makers) schedule(dynamic, 64) if (r->n_makers > 1)
        for (uint64_t t = 0; t < n_tasks; t++)
            order_parts(r, t > 0 ? first[t - 1] : 0, first[t]);
    }
    return SPK_OK;
}

/* ---- batches --------------------------------------------------------------------------------- */

static spk_pattern_columns columns_of(const cp_run *run, const cp_batch *b)
{
    return (spk_pattern_columns){.n = b->n,
                                 .window = run->view.n_lags,
                                 .offset = b->offset,
                                 .item = b->item,
                                 .count = b->count};
}

static bool reserve_items(cp_batch *b, uint64_t n)
{
    if (n <= b->item_room)
        return true;
    uint32_t *larger = realloc(b->item, 2 * n * sizeof *larger);
    if (larger == NULL)
        return false;
    b->item = larger;
    b->item_room = 2 * n;
    return true;
}

/* Records begin .. end - 1 of the list, as columns, and these as bytes: by any thread. */
static spk_status make_batch(const cp_run *run, const cp_records *r, int maker, uint64_t begin,
                             uint64_t end)
{
    cp_batch *b = &r->batch[maker];
    uint64_t n_items = 0;
    for (uint64_t k = begin; k < end; k++)
        n_items += r->word[r->record[k] + 2];
    if (!reserve_items(b, n_items))
        return SPK_ERR_MEMORY;
    b->n = end - begin;
    b->offset[0] = 0;
    for (uint64_t k = 0; k < b->n; k++) {
        const uint32_t *record = r->word + r->record[begin + k];
        b->count[k] = record[3];
        memcpy(b->item + b->offset[k], record + HEAD, record[2] * sizeof *record);
        b->offset[k + 1] = b->offset[k] + record[2];
    }
    const spk_pattern_columns columns = columns_of(run, b);
    return r->bytes == NULL
               ? SPK_OK
               : r->bytes->make(r->bytes->user, maker, &columns, &b->bytes, &b->n_bytes);
}

static spk_status pass_batch(const cp_run *run, const cp_records *r, const cp_batch *b)
{
    const spk_pattern_columns columns = columns_of(run, b);
    if (b->status != SPK_OK)
        return spk_fail_memory(run->context, b->n_bytes, "patterns");
    return r->bytes != NULL ? r->bytes->take(r->bytes->user, b->bytes, b->n_bytes, b->n)
                            : r->sink(r->user, &columns);
}

/* The first n records of the list. */
static spk_status pass_records(const cp_run *run, const cp_records *r, uint64_t n)
{
    const uint64_t share = n / (uint64_t)r->n_makers + 1;
    const uint64_t size = share > BATCH ? BATCH : share < LEAST_BATCH ? LEAST_BATCH : share;
    spk_status status = SPK_OK;
    for (uint64_t begin = 0; begin < n && status == SPK_OK;) {
        const uint64_t left = (n - begin + size - 1) / size;
        const int n_batches = left < (uint64_t)r->n_makers ? (int)left : r->n_makers;
#pragma omp parallel for num_threads(r->n_makers) if (n_batches > 1)
        for (int m = 0; m < n_batches; m++) {
            const uint64_t from = begin + (uint64_t)m * size;
            r->batch[m].status = make_batch(run, r, m, from, n - from < size ? n : from + size);
        }
        for (int m = 0; m < n_batches && status == SPK_OK; m++)
            status = pass_batch(run, r, &r->batch[m]);
        begin += (uint64_t)n_batches * size;
    }
    return status;
}

spk_status cp_records_pass(const cp_records *r, const spk_pattern_columns *patterns)
{
    const char *bytes = NULL;
    uint64_t n_bytes = 0;
    if (r->bytes == NULL)
        return r->sink(r->user, patterns);
    spk_status status = r->bytes->make(r->bytes->user, 0, patterns, &bytes, &n_bytes);
    return status == SPK_OK ? r->bytes->take(r->bytes->user, bytes, n_bytes, patterns->n) : status;
}

spk_status cp_records_open(spk_context *context, const spk_pattern_job *job, spk_pattern_sink *sink,
                           void *user, cp_records *out)
{
    *out = (cp_records){.sink = sink,
                        .user = user,
                        .bytes = job->bytes,
                        .unordered = job->unordered,
                        .n_makers = job->threads};
    spk_status status = spk_alloc_zero(context, &out->batch, (uint64_t)out->n_makers, "patterns");
    for (int m = 0; m < out->n_makers && status == SPK_OK; m++)
        status =
            spk_alloc_columns(context, "patterns", SPK_COLUMN(&out->batch[m].offset, BATCH + 1),
                              SPK_COLUMN(&out->batch[m].count, BATCH));
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Keeps the records of the tasks from `sure` on. */
static void hold(cp_records *r, uint64_t sure)
{
    uint64_t kept = 0;
    for (uint64_t at = 0, length = 0; at < r->n; at += length) {
        length = length_of(r->word + at);
        if (r->word[at] < sure)
            continue;
        memmove(r->word + kept, r->word + at, length * sizeof *r->word);
        kept += length;
    }
    r->n = kept;
}

spk_status cp_records_take(cp_run *run, uint64_t sure, void *user)
{
    cp_records *r = user;
    uint64_t n = 0;
    spk_status status = fetch(run, r);
    if (r->unordered)
        sure = UINT64_MAX;
    if (status == SPK_OK)
        status = list_records(run->context, r, sure, &n);
    if (status == SPK_OK)
        status = pass_records(run, r, n);
    if (status == SPK_OK)
        hold(r, sure);
    return status;
}

void cp_records_free(cp_records *r)
{
    free(r->word);
    free(r->first);
    free(r->record);
    for (int m = 0; r->batch != NULL && m < r->n_makers; m++) {
        free(r->batch[m].offset);
        free(r->batch[m].count);
        free(r->batch[m].item);
    }
    free(r->batch);
}
