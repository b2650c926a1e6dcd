/*
 * Ranks, for an engine that knows pieces only. What a rank found goes to the others as runs:
 * their lengths, their place in the order of the search, then sizes, counts and items. Several runs
 * of a rank may have the same place, and stay in their order.
 */
#include "pattern/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "distribute/ranks.h"

typedef struct shared_search {
    spk_context *context;
    const spk_ranks *ranks;
    spk_exchanged given; /* what all have exchanged last */
    uint32_t *place;     /* of what the sink gets now */
    uint64_t n_place;
    uint64_t place_capacity;
    spk_blob found;
    uint64_t n_found; /* its bytes; read without a lock */
    uint32_t *size;   /* scratch */
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

typedef struct run_head {
    uint64_t n_place;
    uint64_t n;
    uint64_t n_items;
} run_head;

static spk_status keep_run(void *user, const spk_pattern_columns *p)
{
    shared_search *s = user;
    run_head head = {s->n_place, p->n, p->offset[p->n] - p->offset[0]};
    spk_status status = spk_grow(s->context, &s->size, &s->capacity, p->n, "sizes of patterns");
    for (uint64_t k = 0; k < p->n && status == SPK_OK; k++)
        s->size[k] = (uint32_t)(p->offset[k + 1] - p->offset[k]);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, &head, sizeof head);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, s->place, s->n_place * sizeof *s->place);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, s->size, p->n * sizeof *s->size);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, p->count, p->n * sizeof *p->count);
    if (status == SPK_OK)
        status = spk_blob_add(s->context, &s->found, p->item + p->offset[0],
                              head.n_items * sizeof *p->item);
    __atomic_store_n(&s->n_found, s->found.n, __ATOMIC_RELAXED);
    return status;
}

/* Where the runs of all ranks are. */
typedef struct run_list {
    uint64_t n;
    uint64_t capacity;
    uint64_t largest; /* patterns of a run */
    uint64_t largest_items;
    struct {
        run_head head;
        const unsigned char *bytes; /* its place, then its numbers */
    } * run;
} run_list;

/* Bytes of a run behind its head; false when it cannot be in this many. */
static bool run_bytes(const run_head *head, uint64_t left, uint64_t *bytes)
{
    uint64_t numbers = left / sizeof(uint32_t);
    if (head->n_place > numbers || head->n > (numbers - head->n_place) / 2 ||
        head->n_items > numbers - head->n_place - 2 * head->n)
        return false;
    *bytes = (head->n_place + 2 * head->n + head->n_items) * sizeof(uint32_t);
    return true;
}

static spk_status find_runs(spk_context *context, const spk_exchanged *all, int n_ranks,
                            run_list *list)
{
    spk_status status = SPK_OK;
    for (int k = 0; k < n_ranks; k++) {
        spk_blob_reader bytes = spk_exchanged_of(all, k);
        run_head head;
        while (status == SPK_OK && spk_blob_take(&bytes, &head, sizeof head)) {
            uint64_t n = 0;
            if (!run_bytes(&head, (uint64_t)(bytes.end - bytes.at), &n))
                return spk_ranks_fail(context, k);
            status = spk_grow(context, &list->run, &list->capacity, list->n + 1, "found pieces");
            if (status != SPK_OK)
                return status;
            list->run[list->n].head = head;
            list->run[list->n++].bytes = bytes.at;
            bytes.at += n;
            list->largest = head.n > list->largest ? head.n : list->largest;
            list->largest_items =
                head.n_items > list->largest_items ? head.n_items : list->largest_items;
        }
    }
    return status;
}

/* Number k of a run's place; they need not be aligned. */
static uint32_t place_number(const run_list *list, uint32_t run, uint64_t k)
{
    uint32_t number = 0;
    memcpy(&number, list->run[run].bytes + k * sizeof number, sizeof number);
    return number;
}

static int compare_places(const void *user, uint32_t a, uint32_t b)
{
    const run_list *list = user;
    uint64_t of_a = list->run[a].head.n_place, of_b = list->run[b].head.n_place;
    for (uint64_t k = 0; k < of_a && k < of_b; k++) {
        uint32_t x = place_number(list, a, k), y = place_number(list, b, k);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return of_a < of_b ? -1 : of_a > of_b;
}

/* One run as columns, whose arrays have room for the largest. */
static spk_status hand_on(const run_list *list, uint32_t k, uint32_t window, uint64_t *offset,
                          uint32_t *numbers, spk_pattern_sink *sink, void *user)
{
    const run_head *head = &list->run[k].head;
    const unsigned char *begin = list->run[k].bytes + head->n_place * sizeof(uint32_t);
    spk_blob_reader bytes = {begin, begin + head->n * 8 + head->n_items * 4};
    uint32_t *size = numbers, *count = numbers + head->n, *item = numbers + 2 * head->n;
    bool whole = spk_blob_take(&bytes, size, head->n * 4) &&
                 spk_blob_take(&bytes, count, head->n * 4) &&
                 spk_blob_take(&bytes, item, head->n_items * 4);
    offset[0] = 0;
    for (uint64_t i = 0; i < head->n; i++)
        offset[i + 1] = offset[i] + size[i];
    if (!whole || offset[head->n] != head->n_items)
        return SPK_ERR_INTERNAL;
    spk_pattern_columns columns = {
        .n = head->n, .window = window, .offset = offset, .item = item, .count = count};
    return sink(user, &columns);
}

static spk_status hand_on_all(shared_search *s, const run_list *list)
{
    spk_context *context = s->context;
    uint32_t *order = NULL, *numbers = NULL;
    uint64_t *offset = NULL;
    if (list->n > UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "too many pieces of patterns; use fewer ranks");
    spk_status status =
        spk_alloc_columns(context, "found patterns", SPK_COLUMN(&order, list->n),
                          SPK_COLUMN(&offset, list->largest + 1),
                          SPK_COLUMN(&numbers, 2 * list->largest + list->largest_items));
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k++)
        order[k] = (uint32_t)k;
    if (status == SPK_OK && !s->unordered)
        status = spk_sort_indices(context, list->n, order, compare_places, list);
    for (uint64_t k = 0; k < list->n && status == SPK_OK; k++)
        status = hand_on(list, order[k], s->window, offset, numbers, s->sink, s->user);
    free(order);
    free(numbers);
    free(offset);
    return status;
}

/* Gives all ranks what each has found, and hands it to the sink. Collective. */
static spk_status give_found(shared_search *s)
{
    spk_exchanged all = {.bytes = NULL};
    run_list list = {.n = 0};
    spk_status status = spk_ranks_exchange(s->context, s->ranks, &s->found, &all);
    spk_blob_free(&s->found);
    __atomic_store_n(&s->n_found, 0, __ATOMIC_RELAXED);
    if (status == SPK_OK)
        status = find_runs(s->context, &all, s->ranks->n_ranks, &list);
    if (status == SPK_OK)
        status = hand_on_all(s, &list);
    free(list.run);
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
                                   const spk_pattern_job *job, spk_pattern_sink *sink, void *user)
{
    shared_search s = {.context = context,
                       .ranks = spk_context_ranks(context),
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
    spk_exchanged_free(&s.given);
    spk_blob_free(&s.found);
    free(s.place);
    free(s.size);
    return status;
}
