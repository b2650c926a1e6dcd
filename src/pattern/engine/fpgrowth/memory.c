/* Budget and arena of the fpgrowth engine. */
#include "pattern/engine/fpgrowth/memory.h"

#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 18, ALIGNMENT = 16 };

struct spk_fp_chunk {
    spk_fp_chunk *next;
    size_t size; /* of data */
    size_t used;
    _Alignas(ALIGNMENT) unsigned char data[];
};

void spk_fp_budget_init(spk_fp_budget *budget, uint64_t limit)
{
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
    budget->limit = limit;
}

bool spk_fp_budget_take(spk_fp_budget *budget, uint64_t bytes)
{
    uint64_t used = atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed) + bytes;
    if (budget->limit > 0 && used > budget->limit) {
        spk_fp_budget_give(budget, bytes);
        return false;
    }
    uint64_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);
    while (used > peak &&
           !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, used, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
    return true;
}

void spk_fp_budget_give(spk_fp_budget *budget, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}

void *spk_fp_malloc(spk_fp_budget *budget, size_t bytes)
{
    if (!spk_fp_budget_take(budget, bytes))
        return NULL;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        spk_fp_budget_give(budget, bytes);
    return memory;
}

void spk_fp_free(spk_fp_budget *budget, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    free(memory);
    spk_fp_budget_give(budget, bytes);
}

void spk_fp_arena_init(spk_fp_arena *arena, spk_fp_budget *budget)
{
    *arena = (spk_fp_arena){.budget = budget};
}

/* Moves on to a chunk with room for `bytes`: the next one kept from before, or a new one in front
 * of it. A kept chunk that is too small stays for later requests. */
static spk_fp_chunk *next_chunk(spk_fp_arena *arena, size_t bytes)
{
    spk_fp_chunk *current = arena->current;
    spk_fp_chunk *kept = current != NULL ? current->next : arena->first;
    if (kept != NULL && kept->size >= bytes) {
        kept->used = 0;
        arena->current = kept;
        return kept;
    }
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    spk_fp_chunk *chunk = spk_fp_malloc(arena->budget, sizeof *chunk + size);
    if (chunk == NULL)
        return NULL;
    *chunk = (spk_fp_chunk){.next = kept, .size = size};
    if (current != NULL)
        current->next = chunk;
    else
        arena->first = chunk;
    arena->current = chunk;
    return chunk;
}

void *spk_fp_arena_alloc(spk_fp_arena *arena, size_t n, size_t size)
{
    if (n > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    spk_fp_chunk *chunk = arena->current;
    if (chunk == NULL || chunk->size - chunk->used < bytes)
        chunk = next_chunk(arena, bytes);
    if (chunk == NULL)
        return NULL;
    void *memory = chunk->data + chunk->used;
    chunk->used += bytes;
    return memory;
}

spk_fp_mark spk_fp_arena_mark(const spk_fp_arena *arena)
{
    return (spk_fp_mark){arena->current, arena->current != NULL ? arena->current->used : 0};
}

void spk_fp_arena_release(spk_fp_arena *arena, spk_fp_mark mark)
{
    arena->current = mark.chunk;
    if (mark.chunk != NULL)
        mark.chunk->used = mark.used;
}

void spk_fp_arena_free(spk_fp_arena *arena)
{
    for (spk_fp_chunk *chunk = arena->first; chunk != NULL;) {
        spk_fp_chunk *next = chunk->next;
        spk_fp_free(arena->budget, chunk, sizeof *chunk + chunk->size);
        chunk = next;
    }
    arena->first = NULL;
    arena->current = NULL;
}
