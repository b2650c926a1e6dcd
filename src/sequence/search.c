/* The search: pairs are ranked by the third units that gather about them; the best ones grow. */
#include <math.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "sequence/sequence.h"

/* Pairs whose third units are looked at, and pairs that grow. */
enum { MOST_SEEDS = 2000, MOST_GROWN = 32 };

/* Busy units coincide by chance hundreds of times, with hundreds of spikes of other units about
 * each time. So a pair is ranked by as many of its coincidences as have about so many spikes, by
 * LEAST_LOOKED at least; the best RANKED_TWICE are ranked again, by more. */
enum { LEAST_LOOKED = 64, RANKED_TWICE = 100 };
static const double first_spikes = 1e5, more_spikes = 1e6;

/* No further pair is ranked, and none grows, after so much work, counted as by
 * spk_sequence_work_ns. Where lags are long and units busy, a pair has far more spikes about so few
 * coincidences than it may have: there are fewer pairs then, the best of their correlograms. */
static const uint64_t most_ranking_ns = 2500000000, most_growth_ns = 1000000000;

/* Score of a third unit above which it counts for its pair. */
static const double least_third = 4;

/* A pair of about the same lag as that of two members is a part of what was found. */
static const double same_lag = SEQUENCE_CELLS / 2.0;

/* Share of occurrences in which a unit of a seed fires, to begin with. */
static const double first_share = 0.7;

/* Coincidences of the pair, into work->now.moments. Those of a burst are one. */
static spk_status find_coincidences(spk_context *context, sequence_work *work,
                                    const sequence_seed *seed)
{
    const sequence_axis *axis = work->axis;
    const uint64_t end = axis->first[seed->unit[1] + 1];
    uint64_t j = axis->first[seed->unit[1]];
    double last = -INFINITY;
    spk_status status = SPK_OK;
    work->now.moments.n = 0;
    for (uint64_t i = axis->first[seed->unit[0]];
         i < axis->first[seed->unit[0] + 1] && status == SPK_OK; i++) {
        const double expected = axis->at[i] + seed->lag;
        while (j < end && axis->at[j] < expected - seed->width)
            j++;
        if (j == end)
            break;
        /* Each of the two spikes lies half of the deviation from its place. */
        const double moment = axis->at[i] + (axis->at[j] - expected) / 2;
        if (axis->at[j] > expected + seed->width || moment - last < SEQUENCE_CELLS / 4.0)
            continue;
        last = moment;
        status = spk_sequence_moments_add(context, &work->now.moments, moment, 0);
    }
    return status;
}

/* Lags of further members. */
static sequence_range range_of(const sequence_axis *axis, const sequence_seed *seed)
{
    return (sequence_range){fmax(0, seed->lag) - axis->reach, fmin(0, seed->lag) + axis->reach, 0,
                            SEQUENCE_N_WIDTHS - 1};
}

static uint64_t spikes_about(const sequence_axis *axis, double at)
{
    const uint64_t low = spk_first_f64(axis->ordered, 0, axis->n, at - axis->reach);
    return spk_first_f64(axis->ordered, low, axis->n, at + axis->reach) - low;
}

/* Leaves as many moments as have so many spikes about them, evenly; the mean is that of a few. */
static void thin(const sequence_axis *axis, double spikes, sequence_moments *moments)
{
    const uint64_t n = moments->n;
    uint64_t about = 1;
    for (uint64_t k = 0; k < LEAST_LOOKED && n > LEAST_LOOKED; k++)
        about += spikes_about(axis, moments->at[k * n / LEAST_LOOKED]);
    const double most = fmax(1, spikes / (double)about) * LEAST_LOOKED;
    if ((double)n <= most)
        return;
    moments->n = (uint64_t)most;
    for (uint64_t k = 0; k < moments->n; k++)
        moments->at[k] = moments->at[k * n / moments->n];
}

/* The seed's score becomes that of its third units, about coincidences with so many spikes. */
static spk_status rank_seed(spk_context *context, sequence_work *work, double spikes,
                            sequence_seed *seed)
{
    sequence_range range = range_of(work->axis, seed);
    while (spk_sequence_width(range.first_width) < seed->width)
        range.first_width++;
    spk_status status = find_coincidences(context, work, seed);
    thin(work->axis, spikes, &work->now.moments);
    if (status == SPK_OK)
        status = spk_sequence_links_sum(context, work->axis, &work->now.moments, seed->unit, range,
                                        least_third, &work->scan, &seed->score);
    return status == SPK_OK ? spk_check_cancel(context) : status;
}

/* Of so many of them as the work allows, from the first one on; *n becomes their number. */
static spk_status rank_seeds(spk_context *context, sequence_work *work, double spikes,
                             sequence_seed *seed, uint64_t *n)
{
    const uint64_t end = spk_sequence_work_ns(work) + most_ranking_ns;
    uint64_t k = 0;
    spk_status status = SPK_OK;
    for (; k < *n && status == SPK_OK && spk_sequence_work_ns(work) < end; k++)
        status = rank_seed(context, work, spikes, &seed[k]);
    *n = k;
    if (status == SPK_OK && k > 0)
        qsort(seed, k, sizeof *seed, spk_sequence_compare_seeds);
    return status;
}

static spk_status grow_seed(spk_context *context, sequence_work *work, const sequence_seed *seed,
                            sequence_candidate *best)
{
    for (uint32_t k = 0; k < 2; k++)
        work->joined[k] = (sequence_member){.unit = seed->unit[k],
                                            .lag = k * seed->lag,
                                            .spread = seed->width / 1.6,
                                            .share = first_share,
                                            .score = INFINITY};
    spk_status status = find_coincidences(context, work, seed);
    if (status == SPK_OK)
        status = spk_sequence_begin(context, work, range_of(work->axis, seed), 2);
    return status == SPK_OK ? spk_sequence_grow(context, work, best) : status;
}

static bool is_part(const sequence_seed *seed, const sequence_candidate *c)
{
    const sequence_member *a = spk_sequence_member_find(c->member, c->n, seed->unit[0]);
    const sequence_member *b = spk_sequence_member_find(c->member, c->n, seed->unit[1]);
    return a != NULL && b != NULL && fabs(b->lag - a->lag - seed->lag) < same_lag;
}

spk_status spk_sequence_search(spk_context *context, sequence_work *work, sequence_candidate *best)
{
    sequence_seed *seed = NULL;
    uint64_t n = 0;
    int grown = 0;
    best->n = 0;
    best->moments.n = 0;
    best->statistic = 0;
    spk_status status =
        spk_sequence_seeds(context, work->axis, MOST_SEEDS, &seed, &n, &work->filter.touched);
    if (status == SPK_OK)
        status = rank_seeds(context, work, first_spikes, seed, &n);
    uint64_t n_again = n < RANKED_TWICE ? n : RANKED_TWICE;
    if (status == SPK_OK)
        status = rank_seeds(context, work, more_spikes, seed, &n_again);
    const uint64_t end = spk_sequence_work_ns(work) + most_growth_ns;
    /* A pair that is part of the best sequence so far would grow into it again. */
    for (uint64_t k = 0; k < n && grown < MOST_GROWN && status == SPK_OK; k++) {
        if (!(seed[k].score > 0) || spk_sequence_work_ns(work) > end)
            break;
        if (is_part(&seed[k], best))
            continue;
        status = grow_seed(context, work, &seed[k], best);
        grown++;
    }
    if (status == SPK_OK && best->n > 0)
        status = spk_sequence_split(context, work, best);
    spk_free(context, seed);
    return status;
}
