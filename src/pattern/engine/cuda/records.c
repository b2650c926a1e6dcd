/* cuda-bitmap: sorting what rounds bring by task, and batches for the sink. */
#include "pattern/engine/cuda/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

enum { HEAD = 4, BATCH = 16384 };

static uint64_t length_of(const uint32_t *record)
{
    return HEAD + (uint64_t)record[2];
}

/* The output of a round, behind what is held. */
static spk_status fetch(cp_run *run, cp_records *r)
{
    const cp_state *state = &run->state;
    const uint64_t n = state->out_end < state->out_used ? state->out_end : state->out_used;
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
    for (uint64_t t = 0; t < n_tasks && !r->unordered; t++)
        order_parts(r, t > 0 ? first[t - 1] : 0, first[t]);
    return SPK_OK;
}

/* Records begin .. end - 1 of the list, as columns. */
static spk_status send_batch(cp_run *run, cp_records *r, uint64_t begin, uint64_t end)
{
    uint64_t n_items = 0;
    for (uint64_t k = begin; k < end; k++)
        n_items += r->word[r->record[k] + 2];
    spk_status status = spk_grow(run->context, &r->item, &r->item_room, n_items, "patterns");
    if (status != SPK_OK)
        return status;
    n_items = 0;
    for (uint64_t k = begin; k < end; k++) {
        const uint32_t *record = r->word + r->record[k];
        r->offset[k - begin] = n_items;
        r->count[k - begin] = record[3];
        memcpy(r->item + n_items, record + HEAD, record[2] * sizeof *record);
        n_items += record[2];
    }
    r->offset[end - begin] = n_items;
    const spk_pattern_columns columns = {.n = end - begin,
                                         .window = run->view.n_lags,
                                         .offset = r->offset,
                                         .item = r->item,
                                         .count = r->count};
    return r->sink(r->user, &columns);
}

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
    if (status == SPK_OK && r->offset == NULL)
        status = spk_alloc_columns(run->context, "patterns", SPK_COLUMN(&r->offset, BATCH + 1),
                                   SPK_COLUMN(&r->count, BATCH));
    if (status == SPK_OK)
        status = list_records(run->context, r, sure, &n);
    for (uint64_t k = 0; k < n && status == SPK_OK; k += BATCH)
        status = send_batch(run, r, k, n - k < BATCH ? n : k + BATCH);
    if (status == SPK_OK)
        hold(r, sure);
    return status;
}

void cp_records_free(cp_records *r)
{
    free(r->word);
    free(r->first);
    free(r->record);
    free(r->offset);
    free(r->count);
    free(r->item);
}
