/*
 * Ranks, for an engine that knows pieces only. What a rank found goes to the others as runs (see
 * share_runs.h): sizes, counts and items of the patterns, or the bytes that the caller makes of
 * them.
 */
#include "pattern/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pattern/share_runs.h"

typedef struct shared_search {
    spk_context *context;
    const spk_ranks *ranks;
    spk_exchanged given; /* what all have exchanged last */
    uint32_t *place;     /* of what the sink gets now */
    uint64_t n_place;
    uint64_t place_capacity;
    spk_blob found;                 /* heads of runs and, without `bytes`, the runs */
    spk_blob made;                  /* with `bytes`, the runs */
    uint64_t n_found;               /* bytes of both; read without a lock */
    const spk_pattern_bytes *bytes; /* NULL: the sink gets the patterns */
    bool reader_left;               /* nobody wants more of them */
    uint32_t *size;                 /* scratch */
    uint64_t capacity;
    bool unordered;
    uint32_t window;
    spk_pattern_sink *sink;
    void *user;
} shared_search;

/* Bytes that a rank keeps where no order was asked for, before all exchange what they have found.
 */
enum { FULL_BYTES = 16 << 20 };

bool spk_pattern_is_shared(const spk_context *context, const spk_pattern_engine *engine)
{
    return spk_context_ranks(context) != NULL && engine->mine_shared != NULL;
}

/* ---- the share ------------------------------------------------------------------------------- */

static spk_status begin(void *user)
{
    const shared_search *s = user;
    return s->ranks->begin(s->ranks->user);
}

static spk_status next(void *user, uint64_t *number)
{
    const shared_search *s = user;
    return s->ranks->next(s->ranks->user, number);
}

static spk_status look(void *user, uint64_t *number)
{
    const shared_search *s = user;
    return s->ranks->look(s->ranks->user, number);
}

static spk_status keep_place(void *user, const uint32_t *place, uint32_t n)
{
    shared_search *s = user;
    spk_status status = spk_grow(s->context, &s->place, &s->place_capacity, n, "a place");
    if (status == SPK_OK && n > 0)
        memcpy(s->place, place, n * sizeof *place);
    s->n_place = n;
    return status;
}

static bool full(void *user)
{
    const shared_search *s = user;
    return __atomic_load_n(&s->n_found, __ATOMIC_RELAXED) >= FULL_BYTES;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static spk_status keep_numbers(shared_search *s, const spk_pattern_columns *p)
{
    spk_status status = spk_blob_add(s->context, &s->found, s->size, p->n * sizeof *s->size);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, p->count, p->n * sizeof *p->count);
    return status == SPK_OK ? spk_blob_add(s->context, &s->found, p->item + p->offset[0],
                                           (p->offset[p->n] - p->offset[0]) * sizeof *p->item)
                            : status;
}

static spk_status keep_run(void *user, const spk_pattern_columns *p)
{
    shared_search *s = user;
    const char *bytes = NULL;
    spk_run_head head = {.n_place = s->n_place, .n = p->n};
    head.n_bytes = (2 * p->n + p->offset[p->n] - p->offset[0]) * sizeof(uint32_t);
    spk_status status = s->bytes != NULL
                            ? s->bytes->make(s->bytes->user, p, &bytes, &head.n_bytes)
                            : spk_grow(s->context, &s->size, &s->capacity, p->n, "found patterns");
    for (uint64_t k = 0; k < p->n && status == SPK_OK && s->bytes == NULL; k++)
        s->size[k] = (uint32_t)(p->offset[k + 1] - p->offset[k]);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, &head, sizeof head);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, s->place, s->n_place * sizeof *s->place);
    if (status == SPK_OK)
        status = s->bytes != NULL ? spk_blob_add(s->context, &s->made, bytes, head.n_bytes)
                                  : keep_numbers(s, p);
    __atomic_store_n(&s->n_found, s->found.n + s->made.n, __ATOMIC_RELAXED);
    return status;
}

/* One run as columns, whose arrays have room for the largest. */
static spk_status hand_on(const spk_run *run, uint32_t window, uint64_t *offset, uint32_t *numbers,
                          spk_pattern_sink *sink, void *user)
{
    const uint64_t n = run->head.n, n_numbers = run->head.n_bytes / sizeof(uint32_t);
    uint32_t *size = numbers, *count = numbers + n, *item = numbers + 2 * n;
    if (n_numbers > 0)
        memcpy(numbers, run->bytes, n_numbers * sizeof *numbers);
    offset[0] = 0;
    for (uint64_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + size[i];
    if (offset[n] != n_numbers - 2 * n)
        return SPK_ERR_INTERNAL;
    spk_pattern_columns columns = {
        .n = n, .window = window, .offset = offset, .item = item, .count = count};
    return sink(user, &columns);
}

static spk_status hand_on_all(shared_search *s, const spk_run_list *list)
{
    uint64_t largest = 0, most_numbers = 0;
    uint32_t *numbers = NULL;
    uint64_t *offset = NULL;
    for (uint64_t k = 0; k < list->n; k++) {
        const spk_run_head *head = &list->run[k].head;
        if (head->n > head->n_bytes / (2 * sizeof(uint32_t)))
            return spk_ranks_fail(s->context, list->run[k].rank);
        largest = head->n > largest ? head->n : largest;
        most_numbers = head->n_bytes / 4 > most_numbers ? head->n_bytes / 4 : most_numbers;
    }
    spk_status status =
        spk_alloc_columns(s->context, "found patterns", SPK_COLUMN(&offset, largest + 1),
                          SPK_COLUMN(&numbers, most_numbers));
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k++)
        status = hand_on(&list->run[list->order[k]], s->window, offset, numbers, s->sink, s->user);
    free(numbers);
    free(offset);
    return status;
}

/* Gives rank 0 the bytes that each has made. A reader that went away stops no rank. Collective. */
static spk_status give_bytes(shared_search *s, const spk_run_list *list)
{
    const spk_pattern_bytes to = {s->bytes->make, s->reader_left ? NULL : s->bytes->take,
                                  s->bytes->user};
    spk_status status = spk_runs_collect(s->context, s->ranks, list, s->made.bytes, &to);
    spk_blob_free(&s->made);
    if (status != SPK_ERR_PIPE)
        return status;
    s->reader_left = true;
    return SPK_OK;
}

/* Gives all ranks what each has found, and hands it to the sink. Collective. */
static spk_status give_found(shared_search *s)
{
    spk_exchanged all = {.bytes = NULL};
    spk_run_list list = {.n = 0};
    spk_status status = spk_ranks_exchange(s->context, s->ranks, &s->found, &all);
    spk_blob_free(&s->found);
    __atomic_store_n(&s->n_found, 0, __ATOMIC_RELAXED);
    if (status == SPK_OK)
        status = spk_run_list_make(s->context, &all, s->ranks->n_ranks, s->bytes != NULL,
                                   !s->unordered, &list);
    if (status == SPK_OK)
        status = s->bytes != NULL ? give_bytes(s, &list) : hand_on_all(s, &list);
    spk_run_list_free(&list);
    spk_exchanged_free(&all);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static spk_status exchange(void *user, const void *mine, uint64_t n, const void **all,
                           uint64_t *n_all)
{
    shared_search *s = user;
    spk_blob blob = {.bytes = NULL};
    spk_exchanged_free(&s->given);
    spk_status status = s->unordered ? give_found(s) : SPK_OK;
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &blob, mine, n);
    if (status == SPK_OK)
        status = spk_ranks_exchange(s->context, s->ranks, &blob, &s->given);
    spk_blob_free(&blob);
    if (status != SPK_OK)
        return status;
    *all = s->given.bytes;
    *n_all = s->given.first[s->ranks->n_ranks];
    return SPK_OK;
}

/* Adds up what all ranks have left out. Collective. */
static spk_status add_dropped(const shared_search *s, uint64_t mine, uint64_t *sum)
{
    uint64_t *all = NULL;
    spk_status status =
        spk_alloc(s->context, &all, (uint64_t)s->ranks->n_ranks, "numbers of ranks");
    if (status == SPK_OK)
        status = s->ranks->sizes(s->ranks->user, mine, all);
    for (int k = 0; k < s->ranks->n_ranks && status == SPK_OK; k++)
        *sum += all[k];
    free(all);
    return status;
}

spk_status spk_pattern_mine_shared(spk_context *context, const spk_pattern_engine *engine,
                                   const spk_pattern_job *job, const spk_pattern_bytes *bytes,
                                   spk_pattern_sink *sink, void *user)
{
    shared_search s = {.context = context,
                       .ranks = spk_context_ranks(context),
                       .bytes = bytes,
                       .unordered = job->unordered,
                       .window = job->windows->window,
                       .sink = sink,
                       .user = user};
    const spk_pattern_share share = {.part = s.ranks->rank,
                                     .n_parts = s.ranks->n_ranks,
                                     .exchange = exchange,
                                     .begin = begin,
                                     .next = next,
                                     .look = s.ranks->look != NULL ? look : NULL,
                                     .at = keep_place,
                                     .full = job->unordered ? full : NULL,
                                     .user = &s};
    spk_pattern_job ordered = *job; /* threads of a rank need no other order */
    ordered.unordered = false;
    uint64_t n_dropped = 0;
    ordered.n_dropped = &n_dropped;
    spk_status status = engine->mine_shared(context, &ordered, &share, keep_run, &s);
    if (status == SPK_OK)
        status = give_found(&s);
    if (status == SPK_OK && job->drop_ends_of != 0)
        status = add_dropped(&s, n_dropped, job->n_dropped);
    if (status == SPK_OK && s.reader_left)
        status = spk_fail(context, SPK_ERR_PIPE, "the reader of the patterns went away");
    spk_exchanged_free(&s.given);
    spk_blob_free(&s.found);
    spk_blob_free(&s.made);
    free(s.place);
    free(s.size);
    return status;
}
