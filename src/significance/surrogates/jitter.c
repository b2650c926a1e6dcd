/* Spikes that are placed anew within fixed windows: interval jitter, which is the null hypothesis
 * of the exact test, and the two methods of Elephant that are like it. */
#include "significance/surrogates/windows.h"

/* A number below `bound`, the same for all surrogates of a seed. */
static uint64_t draw_offset(uint64_t seed, uint64_t bound)
{
    spk_random random = spk_random_start(seed, SPK_RANDOM_SURROGATE_OFFSET, 0);
    return spk_random_below(&random, bound);
}

spk_status spk_surrogate_prepare_windows(spk_context *context, const spk_surrogate_options *options,
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
             "jitter's length, all placements are equally likely and independent; the windows' "
             "offset is drawn once from the seed",
         .keeps = "the number of spikes of each unit in each window; with a bin, the number of "
                  "occupied bins there",
         .source = "Date, Bienenstock & Geman 1998; Amarasingham, Harrison, Hatsopoulos & Geman "
                   "2012",
         .warning = "without a bin, " SURROGATE_LOSES_BINS},
    .number = 3,
    .prepare = spk_surrogate_prepare_windows,
    .make = spk_surrogate_place,
};

static spk_status prepare_ticks(spk_context *context, const spk_surrogate_options *options,
                                spk_surrogates *s)
{
    spk_status status = spk_surrogate_prepare_dither(context, options, s);
    return status == SPK_OK ? spk_surrogate_find_tick_windows(context, options->dither, 0, s)
                            : status;
}

const surrogate_method spk_surrogate_jitter_spikes = {
    .facts = {.name = "jitter-spikes",
              .summary = "spikes take other ticks of windows that begin with the segment",
              .null_hypothesis = "given the number of spikes of each unit in each window of the "
                                 "jitter's length, all placements are equally likely",
              .keeps = "the number of spikes of each unit in each window",
              .source =
                  "Date, Bienenstock & Geman 1998; Amarasingham, Harrison, Hatsopoulos & Geman "
                  "2012",
              .warning = SURROGATE_LOSES_BINS},
    .number = 5,
    .prepare = prepare_ticks,
    .make = spk_surrogate_place,
};

static spk_status prepare_shuffling(spk_context *context, const spk_surrogate_options *options,
                                    spk_surrogates *s)
{
    uint64_t n_bins = 0;
    spk_status status = spk_surrogate_count_bins(context, options, s->recording->rate, &n_bins);
    return status == SPK_OK
               ? spk_surrogate_find_bin_windows(context, options->bin, 2 * n_bins, 0, s)
               : status;
}

const surrogate_method spk_surrogate_bin_shuffling = {
    .facts = {.name = "bin-shuffling",
              .summary = "the bins of windows of twice the jitter are shuffled",
              .null_hypothesis = "given the number of occupied bins of each unit in each window of "
                                 "2 * floor(jitter / bin) bins, all placements are equally likely",
              .keeps = "the number of occupied bins, and of spikes, of each unit in each window",
              .source = "Stella, Bouss, Palm & Gruen 2022 (window shuffling)",
              .warning = ""},
    .number = 6,
    .prepare = prepare_shuffling,
    .make = spk_surrogate_place,
};
