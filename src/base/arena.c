/* Arenas: blocks that are filled and released like a stack. Budgets. */
#include "base/arena.h"

#include <stdlib.h>

/* ---- budgets --------------------------------------------------------------------------------- */

void spk_budget_init(spk_budget *budget, uint64_t limit)
{
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
    budget->limit = limit;
}

static void give_back(spk_budget *budget, uint64_t bytes)
{
    uint64_t used = atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
    assert(used >= bytes);
    (void)used;
}

/* False when the limit would be exceeded, and then nothing is taken. */
static bool take(spk_budget *budget, uint64_t bytes)
{
    uint64_t used = atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed) + bytes;
    if (budget->limit > 0 && used > budget->limit) {
        give_back(budget, bytes);
        return false;
    }
    uint64_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);
    while (used > peak &&
           !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, used, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
    return true;
}

void *spk_budget_alloc(spk_budget *budget, size_t bytes)
{
    if (!take(budget, bytes))
        return NULL;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        give_back(budget, bytes);
    return memory;
}

void spk_budget_free(spk_budget *budget, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    free(memory);
    give_back(budget, bytes);
}

/* ---- arenas ---------------------------------------------------------------------------------- */

static size_t round_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) & ~(alignment - 1);
}

spk_arena spk_arena_make(size_t alignment, size_t block_bytes, spk_budget *budget)
{
    assert(alignment >= 16 && (alignment & (alignment - 1)) == 0);
    return (spk_arena){
        .budget = budget, .alignment = alignment, .block_bytes = round_up(block_bytes, alignment)};
}

static size_t header_bytes(const spk_arena *arena)
{
    return round_up(sizeof(spk_arena_block), arena->alignment);
}

static spk_arena_block *block_create(const spk_arena *arena, size_t size)
{
    size_t header = header_bytes(arena);
    if (arena->budget != NULL && !take(arena->budget, header + size))
        return NULL;
    spk_arena_block *block = aligned_alloc(arena->alignment, header + size);
    if (block != NULL)
        *block = (spk_arena_block){.size = size, .bytes = (unsigned char *)block + header};
    else if (arena->budget != NULL)
        give_back(arena->budget, header + size);
    return block;
}

static void block_free(const spk_arena *arena, spk_arena_block *block)
{
    if (block == NULL)
        return;
    if (arena->budget != NULL)
        give_back(arena->budget, header_bytes(arena) + block->size);
    free(block);
}

void *spk_arena_alloc_slowly(spk_arena *arena, size_t bytes)
{
    spk_arena_block *block = arena->spare;
    if (block != NULL && block->size >= bytes)
        arena->spare = NULL;
    else
        block = block_create(arena, bytes > arena->block_bytes ? bytes : arena->block_bytes);
    if (block == NULL)
        return NULL;
    block->before = arena->block;
    block->used = bytes;
    arena->block = block;
    return block->bytes;
}

spk_arena_mark spk_arena_get_mark(const spk_arena *arena)
{
    return (spk_arena_mark){arena->block, arena->block != NULL ? arena->block->used : 0};
}

void spk_arena_release(spk_arena *arena, spk_arena_mark mark)
{
    while (arena->block != mark.block) {
        spk_arena_block *block = arena->block;
        assert(block != NULL); /* the mark is of this arena, and older */
        arena->block = block->before;
        block_free(arena, arena->spare);
        arena->spare = block;
    }
    assert(arena->block == NULL || arena->block->used >= mark.used);
    if (arena->block != NULL)
        arena->block->used = mark.used;
}

void spk_arena_free(spk_arena *arena)
{
    spk_arena_release(arena, (spk_arena_mark){NULL, 0});
    block_free(arena, arena->spare);
    arena->spare = NULL;
}
