/*
 * Plans: how long a job takes with N ranks (ranks.h), and how much memory each rank needs.
 *
 * A plan has two halves. The first measures small pieces of the real job on this machine and gives
 * costs. The second is arithmetic: costs and a machine in, a prediction out. Costs can be scaled to
 * a longer recording of the same rates. Example:
 *
 *     spk_plan_costs costs;
 *     spk_plan_machine machine;
 *     spk_plan_machine_init(&machine, sizeof machine);
 *     machine.ranks = 64;
 *     status = spk_plan_measure_episodes(context, recording, &options, 5, &costs);
 *     if (status == SPK_OK)
 *         status = spk_plan_predict(context, &costs, &machine, &prediction);
 *     ... prediction.seconds, prediction.part_s[SPK_PLAN_READ], prediction.memory_bytes
 *
 * docs/explanation/scaling.md has the terms of the model, and what it leaves out.
 */
#ifndef SPIKEMINE_PLAN_H
#define SPIKEMINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/maxima.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

/* ---- costs ----------------------------------------------------------------------------------- */

/* Work that the ranks share, with an exchange at its end: one size of episodes, one search for
 * patterns, or the surrogates of a test. Seconds are those of one rank with its threads. */
typedef struct spk_plan_round {
    uint64_t items;   /* candidates, chunks or surrogates: what can go to different ranks */
    double fixed_s;   /* all items, whatever the length of the recording */
    double event_s;   /* all items, for each event of the recording */
    double bytes;     /* results that a rank gets from the others */
    double exchanges; /* blocks of items, each of which ends with an exchange; at least 1 */
} spk_plan_round;

#define SPK_PLAN_MAX_ROUNDS 80u

/* What a job costs. Made by the functions below, or by hand. Seconds are those of one rank with its
 * threads; bytes and seconds "of the recording" are for all n_events. */
typedef struct spk_plan_costs {
    size_t struct_size; /* set by spk_plan_costs_init */
    uint64_t n_events;  /* of the recording that will be mined */
    double file_bytes;  /* of its file; 0: unknown */
    double read_s;      /* reading it whole */
    bool reads_parts;   /* divided by time, a rank reads its part of the file only */
    double prepare_s;   /* preparing the engine for the recording */
    double repeat_s;    /* what each rank does for itself, whatever the length: making candidates,
                           ordering results */
    double lines_s;     /* making lines of results, where each rank makes those of its own */
    double write_s;     /* results, by rank 0 alone */
    uint32_t n_rounds;
    spk_plan_round round[SPK_PLAN_MAX_ROUNDS];
    double pieces_per_rank; /* pieces of a round that a rank takes on average, at least 1 */
    double piece_event_s;   /* what a piece costs beside its items, for each event */
    double largest_piece;   /* times a piece of mean size, at least 1 */
    double last_piece;      /* the same of pieces that are handed out last */
    bool divides_time;      /* the ranks can share the recording by time */
    double time_work;       /* by time: seconds for an item and event, times those by candidates */
    double margin_events;   /* by time: events before its stretch that a rank holds, too */
    double bytes_an_event;  /* of memory that a rank holds for each event */
    double bytes_fixed;     /* of memory whatever the length: program, candidates, results */
    double bytes_results;   /* of memory, too, where there are several ranks: results of all */
    double bytes_shared;    /* likewise: results, of which each rank has its share */
    uint64_t surrogates;    /* of a test; 0: none */
    double surrogate_s; /* of a rank, for a surrogate, made and searched in the whole recording */
    /* What was measured: */
    uint64_t measured_events; /* in the longest stretch of the recording that was mined */
    double measured_share;    /* of its pieces that were mined, at most 1; 0: none, see is_least */
    double measured_s;        /* how long that took */
    uint32_t reached_size;    /* largest size of episodes that was measured */
    bool is_least; /* more sizes, all pieces, or the end of a surrogate were not reached: it
                      takes longer */
} spk_plan_costs;

/* One event, no work, one piece for each rank, no division by time. */
SPK_API void spk_plan_costs_init(spk_plan_costs *costs, size_t struct_size);

/* The costs of a longer or shorter recording of the same rates, in which a pattern is frequent
 * where it is in this one: the support grows with the length. Errors: SPK_ERR_ARGUMENT (no event).
 */
SPK_API SPK_MUST_CHECK spk_status spk_plan_scale(spk_context *context, const spk_plan_costs *costs,
                                                 uint64_t n_events, spk_plan_costs *out);

/* ---- measuring ------------------------------------------------------------------------------- */

/* Measures a search for episodes. Stretches of the recording are mined, with a support in
 * proportion, each several times as long as the one before, until `seconds` are over or the whole
 * was mined. One of them is mined again in the pieces that ranks would take, and one by time. A
 * size that does not end within the seconds is not counted: is_least. file_bytes, read_s and what
 * a test costs are the caller's to add. With one thread seconds are those of the processor, so that
 * a busy machine does not matter; else those of the clock. The engine of the options is
 * measured, the usual one on processors for "auto". Errors: SPK_ERR_ARGUMENT (seconds, no event,
 * an engine on GPUs), those of spk_episode_mine but for
 * SPK_ERR_CANCELLED at the end of the seconds. */
SPK_API SPK_MUST_CHECK spk_status spk_plan_measure_episodes(spk_context *context,
                                                            const spk_recording *recording,
                                                            const spk_episode_options *options,
                                                            double seconds, spk_plan_costs *out);

/* Measures a search for patterns: pieces of it as `ranks` ranks would take them, from all over the
 * search, for `seconds`, and the same as one process cuts it. The windows are those of a recording
 * with n_events events. Where all pieces were mined, measured_share is 1; else what they show is
 * taken for all. A rank's threads are taken to share its work evenly: one measures, by the time of
 * the processor. Errors: SPK_ERR_ARGUMENT (seconds, ranks, no event, an engine whose searches
 * ranks cannot share), those of spk_pattern_mine but for
 * SPK_ERR_CANCELLED at the end of the seconds. */
SPK_API SPK_MUST_CHECK spk_status spk_plan_measure_patterns(
    spk_context *context, const spk_windows *windows, uint64_t n_events,
    const spk_pattern_options *options, uint32_t ranks, double seconds, spk_plan_costs *out);

/* Measures surrogates of a test of signatures (maxima.h): as many of options->n_surrogates as begin
 * within `seconds`, one at least, each made and searched by one thread. Its shard and checkpoint do
 * not matter. Sets costs->surrogates to n_surrogates, and costs->surrogate_s for ranks of `threads`
 * threads, which have a surrogate each. Where no surrogate ends within four times the seconds,
 * these stand for it: is_least. The other costs are left alone. Errors: SPK_ERR_ARGUMENT (seconds,
 * threads or surrogates of 0), those of spk_surrogates_create, spk_windows_create and
 * spk_pattern_find_maxima but for SPK_ERR_CANCELLED at the end of the seconds. */
SPK_API SPK_MUST_CHECK spk_status spk_plan_measure_surrogates(spk_context *context,
                                                              const spk_recording *recording,
                                                              const spk_maxima_options *options,
                                                              uint32_t threads, double seconds,
                                                              spk_plan_costs *costs);

/* ---- predicting ------------------------------------------------------------------------------ */

/* Ranks and what connects them. Initialise with spk_plan_machine_init. */
typedef struct spk_plan_machine {
    size_t struct_size;    /* set by spk_plan_machine_init */
    uint32_t ranks;        /* 1 */
    uint32_t threads;      /* 1; of each rank, as in the measurement */
    uint64_t processors;   /* 0: one for each thread of each rank; else fewer, in turns */
    double latency_s;      /* 2e-6: from rank to rank */
    double bandwidth;      /* 1e10: bytes a second into a rank */
    double file_bandwidth; /* 1e10: bytes a second that the file system gives all ranks together */
    spk_divide divide;     /* SPK_DIVIDE_AUTO: what the command takes */
    uint64_t memory_bytes; /* of a rank; 0: no limit */
} spk_plan_machine;

/* The defaults named above. */
SPK_API void spk_plan_machine_init(spk_plan_machine *machine, size_t struct_size);

/* Where the time of a job goes. */
typedef enum spk_plan_part {
    SPK_PLAN_READ,     /* reading the recording */
    SPK_PLAN_PREPARE,  /* preparing the engine, by each rank for what it holds */
    SPK_PLAN_WORK,     /* the search: the mean share of a rank */
    SPK_PLAN_WAIT,     /* waiting for the rank that ends last, or for the one at the left */
    SPK_PLAN_EXCHANGE, /* counters, barriers and results over the network */
    SPK_PLAN_REPEAT,   /* what each rank does for itself */
    SPK_PLAN_WRITE,    /* writing, by rank 0 */
    SPK_PLAN_N_PARTS
} spk_plan_part;

/* "read", "prepare", "search", "wait", "exchange", "repeat", "write"; "" for another number. */
SPK_API const char *spk_plan_part_name(spk_plan_part part);

/* A prediction. Filled in by the library. */
typedef struct spk_plan_prediction {
    spk_divide divide; /* candidates or time */
    uint32_t ranks;
    double part_s[SPK_PLAN_N_PARTS];
    double seconds;        /* their sum */
    double processor_s;    /* of all ranks together, without waiting and exchange */
    double events_a_rank;  /* that the largest rank holds */
    double memory_bytes;   /* of that rank */
    bool possible;         /* a rank can hold that many events, within machine.memory_bytes */
    double efficiency;     /* seconds of one rank / (ranks * seconds), where one rank could do it */
    spk_plan_part largest; /* the part that takes most */
} spk_plan_prediction;

/* Predicts. Errors: SPK_ERR_ARGUMENT (costs or machine out of range), SPK_ERR_UNSUPPORTED (by time,
 * where the job cannot be divided so). */
SPK_API SPK_MUST_CHECK spk_status spk_plan_predict(spk_context *context,
                                                   const spk_plan_costs *costs,
                                                   const spk_plan_machine *machine,
                                                   spk_plan_prediction *out);

#define SPK_PLAN_MOST_RANKS (1u << 20)

/* Where more ranks stop paying: of 1, 2, 4 ... SPK_PLAN_MOST_RANKS ranks the fewest, from the first
 * possible number on, of which twice as many would take more than 0.8 of the time. `out` is the
 * prediction for them; possible is false where no number of ranks is. Errors as spk_plan_predict.
 */
SPK_API SPK_MUST_CHECK spk_status spk_plan_limit(spk_context *context, const spk_plan_costs *costs,
                                                 const spk_plan_machine *machine,
                                                 spk_plan_prediction *out);

SPK_END_C

#endif
