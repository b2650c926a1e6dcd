/* What the generators share: event columns, truth, checks of options. */
#include "simulate/simulate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/stage.h"

/* ---- events ---------------------------------------------------------------------------------- */

/* Six standard deviations of a Poisson number, twice over for generators that are burstier: growing
 * is then rare, and copying a grown column would double its memory. */
static uint64_t with_spread(double expected)
{
    return (uint64_t)(expected + 12 * sqrt(expected) + 1024);
}

static spk_status grow(spk_context *context, spk_event_buffer *buffer, uint64_t n)
{
    return spk_grow_columns(context, &buffer->capacity, n, "events", SPK_COLUMN(&buffer->time, 1),
                            SPK_COLUMN(&buffer->unit, 1));
}

spk_status spk_event_buffer_reserve(spk_context *context, spk_event_buffer *buffer, double expected,
                                    unsigned bytes_per_event)
{
    if (!(expected + 12 * sqrt(expected) + 1024 < (double)SPK_MAX_EVENTS))
        return spk_fail(context, SPK_ERR_RANGE,
                        "these options make about %.3g events, one recording holds %u; lower the "
                        "duration or the rates",
                        expected, SPK_MAX_EVENTS);
    uint64_t n = with_spread(expected);
    uint64_t limit = spk_memory_left(context);
    if (limit > 0 && n * bytes_per_event > limit)
        return spk_fail(context, SPK_ERR_MEMORY,
                        "about %" PRIu64 " events need %" PRIu64
                        " bytes, the memory limit is %" PRIu64
                        "; raise it, or lower the duration or the rates",
                        n, n * bytes_per_event, limit);
    return grow(context, buffer, n);
}

spk_status spk_event_buffer_add(spk_context *context, spk_event_buffer *buffer, int64_t time,
                                uint32_t unit)
{
    uint64_t n = buffer->n;
    spk_status status = n < buffer->capacity ? SPK_OK : grow(context, buffer, n + 1);
    if (status != SPK_OK)
        return status;
    buffer->time[n] = time;
    buffer->unit[n] = unit;
    buffer->n = n + 1;
    return (n & 0xffff) == 0xffff ? spk_check_cancel(context) : SPK_OK;
}

void spk_event_buffer_free(spk_event_buffer *buffer)
{
    free(buffer->time);
    free(buffer->unit);
    *buffer = (spk_event_buffer){0};
}

spk_status spk_event_buffer_take(spk_context *context, spk_event_buffer *buffer, uint32_t n_units,
                                 const char *const *labels, spk_rate rate, int64_t stop,
                                 spk_recording **out)
{
    int64_t start = 0;
    spk_recording_parts parts = {
        .n_events = buffer->n,
        .time = buffer->time,
        .unit = buffer->unit,
        .n_units = n_units,
        .labels = labels,
        .rate = rate,
        .start = &start,
        .stop = &stop,
    };
    assert(stop >= start);
    *buffer = (spk_event_buffer){0};
    return spk_recording_assemble(context, &parts, out);
}

/* ---- truth ----------------------------------------------------------------------------------- */

void spk_truth_free(spk_truth *truth)
{
    if (truth == NULL)
        return;
    for (uint32_t k = 0; k < truth->n_chains && truth->chain != NULL; k++) {
        spk_free_all(truth->chain[k].unit, truth->chain[k].delay_ticks, truth->chain[k].time);
    }
    free(truth->chain);
    free(truth);
}

uint32_t spk_truth_n_chains(const spk_truth *truth)
{
    return truth->n_chains;
}

spk_truth_chain spk_truth_get_chain(const spk_truth *truth, uint32_t k)
{
    if (k >= truth->n_chains)
        return (spk_truth_chain){0};
    const spk_planted *chain = &truth->chain[k];
    return (spk_truth_chain){
        .size = chain->size,
        .unit = chain->unit,
        .delay_ticks = chain->delay_ticks,
        .jitter_ticks = chain->jitter_ticks,
        .planted = chain->n_planted,
        .kept = chain->n_times / chain->size,
        .time = chain->time,
    };
}

spk_status spk_truth_create(spk_context *context, uint32_t n_chains, const uint32_t *size,
                            spk_truth **out)
{
    *out = NULL;
    spk_truth *truth = NULL;
    spk_status status = spk_alloc_zero(context, &truth, 1, "the truth");
    if (status == SPK_OK)
        status = spk_alloc_zero(context, &truth->chain, n_chains, "the truth");
    for (uint32_t k = 0; k < n_chains && status == SPK_OK; k++) {
        spk_planted *chain = &truth->chain[k];
        truth->n_chains = k + 1;
        chain->size = size[k];
        status = spk_alloc_columns(context, "the truth", SPK_COLUMN_ZERO(&chain->unit, size[k]),
                                   SPK_COLUMN_ZERO(&chain->delay_ticks, size[k]));
    }
    if (status == SPK_OK)
        *out = truth;
    else
        spk_truth_free(truth);
    return status;
}

spk_status spk_planted_add(spk_context *context, spk_planted *chain, const int64_t *time)
{
    assert(chain->size > 0 && chain->n_times % chain->size == 0);
    chain->n_planted++;
    if (chain->n_times + chain->size > SPK_TRUTH_MAX_TIMES)
        return SPK_OK;
    spk_status status = spk_grow(context, &chain->time, &chain->capacity,
                                 chain->n_times + chain->size, "the truth");
    if (status != SPK_OK)
        return status;
    for (uint32_t p = 0; p < chain->size; p++)
        chain->time[chain->n_times++] = time[p];
    return SPK_OK;
}

/* ---- planting ---------------------------------------------------------------------------------
 */

spk_status spk_planted_times_take(spk_context *context, const spk_event_buffer *buffer,
                                  uint32_t n_units, spk_planted_times *out)
{
    spk_status status = spk_alloc_columns(context, "planted spikes",
                                          SPK_COLUMN_ZERO(&out->first, (uint64_t)n_units + 2),
                                          SPK_COLUMN(&out->time, buffer->n));
    if (status != SPK_OK)
        return status;
    uint64_t *first = out->first;
    for (uint64_t i = 0; i < buffer->n; i++)
        first[buffer->unit[i] + 2]++;
    for (uint32_t u = 0; u < n_units; u++)
        first[u + 2] += first[u + 1];
    for (uint64_t i = 0; i < buffer->n; i++)
        out->time[first[buffer->unit[i] + 1]++] = buffer->time[i];
    for (uint32_t u = 0; u < n_units; u++)
        qsort(out->time + first[u], (size_t)(first[u + 1] - first[u]), sizeof(int64_t),
              spk_compare_int64);
    return SPK_OK;
}

void spk_planted_times_free(spk_planted_times *planted)
{
    free(planted->first);
    free(planted->time);
}

bool spk_planted_times_clear(const spk_planted_times *planted, uint32_t unit, uint64_t *next,
                             int64_t time, int64_t distance)
{
    const uint64_t end = planted->first[unit + 1];
    while (*next < end && planted->time[*next] + distance < time)
        ++*next;
    return *next >= end || planted->time[*next] - distance > time;
}

void spk_random_order(spk_random *random, uint32_t n, uint32_t *order)
{
    for (uint32_t u = 0; u < n; u++) {
        const uint32_t other = (uint32_t)spk_random_below(random, (uint64_t)u + 1);
        order[u] = order[other];
        order[other] = u;
    }
}

/* ---- options --------------------------------------------------------------------------------- */

spk_status spk_check_number(spk_context *context, const char *name, double value, double minimum,
                            double maximum)
{
    if (value >= minimum && value <= maximum)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s is %g; it must be from %g to %g", name, value,
                    minimum, maximum);
}

spk_status spk_check_duration(spk_context *context, spk_duration duration, spk_rate rate,
                              int64_t *ticks)
{
    uint64_t exact = spk_duration_ticks(duration, rate);
    char text[48];
    spk_duration_format(duration, text, sizeof text);
    if (exact < 1 || exact > (uint64_t)1 << 53)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the duration is %s; it must be at least one tick (%g us) and below 2^53",
                        text, 1e6 * (double)rate.denominator / (double)rate.numerator);
    *ticks = (int64_t)exact;
    return SPK_OK;
}
