/* Selects the top episodes, looks up their occurrences, and finds the best stretch. */
#include "base/build_config.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/selection.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Length of the stretch in durations of a typical occurrence: single ones stay visible, and the
 * activity around them gives them context. */
enum { STRETCH_DURATIONS = 40 };
/* Events of the stretch when there is no occurrence to go by. */
enum { STRETCH_EVENTS = 4000 };

/* ---- top episodes ---------------------------------------------------------------------------- */

static uint32_t size_of(const spk_episode_columns *episodes, uint64_t i)
{
    return (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]);
}

static bool has_unit(const spk_episode_columns *episodes, uint64_t i, uint32_t n, uint32_t unit)
{
    for (uint32_t p = 0; p < n; p++)
        if (episodes->unit[episodes->offset[i] + p] == unit)
            return true;
    return false;
}

static uint32_t n_distinct_units(const spk_episode_columns *episodes, uint64_t i)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < size_of(episodes, i); p++)
        n += !has_unit(episodes, i, p, episodes->unit[episodes->offset[i] + p]);
    return n;
}

static bool same_units(const spk_episode_columns *episodes, uint64_t a, uint64_t b)
{
    uint32_t size_a = size_of(episodes, a);
    uint32_t size_b = size_of(episodes, b);
    for (uint32_t p = 0; p < size_a; p++)
        if (!has_unit(episodes, b, size_b, episodes->unit[episodes->offset[a] + p]))
            return false;
    for (uint32_t p = 0; p < size_b; p++)
        if (!has_unit(episodes, a, size_a, episodes->unit[episodes->offset[b] + p]))
            return false;
    return true;
}

static bool ranks_before(const spk_episode_columns *episodes, uint64_t a, uint64_t b)
{
    uint32_t distinct_a = n_distinct_units(episodes, a);
    uint32_t distinct_b = n_distinct_units(episodes, b);
    if (distinct_a != distinct_b)
        return distinct_a > distinct_b;
    if (size_of(episodes, a) != size_of(episodes, b))
        return size_of(episodes, a) > size_of(episodes, b);
    if (episodes->count[a] != episodes->count[b])
        return episodes->count[a] > episodes->count[b];
    return a < b;
}

/* Puts episode i into the short sorted list: over an entry with the same units if there is one,
 * else over the last when the list is full. */
static void offer(const spk_episode_columns *episodes, uint64_t i, uint32_t n_top,
                  spk_selection *selection)
{
    assert(selection->n_top <= n_top && n_top <= SPK_PALETTE_SIZE);
    spk_shown_episode *top = selection->top;
    uint32_t n = selection->n_top;
    if (n_top == 0 || (n == n_top && !ranks_before(episodes, i, top[n - 1].index)))
        return;
    uint32_t hole = 0;
    while (hole < n && !same_units(episodes, i, top[hole].index))
        hole++;
    if (hole < n && !ranks_before(episodes, i, top[hole].index))
        return;
    if (hole == n && n < n_top)
        selection->n_top++;
    if (hole == n_top)
        hole--;
    for (; hole > 0 && ranks_before(episodes, i, top[hole - 1].index); hole--)
        top[hole].index = top[hole - 1].index;
    top[hole].index = i;
}

/* One pass: there may be millions of episodes. */
static void choose_top(const spk_episode_columns *episodes, uint32_t n_top,
                       spk_selection *selection)
{
    for (uint64_t i = 0; i < episodes->n; i++)
        if (size_of(episodes, i) >= 2)
            offer(episodes, i, n_top, selection);
}

static spk_status describe_top(spk_context *context, const spk_episode_columns *episodes,
                               spk_shown_episode *top)
{
    top->size = size_of(episodes, top->index);
    top->unit = episodes->unit + episodes->offset[top->index];
    const uint16_t *delay = episodes->delay + episodes->offset[top->index];
    spk_status status = spk_alloc(context, &top->delays, top->size, "delays");
    for (uint32_t p = 1; status == SPK_OK && p < top->size; p++)
        top->delays[p - 1] = episodes->delays[delay[p]];
    return status;
}

/* ---- occurrences ----------------------------------------------------------------------------- */

typedef struct collector {
    spk_context *context;
    spk_shown_episode *episode;
    uint64_t capacity;
} collector;

/* Counted occurrences share no event, so all of them together take at most one time per event. */
static spk_status collect(void *user, uint32_t size, const int64_t *time)
{
    collector *c = user;
    spk_shown_episode *episode = c->episode;
    spk_status status =
        spk_grow(c->context, &episode->time, &c->capacity, (episode->n + 1) * size, "occurrences");
    if (status != SPK_OK)
        return status;
    memcpy(episode->time + episode->n * size, time, size * sizeof *time);
    episode->n++;
    return SPK_OK;
}

static spk_status collect_occurrences(spk_context *context, const spk_recording *recording,
                                      spk_shown_episode *top)
{
    collector c = {context, top, 0};
    return spk_episode_occurrences(context, recording, top->size, top->unit, top->delays, collect,
                                   &c);
}

uint64_t spk_shown_episode_at(const spk_shown_episode *episode, int64_t time)
{
    uint64_t low = 0;
    uint64_t high = episode->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (episode->time[middle * episode->size] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the stretch ----------------------------------------------------------------------------- */

static int compare_uint64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static spk_status median_duration(spk_context *context, const spk_shown_episode *top, uint64_t *out)
{
    uint64_t *duration = NULL;
    *out = 0;
    spk_status status = spk_alloc(context, &duration, top->n, "durations");
    if (status != SPK_OK || top->n == 0)
        goto done;
    for (uint64_t k = 0; k < top->n; k++)
        duration[k] =
            spk_time_difference(top->time[(k + 1) * top->size - 1], top->time[k * top->size]);
    qsort(duration, (size_t)top->n, sizeof *duration, compare_uint64);
    *out = duration[top->n / 2];
done:
    free(duration);
    return status;
}

/* Value of a stretch: many occurrences, and of many episodes: the sum of the roots of their numbers
 * prefers both. */
static double stretch_value(const spk_selection *selection, int64_t start, int64_t last)
{
    double value = 0;
    for (uint32_t e = 0; e < selection->n_top; e++) {
        const spk_shown_episode *top = &selection->top[e];
        uint64_t after = last < INT64_MAX ? spk_shown_episode_at(top, last + 1) : top->n;
        value += sqrt((double)(after - spk_shown_episode_at(top, start)));
    }
    return value;
}

/* Starts of occurrences as candidates, some thousands an episode at most: finer steps through a
 * long recording change nothing that the eye sees. */
static int64_t best_start(const spk_selection *selection, uint64_t span)
{
    enum { MOST_CANDIDATES = 4000 };
    int64_t best = 0;
    double best_value = -1;
    for (uint32_t e = 0; e < selection->n_top; e++) {
        const spk_shown_episode *top = &selection->top[e];
        uint64_t step = 1 + top->n / MOST_CANDIDATES;
        for (uint64_t k = 0; k < top->n; k += step) {
            int64_t start = top->time[k * top->size];
            double value =
                stretch_value(selection, start, spk_stretch_last((spk_stretch){start, span}));
            if (value > best_value || (value == best_value && start < best)) {
                best_value = value;
                best = start;
            }
        }
    }
    return best;
}

/* A stretch of this length from `start`, moved into the recording. */
static spk_stretch stretch_inside(const spk_recording *recording, int64_t start, uint64_t length)
{
    int64_t first = spk_recording_start(recording);
    uint64_t total = spk_time_difference(spk_recording_stop(recording), first);
    if (length >= total)
        return (spk_stretch){first, total > 0 ? total : 1};
    uint64_t latest = total - length;
    uint64_t offset = start > first ? spk_time_difference(start, first) : 0;
    if (offset > latest)
        offset = latest;
    return (spk_stretch){(int64_t)((uint64_t)first + offset), length};
}

static spk_status choose_stretch(spk_context *context, const spk_recording *recording,
                                 spk_selection *selection)
{
    uint64_t typical = 0;
    for (uint32_t e = 0; e < selection->n_top; e++) {
        uint64_t duration;
        spk_status status = median_duration(context, &selection->top[e], &duration);
        if (status != SPK_OK)
            return status;
        typical = duration > typical ? duration : typical;
    }
    spk_events events = spk_recording_events(recording);
    int64_t first = spk_recording_start(recording);
    if (typical == 0) {
        uint64_t last = events.n_events > STRETCH_EVENTS ? STRETCH_EVENTS : 0;
        uint64_t length = last > 0 ? spk_time_difference(events.time[last], first) : UINT64_MAX;
        selection->stretch = stretch_inside(recording, first, length > 0 ? length : 1);
        return SPK_OK;
    }
    uint64_t length =
        typical > UINT64_MAX / STRETCH_DURATIONS ? UINT64_MAX : typical * STRETCH_DURATIONS;
    uint64_t margin = length / 40;
    int64_t start = best_start(selection, length - 3 * margin);
    uint64_t before = spk_time_difference(start, first);
    start = (int64_t)((uint64_t)start - (margin < before ? margin : before));
    selection->stretch = stretch_inside(recording, start, length);
    return SPK_OK;
}

static void count_in_stretch(spk_selection *selection)
{
    int64_t last = spk_stretch_last(selection->stretch);
    for (uint32_t e = 0; e < selection->n_top; e++) {
        const spk_shown_episode *top = &selection->top[e];
        selection->n_occurrences += top->n;
        for (uint64_t k = spk_shown_episode_at(top, selection->stretch.start);
             k < top->n && top->time[(k + 1) * top->size - 1] <= last; k++)
            selection->n_in_stretch++;
    }
}

spk_status spk_selection_make(spk_context *context, const spk_recording *recording,
                              const spk_episode_columns *episodes, uint32_t n_top,
                              spk_selection *selection)
{
    spk_status status = SPK_OK;
    choose_top(episodes, n_top < SPK_PALETTE_SIZE ? n_top : SPK_PALETTE_SIZE, selection);
    for (uint32_t e = 0; e < selection->n_top && status == SPK_OK; e++) {
        status = describe_top(context, episodes, &selection->top[e]);
        if (status == SPK_OK)
            status = collect_occurrences(context, recording, &selection->top[e]);
    }
    if (status == SPK_OK)
        status = choose_stretch(context, recording, selection);
    if (status == SPK_OK)
        count_in_stretch(selection);
    return status;
}

void spk_selection_free(spk_selection *selection)
{
    for (uint32_t e = 0; e < SPK_PALETTE_SIZE; e++) {
        free(selection->top[e].delays);
        free(selection->top[e].time);
    }
    *selection = (spk_selection){.n_top = 0};
}
#endif
