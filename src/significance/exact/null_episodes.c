/*
 * The null hypothesis of episodes: numbers of events of each unit in each window of jitter, and
 * mean counts of episodes.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/portable.h"
#include "episode/delays.h"
#include "significance/exact/null_inside.h"

/* ---- groups ---------------------------------------------------------------------------------- */

static spk_status list_groups(spk_context *context, const spk_surrogates *s, uint32_t n_units,
                              null_episodes *e)
{
    uint64_t n = 0;
    spk_status status =
        spk_alloc_columns(context, "null hypothesis", SPK_COLUMN_ZERO(&e->first_group, n_units + 1),
                          SPK_COLUMN(&e->group, s->windows.n_groups));
    if (status != SPK_OK)
        return status;
    for (uint64_t r = 0; r < s->n_runs; r++) {
        spk_segment stretch = surrogate_stretch(s, &s->run[r]);
        uint32_t unit = s->run[r].unit;
        for (uint64_t g = s->windows.first_group[r]; g < s->windows.first_group[r + 1]; g++) {
            const surrogate_group *group = &s->windows.group[g];
            e->group[n++] = (null_group){surrogate_tick(stretch, group->first), group->n,
                                         (uint32_t)group->n_taken, unit};
        }
        e->first_group[unit + 1] = n;
    }
    for (uint32_t u = 0; u < n_units; u++) /* units that never fire have no run */
        if (e->first_group[u + 1] == 0)
            e->first_group[u + 1] = e->first_group[u];
    return SPK_OK;
}

static int compare_groups(const void *a, const void *b)
{
    const null_group *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* The groups of all units in order of time, and where each window begins among them. */
typedef struct timeline {
    null_group *group;
    uint64_t *first; /* n + 1 */
    uint64_t n;
} timeline;

static spk_status make_timeline(spk_context *context, const null_episodes *e, uint32_t n_units,
                                timeline *t)
{
    uint64_t n = e->first_group[n_units];
    spk_status status = spk_alloc_columns(context, "null hypothesis", SPK_COLUMN(&t->group, n),
                                          SPK_COLUMN(&t->first, n + 1));
    if (status != SPK_OK)
        return status;
    if (n > 0) {
        memcpy(t->group, e->group, n * sizeof *t->group);
        qsort(t->group, n, sizeof *t->group, compare_groups);
    }
    for (uint64_t g = 0; g < n; g++)
        if (g == 0 || t->group[g].start != t->group[g - 1].start)
            t->first[t->n++] = g;
    t->first[t->n] = n;
    return SPK_OK;
}

/* The first window that starts at `tick` or behind. */
static uint64_t window_from(const timeline *t, int64_t tick)
{
    uint64_t low = 0, high = t->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (t->group[t->first[middle]].start >= tick)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- delays between windows ------------------------------------------------------------------ */

static double triangle(double n)
{
    return n > 0 ? n * (n + 1) / 2 : 0;
}

/* Of all pairs of a tick in a window of `from` ticks and one in a window of `to` ticks that starts
 * `apart` later, the share that lies at most `delay` apart. */
static double share_up_to(double from, double to, double apart, double delay)
{
    double z = delay - apart;
    if (z >= to - 1)
        return 1;
    if (z <= -from)
        return 0;
    return (triangle(z + from) - triangle(z + from - to) - triangle(z) + triangle(z - to)) /
           (from * to);
}

static double share_within(const null_group *from, const null_group *to, spk_tick_delay delay)
{
    double apart = (double)((uint64_t)to->start - (uint64_t)from->start);
    double a = (double)from->n, b = (double)to->n;
    return share_up_to(a, b, apart, (double)delay.hi) - share_up_to(a, b, apart, (double)delay.lo);
}

/* ---- followers ------------------------------------------------------------------------------- */

/* A walk through the windows of a segment for one interval of delays. Windows first .. last - 1 can
 * hold events that follow one of the present window. */
typedef struct pair_walk {
    const timeline *line;
    uint64_t stop; /* the segment's last window + 1 */
    uint64_t first, last;
    double *x; /* by unit: mean number of events that follow one of the present window */
} pair_walk;

/* Ticks from the earliest place in window a to the latest in window b, a <= b; and the reverse. */
static uint64_t most_apart(const null_group *a, const null_group *b)
{
    return (uint64_t)b->start + b->n - 1 - (uint64_t)a->start;
}

static uint64_t least_apart(const null_group *a, const null_group *b)
{
    return b->start == a->start ? 0 : (uint64_t)b->start - ((uint64_t)a->start + a->n - 1);
}

static void find_followers(pair_walk *walk, uint64_t w, spk_tick_delay delay, uint32_t n_units)
{
    const timeline *t = walk->line;
    const null_group *own = &t->group[t->first[w]];
    memset(walk->x, 0, n_units * sizeof *walk->x);
    walk->first = walk->first < w ? w : walk->first;
    while (walk->first < walk->stop &&
           most_apart(own, &t->group[t->first[walk->first]]) <= delay.lo)
        walk->first++;
    for (uint64_t v = walk->first; v < walk->stop; v++) {
        const null_group *other = &t->group[t->first[v]];
        if (least_apart(own, other) > delay.hi)
            break;
        double share = share_within(own, other, delay);
        for (uint64_t g = t->first[v]; g < t->first[v + 1]; g++)
            walk->x[t->group[g].unit] += share * t->group[g].taken;
    }
}

/* Adds up, for the events of each unit in window w, how many events of each unit follow. Of its own
 * unit an event is followed by one of the others. */
static void add_window(const pair_walk *walk, uint64_t w, spk_tick_delay delay, size_t d,
                       uint32_t n_units, null_episodes *e)
{
    const timeline *t = walk->line;
    for (uint64_t g = t->first[w]; g < t->first[w + 1]; g++) {
        const null_group *own = &t->group[g];
        double *sum = e->followers + (own->unit * e->n_delays + d) * n_units;
        double taken = own->taken, ticks = (double)own->n;
        for (uint32_t j = 0; j < n_units; j++)
            sum[j] += taken * walk->x[j];
        double share = share_within(own, own, delay);
        double others = ticks > 1 ? (taken - 1) * ticks / (ticks - 1) : 0;
        sum[own->unit] += taken * share * (others - taken);
    }
}

static spk_status add_segment(spk_context *context, const timeline *t, spk_segment segment,
                              uint32_t n_units, double *x, null_episodes *e)
{
    uint64_t begin = window_from(t, segment.start), end = window_from(t, segment.stop);
    for (uint64_t g = t->first[begin]; g < t->first[end]; g++)
        e->events[t->group[g].unit] += t->group[g].taken;
    for (size_t d = 0; d < e->n_delays; d++) {
        pair_walk own = {.line = t, .stop = end, .first = begin, .x = x};
        for (uint64_t w = begin; w < end; w++) {
            find_followers(&own, w, e->delay[d], n_units);
            add_window(&own, w, e->delay[d], d, n_units, e);
        }
        spk_status status = spk_check_cancel(context);
        if (status != SPK_OK)
            return status;
    }
    return SPK_OK;
}

static spk_status fill_followers(spk_context *context, const spk_recording *recording,
                                 uint32_t n_units, null_episodes *e)
{
    timeline line = {NULL, NULL, 0};
    double *x = NULL;
    size_t n_segments = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n_segments);
    spk_status status = make_timeline(context, e, n_units, &line);
    if (status == SPK_OK)
        status = spk_alloc_columns(
            context, "null hypothesis", SPK_COLUMN(&x, n_units),
            SPK_COLUMN_ZERO(&e->events, n_units),
            SPK_COLUMN_ZERO(&e->followers, (uint64_t)n_units * n_units * e->n_delays));
    for (size_t k = 0; k < n_segments && status == SPK_OK; k++) {
        e->ticks += (double)((uint64_t)segment[k].stop - (uint64_t)segment[k].start);
        status = add_segment(context, &line, segment[k], n_units, x, e);
    }
    for (uint64_t u = 0; u < n_units && status == SPK_OK; u++)
        for (uint64_t k = 0; k < n_units * e->n_delays && e->events[u] > 0; k++)
            e->followers[u * n_units * e->n_delays + k] /= e->events[u];
    spk_free(context, line.group);
    spk_free(context, line.first);
    spk_free(context, x);
    return status;
}

/* ---- create ---------------------------------------------------------------------------------- */

static spk_status create(spk_context *context, const spk_recording *recording,
                         const spk_delay *delays, size_t n_delays, const spk_surrogates *surrogates,
                         spk_null *null)
{
    null_episodes *e = &null->episodes;
    null->n_units = spk_recording_events(recording).n_units;
    e->n_delays = n_delays;
    spk_status status =
        spk_delays_to_ticks(context, delays, n_delays, spk_recording_rate(recording), &e->delay);
    if (status == SPK_OK)
        status = spk_alloc(context, &e->span, n_delays, "null hypothesis");
    if (status == SPK_OK)
        status = list_groups(context, surrogates, null->n_units, e);
    if (status == SPK_OK)
        status = fill_followers(context, recording, null->n_units, e);
    for (size_t d = 0; d < n_delays && status == SPK_OK; d++) {
        double lo = (double)e->delay[d].lo, hi = (double)e->delay[d].hi;
        e->span[d] = fmin((lo + hi) / 2, e->ticks);
    }
    return status;
}

spk_status spk_null_create_episodes(spk_context *context, const spk_recording *recording,
                                    const spk_delay *delays, size_t n_delays,
                                    const spk_surrogates *surrogates, spk_null **out)
{
    spk_null *null = NULL;
    *out = NULL;
    if (surrogates->method != &spk_surrogate_interval_jitter || surrogates->windows.length > 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the test of episodes needs surrogates by interval-jitter in ticks");
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_alloc_zero(context, &null, 1, "null hypothesis");
    if (status == SPK_OK)
        status = create(context, recording, delays, n_delays, surrogates, null);
    if (status == SPK_OK) {
        spk_stage_keep(context, &stage, &null->holding);
        *out = null;
    } else {
        spk_stage_close(context, &stage);
        spk_null_free(null);
    }
    return status;
}

/* ---- means ----------------------------------------------------------------------------------- */

/* Chains that start: the events of the first unit, each of which is continued with the chance that
 * some event follows. Chains that would overlap count once. */
static double episode_mean(const spk_null *null, uint32_t size, const uint32_t *unit,
                           const uint16_t *delay)
{
    const null_episodes *e = &null->episodes;
    double mean = e->events[unit[0]], span = 0;
    for (uint32_t k = 1; k < size; k++) {
        uint64_t row = (uint64_t)unit[k - 1] * e->n_delays + delay[k];
        mean *= -spk_portable_expm1(-e->followers[row * null->n_units + unit[k]]);
        span += e->span[delay[k]];
    }
    return size == 1 ? mean : mean / (1 + mean * span / e->ticks);
}

void spk_null_episode_means(const spk_null *null, const spk_episode_columns *episodes, double *mean)
{
    assert(episodes->n_delays == null->episodes.n_delays);
    for (uint64_t i = 0; i < episodes->n; i++)
        mean[i] = episode_mean(null, (uint32_t)(episodes->offset[i + 1] - episodes->offset[i]),
                               episodes->unit + episodes->offset[i],
                               episodes->delay + episodes->offset[i]);
}
