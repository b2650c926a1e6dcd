/*
 * Recording: events (unit, time) of one experiment, ordered by time.
 *
 * Times are int64 ticks; a tick is 1 / rate seconds (rate a fraction, spk_recording_rate). Units
 * are numbered 0 .. n_units-1 in the natural order of their labels ("2" before "10", "ch2" before
 * "ch10"), so comparing unit numbers compares labels. Events are sorted by (time, unit) and an
 * event of one unit at one time appears once.
 *
 * A recording is observed from its start to its stop, and stop is outside, as in every stretch of
 * time here: slices, trials, bins, surrogates and rates. Where no stop is given it is the last
 * event's tick + 1, so that INT64_MAX can be no event's time.
 *
 * A recording has one or more segments: trials, epochs, stretches between interruptions. Events
 * outside all of them are no part of it, and nothing crosses a segment's border: no occurrence, no
 * window, no interval, no surrogate. Counts are sums over segments. Segments may overlap; then an
 * event in two of them counts in each, though the columns have it once. A recording that nobody cut
 * has one segment, its extent.
 *
 * Each segment belongs to a trial. A trial has the number that it has in what was given, from 0
 * here and from 1 in files: the row of the list of trials, the place among the segments of a file.
 * What is cut later leaves less of a trial, perhaps in several segments, or nothing; the numbers
 * stay. A recording that nobody cut is one trial.
 *
 * A recording never changes after it was made.
 */
#ifndef SPIKEMINE_RECORDING_H
#define SPIKEMINE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"

SPK_BEGIN_C

/* Threads: any number may use one at the same time; free it when none does. */
typedef struct spk_recording spk_recording;

/* The columns: pointers into the recording, valid as long as it lives.
 * time[n_events] ticks, ascending; unit[n_events]; by_unit[n_events]: event numbers grouped by
 * unit, ascending within it; unit u owns by_unit[unit_first[u]] .. by_unit[unit_first[u + 1] - 1].
 */
typedef struct spk_events {
    uint64_t n_events;
    uint32_t n_units;
    const int64_t *time;
    const uint32_t *unit;
    const uint32_t *by_unit;
    const uint64_t *unit_first;
} spk_events;

/* A stretch of time: start <= t < stop, in ticks. */
typedef struct spk_segment {
    int64_t start;
    int64_t stop;
} spk_segment;

/* The same between exact times, which need not be ticks. */
typedef struct spk_time_range {
    spk_duration start;
    spk_duration stop;
} spk_time_range;

/* Facts that a reader found; all numbers count events. */
typedef struct spk_recording_facts {
    uint64_t lines;        /* data lines read (0 when not from text) */
    uint64_t duplicates;   /* events dropped: same unit, same time */
    uint64_t ties;         /* events that share their time with an earlier event */
    uint64_t outside;      /* events dropped by start, stop, segments or the unit list */
    bool sorted;           /* the input was in order of time */
    bool truncated_digits; /* some decimals were finer than a tick and were cut (floor) */
    char sha256[65];       /* digest of the input bytes as stored, "" when there is none */
    char clock[64];        /* where the ticks of times in floating point come from: "a grid of
                              1/30000s"; "" where times were exact */
    double clock_worst_s;  /* how far any of these times lies from its tick */
    char format[16];       /* name of the file's format (formats.h), "" when not from a file */
} spk_recording_facts;

/* Most events that one recording can hold (event numbers are 32 bit). */
#define SPK_MAX_EVENTS 4294967294u
/* Most units. */
#define SPK_MAX_UNITS 1000000u

/* Columns to make a recording from. Initialise with spk_recording_source_init. */
typedef struct spk_recording_source {
    size_t struct_size; /* set by spk_recording_source_init */
    uint64_t n_events;
    const int64_t *time;         /* n_events ticks, in any order, below INT64_MAX */
    const uint32_t *unit;        /* n_events numbers below n_units */
    uint32_t n_units;            /* units may have no event */
    const char *const *labels;   /* n_units distinct strings; NULL: "0", "1", ... */
    spk_rate rate;               /* ticks a second; no default */
    const int64_t *start;        /* first tick of the extent, NULL: the first event's */
    const int64_t *stop;         /* first tick behind it, NULL: the last event's + 1 */
    const spk_segment *segments; /* in any order; start and stop cut them, and events outside all of
                                  * them are dropped. NULL: the extent */
    size_t n_segments;
    const size_t *trial; /* of each segment, below n_trials. NULL: each is one, in this order */
    size_t n_trials;     /* without `trial` it says nothing */
    const spk_time_range *segment_times; /* instead of segments: exact times, which need not be
                                          * ticks */
} spk_recording_source;

/* No events, no units; the rate is missing. */
SPK_API void spk_recording_source_init(spk_recording_source *source, size_t struct_size);

/* Makes a recording; everything is copied. Errors: SPK_ERR_ARGUMENT (also an event before start or
 * at or after stop), SPK_ERR_RANGE (too many events or units, an event at INT64_MAX),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_create(spk_context *context,
                                                       const spk_recording_source *source,
                                                       spk_recording **out);

/* Called once, when the recording no longer reads the columns. */
typedef void spk_release_fn(void *owner);

/* Makes a recording that reads time and unit where they are. It adds 4 bytes for each event. The
 * columns must not change, and they pass to the recording with the call, also when it fails:
 * release(owner) is called exactly once. The thread that frees the recording calls it, or this
 * function before it returns, when it fails or had to copy. Columns are copied when they are not in
 * order of (time, unit), when they repeat an event, or when labels are not in natural order; a note
 * says so. The source and the labels are read only during the call. `release` may be NULL. Errors:
 * as spk_recording_create. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_take(spk_context *context,
                                                     const spk_recording_source *source,
                                                     spk_release_fn *release, void *owner,
                                                     spk_recording **out);

/* The same with times as floating point seconds, as most programs hand them over. Initialise with
 * spk_seconds_source_init. */
typedef struct spk_seconds_source {
    size_t struct_size; /* set by spk_seconds_source_init */
    uint64_t n_events;
    const double *time;        /* n_events seconds, in any order, finite */
    const uint32_t *unit;      /* n_events numbers below n_units */
    uint32_t n_units;          /* units may have no event */
    const char *const *labels; /* n_units distinct strings; NULL: "0", "1", ... */
    spk_rate rate;             /* of the samples that the times were made of; {0, 0}: unknown */
    bool single; /* the times were numbers of 32 bit before: their rounding is coarser */
    const spk_duration *start;      /* of the extent, NULL: the first event's; events before it are
                                       dropped */
    const spk_duration *stop;       /* behind it, NULL: behind the last event; others are dropped */
    const spk_time_range *segments; /* in any order; start and stop cut them; NULL: the extent */
    size_t n_segments;
} spk_seconds_source;

/* No events, no units, nothing known of the rate. */
SPK_API void spk_seconds_source_init(spk_seconds_source *source, size_t struct_size);

/* Makes a recording; everything is copied. Each time becomes the nearest tick of a clock: of the
 * rate that is given, where all times lie on it within float rounding; else of the coarsest grid
 * on which they do, of decimals (1 s .. 1 ns) and usual sampling rates; else of 1 ns. The facts and
 * a note tell which. Errors: SPK_ERR_ARGUMENT, SPK_ERR_FORMAT (a time that is NaN or infinite, with
 * its index), SPK_ERR_RANGE (too many events or units, a time that no tick of 64 bit holds),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_create_from_seconds(
    spk_context *context, const spk_seconds_source *source, spk_recording **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_recording_free(spk_recording *recording);

/* Its columns, its ticks per second, its extent in ticks, and the facts of its reader. */
SPK_API spk_events spk_recording_events(const spk_recording *recording);
SPK_API spk_rate spk_recording_rate(const spk_recording *recording);
SPK_API int64_t spk_recording_start(const spk_recording *recording);
SPK_API int64_t spk_recording_stop(const spk_recording *recording);
/* The segments, in which the recording was observed: *n of them, at least 1, in order of start,
 * then of stop; owned by the recording. They are disjoint unless it was made from segments that
 * overlap. */
SPK_API const spk_segment *spk_recording_segments(const spk_recording *recording, size_t *n);
/* The trials that the recording was cut into, of which nothing may be left; at least 1. */
SPK_API size_t spk_recording_trials(const spk_recording *recording);
/* The trial that segment k belongs to, from 0; 0 where there is no segment k. */
SPK_API size_t spk_recording_trial(const spk_recording *recording, size_t k);
/* The exact bounds of segment k, which need not be ticks: its first tick is the first one that does
 * not lie before out->start. Patterns count their bins from exactly there. False where there is no
 * segment k, or where an spk_duration cannot hold a bound (of ticks with a rate of many digits). */
SPK_API bool spk_recording_segment_times(const spk_recording *recording, size_t k,
                                         spk_time_range *out);
SPK_API const spk_recording_facts *spk_recording_get_facts(const spk_recording *recording);

/* Events of the whole recording, in all parts, where this is a part that spk_ranks_join_parts
 * joined; else n_events. */
SPK_API uint64_t spk_recording_whole_events(const spk_recording *recording);

/* Label of a unit, owned by the recording; NULL when out of range. Where all that were given are
 * whole numbers with ".0", as in tables of reals, labels lack it. */
SPK_API const char *spk_recording_label(const spk_recording *recording, uint32_t unit);

/* Number of the unit with this label, else of the one whose label means the same number ("38",
 * "38.0"); false when there is none. */
SPK_API bool spk_recording_find_unit(const spk_recording *recording, const char *label,
                                     uint32_t *unit);

/* Copy with the events of [start, stop) and, where n_units > 0, of these units only (others keep
 * neither events nor number). NULL start or stop: that of the recording. Segments are cut, too. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_slice(spk_context *context,
                                                      const spk_recording *recording,
                                                      const int64_t *start, const int64_t *stop,
                                                      uint32_t n_units, const uint32_t *units,
                                                      spk_recording **out);

/* Copy that was observed in n ranges of time only, which are its trials: range k is trial k.
 * Ranges come in any order and may touch or overlap; they are cut by the recording's own segments,
 * and by its start and stop where these were given, not where they are those of its events. What is
 * left of each is a segment or several, with exactly these bounds; a range without length leaves
 * nothing. Events outside all of them are dropped and counted in the facts (outside). Errors:
 * SPK_ERR_ARGUMENT (no range, one that stops before it starts, none that lies in the recording),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_cut(spk_context *context,
                                                    const spk_recording *recording, size_t n,
                                                    const spk_time_range *ranges,
                                                    spk_recording **out);

/* The same for a recording that nobody else needs: it passes to the call, also when that fails, and
 * its columns are used again, so that the copy takes no memory of its own. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_cut_take(spk_context *context,
                                                         spk_recording *recording, size_t n,
                                                         const spk_time_range *ranges,
                                                         spk_recording **out);

/* The same for ranges that are no trials, such as what is left without interruptions: what is left
 * of a trial stays a part of it. The ranges are the trials where the recording has no segments. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_restrict(spk_context *context,
                                                         const spk_recording *recording, size_t n,
                                                         const spk_time_range *ranges,
                                                         spk_recording **out);

/* The same for a recording that nobody else needs, as spk_recording_cut_take. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_restrict_take(spk_context *context,
                                                              spk_recording *recording, size_t n,
                                                              const spk_time_range *ranges,
                                                              spk_recording **out);

/* Reads a list of stretches of time, such as trials: one a line, start and stop as durations from
 * time 0 of the recording ("1.5s 3s", "1500ms 1/3s") or as numbers ("1.5 3") in the unit of the
 * recording's file: seconds, what its header or the caller of its reader said, or samples. '#'
 * begins a comment. Hand *ranges over to spk_recording_cut, or as spk_window_options.trial_times;
 * it has the order of the file, is malloc'ed, and free() frees it. Errors name file and line. */
SPK_API SPK_MUST_CHECK spk_status spk_intervals_read(spk_context *context,
                                                     const spk_recording *recording,
                                                     const char *path, spk_time_range **ranges,
                                                     size_t *n_ranges);

/* Copy with n_labels further units that never fire, so that units which the recording lacks can be
 * asked for. Errors: SPK_ERR_ARGUMENT (a label that is there already), SPK_ERR_RANGE (over
 * SPK_MAX_UNITS), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_add_units(spk_context *context,
                                                          const spk_recording *recording,
                                                          uint32_t n_labels,
                                                          const char *const *labels,
                                                          spk_recording **out);

/* Both in one: a new recording with the segments of `a`, then those of `b`, later by a whole number
 * of seconds, so that nothing of one overlaps the other. Units with the same label are one unit,
 * and ticks have a rate of which both rates are divisors. So counts, bins and occurrences in each
 * segment are those of the recording that it comes from. Errors: SPK_ERR_RANGE (over
 * SPK_MAX_EVENTS or SPK_MAX_UNITS, times that need more than 64 bits), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_join(spk_context *context, const spk_recording *a,
                                                     const spk_recording *b, spk_recording **out);

/* Checks every invariant of the columns (order, duplicates, index); for tests and fuzzers.
 * On failure *reason names the broken one (static text). */
SPK_API bool spk_recording_validate(const spk_recording *recording, const char **reason);

/* Writes a time in seconds as exact decimal. A time that has none in 24 decimals (one of 30 kHz
 * samples) is rounded down at 12, or more where the ticks are that short: its first tick, which is
 * what --start makes of it, is this tick again. Returns the length like snprintf; 48 bytes always
 * suffice. */
SPK_API size_t spk_recording_format_time(const spk_recording *recording, int64_t ticks,
                                         char *buffer, size_t size);

/* The same counted from the exact start of segment k. "" where there is no segment k. */
SPK_API size_t spk_recording_format_time_within(const spk_recording *recording, size_t k,
                                                int64_t ticks, char *buffer, size_t size);

/* ---- text files ------------------------------------------------------------------------------ */

typedef enum spk_time_unit {
    SPK_TIME_SECONDS,
    SPK_TIME_MILLISECONDS,
    SPK_TIME_MICROSECONDS,
    SPK_TIME_SAMPLES,
    SPK_TIME_GUESS /* what the header's name of the column says ("time_ms"), else seconds; a note
                      says so where that is not seconds */
} spk_time_unit;

typedef enum spk_columns {
    SPK_COLUMNS_GUESS, /* from header or content; a note says what was taken */
    SPK_COLUMNS_TIME_UNIT,
    SPK_COLUMNS_UNIT_TIME
} spk_columns;

/* A part of a recording by time, for one of n readers that share it (ranks.h). Each has the events
 * of its own stretch, and those before it that lie at most `reach` times `steps` earlier. */
typedef struct spk_read_part {
    int number; /* 0 .. n - 1, in order of time */
    int n;
    spk_duration reach; /* longest delay of an episode; may be infinite */
    uint32_t steps;     /* delays in an episode: one fewer than units */
} spk_read_part;

/* How to read a text recording. Initialise with spk_read_options_init. */
typedef struct spk_read_options {
    size_t struct_size; /* set by spk_read_options_init */
    spk_columns columns;
    spk_time_unit time_unit;
    uint64_t samples_per_second; /* with SPK_TIME_SAMPLES */
    bool sort;                   /* accept times that go backwards */
    const spk_duration *start;   /* keep events at or after, NULL: all */
    const spk_duration *stop;    /* keep events before, NULL: all */
    const char *units;           /* labels to keep, separated by commas, in quotes as in lists of
                                  * episodes where they hold one; NULL: all */
    spk_rate sample_rate;        /* with SPK_TIME_SAMPLES, instead of samples_per_second: a rate
                                    that may be no whole number; {0, 0}: not given */
    /* Of spk_recording_read (formats.h); all NULL: not given. Formats heed what makes sense. */
    const char *format;       /* its name; NULL: told by the content and the name */
    const char *time_column;  /* of tables: name, or number from 1; of arrays: name */
    const char *unit_column;  /* the same of the units */
    const char *label_column; /* the column whose values name the units */
    const char *row_filter;   /* which units, by the columns of their table: "quality==good" */
    const char *group;        /* which units of a sorting: "good", "mua", "all" */
    const char *unit_file;    /* file of the events' units, where the times have one of their own */
    /* Keep a part of the events only; the extent and the units are those of the whole. It goes with
     * text of two columns that is not compressed and whose times have digits that 64 bit hold, and
     * with arrays (npy, npz, phy, alf) whose times are stored as whole numbers. Events are in order
     * of time, with one segment, and start, stop, units and sort are not given; else the whole is
     * read. Hand the recording over to spk_ranks_join_parts before anything else is done with it.
     *
     * Of arrays each reader goes through all times and units, and keeps those of its part: it needs
     * no other reader. An npz archive, and what is compressed, is in memory while it is read.
     *
     * Text: where the context is that of rank `number` of `n` (spk_context_set_ranks), and the file
     * is opened by its name, reading is collective: each rank reads the head of the file and its
     * share of the bytes.
     *
     * What is wrong with the file is the same failure in all ranks. Of the facts lines and sha256
     * are those of the whole file, the others those of the part. */
    const spk_read_part *part;
    /* Of spk_recording_read: keep units with at least this rate, in events a second between the
     * start and the stop of what is read; 0: all. The facts count the events of the others as
     * outside, and a note names their number. With `part` the whole is read. SPK_ERR_ARGUMENT where
     * it is no number, below 0, or where no unit is left. */
    double min_rate_hz;
} spk_read_options;

/* Columns and unit of time guessed, in order of time, everything kept. */
SPK_API void spk_read_options_init(spk_read_options *options, size_t struct_size);

/* Reads two columns, time and unit, separated by blanks, tabs, commas or semicolons, with or
 * without a header line, '#' comments; plain or compressed (gzip, bzip2, xz, zstd); "-" is standard
 * input. Labels are UTF-8; in double quotes they may hold separators ("" stands for a quote). Times
 * that go backwards are an error naming the line unless options->sort; the message tells when the
 * file is merely grouped by unit. The tick is the finest decimal place written in the file
 * (trailing zeros count) that lets all times fit into int64, whatever the order of the lines;
 * digits beyond are cut (floor), which the facts and a note tell. A header that says ms or us is
 * believed; one that says samples is an error without their rate, and so is one that contradicts
 * options->time_unit. A note tells of units that fire less than once in 1000 s or more than 1000
 * times a second: the unit of time may be wrong. In samples the tick is one
 * sample. The recording extends from start to stop where given, and bins are counted from exactly
 * that start even where it lies between two ticks; else from the first event of the
 * file to behind the last one, of whatever unit. Units outside the list keep no number. Memory: at
 * the peak 16 bytes an event, 24 when it must be sorted. Errors: SPK_ERR_IO, SPK_ERR_FORMAT,
 * SPK_ERR_RANGE, SPK_ERR_ORDER, SPK_ERR_MEMORY, SPK_ERR_ARGUMENT (start not before stop, unknown
 * unit), SPK_ERR_UNAVAILABLE (compressed, built without libarchive). */
SPK_API SPK_MUST_CHECK spk_status spk_recording_read_text(spk_context *context, const char *path,
                                                          const spk_read_options *options,
                                                          spk_recording **out);

/* Writes "time_s<TAB>unit" lines that read back to the same recording; with commas where the name
 * ends in .csv. Where a tick is no decimal fraction of a second (30 kHz samples), the times are
 * ticks. Comments that the reader knows tell the rate, the segments and the units that never fire.
 * The file appears under its name only when complete. Errors: SPK_ERR_FORMAT (a label with control
 * bytes or not UTF-8), SPK_ERR_IO. */
SPK_API SPK_MUST_CHECK spk_status spk_recording_write_text(spk_context *context,
                                                           const spk_recording *recording,
                                                           const char *path);

SPK_END_C

#endif
