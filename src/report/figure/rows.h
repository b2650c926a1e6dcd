/* The order of rows in a raster, so that sequences run downwards. */
#ifndef SPK_REPORT_FIGURE_ROWS_H
#define SPK_REPORT_FIGURE_ROWS_H

#include <stdint.h>

/* Rows from the top; both arrays have room for all units. Sequences that share units are a block.
 */
typedef struct spk_rows {
    uint32_t n;
    uint32_t n_blocks;
    uint32_t *unit;
    uint32_t *block;
} spk_rows;

/* Adds the units of a sequence. A new one stands below the one before it in the sequence, or below
 * its block where none of the later ones is there. At the beginning of the sequence it stands above
 * the next one that is there, else behind all. */
void spk_rows_add(spk_rows *rows, uint32_t size, const uint32_t *unit);

/* Adds all other units behind them, by number. spk_figure_order_units is both. */
void spk_rows_add_others(spk_rows *rows, uint32_t n_units);

#endif
