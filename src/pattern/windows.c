/* Windows: access, freeing, and the check of every invariant. */
#include "pattern/windows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fraction.h"
#include "base/memory.h"

void spk_windows_free(spk_windows *windows)
{
    if (windows == NULL)
        return;
    spk_free_all(windows->first, windows->item, windows->trial, windows->start_bin,
                 windows->start_time, windows->grid, windows->number, windows->place);
    spk_holding_release(&windows->holding);
    free(windows);
}

void spk_windows_hold(spk_context *context, spk_windows *windows)
{
    uint64_t n = windows->columns.n_windows;
    uint64_t each = sizeof *windows->first + sizeof *windows->trial + sizeof *windows->start_bin +
                    (windows->start_time != NULL ? sizeof *windows->start_time : 0) +
                    (windows->place != NULL ? sizeof *windows->place : 0);
    spk_holding_set(context, &windows->holding,
                    n * each + windows->columns.first[n] * sizeof *windows->item);
}

spk_window_columns spk_windows_columns(const spk_windows *windows)
{
    return windows->columns;
}

spk_window_columns spk_windows_mined(const spk_windows *windows)
{
    spk_window_columns columns = windows->columns;
    if (windows->place != NULL) {
        columns.start_bin = windows->place;
        columns.start_time = (const int64_t *)windows->place;
    }
    return columns;
}

size_t spk_windows_trial(const spk_windows *windows, uint64_t w)
{
    return windows->number != NULL && w < windows->columns.n_windows
               ? windows->number[windows->trial[w]]
               : 0;
}

size_t spk_windows_format_time(const spk_windows *windows, uint64_t w, char *buffer, size_t size)
{
    if (windows->grid == NULL || w >= windows->columns.n_windows)
        return (size_t)snprintf(buffer, size, "%s", "");
    const spk_bin_grid *grid = &windows->grid[windows->trial[w]];
    spk_rate rate = windows->rate;
    /* No event of a bin lies before its start, so that the products stay below 2^127. */
    __int128 parts = (__int128)grid->first_tick * grid->scale - grid->offset +
                     (__int128)(windows->start_bin[w] * grid->width);
    unsigned __int128 second = (unsigned __int128)grid->scale * rate.numerator;
    __int128 product;
    unsigned __int128 common = spk_greatest_divisor(second, rate.denominator);
    second /= common;
    if (second >> 123 == 0 &&
        !__builtin_mul_overflow(parts, (__int128)(rate.denominator / common), &product))
        return spk_fraction_format(product, second, 12, buffer, size);
    /* Digits beyond all use: that of the tick in which the bin starts. */
    __int128 tick = parts / grid->scale - (parts % grid->scale < 0);
    return spk_fraction_format(tick * rate.denominator, rate.numerator, 12, buffer, size);
}

static const char *broken_rule(const spk_window_columns *c)
{
    if (c->window < 1 || c->window > SPK_MAX_WINDOW_BINS)
        return "the window length is out of range";
    uint64_t n_items = (uint64_t)c->n_units * c->window;
    if (n_items > SPK_MAX_ITEMS || c->n_windows > SPK_MAX_WINDOWS)
        return "there are too many items or windows";
    if (c->first[0] != 0)
        return "the first window does not start at 0";
    for (uint64_t w = 0; w < c->n_windows; w++) {
        if (c->first[w + 1] < c->first[w])
            return "a window ends before it starts";
        for (uint64_t k = c->first[w]; k < c->first[w + 1]; k++) {
            if (c->item[k] >= n_items)
                return "an item is outside units x window";
            if (k > c->first[w] && c->item[k] <= c->item[k - 1])
                return "a window's items do not ascend";
        }
        if (w > 0 && (c->trial[w] < c->trial[w - 1] ||
                      (c->trial[w] == c->trial[w - 1] && c->start_bin[w] <= c->start_bin[w - 1])))
            return "the windows are not ordered by trial and bin";
    }
    return NULL;
}

bool spk_windows_validate(const spk_windows *windows, const char **reason)
{
    *reason = broken_rule(&windows->columns);
    return *reason == NULL;
}
