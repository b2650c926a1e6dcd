/* A growing list of patterns, as columns. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "spikemine/pattern.h"

struct spk_pattern_list {
    spk_context *context;
    spk_pattern_columns columns;
    uint64_t *offset;
    uint32_t *item;
    uint32_t *count;
    uint64_t capacity; /* of offset and count; one pattern less, for offset[n] */
    uint64_t item_capacity;
};

static void set_columns(spk_pattern_list *list)
{
    list->columns.offset = list->offset;
    list->columns.item = list->item;
    list->columns.count = list->count;
}

/* Space for n patterns, not for their items. */
static spk_status grow(spk_pattern_list *list, uint64_t n)
{
    return spk_grow_columns(list->context, &list->capacity, n + 1, "patterns",
                            SPK_COLUMN(&list->offset, 1), SPK_COLUMN(&list->count, 1));
}

spk_status spk_pattern_list_create(spk_context *context, uint32_t window, spk_pattern_list **out)
{
    *out = NULL;
    spk_pattern_list *list = NULL;
    spk_status status = spk_alloc_zero(context, &list, 1, "a pattern list");
    if (status != SPK_OK)
        return status;
    list->context = context;
    list->columns.window = window;
    status = grow(list, 0);
    if (status != SPK_OK) {
        spk_pattern_list_free(list);
        return status;
    }
    list->offset[0] = 0;
    set_columns(list);
    *out = list;
    return SPK_OK;
}

void spk_pattern_list_free(spk_pattern_list *list)
{
    if (list == NULL)
        return;
    free(list->offset);
    free(list->item);
    free(list->count);
    free(list);
}

spk_pattern_columns spk_pattern_list_columns(const spk_pattern_list *list)
{
    return list->columns;
}

/* Refuses growth beyond the memory limit before it happens. Growing by half holds the old column
 * and the new one for a moment. */
static spk_status check_limit(const spk_pattern_list *list, uint64_t n, uint64_t n_items)
{
    uint64_t limit = spk_context_memory_limit(list->context);
    uint64_t bytes = list->capacity * 12 + list->item_capacity * 4;
    if (n + 1 > list->capacity)
        bytes += list->capacity * 18;
    if (n_items > list->item_capacity)
        bytes += list->item_capacity * 6;
    if (limit == 0 || bytes <= limit)
        return SPK_OK;
    return spk_fail(
        list->context, SPK_ERR_MEMORY,
        "%llu patterns are more than the memory limit of %.1f MB holds; raise "
        "--max-memory or the least occurrences, count with --spectrum, or write without "
        "the moving-window step",
        (unsigned long long)n, (double)limit / 1e6);
}

spk_status spk_pattern_list_add(void *user, const spk_pattern_columns *patterns)
{
    spk_pattern_list *list = user;
    uint64_t n = list->columns.n, more = patterns->n;
    if (more == 0)
        return SPK_OK;
    assert(patterns->window == list->columns.window);
    uint64_t begin = patterns->offset[0], n_items = patterns->offset[more] - begin;
    uint64_t at = list->offset[n];
    assert(patterns->window == list->columns.window && patterns->offset[more] >= begin);
    spk_status status = check_limit(list, n + more, at + n_items);
    if (status == SPK_OK)
        status = grow(list, n + more);
    if (status == SPK_OK)
        status =
            spk_grow(list->context, &list->item, &list->item_capacity, at + n_items, "patterns");
    set_columns(list);
    if (status != SPK_OK)
        return status;
    memcpy(list->item + at, patterns->item + begin, (size_t)n_items * sizeof *list->item);
    memcpy(list->count + n, patterns->count, (size_t)more * sizeof *list->count);
    for (uint64_t i = 0; i < more; i++)
        list->offset[n + i + 1] = at + (patterns->offset[i + 1] - begin);
    list->columns.n = n + more;
    return SPK_OK;
}

void spk_pattern_list_keep(spk_pattern_list *list, const uint8_t *keep)
{
    uint64_t kept = 0, at = 0;
    for (uint64_t i = 0; i < list->columns.n; i++) {
        uint64_t begin = list->offset[i], size = list->offset[i + 1] - begin;
        if (keep[i] == 0)
            continue;
        memmove(list->item + at, list->item + begin, (size_t)size * sizeof *list->item);
        list->count[kept] = list->count[i];
        assert(kept <= i && at <= begin);
        list->offset[kept++] = at; /* never beyond i, whose bounds were read above */
        at += size;
    }
    list->offset[kept] = at;
    list->columns.n = kept;
}
