/* Tables of a sorter's clusters (cluster_group.tsv and the like): a header, a row a cluster. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"
#include "recording/labels.h"
#include "spikemine/duration.h"

typedef struct spk_sorter_table {
    char *name; /* of the file, without folder */
    char *text; /* cells, each terminated */
    size_t n_columns;
    char **cell; /* the header's, then n_columns a row */
    uint64_t cell_capacity;
    uint64_t n_rows;
    size_t id_column;
    spk_labels ids; /* the clusters, as whole numbers in their shortest form */
    uint64_t *row;  /* of each in `ids` */
    uint64_t row_capacity;
} spk_sorter_table;

/* Parses n bytes, separated by tabs, or by commas where the header has none. Errors: SPK_ERR_FORMAT
 * (no header, rows of another length, a cluster that is no whole number, one that stands twice). */
spk_status spk_sorter_table_parse(spk_context *context, const char *path, const char *name,
                                  const char *text, size_t n, spk_sorter_table *out);

/* Frees what it holds; a zeroed one is accepted. */
void spk_sorter_table_clear(spk_sorter_table *table);

/* Number of the column of that name; false where there is none. */
bool spk_sorter_table_column(const spk_sorter_table *table, const char *name, size_t *column);

/* The cell of a cluster, whose label is given; NULL where it has no row. */
const char *spk_sorter_table_cell(const spk_sorter_table *table, const char *cluster,
                                  size_t column);

/* ---- parameters ------------------------------------------------------------------------------ */

/* The sampling rate in a sorter's params.py, a Python file of which one line is read and none is
 * run. */

/* Finds `sample_rate = NUMBER` in n bytes of text; {0, 1} where nothing is assigned to it. Errors:
 * SPK_ERR_FORMAT (what is assigned is no plain number, or there are two of them), which names the
 * line. */
spk_status spk_sorter_params_rate(spk_context *context, const char *name, const char *text,
                                  size_t n, spk_rate *out);
