/*
 * Serial episodes A -(lo,hi]-> B -(lo,hi]-> C: mining, counting, occurrences.
 *
 * count(episode) is the size of the largest set of pairwise non-overlapped occurrences; an
 * occurrence takes one event per position with lo < delay <= hi between neighbours; two do not
 * overlap when one ends strictly before the other starts. Source: Cao, Patnaik, Ponce et al.,
 * "Parallel mining of neuronal spike streams on graphics processing units", sections 2 and 5;
 * every engine returns the same exact counts.
 *
 * A job in four lines:
 *
 *     spk_episode_options options;
 *     spk_episode_options_init(&options, sizeof options);
 *     options.delays = delays, options.n_delays = 1, options.threshold = 173;
 *     status = spk_episode_mine(context, recording, &options, sink, user, &summary);
 */
#ifndef SPIKEMINE_EPISODE_H
#define SPIKEMINE_EPISODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The delay interval (lo, hi]; 0 <= lo < hi, hi may be infinite. */
typedef struct spk_delay {
    spk_duration lo;
    spk_duration hi;
} spk_delay;

/* Longest episode that is mined or counted. */
#define SPK_EPISODE_MAX_SIZE 64u
/* Most delay intervals in one job. */
#define SPK_EPISODE_MAX_DELAYS 4096u

/* ---- lists of episodes: columns -------------------------------------------------------------- */

/* n episodes. Episode i has size[i] positions; its units are unit[offset[i]] ..
 * unit[offset[i] + size[i] - 1] and delay[offset[i] + p] (p >= 1) indexes the delay interval
 * between positions p - 1 and p (entry p = 0 is 0 and means nothing). count[i] is its count, 0
 * where not counted. offset has n + 1 entries; size[i] = offset[i + 1] - offset[i]. A list that the
 * library hands to a callback is valid during that call only. */
typedef struct spk_episode_columns {
    uint64_t n;
    const uint64_t *offset;
    const uint32_t *unit;
    const uint16_t *delay;
    const uint64_t *count;
} spk_episode_columns;

/* A growing list that owns its columns and its table of delay intervals. It keeps no context.
 * Threads: one at a time; several may read it while none changes it. */
typedef struct spk_episode_list spk_episode_list;

/* An empty list; spk_episode_list_free accepts NULL. The columns are pointers into the list, valid
 * until it changes. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_create(spk_context *context,
                                                          spk_episode_list **out);
SPK_API void spk_episode_list_free(spk_episode_list *list);
SPK_API spk_episode_columns spk_episode_list_columns(const spk_episode_list *list);
/* The table of delay intervals that the delay column indexes. */
SPK_API const spk_delay *spk_episode_list_delays(const spk_episode_list *list, size_t *n_delays);
/* Appends one episode; delays[p] between positions p and p + 1 (size - 1 of them). */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_append(spk_context *context,
                                                          spk_episode_list *list, uint32_t size,
                                                          const uint32_t *units,
                                                          const spk_delay *delays);

/* Appends all episodes of columns whose delay entries index `delays`, with their counts. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_extend(spk_context *context,
                                                          spk_episode_list *list,
                                                          const spk_episode_columns *episodes,
                                                          const spk_delay *delays, size_t n_delays);

/* ---- the text form --------------------------------------------------------------------------- */

/* "5ms:10ms" -> (5ms,10ms], also "(5ms,10ms]"; checks lo < hi. Errors name what is wrong. */
SPK_API SPK_MUST_CHECK spk_status spk_delay_parse(spk_context *context, const char *text,
                                                  spk_delay *out);

/* "(5ms,10ms]"; returns the length like snprintf; 112 bytes always suffice. */
SPK_API size_t spk_delay_format(const spk_delay *delay, char *buffer, size_t size);

/* Reads `56 (5ms,10ms] 49 (5ms,10ms] 12` (labels with blanks, quotes or brackets in double quotes,
 * "" for a quote) and appends it. Errors: SPK_ERR_FORMAT; SPK_ERR_ARGUMENT for an unknown unit. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_parse(spk_context *context,
                                                    const spk_recording *recording,
                                                    const char *text, spk_episode_list *list);

/* Reads a file of episodes, one a line: the text form alone, or any tab separated table with a
 * header that has a column `episode`, as spikemine writes. "-" is standard input. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_read(spk_context *context,
                                                        const spk_recording *recording,
                                                        const char *path, spk_episode_list **out);

/* Writes the text form of one episode; returns the length like snprintf (so call twice, or give
 * room). `units` size entries, `delay` as in the columns (entry 0 unused), `delays` the table. */
SPK_API size_t spk_episode_format(const spk_recording *recording, uint32_t size,
                                  const uint32_t *units, const uint16_t *delay,
                                  const spk_delay *delays, char *buffer, size_t buffer_size);

/* ---- engines --------------------------------------------------------------------------------- */

typedef struct spk_engine_info {
    const char *name;
    const char *summary; /* one line */
    const char *needs;   /* what it needs, "" for nothing */
    bool on_gpu;
    bool available;
    char reason[160]; /* why it is not available, "" when it is */
} spk_engine_info;

/* Number of episode engines, and facts about engine k < n (built or not). */
SPK_API size_t spk_episode_engine_count(void);
SPK_API SPK_MUST_CHECK spk_status spk_episode_engine_info(size_t k, spk_engine_info *out);

/* ---- mining ---------------------------------------------------------------------------------- */

typedef enum spk_two_pass {
    SPK_TWO_PASS_AUTO, /* where it pays, by the policy in episode/engine/policy.c */
    SPK_TWO_PASS_ON,   /* drop candidates by the relaxed count first (PreElim, section 5.2) */
    SPK_TWO_PASS_OFF
} spk_two_pass;

/* How engine cuda-tracking compacts the occurrences it finds (paper "Accelerator-oriented
 * algorithm transformation for temporal data mining", section 4); no other engine looks at it. */
typedef enum spk_compaction {
    SPK_COMPACTION_SCAN,  /* count, scan, write: keeps order */
    SPK_COMPACTION_FLAG,  /* write with gaps and flags, then select */
    SPK_COMPACTION_ATOMIC /* counters in blocks and one for all, then sort */
} spk_compaction;

/* As many GPUs as there are. */
#define SPK_GPUS_ALL (-1)

/* Initialise with spk_episode_options_init; pointers are borrowed for the call. */
typedef struct spk_episode_options {
    size_t struct_size;      /* set by spk_episode_options_init */
    const spk_delay *delays; /* the set of intervals, at least 1 */
    size_t n_delays;
    uint64_t threshold; /* frequent: count >= threshold, at least 1 */
    uint32_t max_size;  /* longest episode; SPK_EPISODE_MAX_SIZE by default */
    const char *engine; /* a name, or "auto" */
    spk_two_pass two_pass;
    int gpus; /* for engines that run on GPUs: how many, 1 by default, or SPK_GPUS_ALL */
    spk_compaction compaction;
} spk_episode_options;

/* Support 1, all sizes, engine and two passes by the policy, one GPU where the engine takes any;
 * the delay intervals are missing. */
SPK_API void spk_episode_options_init(spk_episode_options *options, size_t struct_size);

/* Threshold for a fraction digits * 10^exponent of the number of events, rounded up, at least 1. */
SPK_API uint64_t spk_episode_threshold(const spk_recording *recording, spk_duration fraction);

/* Reads a support: "173" is a count, "0.1%" or "0.001" a share of the recording's events, rounded
 * up. Errors: SPK_ERR_ARGUMENT (not positive), SPK_ERR_FORMAT. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_support_parse(spk_context *context,
                                                            const spk_recording *recording,
                                                            const char *text, uint64_t *threshold);

/* One level of the search. */
typedef struct spk_episode_level {
    uint32_t size;
    uint64_t candidates;
    uint64_t eliminated; /* by the first of two passes */
    uint64_t frequent;
    double seconds;
} spk_episode_level;

/* Where the seconds went of a job whose candidates are counted in blocks; all 0 where the engine
 * searches by itself (cuda-sweep). The rest went to ordering and delivering results. */
typedef struct spk_episode_phases {
    double opening;    /* preparing the engine; on GPUs the recording's way to the devices */
    double candidates; /* making candidates, and keeping the frequent ones */
    double bounding;   /* the first of two passes */
    double counting;   /* exact counts; on GPUs with the way there and back of each block */
} spk_episode_phases;

typedef struct spk_episode_summary {
    char engine[32];    /* the one that ran */
    const char *choice; /* why auto took it; "" when asked for by name. Static text. */
    bool two_pass;
    int gpus;      /* how many it ran on; 0 on CPUs */
    bool complete; /* false after a cancel: only the levels listed are complete */
    uint32_t n_levels;
    spk_episode_level level[SPK_EPISODE_MAX_SIZE + 1];
    double seconds;
    spk_episode_phases phases;
} spk_episode_summary;

/* Called once per finished size, sizes ascending, with all frequent episodes of that size in
 * canonical order (count descending, then units, then interval indices). A status other than SPK_OK
 * ends the mining and is returned. */
typedef spk_status spk_episode_sink(void *user, const spk_episode_level *level,
                                    const spk_episode_columns *episodes);

/* Finds every frequent episode over all units and the given intervals, sizes 1 .. max_size.
 * `summary` may be NULL. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY, SPK_ERR_UNAVAILABLE,
 * SPK_ERR_UNSUPPORTED, SPK_ERR_CANCELLED (summary->level holds what was finished). */
SPK_API SPK_MUST_CHECK spk_status spk_episode_mine(spk_context *context,
                                                   const spk_recording *recording,
                                                   const spk_episode_options *options,
                                                   spk_episode_sink *sink, void *user,
                                                   spk_episode_summary *summary);

/* Counts the episodes of a list (its count column is filled in). Of `options` engine, gpus and
 * compaction count. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_count(spk_context *context,
                                                    const spk_recording *recording,
                                                    const spk_episode_options *options,
                                                    spk_episode_list *list,
                                                    spk_episode_summary *summary);

/* ---- occurrences ----------------------------------------------------------------------------- */

/* Called once per counted occurrence, in order of time; `time` has `size` entries in ticks, one per
 * position. Among the occurrences with the same end it is the one that starts latest. */
typedef spk_status spk_occurrence_sink(void *user, uint32_t size, const int64_t *time);

/* The counted occurrences of one episode; their number is its count. `units` size entries;
 * delays[p] between positions p and p + 1. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_occurrences(spk_context *context,
                                                          const spk_recording *recording,
                                                          uint32_t size, const uint32_t *units,
                                                          const spk_delay *delays,
                                                          spk_occurrence_sink *sink, void *user);

#ifdef __cplusplus
}
#endif

#endif
