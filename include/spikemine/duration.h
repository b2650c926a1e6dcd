/*
 * Exact durations: decimal seconds or fractions of them, never floating point. A duration becomes
 * ticks only together with a recording's tick rate, by integer arithmetic, so that a delay exactly
 * on a bound never flips.
 */
#ifndef SPIKEMINE_DURATION_H
#define SPIKEMINE_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"

SPK_BEGIN_C

/* digits * 10^exponent / divisor seconds; infinite when exponent is SPK_DURATION_INFINITE. A
 * decimal is {digits, exponent}: divisors 0 and 1 are none; digits have no trailing zeros, and zero
 * is {0, 0}. What is no decimal keeps the fraction that was written, or that of a clock: 8/30 s is
 * {8, 0, 30}, as are 8 ticks of 1/30 s, and equals {4, 0, 15}. */
typedef struct spk_duration {
    int64_t digits;
    int32_t exponent;
    uint32_t divisor;
} spk_duration;

#define SPK_DURATION_INFINITE INT32_MAX

/* Ticks per second as a fraction in lowest terms, both positive: 10 us ticks are {100000, 1}. */
typedef struct spk_rate {
    uint64_t numerator;
    uint64_t denominator;
} spk_rate;

/* Reads "5ms", "0.5 s", "250us", "1e-3s", "1/30s", "inf"; a number needs a unit (s, ms, us, ns)
 * unless it is zero or infinite. In N/D both are decimals, and D is above 0. `text` need not be
 * terminated; `length` bytes are read. Errors: SPK_ERR_FORMAT, SPK_ERR_RANGE (over 18 digits, or a
 * fraction that an spk_duration cannot hold exactly). */
SPK_API SPK_MUST_CHECK spk_status spk_duration_parse(spk_context *context, const char *text,
                                                     size_t length, spk_duration *out);

/* Reads a number of ticks a second, such as the samples of a recording: "30000", "24414.0625",
 * "390625/16". It is above 0; *out is in lowest terms. Errors: SPK_ERR_FORMAT, SPK_ERR_RANGE (over
 * 18 digits, or a fraction whose numbers pass 64 bit). */
SPK_API SPK_MUST_CHECK spk_status spk_rate_parse(spk_context *context, const char *text,
                                                 size_t length, spk_rate *out);

/* Writes the shortest exact form with unit s, ms, us or ns ("5ms", "1/30s", "0", "inf"); fractions
 * stay as they are ("8/30s", "8/30ms"). Always terminated; reading it gives an equal duration with
 * the same text. Returns the length it needs, like snprintf; 48 bytes always suffice. */
SPK_API size_t spk_duration_format(spk_duration duration, char *buffer, size_t size);

/* floor(duration * rate) in ticks. UINT64_MAX for infinite and for everything that large: no two
 * int64 times are further apart. Negative durations give 0. */
SPK_API uint64_t spk_duration_ticks(spk_duration duration, spk_rate rate);

/* The first tick that does not lie before `time`: ceil(time * rate), the nearest int64 where that
 * is outside. As a bound of a half-open stretch it selects the same events as the time itself. */
SPK_API int64_t spk_duration_first_tick(spk_duration time, spk_rate rate);

/* The time of a tick, exactly: false where an spk_duration does not hold it, which needs a rate of
 * many digits and a tick far from 0. */
SPK_API bool spk_duration_of_tick(int64_t tick, spk_rate rate, spk_duration *out);

/* -1, 0, 1: a is less than, equal to, more than b; exactly. Infinite ones are equal. */
SPK_API int spk_duration_compare(spk_duration a, spk_duration b);

SPK_END_C

#endif
