/* When results occur: found again in the recording, and packed while there is room. */
#include "report/page/page.h"

#include <stdlib.h>

#include "base/order.h"
#include "report/spikes.h"
#include "spikemine/occurrences.h"

/* The occurrences of one result. */
typedef struct gathering {
    page *page;
    uint32_t size;
    uint64_t n;
    uint64_t most; /* more of them cannot fit */
    int64_t *time; /* n * size */
    uint64_t capacity;
    bool ascending; /* their first spikes */
} gathering;

static spk_status take(gathering *g, const int64_t *time)
{
    spk_status status =
        spk_grow(g->page->context, &g->time, &g->capacity, (g->n + 1) * g->size, "occurrences");
    if (status != SPK_OK)
        return status;
    int64_t *place = &g->time[g->n * g->size];
    for (uint32_t k = 0; k < g->size; k++)
        place[k] = time[k];
    if (g->n > 0 && place[0] < place[-(int64_t)g->size])
        g->ascending = false;
    g->n++;
    return SPK_OK;
}

/* A spk_occurrence_sink; `user` is a gathering. */
static spk_status take_occurrence(void *user, uint32_t size, const int64_t *time)
{
    gathering *g = user;
    (void)size;
    if (g->n == g->most) { /* cannot fit: counted no further */
        g->n++;
        return SPK_OK;
    }
    return g->n > g->most ? SPK_OK : take(g, time);
}

/* ---- episodes -------------------------------------------------------------------------------- */

static spk_status find_episode(gathering *g, uint64_t i)
{
    const spk_episode_columns *e = g->page->episodes;
    const uint64_t first = e->offset[i];
    spk_delay delays[SPK_EPISODE_MAX_SIZE];
    for (uint32_t k = 1; k < g->size; k++)
        delays[k - 1] = e->delays[e->delay[first + k]];
    return spk_episode_occurrences(g->page->context, g->page->recording, g->size, e->unit + first,
                                   delays, take_occurrence, g);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static spk_status find_pattern(gathering *g, spk_pattern_locator *locator, int64_t *time,
                               uint64_t i)
{
    const page *p = g->page;
    const spk_window_columns windows = spk_windows_columns(p->windows);
    const uint32_t *item = p->patterns->item + p->patterns->offset[i];
    const uint32_t *window = NULL;
    uint32_t n = 0;
    spk_status status = spk_pattern_locate(locator, g->size, item, &window, &n);
    for (uint32_t k = 0; k < n && status == SPK_OK && g->n <= g->most; k++) {
        status = report_pattern_spikes(p->context, p->recording, &windows, page_ticks(p, p->bin),
                                       window[k], g->size, item, time);
        if (status == SPK_OK)
            status = take_occurrence(g, g->size, time);
    }
    return status;
}

/* ---- packing --------------------------------------------------------------------------------- */

static spk_status pack_number(page *p, uint64_t number)
{
    spk_status status = spk_grow(p->context, &p->packed, &p->packed_capacity,
                                 p->n_bytes + PAGE_VARINT_BYTES, "occurrences");
    if (status == SPK_OK)
        p->n_bytes += (uint64_t)page_varint(number, p->packed + p->n_bytes);
    return status;
}

/* An occurrence's times and its number, for sorting. */
static int compare_firsts(const void *a, const void *b)
{
    const int64_t *const *x = a, *const *y = b;
    return SPK_BY(SPK_UP(**x, **y), SPK_UP(*x, *y));
}

/* Where they lie in the gathering, in order of their first spikes: segments may overlap. */
static spk_status sort_occurrences(const gathering *g, const int64_t ***out)
{
    spk_status status = spk_alloc(g->page->context, out, g->n, "occurrences");
    for (uint64_t k = 0; k < g->n && status == SPK_OK; k++)
        (*out)[k] = &g->time[k * g->size];
    if (status == SPK_OK && !g->ascending)
        qsort(*out, (size_t)g->n, sizeof **out, compare_firsts);
    return status;
}

/* Packs all of them, or none where they pass the limit; *fits tells which. */
static spk_status pack(const gathering *g, uint64_t most_bytes, bool *fits)
{
    page *p = g->page;
    const int64_t **occurrence = NULL;
    const uint64_t n_before = p->n_bytes;
    int64_t before = p->start;
    spk_status status = sort_occurrences(g, &occurrence);
    *fits = true;
    for (uint64_t k = 0; k < g->n && status == SPK_OK && *fits; k++) {
        const int64_t *time = occurrence[k];
        status = pack_number(p, (uint64_t)time[0] - (uint64_t)before);
        for (uint32_t s = 1; s < g->size && status == SPK_OK; s++)
            status = pack_number(p, page_zigzag(time[s] - time[s - 1]));
        before = time[0];
        *fits = p->n_bytes <= most_bytes;
    }
    if (!*fits)
        p->n_bytes = n_before;
    spk_free(p->context, occurrence);
    return status;
}

/* Packs the occurrences of sequence i, or none: for each the distance of its time from that of the
 * one before, then for each member 0 where its spike is missing, else 1 + its distance from this
 * time. Distances may be negative. */
static spk_status pack_sequence(page *p, uint64_t i, uint64_t most_bytes, bool *fits)
{
    const spk_sequence_columns *c = p->sequences;
    const int64_t *event = spk_recording_events(p->recording).time;
    const uint32_t *spike = c->spike + c->spike_first[i];
    const uint64_t n_before = p->n_bytes;
    int64_t before = p->start;
    spk_status status = SPK_OK;
    *fits = true;
    for (uint64_t o = c->occurrence_first[i];
         o < c->occurrence_first[i + 1] && status == SPK_OK && *fits; o++) {
        status = pack_number(p, page_zigzag(c->time[o] - before));
        for (uint32_t m = 0; m < page_size(p, i) && status == SPK_OK; m++, spike++)
            status = pack_number(p, *spike == SPK_SEQUENCE_MISSING
                                        ? 0
                                        : 1 + page_zigzag(event[*spike] - c->time[o]));
        before = c->time[o];
        *fits = p->n_bytes <= most_bytes;
    }
    if (!*fits)
        p->n_bytes = n_before;
    return status;
}

/* Finds what is not known and packs it. */
static spk_status pack_row(gathering *g, spk_pattern_locator *locator, int64_t *time, uint64_t i,
                           bool *fits)
{
    page *p = g->page;
    const uint64_t most_bytes = p->options.max_occurrence_bytes / 4 * 3;
    if (p->sequences != NULL) {
        g->n = page_count(p, i);
        return pack_sequence(p, i, most_bytes, fits);
    }
    spk_status status =
        p->episodes != NULL ? find_episode(g, i) : find_pattern(g, locator, time, i);
    return status == SPK_OK && g->n <= g->most ? pack(g, most_bytes, fits) : status;
}

/* Finds the occurrences of row k and packs them if they fit. */
static spk_status add_row(gathering *g, spk_pattern_locator *locator, int64_t *time, uint64_t k)
{
    page *p = g->page;
    const uint64_t i = p->row[k];
    const uint64_t most_bytes = p->options.max_occurrence_bytes / 4 * 3;
    bool fits = false;
    g->size = page_size(p, i);
    g->n = 0;
    g->ascending = true;
    g->most = (most_bytes - p->n_bytes) / g->size; /* a spike takes a byte at least */
    if (page_count(p, i) > g->most)
        return SPK_OK;
    spk_status status = pack_row(g, locator, time, i, &fits);
    if (status == SPK_OK && fits) {
        p->n_found[k] = g->n;
        p->n_numbers += g->n * (g->size + (p->sequences != NULL ? 1 : 0));
        p->n_told++;
    }
    return status;
}

static uint32_t largest_size(const page *p)
{
    uint32_t largest = 1;
    for (uint64_t k = 0; k < p->n_rows; k++)
        largest = page_size(p, p->row[k]) > largest ? page_size(p, p->row[k]) : largest;
    return largest;
}

spk_status page_find_occurrences(page *p)
{
    gathering g = {.page = p};
    spk_pattern_locator *locator = NULL;
    int64_t *time = NULL;
    spk_status status = spk_alloc_zero(p->context, &p->n_found, p->n_rows, "occurrences");
    if (status == SPK_OK)
        status = spk_alloc(p->context, &time, largest_size(p), "occurrences");
    if (status == SPK_OK && p->patterns != NULL)
        status = spk_pattern_locator_create(p->context, p->windows, &locator);
    for (uint64_t k = 0; k < p->n_rows && status == SPK_OK; k++) {
        status = add_row(&g, locator, time, k);
        if (status == SPK_OK)
            status = spk_check_cancel(p->context);
        spk_progress(p->context, "writing the report", k + 1, p->n_rows);
    }
    spk_pattern_locator_free(locator);
    spk_free(p->context, time);
    spk_free(p->context, g.time);
    return status;
}

void page_put_occurrences(page *p)
{
    page_base64 base64 = {.out = p->out};
    fprintf(p->out, ",\n\"occurrences\":{\"n\":%llu,\"v\":\"", (unsigned long long)p->n_numbers);
    for (uint64_t k = 0; k < p->n_bytes; k++)
        page_base64_put(&base64, p->packed[k]);
    page_base64_end(&base64);
    fputs("\"}", p->out);
}
