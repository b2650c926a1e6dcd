/*
 * Judging members. The occurrences that a member is judged by were found without it, so that its
 * own spikes did not choose them. Two p-values, since data chose the other members, its lag and its
 * width:
 *
 *   - Moved: each occurrence moves by some distance of its own, again and again. p is the rank of
 *     the member's score among the largest ones over all units that are no better, and all lags:
 *     family-wise by steps (Westfall & Young 1993).
 *   - Split: one half of the occurrences, every other one, chooses lag and width; the other half
 *     tests them. Both halves take both parts, and p is twice the smaller of the two.
 */
#include <math.h>
#include <stdlib.h>

#include "base/binomial.h"
#include "base/memory.h"
#include "base/random.h"
#include "sequence/sequence.h"

enum { MOVES = 199 };

/* Cells that an occurrence moves by: so far that a member's own spikes are scattered over more than
 * what chance is taken from, and no further, since rates may change. */
static const double least_move = 2 * SEQUENCE_CELLS, most_move = 4 * SEQUENCE_CELLS;

/* Occurrences by what they were found without: entry k lacks member k, the last one none. */
typedef struct judgement {
    const sequence_candidate *candidate;
    sequence_range range;
    sequence_anchors *without;
    sequence_anchors moved;
    double *score;     /* by member */
    uint32_t *order;   /* members from the best score down */
    double *by_chance; /* by unit: about moved occurrences */
} judgement;

/* ---- moved occurrences ----------------------------------------------------------------------- */

static spk_status move(spk_context *context, const sequence_axis *axis,
                       const sequence_anchors *from, spk_random *random, sequence_anchors *to)
{
    spk_status status = spk_sequence_anchors_copy(context, from, to);
    for (uint64_t k = 0; k < from->n && status == SPK_OK; k++) {
        const double x = 2 * spk_random_unit(random) - 1;
        const double distance = least_move + (most_move - least_move) * fabs(x);
        to->at[k] = spk_sequence_move(axis, from->at[k], x < 0 ? -distance : distance);
    }
    return status;
}

/* The best score of each unit over all lags, about occurrences that are moved anew for each. */
static spk_status move_all(spk_context *context, sequence_work *work, judgement *j, uint64_t seed,
                           uint64_t number)
{
    const sequence_candidate *c = j->candidate;
    spk_random random = spk_random_start(seed, SPK_RANDOM_SEQUENCE_MOVE, number);
    spk_status status = spk_check_cancel(context);
    for (uint32_t u = 0; u < work->axis->n_units && status == SPK_OK; u++) {
        const sequence_member *own = spk_sequence_member_find(c->member, c->n, u);
        const uint32_t lacks = own != NULL ? (uint32_t)(own - c->member) : c->n;
        sequence_link link = {0};
        status = move(context, work->axis, &j->without[lacks], &random, &j->moved);
        if (status == SPK_OK)
            status = spk_sequence_link_find(context, work->axis, &j->moved, u, j->range,
                                            &work->scan, &link);
        j->by_chance[u] = link.score;
    }
    return status;
}

/* Counts for each member, from the worst one up, whether its score is reached by one of the units
 * that are no better than it. */
static void count_as_large(const judgement *j, uint32_t n_units, sequence_verdict *verdict)
{
    const sequence_candidate *c = j->candidate;
    double largest = 0;
    for (uint32_t u = 0; u < n_units; u++)
        if (spk_sequence_member_find(c->member, c->n, u) == NULL)
            largest = fmax(largest, j->by_chance[u]);
    for (uint32_t k = c->n; k-- > 0;) {
        const uint32_t m = j->order[k];
        largest = fmax(largest, j->by_chance[c->member[m].unit]);
        verdict[m].p += largest >= j->score[m];
    }
}

/* From the best score down; members are in order of their lags, so that equal ones are, too. */
static void find_order(judgement *j)
{
    for (uint32_t m = 0; m < j->candidate->n; m++) {
        uint32_t k = m;
        for (; k > 0 && j->score[j->order[k - 1]] < j->score[m]; k--)
            j->order[k] = j->order[k - 1];
        j->order[k] = m;
    }
}

static spk_status judge_by_moves(spk_context *context, sequence_work *work, judgement *j,
                                 uint64_t seed, sequence_verdict *verdict)
{
    spk_status status = SPK_OK;
    const uint32_t n = j->candidate->n;
    find_order(j);
    for (uint32_t m = 0; m < n; m++)
        verdict[m].p = 1;
    for (uint64_t k = 0; k < MOVES && status == SPK_OK; k++) {
        status = move_all(context, work, j, seed, k);
        count_as_large(j, work->axis->n_units, verdict);
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t m = j->order[k];
        verdict[m].p /= MOVES + 1;
        if (k > 0)
            verdict[m].p = fmax(verdict[m].p, verdict[j->order[k - 1]].p);
    }
    return status;
}

/* ---- halves ---------------------------------------------------------------------------------- */

static spk_status take_half(spk_context *context, const sequence_anchors *all, uint64_t half,
                            sequence_anchors *out)
{
    spk_status status = SPK_OK;
    out->n = 0;
    for (uint64_t k = half; k < all->n && status == SPK_OK; k += 2)
        status = spk_sequence_anchors_add(context, out, all->at[k], all->score[k]);
    return status;
}

/* p of one half at the lag and the width that the other one chose; 1 where either has nothing. */
static spk_status test_half(spk_context *context, sequence_work *work, judgement *j, uint32_t m,
                            uint64_t half, double *p)
{
    const uint32_t unit = j->candidate->member[m].unit;
    sequence_link link = {0};
    *p = 1;
    spk_status status = take_half(context, &j->without[m], 1 - half, &j->moved);
    if (status == SPK_OK)
        status = spk_sequence_link_find(context, work->axis, &j->moved, unit, j->range, &work->scan,
                                        &link);
    if (status != SPK_OK || !(link.score > 0))
        return status;
    sequence_range chosen = {link.lag, link.lag, 0, 0};
    while (spk_sequence_width(chosen.first_width) < link.width)
        chosen.first_width++;
    chosen.last_width = chosen.first_width;
    status = take_half(context, &j->without[m], half, &j->moved);
    if (status == SPK_OK)
        status = spk_sequence_link_find(context, work->axis, &j->moved, unit, chosen, &work->scan,
                                        &link);
    if (status == SPK_OK && link.score > 0)
        *p = spk_portable_exp(fmax(-700, spk_binomial_log_tail(link.with - 1, link.n, link.chance)));
    return status;
}

static spk_status judge_by_halves(spk_context *context, sequence_work *work, judgement *j,
                                  sequence_verdict *verdict)
{
    spk_status status = SPK_OK;
    for (uint32_t m = 0; m < j->candidate->n && status == SPK_OK; m++) {
        double p[2];
        status = test_half(context, work, j, m, 0, &p[0]);
        if (status == SPK_OK)
            status = test_half(context, work, j, m, 1, &p[1]);
        if (status == SPK_OK)
            verdict[m].split_p = fmin(1, 2 * fmin(p[0], p[1]));
    }
    return status;
}

/* ---- all members ----------------------------------------------------------------------------- */

static spk_status find_without(spk_context *context, sequence_work *work, judgement *j)
{
    const sequence_candidate *c = j->candidate;
    const double apart = spk_sequence_apart(c->member, c->n);
    spk_status status = SPK_OK;
    spk_sequence_filter_run(work->axis, c->member, c->n, &work->filter);
    for (uint32_t m = 0; m <= c->n && status == SPK_OK; m++) {
        status = spk_sequence_filter_peaks(context, work->axis, &work->filter,
                                           m < c->n ? &c->member[m] : NULL, apart, &j->without[m]);
        sequence_link link;
        if (status == SPK_OK && m < c->n)
            status = spk_sequence_link_find(context, work->axis, &j->without[m], c->member[m].unit,
                                            j->range, &work->scan, &link);
        if (status == SPK_OK && m < c->n)
            j->score[m] = link.score;
    }
    return status;
}

spk_status spk_sequence_judge(spk_context *context, sequence_work *work,
                              const sequence_candidate *candidate, uint64_t seed,
                              sequence_verdict *verdict)
{
    judgement j = {.candidate = candidate,
                   .range = spk_sequence_range_of(work->axis, candidate->member, candidate->n)};
    spk_status status = spk_alloc_columns(context, "members of a sequence",
                                          SPK_COLUMN_ZERO(&j.without, candidate->n + 1ULL),
                                          SPK_COLUMN(&j.score, candidate->n),
                                          SPK_COLUMN(&j.order, candidate->n),
                                          SPK_COLUMN(&j.by_chance, work->axis->n_units));
    if (status == SPK_OK)
        status = find_without(context, work, &j);
    if (status == SPK_OK)
        status = judge_by_moves(context, work, &j, seed, verdict);
    if (status == SPK_OK)
        status = judge_by_halves(context, work, &j, verdict);
    for (uint32_t m = 0; j.without != NULL && m <= candidate->n; m++)
        spk_sequence_anchors_free(&j.without[m]);
    spk_sequence_anchors_free(&j.moved);
    free(j.without);
    free(j.score);
    free(j.order);
    free(j.by_chance);
    return status;
}
