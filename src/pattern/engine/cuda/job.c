/* cuda-bitmap: the table of bits, the numbers of units and the windows of roots. */
#include "pattern/engine/cuda/run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- places ---------------------------------------------------------------------------------- */

/* Bins from one window's beginning to that of the next one in the table. */
static uint64_t bins_between(const spk_window_columns *windows, uint64_t w)
{
    const uint64_t apart = windows->start_bin[w + 1] - windows->start_bin[w];
    return windows->trial[w] != windows->trial[w + 1] || apart > windows->window ? windows->window
                                                                                 : apart;
}

/* Silence of a window's length stands before the first window and behind the last one. */
static spk_status place_windows(spk_context *context, bool slide, cp_job *job)
{
    const spk_window_columns *windows = job->windows;
    const uint64_t words = job->view.words, n_lags = windows->window;
    uint64_t bin = n_lags;
    spk_status status = spk_alloc(context, &job->place, windows->n_windows, "windows as bits");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++) {
        if (bin > (UINT32_MAX / words) - 2 * n_lags)
            return spk_fail(context, SPK_ERR_UNSUPPORTED,
                            "engine 'cuda-bitmap': the windows are more than its table holds; take "
                            "engine 'bitmap'");
        job->place[w] = (uint32_t)(bin * words);
        if (!slide)
            bin += n_lags;
        else if (w + 1 < windows->n_windows)
            bin += bins_between(windows, w);
    }
    job->n_bits = (bin + 2 * n_lags) * words;
    return status;
}

static spk_status set_bits(spk_context *context, bool slide, cp_job *job)
{
    const spk_window_columns *windows = job->windows;
    spk_status status = spk_alloc_zero(context, &job->bits, job->n_bits, "windows as bits");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++)
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++) {
            const uint32_t unit = windows->item[k] / windows->window;
            const uint32_t lag = windows->item[k] % windows->window;
            if (!slide || lag == 0)
                job->bits[job->place[w] + lag * job->view.words + unit / 32] |= UINT32_C(1)
                                                                                << unit % 32;
        }
    return status;
}

/* ---- units and items ------------------------------------------------------------------------- */

typedef struct unit_total {
    uint64_t total; /* windows of its frequent items */
    uint32_t unit;
} unit_total;

static int compare_units(const void *a, const void *b)
{
    const unit_total *x = a, *y = b;
    if (x->total != y->total)
        return x->total < y->total ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* The windows of each item. */
static spk_status count_items(spk_context *context, cp_job *job, uint32_t **out)
{
    const spk_window_columns *windows = job->windows;
    spk_status status =
        spk_alloc_zero(context, out, (uint64_t)windows->n_units * windows->window, "items");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++) {
        const uint64_t n = windows->first[w + 1] - windows->first[w];
        job->longest = n > job->longest ? (uint32_t)n : job->longest;
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++)
            (*out)[windows->item[k]]++;
    }
    return status;
}

/* Units by number: those of few windows first, as the canonical order has it (item_order.h). */
static spk_status number_units(spk_context *context, const uint32_t *count, cp_job *job,
                               uint32_t *n_units)
{
    const spk_window_columns *windows = job->windows;
    unit_total *total = NULL;
    *n_units = 0;
    spk_status status = spk_alloc_columns(context, "units", SPK_COLUMN(&total, windows->n_units),
                                          SPK_COLUMN(&job->unit_of, windows->n_units),
                                          SPK_COLUMN_ZERO(&job->number_of, windows->n_units));
    for (uint32_t unit = 0; unit < windows->n_units && status == SPK_OK; unit++) {
        uint64_t sum = 0;
        /* Rare items count nothing, and a unit of rare items alone gets no number. */
        for (uint32_t lag = 0; lag < windows->window; lag++) {
            const uint32_t n = count[(uint64_t)unit * windows->window + lag];
            sum += n >= job->view.least ? n : 0;
        }
        if (sum > 0)
            total[(*n_units)++] = (unit_total){sum, unit};
    }
    if (status == SPK_OK)
        qsort(total, *n_units, sizeof *total, compare_units);
    for (uint32_t k = 0; k < *n_units && status == SPK_OK; k++) {
        job->unit_of[k] = total[k].unit;
        job->number_of[total[k].unit] = k;
    }
    spk_free(context, total);
    return status;
}

/* Items around a root's spikes: all lags of the units with enough spikes. */
static void list_around(const uint32_t *count, uint32_t n_units, cp_job *job)
{
    const uint32_t window = job->windows->window, reach = job->view.reach;
    cp_view *v = &job->view;
    for (uint32_t k = 0; k < n_units; k++) {
        const uint32_t n = count[(uint64_t)job->unit_of[k] * window];
        if (n < v->least)
            continue;
        job->n_always += n == job->windows->n_windows;
        job->root_code[v->n_roots++] = k << CP_LAG_BITS | reach;
        for (uint32_t lag = 0; lag <= 2 * reach; lag++)
            job->item[v->n_items++] = k << CP_LAG_BITS | lag;
    }
}

/* Items of windows; what is in every window needs no search, only to be in what is found. */
static void list_items(const uint32_t *count, uint32_t n_units, cp_job *job)
{
    const uint32_t window = job->windows->window;
    cp_view *v = &job->view;
    for (uint32_t k = 0; k < n_units; k++)
        for (uint32_t lag = 0; lag < window; lag++) {
            const uint32_t n = count[(uint64_t)job->unit_of[k] * window + lag];
            if (n == job->windows->n_windows) {
                job->n_always++;
                job->always_first |= lag == 0;
            } else if (n >= v->least) {
                job->item[v->n_items++] = k << CP_LAG_BITS | lag;
            }
        }
    /* A pattern begins with lag 0. Where what is in every window has one, any item may begin. */
    for (uint32_t k = 0; k < v->n_items; k++)
        if (cp_lag(job->item[k]) == 0)
            job->root_code[v->n_roots++] = job->item[k];
    for (uint32_t k = 0; k < v->n_items && job->always_first; k++)
        if (cp_lag(job->item[k]) != 0)
            job->root_code[v->n_roots++] = job->item[k];
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* The windows of every root, by counting sort; `root` is scratch, by item. */
static spk_status list_roots(spk_context *context, uint32_t *root, cp_job *job)
{
    const spk_window_columns *windows = job->windows;
    const cp_view *v = &job->view;
    const uint64_t n_all = (uint64_t)windows->n_units * windows->window;
    spk_status status =
        spk_alloc_zero(context, &job->root_first, (uint64_t)v->n_roots + 2, "root windows");
    if (status != SPK_OK)
        return status;
    uint32_t *first = job->root_first + 1; /* shifted by one while filling */
    for (uint64_t item = 0; item < n_all; item++)
        root[item] = UINT32_MAX;
    for (uint32_t r = 0; r < v->n_roots; r++)
        root[(uint64_t)job->unit_of[cp_number(job->root_code[r])] * windows->window +
             cp_lag(job->root_code[r]) - v->reach] = r;
    for (uint64_t k = 0; k < windows->first[windows->n_windows]; k++)
        if (root[windows->item[k]] != UINT32_MAX)
            first[root[windows->item[k]] + 1]++;
    for (uint32_t r = 0; r < v->n_roots; r++) {
        job->most_windows = cp_larger(job->most_windows, first[r + 1]);
        first[r + 1] += first[r];
    }
    job->n_root_windows = first[v->n_roots];
    status = spk_alloc(context, &job->root_window, job->n_root_windows, "root windows");
    for (uint64_t w = 0; w < windows->n_windows && status == SPK_OK; w++)
        for (uint64_t k = windows->first[w]; k < windows->first[w + 1]; k++)
            if (root[windows->item[k]] != UINT32_MAX)
                job->root_window[first[root[windows->item[k]]]++] = job->place[w];
    return status;
}

static spk_status check(spk_context *context, const spk_window_columns *windows)
{
    const uint32_t most_units = 1u << CP_UNIT_BITS, most_window = 1u << (CP_LAG_BITS - 1);
    if (windows->n_units > most_units || windows->window > most_window)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "engine 'cuda-bitmap' takes windows of at most %" PRIu32
                        " bins and %" PRIu32 " units; take engine 'bitmap'",
                        most_window, most_units);
    return SPK_OK;
}

static void point(cp_job *job)
{
    cp_view *v = &job->view;
    v->bits = job->bits;
    v->unit_of = job->unit_of;
    v->number_of = job->number_of;
    v->item = job->item;
    v->root_code = job->root_code;
    v->root_first = job->root_first;
    v->root_window = job->root_window;
}

spk_status cp_job_create(spk_context *context, const spk_pattern_job *given, cp_aim aim,
                         cp_job *job)
{
    const spk_window_columns *windows = given->windows;
    const spk_pattern_limits *limits = &given->limits;
    const bool slide = windows->start_time != NULL;
    const uint32_t reach = aim == CP_LISTS ? 0 : windows->window - 1;
    uint32_t *count = NULL, n_units = 0;
    *job = (cp_job){.windows = windows,
                    .view = {.words = cp_words(windows->n_units),
                             .n_lags = windows->window,
                             .reach = reach,
                             .aim = aim,
                             .min_spikes = limits->min_spikes,
                             .max_spikes = limits->max_spikes,
                             .max_count = limits->max_count,
                             .min_neurons = limits->min_neurons,
                             .least = limits->min_support,
                             .ceiling = UINT32_MAX}};
    spk_status status = check(context, windows);
    if (status == SPK_OK)
        status = place_windows(context, slide, job);
    if (status == SPK_OK)
        status = set_bits(context, slide, job);
    if (status == SPK_OK)
        status = count_items(context, job, &count);
    if (status == SPK_OK)
        status = number_units(context, count, job, &n_units);
    /* Lags of a window, and of another one before the anchor where sets lie around it. */
    const uint64_t n_items = (uint64_t)n_units * (windows->window + reach);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "items", SPK_COLUMN(&job->item, n_items),
                                   SPK_COLUMN(&job->root_code, n_items));
    if (status == SPK_OK && aim == CP_LISTS)
        list_items(count, n_units, job);
    else if (status == SPK_OK)
        list_around(count, n_units, job);
    if (status == SPK_OK)
        status = list_roots(context, count, job);
    point(job);
    spk_free(context, count);
    return status;
}

void cp_job_free(cp_job *job)
{
    free(job->bits);
    free(job->place);
    free(job->unit_of);
    free(job->number_of);
    free(job->item);
    free(job->root_code);
    free(job->root_first);
    free(job->root_window);
}
