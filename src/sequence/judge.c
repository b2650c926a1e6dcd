/*
 * Judging members: every unit is judged by occurrences that were found without it, so that its own
 * spikes did not choose them. Data chose the other members, a unit's lag and its width, hence:
 *
 *   - Moved: each occurrence moves by some distance of its own, again and again. A unit's own p is
 *     the rank of its score among those about moved occurrences; q is its false discovery rate
 *     among all units (Benjamini & Hochberg 1995). p is the rank among the largest scores of all
 *     units that are no better: family-wise by steps (Westfall & Young 1993).
 *   - Split: one half of the occurrences, every other one, chooses lag and width; the other half
 *     tests them. Both halves take both parts, and p is twice the smaller of the two.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "base/tails.h"
#include "sequence/sequence.h"

enum { MOVES = 199 };

/* Cells that an occurrence moves by: so far that a member's own spikes are scattered over more than
 * what chance is taken from, and no further, since rates may change. */
static const double least_move = 2 * SEQUENCE_CELLS, most_move = 4 * SEQUENCE_CELLS;

/* A unit, and what is known of it. */
typedef struct judged {
    uint32_t unit;
    uint32_t lacks;     /* the occurrences that it is judged by: entry of judgement.without */
    sequence_link link; /* the best one */
    double by_chance;   /* score about moved occurrences, of one move */
    uint64_t n_alone;   /* moves that reach its score; */
    uint64_t n_of_all;  /* in which one of the units that are no better reaches it */
    double p;
    double q;
} judged;

typedef struct judgement {
    const sequence_axis *axis;
    sequence_range range;
    sequence_moments *without; /* occurrences: without each member, then with all */
    uint32_t n_without;
    sequence_moments some; /* moved ones, or a half */
    judged *unit;          /* from the best score down */
} judgement;

/* ---- scores ---------------------------------------------------------------------------------- */

static int compare_scores(const void *a, const void *b)
{
    const judged *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->link.score, y->link.score), SPK_UP(x->unit, y->unit));
}

static spk_status find_without(spk_context *context, sequence_work *work,
                               const sequence_candidate *c, judgement *j)
{
    const double apart = spk_sequence_apart(c->member, c->n);
    spk_status status = SPK_OK;
    spk_sequence_filter_run(j->axis, c->member, c->n, &work->filter);
    for (uint32_t m = 0; m <= c->n && status == SPK_OK; m++)
        status = spk_sequence_filter_peaks(context, j->axis, &work->filter,
                                           m < c->n ? &c->member[m] : NULL, apart, &j->without[m]);
    return status;
}

static spk_status find_scores(spk_context *context, sequence_work *work,
                              const sequence_candidate *c, judgement *j)
{
    spk_status status = SPK_OK;
    for (uint32_t u = 0; u < j->axis->n_units && status == SPK_OK; u++) {
        const sequence_member *own = spk_sequence_member_find(c->member, c->n, u);
        judged *unit = &j->unit[u];
        *unit = (judged){.unit = u, .lacks = own != NULL ? (uint32_t)(own - c->member) : c->n};
        status = spk_sequence_link_find(context, j->axis, &j->without[unit->lacks], u, j->range,
                                        &work->scan, &unit->link);
    }
    if (status == SPK_OK)
        qsort(j->unit, j->axis->n_units, sizeof *j->unit, compare_scores);
    return status;
}

/* ---- moved occurrences ----------------------------------------------------------------------- */

double spk_sequence_distance(spk_random *random)
{
    const double x = 2 * spk_random_unit(random) - 1;
    const double distance = least_move + (most_move - least_move) * fabs(x);
    return x < 0 ? -distance : distance;
}

static spk_status move(spk_context *context, const sequence_axis *axis,
                       const sequence_moments *from, spk_random *random, sequence_moments *to)
{
    spk_status status = spk_sequence_moments_copy(context, from, to);
    for (uint64_t k = 0; k < from->n && status == SPK_OK; k++)
        to->at[k] = spk_sequence_move(axis, from->at[k], spk_sequence_distance(random));
    return status;
}

/* One move: the scores by chance, and which units' own they reach, from the worst unit up. */
static spk_status move_once(spk_context *context, sequence_work *work, judgement *j, uint64_t seed,
                            uint64_t number)
{
    spk_random random = spk_random_start(seed, SPK_RANDOM_SEQUENCE_MOVE, number);
    spk_status status = spk_check_cancel(context);
    double largest = 0;
    for (uint32_t k = 0; k < j->axis->n_units && status == SPK_OK; k++) {
        judged *unit = &j->unit[k];
        sequence_link link = {0};
        status = move(context, j->axis, &j->without[unit->lacks], &random, &j->some);
        if (status == SPK_OK)
            status = spk_sequence_link_find(context, j->axis, &j->some, unit->unit, j->range,
                                            &work->scan, &link);
        unit->by_chance = link.score;
    }
    /* Units stand from the best score down. From the worst one up `largest` is that of all units
     * that are no better (Westfall and Young). */
    for (uint32_t k = j->axis->n_units; k-- > 0 && status == SPK_OK;) {
        judged *unit = &j->unit[k];
        largest = fmax(largest, unit->by_chance);
        unit->n_alone += unit->by_chance >= unit->link.score;
        unit->n_of_all += largest >= unit->link.score;
    }
    return status;
}

static int compare_alone(const void *a, const void *b)
{
    const judged *x = a, *y = b;
    return SPK_BY(SPK_UP(x->n_alone, y->n_alone), compare_scores(a, b));
}

static spk_status judge_by_moves(spk_context *context, sequence_work *work, judgement *j,
                                 uint64_t seed)
{
    const uint32_t n = j->axis->n_units;
    spk_status status = SPK_OK;
    double p = 0, q = 1;
    for (uint64_t k = 0; k < MOVES && status == SPK_OK; k++)
        status = move_once(context, work, j, seed, k);
    for (uint32_t k = 0; k < n; k++)
        j->unit[k].p = p = fmax(p, (double)(j->unit[k].n_of_all + 1) / (MOVES + 1));
    if (n > 0)
        qsort(j->unit, n, sizeof *j->unit, compare_alone);
    for (uint32_t k = n; k-- > 0;) {
        const double alone = (double)(j->unit[k].n_alone + 1) / (MOVES + 1);
        j->unit[k].q = q = fmin(q, alone * n / (k + 1));
    }
    if (n > 0)
        qsort(j->unit, n, sizeof *j->unit, compare_scores);
    return status;
}

/* ---- halves ---------------------------------------------------------------------------------- */

static spk_status take_half(spk_context *context, const sequence_moments *all, uint64_t half,
                            sequence_moments *out)
{
    spk_status status = SPK_OK;
    out->n = 0;
    for (uint64_t k = half; k < all->n && status == SPK_OK; k += 2)
        status = spk_sequence_moments_add(context, out, all->at[k], all->score[k]);
    return status;
}

/* p of one half at the lag and the width that the other one chose; 1 where either has nothing. */
static spk_status test_half(spk_context *context, sequence_work *work, judgement *j,
                            const judged *unit, uint64_t half, double *p)
{
    sequence_link link = {0};
    sequence_range range = j->range;
    *p = 1;
    for (int part = 0; part < 2; part++) {
        spk_status status =
            take_half(context, &j->without[unit->lacks], part == 0 ? 1 - half : half, &j->some);
        if (status == SPK_OK)
            status = spk_sequence_link_find(context, j->axis, &j->some, unit->unit, range,
                                            &work->scan, &link);
        if (status != SPK_OK || !(link.score > 0))
            return status;
        /* The first part has chosen lag and width from the other half; the second looks there
         * alone. */
        range = (sequence_range){link.lag, link.lag, 0, 0};
        while (spk_sequence_width(range.first_width) < link.width)
            range.first_width++;
        range.last_width = range.first_width;
    }
    *p = spk_portable_exp(fmax(-700, spk_binomial_log_tail(link.with - 1, link.n, link.chance)));
    return SPK_OK;
}

static spk_status judge_by_halves(spk_context *context, sequence_work *work, judgement *j,
                                  const judged *unit, double *p)
{
    double half[2] = {1, 1};
    spk_status status = test_half(context, work, j, unit, 0, &half[0]);
    if (status == SPK_OK)
        status = test_half(context, work, j, unit, 1, &half[1]);
    *p = fmin(1, 2 * fmin(half[0], half[1]));
    return status;
}

/* ---- all units ------------------------------------------------------------------------------- */

static bool stays(const judged *unit, const spk_sequence_options *options)
{
    return unit->link.score > 0 && (unit->p <= options->alpha || unit->q <= options->member_q);
}

/* The units that are members from now on, the best ones first, within reach of each other. */
static spk_status take_units(spk_context *context, sequence_work *work, judgement *j,
                             const spk_sequence_options *options, sequence_candidate *c,
                             sequence_verdict *verdict)
{
    double low = INFINITY, high = -INFINITY;
    spk_status status = SPK_OK;
    c->n = 0;
    for (uint32_t k = 0; k < j->axis->n_units && status == SPK_OK; k++) {
        const judged *unit = &j->unit[k];
        const double a = fmin(low, unit->link.lag), b = fmax(high, unit->link.lag);
        if ((k >= 2 && !stays(unit, options)) || b - a > j->axis->reach)
            continue;
        low = a, high = b;
        c->member[c->n] = spk_sequence_member_of(&unit->link, unit->unit);
        verdict[c->n] = (sequence_verdict){.p = unit->p, .q = unit->q};
        status = judge_by_halves(context, work, j, unit, &verdict[c->n].split_p);
        c->n++;
    }
    return status;
}

spk_status spk_sequence_judge(spk_context *context, sequence_work *work,
                              const spk_sequence_options *options, uint64_t seed,
                              sequence_candidate *candidate, sequence_verdict *verdict)
{
    judgement j = {.axis = work->axis,
                   .range = spk_sequence_range_of(work->axis, candidate->member, candidate->n),
                   .n_without = candidate->n + 1};
    /* Occurrences without each member, and those of all members for units that are none. */
    spk_status status = spk_alloc_columns(context, "members of a sequence",
                                          SPK_COLUMN_ZERO(&j.without, j.n_without),
                                          SPK_COLUMN(&j.unit, work->axis->n_units));
    if (status == SPK_OK)
        status = find_without(context, work, candidate, &j);
    if (status == SPK_OK)
        status = find_scores(context, work, candidate, &j);
    if (status == SPK_OK)
        status = judge_by_moves(context, work, &j, seed);
    if (status == SPK_OK)
        status = take_units(context, work, &j, options, candidate, verdict);
    for (uint32_t m = 0; j.without != NULL && m < j.n_without; m++)
        spk_sequence_moments_free(&j.without[m]);
    spk_sequence_moments_free(&j.some);
    free(j.without);
    free(j.unit);
    return status;
}

/* ---- p of occurrences ------------------------------------------------------------------------ */

enum { COPIES = 99 };

static double best_peak(const sequence_filter *filter)
{
    float best = -INFINITY;
    for (uint64_t k = 0; k < filter->n_spans; k++)
        for (uint64_t t = filter->span[k].start; t < filter->span[k].stop; t++)
            best = filter->sum[t] > best ? filter->sum[t] : best;
    return (double)best;
}

spk_status spk_sequence_rank(spk_context *context, sequence_work *work, const sequence_candidate *c,
                             uint64_t seed, double *p)
{
    sequence_member *apart = work->joined;
    spk_status status = SPK_OK;
    for (uint64_t k = 0; k < c->moments.n; k++)
        p[k] = 1.0 / (COPIES + 1);
    for (uint64_t copy = 0; copy < COPIES && status == SPK_OK; copy++) {
        spk_random random = spk_random_start(seed, SPK_RANDOM_SEQUENCE_RANK, copy);
        memcpy(apart, c->member, c->n * sizeof *apart);
        for (uint32_t m = 0; m < c->n; m++)
            apart[m].lag += spk_sequence_distance(&random);
        spk_sequence_filter_run(work->axis, apart, c->n, &work->filter);
        const double best = best_peak(&work->filter);
        for (uint64_t k = 0; k < c->moments.n; k++)
            p[k] += best >= (double)c->moments.score[k] ? 1.0 / (COPIES + 1) : 0;
        status = spk_check_cancel(context);
    }
    return status;
}
