/* Patterns followed bin by bin. */
#include "live/watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"

static const char WHAT[] = "watched patterns";

void watch_patterns_clear(watch_patterns *patterns)
{
    spk_holding_release(&patterns->holding);
    for (uint64_t k = 0; k < patterns->n_patterns; k++)
        watch_recent_clear(&patterns->pattern[k].recent);
    for (uint64_t k = 0; k < patterns->n_trains; k++)
        free(patterns->train[k].fired);
    spk_free_all(patterns->pattern, patterns->item, patterns->train, patterns->train_unit,
                 patterns->train_of, patterns->bits, patterns->first_last, patterns->last);
    *patterns = (watch_patterns){.n_patterns = 0};
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* The train of a unit, a new one where it has none. */
static spk_status get_train(spk_context *context, watch_patterns *p, uint32_t unit, uint32_t *train)
{
    spk_status status =
        spk_grow(context, &p->train_of, &p->unit_capacity, (uint64_t)unit + 1, WHAT);
    if (status == SPK_OK)
        status = spk_grow(context, &p->train, &p->train_capacity, p->n_trains + 1, WHAT);
    if (status == SPK_OK)
        status = spk_grow(context, &p->train_unit, &p->train_unit_capacity, p->n_trains + 1, WHAT);
    if (status != SPK_OK)
        return status;
    for (; p->n_units <= unit; p->n_units++)
        p->train_of[p->n_units] = UINT32_MAX;
    if (p->train_of[unit] == UINT32_MAX) {
        p->train[p->n_trains] = (watch_train){.n = 0};
        p->train_unit[p->n_trains] = unit;
        p->train_of[unit] = (uint32_t)p->n_trains++;
    }
    *train = p->train_of[unit];
    return SPK_OK;
}

spk_status watch_patterns_add(spk_context *context, watch_patterns *p, uint32_t size,
                              const uint32_t *unit, const uint32_t *lag)
{
    spk_status status =
        spk_grow(context, &p->pattern, &p->pattern_capacity, p->n_patterns + 1, WHAT);
    if (status == SPK_OK)
        status = spk_grow(context, &p->item, &p->item_capacity, p->n_items + size, WHAT);
    p->laid_out = false;
    for (uint32_t k = 0; k < size && status == SPK_OK; k++) {
        watch_item *item = &p->item[p->n_items + k];
        item->lag = lag[k];
        status = get_train(context, p, unit[k], &item->train);
    }
    if (status != SPK_OK)
        return status;
    p->pattern[p->n_patterns++] = (watch_pattern){.first_item = p->n_items,
                                                  .size = size,
                                                  .duration = lag[size - 1],
                                                  .since_segment = p->has_grid ? p->segment : 0,
                                                  .since_bin = p->bin};
    p->n_items += size;
    return SPK_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const watch_fired *fired_at(const watch_train *train, uint32_t k)
{
    return &train->fired[(train->first + k) & (train->capacity - 1)];
}

static uint64_t *word_of(const watch_patterns *p, uint64_t train, uint64_t bin)
{
    uint64_t slot = bin & (p->n_bits - 1);
    return &p->bits[train * (p->n_bits / 64) + slot / 64];
}

static uint64_t bits_for_lags(const watch_patterns *p)
{
    uint64_t n = 64;
    for (uint64_t k = 0; k < p->n_patterns; k++)
        while (n <= p->pattern[k].duration)
            n *= 2;
    return n;
}

static void set_bits_again(watch_patterns *p)
{
    for (uint64_t k = 0; k < p->n_trains; k++)
        for (uint32_t i = 0; i < p->train[k].n; i++) {
            uint64_t bin = fired_at(&p->train[k], i)->bin;
            *word_of(p, k, bin) |= UINT64_C(1) << bin % 64;
        }
}

static bool lasts(const watch_patterns *p, const watch_pattern *pattern, uint32_t k)
{
    return p->item[pattern->first_item + k].lag == pattern->duration;
}

/* The patterns by their trains of the largest lag: a counting sort. */
static void list_last(watch_patterns *p)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < p->n_patterns; i++) {
            const watch_pattern *pattern = &p->pattern[i];
            for (uint32_t k = pattern->size; k-- > 0 && lasts(p, pattern, k);) {
                uint32_t train = p->item[pattern->first_item + k].train;
                if (pass == 0)
                    p->first_last[train + 2]++;
                else
                    p->last[p->first_last[train + 1]++] = (uint32_t)i;
            }
        }
        for (uint64_t t = 2; pass == 0 && t < p->n_trains + 2; t++)
            p->first_last[t] += p->first_last[t - 1];
    }
}

spk_status watch_patterns_lay_out(spk_context *context, watch_patterns *p)
{
    if (p->laid_out || p->n_patterns == 0)
        return SPK_OK;
    uint64_t n_bits = bits_for_lags(p);
    uint64_t *bits = NULL, *first_last = NULL;
    uint32_t *last = NULL;
    spk_status status = spk_alloc_columns(
        context, WHAT, SPK_COLUMN_ZERO(&bits, p->n_trains * (n_bits / 64)),
        SPK_COLUMN_ZERO(&first_last, p->n_trains + 2), SPK_COLUMN(&last, p->n_items));
    if (status != SPK_OK)
        return status;
    spk_free_all(p->bits, p->first_last, p->last);
    p->n_bits = n_bits;
    p->bits = bits;
    p->first_last = first_last;
    p->last = last;
    set_bits_again(p);
    list_last(p);
    p->laid_out = true;
    return SPK_OK;
}

/* ---- bins ------------------------------------------------------------------------------------ */

void watch_patterns_begin_segment(watch_patterns *p, uint64_t segment)
{
    p->segment = segment + 1;
    p->has_grid = false;
    p->bin = 0;
    p->next_tick = INT64_MIN;
}

static spk_status fail_bins(spk_context *context)
{
    return spk_fail(context, SPK_ERR_RANGE,
                    "bins of patterns are too many, or their width and the start of the segment "
                    "have too many digits together for exact bins; take wider ones, or give the "
                    "start with fewer digits");
}

spk_status watch_patterns_make_grid(spk_context *context, watch_patterns *p,
                                    const spk_duration *start, int64_t time)
{
    spk_bin_bounds bounds = {{time, 0, 1}, {INT64_MAX, 0, 1}};
    int sign;
    spk_status status =
        start != NULL ? spk_bin_moment_find(context, *start, p->rate, &bounds.start) : SPK_OK;
    if (status == SPK_OK && !spk_bin_grid_make(&bounds, p->width, &p->grid, &sign))
        status = fail_bins(context);
    p->has_grid = status == SPK_OK;
    return status;
}

/* The first tick of the bin after p->bin; `time`, which lies in that one, where 64 bit do not hold
 * it. */
static int64_t find_next_tick(const watch_patterns *p, int64_t time)
{
    const spk_bin_grid *grid = &p->grid;
    unsigned __int128 parts;
    if (__builtin_mul_overflow(grid->width, (unsigned __int128)p->bin + 1, &parts) ||
        parts > (unsigned __int128)UINT64_MAX * grid->scale)
        return time;
    unsigned __int128 ticks =
        parts <= grid->offset ? 0 : (parts - grid->offset + grid->scale - 1) / grid->scale;
    if (ticks > (uint64_t)INT64_MAX - (uint64_t)grid->first_tick)
        return time;
    return (int64_t)((uint64_t)grid->first_tick + (uint64_t)ticks);
}

spk_status watch_patterns_move(spk_context *context, watch_patterns *p, const spk_duration *start,
                               int64_t time)
{
    if (p->has_grid && time < p->next_tick)
        return SPK_OK;
    spk_status status = p->has_grid ? SPK_OK : watch_patterns_make_grid(context, p, start, time);
    if (status != SPK_OK)
        return status;
    unsigned __int128 bin = spk_bin_of_long(&p->grid, time);
    if (bin > UINT64_MAX)
        return fail_bins(context);
    p->bin = (uint64_t)bin;
    p->next_tick = find_next_tick(p, time);
    return SPK_OK;
}

/* ---- spikes ---------------------------------------------------------------------------------- */

static spk_status enlarge(spk_context *context, spk_holding *holding, watch_train *train)
{
    uint32_t capacity = train->capacity == 0 ? 4 : train->capacity * 2;
    watch_fired *fired = NULL;
    const spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc(context, &fired, capacity, WHAT);
    for (uint32_t k = 0; k < train->n && status == SPK_OK; k++)
        fired[k] = *fired_at(train, k);
    if (status == SPK_OK)
        spk_free(context, train->fired);
    spk_stage_keep(context, &stage, holding);
    if (status != SPK_OK)
        return status;
    train->fired = fired;
    train->capacity = capacity;
    train->first = 0;
    return SPK_OK;
}

/* Forgets the bins that the ring of bits needs for those up to p->bin. */
static void drop_bins(watch_patterns *p, uint32_t number)
{
    watch_train *train = &p->train[number];
    if (train->segment != p->segment || p->bin - train->last >= p->n_bits) {
        memset(word_of(p, number, 0), 0, p->n_bits / 8);
        train->n = 0;
        train->segment = p->segment;
        return;
    }
    while (train->n > 0 && p->bin - fired_at(train, 0)->bin >= p->n_bits) {
        uint64_t bin = fired_at(train, 0)->bin;
        *word_of(p, number, bin) &= ~(UINT64_C(1) << bin % 64);
        train->first = (train->first + 1) & (train->capacity - 1);
        train->n--;
    }
}

spk_status watch_patterns_fire(spk_context *context, watch_patterns *p, uint32_t number,
                               int64_t time, bool *is_first)
{
    watch_train *train = &p->train[number];
    *is_first = train->n == 0 || train->segment != p->segment || train->last != p->bin;
    if (!*is_first)
        return SPK_OK;
    drop_bins(p, number);
    if (train->n == train->capacity) {
        spk_status status = enlarge(context, &p->holding, train);
        if (status != SPK_OK)
            return status;
    }
    train->fired[(train->first + train->n) & (train->capacity - 1)] = (watch_fired){p->bin, time};
    train->n++;
    train->last = p->bin;
    *word_of(p, number, p->bin) |= UINT64_C(1) << p->bin % 64;
    return SPK_OK;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

static bool has_fired(const watch_patterns *p, uint32_t number, uint64_t bin)
{
    const watch_train *train = &p->train[number];
    return train->n > 0 && train->segment == p->segment && bin <= train->last &&
           train->last - bin < p->n_bits && (*word_of(p, number, bin) >> bin % 64 & 1);
}

bool watch_patterns_complete(const watch_patterns *p, const watch_pattern *pattern)
{
    if (p->bin < pattern->duration)
        return false;
    uint64_t start = p->bin - pattern->duration;
    if (pattern->since_segment == p->segment && start <= pattern->since_bin)
        return false;
    const watch_item *item = p->item + pattern->first_item;
    for (uint32_t k = 0; k < pattern->size; k++)
        if (!has_fired(p, item[k].train, start + item[k].lag))
            return false;
    return true;
}

/* The first spike of a train in a bin in which it has fired. */
static int64_t time_in(const watch_train *train, uint64_t bin)
{
    spk_bisect s = {0, train->n};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, fired_at(train, (uint32_t)s.middle)->bin < bin);
    const uint32_t low = (uint32_t)s.low;
    assert(low < train->n && fired_at(train, low)->bin == bin);
    return fired_at(train, low)->time;
}

void watch_patterns_times(const watch_patterns *p, const watch_pattern *pattern, int64_t *time)
{
    const watch_item *item = p->item + pattern->first_item;
    for (uint32_t k = 0; k < pattern->size; k++)
        time[k] = time_in(&p->train[item[k].train], p->bin - pattern->duration + item[k].lag);
}

int64_t watch_patterns_first_tick(const watch_patterns *p, const watch_pattern *pattern)
{
    return spk_bin_first_tick(&p->grid, p->bin - pattern->duration);
}
