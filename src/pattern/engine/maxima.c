/* Largest counts per size and duration, kept as steps. */
#include "pattern/engine/maxima.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

spk_status spk_maxima_table_create(spk_context *context, uint32_t n_rows, spk_maxima_table *out)
{
    *out = (spk_maxima_table){.n_rows = n_rows};
    return spk_alloc_zero(context, &out->row, n_rows, "largest counts");
}

void spk_maxima_table_free(spk_maxima_table *table)
{
    for (uint32_t d = 0; table->row != NULL && d < table->n_rows; d++)
        free(table->row[d].step);
    free(table->row);
    *table = (spk_maxima_table){.row = NULL};
}

/* Room for one step more. */
static bool reserve(spk_maxima_row *row)
{
    if (row->n < row->capacity)
        return true;
    uint32_t capacity = row->capacity < 8 ? 8 : 2 * row->capacity;
    spk_maxima_step *larger = realloc(row->step, capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    row->step = larger;
    row->capacity = capacity;
    return true;
}

bool spk_maxima_raise(spk_maxima_row *row, uint32_t size, uint32_t count)
{
    if (!spk_maxima_would_raise(row, size, count))
        return true;
    /* Steps first .. end - 1 are of no larger size and count: the new one replaces them. */
    uint32_t end = 0, first;
    while (end < row->n && row->step[end].size <= size)
        end++;
    for (first = end; first > 0 && row->step[first - 1].count <= count; first--)
        continue;
    if (first == end && !reserve(row))
        return false;
    memmove(row->step + first + 1, row->step + end, (row->n - end) * sizeof *row->step);
    row->n = row->n - (end - first) + 1;
    row->step[first] = (spk_maxima_step){size, count};
    assert(first == 0 || row->step[first - 1].count > count);
    assert(first + 1 == row->n || row->step[first + 1].count < count);
    return true;
}

spk_status spk_maxima_list(spk_context *context, const spk_maxima_table *table,
                           spk_pattern_maximum **out, size_t *n)
{
    size_t total = 0, at = 0;
    for (uint32_t d = 0; d < table->n_rows; d++)
        total += table->row[d].n;
    *n = 0;
    spk_status status = spk_alloc(context, out, total, "largest counts");
    if (status != SPK_OK)
        return status;
    for (uint32_t d = 0; d < table->n_rows; d++)
        for (uint32_t k = 0; k < table->row[d].n; k++)
            (*out)[at++] = (spk_pattern_maximum){.size = table->row[d].step[k].size,
                                                 .duration = d,
                                                 .count = table->row[d].step[k].count};
    *n = total;
    return SPK_OK;
}
