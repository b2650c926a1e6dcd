/* Selects the top episodes, looks up their occurrences, and finds the best stretch. */
#include "report/figure/selection.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/sort.h"
#include "report/figure/raster.h"
#include "spikemine/occurrences.h"

/* Length of the stretch in durations of a typical occurrence: single ones stay visible, and the
 * activity around them gives them context. */
enum { STRETCH_DURATIONS = 40 };

/* ---- top episodes ---------------------------------------------------------------------------- */

static uint32_t size_of(const spk_episode_columns *episodes, uint64_t i)
{
    return (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]);
}

/* Units of the n positions of episode i, each once; returns their number. */
static uint32_t distinct_units(const spk_episode_columns *episodes, uint64_t i, uint32_t *unit)
{
    const uint32_t *all = episodes->unit + episodes->offset[i];
    uint32_t size = size_of(episodes, i);
    uint32_t n = 0;
    for (uint32_t p = 0; p < size; p++) {
        uint32_t k = 0;
        while (k < n && unit[k] != all[p])
            k++;
        if (k == n)
            unit[n++] = all[p];
    }
    return n;
}

static bool ranks_before(const spk_episode_columns *episodes, uint64_t a, uint32_t distinct_a,
                         uint64_t b, uint32_t distinct_b)
{
    if (distinct_a != distinct_b)
        return distinct_a > distinct_b;
    if (size_of(episodes, a) != size_of(episodes, b))
        return size_of(episodes, a) > size_of(episodes, b);
    if (episodes->count[a] != episodes->count[b])
        return episodes->count[a] > episodes->count[b];
    return a < b;
}

/* Whether the units of `part` fire in this order within `whole`, others between them or not. */
static bool runs_through(const spk_shown_episode *whole, uint32_t n, const uint32_t *part)
{
    uint32_t found = 0;
    for (uint32_t p = 0; p < whole->size && found < n; p++)
        found += whole->unit[p] == part[found];
    return found == n;
}

/* The first chosen one that shows what episode i shows (spk_share_much), or in which its units fire
 * in the same order. n_top: none. */
static uint32_t shown_by(const spk_episode_columns *episodes, uint64_t i,
                         const spk_selection *selection)
{
    uint32_t own[SPK_EPISODE_MAX_SIZE];
    uint32_t other[SPK_EPISODE_MAX_SIZE];
    uint32_t n_own = distinct_units(episodes, i, own);
    for (uint32_t e = 0; e < selection->n_top; e++) {
        const spk_shown_episode *top = &selection->top[e];
        uint32_t n_other = distinct_units(episodes, top->index, other);
        uint32_t shared = 0;
        for (uint32_t k = 0; k < n_own; k++)
            for (uint32_t l = 0; l < n_other; l++)
                shared += own[k] == other[l];
        if (spk_share_much(shared, n_own, n_other) ||
            runs_through(top, size_of(episodes, i), episodes->unit + episodes->offset[i]))
            return e;
    }
    return selection->n_top;
}

static void take(const spk_episode_columns *episodes, uint64_t i, spk_selection *selection)
{
    selection->top[selection->n_top++] = (spk_shown_episode){
        .index = i,
        .size = size_of(episodes, i),
        .unit = episodes->unit + episodes->offset[i],
    };
}

static bool is_new(const spk_episode_columns *episodes, uint64_t i, const spk_selection *selection)
{
    return shown_by(episodes, i, selection) == selection->n_top;
}

/* The first episodes of the columns that can be drawn and, unless as_listed, show something new.
 * `test`: significant ones alone; NULL: all. */
static spk_status take_first(spk_context *context, const spk_episode_columns *episodes,
                             uint32_t n_top, bool as_listed, const spk_exact_report *test,
                             spk_selection *selection)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < episodes->n && selection->n_top < n_top && status == SPK_OK; i++) {
        const bool fits =
            test == NULL || (test->verdict[i].tested && test->verdict[i].p <= test->alpha);
        if (fits && size_of(episodes, i) >= 2 && (as_listed || is_new(episodes, i, selection)))
            take(episodes, i, selection);
        status = i % 65536 == 0 ? spk_check_cancel(context) : SPK_OK;
    }
    return status;
}

/* Tells how many episodes show what an example shows, and how many show what none does. */
static spk_status count_alike(spk_context *context, const spk_episode_columns *episodes,
                              spk_selection *selection)
{
    spk_status status = SPK_OK;
    for (uint64_t i = 0; i < episodes->n && status == SPK_OK; i++) {
        const uint32_t e =
            size_of(episodes, i) >= 2 ? shown_by(episodes, i, selection) : SPK_PALETTE_SIZE;
        if (e < selection->n_top)
            selection->top[e].n_alike += i != selection->top[e].index;
        else
            selection->n_unlike += e == selection->n_top;
        status = i % 65536 == 0 ? spk_check_cancel(context) : SPK_OK;
    }
    return status;
}

/* Chooses the most telling ones. One pass for each that is chosen: there may be millions of
 * episodes, and few are compared. */
static spk_status choose_top(spk_context *context, const spk_episode_columns *episodes,
                             uint32_t n_top, spk_selection *selection)
{
    uint32_t unit[SPK_EPISODE_MAX_SIZE];
    while (selection->n_top < n_top) {
        uint64_t best = UINT64_MAX;
        uint32_t best_distinct = 0;
        for (uint64_t i = 0; i < episodes->n; i++) {
            if (i % 65536 == 0 && spk_check_cancel(context) != SPK_OK)
                return SPK_ERR_CANCELLED;
            if (size_of(episodes, i) < 2 || size_of(episodes, i) < best_distinct)
                continue;
            uint32_t distinct = distinct_units(episodes, i, unit);
            if ((best == UINT64_MAX || ranks_before(episodes, i, distinct, best, best_distinct)) &&
                is_new(episodes, i, selection)) {
                best = i;
                best_distinct = distinct;
            }
        }
        if (best == UINT64_MAX)
            break;
        take(episodes, best, selection);
    }
    return SPK_OK;
}

static spk_status describe_top(spk_context *context, const spk_episode_columns *episodes,
                               spk_shown_episode *top)
{
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
    spk_bisect s = {0, episode->n};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, episode->time[s.middle * episode->size] < time);
    return s.low;
}

/* ---- the stretch ----------------------------------------------------------------------------- */

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
    qsort(duration, (size_t)top->n, sizeof *duration, spk_compare_uint64);
    *out = duration[top->n / 2];
done:
    free(duration);
    return status;
}

/* Value of a stretch: occurrences of as many episodes as can be, so that the raster shows each
 * example, and many of them. */
static double stretch_value(const spk_selection *selection, int64_t start, int64_t last)
{
    const double each = 1e6; /* beyond the sum of all roots */
    double value = 0;
    for (uint32_t e = 0; e < selection->n_top; e++) {
        const spk_shown_episode *top = &selection->top[e];
        uint64_t after = last < INT64_MAX ? spk_shown_episode_at(top, last + 1) : top->n;
        uint64_t first = spk_shown_episode_at(top, start);
        value += after > first ? each + sqrt((double)(after - first)) : 0;
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

static spk_status choose_stretch(spk_context *context, const spk_recording *recording,
                                 const spk_figure_options *options, spk_selection *selection)
{
    if ((options->start != NULL || options->stop != NULL) &&
        spk_recording_events(recording).n_events > 0)
        return spk_stretch_between(context, recording, options, &selection->stretch);
    uint64_t typical = 0;
    for (uint32_t e = 0; e < selection->n_top; e++) {
        uint64_t duration;
        spk_status status = median_duration(context, &selection->top[e], &duration);
        if (status != SPK_OK)
            return status;
        typical = duration > typical ? duration : typical;
    }
    if (typical == 0) {
        selection->stretch = spk_stretch_first(recording);
        return SPK_OK;
    }
    uint64_t length =
        typical > UINT64_MAX / STRETCH_DURATIONS ? UINT64_MAX : typical * STRETCH_DURATIONS;
    uint64_t margin = length / 40;
    int64_t start = best_start(selection, length - 3 * margin);
    uint64_t before = spk_time_difference(start, spk_recording_start(recording));
    start = (int64_t)((uint64_t)start - (margin < before ? margin : before));
    selection->stretch = spk_stretch_inside(recording, start, length);
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
                              const spk_episode_columns *episodes,
                              const spk_figure_options *options, spk_selection *selection)
{
    uint32_t n_top = options->n_top < SPK_PALETTE_SIZE ? options->n_top : SPK_PALETTE_SIZE;
    const bool listed = options->as_listed, tested = options->exact != NULL;
    spk_status status = SPK_OK;
    if (tested && !listed)
        status = take_first(context, episodes, n_top, false, options->exact, selection);
    if (status == SPK_OK && (listed || tested || options->expected != NULL))
        status = take_first(context, episodes, n_top, listed, NULL, selection);
    else if (status == SPK_OK)
        status = choose_top(context, episodes, n_top, selection);
    if (status == SPK_OK && !options->as_listed && selection->n_top > 0)
        status = count_alike(context, episodes, selection);
    for (uint32_t e = 0; e < selection->n_top && status == SPK_OK; e++) {
        status = describe_top(context, episodes, &selection->top[e]);
        if (status == SPK_OK)
            status = collect_occurrences(context, recording, &selection->top[e]);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    if (status == SPK_OK)
        status = choose_stretch(context, recording, options, selection);
    if (status == SPK_OK)
        count_in_stretch(selection);
    return status;
}

/* Spread over the stretch, so that the numbers over the raster do not pile up. */
uint64_t spk_selection_example(const spk_selection *selection, uint32_t e)
{
    assert(e < selection->n_top);
    const spk_shown_episode *top = &selection->top[e];
    spk_stretch stretch = selection->stretch;
    int64_t last = spk_stretch_last(stretch);
    uint64_t step = stretch.length / (2 * (uint64_t)selection->n_top);
    uint64_t offset = step * (2 * e + 1);
    uint64_t k = spk_shown_episode_at(
        top, spk_stretch_last((spk_stretch){stretch.start, offset > 0 ? offset : 1}));
    while (k > 0 && (k == top->n || top->time[(k + 1) * top->size - 1] > last))
        k--;
    if (k < top->n && top->time[k * top->size] < stretch.start) {
        uint64_t first = spk_shown_episode_at(top, stretch.start);
        if (first < top->n && top->time[(first + 1) * top->size - 1] <= last)
            k = first;
    }
    return k;
}

void spk_selection_free(spk_selection *selection)
{
    for (uint32_t e = 0; e < SPK_PALETTE_SIZE; e++) {
        free(selection->top[e].delays);
        free(selection->top[e].time);
    }
    *selection = (spk_selection){.n_top = 0};
}
