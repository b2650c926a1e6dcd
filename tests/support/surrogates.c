/* One surrogate of a small recording at a time. */
#include "support/surrogates.h"

#include "support/recordings.h"
#include "support/test.h"

spk_surrogate_options test_surrogate_options(const char *method, int64_t dither_ms, uint64_t seed)
{
    spk_surrogate_options options;
    spk_surrogate_options_init(&options, sizeof options);
    options.method = method;
    options.dither = in_ms(dither_ms);
    options.seed = seed;
    return options;
}

spk_recording *test_surrogate(const spk_recording *recording, const spk_surrogate_options *options,
                              uint64_t k)
{
    spk_context *context = NULL;
    spk_surrogates *surrogates = NULL;
    spk_recording *made = NULL;
    assert_int_equal(spk_context_create(&context), SPK_OK);
    if (spk_surrogates_create(context, recording, options, &surrogates) != SPK_OK)
        fail_msg("%s: %s", options->method, spk_context_message(context));
    assert_int_equal(spk_surrogates_make(context, surrogates, k, &made), SPK_OK);
    spk_surrogates_free(surrogates);
    spk_context_free(context);
    return made;
}

spk_recording *test_one_unit(uint64_t n, const int64_t *time, int64_t start, int64_t stop)
{
    static const uint32_t unit[TEST_SURROGATE_EVENTS] = {0};
    spk_recording *recording = NULL;
    assert_int_equal(test_recording_create(NULL, n, time, unit, 1, NULL, (spk_rate){1000, 1},
                                           &start, &stop, &recording),
                     SPK_OK);
    return recording;
}
