/*
 * Choosing: a support for given delays, and delays for a recording, with what chance does at each.
 *
 * The support of given delays is the smallest one at which chance gives at most 1,000 frequent
 * episodes of two units or more. Chance is that of the exact test (exact.h): a few surrogates
 * within windows D, searched as the recording will be. They are those of the test
 * with the same seed, under numbers that no test reaches. The recording itself is never searched
 * for it. So the support depends on nothing but the numbers of events per unit and window, which
 * the recording shares with each of its surrogates: whichever of them were the recording, the
 * support would be the same. The exact test stays exact with it. Chosen from the recording's own
 * counts it would not be.
 *
 * A list without a test shows chance results beside true ones, so that chance may give few. A test
 * tells them apart, and whatever its search leaves out is lost: its support is as low as time and
 * memory allow (most_by_chance 0).
 *
 *     spk_choose_options options;
 *     spk_choose_options_init(&options, sizeof options);
 *     options.jitter = jitter;
 *     status = spk_choose_support(context, recording, delays, n_delays, &options, &choice);
 *     episodes.support = choice.support;
 *
 * Delays are another matter: they are chosen by what the recording shows. Whoever tries M sets of
 * delays and tests one of them tests it at alpha / M.
 */
#ifndef SPIKEMINE_CHOOSE_H
#define SPIKEMINE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/episode.h"
#include "spikemine/exact.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- windows --------------------------------------------------------------------------------- */

/* The window D that goes with delays: the smallest of 1, 2.5, 5, 10, 25 ... ms that is at least
 * four times as long as the widest interval is wide. Two events that are placed anew within windows
 * change their delay by anything up to D. A window that is no longer than the interval is wide
 * leaves most delays in the interval, so that chance makes whatever the recording has. In one of
 * four times the width few delays stay there, and what changes more slowly than the window, such as
 * rates, is still chance. False where an interval is infinite. */
SPK_API bool spk_choose_jitter(const spk_delay *delays, size_t n_delays, spk_duration *out);

/* ---- the support ----------------------------------------------------------------------------- */

/* Initialise with spk_choose_options_init. */
typedef struct spk_choose_options {
    size_t struct_size;      /* set by spk_choose_options_init */
    spk_duration jitter;     /* the window D; 0: that of spk_choose_jitter */
    uint64_t seed;           /* 0; that of the test */
    uint32_t n_surrogates;   /* 9; at most SPK_CHOOSE_MAX_SURROGATES */
    uint32_t max_size;       /* longest episode, as in the search; SPK_EPISODE_MAX_SIZE */
    uint64_t most_by_chance; /* 1000; 0: as many as a test can look at, see above */
    uint64_t least_support;  /* 6: rarer episodes are left alone */
    /* Of spk_choose_delays: */
    uint64_t n_events; /* 50000: events that are looked at, from the recording's start on */
    /* The null hypothesis and its history, as in spk_exact_options; NULL: with most_by_chance 0
     * that of a test which names none, else "shift". */
    const char *null;
    spk_duration history;
    /* Of both: the time for choosing; 30 s. Each search may take a hundredth of it on one
     * processor, a fortieth where most_by_chance is above 0, by its number of steps, not by a
     * clock, so that the choice is the same on every machine. */
    spk_duration time;
} spk_choose_options;

#define SPK_CHOOSE_MAX_SURROGATES 1000u

/* The defaults named above. */
SPK_API void spk_choose_options_init(spk_choose_options *options, size_t struct_size);

/* A support. Filled in by the library. */
typedef struct spk_support_choice {
    uint64_t support;
    bool limited;          /* below it there would be too many pairs to count */
    bool timed;            /* a search with one that is a fifth smaller takes more than its time */
    spk_duration jitter;   /* the window D */
    uint32_t n_surrogates; /* that were searched */
    double by_chance;      /* mean number of episodes of two units or more in them */
    uint64_t most_in_one;  /* the largest number in one of them */
    double link_share;     /* of the search (episode.h): 0 unless most_by_chance is 0 */
    double seconds; /* that one processor took for a surrogate; 0 unless most_by_chance is 0 */
} spk_support_choice;

/* Chooses the support of a search with these delays: the smallest one, from least_support on, at
 * which the surrogates have on average at most most_by_chance episodes of 2 .. max_size units, and
 * a search of each keeps to its time. With most_by_chance 0 it is least_support, with the smallest
 * link share of 0, 0.0001, 0.0002, 0.0005 .. 5 at which the search of each surrogate keeps to its
 * time and has at most 200,000 episodes of two units or more. NULL options: the defaults. The same
 * recording, options and seed give the same support, with any number of threads. Memory: 16 bytes
 * for each of n_surrogates * most_by_chance episodes. Errors: SPK_ERR_ARGUMENT (an infinite delay
 * and no window), SPK_ERR_MEMORY, SPK_ERR_CANCELLED, those of spk_surrogates_create and
 * spk_episode_mine. */
SPK_API SPK_MUST_CHECK spk_status spk_choose_support(spk_context *context,
                                                     const spk_recording *recording,
                                                     const spk_delay *delays, size_t n_delays,
                                                     const spk_choose_options *options,
                                                     spk_support_choice *out);

/* Chooses supports of patterns by size: for each size the smallest one at which the surrogates have
 * on average at most most_by_chance patterns of that size (0: 100,000), never rising with the size,
 * and none below the smallest support, from least_support on, at which the search of each surrogate
 * keeps to its time and has at most 200,000 closed patterns of two spikes or more. Surrogates are
 * made in the bins of the windows; jitter 0 is the smallest of the windows of spk_choose_jitter for
 * a delay of one bin. max_size and n_events are not read. `choice` describes the supports, its
 * `support` being that of the largest size. The same recording, options and seed give the same
 * supports, with any number of threads. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY,
 * SPK_ERR_CANCELLED, those of spk_surrogates_create and spk_windows_create. */
SPK_API SPK_MUST_CHECK spk_status spk_choose_pattern_supports(
    spk_context *context, const spk_recording *recording, const spk_window_options *windows,
    const spk_choose_options *options, spk_pattern_supports *out, spk_support_choice *choice);

/* ---- delays ---------------------------------------------------------------------------------- */

/* Delay intervals that are searched together. */
typedef struct spk_delay_set {
    const spk_delay *delays;
    size_t n_delays;
} spk_delay_set;

/* Sizes that a trial tells of: 2, 3 and 4 units. */
#define SPK_CHOOSE_SIZES 3u

/* Episodes of one size through different units. */
typedef struct spk_delay_trial_size {
    uint64_t found;       /* in the recording */
    double by_chance;     /* mean number in surrogates */
    uint64_t most_in_one; /* the largest number in one of them */
    bool reached;         /* false: the recording has too many; found is what was seen of them */
} spk_delay_trial_size;

/* What the recording and chance give with one set of delays at one support. Filled in by the
 * library. */
typedef struct spk_delay_trial {
    const spk_delay *delays;
    size_t n_delays;
    spk_duration jitter;                         /* the window D */
    uint64_t limit;                              /* most episodes that chance gives */
    uint64_t support;                            /* the smallest one at which it does */
    spk_delay_trial_size size[SPK_CHOOSE_SIZES]; /* of 2, 3, 4 units */
    double seconds; /* that one processor took for a search of the set's surrogates */
} spk_delay_trial;

/* The trials of a recording. Threads: it never changes after it was made, so that any number may
 * read it. */
typedef struct spk_delay_table spk_delay_table;

/* The columns: pointers into the table, valid as long as it lives. */
typedef struct spk_delay_table_columns {
    size_t n_sets;
    size_t n; /* trials, by set, then from the lowest support up */
    const spk_delay_trial *trial;
    size_t best;        /* the trial that exceeds chance most clearly; n: none does */
    uint32_t best_size; /* of 2, 3, 4: where it has most episodes beyond chance */
    uint64_t n_events;  /* that were looked at */
    size_t n_left_out;  /* sets that were not tried yet when it was cancelled */
} spk_delay_table_columns;

/* Tries sets of delays: each with its window D (spk_choose_jitter, or that of the options) and with
 * the supports at which chance gives at most most_by_chance episodes, and a tenth of them. The
 * supports come from surrogates, then the recording is searched for up to 4 units. It exceeds
 * chance clearly where it has more than twice as many episodes of a size as any surrogate, and
 * three more; the best trial has most episodes beyond that, over all sizes. NULL sets: about twelve
 * that suit most recordings, from 5 ms to 200 ms, (0,5ms] and (0,5ms] with (5ms,10ms] and so on, on
 * the grid of the recording's times where that is coarse. NULL options: the defaults. The same
 * recording, options and seed give the same table but for `seconds`, with any number of threads;
 * six tenths of the options' time are for the sets, as a number of steps. Of a recording with more
 * events than n_events only the beginning is looked at, and supports are those of the beginning.
 * The table has copies of the sets. Errors: those of spk_choose_support; with SPK_ERR_CANCELLED
 * *out may be a table of the sets that were done. */
SPK_API SPK_MUST_CHECK spk_status spk_choose_delays(spk_context *context,
                                                    const spk_recording *recording,
                                                    const spk_delay_set *sets, size_t n_sets,
                                                    const spk_choose_options *options,
                                                    spk_delay_table **out);

/* The columns, valid as long as the table. */
SPK_API spk_delay_table_columns spk_delay_table_get(const spk_delay_table *table);

/* Frees it; NULL is accepted. */
SPK_API void spk_delay_table_free(spk_delay_table *table);

/* ---- what a test will cost ------------------------------------------------------------------- */

/* Filled in by the library. */
typedef struct spk_exact_estimate {
    double seconds;        /* of the search and the test, with the threads of the context */
    uint64_t n_tested;     /* results of the search that are tested */
    uint64_t n_results;    /* of them, significant ones: an estimate */
    uint64_t n_surrogates; /* of the trial */
    double own_seconds;    /* of `seconds`, those of the search of the recording and its verdicts */
    uint32_t max_size;     /* largest size up to which the recording has at most 200,000 results,
                              to which the trial was limited; 0: it has no more at any size */
} spk_exact_estimate;

/* Estimates an exact test of episodes at level alpha by one with 19 surrogates: time in proportion
 * to their number, results by the distribution of their best scores, taken to be Gumbel's. The
 * number of results is right within a factor of about three. Errors: SPK_ERR_ARGUMENT, those of
 * spk_exact_run. */
SPK_API SPK_MUST_CHECK spk_status spk_choose_estimate(spk_context *context,
                                                      const spk_recording *recording,
                                                      const spk_exact_options *test, double alpha,
                                                      spk_exact_estimate *out);

/* ---- a test to begin with -------------------------------------------------------------------- */

/* Different units that an episode of the test has, at least. */
#define SPK_CHOOSE_DISTINCT_UNITS 2u

/* An exact test with the best set of delays. Filled in by the library. */
typedef struct spk_delay_test {
    const spk_delay_trial *trial; /* the set at its lowest support, of the table; NULL: no set
                                     exceeds chance clearly, and nothing below means anything */
    bool is_whole;                /* support and link_share below hold for the whole recording;
                                     false: it is too large for the time */
    uint32_t max_size;            /* longest episode; 0: any */
    double alpha;                 /* of the test: one set of many is tested */
    uint64_t n_surrogates;        /* with which a p-value can reach it */
    spk_exact_estimate estimate;  /* n_surrogates is 0 where it was not tried: seconds are rough */
    uint64_t support;             /* as spk_choose_support gives with most_by_chance 0 */
    double link_share;
} spk_delay_test;

/* Makes up a test from a table of this recording. `alpha`, above 0 and below 1, is the level for
 * all sets together, which is divided by their number. The support is chosen with `seed`, and the
 * test tried with few surrogates, as far as the steps last that spk_choose_delays was given. It
 * points into the table. Errors: SPK_ERR_ARGUMENT, those of spk_choose_estimate. */
SPK_API SPK_MUST_CHECK spk_status spk_choose_test(spk_context *context,
                                                  const spk_recording *recording,
                                                  const spk_delay_table *table, double alpha,
                                                  uint64_t seed, spk_delay_test *out);

SPK_END_C

#endif
