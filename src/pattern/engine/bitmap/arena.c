/* Memory of one search: blocks that are filled and released like a stack. */
#include <stdlib.h>

#include "pattern/engine/bitmap/bitmap.h"

enum { ALIGNMENT = 64, LEAST_BLOCK = 1 << 20 };

struct spk_arena_block {
    spk_arena_block *before;
    size_t size;
    size_t used;
    unsigned char *bytes; /* aligned, behind the header */
};

static spk_arena_block *block_create(size_t size)
{
    size_t header = (sizeof(spk_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    spk_arena_block *block = aligned_alloc(ALIGNMENT, header + size);
    if (block != NULL)
        *block = (spk_arena_block){.size = size, .bytes = (unsigned char *)block + header};
    return block;
}

void *spk_arena_alloc(spk_arena *arena, uint64_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    size_t size = ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    spk_arena_block *block = arena->block;
    if (block == NULL || block->size - block->used < size) {
        /* One released block is kept at hand, so that a search at a border does not allocate anew.
         */
        if (arena->spare != NULL && arena->spare->size >= size) {
            block = arena->spare;
            arena->spare = NULL;
            block->used = 0;
        } else {
            block = block_create(size > LEAST_BLOCK ? size : LEAST_BLOCK);
        }
        if (block == NULL)
            return NULL;
        block->before = arena->block;
        arena->block = block;
    }
    void *out = block->bytes + block->used;
    block->used += size;
    return out;
}

spk_arena_mark spk_arena_get_mark(const spk_arena *arena)
{
    return (spk_arena_mark){arena->block, arena->block != NULL ? arena->block->used : 0};
}

void spk_arena_release(spk_arena *arena, spk_arena_mark mark)
{
    while (arena->block != mark.block) {
        spk_arena_block *block = arena->block;
        arena->block = block->before;
        free(arena->spare);
        arena->spare = block;
    }
    if (arena->block != NULL)
        arena->block->used = mark.used;
}

void spk_arena_free(spk_arena *arena)
{
    spk_arena_release(arena, (spk_arena_mark){NULL, 0});
    free(arena->spare);
    arena->spare = NULL;
}
