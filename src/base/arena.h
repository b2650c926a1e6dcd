/*
 * Memory of searches. An arena hands out pieces of large blocks and takes back, at once, everything
 * that was handed out since a mark; a search releases what a branch used when it leaves the branch.
 * A budget bounds the memory of a job whose threads have an arena each.
 */
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- budgets --------------------------------------------------------------------------------- */

/* Bytes taken by a job; may be used by threads at once. */
typedef struct spk_budget {
    _Atomic uint64_t used;
    _Atomic uint64_t peak;
    uint64_t limit; /* 0: none */
} spk_budget;

void spk_budget_init(spk_budget *budget, uint64_t limit);

/* malloc and free that charge the budget. NULL: over the limit, and then nothing is charged, or out
 * of memory. `bytes` of a block are the same at both. */
void *spk_budget_alloc(spk_budget *budget, size_t bytes);
void spk_budget_free(spk_budget *budget, void *memory, size_t bytes);

/* ---- arenas ---------------------------------------------------------------------------------- */

/* A block; what it holds lies behind it. */
typedef struct spk_arena_block {
    struct spk_arena_block *before;
    size_t size; /* of bytes */
    size_t used;
    unsigned char *bytes; /* aligned */
} spk_arena_block;

/* Moving the struct moves the arena. */
typedef struct spk_arena {
    spk_budget *budget;     /* NULL: none */
    size_t alignment;       /* of every piece, a power of two from 16 on */
    size_t block_bytes;     /* least size of a block */
    spk_arena_block *block; /* the one in use; earlier ones hang on it */
    spk_arena_block *spare; /* one that was released, so that a search at a border need not ask the
                               system again and again */
} spk_arena;

typedef struct spk_arena_mark {
    spk_arena_block *block;
    size_t used;
} spk_arena_mark;

/* An arena without memory yet. */
spk_arena spk_arena_make(size_t alignment, size_t block_bytes, spk_budget *budget);

/* From a fresh block in front; only for spk_arena_alloc. */
void *spk_arena_alloc_slowly(spk_arena *arena, size_t bytes);

/* Uninitialised memory of n * size bytes; NULL when it is out or over the budget. */
static inline void *spk_arena_alloc(spk_arena *arena, uint64_t n, size_t size)
{
    assert(arena->alignment > 0 && size > 0);
    if (n > SIZE_MAX / 4 / size)
        return NULL;
    size_t bytes = ((size_t)n * size + arena->alignment - 1) & ~(arena->alignment - 1);
    spk_arena_block *block = arena->block;
    if (block == NULL || block->size - block->used < bytes)
        return spk_arena_alloc_slowly(arena, bytes);
    void *out = block->bytes + block->used;
    block->used += bytes;
    return out;
}

/* Where the arena stands; releasing to a mark frees all that came later. */
spk_arena_mark spk_arena_get_mark(const spk_arena *arena);
void spk_arena_release(spk_arena *arena, spk_arena_mark mark);

/* Frees everything; the arena may be used again. */
void spk_arena_free(spk_arena *arena);
