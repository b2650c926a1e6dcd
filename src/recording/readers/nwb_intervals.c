/* Tables of intervals: obs_intervals of the units, and those below /intervals. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/readers/nwb.h"
#include "recording/readers/seconds.h"

/* From start to stop, in seconds. */
typedef struct interval {
    double start;
    double stop;
} interval;

/* Intervals that do not overlap, in order. */
typedef struct interval_list {
    interval *at;
    uint64_t n;
} interval_list;

/* Checks one that stands in row `row` of `path`. A stop may be infinite. */
static spk_status check_interval(spk_nwb *nwb, const char *path, uint64_t row, interval i)
{
    const char *wrong = NULL;
    if (isnan(i.start) || isnan(i.stop))
        wrong = "has no start or no stop (NaN)";
    else if (isinf(i.start) || i.stop == -HUGE_VAL)
        wrong = "begins or ends at no time";
    else if (i.start > i.stop)
        wrong = "stops before it starts";
    return wrong == NULL
               ? SPK_OK
               : spk_fail(nwb->context, SPK_ERR_FORMAT,
                          "%s: %s: row %" PRIu64 ", from %.15g to %.15g s, %s; mend or remove it",
                          nwb->name, path, row, i.start, i.stop, wrong);
}

/* Exact ranges of the intervals. */
static spk_status make_ranges(spk_nwb *nwb, const interval *at, uint64_t n, spk_rate rate,
                              spk_time_range **out, size_t *n_out)
{
    spk_duration *exact = NULL;
    spk_status status =
        spk_alloc_columns(nwb->context, "intervals", SPK_COLUMN(&exact, 2 * n), SPK_COLUMN(out, n));
    *n_out = 0;
    if (status == SPK_OK) /* an interval is two doubles, start and stop */
        status =
            spk_seconds_exact(nwb->context, &at->start, (size_t)(2 * n), rate, &nwb->hints, exact);
    for (uint64_t k = 0; k < n && status == SPK_OK; k++)
        (*out)[(*n_out)++] = (spk_time_range){exact[2 * k], exact[2 * k + 1]};
    free(exact);
    if (status != SPK_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- obs_intervals --------------------------------------------------------------------------- */

static int compare_starts(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* In order, without overlaps; those that touch stay two. True when some overlapped. */
static bool put_in_order(interval_list *list)
{
    uint64_t n = 0;
    qsort(list->at, list->n, sizeof *list->at, compare_starts);
    for (uint64_t k = 0; k < list->n; k++) {
        if (n > 0 && list->at[k].start < list->at[n - 1].stop)
            list->at[n - 1].stop = fmax(list->at[n - 1].stop, list->at[k].stop);
        else
            list->at[n++] = list->at[k];
    }
    bool overlapped = n < list->n;
    list->n = n;
    return overlapped;
}

/* What two lists have in common; `out` has room for the intervals of both. */
static void intersect(const interval_list *a, const interval_list *b, interval_list *out)
{
    out->n = 0;
    for (uint64_t i = 0, k = 0; i < a->n && k < b->n;) {
        double start = fmax(a->at[i].start, b->at[k].start);
        double stop = fmin(a->at[i].stop, b->at[k].stop);
        if (start < stop)
            out->at[out->n++] = (interval){start, stop};
        if (a->at[i].stop <= b->at[k].stop)
            i++;
        else
            k++;
    }
}

static bool same_list(const interval_list *a, const interval_list *b)
{
    bool same = a->n == b->n;
    for (uint64_t k = 0; k < a->n && same; k++)
        same = a->at[k].start == b->at[k].start && a->at[k].stop == b->at[k].stop;
    return same;
}

/* The table's two columns. */
typedef struct observed {
    interval *at; /* of all rows */
    uint64_t n;
    int64_t *end; /* n_units cumulative ends */
} observed;

static spk_status fail_shape(spk_nwb *nwb, const spk_h5_data *data, const char *expected)
{
    return spk_fail(nwb->context, SPK_ERR_FORMAT,
                    "%s: %s has %s values, %" PRIu64 " x %" PRIu64 "; expected are %s", nwb->name,
                    data->path, data->type_name, data->rows, data->columns, expected);
}

static spk_status read_index(spk_nwb *nwb, observed *out)
{
    char path[SPK_NWB_PATH];
    spk_h5_data index;
    int64_t before = 0;
    spk_status status = spk_h5_data_open(nwb->context, nwb->file,
                                         spk_nwb_path(nwb, "obs_intervals_index", path), &index);
    if (status == SPK_OK &&
        (index.rank != 1 || index.type != SPK_H5_INTEGER || index.rows != nwb->n_units))
        status = fail_shape(nwb, &index, "integers, one for each unit");
    if (status == SPK_OK)
        status = spk_alloc(nwb->context, &out->end, nwb->n_units, "intervals");
    if (status == SPK_OK)
        status = spk_h5_read_integers(nwb->context, &index, (spk_h5_part){0, 0, nwb->n_units, 1},
                                      out->end);
    for (uint32_t u = 0; status == SPK_OK && u < nwb->n_units; before = out->end[u++])
        if (out->end[u] < before || (uint64_t)out->end[u] > out->n)
            status = spk_fail(nwb->context, SPK_ERR_FORMAT,
                              "%s: %s: row %" PRIu32 " ends at %" PRId64 "; ends must ascend to at "
                              "most %" PRIu64 ", the number of obs_intervals",
                              nwb->name, path, u, out->end[u], out->n);
    spk_h5_data_close(&index);
    return status;
}

/* Reads obs_intervals; n is 0 where the table has none. */
static spk_status read_observed(spk_nwb *nwb, observed *out)
{
    char path[SPK_NWB_PATH];
    spk_h5_data data = {.id = -1, .type_id = -1};
    spk_h5_kind kind = SPK_H5_NOTHING;
    *out = (observed){.n = 0};
    spk_status status =
        spk_h5_find(nwb->context, nwb->file, spk_nwb_path(nwb, "obs_intervals", path), &kind);
    if (status != SPK_OK || kind == SPK_H5_NOTHING)
        return status;
    status = spk_h5_data_open(nwb->context, nwb->file, path, &data);
    if (status == SPK_OK && data.rows > 0 &&
        (data.rank != 2 || data.columns != 2 ||
         (data.type != SPK_H5_FLOAT && data.type != SPK_H5_INTEGER)))
        status = fail_shape(nwb, &data, "numbers, start and stop in each row");
    if (status == SPK_OK)
        status = spk_alloc(nwb->context, &out->at, data.rows, "intervals");
    if (status == SPK_OK && data.rows > 0)
        status = spk_h5_read_doubles(nwb->context, &data, (spk_h5_part){0, 0, data.rows, 2},
                                     &out->at->start);
    out->n = data.rows;
    for (uint64_t k = 0; k < out->n && status == SPK_OK; k++)
        status = check_interval(nwb, path, k, out->at[k]);
    if (status == SPK_OK && out->n > 0)
        status = read_index(nwb, out);
    spk_h5_data_close(&data);
    return status;
}

/* The intervals in which all wanted rows were observed. Rows without any say nothing. */
static spk_status find_common(spk_nwb *nwb, const observed *o, interval_list *out)
{
    interval_list next = {.n = 0};
    bool any = false, differ = false, overlap = false;
    spk_status status = spk_alloc_columns(nwb->context, "intervals", SPK_COLUMN(&out->at, 2 * o->n),
                                          SPK_COLUMN(&next.at, 2 * o->n));
    for (uint32_t u = 0; u < nwb->n_units && status == SPK_OK; u++) {
        uint64_t first = u > 0 ? (uint64_t)o->end[u - 1] : 0;
        interval_list row = {.at = o->at + first, .n = (uint64_t)o->end[u] - first};
        if (!nwb->keep[u] || row.n == 0)
            continue;
        overlap |= put_in_order(&row);
        if (!any) {
            memcpy(out->at, row.at, row.n * sizeof *row.at);
            out->n = row.n;
        } else if (!same_list(out, &row)) {
            interval_list before = *out;
            intersect(&before, &row, &next);
            *out = next;
            next = before;
            differ = true;
        }
        any = true;
    }
    free(next.at);
    if (status == SPK_OK && any && out->n == 0)
        status = spk_fail(nwb->context, SPK_ERR_ARGUMENT,
                          "%s: %s/obs_intervals: at no time were all wanted units observed; take "
                          "fewer of them (--units, --select)",
                          nwb->name, nwb->table);
    if (status == SPK_OK && differ)
        spk_note(
            nwb->context,
            "%s: units were observed at different times (obs_intervals); the segments are where "
            "all wanted ones were",
            nwb->name);
    if (status == SPK_OK && overlap)
        spk_note(nwb->context, "%s: obs_intervals of one unit overlap and are joined", nwb->name);
    return status;
}

spk_status spk_nwb_read_segments(spk_nwb *nwb, spk_rate rate, spk_time_range **out, size_t *n)
{
    observed o;
    interval_list common = {.n = 0};
    *out = NULL;
    *n = 0;
    spk_status status = read_observed(nwb, &o);
    if (status == SPK_OK && o.n > 0)
        status = find_common(nwb, &o, &common);
    if (status == SPK_OK && common.n > 0)
        status = make_ranges(nwb, common.at, common.n, rate, out, n);
    spk_free_all(common.at, o.at, o.end);
    return status;
}

/* ---- /intervals ------------------------------------------------------------------------------ */

/* Fails for a table that is not there, and names those that are. */
static spk_status fail_no_table(spk_nwb *nwb, const char *table)
{
    spk_h5_names names;
    char list[300] = "";
    size_t used = 0;
    spk_status status = spk_h5_list(nwb->context, nwb->file, "/intervals", &names);
    if (status != SPK_OK)
        return status;
    for (size_t k = 0; k < names.n && used + 2 < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "",
                                 names.name[k]);
    status =
        spk_fail(nwb->context, SPK_ERR_ARGUMENT, "%s: has no table of intervals '%s'; it has %s",
                 nwb->name, table, names.n > 0 ? list : "none");
    spk_h5_names_free(&names);
    return status;
}

/* Reads one column of numbers; *n is its length. */
static spk_status read_times_of(spk_nwb *nwb, const char *table, const char *column, double **out,
                                uint64_t *n)
{
    char path[SPK_NWB_PATH];
    spk_h5_data data;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", table, column) >= sizeof path)
        return fail_no_table(nwb, table);
    spk_status status = spk_h5_data_open(nwb->context, nwb->file, path, &data);
    if (status == SPK_OK &&
        (data.rank != 1 || (data.type != SPK_H5_FLOAT && data.type != SPK_H5_INTEGER)))
        status = fail_shape(nwb, &data, "numbers, one a row");
    if (status == SPK_OK)
        status = spk_alloc(nwb->context, out, data.rows, "intervals");
    if (status == SPK_OK)
        status = spk_h5_read_doubles(nwb->context, &data, (spk_h5_part){0, 0, data.rows, 1}, *out);
    *n = data.rows;
    spk_h5_data_close(&data);
    return status;
}

static spk_status read_table(spk_nwb *nwb, const char *path, spk_time_range **out, size_t *n)
{
    double *start = NULL, *stop = NULL;
    interval *both = NULL;
    uint64_t n_start = 0, n_stop = 0;
    spk_status status = read_times_of(nwb, path, "start_time", &start, &n_start);
    if (status == SPK_OK)
        status = read_times_of(nwb, path, "stop_time", &stop, &n_stop);
    if (status == SPK_OK && n_start != n_stop)
        status = spk_fail(nwb->context, SPK_ERR_FORMAT,
                          "%s: %s has %" PRIu64 " starts and %" PRIu64 " stops; it is damaged",
                          nwb->name, path, n_start, n_stop);
    if (status == SPK_OK)
        status = spk_alloc(nwb->context, &both, n_start, "intervals");
    for (uint64_t k = 0; stop != NULL && k < n_start && status == SPK_OK; k++) {
        both[k] = (interval){start[k], stop[k]};
        status = check_interval(nwb, path, k, both[k]);
    }
    if (status == SPK_OK)
        status = make_ranges(nwb, both, n_start, (spk_rate){0, 0}, out, n);
    spk_free_all(start, stop, both);
    return status;
}

spk_status spk_nwb_read_intervals(spk_nwb *nwb, const char *table, spk_time_range **out, size_t *n)
{
    char path[SPK_NWB_PATH];
    spk_h5_kind kind = SPK_H5_NOTHING;
    *out = NULL;
    *n = 0;
    int length = snprintf(path, sizeof path, "%s%s", table[0] == '/' ? "" : "/intervals/", table);
    if (table[0] == '\0' || length < 0 || (size_t)length >= sizeof path)
        return fail_no_table(nwb, table);
    spk_status status = spk_h5_find(nwb->context, nwb->file, path, &kind);
    if (status == SPK_OK && kind != SPK_H5_GROUP)
        status = fail_no_table(nwb, table);
    return status == SPK_OK ? read_table(nwb, path, out, n) : status;
}
