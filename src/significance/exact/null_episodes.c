/*
 * The null hypothesis of episodes: numbers of events of each unit in each window of jitter, and
 * from them what mean counts need (episode_means.c).
 *
 * Windows are sorted into classes by how much fires in them, so that bursts and what lies between
 * them are kept apart. For each class, each pair of units and each interval of delays a table has
 * the mean number of events of the second unit that follow one of the first unit within the
 * interval. It is exact: events take each tick of their window with the same chance, and the
 * numbers of pairs of ticks that lie so far apart are known.
 *
 * Seen from window w, what can follow within ]lo, hi] lies in three stretches of windows, of which
 * only the borders need a share of their ticks:
 *
 *     w ........ first ....... inner ............... outer ......... end of the reach
 *       nothing  |  a share   |  all of it          |  a share      |  nothing
 *
 * The three marks never move back while w moves on, so that a delay costs one pass over the
 * windows; `within` holds the sums by unit of what lies between inner and outer. The table has
 * n_units^2 x n_delays x classes numbers:
 *
 *     followers[((first unit x n_delays + delay) x n_units + second unit) x NULL_CLASSES + class]
 */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/order.h"
#include "episode/list.h"
#include "significance/exact/null_inside.h"

/* Most cells of a table of pairs (32 bytes each); beyond, there is none. */
static const uint64_t MOST_CELLS = (uint64_t)1 << 23;

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
    return SPK_BY(SPK_UP(x->start, y->start), SPK_UP(x->unit, y->unit));
}

/* ---- windows --------------------------------------------------------------------------------- */

/* The groups of all units in order of time, and where each window begins among them. */
typedef struct timeline {
    null_group *group;
    uint64_t *first; /* n + 1 */
    uint8_t *class;  /* by window */
    uint64_t n;
} timeline;

static spk_status make_timeline(spk_context *context, const null_episodes *e, uint32_t n_units,
                                timeline *t)
{
    uint64_t n = e->first_group[n_units];
    spk_status status =
        spk_alloc_columns(context, "null hypothesis", SPK_COLUMN(&t->group, n),
                          SPK_COLUMN(&t->first, n + 1), SPK_COLUMN_ZERO(&t->class, n));
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
    spk_bisect s = {0, t->n};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, t->group[t->first[s.middle]].start < tick);
    return s.low;
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

/* ---- classes --------------------------------------------------------------------------------- */

/* A window, and its events for each of its ticks. */
typedef struct window_rate {
    double rate;
    uint64_t events;
    uint64_t window;
} window_rate;

static int compare_rates(const void *a, const void *b)
{
    const window_rate *x = a, *y = b;
    return SPK_BY(SPK_UP(x->rate, y->rate), SPK_UP(x->window, y->window));
}

/* Sorts windows into classes of as many events each, by their rates; windows of one rate stay
 * together. */
static spk_status classify(spk_context *context, timeline *t)
{
    window_rate *rate = NULL;
    uint64_t all = 0, below = 0, class = 0;
    spk_status status = spk_alloc(context, &rate, t->n, "null hypothesis");
    if (status != SPK_OK)
        return status;
    for (uint64_t w = 0; w < t->n; w++) {
        rate[w] = (window_rate){.window = w};
        for (uint64_t g = t->first[w]; g < t->first[w + 1]; g++)
            rate[w].events += t->group[g].taken;
        rate[w].rate = (double)rate[w].events / (double)t->group[t->first[w]].n;
        all += rate[w].events;
    }
    if (t->n > 0)
        qsort(rate, t->n, sizeof *rate, compare_rates);
    /* Classes have about as many events each: the events in windows of lower rates tell a window's
     * class. Windows of one rate share it, or the order of equal ones would matter. */
    for (uint64_t k = 0; k < t->n; k++) {
        if (k == 0 || rate[k].rate > rate[k - 1].rate)
            class = below * NULL_CLASSES / all;
        t->class[rate[k].window] = (uint8_t) class;
        below += rate[k].events;
    }
    spk_free(context, rate);
    return SPK_OK;
}

/* ---- followers ------------------------------------------------------------------------------- */

/*
 * A walk through the windows of a segment for one interval of delays. Windows first and later can
 * hold events that follow one of the present window; all pairs of events of the present window and
 * of windows inner .. outer - 1 lie within the interval.
 *
 *     time       w      first    inner        outer
 *                |         |       |            |
 *     pairs     none      some    all          some, until none
 *
 * Windows that all pairs follow are summed up once in `within`, and changed at its two ends as the
 * walk goes on; of the few others each has its share of pairs. So a segment takes a pass for each
 * interval, whatever the number of windows that the interval reaches over.
 */
typedef struct pair_walk {
    const timeline *line;
    spk_tick_delay delay;
    uint32_t n_units;
    uint64_t stop; /* the segment's last window + 1 */
    uint64_t first, inner, outer;
    double *within; /* by unit: events in windows inner .. outer - 1 */
    double *x;      /* by unit: mean number of events that follow one of the present window */
} pair_walk;

/* Ticks from the first tick of window a to the last one of window b, a <= b; and from the last one
 * of a to the first one of b. */
static uint64_t most_apart(const null_group *a, const null_group *b)
{
    return (uint64_t)b->start + b->n - 1 - (uint64_t)a->start;
}

static uint64_t least_apart(const null_group *a, const null_group *b)
{
    return b->start == a->start ? 0 : (uint64_t)b->start - ((uint64_t)a->start + a->n - 1);
}

static const null_group *window_at(const pair_walk *walk, uint64_t w)
{
    return &walk->line->group[walk->line->first[w]];
}

/* Adds the events of a window to sums by unit. */
static void add_events(const pair_walk *walk, uint64_t w, double times, double *sum)
{
    const timeline *t = walk->line;
    for (uint64_t g = t->first[w]; g < t->first[w + 1]; g++)
        sum[t->group[g].unit] += times * t->group[g].taken;
}

/* Moves the walk on to window w. */
static void find_followers(pair_walk *walk, uint64_t w)
{
    const null_group *own = window_at(walk, w);
    /* The marks only move on: a window enters `within` when all of it comes within reach, and
     * leaves it when some of it lies no longer beyond lo. */
    while (walk->first < walk->stop &&
           (walk->first < w || most_apart(own, window_at(walk, walk->first)) <= walk->delay.lo))
        walk->first++;
    walk->outer = walk->outer < w ? w : walk->outer;
    for (; walk->outer < walk->stop &&
           most_apart(own, window_at(walk, walk->outer)) <= walk->delay.hi;
         walk->outer++)
        if (walk->outer >= walk->inner)
            add_events(walk, walk->outer, 1, walk->within);
    for (; walk->inner < walk->stop &&
           (walk->inner < w || least_apart(own, window_at(walk, walk->inner)) <= walk->delay.lo);
         walk->inner++)
        if (walk->inner < walk->outer)
            add_events(walk, walk->inner, -1, walk->within);
    memcpy(walk->x, walk->within, walk->n_units * sizeof *walk->x);
    /* Windows at both borders are seen in part. Those between inner and outer are in `within`. */
    for (uint64_t v = walk->first; v < walk->stop; v++) {
        if (v == walk->inner && walk->outer > walk->inner)
            v = walk->outer;
        if (v >= walk->stop || least_apart(own, window_at(walk, v)) > walk->delay.hi)
            break;
        add_events(walk, v, share_within(own, window_at(walk, v), walk->delay), walk->x);
    }
}

/* Adds up, for the events of each unit in window w, how many events of each unit follow. Of its own
 * unit an event is followed by one of the others. */
static void add_window(const pair_walk *walk, uint64_t w, size_t d, null_episodes *e)
{
    const timeline *t = walk->line;
    uint64_t n_units = walk->n_units;
    double share = share_within(window_at(walk, w), window_at(walk, w), walk->delay);
    for (uint64_t g = t->first[w]; g < t->first[w + 1]; g++) {
        const null_group *own = &t->group[g];
        float *sum =
            e->followers + (own->unit * e->n_delays + d) * n_units * NULL_CLASSES + t->class[w];
        double taken = own->taken, ticks = (double)own->n;
        for (uint64_t j = 0; j < n_units; j++)
            if (walk->x[j] > 0)
                sum[j * NULL_CLASSES] += (float)(taken * walk->x[j]);
        double others = ticks > 1 ? (taken - 1) * ticks / (ticks - 1) : 0;
        sum[own->unit * (uint64_t)NULL_CLASSES] += (float)(taken * share * (others - taken));
    }
}

static spk_status add_segment(spk_context *context, const timeline *t, spk_segment segment,
                              uint32_t n_units, double *room, null_episodes *e)
{
    spk_status status = SPK_OK;
    /* Windows do not cross borders of segments: those that start in the segment are its own. */
    uint64_t begin = window_from(t, segment.start), end = window_from(t, segment.stop);
    double length = (double)((uint64_t)segment.stop - (uint64_t)segment.start);
    e->longest = length > e->longest ? length : e->longest;
    for (uint64_t w = begin; w < end; w++) {
        e->ticks.of[t->class[w]] += (double)t->group[t->first[w]].n;
        for (uint64_t g = t->first[w]; g < t->first[w + 1]; g++)
            e->events[t->group[g].unit].of[t->class[w]] += t->group[g].taken;
    }
    for (size_t d = 0; d < e->n_delays && e->followers != NULL && status == SPK_OK; d++) {
        /* Three marks go through the windows together with w, since what can follow it only moves
         * on: so all windows of a delay take one pass. */
        pair_walk walk = {.line = t,
                          .delay = e->delay[d],
                          .n_units = n_units,
                          .stop = end,
                          .first = begin,
                          .inner = begin,
                          .outer = begin,
                          .within = room,
                          .x = room + n_units};
        memset(room, 0, n_units * sizeof *room);
        for (uint64_t w = begin; w < end && status == SPK_OK; w++) {
            find_followers(&walk, w);
            add_window(&walk, w, d, e);
            if (w % 1024 == 0)
                status = spk_check_cancel(context);
        }
    }
    return status;
}

/* Sums become means. */
static void divide(uint32_t n_units, null_episodes *e)
{
    uint64_t n = n_units * e->n_delays;
    for (uint64_t u = 0; u < n_units; u++)
        for (uint64_t k = 0; k < n * NULL_CLASSES; k++) {
            double events = e->events[u].of[k % NULL_CLASSES];
            float *x = &e->followers[u * n * NULL_CLASSES + k];
            *x = events > 0 ? *x / (float)events : 0;
        }
}

static spk_status fill_followers(spk_context *context, const spk_recording *recording,
                                 uint32_t n_units, null_episodes *e)
{
    timeline line = {NULL, NULL, NULL, 0};
    double *room = NULL;
    size_t n_segments = 0;
    uint64_t n_pairs = (uint64_t)n_units * n_units;
    /* The table has a number for each pair of units, delay and class; with too many of them there
     * is none. */
    bool has_table = n_pairs < MOST_CELLS / e->n_delays;
    const spk_segment *segment = spk_recording_segments(recording, &n_segments);
    spk_status status = make_timeline(context, e, n_units, &line);
    if (status == SPK_OK)
        status = classify(context, &line);
    if (status == SPK_OK)
        status =
            spk_alloc_columns(context, "null hypothesis", SPK_COLUMN(&room, 2 * (uint64_t)n_units),
                              SPK_COLUMN_ZERO(&e->events, n_units));
    if (status == SPK_OK && has_table)
        status = spk_alloc_zero(context, &e->followers, n_pairs * e->n_delays * NULL_CLASSES,
                                "null hypothesis");
    for (size_t k = 0; k < n_segments && status == SPK_OK; k++)
        status = add_segment(context, &line, segment[k], n_units, room, e);
    if (status == SPK_OK && has_table)
        divide(n_units, e);
    spk_free(context, line.group);
    spk_free(context, line.first);
    spk_free(context, line.class);
    spk_free(context, room);
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
        status = list_groups(context, surrogates, null->n_units, e);
    if (status == SPK_OK)
        status = fill_followers(context, recording, null->n_units, e);
    return status;
}

spk_status spk_null_create_episodes(spk_context *context, const spk_recording *recording,
                                    const spk_delay *delays, size_t n_delays,
                                    const spk_surrogates *surrogates, spk_null **out)
{
    spk_null *null = NULL;
    *out = NULL;
    if (surrogates->windows.first_group == NULL || surrogates->windows.length > 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the test of episodes needs surrogates with windows of ticks");
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

/* ---- windows of one draw --------------------------------------------------------------------- */

/* The cell of a pair in each class; its row is [unit][delay]. */
static void lean_row(null_episodes *e, uint32_t n_units, uint64_t row)
{
    const null_classes *own = &e->events[row / e->n_delays];
    const double length = null_delay_length(e, row % e->n_delays);
    for (uint64_t next = 0; next < n_units; next++) {
        float *x = &e->followers[(row * n_units + next) * NULL_CLASSES];
        for (int q = 0; q < NULL_CLASSES; q++)
            if (own->of[q] > 0)
                x[q] = (float)means_lean(x[q], e->rate[next] * length);
    }
}

spk_status spk_null_lean_episodes(spk_context *context, const spk_recording *recording,
                                  spk_null *null)
{
    null_episodes *e = &null->episodes;
    const spk_events events = spk_recording_events(recording);
    size_t n_segments = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n_segments);
    double ticks = 0;
    spk_status status = spk_alloc(context, &e->rate, null->n_units, "null hypothesis");
    for (size_t k = 0; k < n_segments; k++)
        ticks += (double)((uint64_t)segment[k].stop - (uint64_t)segment[k].start);
    for (uint32_t u = 0; u < null->n_units && status == SPK_OK; u++)
        e->rate[u] =
            ticks > 0 ? (double)(events.unit_first[u + 1] - events.unit_first[u]) / ticks : 0;
    for (uint64_t row = 0; e->followers != NULL && row < null->n_units * e->n_delays; row++)
        if (status == SPK_OK)
            lean_row(e, null->n_units, row);
    return status;
}
