/* Options of surrogates, and what they are in ticks. */
#include "base/options.h"

#include "significance/surrogates/surrogates.h"

SPK_OPTIONS_INIT(spk_surrogate_options, .method = "joint-isi-dithering", .dither = {15, -3, 0},
                 .edges = true, .refractory = {4, -3, 0}, .truncation = {1, -1, 0}, .n_bins = 100,
                 .sigma = {2, -3, 0}, .alternate = true, .cutoff = true, .history = {-1, 0, 0});

spk_status spk_surrogate_prepare_dither(spk_context *context, const spk_surrogate_options *options,
                                        spk_surrogates *surrogates)
{
    char text[48];
    spk_duration_format(options->dither, text, sizeof text);
    surrogates->dither = spk_duration_ticks(options->dither, surrogates->recording->rate);
    if (surrogates->dither == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a jitter of %s is less than a tick of the recording, so that no spike "
                        "would move; take a longer one",
                        text);
    if (surrogates->dither > INT64_MAX)
        return spk_fail(context, SPK_ERR_RANGE,
                        "a jitter of %s is more ticks than 64 bit hold; take a shorter one", text);
    return SPK_OK;
}

spk_status spk_surrogate_prepare_nothing(spk_context *context, const spk_surrogate_options *options,
                                         spk_surrogates *surrogates)
{
    (void)context;
    (void)options;
    (void)surrogates;
    return SPK_OK;
}
