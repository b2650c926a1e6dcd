/*
 * Explained by a part: patterns.
 *
 * The bins of all trials are numbered through, with gaps of a pattern's length between trials. Each
 * unit has the list of its occupied bins. The starts of a part are found by going through the
 * shortest of its units' lists and looking the others up.
 */
#include "base/bisect.h"
#include "significance/exact/exact.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "distribute/queue.h"
#include "pattern/windows.h"
#include "significance/exact/null_inside.h"
#include "significance/exact/tail.h"

/* Occupied bins of a unit, ascending. */
typedef struct bin_list {
    const uint64_t *bin;
    uint64_t n;
} bin_list;

typedef struct explainer {
    spk_context *context;
    const null_patterns *p;
    uint64_t *base;  /* by trial: the number of its first bin */
    uint64_t *first; /* by unit, n_units + 1: where its bins begin */
    uint64_t *bin;
    uint64_t *target; /* of a part: bins of the left-out item, one for each start */
    uint64_t n_targets, target_capacity;
    uint64_t *fixed; /* bins of the left-out unit that belong to the part */
    uint64_t n_fixed, fixed_capacity;
    exact_tail tail;
} explainer;

/* ---- lists of bins --------------------------------------------------------------------------- */

static bin_list list_of(const explainer *e, uint32_t unit)
{
    return (bin_list){e->bin + e->first[unit], e->first[unit + 1] - e->first[unit]};
}

static bool has_bin(const uint64_t *list, uint64_t n, uint64_t bin)
{
    uint64_t k = spk_first_u64(list, 0, n, bin);
    return k < n && list[k] == bin;
}

/* The items of lag 0 in all windows, by unit; counted where e->bin is NULL. */
static void visit_bins(const spk_window_columns *c, explainer *e, uint64_t *at)
{
    for (uint64_t w = 0; w < c->n_windows; w++)
        for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++) {
            uint32_t unit = c->item[k] / c->window;
            if (c->item[k] % c->window != 0)
                continue;
            if (e->bin != NULL)
                e->bin[at[unit]] = e->base[c->trial[w]] + c->start_bin[w];
            at[unit]++;
        }
}

static spk_status list_bins(const spk_windows *windows, explainer *e)
{
    spk_window_columns c = spk_windows_columns(windows);
    uint64_t *at = NULL, n = 0;
    spk_status status = spk_alloc_columns(
        e->context, "test of parts", SPK_COLUMN(&e->base, e->p->n_trials),
        SPK_COLUMN(&e->first, (uint64_t)c.n_units + 1), SPK_COLUMN_ZERO(&at, c.n_units));
    if (status != SPK_OK)
        return status;
    /* A pattern's length of empty bins before each trial: a lag never leads from one trial into the
     * next. */
    uint64_t base = e->p->window;
    for (size_t k = 0; k < e->p->n_trials; k++) {
        e->base[k] = base;
        base += e->p->trial[k].n_bins + e->p->window;
    }
    visit_bins(&c, e, at);
    for (uint32_t u = 0; u < c.n_units; u++) {
        e->first[u] = n;
        n += at[u];
        at[u] = e->first[u];
    }
    e->first[c.n_units] = n;
    status = spk_alloc(e->context, &e->bin, n, "test of parts");
    if (status == SPK_OK)
        visit_bins(&c, e, at);
    spk_free(e->context, at);
    return status;
}

/* ---- a part ---------------------------------------------------------------------------------- */

/* A pattern without one of its items. */
typedef struct pattern_part {
    uint32_t size; /* of the pattern */
    const uint32_t *item;
    uint32_t left_out;
    uint32_t rarest; /* its item whose unit fires least */
} pattern_part;

static uint64_t lag_of(const explainer *e, const pattern_part *part, uint32_t k)
{
    return part->item[k] % e->p->window;
}

static uint32_t unit_of(const explainer *e, const pattern_part *part, uint32_t k)
{
    return part->item[k] / e->p->window;
}

static pattern_part make_part(const explainer *e, uint32_t size, const uint32_t *item,
                              uint32_t left_out)
{
    pattern_part part = {size, item, left_out, UINT32_MAX};
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < size; k++) {
        uint64_t n = list_of(e, item[k] / e->p->window).n;
        if (k == left_out || n >= least)
            continue;
        least = n;
        part.rarest = k;
    }
    return part;
}

/* Whether all other items are there for a start in this bin. */
static bool starts_at(const explainer *e, const pattern_part *part, uint64_t start)
{
    for (uint32_t k = 0; k < part->size; k++) {
        bin_list list = list_of(e, unit_of(e, part, k));
        if (k != part->left_out && k != part->rarest &&
            !has_bin(list.bin, list.n, start + lag_of(e, part, k)))
            return false;
    }
    return true;
}

/* The trial of a bin; SIZE_MAX: a gap. */
static size_t trial_of(const explainer *e, uint64_t bin)
{
    spk_bisect s = {0, e->p->n_trials};
    while (spk_bisect_next(&s))
        spk_bisect_told(&s, e->base[s.middle] <= bin);
    const size_t low = (size_t)s.low;
    return low > 0 && bin - e->base[low - 1] < e->p->trial[low - 1].n_bins ? low - 1 : SIZE_MAX;
}

static spk_status add_fixed(explainer *e, const pattern_part *part, uint64_t start)
{
    spk_status status = SPK_OK;
    for (uint32_t k = 0; k < part->size && status == SPK_OK; k++)
        if (k != part->left_out && unit_of(e, part, k) == unit_of(e, part, part->left_out)) {
            status = spk_grow(e->context, &e->fixed, &e->fixed_capacity, e->n_fixed + 1,
                              "test of parts");
            if (status == SPK_OK)
                e->fixed[e->n_fixed++] = start + lag_of(e, part, k);
        }
    return status;
}

/* Lists the targets of all starts of the part, ascending, and the fixed bins, ascending, each once.
 */
static spk_status find_starts(explainer *e, const pattern_part *part)
{
    bin_list list = list_of(e, unit_of(e, part, part->rarest));
    spk_status status = SPK_OK;
    e->n_targets = e->n_fixed = 0;
    /* Each start of the part has a spike of its rarest item: its bins are the only ones to look at.
     */
    for (uint64_t k = 0; k < list.n && status == SPK_OK; k++) {
        uint64_t start = list.bin[k] - lag_of(e, part, part->rarest);
        uint64_t target = start + lag_of(e, part, part->left_out);
        if (!starts_at(e, part, start))
            continue;
        status = add_fixed(e, part, start);
        if (status != SPK_OK || trial_of(e, target) != trial_of(e, list.bin[k]))
            continue;
        status = spk_grow(e->context, &e->target, &e->target_capacity, e->n_targets + 1,
                          "test of parts");
        if (status == SPK_OK)
            e->target[e->n_targets++] = target;
    }
    uint64_t n = 0;
    if (e->n_fixed > 0)
        qsort(e->fixed, e->n_fixed, sizeof *e->fixed, spk_compare_uint64);
    for (uint64_t k = 0; k < e->n_fixed; k++)
        if (n == 0 || e->fixed[k] != e->fixed[n - 1])
            e->fixed[n++] = e->fixed[k];
    e->n_fixed = n;
    return status;
}

/* ---- the chance ------------------------------------------------------------------------------ */

/* How often the left-out item is there; bins of the part itself do not count. */
static uint64_t count_hits(const explainer *e, bin_list list)
{
    uint64_t n = 0;
    for (uint64_t k = 0; k < e->n_targets; k++)
        n +=
            has_bin(list.bin, list.n, e->target[k]) && !has_bin(e->fixed, e->n_fixed, e->target[k]);
    return n;
}

/* Adds the window of jitter that holds target k; returns the first target behind it. */
static uint64_t add_window(explainer *e, bin_list list, uint64_t k)
{
    size_t trial = trial_of(e, e->target[k]);
    uint64_t base = e->base[trial];
    uint64_t w = (e->target[k] - base + e->p->offset) / e->p->length;
    uint64_t first = base + null_first_bin(e->p, w);
    uint64_t stop = base + null_stop_bin(e->p, &e->p->trial[trial], w);
    uint64_t n_fixed = spk_first_u64(e->fixed, 0, e->n_fixed, stop) -
                       spk_first_u64(e->fixed, 0, e->n_fixed, first);
    uint64_t n_events =
        spk_first_u64(list.bin, 0, list.n, stop) - spk_first_u64(list.bin, 0, list.n, first);
    uint64_t n_targets = 0;
    for (; k < e->n_targets && e->target[k] < stop; k++)
        n_targets += !has_bin(e->fixed, e->n_fixed, e->target[k]);
    exact_tail_add_hits(&e->tail, stop - first - n_fixed, n_targets, n_events - n_fixed);
    return k;
}

/* The chance that the left-out item is there as often as it is. */
static spk_status test_part(explainer *e, const pattern_part *part, double *p)
{
    bin_list list = list_of(e, unit_of(e, part, part->left_out));
    spk_status status = find_starts(e, part);
    if (status == SPK_OK)
        status = exact_tail_start(e->context, count_hits(e, list), &e->tail);
    for (uint64_t k = 0; k < e->n_targets && status == SPK_OK;)
        k = add_window(e, list, k);
    if (status == SPK_OK)
        *p = exact_tail_chance(&e->tail);
    return status;
}

static spk_status test_pattern(explainer *e, uint32_t size, const uint32_t *item, double *p,
                               uint32_t *left_out)
{
    spk_status status = spk_check_cancel(e->context);
    *p = 0;
    *left_out = 0;
    for (uint32_t k = 0; k < size && size > 1 && status == SPK_OK; k++) {
        pattern_part part = make_part(e, size, item, k);
        double own = 0;
        status = test_part(e, &part, &own);
        if (status != SPK_OK || own <= *p)
            continue;
        *p = own;
        *left_out = k;
    }
    return status;
}

/* ---- all patterns ---------------------------------------------------------------------------- */

enum { TOGETHER = 64 }; /* patterns of a task */

typedef struct task_list {
    const explainer *shared;
    const spk_pattern_columns *patterns;
    double *p;
    uint32_t *left_out;
} task_list;

/* Tests some patterns. What a part needs is the task's own. */
static spk_status run_task(spk_context *own, uint64_t task, void *user)
{
    const task_list *list = user;
    const spk_pattern_columns *patterns = list->patterns;
    explainer e = *list->shared;
    uint64_t first = task * TOGETHER, n = patterns->n - first;
    spk_stage stage = spk_stage_open(own);
    spk_status status = SPK_OK;
    e.context = own;
    n = n < TOGETHER ? n : TOGETHER;
    for (uint64_t i = first; i < first + n && status == SPK_OK; i++)
        status =
            test_pattern(&e, (uint32_t)(patterns->offset[i + 1] - patterns->offset[i]),
                         patterns->item + patterns->offset[i], &list->p[i], &list->left_out[i]);
    free(e.target);
    free(e.fixed);
    exact_tail_free(&e.tail);
    spk_stage_close(own, &stage);
    return status;
}

spk_status spk_null_explain_patterns(spk_context *context, const spk_windows *windows,
                                     const spk_null *null, const spk_pattern_columns *patterns,
                                     double *p, uint32_t *left_out)
{
    explainer shared = {.context = context, .p = &null->patterns};
    task_list list = {&shared, patterns, p, left_out};
    spk_queue_job job = {.n = (patterns->n + TOGETHER - 1) / TOGETHER,
                         .what = "parts",
                         .task = run_task,
                         .user = &list};
    /* Bins are numbered by trial: both must have the same trials. */
    if (windows->n_trials != shared.p->n_trials)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the windows are not those of the null hypothesis: they have other trials");
    assert(patterns->window == shared.p->window);
    /* The lists of bins are made once, and all tasks read them. */
    spk_stage stage = spk_stage_open(context);
    spk_status status = list_bins(windows, &shared);
    if (status == SPK_OK)
        status = spk_queue_run(context, &job);
    spk_free_all(shared.base, shared.first, shared.bin);
    spk_stage_close(context, &stage);
    return status;
}
