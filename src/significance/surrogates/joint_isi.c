/*
 * Dithering by the distribution of intervals: a spike moves between its neighbours so that the two
 * intervals beside it are drawn from the (joint) distribution of the unit, given their sum. It
 * moves by whole bins of the histogram. The first and the last spike of a segment stay.
 *
 * Beside the published program: its search skips the bin farthest to the left, which makes spikes
 * late on average; here both directions reach equally far. Where the refractory period divides a
 * bin, the program makes intervals shorter than it; here none is.
 */
#include "significance/surrogates/joint_isi.h"

#include <assert.h>

#include "base/bisect.h"
#include "significance/surrogates/refractory.h"

/* How far, in bins, an interval may shrink. */
static uint32_t spare_bins(const surrogate_intervals *d, uint64_t interval, uint64_t least)
{
    return surrogate_interval_bin(d, interval - least);
}

/* Moves a spike, *before and *after being its two intervals, uniformly: where the histogram says
 * nothing. */
static void move_uniformly(const spk_surrogates *s, uint64_t least, spk_random *random,
                           uint64_t *before, uint64_t *after)
{
    uint64_t left = *before - least < s->dither ? *before - least : s->dither;
    uint64_t right = *after - least < s->dither ? *after - least : s->dither;
    uint64_t drawn = spk_random_below(random, left + right + 1);
    *before = *before - left + drawn;
    *after = *after + left - drawn;
}

/* The least entry from low on whose cumulative weight passes `value`, at most high. */
static uint32_t search(const double *weight, uint32_t low, uint32_t high, double value)
{
    spk_bisect s = {low, high};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, weight[s.middle] <= value);
    return (uint32_t)s.low;
}

static void move_spike(const spk_surrogates *s, uint32_t unit, spk_random *random, uint64_t *before,
                       uint64_t *after)
{
    const surrogate_intervals *d = &s->intervals;
    uint64_t least = d->keeps_refractory ? s->refractory[unit] : 1;
    uint32_t bin = surrogate_interval_bin(d, *before), next = surrogate_interval_bin(d, *after);
    assert(*before >= least && *after >= least);
    if (bin + next >= d->n_bins) {
        move_uniformly(s, least, random, before, after);
        return;
    }
    uint32_t left = spare_bins(d, *before, least), right = spare_bins(d, *after, least);
    left = !d->fast && left > d->reach ? d->reach : left;
    right = !d->fast && right > d->reach ? d->reach : right;
    const double *weight = surrogate_diagonal(d, unit, bin + next);
    double base = bin > left ? weight[bin - left - 1] : 0, top = weight[bin + right];
    if (!(top > base)) {
        move_uniformly(s, least, random, before, after);
        return;
    }
    double value = base + spk_random_unit(random) * (top - base);
    uint32_t to = search(weight, bin - left, bin + right, value);
    *before = to > bin ? *before + d->step[to - bin] : *before - d->step[bin - to];
    *after = to > bin ? *after - d->step[to - bin] : *after + d->step[bin - to];
}

/* Every other spike, then those between; or all in order of time. */
static uint64_t dither_intervals(const spk_surrogates *s, const surrogate_run *run,
                                 spk_random *random, const surrogate_space *space, int64_t *out)
{
    const int64_t *time = s->time + run->first;
    uint64_t *interval = space->number; /* interval[i] lies before spike i */
    uint64_t n_rounds = s->intervals.alternate ? 2 : 1;
    for (uint64_t i = 1; i < run->n; i++)
        interval[i] = (uint64_t)time[i] - (uint64_t)time[i - 1];
    for (uint64_t round = 1; round <= n_rounds; round++)
        for (uint64_t i = round; i + 1 < run->n; i += n_rounds)
            move_spike(s, run->unit, random, &interval[i], &interval[i + 1]);
    out[0] = time[0];
    for (uint64_t i = 1; i < run->n; i++)
        out[i] = (int64_t)((uint64_t)out[i - 1] + interval[i]);
    assert(out[run->n - 1] == time[run->n - 1]);
    return run->n;
}

static spk_status prepare(spk_context *context, const spk_surrogate_options *options, bool joint,
                          spk_surrogates *s)
{
    spk_status status = spk_surrogate_prepare_dither(context, options, s);
    if (status == SPK_OK)
        status = spk_surrogate_prepare_refractory(context, options, s);
    return status == SPK_OK ? spk_surrogate_find_intervals(context, options, joint, s) : status;
}

static spk_status prepare_joint(spk_context *context, const spk_surrogate_options *options,
                                spk_surrogates *s)
{
    return prepare(context, options, true, s);
}

static spk_status prepare_single(spk_context *context, const spk_surrogate_options *options,
                                 spk_surrogates *s)
{
    return prepare(context, options, false, s);
}

const surrogate_method spk_surrogate_joint_isi_dithering = {
    .facts = {.name = "joint-isi-dithering",
              .summary = "spikes move so that pairs of successive intervals stay as likely",
              .null_hypothesis = "spikes have no timing finer than the dither, but for the joint "
                                 "distribution of successive intervals of each unit",
              .keeps =
                  "the number of spikes of each unit in each segment and their order; the first "
                  "and the last one; nearly the joint distribution of successive intervals; "
                  "the refractory period; the rate profile, smoothed over the dither",
              .source = "Gerstein 2004; Louis, Gerstein, Gruen & Diesmann 2010",
              .warning = SURROGATE_SPARSE_INTERVALS},
    .number = 10,
    .prepare = prepare_joint,
    .make = dither_intervals,
};

const surrogate_method spk_surrogate_isi_dithering = {
    .facts = {.name = "isi-dithering",
              .summary = "spikes move so that intervals stay as likely",
              .null_hypothesis = "spikes have no timing finer than the dither, but for the "
                                 "distribution of intervals of each unit",
              .keeps =
                  "the number of spikes of each unit in each segment and their order; the first "
                  "and the last one; nearly the distribution of intervals; the refractory "
                  "period; the rate profile, smoothed over the dither",
              .source =
                  "Gerstein 2004; Louis, Gerstein, Gruen & Diesmann 2010; Stella, Bouss, Palm "
                  "& Gruen 2022",
              .warning = SURROGATE_SPARSE_INTERVALS},
    .number = 11,
    .prepare = prepare_single,
    .make = dither_intervals,
};
