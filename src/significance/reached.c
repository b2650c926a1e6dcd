/* How many surrogates reach a count: their M_k of one size and duration, sorted. */
#include "significance/reached.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/order.h"
#include "spikemine/spectrum.h"

/* By duration, then size; counts fall within a duration. */
static bool in_order(const spk_maxima_columns *maxima, uint64_t k)
{
    if (maxima->first[k + 1] < maxima->first[k])
        return false;
    for (uint64_t i = maxima->first[k]; i < maxima->first[k + 1]; i++) {
        const spk_pattern_maximum *here = &maxima->maximum[i];
        if (!maxima->by_duration && here->duration != 0)
            return false;
        if (i == maxima->first[k] || here->duration > here[-1].duration)
            continue;
        if (here->duration < here[-1].duration || here->size <= here[-1].size ||
            here->count >= here[-1].count)
            return false;
    }
    return true;
}

static spk_status check(spk_context *context, const spk_maxima_columns *maxima)
{
    if (maxima->n == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "there are no surrogates to compare with; make at least one");
    for (uint64_t k = 0; k < maxima->n; k++)
        if (!in_order(maxima, k))
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "the maxima of surrogate %llu are out of order: by duration, then by "
                            "size, with falling counts within a duration",
                            (unsigned long long)k + 1);
    return SPK_OK;
}

spk_status spk_reached_open(spk_context *context, const spk_maxima_columns *maxima, bool published,
                            spk_reached *reached)
{
    *reached = (spk_reached){.maxima = maxima, .published = published};
    spk_status status = check(context, maxima);
    if (status != SPK_OK)
        return status;
    uint64_t n = maxima->first[maxima->n] - maxima->first[0];
    status = spk_alloc_columns(context, "the counts of surrogates",
                               SPK_COLUMN(&reached->count, maxima->n),
                               SPK_COLUMN(&reached->duration, n + 1));
    if (status != SPK_OK)
        return status;
    const spk_pattern_maximum *maximum = maxima->maximum + maxima->first[0];
    for (uint64_t i = 0; i < n; i++) {
        reached->duration[i] = maximum[i].duration;
        if (maximum[i].size > reached->largest_size)
            reached->largest_size = maximum[i].size;
    }
    qsort(reached->duration, n, sizeof *reached->duration, spk_rising_u32);
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || reached->duration[i] != reached->duration[i - 1])
            reached->duration[reached->n_durations++] = reached->duration[i];
    return SPK_OK;
}

void spk_reached_close(spk_reached *reached)
{
    free(reached->count);
    free(reached->duration);
    *reached = (spk_reached){.maxima = NULL};
}

/* M_k: the count of the first step of this duration that has the size. */
static uint32_t largest_count(const spk_maxima_columns *maxima, uint64_t k, uint32_t size,
                              uint32_t duration)
{
    spk_bisect s = {maxima->first[k], maxima->first[k + 1]};
    while (spk_bisect_next(&s)) {
        const spk_pattern_maximum *step = &maxima->maximum[s.middle];
        spk_bisect_told(&s, step->duration < duration ||
                                (step->duration == duration && step->size < size));
    }
    if (s.low == maxima->first[k + 1] || maxima->maximum[s.low].duration != duration)
        return 0;
    return maxima->maximum[s.low].count;
}

void spk_reached_select(spk_reached *reached, uint32_t size, uint32_t duration)
{
    /* numpy: uint16 for the counts, int16 for the largest one + 2. */
    enum { LARGEST_PUBLISHED = 32765 };
    const uint64_t n = reached->maxima->n;
    for (uint64_t k = 0; k < n; k++) {
        uint32_t count = largest_count(reached->maxima, k, size, duration);
        reached->count[k] = reached->published ? (uint16_t)count : count;
    }
    qsort(reached->count, n, sizeof *reached->count, spk_rising_u32);
    if (reached->published && reached->count[n - 1] > LARGEST_PUBLISHED)
        for (uint64_t k = 0; k < n; k++)
            reached->count[k] = 0;
}

uint64_t spk_reached_n_above(const spk_reached *reached, uint64_t count)
{
    const uint64_t n = reached->maxima->n;
    return n - spk_first_u32(reached->count, 0, n, count);
}

uint32_t spk_reached_most(const spk_reached *reached)
{
    assert(reached->maxima->n > 0);
    return reached->count[reached->maxima->n - 1];
}

double spk_reached_p(const spk_reached *reached, uint64_t n_above)
{
    return (1 + (double)n_above) / (1 + (double)reached->maxima->n);
}

double spk_reached_p_published(const spk_reached *reached, uint64_t n_above)
{
    return (double)n_above / (double)reached->maxima->n;
}
