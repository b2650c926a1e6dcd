/*
 * cuda-bitmap: what rounds bring, put in order. Warps write patterns side by side, each those of
 * its task in the order of the search. Tasks are numbered in that order, too, so that a stable sort
 * by task is all that is missing. Patterns whose turn has not come are held until the next round.
 */
#ifndef SPK_PATTERN_ENGINE_CUDA_RECORDS_H
#define SPK_PATTERN_ENGINE_CUDA_RECORDS_H

#include "pattern/engine/cuda/run.h"

typedef struct cp_records {
    spk_pattern_sink *sink;
    void *user;
    bool unordered;
    uint32_t *word; /* records that have not left: task, size, count, items */
    uint64_t n;
    uint64_t room;
    uint64_t *first; /* scratch, by task: where its records go */
    uint64_t first_room;
    uint64_t *record; /* scratch: where each record begins */
    uint64_t record_room;
    uint64_t *offset; /* a batch for the sink */
    uint32_t *count;
    uint32_t *item;
    uint64_t item_room;
} cp_records;

/* A cp_take; `user` is a cp_records. */
spk_status cp_records_take(cp_run *run, uint64_t sure, void *user);
void cp_records_free(cp_records *records);

#endif
