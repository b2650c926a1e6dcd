/*
 * Times and lengths as fractions of ticks, exactly: what durations become when they are no whole
 * number of ticks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/duration.h"

/* Greatest common divisor; that of 0 and a number is the number. */
static inline unsigned __int128 spk_greatest_divisor(unsigned __int128 a, unsigned __int128 b)
{
    while (b != 0) {
        unsigned __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The whole number next to numerator / denominator, of two the larger; the denominator is positive,
 * and both are below 2^125. */
static inline __int128 spk_round_quotient(__int128 numerator, __int128 denominator)
{
    __int128 doubled = 2 * numerator + denominator;
    return doubled / (2 * denominator) - (doubled < 0 && doubled % (2 * denominator) != 0);
}

/* The least common multiple of two positive numbers; false when it passes INT64_MAX. */
bool spk_least_multiple(uint64_t a, uint64_t b, uint64_t *out);

/* A moment between two ticks: tick - part / parts, with 0 <= part < parts, in lowest terms. `tick`
 * is the first one that does not lie before the moment. */
typedef struct spk_moment {
    int64_t tick;
    uint64_t part;
    uint64_t parts;
} spk_moment;

/* The moment of a time, which may be negative; what int64 ticks do not reach becomes the nearest
 * tick. False when `parts` passes INT64_MAX: the time has too many digits. */
bool spk_moment_of(spk_duration time, spk_rate rate, spk_moment *out);

/* A length above 0 as numerator / denominator ticks in lowest terms, both at most INT64_MAX; false
 * where they do not fit. */
bool spk_length_of(spk_duration length, spk_rate rate, uint64_t *numerator, uint64_t *denominator);

/* In lowest terms: equal durations have the same members. The divisor is without the factors 2 and
 * 5, which become decimals of the digits as far as these fit; it is 0 when that leaves 1. */
spk_duration spk_duration_reduce(spk_duration duration);

/* About so many seconds, HUGE_VAL where infinite: for hints and figures, never for counts. */
double spk_duration_seconds(spk_duration duration);

/* time + seconds, in the form that durations have; false where it does not fit. */
bool spk_duration_add_seconds(spk_duration time, int64_t seconds, spk_duration *out);

/* Writes numerator / denominator (the latter from 1 to 2^123) as decimal: exactly where it has at
 * most 24 decimals, else rounded down after `decimals` (at most 24). Always terminated; returns the
 * length like snprintf; 48 bytes always suffice, for which numbers of more than 21 digits before
 * the point lose decimals. */
size_t spk_fraction_format(__int128 numerator, unsigned __int128 denominator, int decimals,
                           char *buffer, size_t size);
