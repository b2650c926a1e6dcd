/* Options of surrogates, and what they are in ticks. */
#include "base/options.h"

#include "recording/clock.h"
#include "significance/surrogates/surrogates.h"

SPK_OPTIONS_INIT(spk_surrogate_options, .method = "joint-isi-dithering", .dither = {15, -3, 0},
                 .edges = true, .refractory = {4, -3, 0}, .truncation = {1, -1, 0}, .n_bins = 100,
                 .sigma = {2, -3, 0}, .alternate = true, .cutoff = true, .history = {-1, 0, 0});

spk_duration spk_surrogates_usual_dither(spk_duration bin)
{
    enum { BINS = 3 };
    spk_surrogate_options usual;
    spk_surrogate_options_init(&usual, sizeof usual);
    if (bin.digits <= 0 || bin.digits > INT64_MAX / BINS)
        return usual.dither;
    bin.digits *= BINS;
    return spk_duration_compare(bin, usual.dither) > 0 ? bin : usual.dither;
}

spk_status spk_surrogate_prepare_dither(spk_context *context, const spk_surrogate_options *options,
                                        spk_surrogates *surrogates)
{
    enum { ENOUGH_TICKS = 4 };
    const spk_rate rate = surrogates->recording->rate;
    char text[48], longer[48];
    spk_duration_format(options->dither, text, sizeof text);
    surrogates->dither = spk_duration_ticks(options->dither, rate);
    if (surrogates->dither == 0) {
        spk_duration enough =
            options->dither.digits > 0 ? options->dither : (spk_duration){1, -9, 0};
        while (spk_duration_ticks(enough, rate) < ENOUGH_TICKS)
            enough.exponent++;
        spk_duration_format(enough, longer, sizeof longer);
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a dither of %s is less than a tick of the recording, %.3g ms, so that no "
                        "spike would move; try dither %s",
                        text, 1e3 * spk_clock_seconds(1, rate), longer);
    }
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
