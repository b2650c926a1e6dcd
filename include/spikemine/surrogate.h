/*
 * Surrogates: copies of a recording in which spikes were moved, so that fine temporal structure is
 * gone and what a null hypothesis names is kept. Patterns that are as frequent in surrogates as in
 * the recording are what chance makes of rates and intervals.
 *
 *     spk_surrogate_options options;
 *     spk_surrogate_options_init(&options, sizeof options);
 *     options.method = "trial-shifting";
 *     options.seed = 7;
 *     status = spk_surrogates_create(context, recording, &options, &surrogates);
 *     if (status == SPK_OK)
 *         status = spk_surrogates_make(context, surrogates, 1, &surrogate);
 *
 * Spikes move within their segment. Where segments overlap, they move between neighbouring borders
 * of any segments, so that each segment keeps what the method keeps. Displacements are whole ticks,
 * up to the whole ticks of the dither, both ends included. No two spikes of a unit get one tick: a
 * spike that would is drawn again.
 *
 * Random numbers are counter-based: surrogate k depends on seed, method, parameters, k and the
 * recording, never on threads or on the number of surrogates. Each unit has its own sequence in
 * each segment.
 */
#ifndef SPIKEMINE_SURROGATE_H
#define SPIKEMINE_SURROGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- methods --------------------------------------------------------------------------------- */

/* Facts about a method; all texts are static. */
typedef struct spk_surrogate_method {
    const char *name;
    const char *summary;         /* one line */
    const char *null_hypothesis; /* what its surrogates are draws from */
    const char *keeps;           /* of the recording, exactly or nearly */
    const char *source;          /* where it was published */
    const char *warning;         /* a known failure, "" for none */
} spk_surrogate_method;

/* Number of methods. */
SPK_API size_t spk_surrogate_method_count(void);

/* Method k, NULL beyond the last. */
SPK_API const spk_surrogate_method *spk_surrogate_method_get(size_t k);

/* ---- options --------------------------------------------------------------------------------- */

/* Initialise with spk_surrogate_options_init; pointers are borrowed for the call. */
typedef struct spk_surrogate_options {
    size_t struct_size;  /* set by spk_surrogate_options_init */
    const char *method;  /* "joint-isi-dithering"; '_' is taken for '-' */
    spk_duration dither; /* 15 ms: how far spikes move, or the length of windows */
    spk_duration bin;    /* width of a bin for bin-shuffling, and for interval-jitter,
                            pattern-jitter and shift-pieces in bins; 0: these in ticks */
    bool edges;          /* true: dither-spikes and dither-spike-train drop spikes that leave the
                            segment; false: these go to its end */
    spk_duration refractory; /* 4 ms: no shorter interval is made, unless the unit has one */
    /* Of joint-isi-dithering and isi-dithering: */
    spk_duration truncation; /* 100 ms: longer intervals are in no histogram */
    uint32_t n_bins;         /* 100: of the histogram, from 0 to the truncation */
    spk_duration sigma;      /* 2 ms: standard deviation of the smoothing; 0: none */
    bool alternate;          /* true: every other spike first, then the others */
    bool use_sqrt;           /* false: take the square root of the histogram's counts */
    bool fast;               /* false: spikes move up to the dither; true: up to their neighbours */
    bool cutoff;             /* true: smoothing leaves intervals below the refractory period out */
    uint64_t seed;           /* 0 */
    spk_duration history; /* of pattern-jitter and shift-pieces: spikes of a unit that follow each
                             other within it move together; negative: half the dither, and 4 times
                             the dither, or 8, 16 or 32 times where more than half of the units
                             keep time across longer pauses; by bins whole ones of it */
} spk_surrogate_options;

/* The defaults named above. */
SPK_API void spk_surrogate_options_init(spk_surrogate_options *options, size_t struct_size);

/* ---- surrogates ------------------------------------------------------------------------------ */

/* The dither to begin with where patterns of such bins are tested: 15 ms, or three bins where these
 * are longer. Spikes that hardly leave their bins keep the patterns. */
SPK_API spk_duration spk_surrogates_usual_dither(spk_duration bin);

/* What is the same for all surrogates of a recording, such as distributions of intervals. It
 * borrows the recording, which must outlive it, and never changes. Threads: any number may make
 * surrogates at the same time, each with a context of its own; free it when none does. */
typedef struct spk_surrogates spk_surrogates;

/* Prepares surrogates of a recording. Memory: 8 bytes for each event, up to 52 more for methods
 * with windows, and 40 for each unit in each segment that it fires in; with histograms of
 * intervals 4 * n_bins^2 bytes for each unit. Errors: SPK_ERR_ARGUMENT (an unknown method; a
 * dither below a tick, or below a bin where spikes move by bins; a missing or too short bin),
 * SPK_ERR_RANGE (durations that 64 bit do not hold in ticks, too many bins), SPK_ERR_MEMORY,
 * SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_surrogates_create(spk_context *context,
                                                        const spk_recording *recording,
                                                        const spk_surrogate_options *options,
                                                        spk_surrogates **out);

/* Makes surrogate k = 1, 2, ...: a recording with the same extent, segments, labels and rate. The
 * caller frees it. Memory: 16 bytes for each event, 12 more while it is made, and at most 48 bytes
 * for each spike of the unit that fires most. Errors: SPK_ERR_ARGUMENT (k is 0), SPK_ERR_MEMORY,
 * SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_surrogates_make(spk_context *context,
                                                      const spk_surrogates *surrogates, uint64_t k,
                                                      spk_recording **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_surrogates_free(spk_surrogates *surrogates);

SPK_END_C

#endif
