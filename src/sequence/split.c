/*
 * Two sequences with members in common can look like one, in which half of the members are missing
 * each time. Then the occurrences fall into two halves by what is missing together: the sign of the
 * first principal component of the members' parts at the occurrences. Each half is grown anew. Two
 * sequences have statistics whose sum is larger than that of the mixture; the halves of one
 * sequence both grow into it again.
 */
#include <math.h>

#include "base/memory.h"
#include "sequence/sequence.h"

enum { POWER_ROUNDS = 30 };

/* The halves' statistics are together so many times that of the whole where one of them is taken.
 */
static const double least_gain = 1.25;

/* Parts of members (columns) at occurrences (rows), less the mean of the member. */
typedef struct parts {
    uint64_t n;
    uint32_t width;
    double *value;
    double *side;   /* by occurrence: the component */
    double *weight; /* by member */
} parts;

static spk_status parts_create(spk_context *context, sequence_work *work,
                               const sequence_candidate *c, parts *out)
{
    const uint64_t n = c->moments.n;
    *out = (parts){.n = n, .width = c->n};
    spk_status status =
        spk_alloc_columns(context, "parts of a sequence", SPK_COLUMN(&out->value, n * c->n),
                          SPK_COLUMN(&out->side, n), SPK_COLUMN(&out->weight, c->n));
    spk_sequence_filter_widen(work->axis, &work->filter);
    for (uint32_t m = 0; m < c->n && status == SPK_OK; m++) {
        double mean = 0;
        spk_sequence_filter_part(work->axis, &c->member[m], &work->filter);
        for (uint64_t k = 0; k < n; k++) {
            const double part = (double)work->filter.part[(uint64_t)c->moments.at[k]];
            out->value[k * c->n + m] = part;
            mean += part / (double)n;
        }
        for (uint64_t k = 0; k < n; k++)
            out->value[k * c->n + m] -= mean;
    }
    return status;
}

static void parts_free(spk_context *context, parts *p)
{
    spk_free(context, p->value);
    spk_free(context, p->side);
    spk_free(context, p->weight);
}

/* ---- the first principal component ----------------------------------------------------------- */

static void project(const parts *p)
{
    for (uint64_t k = 0; k < p->n; k++) {
        p->side[k] = 0;
        for (uint32_t m = 0; m < p->width; m++)
            p->side[k] += p->value[k * p->width + m] * p->weight[m];
    }
}

static void project_back(const parts *p)
{
    double norm = 0;
    for (uint32_t m = 0; m < p->width; m++) {
        p->weight[m] = 0;
        for (uint64_t k = 0; k < p->n; k++)
            p->weight[m] += p->side[k] * p->value[k * p->width + m];
        norm += p->weight[m] * p->weight[m];
    }
    for (uint32_t m = 0; m < p->width && norm > 0; m++)
        p->weight[m] /= sqrt(norm);
}

/* Begins with the member that varies most. */
static void find_component(const parts *p)
{
    uint32_t widest = 0;
    double most = -1;
    for (uint32_t m = 0; m < p->width; m++) {
        double sum = 0;
        for (uint64_t k = 0; k < p->n; k++)
            sum += p->value[k * p->width + m] * p->value[k * p->width + m];
        p->weight[m] = 0;
        widest = sum > most ? m : widest;
        most = fmax(most, sum);
    }
    p->weight[widest] = 1;
    for (int round = 0; round < POWER_ROUNDS; round++) {
        project(p);
        project_back(p);
    }
    project(p);
}

/* ---- halves ---------------------------------------------------------------------------------- */

/* Grows the occurrences on one side of the component. */
static spk_status grow_half(spk_context *context, sequence_work *work, const parts *p,
                            const sequence_candidate *whole, bool positive, sequence_candidate *out)
{
    const sequence_range range = spk_sequence_range_of(work->axis, whole->member, whole->n);
    spk_status status = spk_sequence_candidate_create(context, work->axis, out);
    work->now.moments.n = 0;
    for (uint64_t k = 0; k < p->n && status == SPK_OK; k++)
        if ((p->side[k] > 0) == positive)
            status = spk_sequence_moments_add(context, &work->now.moments, whole->moments.at[k], 0);
    if (status == SPK_OK)
        status = spk_sequence_begin(context, work, range, 0);
    return status == SPK_OK ? spk_sequence_grow(context, work, out) : status;
}

spk_status spk_sequence_split(spk_context *context, sequence_work *work, sequence_candidate *best)
{
    sequence_candidate half[2] = {{0}, {0}};
    parts p;
    spk_status status = parts_create(context, work, best, &p);
    if (status == SPK_OK)
        find_component(&p);
    for (int k = 0; k < 2 && status == SPK_OK; k++)
        status = grow_half(context, work, &p, best, k == 0, &half[k]);
    const sequence_candidate *larger = &half[half[1].statistic > half[0].statistic];
    if (status == SPK_OK && larger->n > 0 &&
        half[0].statistic + half[1].statistic > least_gain * best->statistic)
        status = spk_sequence_candidate_copy(context, larger, best);
    for (int k = 0; k < 2; k++)
        spk_sequence_candidate_free(&half[k]);
    parts_free(context, &p);
    return status;
}
