/*
 * The units table of an NWB file (https://nwb-schema.readthedocs.io, version 2), shared by the
 * files that make up its reader. In the table a row is a unit; spike_times holds the times of all
 * rows one after the other, and spike_times_index where the times of each row end.
 */
#pragma once

#include "hdf5/file.h"
#include "recording/clock.h"
#include "recording/recording.h"

enum { SPK_NWB_PATH = 512, SPK_NWB_RATES = 32 };

typedef struct spk_nwb {
    spk_context *context;
    const spk_read_options *options;
    spk_h5_file *file;
    const char *name;         /* of the file */
    char table[SPK_NWB_PATH]; /* "/units" */
    uint32_t n_units;         /* rows of the table */
    uint64_t *first;          /* n_units + 1 places in spike_times */
    spk_h5_data times;
    spk_h5_names labels; /* of the rows */
    bool *keep;          /* rows that the options keep */
    double scale;        /* seconds that a stored number counts */
    spk_rate rate[SPK_NWB_RATES];
    spk_clock_hints hints;
} spk_nwb;

/* ---- the table (nwb_table.c) ----------------------------------------------------------------- */

/* Finds the table, opens its times, and checks where those of each row lie. */
spk_status spk_nwb_open_table(spk_nwb *nwb);

/* The path of a member of the table; "", which leads nowhere, where it is too long. */
const char *spk_nwb_path(const spk_nwb *nwb, const char *member, char path[SPK_NWB_PATH]);

/* ---- its columns (nwb_columns.c) ------------------------------------------------------------- */

/* Reads the labels, and marks the rows that --select and --units keep. */
spk_status spk_nwb_keep_units(spk_nwb *nwb);

/* ---- times (nwb_times.c) --------------------------------------------------------------------- */

/* Puts the rates that the file tells into the hints. */
spk_status spk_nwb_find_rates(spk_nwb *nwb);

/* Events as they were read. */
typedef struct spk_nwb_events {
    double *seconds; /* n, those of each row together; to be freed, as is row */
    uint32_t *row;
    uint64_t n;
    bool has_ends;  /* some row has times */
    double first_s; /* of all rows, wanted or not */
    double last_s;
    bool in_order; /* within each row */
} spk_nwb_events;

/* Reads the times of the wanted rows: at least those that lie from start to stop. */
spk_status spk_nwb_read_times(spk_nwb *nwb, spk_nwb_events *out);

/* ---- intervals (nwb_intervals.c) ------------------------------------------------------------- */

/* The stretches in which all wanted rows were observed; none where the table does not say. *out is
 * to be freed. Borders on the grid of `rate` are exactly there. */
spk_status spk_nwb_read_segments(spk_nwb *nwb, spk_rate rate, spk_time_range **out, size_t *n);

/* The table /intervals/NAME: from start_time to stop_time, one row after the other. */
spk_status spk_nwb_read_intervals(spk_nwb *nwb, const char *table, spk_time_range **out, size_t *n);
