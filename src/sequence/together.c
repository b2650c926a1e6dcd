/*
 * Whether rates of units change together, more slowly than a sequence lasts. A null hypothesis that
 * moves units by any amount takes such changes for an answer.
 *
 *     spikes in windows     unit a    5  4  0  1  6  4  0  1
 *                           unit b    4  5  1  0  5  5  1  0
 *                           sum       9  9  1  1 11  9  1  1      squares: 368
 *     b moved in a circle by 2  sum   6  4  4  6  7  4  5  6      squares: 230
 *
 * Windows are four longest lags or more, so that spikes of one occurrence mostly share one. Those
 * that segments have no room for are left out. p is the rank of the sum of squares among draws in
 * which the counts of each unit are moved by an amount of their own: they keep what a unit does
 * alone. Cost: the units times the windows, for each draw. Bytes: 4 for each of these.
 */
#include "base/memory.h"
#include "recording/segments.h"
#include "sequence/sequence.h"

enum { LAGS = 4, FEWEST_WINDOWS = 8, MOST_WINDOWS = 4096, DRAWS = 99 };

typedef struct windows {
    double ticks; /* of a window */
    uint64_t n;
    uint32_t *count; /* by unit, then window */
    uint64_t *sum;   /* of all units, in work */
} windows;

static uint64_t windows_in(const windows *w, const spk_segment *segment)
{
    return (uint64_t)((double)((uint64_t)segment->stop - (uint64_t)segment->start) / w->ticks);
}

static void measure(const spk_recording *recording, double reach, windows *w)
{
    size_t n = 0;
    double all = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n);
    for (size_t k = 0; k < n; k++)
        all += (double)((uint64_t)segment[k].stop - (uint64_t)segment[k].start);
    w->ticks = LAGS * reach > all / MOST_WINDOWS ? LAGS * reach : all / MOST_WINDOWS;
    for (size_t k = 0; k < n && w->ticks > 0; k++)
        w->n += windows_in(w, &segment[k]);
}

static void count(const spk_recording *recording, windows *w)
{
    size_t n = 0;
    uint64_t before = 0;
    const spk_segment *segment = spk_recording_segments(recording, &n);
    const spk_events events = spk_recording_events(recording);
    for (size_t k = 0; k < n; k++) {
        const spk_event_range range = spk_segment_events(recording, k);
        const uint64_t here = windows_in(w, &segment[k]);
        for (uint64_t e = range.first; e < range.last; e++) {
            const uint64_t since = (uint64_t)events.time[e] - (uint64_t)segment[k].start;
            const uint64_t at = (uint64_t)((double)since / w->ticks);
            if (at < here)
                w->count[events.unit[e] * w->n + before + at]++;
        }
        before += here;
    }
}

/* The sum of squares, with each unit's counts moved by what `random` says; NULL: by nothing. */
static double add_up(windows *w, uint32_t n_units, spk_random *random)
{
    double squares = 0;
    for (uint64_t k = 0; k < w->n; k++)
        w->sum[k] = 0;
    for (uint32_t u = 0; u < n_units; u++) {
        const uint64_t by = random != NULL ? spk_random_below(random, w->n) : 0;
        const uint32_t *own = w->count + u * w->n;
        for (uint64_t k = 0; k < by; k++)
            w->sum[k] += own[w->n - by + k];
        for (uint64_t k = by; k < w->n; k++)
            w->sum[k] += own[k - by];
    }
    for (uint64_t k = 0; k < w->n; k++)
        squares += (double)w->sum[k] * (double)w->sum[k];
    return squares;
}

spk_status spk_sequence_rates_together(spk_context *context, const spk_recording *recording,
                                       double reach, uint64_t seed, double *p)
{
    windows w = {.n = 0};
    const uint32_t n_units = spk_recording_events(recording).n_units;
    uint32_t n_as_large = 0;
    *p = 1;
    measure(recording, reach, &w);
    if (w.n < FEWEST_WINDOWS)
        return SPK_OK;
    spk_status status = spk_alloc_zero(context, &w.count, n_units * w.n, "counts of units");
    if (status == SPK_OK)
        status = spk_alloc(context, &w.sum, w.n, "counts of units");
    if (status == SPK_OK) {
        count(recording, &w);
        const double own = add_up(&w, n_units, NULL);
        for (uint64_t draw = 0; draw < DRAWS && status == SPK_OK; draw++) {
            spk_random random = spk_random_start(seed, SPK_RANDOM_SEQUENCE_TOGETHER, draw);
            n_as_large += add_up(&w, n_units, &random) >= own;
            status = spk_check_cancel(context);
        }
        *p = (1.0 + n_as_large) / (1.0 + DRAWS);
    }
    spk_free(context, w.count);
    spk_free(context, w.sum);
    return status;
}
