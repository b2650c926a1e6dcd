/*
 * A search for patterns over ranks: each mines pieces, and all get what all have found, in the
 * order in which one process finds it.
 */
#pragma once

#include "distribute/ranks.h"
#include "pattern/engine/engine.h"
#include "spikemine/pattern.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/*
 * Runs: what the ranks of a search for patterns have found, in pieces that know their place.
 *
 * A rank gives the heads of its runs, each followed by its place in the order of the search:
 * numbers that compare one after the other, a shorter place before the longer ones that it begins.
 * Several runs of a rank may have the same place, and stay in their order. The bytes of a run stand
 * behind its place, or stay where they were made until they are asked for.
 */

typedef struct spk_run_head {
    uint64_t n_place; /* numbers of 32 bits */
    uint64_t n;       /* patterns */
    uint64_t n_bytes;
} spk_run_head;

typedef struct spk_run {
    spk_run_head head;
    const unsigned char *place; /* need not be aligned */
    const unsigned char *bytes; /* likewise; NULL: at the rank that made them */
    uint64_t at;                /* there, from the first byte of its first run */
    int rank;
} spk_run;

/* Begins zeroed. */
typedef struct spk_run_list {
    uint64_t n;
    uint64_t capacity;
    spk_run *run;    /* by rank, as it made them */
    uint32_t *order; /* of the search */
} spk_run_list;

/* The runs of what all ranks gave, which must stay. `apart`: the bytes are not among it. Without
 * `ordered` the order is that of the ranks. Errors: SPK_ERR_INTERNAL (no heads), SPK_ERR_RANGE,
 * SPK_ERR_MEMORY; the list is to be freed in any case. */
spk_status spk_run_list_make(spk_context *context, const spk_exchanged *all, int n_ranks,
                             bool apart, bool ordered, spk_run_list *list);
void spk_run_list_free(spk_run_list *list);

/* Brings the bytes of all runs, which are apart, to to->take of rank 0, in order and a few
 * megabytes at a time; `mine` are those of this rank's runs. A failure of `take` is returned when
 * all bytes have come, of which it gets no more. `take` may be NULL. Collective. Errors also:
 * SPK_ERR_MEMORY. */
spk_status spk_runs_collect(spk_context *context, const spk_ranks *ranks, const spk_run_list *list,
                            const unsigned char *mine, const spk_pattern_bytes *to);

/* Whether the context's ranks share a search by this engine. */
bool spk_pattern_is_shared(const spk_context *context, const spk_pattern_engine *engine);

/* engine->mine over all ranks. `sink` gets all patterns, when all are found. What all ranks have
 * found is in the memory of each, unless the job is unordered: then the sink gets patterns
 * whenever ranks exchange. With `bytes`, for which the ranks need send and receive, patterns go
 * there in place of the sink, and each rank has in memory what it found itself. Errors also:
 * SPK_ERR_MEMORY. */
spk_status spk_pattern_mine_shared(spk_context *context, const spk_pattern_engine *engine,
                                   const spk_pattern_job *job, const spk_pattern_bytes *bytes,
                                   spk_pattern_sink *sink, void *user);
