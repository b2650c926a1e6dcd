/* Number of patterns by (size, occurrences[, duration]), in a hash table; no pattern is kept. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

struct spk_spectrum {
    spk_context *context;
    bool with_duration;
    uint64_t n;                /* entries in use */
    uint64_t slots;            /* a power of two */
    spk_spectrum_entry *entry; /* n_patterns 0: free */
    spk_spectrum_entry *sorted;
};

spk_status spk_spectrum_create(spk_context *context, bool with_duration, spk_spectrum **out)
{
    enum { FIRST_SLOTS = 1024 };
    *out = NULL;
    spk_spectrum *spectrum = NULL;
    spk_status status = spk_alloc_zero(context, &spectrum, 1, "a spectrum");
    if (status != SPK_OK)
        return status;
    spectrum->context = context;
    spectrum->with_duration = with_duration;
    spectrum->slots = FIRST_SLOTS;
    status = spk_alloc_zero(context, &spectrum->entry, spectrum->slots, "a spectrum");
    if (status == SPK_OK)
        *out = spectrum;
    else
        free(spectrum);
    return status;
}

void spk_spectrum_free(spk_spectrum *spectrum)
{
    if (spectrum == NULL)
        return;
    spk_free_all(spectrum->entry, spectrum->sorted, spectrum);
}

bool spk_spectrum_has_duration(const spk_spectrum *spectrum)
{
    return spectrum->with_duration;
}

static spk_spectrum_entry *find(spk_spectrum_entry *entry, uint64_t slots, uint32_t size,
                                uint32_t count, uint32_t duration)
{
    uint64_t hash = (((uint64_t)size << 48) ^ ((uint64_t)count << 16) ^ duration) *
                    UINT64_C(0x9e3779b97f4a7c15);
    assert((slots & (slots - 1)) == 0);
    uint64_t at = (hash ^ hash >> 32) & (slots - 1);
    while (entry[at].n_patterns != 0 &&
           (entry[at].size != size || entry[at].count != count || entry[at].duration != duration))
        at = (at + 1) & (slots - 1);
    return &entry[at];
}

static spk_status widen(spk_spectrum *spectrum)
{
    spk_spectrum_entry *larger = NULL;
    uint64_t slots = spectrum->slots * 2;
    spk_status status = spk_alloc_zero(spectrum->context, &larger, slots, "a spectrum");
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < spectrum->slots; k++) {
        const spk_spectrum_entry *e = &spectrum->entry[k];
        if (e->n_patterns != 0)
            *find(larger, slots, e->size, e->count, e->duration) = *e;
    }
    free(spectrum->entry);
    spectrum->entry = larger;
    spectrum->slots = slots;
    return SPK_OK;
}

spk_status spk_spectrum_add(void *user, const spk_pattern_columns *patterns)
{
    spk_spectrum *spectrum = user;
    for (uint64_t i = 0; i < patterns->n; i++) {
        uint64_t end = patterns->offset[i + 1];
        uint32_t size = (uint32_t)(end - patterns->offset[i]);
        if (size == 0)
            return spk_fail(spectrum->context, SPK_ERR_ARGUMENT, "a pattern has no items");
        uint32_t duration = /* items are ordered by lag */
            spectrum->with_duration ? patterns->item[end - 1] % patterns->window : 0;
        spk_spectrum_entry *entry =
            find(spectrum->entry, spectrum->slots, size, patterns->count[i], duration);
        if (entry->n_patterns++ != 0)
            continue;
        entry->size = size;
        entry->count = patterns->count[i];
        entry->duration = duration;
        if (++spectrum->n * 2 > spectrum->slots) {
            spk_status status = widen(spectrum);
            if (status != SPK_OK)
                return status;
        }
    }
    return SPK_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const spk_spectrum_entry *x = a, *y = b;
    return SPK_BY(SPK_UP(x->size, y->size), SPK_UP(x->count, y->count),
                  SPK_UP(x->duration, y->duration));
}

spk_status spk_spectrum_entries(spk_spectrum *spectrum, const spk_spectrum_entry **entries,
                                uint64_t *n)
{
    free(spectrum->sorted);
    spk_status status = spk_alloc(spectrum->context, &spectrum->sorted, spectrum->n, "a spectrum");
    if (status != SPK_OK)
        return status;
    uint64_t at = 0;
    for (uint64_t k = 0; k < spectrum->slots; k++)
        if (spectrum->entry[k].n_patterns != 0)
            spectrum->sorted[at++] = spectrum->entry[k];
    qsort(spectrum->sorted, (size_t)at, sizeof *spectrum->sorted, compare_entries);
    assert(at == spectrum->n);
    *entries = spectrum->sorted;
    *n = at;
    return SPK_OK;
}
