/* Interval jitter: the null hypothesis of the exact test, all placements in fixed windows. */
#include "significance/surrogates/windows.h"

/* A number below `bound`, the same for all surrogates of a seed. */
static uint64_t draw_offset(uint64_t seed, uint64_t bound)
{
    spk_random random = spk_random_start(seed, SPK_RANDOM_SURROGATE_OFFSET, 0);
    return spk_random_below(&random, bound);
}

static spk_status prepare(spk_context *context, const spk_surrogate_options *options,
                          spk_surrogates *s)
{
    uint64_t n_bins = 0;
    if (options->bin.digits == 0) {
        spk_status status = spk_surrogate_prepare_dither(context, options, s);
        return status == SPK_OK ? spk_surrogate_find_tick_windows(
                                      context, options->dither, draw_offset(s->seed, s->dither), s)
                                : status;
    }
    spk_status status = spk_surrogate_count_bins(context, options, s->recording->rate, &n_bins);
    return status == SPK_OK ? spk_surrogate_find_bin_windows(context, options->bin, n_bins,
                                                             draw_offset(s->seed, n_bins), s)
                            : status;
}

const surrogate_method spk_surrogate_interval_jitter = {
    .facts =
        {.name = "interval-jitter",
         .summary = "spikes take other ticks, or bins, of fixed windows",
         .null_hypothesis =
             "given how many ticks (with a bin: bins) each unit takes in each window of the "
             "dither's length, all placements are equally likely and independent; the windows' "
             "offset is drawn once from the seed",
         .keeps = "the number of spikes of each unit in each window; with a bin, the number of "
                  "occupied bins there",
         .source = "Date, Bienenstock & Geman 1998; Amarasingham, Harrison, Hatsopoulos & Geman "
                   "2012",
         .warning = ""},
    .number = 3,
    .prepare = prepare,
    .make = spk_surrogate_place,
};
