/* What is known of pictures before one is drawn, also in builds without cairo. */
#include "spikemine/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/options.h"
#include "report/figure/panels.h"

SPK_OPTIONS_INIT(spk_figure_options, .n_top = 6, .width_mm = 180, .font_pt = 7, .dpi = 300);

/* ---- words ----------------------------------------------------------------------------------- */

void spk_figure_caption(const spk_recording *recording, uint64_t n, const char *what, char *text,
                        size_t size)
{
    char units[SPK_GROUPED_BYTES], spikes[SPK_GROUPED_BYTES], results[SPK_GROUPED_BYTES + 1] = "";
    const spk_events events = spk_recording_events(recording);
    if (n < UINT64_MAX)
        snprintf(results, sizeof results, "%s ", spk_group_digits(n, units));
    snprintf(text, size, "%s unit%s, %s spike%s; %s%s%s", spk_group_digits(events.n_units, units),
             spk_plural(events.n_units), spk_group_digits(events.n_events, spikes),
             spk_plural(events.n_events), results, what, n < UINT64_MAX ? spk_plural(n) : "");
}

const char *spk_figure_time_unit(double longest_s, double *per_second)
{
    static const struct {
        const char *name;
        double per_second, least_s;
    } units[] = {{"h", 1.0 / 3600, 10800}, {"min", 1.0 / 60, 900},   {"s", 1, 2},
                 {"ms", 1e3, 2e-3},        {"\xc2\xb5s", 1e6, 2e-6}, {"ns", 1e9, -INFINITY}};
    size_t k = 0;
    while (!(longest_s >= units[k].least_s) && k + 1 < sizeof units / sizeof units[0])
        k++;
    if (per_second != NULL)
        *per_second = units[k].per_second;
    return units[k].name;
}

/* ---- the order of rows in a raster ----------------------------------------------------------- */

/* Where a unit stands; n: nowhere. */
static uint32_t place_of(const spk_rows *rows, uint32_t unit)
{
    uint32_t row = 0;
    while (row < rows->n && rows->unit[row] != unit)
        row++;
    return row;
}

/* Where the first of some units stands that is there. */
static uint32_t place_of_first(const spk_rows *rows, uint32_t n, const uint32_t *unit)
{
    uint32_t place = rows->n;
    for (uint32_t k = 0; k < n && place == rows->n; k++)
        place = place_of(rows, unit[k]);
    return place;
}

/* Where the new unit at position p of a sequence goes. */
static uint32_t place_for(const spk_rows *rows, uint32_t p, uint32_t size, const uint32_t *unit)
{
    const uint32_t next = place_of_first(rows, size - p - 1, unit + p + 1);
    if (p == 0)
        return next;
    const uint32_t before = place_of(rows, unit[p - 1]);
    uint32_t place = before + 1;
    while (next == rows->n && place < rows->n && rows->block[place] == rows->block[before])
        place++;
    return place;
}

static void insert(spk_rows *rows, uint32_t place, uint32_t unit, uint32_t block)
{
    const size_t behind = (rows->n - place) * sizeof *rows->unit;
    memmove(rows->unit + place + 1, rows->unit + place, behind);
    memmove(rows->block + place + 1, rows->block + place, behind);
    rows->unit[place] = unit;
    rows->block[place] = block;
    rows->n++;
}

void spk_rows_add(spk_rows *rows, uint32_t size, const uint32_t *unit)
{
    const uint32_t known = place_of_first(rows, size, unit);
    const uint32_t block = known < rows->n ? rows->block[known] : rows->n_blocks++;
    for (uint32_t p = 0; p < size; p++)
        if (place_of(rows, unit[p]) == rows->n)
            insert(rows, place_for(rows, p, size, unit), unit[p], block);
}

void spk_rows_add_others(spk_rows *rows, uint32_t n_units)
{
    const spk_rows first = *rows;
    for (uint32_t unit = 0; unit < n_units; unit++)
        if (place_of(&first, unit) == first.n)
            insert(rows, rows->n, unit, first.n_blocks);
}

spk_status spk_figure_order_units(spk_context *context, const spk_recording *recording, uint64_t n,
                                  const uint64_t *offset, const uint32_t *unit, uint32_t *order,
                                  uint32_t *n_first)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    spk_rows rows = {.unit = order};
    *n_first = 0;
    for (uint64_t p = n > 0 ? offset[0] : 0; n > 0 && p < offset[n]; p++)
        if (unit[p] >= n_units)
            return spk_fail(context, SPK_ERR_ARGUMENT,
                            "unit %" PRIu32 " of a sequence: the recording has %" PRIu32 " units",
                            unit[p], n_units);
    spk_status status = spk_alloc(context, &rows.block, n_units, "rows of a raster");
    if (status != SPK_OK)
        return status;
    for (uint64_t k = 0; k < n; k++)
        spk_rows_add(&rows, (uint32_t)(offset[k + 1] - offset[k]), unit + offset[k]);
    *n_first = rows.n;
    spk_rows_add_others(&rows, n_units);
    spk_free(context, rows.block);
    return SPK_OK;
}
