/*
 * Growth: occurrences by the filter of the members, members by the occurrences, in turn.
 *
 *     members -> filter -> peaks, the occurrences -> links of all units -> members -> ...
 *
 * Invariant: a member's link is that of occurrences found without it, so that its own spikes do not
 * speak for it. Growth ends when the statistic does not rise, after MOST_ROUNDS at the latest; the
 * best round is kept. Cost of a round: the filter over the axis, its peaks once for each member,
 * and a link for each unit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "sequence/sequence.h"

enum { MOST_ROUNDS = 5 };

/* Score of a link with which a unit joins, and least distance of two occurrences, in cells. */
static const double least_score = 7;
static const double least_apart = SEQUENCE_CELLS / 4.0;

/* ---- candidates and room --------------------------------------------------------------------- */

spk_status spk_sequence_candidate_create(spk_context *context, const sequence_axis *axis,
                                         sequence_candidate *out)
{
    return spk_alloc(context, &out->member, axis->n_units, "members of a sequence");
}

spk_status spk_sequence_candidate_copy(spk_context *context, const sequence_candidate *from,
                                       sequence_candidate *to)
{
    spk_status status = spk_sequence_moments_copy(context, &from->moments, &to->moments);
    if (status != SPK_OK)
        return status;
    memcpy(to->member, from->member, from->n * sizeof *to->member);
    to->n = from->n;
    to->statistic = from->statistic;
    return SPK_OK;
}

void spk_sequence_candidate_free(sequence_candidate *candidate)
{
    free(candidate->member);
    spk_sequence_moments_free(&candidate->moments);
}

spk_status spk_sequence_work_create(spk_context *context, const sequence_axis *axis,
                                    sequence_work *out)
{
    out->axis = axis;
    spk_status status = spk_sequence_filter_create(context, axis, &out->filter);
    if (status == SPK_OK)
        status = spk_sequence_candidate_create(context, axis, &out->now);
    if (status == SPK_OK)
        status = spk_alloc(context, &out->joined, axis->n_units, "members of a sequence");
    return status;
}

void spk_sequence_work_free(sequence_work *work)
{
    spk_sequence_filter_free(&work->filter);
    spk_sequence_scan_free(&work->scan);
    spk_sequence_moments_free(&work->without);
    spk_sequence_candidate_free(&work->now);
    free(work->joined);
}

/* Of cells, and of spikes and lags of links. */
enum { CELL_NS = 2, LINK_NS = 6 };

uint64_t spk_sequence_work_ns(const sequence_work *work)
{
    return LINK_NS * work->scan.touched + CELL_NS * work->filter.touched;
}

/* ---- members --------------------------------------------------------------------------------- */

const sequence_member *spk_sequence_member_find(const sequence_member *member, uint32_t n,
                                                uint32_t unit)
{
    for (uint32_t m = 0; m < n; m++)
        if (member[m].unit == unit)
            return &member[m];
    return NULL;
}

static void find_span(const sequence_member *member, uint32_t n, double *low, double *high)
{
    *low = *high = n > 0 ? member[0].lag : 0;
    for (uint32_t m = 1; m < n; m++) {
        *low = fmin(*low, member[m].lag);
        *high = fmax(*high, member[m].lag);
    }
}

sequence_range spk_sequence_range_of(const sequence_axis *axis, const sequence_member *member,
                                     uint32_t n)
{
    double low, high;
    find_span(member, n, &low, &high);
    return (sequence_range){high - axis->reach, low + axis->reach, 0, SEQUENCE_N_WIDTHS - 1};
}

/* Half the span if lags lie evenly: the root of 3 times their standard deviation. The span itself
 * would be that of the farthest member, however doubtful. */
double spk_sequence_apart(const sequence_member *member, uint32_t n)
{
    double weight = 0, mean = 0, squares = 0;
    for (uint32_t m = 0; m < n; m++) {
        weight += member[m].share;
        mean += member[m].share * member[m].lag;
    }
    for (uint32_t m = 0; m < n; m++) {
        const double d = member[m].lag - mean / weight;
        squares += member[m].share * d * d;
    }
    return weight > 0 ? fmax(least_apart, sqrt(3 * squares / weight)) : least_apart;
}

static int compare_scores(const void *a, const void *b)
{
    const sequence_member *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->score, y->score), SPK_UP(x->unit, y->unit));
}

/* Of the units that would join the best ones that lie within reach of each other. Those of a pair,
 * whose score is infinite, made the moments, so that nothing can be fitted to these. */
static void take_members(sequence_work *work, uint32_t n_joined)
{
    sequence_candidate *c = &work->now;
    double low = INFINITY, high = -INFINITY;
    uint32_t n_pair = 0;
    if (n_joined > 1)
        qsort(work->joined, n_joined, sizeof *work->joined, compare_scores);
    c->n = 0;
    for (uint32_t k = 0; k < n_joined; k++) {
        const double a = fmin(low, work->joined[k].lag), b = fmax(high, work->joined[k].lag);
        if (b - a > work->axis->reach)
            continue;
        low = a, high = b;
        n_pair += isinf(work->joined[k].score) != 0;
        c->member[c->n++] = work->joined[k];
    }
    spk_sequence_fit(work->axis, &c->moments, c->member + n_pair, c->n - n_pair);
    spk_sequence_sort_members(c->member, c->n);
}

spk_status spk_sequence_begin(spk_context *context, sequence_work *work, sequence_range range,
                              uint32_t n_given)
{
    uint32_t n = n_given;
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < work->axis->n_units && status == SPK_OK; u++) {
        sequence_link link;
        if (spk_sequence_member_find(work->joined, n_given, u) != NULL)
            continue;
        status = spk_sequence_link_find(context, work->axis, &work->now.moments, u, range,
                                        &work->scan, &link);
        if (status == SPK_OK && link.score >= least_score)
            work->joined[n++] = spk_sequence_member_of(&link, u);
    }
    if (status == SPK_OK)
        take_members(work, n);
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static spk_status judge_unit(spk_context *context, sequence_work *work, uint32_t unit,
                             sequence_range range, double apart, sequence_link *link)
{
    const sequence_candidate *c = &work->now;
    const sequence_member *own = spk_sequence_member_find(c->member, c->n, unit);
    const sequence_moments *moments = own != NULL ? &work->without : &c->moments;
    spk_status status = own != NULL ? spk_sequence_filter_peaks(context, work->axis, &work->filter,
                                                                own, apart, &work->without)
                                    : SPK_OK;
    if (status == SPK_OK)
        status =
            spk_sequence_link_find(context, work->axis, moments, unit, range, &work->scan, link);
    return status;
}

static spk_status grow_once(spk_context *context, sequence_work *work)
{
    sequence_candidate *c = &work->now;
    const sequence_range range = spk_sequence_range_of(work->axis, c->member, c->n);
    const double apart = spk_sequence_apart(c->member, c->n);
    uint32_t n = 0;
    spk_sequence_filter_run(work->axis, c->member, c->n, &work->filter);
    spk_status status =
        spk_sequence_filter_peaks(context, work->axis, &work->filter, NULL, apart, &c->moments);
    /* A member is judged by occurrences that were found without it (judge_unit). */
    for (uint32_t u = 0; u < work->axis->n_units && status == SPK_OK; u++) {
        sequence_link link;
        status = judge_unit(context, work, u, range, apart, &link);
        if (status == SPK_OK && link.score >= least_score)
            work->joined[n++] = spk_sequence_member_of(&link, u);
    }
    if (status != SPK_OK)
        return status;
    take_members(work, n);
    /* Scores count from that with which a unit joins: who barely joins adds nothing. */
    c->statistic = 0;
    for (uint32_t m = 0; m < c->n; m++)
        c->statistic += c->member[m].score - least_score;
    return SPK_OK;
}

spk_status spk_sequence_grow(spk_context *context, sequence_work *work, sequence_candidate *best)
{
    double last = -INFINITY;
    spk_status status = SPK_OK;
    for (int round = 0; round < MOST_ROUNDS && status == SPK_OK; round++) {
        if (work->now.n < SEQUENCE_LEAST)
            break;
        status = grow_once(context, work);
        if (status != SPK_OK || work->now.n < SEQUENCE_LEAST || work->now.statistic <= last)
            break;
        last = work->now.statistic;
        /* What never occurs is no sequence, however well its members predict each other. */
        if (last > best->statistic && work->now.moments.n > 0)
            status = spk_sequence_candidate_copy(context, &work->now, best);
    }
    return status;
}
