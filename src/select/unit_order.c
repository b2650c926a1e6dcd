/* In which order results have their units. */
#include "select/founders.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/order.h"

static int compare_units(const void *a, const void *b)
{
    uint32_t x = ((const spk_unit_place *)a)->unit;
    uint32_t y = ((const spk_unit_place *)b)->unit;
    return SPK_UP(x, y);
}

uint32_t spk_unit_places(const spk_results *r, uint64_t i, spk_unit_place *out)
{
    uint32_t size = spk_result_size(r, i);
    uint32_t n = 0;
    for (uint32_t p = 0; p < size; p++) {
        uint64_t at = r->offset[i] + p;
        uint32_t place = r->delay != NULL ? p : r->entry[at] % r->window;
        out[p] = (spk_unit_place){spk_result_unit(r, at), (float)place};
    }
    qsort(out, size, sizeof *out, compare_units);
    for (uint32_t p = 0, end; p < size; p = end) {
        float sum = 0; /* of whole numbers, in any order the same */
        for (end = p; end < size && out[end].unit == out[p].unit; end++)
            sum += out[end].place;
        out[n++] = (spk_unit_place){out[p].unit, sum / (float)(end - p)};
    }
    return n;
}

static int32_t sign(float x)
{
    return (x > 0) - (x < 0);
}

int32_t spk_unit_places_agree(const spk_unit_place *a, uint32_t n_a, const spk_unit_place *b,
                              uint32_t n_b)
{
    enum { MOST = SPK_EPISODE_MAX_SIZE }; /* common units that are compared */
    float in_a[MOST], in_b[MOST];
    uint32_t n = 0;
    int32_t agree = 0;
    for (uint32_t i = 0, j = 0; i < n_a && j < n_b && n < MOST;) {
        if (a[i].unit == b[j].unit) {
            in_a[n] = a[i++].place;
            in_b[n++] = b[j++].place;
        } else if (a[i].unit < b[j].unit) {
            i++;
        } else {
            j++;
        }
    }
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = x + 1; y < n; y++)
            agree += sign(in_a[y] - in_a[x]) * sign(in_b[y] - in_b[x]);
    return agree;
}

/* ---- groups ---------------------------------------------------------------------------------- */

spk_status spk_group_order_make(spk_context *context, const uint32_t *unit, uint32_t n,
                                spk_group_order *out)
{
    uint64_t pairs = (uint64_t)n * n;
    *out = (spk_group_order){.n = n};
    spk_status status = spk_alloc_columns(
        context, "families", SPK_COLUMN(&out->unit, n), SPK_COLUMN_ZERO(&out->having, n),
        SPK_COLUMN_ZERO(&out->before, pairs), SPK_COLUMN_ZERO(&out->both, pairs));
    for (uint32_t k = 0; k < n && status == SPK_OK; k++)
        out->unit[k] = unit[k];
    return status;
}

void spk_group_order_free(spk_group_order *order)
{
    spk_free_all(order->unit, order->having, order->before, order->both);
    *order = (spk_group_order){.n = 0};
}

/* Place of a unit in the group, n where it is not there. */
static uint32_t find_unit(const spk_group_order *order, uint32_t unit)
{
    const uint32_t low = (uint32_t)spk_first_u32(order->unit, 0, order->n, unit);
    return low < order->n && order->unit[low] == unit ? low : order->n;
}

void spk_group_order_add(spk_group_order *order, const spk_unit_place *places, uint32_t n)
{
    for (uint32_t x = 0; x < n; x++) {
        uint32_t row = find_unit(order, places[x].unit);
        if (row == order->n)
            continue;
        order->having[row]++;
        for (uint32_t y = 0; y < n; y++) {
            uint32_t column = find_unit(order, places[y].unit);
            if (column == order->n || column == row)
                continue;
            uint64_t at = (uint64_t)row * order->n + column;
            order->before[at] += sign(places[y].place - places[x].place);
            order->both[at]++;
        }
    }
}

int32_t spk_group_order_agrees(const spk_group_order *order, const spk_unit_place *places,
                               uint32_t n)
{
    int32_t agree = 0;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t row = find_unit(order, places[x].unit);
        for (uint32_t y = x + 1; y < n && row < order->n; y++) {
            uint32_t column = find_unit(order, places[y].unit);
            if (column < order->n)
                agree += sign((float)order->before[(uint64_t)row * order->n + column]) *
                         sign(places[y].place - places[x].place);
        }
    }
    return agree;
}

/* A unit of a group, and how much it comes before the others. */
typedef struct precedence {
    uint32_t unit;
    double value;
} precedence;

static int compare_precedence(const void *a, const void *b)
{
    const precedence *x = a, *y = b;
    return SPK_BY(SPK_DOWN(x->value, y->value), SPK_UP(x->unit, y->unit));
}

spk_status spk_group_order_list(spk_context *context, const spk_group_order *order, uint64_t least,
                                uint32_t *out, uint32_t *n)
{
    precedence *all = NULL;
    *n = 0;
    spk_status status = spk_alloc(context, &all, order->n, "families");
    for (uint32_t row = 0; row < order->n && status == SPK_OK; row++) {
        double value = 0;
        uint32_t met = 0;
        if (order->having[row] < least)
            continue;
        for (uint32_t column = 0; column < order->n; column++) {
            uint64_t at = (uint64_t)row * order->n + column;
            if (order->both[at] == 0 || order->having[column] < least)
                continue;
            value += (double)order->before[at] / order->both[at];
            met++;
        }
        all[(*n)++] = (precedence){order->unit[row], met > 0 ? value / met : 0};
    }
    if (status == SPK_OK)
        qsort(all, *n, sizeof *all, compare_precedence);
    for (uint32_t k = 0; k < *n; k++)
        out[k] = all[k].unit;
    spk_free(context, all);
    return status;
}
