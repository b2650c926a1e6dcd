/*
 * p of occurrences: the filter's best peak when its members move apart, each by a distance of its
 * own, again and again. p is the rank of an occurrence's score among these peaks, so that it takes
 * the whole recording into account. It is approximate: data chose the members, and the occurrence
 * has a part in their lags.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "sequence/sequence.h"

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
