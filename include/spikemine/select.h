/*
 * What of a list of results is shown: the large ones, the ones that no other one contains, the
 * best ones; and families of near-duplicates.
 *
 * A list of frequent episodes holds each part of a long episode, too:
 *
 *     A -> B -> C -> D   count 12        maximal, closed
 *     A -> B -> C        count 12        neither: a part of the first one, and occurs as often
 *          B -> C -> D   count 20        closed: it occurs more often than what contains it
 *
 * An episode contains its contiguous parts with the same intervals. A pattern contains its parts at
 * the same lags, also from a later spike on: a@0 b@3 c@5 contains b@0 c@2.
 *
 * The best results come first in this order: with a test the higher score; then more different
 * units, more positions (spikes), the larger count. What is left equal is ordered by unit numbers
 * and intervals, so that the choice never depends on the order of the list.
 */
#ifndef SPIKEMINE_SELECT_H
#define SPIKEMINE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spikemine/context.h"
#include "spikemine/episode.h"
#include "spikemine/pattern.h"

SPK_BEGIN_C

/* What is chosen. Initialise with spk_select_options_init; pointers are borrowed for the call. */
typedef struct spk_select_options {
    size_t struct_size;      /* set by spk_select_options_init */
    uint32_t min_size;       /* positions of an episode, spikes of a pattern; 0: no limit */
    uint32_t distinct_units; /* at least as many different units; 0: no limit */
    bool maximal;            /* no result of the list contains it */
    bool closed;             /* no result of the list that contains it has the same count */
    uint64_t top;            /* the N best of what is left; 0: all */
    const uint32_t *score;   /* by result: what a test gives; NULL: there was none */
    const uint8_t *among;    /* by result: 0 for one that is no part of the list; NULL: all are */
} spk_select_options;

/* Everything is chosen. */
SPK_API void spk_select_options_init(spk_select_options *options, size_t struct_size);

/* The numbers of the chosen results into `chosen`, which has room for as many as the list has;
 * with `top` the best one first, else in the order of the list. Whatever contains a result has as
 * many positions and units, so that the limits on them and `maximal` go together in any order.
 * Errors: SPK_ERR_ARGUMENT, SPK_ERR_RANGE (over 4294967294 results), SPK_ERR_MEMORY,
 * SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_select_episodes(spk_context *context,
                                                      const spk_episode_columns *episodes,
                                                      const spk_select_options *options,
                                                      uint64_t *chosen, uint64_t *n_chosen);
/* Mined patterns are closed already; a pattern here is closed when no other one of the list that
 * contains it, at any shift, has the same count. */
SPK_API SPK_MUST_CHECK spk_status spk_select_patterns(spk_context *context,
                                                      const spk_pattern_columns *patterns,
                                                      const spk_select_options *options,
                                                      uint64_t *chosen, uint64_t *n_chosen);

/* ---- families -------------------------------------------------------------------------------- */

/*
 * A sequence through ten units makes hundreds of frequent episodes: parts of it, and chains that
 * skip some units. They occur at the same times and have common units in the same order. Families
 * group such near-duplicates:
 *
 *     A B C D, A B D F, B C D E, C E F G      one family: A B C D E F G
 *     P Q R S, P R S T                        another one
 *
 *   1. Time is cut into cells; for episodes as long as the largest finite upper bound of their
 *      intervals, for patterns as long as a window. The cells of a result are where events of its
 *      counted occurrences lie. Only cells in which something fires count.
 *   2. The coincidence of two results is the correlation of their cells: 1 for the same cells, 0
 *      where they meet as often as chance lets them. Where more pairs of common units come in the
 *      opposite order than in the same, it counts half.
 *   3. Cores are the results with enough different units. The best 2,048 of them are grouped by
 *      average linkage: two groups are joined as long as the mean coincidence of all pairs, one of
 *      each group, reaches the limit. A single pair that coincides by chance joins nothing, so
 *      that groups do not grow into chains.
 *   4. Each other core joins the group with which its mean coincidence is largest, where that is
 *      above the limit; the order of most results of the group is the group's. The best 2,048 that
 *      join nothing are grouped among themselves, up to eight times in all.
 *   5. Groups with less than a hundredth of the cores are no families. Results with fewer different
 *      units, at least two, join families in the same way as parts. Results of one unit are in no
 *      family.
 *
 * The answer depends on the results, not on their order. Time grows with their number; memory holds
 * the profiles of 2,048 cores at most eight times.
 */

/* Result of no family. */
#define SPK_NO_FAMILY 4294967295u

/* How results are grouped. Initialise with spk_family_options_init; pointers are borrowed for the
 * call. */
typedef struct spk_family_options {
    size_t struct_size;  /* set by spk_family_options_init */
    double coincidence;  /* the limit, above 0 and below 1; 0.2 by default */
    uint32_t core_units; /* different units of a core, at least 2; 0 (default): 4, or as many as the
                            most diverse result has */
    uint64_t min_cores;  /* of a family; 0 (default): a hundredth of all cores, rounded up */
    const uint32_t *score; /* by result: what a test gives; NULL: there was none */
    const uint8_t *among;  /* by result: 0 for one that is no part of the list; NULL: all are */
    const uint8_t
        *aside; /* by result: 1 for one that may be no sequence. It is the best of its
                   family only where all are so, and such families come last; NULL: none */
} spk_family_options;

/* The defaults. */
SPK_API void spk_family_options_init(spk_family_options *options, size_t struct_size);

typedef struct spk_family {
    uint64_t best;      /* number of its best core */
    uint64_t n_members; /* cores and parts */
    uint64_t n_cores;
    uint64_t n_occurrences; /* stretches of neighbouring cells in each of which a quarter of its
                               cores occur */
    uint32_t n_units;       /* units that a twentieth of its cores have, ... */
    const uint32_t *unit;   /* ... in the order in which they fire */
} spk_family;

/* All families, those with many members first, behind them those whose best stands aside. Pointers
 * into the families, valid as long as they live. */
typedef struct spk_family_columns {
    uint64_t n;
    const spk_family *family;
    uint64_t n_results;     /* of the list that was grouped */
    const uint32_t *member; /* by result: number of its family, SPK_NO_FAMILY */
    uint64_t n_members;     /* results in families */
    uint64_t n_cores;       /* of the list */
    uint32_t core_units;    /* different units of a core */
    uint64_t n_small;       /* groups with too few cores, ... */
    uint64_t n_small_cores; /* ... and their cores */
} spk_family_columns;

/* Families of a list.
 * Threads: any number may read them at the same time. */
typedef struct spk_families spk_families;

/* Groups episodes of `recording`. Looks the occurrences of each episode up, as
 * spk_episode_occurrences does. Errors: SPK_ERR_ARGUMENT, SPK_ERR_RANGE (over 4294967294 results),
 * SPK_ERR_MEMORY, SPK_ERR_CANCELLED. */
SPK_API SPK_MUST_CHECK spk_status spk_families_of_episodes(spk_context *context,
                                                           const spk_recording *recording,
                                                           const spk_episode_columns *episodes,
                                                           const spk_family_options *options,
                                                           spk_families **out);
/* Groups patterns of `windows`. Errors as above. */
SPK_API SPK_MUST_CHECK spk_status spk_families_of_patterns(spk_context *context,
                                                           const spk_windows *windows,
                                                           const spk_pattern_columns *patterns,
                                                           const spk_family_options *options,
                                                           spk_families **out);
SPK_API void spk_families_free(spk_families *families);
SPK_API spk_family_columns spk_families_columns(const spk_families *families);

/* Families in words, "2 families (87 and 4 members)", with the members of the first six. Writes at
 * most `size` bytes with the 0 at the end, and returns the length of the whole text without it. */
SPK_API size_t spk_family_format(const spk_family_columns *families, char *buffer, size_t size);

SPK_END_C

#endif
