/*
 * The matched filter: at each cell t the log likelihood ratio of an occurrence whose lag 0 is
 * there. A member that fires with probability a, at a lag of density f, beside spikes at its rate r
 * adds
 *
 *     log(1 - a + a * sum over its spikes s of f(s - t) / r(s))
 *
 * so that a missing spike costs log(1 - a), and a burst counts about as one spike.
 *
 * Most cells have few members' spikes near them, and cannot be an occurrence:
 *
 *     block of cells     |  0  |  1  |  2  |  3  |  4  |
 *     member 1           |  .  |  .  | ooo |  .  |  .  |    o: one of its spikes reaches the block
 *     member 2           |  .  | ooo | ooo |  .  |  .  |
 *     at most            | -3  | -.5 | 4.1 | -3  | -3  |    a peak needs 2
 *     span                        [-----------]             block 2, and what reaches it
 *
 * Invariant: in a block outside of spans the sum is below the least peak, without any one member,
 * too; so spans lead to the same peaks as all cells would. Cost: for each member its spikes, a step
 * for each block, and the cells of spans.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "sequence/sequence.h"

/* Places within a cell that a spike is rounded to, and cells on both sides that it reaches. */
enum { PHASES = 4, MOST_REACH = 40 };

/* Cells of a block, and what a span has on both sides of its blocks: a spike that reaches beyond it
 * does not reach them. */
enum { BLOCK = 64, MARGIN = 2 * MOST_REACH + 2 };

/* What the bound of a block allows for rounding. */
static const double slack = 0.01;

/* No peak below it is an occurrence. Cells that are about as good as independent of each other. */
static const float least_peak = 2;
static const double independent_cells = 4;
static const double false_share = 0.5;

static const double root_two_pi = 2.5066282746310005;

spk_status spk_sequence_filter_create(spk_context *context, const sequence_axis *axis,
                                      sequence_filter *out)
{
    return spk_alloc_columns(
        context, "the filter of a sequence", SPK_COLUMN(&out->sum, axis->n_cells),
        SPK_COLUMN(&out->part, axis->n_cells), SPK_COLUMN(&out->bound, axis->n_cells / BLOCK + 1),
        SPK_COLUMN(&out->reached, axis->n_cells / BLOCK + 1),
        SPK_COLUMN(&out->span, axis->n_cells / BLOCK + 1));
}

void spk_sequence_filter_free(sequence_filter *filter)
{
    spk_free_all(filter->sum, filter->part, filter->bound, filter->reached, filter->span);
}

void spk_sequence_filter_widen(const sequence_axis *axis, sequence_filter *filter)
{
    filter->span[0] = (sequence_span){0, axis->n_cells};
    filter->n_spans = 1;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int kernels_of(const sequence_member *m, float kernel[PHASES][2 * MOST_REACH + 2])
{
    const double wide = ceil(3.5 * m->spread), scale = 1 / (m->spread * root_two_pi);
    const int reach = wide < MOST_REACH ? (int)wide : MOST_REACH;
    /* The last phase is the first one from behind, and so on. */
    for (int p = 0; p < PHASES / 2; p++)
        for (int j = 0; j < 2 * reach + 2; j++) {
            const double x = (j - reach - (p + 0.5) / PHASES) / m->spread;
            kernel[p][j] = (float)(scale * spk_portable_exp(-x * x / 2));
            kernel[PHASES - 1 - p][2 * reach + 1 - j] = kernel[p][j];
        }
    return reach;
}

/* A spike's kernel, and where on the axis it begins: below 0, and beyond the end, too. */
static double begin_of(const sequence_member *m, double spike, int reach, int *phase)
{
    const double at = spike - m->lag, cell = floor(at);
    *phase = (int)((at - cell) * PHASES);
    return cell - reach;
}

void spk_sequence_filter_part(const sequence_axis *axis, const sequence_member *m,
                              sequence_filter *filter)
{
    float kernel[PHASES][2 * MOST_REACH + 2], *part = filter->part;
    const int reach = kernels_of(m, kernel), length = 2 * reach + 2;
    const float share = (float)m->share, missing = 1 - share;
    const uint64_t end = axis->first[m->unit + 1];
    uint64_t i = axis->first[m->unit];
    for (uint64_t k = 0; k < filter->n_spans; k++) {
        const sequence_span s = filter->span[k];
        int phase;
        memset(part + s.start, 0, (s.stop - s.start) * sizeof *part);
        for (; i < end; i++) {
            const double begin = begin_of(m, axis->at[i], reach, &phase);
            if (begin + length > (double)s.stop)
                break;
            if (begin < (double)s.start)
                continue;
            const float weight = (float)(1 / axis->rate[i]);
            float *to = part + (uint64_t)begin;
            for (int j = 0; j < length; j++)
                to[j] += weight * kernel[phase][j];
        }
        for (uint64_t t = s.start; t < s.stop; t++)
            part[t] = spk_sequence_log(missing + share * part[t]);
        filter->touched += s.stop - s.start;
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* Adds to the bound of each block what the member says there at most. */
static void bound_part(const sequence_axis *axis, const sequence_member *m, uint64_t n_blocks,
                       sequence_filter *filter)
{
    const double wide = ceil(3.5 * m->spread), highest = 1 / (m->spread * root_two_pi);
    const int reach = wide < MOST_REACH ? (int)wide : MOST_REACH;
    int phase;
    memset(filter->reached, 0, n_blocks * sizeof *filter->reached);
    for (uint64_t i = axis->first[m->unit]; i < axis->first[m->unit + 1]; i++) {
        const double begin = begin_of(m, axis->at[i], reach, &phase);
        if (begin < 0 || begin + 2 * reach + 2 > (double)axis->n_cells)
            continue;
        const uint64_t last = ((uint64_t)begin + 2 * (uint64_t)reach + 1) / BLOCK;
        for (uint64_t b = (uint64_t)begin / BLOCK; b <= last; b++)
            filter->reached[b] += highest / axis->rate[i];
    }
    const double missing = spk_portable_log1p(-m->share), odds = m->share / (1 - m->share);
    for (uint64_t b = 0; b < n_blocks; b++)
        filter->bound[b] += filter->reached[b] > 0
                                ? missing + spk_portable_log1p(odds * filter->reached[b])
                                : missing;
}

static void find_spans(const sequence_axis *axis, const sequence_member *member, uint32_t n,
                       sequence_filter *filter)
{
    const uint64_t n_blocks = axis->n_cells / BLOCK + 1;
    double most = 0; /* that a member takes away */
    memset(filter->bound, 0, n_blocks * sizeof *filter->bound);
    for (uint32_t m = 0; m < n; m++) {
        bound_part(axis, &member[m], n_blocks, filter);
        most = fmax(most, -spk_portable_log1p(-member[m].share));
    }
    filter->touched += n * n_blocks;
    filter->n_spans = 0;
    for (uint64_t b = 0; b < n_blocks; b++) {
        if (filter->bound[b] + most + slack < (double)least_peak)
            continue;
        const uint64_t start = b * BLOCK > MARGIN ? b * BLOCK - MARGIN : 0;
        const uint64_t stop = (b + 1) * BLOCK + MARGIN;
        sequence_span *last = filter->span + filter->n_spans;
        if (filter->n_spans > 0 && start <= last[-1].stop)
            last[-1].stop = stop;
        else
            filter->span[filter->n_spans++] = (sequence_span){start, stop};
    }
    /* Blocks behind the last cell are dead, since nothing reaches them but what is missing. */
    for (uint64_t k = 0; k < filter->n_spans; k++)
        if (filter->span[k].stop > axis->n_cells)
            filter->span[k].stop = axis->n_cells;
}

void spk_sequence_filter_run(const sequence_axis *axis, const sequence_member *member, uint32_t n,
                             sequence_filter *filter)
{
    find_spans(axis, member, n, filter);
    for (uint64_t k = 0; k < filter->n_spans; k++)
        memset(filter->sum + filter->span[k].start, 0,
               (filter->span[k].stop - filter->span[k].start) * sizeof *filter->sum);
    for (uint32_t m = 0; m < n; m++) {
        spk_sequence_filter_part(axis, &member[m], filter);
        for (uint64_t k = 0; k < filter->n_spans; k++)
            for (uint64_t t = filter->span[k].start; t < filter->span[k].stop; t++)
                filter->sum[t] += filter->part[t];
    }
}

/* ---- peaks ----------------------------------------------------------------------------------- */

static int compare_down(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* exp(score) has mean 1 where there is no occurrence, so that at most cells / exp(s) cells reach s
 * by chance. As many peaks are kept as make this at most a share of them. */
static spk_status keep_likely(spk_context *context, double cells, sequence_moments *peaks)
{
    float *score = NULL;
    uint64_t n = 0, k = peaks->n;
    spk_status status = spk_alloc(context, &score, peaks->n, "occurrences");
    if (status != SPK_OK || peaks->n == 0)
        goto done;
    memcpy(score, peaks->score, peaks->n * sizeof *score);
    qsort(score, peaks->n, sizeof *score, compare_down);
    while (k > 0 && (double)score[k - 1] < spk_portable_log(cells / (false_share * (double)k)))
        k--;
    /* Of equal scores at the border all stay: their order in the recording must not matter. */
    for (uint64_t i = 0; i < peaks->n; i++)
        if (k > 0 && peaks->score[i] >= score[k - 1]) {
            peaks->at[n] = peaks->at[i];
            peaks->score[n++] = peaks->score[i];
        }
    peaks->n = n;
done:
    spk_free(context, score);
    return status;
}

/* A peak that is too near to the last one replaces it, where it is higher. */
static spk_status add_peak(spk_context *context, sequence_moments *out, double at, float score,
                           double apart)
{
    while (out->n > 0 && at - out->at[out->n - 1] < apart) {
        if (out->score[out->n - 1] >= score)
            return SPK_OK;
        out->n--;
    }
    return spk_sequence_moments_add(context, out, at, score);
}

/* Cells that are looked at together. */
enum { STRIDE = 32 };

/* Whether any cell may be a peak; without a branch, so that this loop becomes vectors. */
static bool is_high(const float *s, uint64_t start, uint64_t stop)
{
    int high = 0;
    for (uint64_t t = start; t < stop; t++)
        high |= s[t] > least_peak;
    return high != 0;
}

static spk_status add_peaks(spk_context *context, sequence_moments *out, const float *s,
                            uint64_t start, uint64_t stop, double apart)
{
    spk_status status = SPK_OK;
    for (uint64_t t = start; t < stop && status == SPK_OK; t++)
        if (s[t] > least_peak && s[t] >= s[t - 1] && s[t] > s[t + 1])
            status = add_peak(context, out, (double)t, s[t], apart);
    return status;
}

spk_status spk_sequence_filter_peaks(spk_context *context, const sequence_axis *axis,
                                     sequence_filter *filter, const sequence_member *without,
                                     double apart, sequence_moments *out)
{
    spk_status status = spk_check_cancel(context);
    float *s = without != NULL ? filter->part : filter->sum;
    if (without != NULL)
        spk_sequence_filter_part(axis, without, filter);
    out->n = 0;
    for (uint64_t k = 0; k < filter->n_spans && status == SPK_OK; k++) {
        const sequence_span span = filter->span[k];
        filter->touched += span.stop - span.start;
        for (uint64_t t = span.start; t < span.stop && without != NULL; t++)
            s[t] = filter->sum[t] - s[t];
        for (uint64_t t = span.start + 1; t + 1 < span.stop && status == SPK_OK; t += STRIDE) {
            const uint64_t end = t + STRIDE < span.stop ? t + STRIDE : span.stop - 1;
            if (is_high(s, t, end))
                status = add_peaks(context, out, s, t, end, apart);
        }
    }
    if (status == SPK_OK)
        status = keep_likely(context, axis->observed / independent_cells, out);
    return status;
}
