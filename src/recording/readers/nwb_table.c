/* Finds the units table of an NWB file and checks where the times of each row lie. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fraction.h"
#include "base/memory.h"
#include "recording/readers/nwb.h"

const char *spk_nwb_path(const spk_nwb *nwb, const char *member, char path[SPK_NWB_PATH])
{
    int n = snprintf(path, SPK_NWB_PATH, "%s/%s", nwb->table, member);
    if (n < 0 || n >= SPK_NWB_PATH)
        path[0] = '\0';
    return path;
}

/* ---- which table ----------------------------------------------------------------------------- */

/* The tables found: the first few names, and how many there are. */
typedef struct found_tables {
    char path[SPK_NWB_PATH];
    char list[400];
    size_t n;
} found_tables;

static spk_status is_table(spk_nwb *nwb, const char *path, bool *out)
{
    char member[SPK_NWB_PATH];
    spk_h5_kind kind = SPK_H5_NOTHING;
    *out = false;
    if ((size_t)snprintf(member, sizeof member, "%s/spike_times", path) >= sizeof member)
        return SPK_OK;
    spk_status status = spk_h5_find(nwb->context, nwb->file, path, &kind);
    if (status == SPK_OK && kind == SPK_H5_GROUP)
        status = spk_h5_find(nwb->context, nwb->file, member, &kind);
    else
        kind = SPK_H5_NOTHING;
    *out = status == SPK_OK && kind == SPK_H5_DATA;
    return status;
}

static void add_table(found_tables *found, const char *path)
{
    size_t used = strlen(found->list);
    if (found->n++ == 0)
        snprintf(found->path, sizeof found->path, "%s", path);
    snprintf(found->list + used, sizeof found->list - used, "%s%s", used > 0 ? ", " : "", path);
}

/* Looks for tables in `folder` and `depth` levels below it. Objects that cannot be opened are none.
 */
static spk_status search(spk_nwb *nwb, const char *folder, int depth, found_tables *found)
{
    spk_h5_names names;
    bool is_one = false;
    if (spk_h5_find_within(nwb->file, folder) != SPK_H5_GROUP)
        return SPK_OK;
    spk_status status = is_table(nwb, folder, &is_one);
    if (status == SPK_OK && is_one)
        add_table(found, folder);
    if (status != SPK_OK || is_one || depth == 0)
        return status;
    status = spk_h5_list(nwb->context, nwb->file, folder, &names);
    for (size_t k = 0; status == SPK_OK && k < names.n; k++) {
        char path[SPK_NWB_PATH];
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, names.name[k]) < sizeof path)
            status = search(nwb, path, depth - 1, found);
    }
    spk_h5_names_free(&names);
    return status;
}

static spk_status fail_no_table(spk_nwb *nwb)
{
    spk_h5_kind version = SPK_H5_NOTHING;
    char text[16] = "";
    bool is_nwb = false;
    spk_status status = spk_h5_find(nwb->context, nwb->file, "/nwb_version", &version);
    if (status == SPK_OK)
        status =
            spk_h5_text_of(nwb->context, nwb->file, "/", "nwb_version", text, sizeof text, &is_nwb);
    if (status != SPK_OK)
        return status;
    if (version == SPK_H5_DATA)
        return spk_fail(nwb->context, SPK_ERR_FORMAT,
                        "%s: is of NWB 1, which is not read; convert it to NWB 2 (with MatNWB or "
                        "PyNWB)",
                        nwb->name);
    if (is_nwb)
        return spk_fail(
            nwb->context, SPK_ERR_FORMAT,
            "%s: has no units table with spike_times (/units), so no sorted spikes; sort "
            "the recording first, or name the table (--time-column)",
            nwb->name);
    return spk_fail(
        nwb->context, SPK_ERR_FORMAT,
        "%s: is an HDF5 file, but not of NWB: there is no /units/spike_times; variables "
        "of other files are read with --input-format matlab --time-column NAME",
        nwb->name);
}

/* The table that the user named: its path, or that of its spike_times. */
static spk_status take_named(spk_nwb *nwb, const char *name)
{
    static const char column[] = "/spike_times";
    bool is_one = false;
    int n = snprintf(nwb->table, sizeof nwb->table, "%s%s", name[0] == '/' ? "" : "/", name);
    if (n < 0 || (size_t)n >= sizeof nwb->table)
        return spk_fail(nwb->context, SPK_ERR_ARGUMENT, "%s: the name of the table is too long",
                        nwb->name);
    size_t length = (size_t)n, tail = sizeof column - 1;
    if (length > tail && strcmp(nwb->table + length - tail, column) == 0)
        nwb->table[length - tail] = '\0';
    spk_status status = is_table(nwb, nwb->table, &is_one);
    if (status == SPK_OK && !is_one)
        status = spk_fail(nwb->context, SPK_ERR_ARGUMENT,
                          "%s: %s is no units table: it has no spike_times; give the path of one, "
                          "such as /units",
                          nwb->name, nwb->table);
    return status;
}

static spk_status find_table(spk_nwb *nwb)
{
    static const char *const elsewhere[] = {"/processing", "/analysis", "/scratch"};
    found_tables found = {.n = 0};
    bool is_one = false;
    if (nwb->options->time_column != NULL)
        return take_named(nwb, nwb->options->time_column);
    snprintf(nwb->table, sizeof nwb->table, "/units");
    spk_status status = is_table(nwb, nwb->table, &is_one);
    if (status != SPK_OK || is_one)
        return status;
    for (size_t k = 0; k < 3 && status == SPK_OK; k++)
        status = search(nwb, elsewhere[k], 3, &found);
    if (status != SPK_OK)
        return status;
    if (found.n == 0)
        return fail_no_table(nwb);
    if (found.n > 1)
        return spk_fail(nwb->context, SPK_ERR_ARGUMENT,
                        "%s: has %zu units tables: %s; name one, such as --time-column %s",
                        nwb->name, found.n, found.list, found.path);
    snprintf(nwb->table, sizeof nwb->table, "%s", found.path);
    spk_note(nwb->context, "%s: units are taken from %s", nwb->name, nwb->table);
    return SPK_OK;
}

/* ---- its rows -------------------------------------------------------------------------------- */

/* Our writer tells the rate exactly. */
static spk_status read_own_rate(spk_nwb *nwb, bool *found)
{
    char text[64];
    bool is_ours = false;
    spk_status status = spk_h5_text_of(nwb->context, nwb->file, nwb->times.path,
                                       "spikemine_ticks_per_second", text, sizeof text, &is_ours);
    const char *at = text, *end = text + (is_ours ? strlen(text) : 0);
    spk_rate rate = {0, 0};
    is_ours = is_ours && spk_whole_scan(&at, end, &rate.numerator) && at < end && *at++ == '/' &&
              spk_whole_scan(&at, end, &rate.denominator) && at == end && rate.numerator > 0 &&
              rate.denominator > 0 && rate.numerator <= INT64_MAX && rate.denominator <= INT64_MAX;
    if (is_ours) {
        uint64_t common = (uint64_t)spk_greatest_divisor(rate.numerator, rate.denominator);
        nwb->rate[0] = (spk_rate){rate.numerator / common, rate.denominator / common};
    }
    *found = *found || is_ours;
    return status;
}

static spk_status check_times(spk_nwb *nwb)
{
    const spk_h5_data *times = &nwb->times;
    double resolution = 0;
    bool found = false;
    if (times->rank != 1 || (times->type != SPK_H5_FLOAT && times->type != SPK_H5_INTEGER))
        return spk_fail(nwb->context, SPK_ERR_FORMAT,
                        "%s: %s has %s values in %d dimensions; spike times are numbers in one",
                        nwb->name, times->path, times->type_name, times->rank);
    nwb->scale = 1;
    spk_status status =
        spk_h5_number_of(nwb->context, nwb->file, times->path, "resolution", &resolution, &found);
    if (status != SPK_OK)
        return status;
    found = found && resolution > 0 && spk_clock_rate_of_step(resolution, &nwb->rate[0]);
    status = read_own_rate(nwb, &found);
    if (status != SPK_OK)
        return status;
    nwb->hints = (spk_clock_hints){.rate = nwb->rate,
                                   .n = found,
                                   .declared = found,
                                   .single = times->type == SPK_H5_FLOAT && times->item_bytes < 8};
    if (times->type == SPK_H5_FLOAT)
        return SPK_OK;
    if (!found)
        return spk_fail(nwb->context, SPK_ERR_FORMAT,
                        "%s: %s holds integers, and no resolution says how long one is; write "
                        "seconds (float64), or the attribute resolution",
                        nwb->name, times->path);
    nwb->scale = resolution;
    spk_note(nwb->context, "%s: spike_times are integers; each is taken as %g s, their resolution",
             nwb->name, resolution);
    return SPK_OK;
}

/* Ends ascend from 0 to the number of times. In place: `first` gets them from 1 on. */
static spk_status check_ends(spk_nwb *nwb, const char *path)
{
    const int64_t *end = (const int64_t *)(nwb->first + 1);
    nwb->first[0] = 0;
    for (uint32_t u = 0; u < nwb->n_units; u++) {
        int64_t before = u > 0 ? end[u - 1] : 0;
        if (end[u] < before)
            return spk_fail(nwb->context, SPK_ERR_FORMAT,
                            "%s: %s: row %" PRIu32 " ends at %" PRId64 ", before row %" PRId64
                            " (%" PRId64 "); ends must not descend: the file is damaged",
                            nwb->name, path, u, end[u], (int64_t)u - 1, before);
        if ((uint64_t)end[u] > nwb->times.rows)
            return spk_fail(nwb->context, SPK_ERR_FORMAT,
                            "%s: %s: row %" PRIu32 " ends at %" PRId64 ", but there are %" PRIu64
                            " spike_times; the file is damaged or not complete",
                            nwb->name, path, u, end[u], nwb->times.rows);
    }
    uint64_t left = nwb->times.rows - nwb->first[nwb->n_units];
    if (left > 0)
        spk_note(nwb->context, "%s: the last %" PRIu64 " spike_times belong to no unit", nwb->name,
                 left);
    return SPK_OK;
}

static spk_status read_index(spk_nwb *nwb)
{
    char path[SPK_NWB_PATH];
    spk_h5_data index;
    spk_h5_kind kind = SPK_H5_NOTHING;
    spk_nwb_path(nwb, "spike_times_index", path);
    spk_status status = spk_h5_find(nwb->context, nwb->file, path, &kind);
    if (status == SPK_OK && kind == SPK_H5_NOTHING)
        return spk_fail(
            nwb->context, SPK_ERR_FORMAT,
            "%s: %s is missing, so nothing says which unit a time belongs to; the table "
            "must be written anew (PyNWB's add_unit makes it)",
            nwb->name, path);
    if (status != SPK_OK)
        return status;
    status = spk_h5_data_open(nwb->context, nwb->file, path, &index);
    if (status == SPK_OK && (index.rank != 1 || index.type != SPK_H5_INTEGER))
        status = spk_fail(nwb->context, SPK_ERR_FORMAT,
                          "%s: %s has %s values in %d dimensions; ends are integers in one",
                          nwb->name, path, index.type_name, index.rank);
    if (status == SPK_OK && index.rows > SPK_MAX_UNITS)
        status = spk_fail(nwb->context, SPK_ERR_RANGE,
                          "%s: %s has %" PRIu64 " rows; the most is %u units", nwb->name, path,
                          index.rows, SPK_MAX_UNITS);
    if (status == SPK_OK)
        status = spk_alloc_zero(nwb->context, &nwb->first, index.rows + 1, "units");
    if (status == SPK_OK) {
        nwb->n_units = (uint32_t)index.rows;
        status = spk_h5_read_integers(nwb->context, &index, (spk_h5_part){0, 0, index.rows, 1},
                                      (int64_t *)(nwb->first + 1));
    }
    if (status == SPK_OK)
        status = check_ends(nwb, path);
    spk_h5_data_close(&index);
    return status;
}

spk_status spk_nwb_open_table(spk_nwb *nwb)
{
    char path[SPK_NWB_PATH];
    spk_status status = find_table(nwb);
    if (status == SPK_OK)
        status = spk_h5_data_open(nwb->context, nwb->file, spk_nwb_path(nwb, "spike_times", path),
                                  &nwb->times);
    if (status == SPK_OK)
        status = check_times(nwb);
    return status == SPK_OK ? read_index(nwb) : status;
}
