/* The watch: what a spike does, and what is known of the items. Adding items is in watch_add.c. */
#include "live/watch.h"

#include "live/stream.h"

/* ---- occurrences ----------------------------------------------------------------------------- */

/* Tells of one item. The units are those of the watch until here. */
static spk_status tell(spk_live_watch *watch, spk_live_occurrence *occurrence, int64_t arrival_ns)
{
    const watch_names *names =
        occurrence->is_pattern ? &watch->pattern_names : &watch->episode_names;
    occurrence->name = names->bytes + names->first[occurrence->item];
    occurrence->unit = watch->out_unit;
    occurrence->time = watch->out_time;
    occurrence->segment = watch->segment - 1;
    occurrence->trial = watch->trial;
    occurrence->arrival_ns = arrival_ns;
    return watch->sink(watch->sink_user, occurrence);
}

static spk_status tell_episodes(spk_live_watch *watch, const watch_end *end, const int64_t *before,
                                int64_t time, int64_t arrival_ns)
{
    spk_status status = SPK_OK;
    for (uint32_t p = 0; before != NULL && p + 1 < end->size; p++)
        watch->out_time[p] = before[p];
    watch->out_time[end->size - 1] = time;
    for (uint32_t k = end->first_item; k != WATCH_NONE && status == SPK_OK;
         k = watch->trie.episode[k].next) {
        const uint32_t *unit = watch->trie.unit + watch->trie.episode[k].first_unit;
        for (uint32_t p = 0; p < end->size; p++)
            watch->out_unit[p] = watch->units.stream_unit[unit[p]];
        spk_live_occurrence occurrence = {.item = k, .size = end->size, .count = end->count};
        status = tell(watch, &occurrence, arrival_ns);
    }
    return status;
}

/* An occurrence that starts latest of those that end here: counted when it starts behind the last
 * one that was. */
static spk_status complete_episode(spk_live_watch *watch, watch_end *end, const int64_t *before,
                                   int64_t time, int64_t arrival_ns)
{
    int64_t start = before != NULL ? before[0] : time;
    if (watch->window.ticks > 0) {
        spk_status status =
            watch_recent_add(watch->stream->context, &watch->trie.holding, &end->recent,
                             &watch->window, (watch_span){start, time, watch->segment});
        if (status != SPK_OK)
            return status;
    }
    if (end->segment == watch->segment && start <= end->last_end)
        return SPK_OK;
    end->segment = watch->segment;
    end->last_end = time;
    end->count++;
    return watch->sink != NULL ? tell_episodes(watch, end, before, time, arrival_ns) : SPK_OK;
}

static spk_status complete_pattern(spk_live_watch *watch, uint32_t number, int64_t arrival_ns)
{
    watch_patterns *p = &watch->patterns;
    watch_pattern *pattern = &p->pattern[number];
    if (watch->window.ticks > 0) {
        int64_t first = watch_patterns_first_tick(p, pattern);
        spk_status status =
            watch_recent_add(watch->stream->context, &p->holding, &pattern->recent, &watch->window,
                             (watch_span){first, first, watch->segment});
        if (status != SPK_OK)
            return status;
    }
    pattern->count++;
    if (watch->sink == NULL)
        return SPK_OK;
    watch_patterns_times(p, pattern, watch->out_time);
    for (uint32_t k = 0; k < pattern->size; k++)
        watch->out_unit[k] =
            watch->units.stream_unit[p->train_unit[p->item[pattern->first_item + k].train]];
    spk_live_occurrence occurrence = {
        .is_pattern = true, .item = number, .size = pattern->size, .count = pattern->count};
    return tell(watch, &occurrence, arrival_ns);
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* A spike at a node: it continues what it may, and the node's queues have one entry more. */
static inline spk_status step_on(spk_live_watch *watch, const watch_step *step, int64_t time,
                                 int64_t arrival_ns)
{
    watch_trie *trie = &watch->trie;
    const int64_t *before = NULL;
    if (step->from != WATCH_NONE) {
        before = watch_queue_find(&trie->queue[step->from], watch->segment, time, &watch->touched);
        if (before == NULL)
            return SPK_OK;
    }
    for (uint32_t q = step->first_queue; q != WATCH_NONE; q = trie->queue[q].next) {
        spk_status status = watch_queue_push(watch->stream->context, &trie->holding,
                                             &trie->queue[q], watch->segment, before, time);
        if (status != SPK_OK)
            return status;
    }
    return step->end != WATCH_NONE
               ? complete_episode(watch, &trie->end[step->end], before, time, arrival_ns)
               : SPK_OK;
}

static spk_status fire_episodes(spk_live_watch *watch, uint32_t unit, int64_t time,
                                int64_t arrival_ns)
{
    const watch_trie *trie = &watch->trie;
    if (unit >= trie->n_first)
        return SPK_OK;
    const uint32_t last = trie->first_step[unit + 1];
    watch->touched += last - trie->first_step[unit];
    for (uint32_t k = trie->first_step[unit]; k < last; k++) {
        spk_status status = step_on(watch, &trie->step[k], time, arrival_ns);
        if (status != SPK_OK)
            return status;
    }
    return SPK_OK;
}

static spk_status fire_patterns(spk_live_watch *watch, uint32_t unit, int64_t time,
                                int64_t arrival_ns)
{
    watch_patterns *p = &watch->patterns;
    bool is_first = false;
    if (unit >= p->n_units || p->train_of[unit] == UINT32_MAX)
        return SPK_OK;
    uint32_t train = p->train_of[unit];
    spk_status status = watch_patterns_fire(watch->stream->context, p, train, time, &is_first);
    if (!is_first)
        return status;
    watch->touched += p->first_last[train + 1] - p->first_last[train];
    for (uint64_t k = p->first_last[train]; k < p->first_last[train + 1] && status == SPK_OK; k++)
        if (watch_patterns_complete(p, &p->pattern[p->last[k]]))
            status = complete_pattern(watch, p->last[k], arrival_ns);
    return status;
}

/* ---- batches --------------------------------------------------------------------------------- */

static void begin_segment(spk_live_watch *watch, const spk_live_batch *batch)
{
    watch->segment = batch->segment + 1;
    watch->has_start = batch->has_start;
    watch->start = batch->start;
    watch->first_spike = true;
    watch_patterns_begin_segment(&watch->patterns, batch->segment);
}

/* Where the time goes back the recent slice begins anew. */
static void take_first_spike(spk_live_watch *watch, int64_t time)
{
    watch->first_spike = false;
    if (time < watch->window.now)
        watch->window.since = watch->segment;
    watch->running = true;
}

static spk_status prepare(spk_live_watch *watch, const spk_live_batch *batch)
{
    spk_context *context = watch->stream->context;
    if (watch->segment != batch->segment + 1) /* else it goes on, from a state perhaps */
        begin_segment(watch, batch);
    watch->trial = batch->trial;
    spk_status status = watch_units_meet(context, &watch->units, watch->stream);
    if (status == SPK_OK)
        status = watch_trie_lay_out(context, &watch->trie, watch->units.labels.n);
    if (status == SPK_OK)
        status = watch_patterns_lay_out(context, &watch->patterns);
    return status;
}

spk_status watch_take_batch(void *user, const spk_live_batch *batch)
{
    spk_live_watch *watch = user;
    const uint32_t *own = NULL;
    const bool has_patterns = watch->patterns.n_patterns > 0;
    spk_status status = prepare(watch, batch);
    own = watch->units.own;
    for (uint64_t k = 0; k < batch->n && status == SPK_OK; k++) {
        int64_t time = batch->time[k], arrival = batch->arrival_ns[k];
        if (watch->first_spike)
            take_first_spike(watch, time);
        watch->window.now = time;
        if (has_patterns)
            status = watch_patterns_move(watch->stream->context, &watch->patterns,
                                         watch->has_start ? &watch->start : NULL, time);
        uint32_t unit = own[batch->unit[k]];
        if (unit == UINT32_MAX || status != SPK_OK)
            continue;
        status = fire_episodes(watch, unit, time, arrival);
        if (status == SPK_OK && has_patterns)
            status = fire_patterns(watch, unit, time, arrival);
    }
    watch->running |= batch->n > 0;
    return status;
}

/* ---- what is known --------------------------------------------------------------------------- */

void spk_live_watch_set_sink(spk_live_watch *watch, spk_live_occurrence_sink *sink, void *user)
{
    watch->sink = sink;
    watch->sink_user = user;
}

uint64_t spk_live_watch_n_episodes(const spk_live_watch *watch)
{
    return watch->trie.n_episodes;
}

uint64_t spk_live_watch_n_patterns(const spk_live_watch *watch)
{
    return watch->patterns.n_patterns;
}

const char *spk_live_watch_name(const spk_live_watch *watch, bool is_pattern, uint64_t item)
{
    const watch_names *names = is_pattern ? &watch->pattern_names : &watch->episode_names;
    return item < names->n ? names->bytes + names->first[item] : NULL;
}

void spk_live_watch_counts(const spk_live_watch *watch, uint64_t *episodes, uint64_t *patterns)
{
    const watch_trie *trie = &watch->trie;
    for (uint64_t k = 0; episodes != NULL && k < trie->n_episodes; k++)
        episodes[k] = trie->end[trie->episode[k].end].count;
    for (uint64_t k = 0; patterns != NULL && k < watch->patterns.n_patterns; k++)
        patterns[k] = watch->patterns.pattern[k].count;
}

bool spk_live_watch_follows(const spk_live_watch *watch, uint64_t item)
{
    return item < watch->trie.n_episodes && !watch->trie.episode[item].over;
}

spk_live_place spk_live_watch_place(const spk_live_watch *watch)
{
    const bool begun = watch->segment > 0 && !watch->first_spike;
    return (spk_live_place){.spikes = spk_live_stream_counts(watch->stream).accepted,
                            .segment = watch->segment > 0 ? watch->segment - 1 : 0,
                            .trial = watch->trial,
                            .has_time = begun,
                            .time = begun ? watch->window.now : 0};
}

bool spk_live_watch_has_window(const spk_live_watch *watch)
{
    return watch->window.ticks > 0;
}

void spk_live_watch_recent(spk_live_watch *watch, uint64_t *episodes, uint64_t *patterns)
{
    watch_trie *trie = &watch->trie;
    /* Equal episodes share their end; the first one in its list asks. */
    for (uint64_t k = 0; episodes != NULL && k < trie->n_ends; k++) {
        watch_end *end = &trie->end[k];
        uint64_t count = watch_recent_count(&end->recent, &watch->window);
        for (uint32_t i = end->first_item; i != WATCH_NONE; i = trie->episode[i].next)
            episodes[i] = count;
    }
    for (uint64_t k = 0; patterns != NULL && k < watch->patterns.n_patterns; k++)
        patterns[k] = watch_recent_n(&watch->patterns.pattern[k].recent, &watch->window);
}
