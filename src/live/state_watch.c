/* The watch in a state file: partial occurrences, counts, recent occurrences, bins. Its items are
 * not in it: whoever reads it has added them before. What is followed for a while is not in it. */
#include "base/memory.h"
#include "live/state.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_recent(live_writer *writer, const watch_recent *recent)
{
    live_put_u64(writer, recent->n);
    for (uint64_t k = 0; k < recent->n; k++) {
        const watch_span *span = watch_recent_at(recent, k);
        live_put_i64(writer, span->start);
        live_put_i64(writer, span->end);
        live_put_u64(writer, span->segment);
    }
}

static void put_queue(live_writer *writer, const watch_queue *queue)
{
    live_put_u64(writer, queue->segment);
    live_put_u64(writer, queue->n);
    for (uint32_t k = 0; k < queue->n; k++)
        for (uint32_t p = 0; p < queue->depth; p++)
            live_put_i64(writer, watch_queue_at(queue, k)[p]);
}

static void put_end(live_writer *writer, const watch_end *end)
{
    live_put_u64(writer, end->count);
    live_put_i64(writer, end->last_end);
    live_put_u64(writer, end->segment);
    put_recent(writer, &end->recent);
}

static void put_train(live_writer *writer, const watch_train *train)
{
    live_put_u64(writer, train->segment);
    live_put_u64(writer, train->n);
    for (uint32_t k = 0; k < train->n; k++) {
        const watch_fired *fired = &train->fired[(train->first + k) & (train->capacity - 1)];
        live_put_u64(writer, fired->bin);
        live_put_i64(writer, fired->time);
    }
}

static void put_patterns(live_writer *writer, const watch_patterns *patterns)
{
    live_put_u64(writer, patterns->segment);
    live_put_u64(writer, patterns->has_grid);
    live_put_i64(writer, patterns->has_grid ? patterns->grid.first_tick : 0);
    live_put_u64(writer, patterns->bin);
    for (uint64_t k = 0; k < patterns->n_trains; k++)
        put_train(writer, &patterns->train[k]);
    for (uint64_t k = 0; k < patterns->n_patterns; k++) {
        const watch_pattern *pattern = &patterns->pattern[k];
        live_put_u64(writer, pattern->count);
        live_put_u64(writer, pattern->since_segment);
        live_put_u64(writer, pattern->since_bin);
        put_recent(writer, &pattern->recent);
    }
}

void live_state_put_watch(live_writer *writer, const spk_live_watch *watch)
{
    live_put_u64(writer, watch->running);
    live_put_u64(writer, watch->segment);
    live_put_u64(writer, watch->has_start);
    live_put_duration(writer, watch->start);
    live_put_u64(writer, watch->first_spike);
    live_put_u64(writer, watch->window.since);
    live_put_i64(writer, watch->window.now);
    const watch_extent kept = watch_kept(watch);
    for (uint64_t k = 0; k < kept.queues; k++)
        put_queue(writer, &watch->trie.queue[k]);
    for (uint64_t k = 0; k < kept.ends; k++)
        put_end(writer, &watch->trie.end[k]);
    put_patterns(writer, &watch->patterns);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t power_of_two(uint64_t least)
{
    uint64_t power = 2;
    while (power < least)
        power *= 2;
    return power;
}

static spk_status get_recent(spk_context *context, live_reader *reader, watch_recent *recent)
{
    uint64_t n = live_get_count(reader, 24);
    if (n == 0)
        return SPK_OK;
    recent->capacity = power_of_two(n);
    spk_status status = spk_alloc(context, &recent->span, recent->capacity, "recent occurrences");
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        watch_span *span = &recent->span[recent->n++];
        span->start = live_get_i64(reader);
        span->end = live_get_i64(reader);
        span->segment = live_get_u64(reader);
    }
    return status;
}

static spk_status get_queue(spk_context *context, live_reader *reader, watch_queue *queue)
{
    queue->segment = live_get_u64(reader);
    uint64_t n = live_get_count(reader, (uint64_t)queue->depth * 8);
    if (n == 0 || !live_require(reader, n <= 1u << 30))
        return SPK_OK;
    queue->capacity = (uint32_t)power_of_two(n);
    spk_status status = spk_alloc(context, &queue->chain, (uint64_t)queue->capacity * queue->depth,
                                  "partial occurrences");
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < n; k++) {
        int64_t *chain = queue->chain + k * queue->depth;
        for (uint32_t p = 0; p < queue->depth; p++) {
            chain[p] = live_get_i64(reader);
            live_require(reader, p == 0 || chain[p] > chain[p - 1]);
        }
        live_require(reader, k == 0 || chain[queue->depth - 1] > queue->newest);
        queue->newest = chain[queue->depth - 1];
    }
    queue->n = (uint32_t)n;
    return SPK_OK;
}

static spk_status get_train(spk_context *context, live_reader *reader, uint64_t n_bits,
                            watch_train *train)
{
    train->segment = live_get_u64(reader);
    uint64_t n = live_get_count(reader, 16);
    if (n == 0 || !live_require(reader, n <= n_bits))
        return SPK_OK;
    train->capacity = (uint32_t)power_of_two(n);
    spk_status status = spk_alloc(context, &train->fired, train->capacity, "watched patterns");
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        watch_fired *fired = &train->fired[train->n++];
        fired->bin = live_get_u64(reader);
        fired->time = live_get_i64(reader);
        live_require(reader, k == 0 || fired->bin > train->last);
        train->last = fired->bin;
    }
    live_require(reader, train->n == 0 || train->last - train->fired[0].bin < n_bits);
    return status;
}

static spk_status get_grid(spk_context *context, live_reader *reader, spk_live_watch *watch)
{
    watch_patterns *patterns = &watch->patterns;
    patterns->segment = live_get_u64(reader);
    bool has_grid = live_get_bool(reader);
    int64_t first_tick = live_get_i64(reader);
    patterns->bin = live_get_u64(reader);
    live_require(reader, !has_grid || patterns->width.numerator > 0);
    patterns->next_tick = INT64_MIN; /* found anew with the next spike */
    return has_grid && !reader->bad
               ? watch_patterns_make_grid(context, patterns,
                                          watch->has_start ? &watch->start : NULL, first_tick)
               : SPK_OK;
}

static spk_status get_patterns(spk_context *context, live_reader *reader, spk_live_watch *watch)
{
    watch_patterns *patterns = &watch->patterns;
    spk_status status = watch_patterns_lay_out(context, patterns);
    if (status == SPK_OK)
        status = get_grid(context, reader, watch);
    for (uint64_t k = 0; k < patterns->n_trains && status == SPK_OK && !reader->bad; k++)
        status = get_train(context, reader, patterns->n_bits, &patterns->train[k]);
    for (uint64_t k = 0; k < patterns->n_patterns && status == SPK_OK && !reader->bad; k++) {
        watch_pattern *pattern = &patterns->pattern[k];
        pattern->count = live_get_u64(reader);
        pattern->since_segment = live_get_u64(reader);
        pattern->since_bin = live_get_u64(reader);
        status = get_recent(context, reader, &pattern->recent);
    }
    patterns->laid_out = false; /* the bits are set anew */
    return status;
}

static spk_status get_episodes(spk_context *context, live_reader *reader, spk_live_watch *watch)
{
    watch_trie *trie = &watch->trie;
    const watch_extent kept = watch_kept(watch);
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < kept.queues && status == SPK_OK && !reader->bad; k++)
        status = get_queue(context, reader, &trie->queue[k]);
    for (uint64_t k = 0; k < kept.ends && status == SPK_OK && !reader->bad; k++) {
        watch_end *end = &trie->end[k];
        end->count = live_get_u64(reader);
        end->last_end = live_get_i64(reader);
        end->segment = live_get_u64(reader);
        status = get_recent(context, reader, &end->recent);
    }
    return status;
}

spk_status live_state_get_watch(spk_context *context, live_reader *reader, spk_live_watch *watch)
{
    watch->running = live_get_bool(reader);
    watch->segment = live_get_u64(reader);
    watch->has_start = live_get_bool(reader);
    watch->start = live_get_duration(reader);
    watch->first_spike = live_get_bool(reader);
    watch->window.since = live_get_u64(reader);
    watch->window.now = live_get_i64(reader);
    const spk_stage stage = spk_stage_open(context);
    spk_status status = get_episodes(context, reader, watch);
    if (status == SPK_OK && !reader->bad)
        status = get_patterns(context, reader, watch);
    spk_stage_keep(context, &stage, &watch->trie.holding);
    return status;
}
