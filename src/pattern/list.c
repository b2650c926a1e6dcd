/* A growing list of patterns, as columns. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/stage.h"
#include "base/threads.h"
#include "spikemine/pattern.h"

/* ---- text form ------------------------------------------------------------------------------- */

static void put_number(spk_text_buffer *b, uint32_t number)
{
    char digits[12];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0)
        spk_text_put_char(b, digits[--n]);
}

size_t spk_pattern_format(const spk_recording *recording, const spk_pattern_columns *patterns,
                          uint64_t i, char *buffer, size_t buffer_size)
{
    assert(i < patterns->n);
    spk_text_buffer b = {buffer, buffer_size, 0};
    for (uint64_t k = patterns->offset[i]; k < patterns->offset[i + 1]; k++) {
        uint32_t unit = patterns->item[k] / patterns->window;
        const char *label = recording != NULL ? spk_recording_label(recording, unit) : NULL;
        if (k > patterns->offset[i])
            spk_text_put_char(&b, ' ');
        if (label != NULL)
            spk_label_put(&b, label, spk_label_needs_quotes(label, "@"));
        else
            put_number(&b, unit);
        spk_text_put_char(&b, '@');
        put_number(&b, patterns->item[k] % patterns->window);
    }
    return spk_text_end(&b);
}

/* ---- lists ----------------------------------------------------------------------------------- */

struct spk_pattern_list {
    spk_context *context;
    spk_pattern_columns columns;
    uint64_t *offset;
    uint32_t *item;
    uint32_t *count;
    uint64_t capacity; /* of offset and count; one pattern less, for offset[n] */
    uint64_t item_capacity;
    spk_holding holding;
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
    spk_stage stage = spk_stage_open(context);
    status = grow(list, 0);
    spk_stage_keep(context, &stage, &list->holding);
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
    spk_free_all(list->offset, list->item, list->count);
    spk_holding_release(&list->holding);
    free(list);
}

spk_pattern_columns spk_pattern_list_columns(const spk_pattern_list *list)
{
    return list->columns;
}

static uint64_t lacking(uint64_t capacity, uint64_t needed)
{
    return needed > capacity ? needed - capacity + capacity / 16 : 0;
}

static spk_status fail_limit(const spk_pattern_list *list, uint64_t n)
{
    return spk_fail(
        list->context, SPK_ERR_MEMORY,
        "%llu patterns are more than the memory limit of %.1f MB holds; raise "
        "--max-memory or the least occurrences, count with --spectrum, or write without "
        "the moving-window step",
        (unsigned long long)n, (double)spk_context_memory_limit(list->context) / 1e6);
}

/* Space for n patterns with n_items in all, within the memory limit. */
static spk_status reserve(spk_pattern_list *list, uint64_t n, uint64_t n_items)
{
    spk_context *context = list->context;
    spk_stage stage = spk_stage_open(context);
    uint64_t more = lacking(list->capacity, n + 1) * (sizeof *list->offset + sizeof *list->count) +
                    lacking(list->item_capacity, n_items) * sizeof *list->item;
    spk_status status = spk_stage_fits(context, more) ? SPK_OK : fail_limit(list, n);
    if (status == SPK_OK)
        status = grow(list, n);
    if (status == SPK_OK)
        status = spk_grow(context, &list->item, &list->item_capacity, n_items, "patterns");
    spk_stage_keep(context, &stage, &list->holding);
    set_columns(list);
    return status;
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
    spk_status status = reserve(list, n + more, at + n_items);
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

/* ---- order ----------------------------------------------------------------------------------- */

/* What comparisons need. The key has what decides most of them, so that one number is read for
 * each pattern, where several lie apart otherwise:
 *
 *     most spikes - spikes | most occurrences - occurrences | item | item | ...
 *
 * with as many bits as the largest ones need, and items while 64 bits have room. */
typedef struct sort_keys {
    const spk_pattern_columns *patterns;
    uint64_t *key;
} sort_keys;

/* More spikes first, then more occurrences, then smaller items. */
static int compare_patterns(const void *user, uint32_t a, uint32_t b)
{
    const sort_keys *keys = user;
    const spk_pattern_columns *p = keys->patterns;
    if (keys->key[a] != keys->key[b])
        return keys->key[a] < keys->key[b] ? -1 : 1;
    /* Numbers of spikes and occurrences are equal. */
    const uint64_t size = p->offset[a + 1] - p->offset[a];
    const uint32_t *x = p->item + p->offset[a], *y = p->item + p->offset[b];
    for (uint64_t k = 0; k < size; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static unsigned bits_of(uint64_t most)
{
    return most > 0 ? 64 - (unsigned)__builtin_clzll(most) : 1;
}

static void make_keys(sort_keys *keys)
{
    const spk_pattern_columns *p = keys->patterns;
    uint64_t most_spikes = 0;
    uint32_t most_occurrences = 0, last_item = 0;
    for (uint64_t i = 0; i < p->n; i++) {
        const uint64_t size = p->offset[i + 1] - p->offset[i];
        most_spikes = size > most_spikes ? size : most_spikes;
        most_occurrences = p->count[i] > most_occurrences ? p->count[i] : most_occurrences;
    }
    for (uint64_t k = p->offset[0]; k < p->offset[p->n]; k++)
        last_item = p->item[k] > last_item ? p->item[k] : last_item;
    const unsigned for_count = bits_of(most_occurrences), for_item = bits_of(last_item);
    const unsigned room = 64 - for_count - bits_of(most_spikes); /* spikes of a window: few bits */
    for (uint64_t i = 0; i < p->n; i++) {
        const uint32_t *item = p->item + p->offset[i];
        const uint64_t size = p->offset[i + 1] - p->offset[i];
        uint64_t key = (most_spikes - size) << for_count | (most_occurrences - p->count[i]);
        for (uint64_t k = 0; k < room / for_item; k++)
            key = key << for_item | (k < size ? item[k] : 0);
        keys->key[i] = key;
    }
}

/* Copies the patterns into `out` in the order of the indices. */
static spk_status copy_in_order(const spk_pattern_columns *from, const uint32_t *index,
                                spk_pattern_list *out)
{
    spk_status status = reserve(out, from->n, from->offset[from->n]);
    if (status != SPK_OK)
        return status;
    const int threads = spk_threads_for(out->context, from->n);
    (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (uint64_t i = 0; i < from->n; i++) {
        out->offset[i + 1] = from->offset[index[i] + 1] - from->offset[index[i]];
        out->count[i] = from->count[index[i]];
    }
    for (uint64_t i = 0; i < from->n; i++)
        out->offset[i + 1] += out->offset[i];
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (uint64_t i = 0; i < from->n; i++)
        memcpy(out->item + out->offset[i], from->item + from->offset[index[i]],
               (size_t)(out->offset[i + 1] - out->offset[i]) * sizeof *out->item);
    out->columns.n = from->n;
    return status;
}

spk_status spk_pattern_list_sort(spk_pattern_list *list)
{
    spk_context *context = list->context;
    spk_pattern_columns columns = list->columns;
    spk_pattern_list *sorted = NULL;
    uint32_t *index = NULL;
    sort_keys keys = {.patterns = &columns};
    if (columns.n > UINT32_MAX)
        return spk_fail(context, SPK_ERR_RANGE, "more than %u patterns cannot be sorted",
                        UINT32_MAX);
    spk_stage stage = spk_stage_open(context);
    spk_status status = spk_pattern_list_create(context, columns.window, &sorted);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "sorting", SPK_COLUMN(&index, columns.n),
                                   SPK_COLUMN(&keys.key, columns.n));
    for (uint64_t i = 0; i < columns.n && status == SPK_OK; i++)
        index[i] = (uint32_t)i;
    if (status == SPK_OK) {
        make_keys(&keys);
        status = spk_sort_indices(context, columns.n, index, compare_patterns, &keys);
    }
    if (status == SPK_OK)
        status = copy_in_order(&columns, index, sorted);
    if (status == SPK_OK) {
        spk_pattern_list old = *list;
        *list = *sorted;
        *sorted = old;
    }
    spk_free_all(index, keys.key);
    spk_stage_close(context, &stage);
    spk_pattern_list_free(sorted);
    return status;
}
