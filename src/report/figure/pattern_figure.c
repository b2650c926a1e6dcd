/* Statistics of all patterns, and the selection of the few that are drawn. */
#include "report/figure/pattern_figure.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "report/check.h"
#include "report/figure/selection.h"

spk_status spk_pattern_figure_create(spk_context *context, const spk_recording *recording,
                                     const spk_windows *windows, spk_duration bin,
                                     spk_pattern_figure **out)
{
    *out = NULL;
    spk_pattern_figure *figure = NULL;
    spk_window_columns columns = spk_windows_columns(windows);
    if (columns.start_time == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "transactions have no spike times to draw; "
                        "mine the recording that they were made from");
    spk_status status = spk_alloc_zero(context, &figure, 1, "statistics of patterns");
    if (status != SPK_OK)
        return status;
    spk_rate rate = spk_recording_rate(recording);
    *figure = (spk_pattern_figure){.context = context,
                                   .recording = recording,
                                   .windows = windows,
                                   .window = columns.window,
                                   .n_units = columns.n_units};
    figure->bin_ticks = (double)bin.digits * (double)rate.numerator / (double)rate.denominator;
    if (bin.divisor > 1)
        figure->bin_ticks /= bin.divisor;
    for (int32_t e = bin.exponent; e < 0; e++)
        figure->bin_ticks /= 10;
    for (int32_t e = bin.exponent; e > 0; e--)
        figure->bin_ticks *= 10;
    spk_stage stage = spk_stage_open(context);
    status = spk_alloc_columns(context, "statistics of patterns",
                               SPK_COLUMN_ZERO(&figure->by_unit, columns.n_units),
                               SPK_COLUMN_ZERO(&figure->by_lag, columns.window),
                               SPK_COLUMN_ZERO(&figure->by_count, columns.n_windows + 1));
    spk_stage_keep(context, &stage, &figure->holding);
    if (status == SPK_OK)
        *out = figure;
    else
        spk_pattern_figure_free(figure);
    return status;
}

void spk_pattern_figure_free(spk_pattern_figure *figure)
{
    if (figure == NULL)
        return;
    spk_holding_release(&figure->holding);
    spk_free_all(figure->by_unit, figure->by_lag, figure->by_count, figure);
}

/* Whether a test may still be given. */
static spk_status check_untested(const spk_pattern_figure *figure)
{
    if (figure->has_test || figure->has_exact)
        return spk_fail(figure->context, SPK_ERR_ARGUMENT, "a figure of patterns shows one test");
    if (figure->n_patterns > 0)
        return spk_fail(figure->context, SPK_ERR_ARGUMENT,
                        "a test must be there before the first pattern is added");
    return SPK_OK;
}

spk_status spk_pattern_figure_set_test(spk_pattern_figure *figure, const spk_significance *test)
{
    spk_status status = check_untested(figure);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(figure->context, test, &figure->test, spk_significance);
    figure->has_test |= status == SPK_OK;
    return status;
}

spk_status spk_pattern_figure_set_exact(spk_pattern_figure *figure, const spk_exact_report *exact)
{
    spk_status status = check_untested(figure);
    if (status == SPK_OK)
        status = SPK_OPTIONS_TAKE(figure->context, exact, &figure->exact, spk_exact_report);
    figure->has_exact |= status == SPK_OK;
    return status;
}

/* ---- the top --------------------------------------------------------------------------------- */

static bool has_unit(const uint32_t *item, uint32_t n, uint32_t window, uint32_t unit)
{
    for (uint32_t k = 0; k < n; k++)
        if (item[k] / window == unit)
            return true;
    return false;
}

static bool look_alike(const top_pattern *a, const top_pattern *b, uint32_t window)
{
    uint32_t shared = 0;
    for (uint32_t k = 0; k < a->size; k++)
        if (!has_unit(a->item, k, window, a->item[k] / window))
            shared += has_unit(b->item, b->size, window, a->item[k] / window);
    return spk_share_much(shared, a->n_units, b->n_units);
}

static bool ranks_before(const top_pattern *a, const top_pattern *b)
{
    if (a->significant != b->significant)
        return a->significant;
    if (a->row != b->row) /* those of an exact test are in the order of the list; else 0 */
        return a->row < b->row;
    if (a->n_units != b->n_units)
        return a->n_units > b->n_units;
    if (a->size != b->size)
        return a->size > b->size;
    return a->count > b->count;
}

/* Puts the pattern into the short sorted list, unless one before it looks alike; those behind it
 * that look alike go. */
static void offer(spk_pattern_figure *figure, const top_pattern *pattern)
{
    top_pattern *top = figure->top;
    uint32_t n = figure->n_top;
    uint32_t place = 0;
    assert(n <= PATTERN_KEPT && pattern->size <= PATTERN_MAX_SIZE);
    if (n == PATTERN_KEPT && !ranks_before(pattern, &top[n - 1]))
        return;
    for (; place < n && !ranks_before(pattern, &top[place]); place++)
        if (look_alike(pattern, &top[place], figure->window))
            return;
    uint32_t kept = place;
    for (uint32_t k = place; k < n; k++)
        if (!look_alike(pattern, &top[k], figure->window))
            top[kept++] = top[k];
    if (kept == PATTERN_KEPT)
        kept--;
    memmove(top + place + 1, top + place, (kept - place) * sizeof *top);
    top[place] = *pattern;
    figure->n_top = kept + 1;
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Counts the pattern's units, each once, and its lags; returns the number of different units. */
static uint32_t count_items(spk_pattern_figure *figure, uint32_t size, const uint32_t *item)
{
    uint32_t n_units = 0;
    for (uint32_t k = 0; k < size; k++) {
        uint32_t unit = item[k] / figure->window;
        if (k > 0)
            figure->by_lag[item[k] % figure->window]++;
        if (has_unit(item, k, figure->window, unit))
            continue;
        figure->by_unit[unit]++;
        n_units++;
    }
    return n_units;
}

/* What row n_patterns of the exact test says of the pattern that is about to be counted. */
static spk_status look_up_row(const spk_pattern_figure *figure, top_pattern *pattern)
{
    const spk_exact_report *exact = &figure->exact;
    pattern->row = figure->n_patterns;
    if (pattern->row >= exact->n_rows)
        return spk_fail(figure->context, SPK_ERR_ARGUMENT,
                        "the test has %llu rows, and there are more patterns; give the figure the "
                        "patterns that are its rows",
                        (unsigned long long)exact->n_rows);
    const spk_exact_verdict *verdict = &exact->verdict[pattern->row];
    pattern->significant = verdict->tested && verdict->p <= exact->alpha;
    return SPK_OK;
}

/* What the test says of the pattern; nothing where there is none. */
static spk_status look_up(const spk_pattern_figure *figure, const uint32_t *item,
                          top_pattern *pattern)
{
    const spk_significance *test = &figure->test;
    uint32_t lag = item[pattern->size - 1] % figure->window;
    if (figure->has_exact)
        return look_up_row(figure, pattern);
    if (!figure->has_test)
        return SPK_OK;
    const spk_signature *signature =
        spk_signature_find(test->signature, test->n_signatures, pattern->size, pattern->count,
                           test->by_duration ? lag : 0);
    if (signature == NULL)
        return spk_fail(figure->context, SPK_ERR_ARGUMENT,
                        "a pattern of %u spikes and %u occurrences was not tested; take the "
                        "signatures of all patterns",
                        (unsigned)pattern->size, (unsigned)pattern->count);
    pattern->significant = signature->significant;
    pattern->p = test->published ? signature->p_published : signature->p;
    pattern->p_corrected = signature->p_corrected;
    return SPK_OK;
}

spk_status spk_pattern_figure_add(void *user, const spk_pattern_columns *patterns)
{
    spk_pattern_figure *figure = user;
    spk_window_columns windows = spk_windows_columns(figure->windows);
    spk_status status = report_check_patterns(figure->context, &windows, patterns);
    if (status != SPK_OK)
        return status;
    for (uint64_t i = 0; i < patterns->n; i++) {
        const uint32_t *item = patterns->item + patterns->offset[i];
        uint64_t length = patterns->offset[i + 1] - patterns->offset[i];
        uint32_t size = (uint32_t)length;
        top_pattern pattern = {.size = size, .count = patterns->count[i]};
        status = look_up(figure, item, &pattern);
        if (status != SPK_OK)
            return status;
        pattern.n_units = count_items(figure, size, item);
        figure->by_size[size < PATTERN_MAX_SIZE ? size : PATTERN_MAX_SIZE]++;
        figure->by_count[patterns->count[i]]++;
        figure->n_patterns++;
        if (size > PATTERN_MAX_SIZE)
            continue;
        memcpy(pattern.item, item, size * sizeof *item);
        offer(figure, &pattern);
    }
    return SPK_OK;
}
