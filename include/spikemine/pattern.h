/*
 * Spatio-temporal spike patterns (SPADE): binning, windows, closed frequent patterns.
 *
 * A recording is cut into bins. One window starts at every bin in which some unit fires; window w
 * covers the bins w .. w + length - 1. An item is unit * length + lag: the unit fires `lag` bins
 * after the start of the window. A pattern is a set of items, at least one of them with lag 0. Its
 * count is the number of windows that contain it, its size is the number of its items (spikes), and
 * its duration is the largest lag. A pattern is closed when no proper superset of any size has the
 * same count. Mining reports the closed patterns whose count reaches the support and which lie
 * within the limits on size and on the number of distinct units.
 * Source: Porrmann et al., "Acceleration of the SPADE method using a custom-tailored FP-Growth
 * implementation" (2021); every engine returns the same patterns.
 *
 * A job in five lines:
 *
 *     spk_windows_create(context, recording, &window_options, &windows);
 *     spk_pattern_options options;
 *     spk_pattern_options_init(&options, sizeof options);
 *     options.support = 10, options.min_spikes = 5, options.min_neurons = 5;
 *     status = spk_pattern_mine(context, windows, &options, sink, user, &summary);
 */
#ifndef SPIKEMINE_PATTERN_H
#define SPIKEMINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/engine.h"
#include "spikemine/gpu.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* Longest window in bins. */
#define SPK_MAX_WINDOW_BINS 65535u
/* Most windows and most items (units x window length) of one job: both are 32 bit. */
#define SPK_MAX_WINDOWS 4294967294u
#define SPK_MAX_ITEMS   4294967294u

/* ---- windows --------------------------------------------------------------------------------- */

/* All windows of a job; they never change after they were made. They keep neither recording nor
 * context. Threads: any number may use them at the same time; free them when none does. */
typedef struct spk_windows spk_windows;

/* How a recording is cut. Initialise with spk_window_options_init; pointers are borrowed. Trials
 * are the recording's segments; those of the caller's choice may touch or overlap, too: an event in
 * two of them counts in both, and a note says so. Where the recording has segments and the caller
 * gives trials, what they have in common are the trials. Bins are counted from exactly a trial's
 * start (of a whole recording: the start that was given to its reader), also where it lies between
 * two ticks. The last one may be cut off by its stop, and windows never cross it. */
typedef struct spk_window_options {
    size_t struct_size;        /* set by spk_window_options_init */
    spk_duration bin;          /* width of a bin, above 0; need not be a whole number of ticks */
    uint32_t window;           /* window length in bins, 1 .. SPK_MAX_WINDOW_BINS */
    const spk_segment *trials; /* NULL: the recording's segments */
    size_t n_trials;
    const spk_time_range *trial_times; /* instead of trials: exact times, which need not be ticks */
    size_t n_trial_times;
} spk_window_options;

/* Windows of 1 bin over the whole recording; the width of a bin is missing. */
SPK_API void spk_window_options_init(spk_window_options *options, size_t struct_size);

/* The columns: pointers into the windows, valid as long as they live. Window w has the items
 * item[first[w]] .. item[first[w + 1] - 1], ascending, without repeats; windows are ordered by
 * trial[w] and start bin and have at least one item (those of a transaction file: its lines in
 * order, which may be empty). trial[w] numbers what was binned by itself, trials of the options or
 * segments of the recording (spk_windows_trial has the number of the trial itself). start_bin[w]
 * counts from its start; start_time[w] is the first tick in that bin (spk_windows_format_time has
 * the exact time). From a transaction file start_bin is the line's index from 0, trial is 0 and
 * start_time NULL. */
typedef struct spk_window_columns {
    uint64_t n_windows;
    uint64_t n_bins; /* bins of all trials, silent ones too; lines of a transaction file */
    uint32_t n_units;
    uint32_t window; /* length in bins */
    const uint64_t *first;
    const uint32_t *item;
    const uint32_t *trial;
    const uint64_t *start_bin;
    const int64_t *start_time;
} spk_window_columns;

/* Bins a recording and lists its windows. A unit counts once in a bin. Errors: SPK_ERR_ARGUMENT
 * (bin, window, trials), SPK_ERR_RANGE (too many windows or items; numbers of bins
 * beyond 64 bits; a bin far below a tick, or a bin and bounds with too many digits for exact bins
 * in 64 bits), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_windows_create(spk_context *context,
                                                     const spk_recording *recording,
                                                     const spk_window_options *options,
                                                     spk_windows **out);

/* Reads windows from text: one window a line, its items as whole numbers separated by blanks, in
 * any order, repeats counting once; "-" is standard input; compressed files are read like
 * recordings. `n_units` bounds the items (item <
 * n_units * window); 0 takes the largest item's unit + 1. Errors name file and line: SPK_ERR_FORMAT
 * (not a whole number, empty file), SPK_ERR_RANGE (negative, outside units x window), SPK_ERR_IO,
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_windows_read_transactions(spk_context *context,
                                                                const char *path, uint32_t n_units,
                                                                uint32_t window, spk_windows **out);

/* The same from `length` bytes in memory; `name` stands for the file in messages. */
SPK_API SPK_MUST_CHECK spk_status spk_windows_parse_transactions(spk_context *context,
                                                                 const char *name, const char *text,
                                                                 size_t length, uint32_t n_units,
                                                                 uint32_t window,
                                                                 spk_windows **out);

/* SHA-256 of the file's bytes as stored, in hexadecimal; "" for windows that were not read from a
 * file. Valid as long as the windows. */
SPK_API const char *spk_windows_sha256(const spk_windows *windows);

/* Writes the time in seconds at which window `w` starts, that of its first bin: exactly where it
 * has at most 24 decimals, else rounded down at 12. Returns the length like snprintf; 48 bytes
 * always suffice. "" for windows of transactions, and where there is no such window. */
SPK_API size_t spk_windows_format_time(const spk_windows *windows, uint64_t w, char *buffer,
                                       size_t size);

/* The trial in which window `w` lies, from 0, by its number in what was given
 * (spk_recording_trial). 0 for windows of transactions, and where there is no such window. */
SPK_API size_t spk_windows_trial(const spk_windows *windows, uint64_t w);

/* Frees them; NULL is accepted. */
SPK_API void spk_windows_free(spk_windows *windows);

/* The columns, valid as long as the windows. */
SPK_API spk_window_columns spk_windows_columns(const spk_windows *windows);

/* Checks every invariant of the columns; for tests and fuzzers. *reason names the broken one. */
SPK_API bool spk_windows_validate(const spk_windows *windows, const char **reason);

/* ---- lists of patterns: columns -------------------------------------------------------------- */

/* n patterns. Pattern i has the items item[offset[i]] .. item[offset[i + 1] - 1], ordered by lag,
 * then unit; item = unit * window + lag. count[i] windows contain it. offset has n + 1 entries
 * and offset[0] need not be 0. Columns that the library hands to a callback are valid during that
 * call only. */
typedef struct spk_pattern_columns {
    uint64_t n;
    uint32_t window; /* window length in bins, which splits an item into unit and lag */
    const uint64_t *offset;
    const uint32_t *item;
    const uint32_t *count;
} spk_pattern_columns;

/* Receives patterns. `user` is the pointer that the caller gave with the function. Mining calls it
 * for one batch after the other, never twice at once, perhaps from another thread than the
 * caller's. A status other than SPK_OK ends the work, and the work returns it.
 * spk_pattern_list_add, spk_spectrum_add, spk_pattern_figure_add and the writers of report.h are
 * such functions. */
typedef spk_status spk_pattern_sink(void *user, const spk_pattern_columns *patterns);

/* A growing list of patterns, which owns its columns.
 * Threads: one at a time; many may read the columns while nothing is added or dropped. */
typedef struct spk_pattern_list spk_pattern_list;

/* An empty list. `context` must outlive it: its memory limit is kept and messages go there. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_list_create(spk_context *context, uint32_t window,
                                                          spk_pattern_list **out);
SPK_API void spk_pattern_list_free(spk_pattern_list *list);

/* The columns: pointers into the list, valid until something is added or dropped. */
SPK_API spk_pattern_columns spk_pattern_list_columns(const spk_pattern_list *list);

/* A spk_pattern_sink: appends all patterns; `list` is a spk_pattern_list. Errors: SPK_ERR_MEMORY
 * (also when the patterns pass the context's memory limit). */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_list_add(void *list,
                                                       const spk_pattern_columns *patterns);

/* Drops the patterns whose keep[i] is 0, in place; order stays. */
SPK_API void spk_pattern_list_keep(spk_pattern_list *list, const uint8_t *keep);

/* Puts the patterns in an order of their own: more spikes first, then more occurrences, then items.
 * Mining hands patterns over in another one. Takes the memory of the list once more.
 * Errors: SPK_ERR_MEMORY, SPK_ERR_RANGE (over 4294967295 patterns); the list is as it was then. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_list_sort(spk_pattern_list *list);

/* Writes pattern i < patterns->n as `12@0 40@3 7@11` (unit@lag; labels of `recording`, numbers when
 * it is NULL; labels with blanks, quotes or '@' in double quotes); returns the length like
 * snprintf. */
SPK_API size_t spk_pattern_format(const spk_recording *recording,
                                  const spk_pattern_columns *patterns, uint64_t i, char *buffer,
                                  size_t buffer_size);

/* Reads a file of patterns, one a line: the text form above, or any tab separated table with a
 * header that has a column `pattern`, as spikemine writes; plain or compressed. "-" is standard
 * input, '#' begins a comment. Lags are below `window`, the length of windows in bins; 0 takes the
 * largest lag + 1. Counts are 0. A list made from another recording may name units which this one
 * lacks: they never fire, so patterns with them count 0, and a note names them. *widened is then a
 * copy of the recording with these units, for which the list's items hold, to be freed by the
 * caller; NULL where the recording has all units. With NULL for `widened` such a unit is an error.
 * Errors name file and line: SPK_ERR_FORMAT (also a pattern without a spike at lag 0, or with one
 * spike twice), SPK_ERR_RANGE (a lag outside the window, too many items or units), SPK_ERR_ARGUMENT
 * (window, an unknown unit), SPK_ERR_IO, SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_list_read(spk_context *context,
                                                        const spk_recording *recording,
                                                        const char *path, uint32_t window,
                                                        spk_recording **widened,
                                                        spk_pattern_list **out);

/* ---- mining ---------------------------------------------------------------------------------- */

/* Sizes with a support of their own: see spk_pattern_estimate. */
#define SPK_PATTERN_MAX_ESTIMATE 64u

/* The support per size: at_size[k] for patterns of k spikes, at_size[n] for all larger ones;
 * entries 2 .. n are read and never rise. */
typedef struct spk_pattern_supports {
    uint32_t n;
    uint64_t at_size[SPK_PATTERN_MAX_ESTIMATE + 1];
} spk_pattern_supports;

/* Patterns as bytes, such as the lines of a table, made by whoever finds them: by each thread and,
 * over ranks, by each rank, of which only rank 0 gets them. */
typedef struct spk_pattern_bytes {
    /* The bytes of some patterns, which must not depend on other ones; they stay until the next
     * call with the same maker. From any thread; at work at once are only different makers, 0 ..
     * n_makers - 1. SPK_ERR_MEMORY or SPK_OK; the work tells what failed. */
    spk_status (*make)(void *user, int maker, const spk_pattern_columns *patterns,
                       const char **bytes, uint64_t *n_bytes);
    /* The bytes of the next patterns, in the order in which a sink would get these, one call at a
     * time. In ranks other than 0 `bytes` is NULL, and only how many patterns there are is told. */
    spk_status (*take)(void *user, const char *bytes, uint64_t n_bytes, uint64_t n_patterns);
    void *user;   /* goes to both */
    int n_makers; /* threads make bytes where there is a maker for each */
} spk_pattern_bytes;

/* Initialise with spk_pattern_options_init; pointers are borrowed for the call. */
typedef struct spk_pattern_options {
    size_t struct_size;                   /* set by spk_pattern_options_init */
    uint32_t min_spikes;                  /* 1 by default */
    uint32_t max_spikes;                  /* 0: no limit */
    uint64_t support;                     /* least count, at least 1; 2 by default */
    uint64_t max_count;                   /* 0: no limit */
    uint32_t min_neurons;                 /* distinct units; 1 by default */
    const spk_pattern_supports *supports; /* when set, replaces support */
    const char *engine;                   /* a name, or "auto": engine.h has the choice */
    bool moving_window_filter; /* drop patterns that are contained, aligned to the last spike, in
                                  another with the same count; true by default, nothing to do when
                                  the window is 1 bin. Engine bitmap does it as it finds them, but
                                  for odd windows; other engines collect all patterns first. */
    int gpus;       /* 0 (default): the library decides; else the number of GPUs, or SPK_GPUS_ALL */
    bool unordered; /* the sink gets patterns as they are found, in an order that differs from run
                       to run; ranks do not keep them all. Not with a moving-window step
                       that collects all. */
    const spk_pattern_bytes *bytes; /* NULL, or what several threads, and ranks that share the
                                       search, do in place of handing patterns to the sink; what
                                       cannot be made so goes to the sink */
} spk_pattern_options;

/* Support 2, no other limits, engine by the policy, the moving-window step on. */
SPK_API void spk_pattern_options_init(spk_pattern_options *options, size_t struct_size);

typedef struct spk_pattern_summary {
    char engine[32];     /* the one that ran */
    const char *choice;  /* why auto took it; "" when asked for by name. Static text. */
    uint64_t n_mined;    /* closed patterns within the limits */
    uint64_t n_reported; /* handed to the sink, after the moving-window step */
    double mine_s;
    double filter_s; /* the moving-window step, where it comes after mining */
    int gpus;        /* how many it ran on; 0 on processors */
} spk_pattern_summary;

/* Finds all patterns, in one order that the data and the least support alone decide, never engines
 * or threads, unless the options say `unordered`: that of docs/explanation/patterns.md. `sink` may
 * be NULL to count only, and `summary` may be NULL. Closed means closed among all sets of items,
 * also among sets that the limits on size or count hide.
 * Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY (also when the collected patterns pass the context's
 * memory limit), SPK_ERR_UNAVAILABLE, SPK_ERR_UNSUPPORTED, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_pattern_mine(spk_context *context, const spk_windows *windows,
                                                   const spk_pattern_options *options,
                                                   spk_pattern_sink *sink, void *user,
                                                   spk_pattern_summary *summary);

SPK_END_C

#endif
