/*
 * Serial episodes A -(lo,hi]-> B -(lo,hi]-> C: mining, counting, occurrences.
 *
 * An occurrence takes one event for each position, with lo < delay <= hi between neighbours. Two
 * occurrences do not overlap when one of them ends strictly before the other one starts. The count
 * of an episode is the size of the largest set of occurrences of which no two overlap. An
 * occurrence lies within one segment of the recording, and the count is the sum over segments.
 * Every engine returns the same exact counts. Source: Cao, Patnaik, Ponce et al., "Parallel mining
 * of neuronal spike streams on graphics processing units", sections 2 and 5.
 *
 * A job in four lines:
 *
 *     spk_episode_options options;
 *     spk_episode_options_init(&options, sizeof options);
 *     options.delays = delays, options.n_delays = 1, options.support = 173;
 *     status = spk_episode_mine(context, recording, &options, sink, user, &summary);
 */
#ifndef SPIKEMINE_EPISODE_H
#define SPIKEMINE_EPISODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/engine.h"
#include "spikemine/gpu.h"
#include "spikemine/papers.h"
#include "spikemine/recording.h"

SPK_BEGIN_C

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

/* One finished size of a search. */
typedef struct spk_episode_level {
    uint32_t size;
    uint64_t candidates;
    uint64_t eliminated; /* by the first of two passes */
    uint64_t frequent;
    double seconds;
} spk_episode_level;

/* n episodes. Episode i has size[i] positions; its units are unit[offset[i]] ..
 * unit[offset[i] + size[i] - 1] and delay[offset[i] + p] (p >= 1) is the number, in the table
 * `delays`, of the interval between positions p - 1 and p (entry p = 0 is 0 and means nothing).
 * count[i] is its count, 0 where not counted. offset has n + 1 entries; size[i] = offset[i + 1] -
 * offset[i]. Columns that the library hands to a callback are valid during that call only. */
typedef struct spk_episode_columns {
    uint64_t n;
    const uint64_t *offset;
    const uint32_t *unit;
    const uint16_t *delay;
    const uint64_t *count;
    const spk_delay *delays; /* the table of intervals, n_delays of them */
    size_t n_delays;
    const spk_episode_level *level; /* the size that a search has finished; NULL: no search */
} spk_episode_columns;

/* Receives episodes. `user` is the pointer that the caller gave with the function. A status other
 * than SPK_OK ends the work, and the work returns it. spk_episode_list_add and the writers of
 * report.h are such functions. */
typedef spk_status spk_episode_sink(void *user, const spk_episode_columns *episodes);

/* A growing list of episodes, which owns its columns and its table of delay intervals.
 * Threads: one at a time; many may read the columns while nothing is added. */
typedef struct spk_episode_list spk_episode_list;

/* An empty list. `context` must outlive it: messages of spk_episode_list_add go there. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_create(spk_context *context,
                                                          spk_episode_list **out);
SPK_API void spk_episode_list_free(spk_episode_list *list);

/* The columns, level NULL: pointers into the list, valid until something is added. */
SPK_API spk_episode_columns spk_episode_list_columns(const spk_episode_list *list);

/* Appends one episode; delays[p] between positions p and p + 1 (size - 1 of them). Errors:
 * SPK_ERR_ARGUMENT (size), SPK_ERR_RANGE (over SPK_EPISODE_MAX_DELAYS different intervals),
 * SPK_ERR_MEMORY. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_append(spk_context *context,
                                                          spk_episode_list *list, uint32_t size,
                                                          const uint32_t *units,
                                                          const spk_delay *delays);

/* A spk_episode_sink: appends all episodes with their counts; `list` is a spk_episode_list. An
 * empty list takes over the table of delay intervals; other lists get new
 * intervals at the table's end. Errors
 * as spk_episode_list_append, and SPK_ERR_ARGUMENT for a delay entry outside the table. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_add(void *list,
                                                       const spk_episode_columns *episodes);

/* ---- the text form --------------------------------------------------------------------------- */

/* "5ms:10ms" -> (5ms,10ms], also "(5ms,10ms]"; checks lo < hi. Errors name what is wrong. */
SPK_API SPK_MUST_CHECK spk_status spk_delay_parse(spk_context *context, const char *text,
                                                  spk_delay *out);

/* "(5ms,10ms]"; returns the length like snprintf; 112 bytes always suffice. */
SPK_API size_t spk_delay_format(const spk_delay *delay, char *buffer, size_t size);

/* Reads `56 (5ms,10ms] 49 (5ms,10ms] 12` and appends it. Labels stand in double quotes when they
 * are empty, hold blanks, quotes, brackets, commas or control characters, or begin with '#'; in
 * quotes
 * "" is a quote, \\ a backslash, \t a tab, \n and \r line ends and \xHH any byte. Errors:
 * SPK_ERR_FORMAT; SPK_ERR_ARGUMENT for an unknown unit. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_parse(spk_context *context,
                                                    const spk_recording *recording,
                                                    const char *text, spk_episode_list *list);

/* Reads a file of episodes, one a line: the text form alone, or any tab separated table with a
 * header that has a column `episode`, as spikemine writes; plain or compressed. "-" is standard
 * input. What has an interval, as 56 (5ms,10ms] 49, and is no file is the episode itself. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_read(spk_context *context,
                                                        const spk_recording *recording,
                                                        const char *path, spk_episode_list **out);

/* The same for n sources in their order, which may name units which the recording lacks, as a list
 * made from another recording does. They never fire, so episodes with them count 0; a note names
 * them. *widened is then a copy of the recording with these units, for which the list's unit
 * numbers hold, to be freed by the caller; NULL where the recording has all units. Errors: also
 * SPK_ERR_RANGE (over SPK_MAX_UNITS). */
SPK_API SPK_MUST_CHECK spk_status spk_episode_list_read_widened(
    spk_context *context, const spk_recording *recording, size_t n, const char *const *sources,
    spk_recording **widened, spk_episode_list **out);

/* Writes the text form of episode i < episodes->n; returns the length like snprintf (so call twice,
 * or give room). */
SPK_API size_t spk_episode_format(const spk_recording *recording,
                                  const spk_episode_columns *episodes, uint64_t i, char *buffer,
                                  size_t buffer_size);

/* ---- mining ---------------------------------------------------------------------------------- */

typedef enum spk_two_pass {
    SPK_TWO_PASS_AUTO, /* where it pays, by the policy in episode/engine/policy.c */
    SPK_TWO_PASS_ON,   /* drop candidates by the relaxed count first (PreElim, section 5.2) */
    SPK_TWO_PASS_OFF
} spk_two_pass;

/* What the ranks of a job (ranks.h) share; without ranks all are the same. */
typedef enum spk_divide {
    SPK_DIVIDE_AUTO,       /* candidates, or time where the recording was read by time */
    SPK_DIVIDE_CANDIDATES, /* each rank counts a part of the episodes in the whole recording */
    SPK_DIVIDE_TIME        /* each rank counts all episodes in its stretch of the recording */
} spk_divide;

/* Initialise with spk_episode_options_init; pointers are borrowed for the call. */
typedef struct spk_episode_options {
    size_t struct_size;      /* set by spk_episode_options_init */
    const spk_delay *delays; /* the set of intervals, at least 1 */
    size_t n_delays;
    uint64_t support;   /* frequent: count >= support, at least 1 */
    uint32_t max_size;  /* longest episode; SPK_EPISODE_MAX_SIZE by default */
    const char *engine; /* a name, or "auto": engine.h has the choice */
    spk_two_pass two_pass;
    spk_compaction compaction; /* papers.h: engine cuda-tracking reads it, no other does */
    int gpus; /* 0 (default): the library decides; else the number of GPUs, or SPK_GPUS_ALL */
    /* By time: SPK_ERR_UNSUPPORTED for engines other than sweep and reference, and for ranks that
     * cannot send. */
    spk_divide divide;
    /* An episode of two units or more needs also link_share times the count that chance gives each
     * of its links, two neighbours with their interval (lo, hi]: at the units' mean rates
     * a b (hi - lo) / (T + max(a, b) (hi - lo)), with a and b events in the observed time T. So
     * busy units need a larger count than slow ones. 0 (default): the support is all. From 0 to
     * SPK_EPISODE_MAX_LINK_SHARE; not for ranks that divide the time (SPK_ERR_UNSUPPORTED). */
    double link_share;
} spk_episode_options;

#define SPK_EPISODE_MAX_LINK_SHARE 1e9

/* Support 1, all sizes, engine, passes and GPUs by the policy, no link share; the delay intervals
 * are missing. */
SPK_API void spk_episode_options_init(spk_episode_options *options, size_t struct_size);

/* A share of something: digits * 10^exponent, so that 0.1 % is {1, -3}. */
typedef struct spk_fraction {
    int64_t digits;
    int32_t exponent;
} spk_fraction;

/* The support that is this share of the recording's events, rounded up, at least 1. Events are
 * those of all segments; one that lies in two counts twice. */
SPK_API uint64_t spk_episode_support(const spk_recording *recording, spk_fraction share);

/* Reads a support: "173" is a count, "0.1%" a share of the recording's events, rounded up. A number
 * with a point needs the percent sign, since "1.0" could mean either. Without a recording (NULL)
 * the text is checked, and *support is set for a count only. Errors: SPK_ERR_ARGUMENT (not
 * positive, over 100 %), SPK_ERR_RANGE (over 64 bit), SPK_ERR_FORMAT. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_support_parse(spk_context *context,
                                                            const spk_recording *recording,
                                                            const char *text, uint64_t *support);

/* How the seconds of a job divide, when its candidates are counted in blocks. All are 0 for an
 * engine that runs the search itself (cuda-sweep). The other seconds of the job order and deliver
 * the results. */
typedef struct spk_episode_phases {
    double opening;    /* laying segments out for engines, preparing the engine; on GPUs also
                          sending the recording */
    double candidates; /* making candidates, and keeping the frequent ones */
    double bounding;   /* the first of two passes */
    double counting;   /* exact counts; on GPUs also sending each block and its counts */
} spk_episode_phases;

typedef struct spk_episode_summary {
    char engine[32];    /* the one that ran */
    const char *choice; /* why auto took it; "" when asked for by name. Static text. */
    bool two_pass;
    int gpus;      /* how many it ran on; 0 on processors */
    bool complete; /* false after a cancel: only the levels listed are complete */
    uint32_t n_levels;
    spk_episode_level level[SPK_EPISODE_MAX_SIZE + 1];
    double seconds;
    spk_episode_phases phases;
} spk_episode_summary;

/* Finds every frequent episode over all units and the given intervals, sizes 1 .. max_size: those
 * whose count reaches the support, and what link_share asks. The sink is called once per finished
 * size, sizes ascending, with all frequent episodes of that size in canonical order (count
 * descending, then units, then interval numbers), options->delays as their table, and the facts of
 * their level; it may be NULL, and so may `summary`. Errors: SPK_ERR_ARGUMENT, SPK_ERR_MEMORY,
 * SPK_ERR_UNAVAILABLE, SPK_ERR_UNSUPPORTED, SPK_ERR_CANCELLED (summary->level holds what was
 * finished). */
SPK_API SPK_MUST_CHECK spk_status spk_episode_mine(spk_context *context,
                                                   const spk_recording *recording,
                                                   const spk_episode_options *options,
                                                   spk_episode_sink *sink, void *user,
                                                   spk_episode_summary *summary);

/* Counts the episodes of a list and fills its count column. Only engine, gpus, compaction and
 * divide of `options` matter. */
SPK_API SPK_MUST_CHECK spk_status spk_episode_count(spk_context *context,
                                                    const spk_recording *recording,
                                                    const spk_episode_options *options,
                                                    spk_episode_list *list,
                                                    spk_episode_summary *summary);

SPK_END_C

#endif
