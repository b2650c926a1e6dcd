/* What tests of surrogates share; ticks are milliseconds. */
#pragma once

#include "spikemine/surrogate.h"

enum { TEST_SURROGATE_EVENTS = 300 }; /* at most */

/* The default options but for these. */
spk_surrogate_options test_surrogate_options(const char *method, int64_t dither_ms, uint64_t seed);

/* Surrogate k of a recording; the caller frees it. */
spk_recording *test_surrogate(const spk_recording *recording, const spk_surrogate_options *options,
                              uint64_t k);

/* A recording of one unit; the caller frees it. */
spk_recording *test_one_unit(uint64_t n, const int64_t *time, int64_t start, int64_t stop);
