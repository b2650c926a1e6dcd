/*
 * What is in a recording before anybody searches it: rates, gaps, the grid of its times, and units
 * that a sorter may have got wrong.
 */
#ifndef SPIKEMINE_DESCRIBE_H
#define SPIKEMINE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- what is in it --------------------------------------------------------------------------- */

/* Whether rates can be those of neurons. Only a hint: nothing is refused for it. */
typedef enum spk_rate_doubt {
    SPK_RATES_PLAUSIBLE,
    SPK_RATES_ONE_TIME, /* all events have the same time */
    SPK_RATES_TOO_HIGH, /* of 20 events, the median unit fires more than 1000 times a second; or a
                           quarter of the intervals within units are shorter than 1 ms */
    SPK_RATES_TOO_LOW, /* of 100 events, it fires less than once in 1000 s; or less than once in 100
                          s, and no unit once in 10 s; of 3 units none once in 5 s, and less than 2
                          % of the intervals within units are shorter than 0.5 s */
    SPK_RATES_OF_DAYS  /* they can, but the recording lasts longer than a day, with 100 events */
} spk_rate_doubt;

/* A grid on which all times of a recording lie, as differences to the first one. It is that of
 * their greatest common divisor; or, when they are rounded decimals of multiples of 1/N s (0.0333,
 * 0.0667 at 30 Hz; N up to 100,000, a step of 8 ticks at least, 24 different times at least, all
 * rounded alike), that one. */
typedef struct spk_time_grid {
    spk_rate points_per_second; /* the step's inverse, in lowest terms; {0, 1}: there is none */
    uint64_t ticks;             /* greatest common divisor of the differences; 0: none */
    bool rounded;               /* the step is no multiple of a tick */
    double tolerance_s;         /* how far a difference may be from the grid; 0 unless rounded */
} spk_time_grid;

/* Finds it, in one pass over the events that ends early where there is none. */
SPK_API void spk_recording_find_grid(const spk_recording *recording, spk_time_grid *out);

/* A copy on its grid, where times are rounded multiples of a step: they become these multiples, and
 * bins and delays hold what they would hold without rounding. Else *out is NULL. Times that are
 * asked for later, as by spk_recording_cut, mean the point that was written so; and times are
 * written as they were. Readers of files and spk_recording_create_from_seconds do this by
 * themselves; it is for ticks that were rounded before spk_recording_create or spk_recording_take
 * got them. Errors: SPK_ERR_RANGE (64 bit do not hold the grid), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_on_grid(spk_context *context,
                                                        const spk_recording *recording,
                                                        spk_recording **out);

/* Writes a warning about the interval (lo, hi] of a delay, and what to write instead: where no
 * delay on the grid falls into it; where a bound lies so near to a point that it misses or divides
 * the delays there (33.333ms on a grid of 1/30 s). "" where all is well. Returns the length like
 * snprintf; 400 bytes always suffice. */
SPK_API size_t spk_time_grid_check_delay(const spk_time_grid *grid, spk_duration lo,
                                         spk_duration hi, char *buffer, size_t size);

/* The same for bins of each segment of the recording: bins that begin where rounded times lie,
 * drift against the grid, or hold now more, now fewer of its points. */
SPK_API size_t spk_time_grid_check_bins(const spk_time_grid *grid, const spk_recording *recording,
                                        spk_duration bin, char *buffer, size_t size);

/* A recording in numbers. Rates are events of all segments by the time observed; intervals and gaps
 * lie within a segment. Filled in by the library. */
typedef struct spk_recording_description {
    double tick_s;
    double duration_s;    /* observed: the lengths of all segments */
    double rate_total_hz; /* events a second; 0 in a recording without extent, as those below */
    double rate_unit_min_hz;
    double rate_unit_median_hz;
    double rate_unit_max_hz;
    uint32_t units_without_events;
    uint32_t units_with_few_events; /* 1 to 9 */
    spk_rate_doubt rate_doubt;
    double start_s; /* as given to the reader, also where that lies between two ticks */
    double stop_s;
    spk_time_grid grid;
    double longest_gap_s; /* between two events of any units; 0 where no segment has two events */
    double longest_gap_from_s;
    double shortest_interval_s; /* between two events of one unit; below 0 where there is none */
    uint32_t shortest_interval_unit;
    uint64_t intervals_below_1ms;
    uint64_t n_segments;
    double segment_shortest_s;
    double segment_longest_s;
    uint64_t events_in_segments; /* of each segment; more than n_events where some overlap */
    uint64_t n_trials;           /* that the segments are parts of, as they were given */
    uint64_t n_trials_left;      /* of which they are parts; nothing is left of the others */
    /* Silences of all units that look like the time between trials; 0: there are none. Each is so
     * long that at this rate chance makes 0.001 of them in the whole recording; there are 3 of
     * them at least, of one length but for what chance adds, and together they are 1 % of the time
     * or more. */
    uint64_t n_silences;
    double silence_s; /* mean length */
} spk_recording_description;

/* A unit in numbers. */
typedef struct spk_unit_description {
    uint64_t n_events; /* in all segments */
    double rate_hz;
    double first_s; /* its events, 0 where there is none */
    double last_s;
    double shortest_interval_s; /* below 0 with fewer than two events */
    uint64_t intervals_below_1ms;
} spk_unit_description;

/* Describes a recording in one pass over its events. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_describe(spk_context *context,
                                                         const spk_recording *recording,
                                                         spk_recording_description *out);

/* Describes one unit, all zero where there is none of this number. */
SPK_API void spk_recording_describe_unit(const spk_recording *recording, uint32_t unit,
                                         spk_unit_description *out);

/* ---- in sentences ---------------------------------------------------------------------------- */

/* Gets a sentence of UTF-8 without a full stop, which it must copy to keep. What it returns ends
 * the call with this status unless it is SPK_OK. */
typedef spk_status spk_sentence_sink(void *user, const char *text);

/* Tells in three sentences what is in the recording that `description` describes: its size, how
 * busy units are, and how much looks wrong. Without a context; errors are those of the sink, and a
 * NULL sink gets nothing. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_tell(const spk_recording *recording,
                                                     const spk_recording_description *description,
                                                     spk_sentence_sink *sink, void *user);

/* Tells in a sentence each what looks wrong, and nothing where all looks well. Likewise. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_tell_warnings(
    const spk_recording *recording, const spk_recording_description *description,
    spk_sentence_sink *sink, void *user);

/* ---- a wrong unit of time -------------------------------------------------------------------- */

/* Writes a warning where the recording has rates or a length that a wrong unit of time makes, such
 * as numbers of samples that were read as milliseconds; "" where it is plausible. 300 bytes always
 * suffice. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_check_times(spk_context *context,
                                                            const spk_recording *recording,
                                                            char *buffer, size_t size);

/* The same of a delay (lo, hi], with n 1, or of n bins (0, hi] that are a window of patterns: where
 * it lasts a second or more, and the median unit fires twice in it or it is a tenth of the
 * recording. Then nearly every unit follows every other one. Of recordings with 100 events or more,
 * and of no infinite delay. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_check_span(spk_context *context,
                                                           const spk_recording *recording,
                                                           spk_duration lo, spk_duration hi,
                                                           uint32_t n, char *buffer, size_t size);

/* The same of a jitter, or a dither, of surrogates: where it is 10 s or more, or a quarter of the
 * recording and a second or more. Then surrogates keep no change of rate. Of recordings with 100
 * events or more. Returns the length of the text. */
SPK_API size_t spk_recording_check_jitter(const spk_recording *recording, spk_duration jitter,
                                          char *buffer, size_t size);

/* The same of a bin of patterns, where times lie on a grid, as frames of a movie do: bins that are
 * no multiple of its step hold now more and now fewer of its points, so that counts and lags beat.
 * Says which bin to take. 400 bytes always suffice; returns the length of the text. */
SPK_API size_t spk_recording_check_bins(const spk_recording *recording, spk_duration bin,
                                        char *buffer, size_t size);

/* ---- what a sorter may have got wrong -------------------------------------------------------- */

/* Limits of the check of units. Initialise with spk_unit_check_options_init. */
typedef struct spk_unit_check_options {
    size_t struct_size;       /* set by spk_unit_check_options_init */
    spk_duration refractory;  /* intervals below this are short; 2 ms */
    spk_duration coincidence; /* two events at most this far apart coincide; 0.25 ms */
} spk_unit_check_options;

/* The limits named above. */
SPK_API void spk_unit_check_options_init(spk_unit_check_options *options, size_t struct_size);

/* A unit as the check sees it. Intervals are those between neighbouring events of the unit within a
 * segment. An event is shared with another unit when an event of that unit coincides with it;
 * `twin` is the unit that shares most events of this one (of several the first). A neuron that was
 * found twice shares nearly all its events; two that fire at random r1 and r2 times a second share
 * about 2 * coincidence * r2 of theirs. */
typedef struct spk_unit_check {
    uint64_t n_intervals;
    uint64_t n_short;   /* of them, below the refractory limit */
    double interval_cv; /* standard deviation by mean; below 0 with fewer than two intervals */
    uint32_t twin;      /* UINT32_MAX: no event is shared */
    uint64_t n_shared;  /* events of this unit that the twin shares */
} spk_unit_check;

/* Checks all units; `out` has an entry for each. Time: that of going through the events, times the
 * number of events that coincide with each. Errors: SPK_ERR_ARGUMENT (an infinite limit),
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_check_units(spk_context *context,
                                                            const spk_recording *recording,
                                                            const spk_unit_check_options *options,
                                                            spk_unit_check *out);

SPK_END_C

#endif
