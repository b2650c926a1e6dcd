/* The lags of rows: of an episode that occurs the median lag of each step, over the occurrences
 * that were counted. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/stage.h"
#include "spikemine/occurrences.h"

/* Lag n of step s is ticks[s * capacity + n]. */
typedef struct steps {
    int64_t *ticks;
    uint64_t capacity;
    uint64_t n;
} steps;

static spk_status take_occurrence(void *user, uint32_t size, const int64_t *time)
{
    steps *t = user;
    if (t->n == t->capacity)
        return SPK_ERR_INTERNAL;
    for (uint32_t p = 1; p < size; p++)
        t->ticks[(p - 1) * t->capacity + t->n] = time[p] - time[p - 1];
    t->n++;
    return SPK_OK;
}

static double median(int64_t *ticks, uint64_t n, spk_rate rate)
{
    qsort(ticks, (size_t)n, sizeof *ticks, spk_compare_int64);
    const uint64_t low = (n - 1) / 2, high = n / 2;
    const double twice = (double)ticks[low] + (double)ticks[high];
    return twice * (double)rate.denominator / (2 * (double)rate.numerator);
}

/* The medians of all steps of an episode into `out`. */
static spk_status find_medians(spk_context *context, const spk_recording *recording,
                               const spk_episode_columns *episode, double *out)
{
    const uint64_t first = episode->offset[0];
    const uint32_t size = (uint32_t)(episode->offset[1] - first);
    steps t = {.capacity = episode->count[0]};
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    for (uint32_t p = 1; p < size; p++)
        delays[p - 1] = episode->delays[episode->delay[first + p]];
    spk_status status = spk_alloc(context, &t.ticks, (size - 1) * t.capacity, "lags");
    if (status == SPK_OK)
        status = spk_episode_occurrences(context, recording, size, episode->unit + first, delays,
                                         take_occurrence, &t);
    for (uint32_t p = 1; p < size && status == SPK_OK; p++)
        out[p - 1] = median(t.ticks + (p - 1) * t.capacity, t.n, spk_recording_rate(recording));
    spk_free(context, t.ticks);
    return status;
}

spk_status spk_lags_add(spk_analysis *a, const spk_peel_round *row, uint64_t k)
{
    spk_exact_rows *rows = &a->exact_rows;
    const bool is_told = row->episode != NULL && row->episode->count[0] > 0;
    const uint64_t first = rows->lag_first[k];
    const uint64_t n = is_told ? row->episode->offset[1] - row->episode->offset[0] - 1 : 0;
    spk_stage stage = spk_stage_open(a->context);
    spk_status status =
        spk_grow(a->context, &rows->lag_s, &rows->lag_capacity, first + n + 1, "lags");
    if (status == SPK_OK && n > 0)
        status = find_medians(a->context, row->recording, row->episode, rows->lag_s + first);
    rows->lag_first[k + 1] = first + n;
    spk_stage_close(a->context, &stage);
    return status;
}
