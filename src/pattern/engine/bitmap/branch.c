/*
 * Branches of a shared search as numbers.
 *
 * schedule.h has the layout. Invariant: what came from another process is checked before it is
 * used: ranks are below the number of items, masks no longer than a bit for each item, chunks not
 * empty, and no branch is without one. Cost: writing copies each number once; reading copies none,
 * a branch points into them. Bytes: 8 for each number.
 */
#include "pattern/engine/bitmap/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { HEAD_WORDS = 2, ITEM_WORDS = 2, CHUNK_WORDS = 3 };

/* ---- writing --------------------------------------------------------------------------------- */

static spk_status reserve(spk_context *context, spk_bitmap_words *words, uint64_t n)
{
    return spk_grow(context, &words->word, &words->capacity, words->n + n, "branches");
}

static void put(spk_bitmap_words *words, const uint64_t *word, uint64_t n)
{
    if (n > 0)
        memcpy(words->word + words->n, word, n * sizeof *word);
    words->n += n;
}

static uint64_t mask_words(const spk_bitmap_node *node)
{
    return ((uint64_t)node->n + 63) / 64;
}

/* The node that item i of the levels leads to. */
static const spk_bitmap_node *node_behind(const spk_bitmap_level *level, uint32_t n_levels,
                                          const spk_bitmap_node *node, uint32_t i)
{
    return i + 1 < n_levels ? level[i + 1].node : node;
}

static uint64_t base_words(const spk_bitmap_branch *base)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < base->depth; k++)
        n += base->item[ITEM_WORDS * (uint64_t)k + 1];
    return n;
}

spk_status spk_bitmap_branch_open(spk_context *context, spk_bitmap_words *words,
                                  const spk_bitmap_branch *base, const spk_bitmap_level *level,
                                  uint32_t n_levels, const spk_bitmap_node *node, uint64_t *at)
{
    const uint64_t head[HEAD_WORDS] = {(uint64_t)base->depth + n_levels, 0};
    uint64_t n = HEAD_WORDS + ITEM_WORDS * head[0] + base_words(base);
    for (uint32_t i = 0; i < n_levels; i++)
        n += mask_words(node_behind(level, n_levels, node, i));
    spk_status status = reserve(context, words, n);
    if (status != SPK_OK)
        return status;
    *at = words->n + 1;
    /* The way to the branch comes first, item by item; behind it the masks of what is alive on each
     * level, so that who takes the branch over prunes nothing again. */
    put(words, head, HEAD_WORDS);
    put(words, base->item, ITEM_WORDS * (uint64_t)base->depth);
    for (uint32_t i = 0; i < n_levels; i++) {
        const uint64_t item[ITEM_WORDS] = {level[i].node->rank[level[i].position],
                                           mask_words(node_behind(level, n_levels, node, i))};
        put(words, item, ITEM_WORDS);
    }
    put(words, base->alive, base_words(base));
    for (uint32_t i = 0; i < n_levels; i++) {
        const spk_bitmap_node *behind = node_behind(level, n_levels, node, i);
        put(words, behind->alive, mask_words(behind));
    }
    return SPK_OK;
}

spk_status spk_bitmap_branch_add(spk_context *context, spk_bitmap_words *words, uint64_t at,
                                 uint64_t begin, uint64_t end, uint64_t cost)
{
    const uint64_t chunk[CHUNK_WORDS] = {begin, end, cost};
    spk_status status = reserve(context, words, CHUNK_WORDS);
    if (status != SPK_OK)
        return status;
    put(words, chunk, CHUNK_WORDS);
    words->word[at]++;
    return SPK_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct word_reader {
    const uint64_t *word;
    uint64_t left;
} word_reader;

/* n numbers; NULL where fewer are left. */
static const uint64_t *take(word_reader *reader, uint64_t n)
{
    const uint64_t *word = reader->word;
    if (n > reader->left)
        return NULL;
    reader->word += n;
    reader->left -= n;
    return word;
}

/* Items and masks; false where they cannot be of this job. */
static bool read_items(word_reader *reader, const spk_bitmap_job *job, uint64_t depth,
                       spk_bitmap_branch *out)
{
    uint64_t n = 0;
    if (depth == 0 || depth > job->n_items)
        return false;
    out->item = take(reader, ITEM_WORDS * depth);
    for (uint64_t k = 0; out->item != NULL && k < depth; k++) {
        const uint64_t *item = out->item + ITEM_WORDS * k;
        if (item[0] >= (k == 0 ? job->n_roots : job->n_items) ||
            item[1] > ((uint64_t)job->n_items + 63) / 64)
            return false;
        n += item[1];
    }
    out->alive = out->item != NULL ? take(reader, n) : NULL;
    out->depth = (uint32_t)depth;
    return out->alive != NULL;
}

/* Chunks, likewise. */
static bool read_chunks(word_reader *reader, const spk_bitmap_job *job, uint64_t n_chunks,
                        spk_bitmap_branch *out)
{
    if (n_chunks == 0 || n_chunks > job->n_items)
        return false;
    out->chunk = take(reader, CHUNK_WORDS * n_chunks);
    for (uint64_t c = 0; out->chunk != NULL && c < n_chunks; c++) {
        const uint64_t *chunk = out->chunk + CHUNK_WORDS * c;
        if (chunk[0] >= chunk[1] || chunk[1] > job->n_items)
            return false;
    }
    out->n_chunks = (uint32_t)n_chunks;
    return out->chunk != NULL;
}

spk_status spk_bitmap_branches_read(spk_context *context, const uint64_t *word, uint64_t n,
                                    const spk_bitmap_job *job, spk_bitmap_branches *out)
{
    word_reader reader = {word, n};
    spk_status status = SPK_OK;
    out->n = 0;
    while (reader.left > 0 && status == SPK_OK) {
        spk_bitmap_branch branch = {.depth = 0};
        const uint64_t *head = take(&reader, HEAD_WORDS);
        if (head == NULL || !read_items(&reader, job, head[0], &branch) ||
            !read_chunks(&reader, job, head[1], &branch))
            return spk_fail(context, SPK_ERR_INTERNAL,
                            "the branches that other processes left make no sense here; all must "
                            "be the same program on machines with the same order of bytes");
        status = spk_grow(context, &out->branch, &out->capacity, out->n + 1, "branches");
        if (status == SPK_OK)
            out->branch[out->n++] = branch;
    }
    return status;
}

void spk_bitmap_branches_free(spk_bitmap_branches *branches)
{
    free(branches->branch);
    *branches = (spk_bitmap_branches){.n = 0};
}
