/*
 * Whole sequences: units that fire one after the other again and again, with all their members,
 * although delays vary and spikes are missing.
 *
 *     A at 0 ms, B at 22 ms, C at 35 ms, D at 61 ms, each within some 5 ms; 25 times
 *     occurrence 1:  A  B  .  D        C is missing
 *     occurrence 2:  A  .  C  D        B is missing
 *
 * Episodes and patterns ask for all of their spikes within narrow delays, and here none would occur
 * often enough. The search begins with pairs of units that follow each other more often than their
 * correlogram leads one to expect. A pair gives moments at which the sequence may have occurred;
 * units that gather at one lag from these moments join. A template of all members then finds the
 * occurrences by a matched filter, and both steps are repeated. A member is judged by occurrences
 * that were found without it.
 *
 * The statistic of a sequence is the sum of its members' scores. Surrogates of the recording
 * undergo the same search, so that p of a sequence is exact for everything that was searched:
 *
 *     p = (1 + number of surrogates whose best sequence has as large a statistic) / (surrogates +
 * 1)
 *
 * A sequence with p at most alpha is accepted, its spikes are removed, and the next one is looked
 * for in what is left. p of the first sequence means what it says: where the null hypothesis of the
 * surrogates holds, the chance that anything is accepted is at most alpha. In a later round p is
 * that of the recording that is left.
 *
 * Surrogates take the time, and each round has its own. They can be made in shards
 * (spk_sequences_run, spk_maxima_merge) and kept in checkpoints, with the same result to the byte.
 *
 *     spk_sequence_options options;
 *     spk_sequence_options_init(&options, sizeof options);
 *     status = spk_sequences_find(context, recording, &options, &result);
 *     if (status == SPK_OK)
 *         columns = spk_sequences_columns(result);
 */
#ifndef SPIKEMINE_SEQUENCE_H
#define SPIKEMINE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/maxima.h"
#include "spikemine/recording.h"
#include "spikemine/surrogate.h"

SPK_BEGIN_C

/* Initialise with spk_sequence_options_init; pointers are borrowed for the call. */
typedef struct spk_sequence_options {
    size_t struct_size;       /* set by spk_sequence_options_init */
    spk_duration longest_lag; /* 200 ms: no two members are further apart */
    /* Of the null hypothesis. How far they move spikes (dither) is the resolution of the search,
     * too: members are looked for in windows of 1/16 to 1/4 of it to both sides. NULL:
     * shift-apart, which moves units by any amount, with a dither of 50 ms and seed 0. */
    const spk_surrogate_options *surrogates;
    uint64_t n_surrogates; /* 99, at least 1 */
    double alpha;          /* 0.05: largest p of an accepted sequence, and of a member; the two best
                              members stay in any case */
    uint32_t max_sequences; /* 10 */
    double member_q; /* 0: a member with a q up to it stays, too. 0.1: more members, of which a
                        tenth is false */
    const char *checkpoint; /* file that the surrogates of round 1 go on from and are kept in;
                               those of round k in FILE.round-k. NULL: none */
    const spk_maxima *const *maxima; /* statistics of the surrogates of rounds 1 .. n_maxima, which
                                        are not made again; NULL: none */
    size_t n_maxima;                 /* 0 */
    uint32_t shard;                  /* 1; of spk_sequences_run */
    uint32_t n_shards;               /* 1 */
} spk_sequence_options;

/* The defaults named above. */
SPK_API void spk_sequence_options_init(spk_sequence_options *options, size_t struct_size);

/* The jitter and the longest lag to begin with: 50 ms and 200 ms. Where times are steps longer than
 * 1/8 of the jitter, such as frames of a movie, they are 8 and 32 steps: 8/30s and 32/30s at 30
 * frames a second. Returns whether they are. They follow from the clock alone, so that p stays
 * exact. Cost: that of spk_recording_find_grid. */
SPK_API bool spk_sequences_usual_lengths(const spk_recording *recording, spk_duration *jitter,
                                         spk_duration *longest_lag);

/* The sequences of a recording. Threads: any number may read it at the same time; free it when none
 * does. */
typedef struct spk_sequences spk_sequences;

/* No spike of this member in this occurrence. */
#define SPK_SEQUENCE_MISSING UINT32_MAX

/* The columns: pointers into the result, valid as long as it lives. Sequence i has the members
 * member_first[i] .. member_first[i + 1] - 1, in order of their lags, and the occurrences
 * occurrence_first[i] .. occurrence_first[i + 1] - 1, in order of time. */
typedef struct spk_sequence_columns {
    uint32_t n;
    const double *p;         /* of the search that found it */
    const double *statistic; /* sum of the members' scores above what is needed to join */
    const uint64_t *member_first;
    const uint64_t *occurrence_first;
    const uint64_t *spike_first; /* n + 1 */
    /* Of members. */
    const uint32_t *unit;
    const double *lag_ticks;    /* median of its spikes, behind the first member's */
    const double *spread_ticks; /* standard deviation of its spikes about its lag */
    const double *share;        /* of the occurrences in which it fires, without chance */
    const double *score;        /* nats: how it gathers about occurrences found without it */
    const double *member_p;     /* family-wise over all units and lags, by moved occurrences */
    const double *member_q;     /* false discovery rate among all units */
    const double *split_p;      /* one half of the occurrences chose its lag, the other tests it */
    /* Of occurrences. */
    const int64_t *time;            /* tick of the first member, whether it fires or not */
    const double *occurrence_score; /* log likelihood ratio, nats */
    const double *occurrence_p;     /* chance of such a score anywhere, by members moved apart */
    const uint32_t *missing;        /* members without a spike */
    /* Event numbers of the recording, or SPK_SEQUENCE_MISSING: those of occurrence o of sequence i
     * begin at spike_first[i] + (o - occurrence_first[i]) * number of members. */
    const uint32_t *spike;
} spk_sequence_columns;

/* What was done. Filled in by the library. */
typedef struct spk_sequence_summary {
    uint32_t n_rounds;     /* searches of the recording: one more than sequences, unless the largest
                              number of them was found */
    uint64_t n_surrogates; /* of a round */
    double last_p;         /* of the last round's best sequence; 1 where there was none */
    double last_statistic; /* of it; 0 where there was none */
    uint32_t n_cut; /* sequences of three members and more that may go on: one more step as long as
                       their mean one would pass longest_lag */
    bool is_least;  /* last_p is known to be as large at least: no more surrogates were made */
    double together_p; /* where sequences were found beside shift-apart: the chance that rates of
                          independent units change together as much, in windows of four times
                          longest_lag and more, in what the sequences left; at least 0.01. Else 1 */
} spk_sequence_summary;

/* Finds the sequences. The answer is the same for any number of threads and ranks; ranks share the
 * surrogates, and checkpoints are as in spk_maxima_run. No occurrence crosses a
 * segment's border. Where times lie on a grid coarser than ticks (spk_recording_find_grid),
 * surrogates keep to it, and a dither is a number of its points. Memory of a search: 60 bytes for
 * each event and 8 for each 1/32 of the dither. Errors: SPK_ERR_ARGUMENT (alpha, no surrogates, a
 * lag shorter than 1/4 of the dither; more than one shard, maxima of another job; those of
 * spk_surrogates_create), SPK_ERR_RANGE (over 2^40 steps of 1/32 of the dither), those of a
 * checkpoint in spk_maxima_run, SPK_ERR_MEMORY, SPK_ERR_CANCELLED. `summary` may be NULL. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_find(spk_context *context,
                                                     const spk_recording *recording,
                                                     const spk_sequence_options *options,
                                                     spk_sequences **out,
                                                     spk_sequence_summary *summary);

/* Tells of a search that will take long, before it begins: what a round of it takes, and a setting
 * that ends within a minute. Both are measured, by a search on each thread, some 40
 * seconds in all where the search is very long. The text is "" where a round takes less than a
 * minute, and where the options have maxima; 400 bytes suffice. Errors: those of
 * spk_sequences_find. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_check_time(spk_context *context,
                                                           const spk_recording *recording,
                                                           const spk_sequence_options *options,
                                                           char *buffer, size_t size);

/* Makes the surrogates of a shard of one round: the one behind those whose maxima the options have.
 * Joined (spk_maxima_merge), the shards are the maxima of this round. Each surrogate has at most
 * one score, its statistic in thousandths. Errors: those of spk_sequences_find; SPK_ERR_ARGUMENT (a
 * shard that is not there, a round before this one that accepts nothing). */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_run(spk_context *context,
                                                    const spk_recording *recording,
                                                    const spk_sequence_options *options,
                                                    spk_maxima **out);

/* Frees it; NULL is accepted. */
SPK_API void spk_sequences_free(spk_sequences *sequences);

/* A result of some sequences of another one, in the order of `row`, n entries; it has copies.
 * Errors: SPK_ERR_ARGUMENT (a row that is not there), SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_select(spk_context *context,
                                                       const spk_sequences *from, uint64_t n,
                                                       const uint32_t *row, spk_sequences **out);

/* A result with copies of these columns, such as those of a result of another process. They are
 * taken as spk_sequences_columns gives them, and not checked. Errors: SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_sequences_copy(spk_context *context,
                                                     const spk_sequence_columns *from,
                                                     spk_sequences **out);

/* The columns, valid as long as the result. */
SPK_API spk_sequence_columns spk_sequences_columns(const spk_sequences *sequences);

SPK_END_C

#endif
