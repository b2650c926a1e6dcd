/* The p-value spectrum. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/options.h"
#include "significance/reached.h"
#include "spikemine/significance.h"

SPK_OPTIONS_INIT(spk_pvalue_options, .min_spikes = 2, .support = 2);

static uint64_t support_of(const spk_pvalue_options *options, uint32_t size)
{
    const spk_pattern_supports *supports = options->supports;
    if (supports == NULL)
        return options->support;
    return supports->at_size[size < supports->n ? size : supports->n];
}

typedef struct pvalue_list {
    spk_pvalue *entry;
    uint64_t n;
    uint64_t capacity;
} pvalue_list;

/* Every count of what is selected. */
static spk_status list_counts(spk_context *context, const spk_reached *reached, uint64_t least,
                              spk_pvalue form, pvalue_list *list)
{
    uint32_t most = spk_reached_most(reached);
    uint64_t from = least > 1 ? least : 1;
    if (most < from)
        return SPK_OK;
    spk_status status = spk_grow(context, &list->entry, &list->capacity,
                                 list->n + (most - from + 1), "the p-value spectrum");
    for (uint64_t count = from; status == SPK_OK && count <= most; count++) {
        form.count = (uint32_t)count;
        form.n_above = spk_reached_n_above(reached, count);
        form.p = spk_reached_p(reached, form.n_above);
        form.p_published = spk_reached_p_published(reached, form.n_above);
        list->entry[list->n++] = form;
    }
    return status;
}

static spk_status list_all(spk_context *context, spk_reached *reached,
                           const spk_pvalue_options *options, pvalue_list *list)
{
    spk_status status = SPK_OK;
    for (uint32_t size = options->min_spikes; size <= reached->largest_size; size++)
        for (uint64_t d = 0; status == SPK_OK && d < reached->n_durations; d++) {
            spk_pvalue form = {.size = size, .duration = reached->duration[d]};
            spk_reached_select(reached, size, form.duration);
            status = list_counts(context, reached, support_of(options, size), form, list);
            if (status == SPK_OK)
                status = spk_check_cancel(context);
        }
    return status;
}

spk_status spk_pvalue_spectrum(spk_context *context, const spk_maxima_columns *maxima,
                               const spk_pvalue_options *options, spk_pvalue **out, uint64_t *n)
{
    spk_pvalue_options own;
    spk_reached reached = {.maxima = NULL};
    pvalue_list list = {.entry = NULL};
    *out = NULL;
    *n = 0;
    spk_status status = SPK_OPTIONS_TAKE(context, options, &own, spk_pvalue_options);
    if (status == SPK_OK)
        status = spk_reached_open(context, maxima, own.published, &reached);
    if (status == SPK_OK)
        status = list_all(context, &reached, &own, &list);
    if (status == SPK_OK && list.entry == NULL)
        status = spk_alloc(context, &list.entry, 0, "the p-value spectrum");
    spk_reached_close(&reached);
    if (status != SPK_OK) {
        free(list.entry);
        return status;
    }
    *out = list.entry;
    *n = list.n;
    return SPK_OK;
}
