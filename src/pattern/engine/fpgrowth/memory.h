/*
 * Memory of the fpgrowth engine: a budget that all threads of a job share, and an arena per thread
 * for the conditional trees, which live exactly as long as the recursion that built them.
 */
#ifndef SPK_PATTERN_ENGINE_FPGROWTH_MEMORY_H
#define SPK_PATTERN_ENGINE_FPGROWTH_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes taken by the job; limit 0 means none. */
typedef struct spk_fp_budget {
    _Atomic uint64_t used;
    _Atomic uint64_t peak;
    uint64_t limit;
} spk_fp_budget;

void spk_fp_budget_init(spk_fp_budget *budget, uint64_t limit);

/* Takes `bytes`; false when that would exceed the limit, and then nothing is taken. */
bool spk_fp_budget_take(spk_fp_budget *budget, uint64_t bytes);
void spk_fp_budget_give(spk_fp_budget *budget, uint64_t bytes);

/* malloc and free that charge the budget. NULL: over the limit or out of memory. */
void *spk_fp_malloc(spk_fp_budget *budget, size_t bytes);
void spk_fp_free(spk_fp_budget *budget, void *memory, size_t bytes);

/* A stack of allocations in chunks that are kept for reuse. */
typedef struct spk_fp_chunk spk_fp_chunk;
typedef struct spk_fp_arena {
    spk_fp_budget *budget;
    spk_fp_chunk *first;
    spk_fp_chunk *current;
} spk_fp_arena;

typedef struct spk_fp_mark {
    spk_fp_chunk *chunk;
    size_t used;
} spk_fp_mark;

void spk_fp_arena_init(spk_fp_arena *arena, spk_fp_budget *budget);

/* Uninitialised, aligned to 16 bytes; NULL: over the limit or out of memory. */
void *spk_fp_arena_alloc(spk_fp_arena *arena, size_t n, size_t size);

/* Everything allocated after the mark is released at once. */
spk_fp_mark spk_fp_arena_mark(const spk_fp_arena *arena);
void spk_fp_arena_release(spk_fp_arena *arena, spk_fp_mark mark);

void spk_fp_arena_free(spk_fp_arena *arena);

#endif
