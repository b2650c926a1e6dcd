/*
 * cuda-bitmap: what rounds bring, put in order. Warps write patterns side by side, each those of
 * its task in the order of the search. Tasks are numbered in that order, too, so that a stable sort
 * by task is all that is missing. Patterns whose turn has not come are held until the next round.
 * Host threads make batches of them, or their bytes, side by side; batches leave in order.
 */
#pragma once

#include "pattern/engine/cuda/run.h"

/* What a host thread makes of some records. */
typedef struct cp_batch {
    uint64_t n;
    uint64_t *offset;
    uint32_t *count;
    uint32_t *item;
    uint64_t item_room;
    const char *bytes; /* where bytes are wanted */
    uint64_t n_bytes;
    spk_status status;
} cp_batch;

typedef struct cp_records {
    spk_pattern_sink *sink;
    void *user;
    const spk_pattern_bytes *bytes; /* in place of the sink; or NULL */
    bool unordered;
    int n_makers;   /* host threads */
    uint32_t *word; /* records that have not left: task, size, count, items */
    uint64_t n;
    uint64_t room;
    uint64_t *first; /* scratch, by task: where its records go */
    uint64_t first_room;
    uint64_t *record; /* scratch: where each record begins */
    uint64_t record_room;
    cp_batch *batch; /* n_makers of them */
} cp_records;

/* Begins with none; free it in any case. */
spk_status cp_records_open(spk_context *context, const spk_pattern_job *job, spk_pattern_sink *sink,
                           void *user, cp_records *out);

/* Hands patterns over that no task made. */
spk_status cp_records_pass(const cp_records *records, const spk_pattern_columns *patterns);

/* A cp_take; `user` is a cp_records. */
spk_status cp_records_take(cp_run *run, uint64_t sure, void *user);
void cp_records_free(cp_records *records);
