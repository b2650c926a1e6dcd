/*
 * From seconds in floating point to exact ticks. A time of a recording was a whole number once, of
 * samples or of decimals; dividing it by the rate rounded it. The clock is the grid on which all
 * times lie within that rounding:
 *
 *     1. the rate that the file declares, when all times fit it;
 *     2. else the coarsest of the grids of 1 s, 100 ms, ... 1 ns, of the usual sampling rates, and
 *        of the rates that the file hints at;
 *     3. else 1 ns, to which the times are rounded.
 */
#pragma once

#include "base/context.h"
#include "spikemine/recording.h"

typedef struct spk_clock_hints {
    const spk_rate *rate; /* n of them */
    size_t n;
    bool declared; /* rate[0] is the file's own: taken when the times fit */
    bool single;   /* the times were stored in 32 bit: their rounding is coarser */
} spk_clock_hints;

typedef enum spk_clock_origin {
    SPK_CLOCK_DECLARED,
    SPK_CLOCK_GRID,
    SPK_CLOCK_NANOSECOND /* no grid fits */
} spk_clock_origin;

typedef struct spk_clock {
    spk_rate rate;
    spk_clock_origin found;
    char origin[64]; /* for people: "a grid of 1/30000 s" */
    double worst_s;  /* how far any time lies from its tick */
    bool misfit;     /* a rate was declared, and a time lies misfit_s off it */
    double misfit_s;
    double rounding_s; /* how far the stored numbers may be off at the largest time */
} spk_clock;

/* Finds the clock of n times in any order. `hints` may be NULL. Without times it is the declared
 * rate, else 1 ns. Errors: SPK_ERR_FORMAT (NaN or infinite), SPK_ERR_RANGE (ticks that pass 64
 * bit); both name the index, and the caller puts the file's name in front. */
spk_status spk_clock_find(spk_context *context, const double *seconds, uint64_t n,
                          const spk_clock_hints *hints, spk_clock *out);

/* The nearest tick, halves away from zero, by integers alone; false when it is no time that a
 * recording can hold (below INT64_MIN, above INT64_MAX - 1, beyond 2^63 s, or not finite). */
bool spk_clock_tick(double seconds, spk_rate rate, int64_t *tick);

/* The other way: a tick as seconds in floating point. */
double spk_clock_seconds(int64_t ticks, spk_rate rate);

/* Turns n times into their nearest ticks where they stand: int64 in the place of each double.
 * Errors: SPK_ERR_RANGE, which names the index. */
spk_status spk_clock_ticks(spk_context *context, spk_rate rate, void *times, uint64_t n);

/* The rate as a fraction: a whole number, or one of at most nine decimals, within float rounding;
 * the second from the length of a step in seconds. False where there is none. */
bool spk_clock_rate_of(double per_second, spk_rate *out);
bool spk_clock_rate_of_step(double seconds, spk_rate *out);

/* Fills in the facts; tells in a note what was guessed. */
void spk_clock_facts(const spk_clock *clock, spk_recording_facts *facts);
void spk_clock_tell(spk_context *context, const char *name, const spk_clock *clock,
                    const spk_recording_facts *facts);
