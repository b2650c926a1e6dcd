/*
 * Anchors: spikes by window, the windows around each one, and the places of items.
 *
 *     window         w-2     w-1     w       w+1      of one trial
 *     begins in bin  10      14      20      27       reach 7: windows have 8 bins
 *     around w               begin[w]        end[w] - 1
 *
 * A window begins with a spike, so that the spikes of a bin are listed by the window that begins
 * there. Invariant: windows are ordered by trial, then by bin; begin[w] and end[w] never go back.
 *
 * Cost: one pass over windows and spikes. Bytes: 8 a window and 4 a spike for each of the
 * SPK_BITMAP_SPIKE_LISTS lists, 8 a window for what is around it, 8 a place.
 */
#include "pattern/engine/bitmap/maxima.h"

#include <stdlib.h>

#include "base/memory.h"

bool spk_bitmap_can_anchor(const spk_bitmap_job *job)
{
    const spk_window_columns *windows = job->windows;
    const uint64_t places = (uint64_t)job->n_roots * (2 * (uint64_t)windows->window - 1);
    const uint64_t worth = 64 * windows->first[windows->n_windows] + (1 << 24);
    return windows->start_time != NULL && windows->window > 1 && job->n_always == 0 &&
           places < INT32_MAX && places <= worth / (job->n_roots + UINT64_C(1));
}

/* The spikes of units `list->unit` and up. */
static spk_status list_spikes(spk_context *context, const spk_bitmap_job *job, uint32_t span,
                              spk_bitmap_spikes *list)
{
    const spk_window_columns *windows = job->windows;
    const uint64_t begin = job->root_first[list->unit], end = job->root_first[job->n_roots];
    spk_status status = spk_alloc_columns(context, "spikes around spikes",
                                          SPK_COLUMN_ZERO(&list->first, windows->n_windows + 2),
                                          SPK_COLUMN(&list->spike, end - begin));
    if (status != SPK_OK)
        return status;
    uint64_t *first = list->first + 1; /* shifted by one while filling */
    for (uint64_t i = begin; i < end; i++)
        first[job->root_window[i] + 1]++;
    for (uint64_t w = 0; w < windows->n_windows; w++)
        first[w + 1] += first[w];
    for (uint32_t r = list->unit; r < job->n_roots; r++)
        for (uint64_t i = job->root_first[r]; i < job->root_first[r + 1]; i++) {
            uint32_t w = job->root_window[i];
            list->spike[first[w]++] = r * span + (uint32_t)windows->start_bin[w];
        }
    return SPK_OK;
}

/* The windows around each one, in its trial. */
static spk_status list_windows(spk_context *context, const spk_window_columns *windows,
                               spk_bitmap_anchors *anchors)
{
    uint64_t begin = 0, end = 0;
    spk_status status = spk_alloc_columns(context, "spikes around spikes",
                                          SPK_COLUMN(&anchors->begin, windows->n_windows),
                                          SPK_COLUMN(&anchors->end, windows->n_windows));
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++) {
        while (windows->trial[begin] != windows->trial[w] ||
               windows->start_bin[begin] + anchors->reach < windows->start_bin[w])
            begin++;
        while (end < windows->n_windows &&
               (windows->trial[end] < windows->trial[w] ||
                (windows->trial[end] == windows->trial[w] &&
                 windows->start_bin[end] <= windows->start_bin[w] + anchors->reach)))
            end++;
        anchors->begin[w] = (uint32_t)begin;
        anchors->end[w] = (uint32_t)end;
    }
    return status;
}

spk_status spk_bitmap_anchors_create(spk_context *context, const spk_bitmap_job *job,
                                     spk_bitmap_anchors *anchors)
{
    const uint32_t reach = job->windows->window - 1;
    *anchors = (spk_bitmap_anchors){.reach = reach, .span = 2 * reach + 1};
    uint64_t places = (uint64_t)job->n_roots * anchors->span;
    uint64_t n_spikes = job->root_first[job->n_roots];
    spk_status status =
        spk_alloc_columns(context, "items around spikes", SPK_COLUMN(&anchors->unit_of, places),
                          SPK_COLUMN(&anchors->lag_of, places));
    if (status == SPK_OK)
        status = list_windows(context, job->windows, anchors);
    for (uint64_t k = 0; k < places && status == SPK_OK; k++) {
        anchors->unit_of[k] = job->unit_of[k / anchors->span];
        anchors->lag_of[k] = (uint32_t)(k % anchors->span);
    }
    /* List k begins at the first unit before which k shares of all spikes lie, so that lists are of
     * about equal length whatever the rates. */
    for (uint32_t k = 0, unit = 0; k < SPK_BITMAP_SPIKE_LISTS && status == SPK_OK; k++) {
        while (unit < job->n_roots && job->root_first[unit] < n_spikes / SPK_BITMAP_SPIKE_LISTS * k)
            unit++;
        anchors->spikes[k].unit = unit;
        status = list_spikes(context, job, anchors->span, &anchors->spikes[k]);
    }
    return status;
}

void spk_bitmap_anchors_free(spk_bitmap_anchors *anchors)
{
    for (uint32_t k = 0; k < SPK_BITMAP_SPIKE_LISTS; k++) {
        free(anchors->spikes[k].first);
        free(anchors->spikes[k].spike);
    }
    spk_free_all(anchors->begin, anchors->end, anchors->unit_of, anchors->lag_of);
    *anchors = (spk_bitmap_anchors){.reach = 0};
}
