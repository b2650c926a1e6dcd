/*
 * Largest counts per size, and per duration where that is asked for: what is known of them while a
 * search goes on, and what they are at its end.
 *
 * M(z) is the largest count of a pattern with at least z spikes, so it never rises with z. A row
 * holds its steps alone:
 *
 *     patterns of (spikes, count):   (5, 14) (5, 9) (6, 11) (7, 11) (8, 10)
 *     steps:                         (5, 14) (7, 11) (8, 10)
 *     M(z):                          14 for z <= 5, 11 for 6 and 7, 10 for 8, 0 beyond
 */
#pragma once

#include "base/context.h"
#include "spikemine/pattern.h"
#include "spikemine/spectrum.h"

SPK_BEGIN_C

typedef struct spk_maxima_step {
    uint32_t size;
    uint32_t count;
} spk_maxima_step;

/* Steps by size; their counts fall. */
typedef struct spk_maxima_row {
    uint32_t n;
    uint32_t capacity;
    spk_maxima_step *step;
} spk_maxima_row;

/* A row for each duration 0 .. n_rows - 1, or one for all. Begins zeroed. */
typedef struct spk_maxima_table {
    uint32_t n_rows;
    spk_maxima_row *row;
} spk_maxima_table;

/* Errors: SPK_ERR_MEMORY; the table can be freed in any case. */
spk_status spk_maxima_table_create(spk_context *context, uint32_t n_rows, spk_maxima_table *out);
void spk_maxima_table_free(spk_maxima_table *table);

/* M(size) of a row; 0: no pattern yet. */
static inline uint32_t spk_maxima_at(const spk_maxima_row *row, uint32_t size)
{
    for (uint32_t k = 0; k < row->n; k++)
        if (row->step[k].size >= size)
            return row->step[k].count;
    return 0;
}

/* Whether a pattern of this size and count would raise the row. */
static inline bool spk_maxima_would_raise(const spk_maxima_row *row, uint32_t size, uint32_t count)
{
    return count > spk_maxima_at(row, size);
}

/* Takes note of a pattern. False when memory is out; the row is as it was then. */
bool spk_maxima_raise(spk_maxima_row *row, uint32_t size, uint32_t count);

/* All steps, by duration, then size. */
spk_status spk_maxima_list(spk_context *context, const spk_maxima_table *table,
                           spk_pattern_maximum **out, size_t *n);

SPK_END_C
