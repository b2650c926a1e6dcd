/*
 * An .npz file as a recording. In this order it is: one of ours (recording/npz_layout.h); a TsGroup
 * or Tsd of pynapple; a sorting of SpikeInterface; an array of times and one of units; one array of
 * times for each unit; a single table of two columns.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/clock.h"
#include "recording/npz_layout.h"
#include "recording/readers/archive.h"
#include "recording/readers/array.h"
#include "recording/readers/spikes.h"
#include "recording/segments.h"

enum { MOST_ARRAYS = 9 };

/* What a reading holds. */
typedef struct npz {
    spk_context *context;
    spk_archive archive;
    size_t n; /* arrays that were loaded */
    spk_array array[MOST_ARRAYS];
    spk_labels labels; /* of a list of units */
    double *border[2]; /* of pynapple's segments */
    spk_exact_segment *exact;
    spk_array joined[2]; /* one array a unit, put together: times, units */
    uint64_t n_joined;   /* events in it */
    spk_spikes spikes;
} npz;

static bool is_available(const char **reason)
{
    const char *missing = spk_archive_missing();
    *reason = missing != NULL ? missing : "";
    return missing == NULL;
}

/* A zip archive whose first file is an array. */
static spk_match recognise(const spk_probe *probe)
{
    const unsigned char *head = probe->head;
    if (probe->is_folder || probe->n_head < 30 || memcmp(head, "PK\3\4", 4) != 0)
        return SPK_MATCH_NO;
    size_t n = (size_t)head[26] | (size_t)head[27] << 8;
    return n > 4 && probe->n_head >= 30 + n && memcmp(head + 30 + n - 4, ".npy", 4) == 0
               ? SPK_MATCH_SURE
               : SPK_MATCH_NO;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool has(const npz *z, const char *name)
{
    return spk_archive_find(&z->archive, name) != SIZE_MAX;
}

/* The first of these names that is there; NULL: none. */
static const char *first_of(const npz *z, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (has(z, names[k]))
            return names[k];
    return NULL;
}

static spk_status load(npz *z, size_t n, const char *const *names)
{
    size_t member[MOST_ARRAYS];
    assert(n <= MOST_ARRAYS && z->n == 0);
    for (size_t k = 0; k < n; k++) {
        member[k] = spk_archive_find(&z->archive, names[k]);
        if (member[k] == SIZE_MAX)
            return spk_fail(z->context, SPK_ERR_FORMAT,
                            "%s: has no array '%s'; save it again, or pass --time-column and "
                            "--unit-column",
                            z->archive.name, names[k]);
    }
    spk_status status = spk_archive_load(z->context, &z->archive, n, member, z->array);
    z->n = status == SPK_OK ? n : 0;
    return status;
}

static spk_status take_list(npz *z, size_t k, spk_values *out)
{
    if (spk_array_list(&z->array[k], out))
        return SPK_OK;
    return spk_fail(z->context, SPK_ERR_FORMAT, "%s: is no list, of shape (n,); save it as one",
                    z->array[k].name);
}

/* Times and units of the first two arrays. */
static spk_status take_pair(npz *z)
{
    spk_status status = take_list(z, 0, &z->spikes.times);
    return status == SPK_OK ? take_list(z, 1, &z->spikes.units) : status;
}

static spk_status fail_numbers(npz *z, size_t k, const char *what)
{
    return spk_fail(z->context, SPK_ERR_FORMAT, "%s: %s; save the recording again",
                    z->array[k].name, what);
}

/* Array k as n whole numbers; to be freed. */
static spk_status take_whole(npz *z, size_t k, uint64_t *n, int64_t **out)
{
    spk_values values;
    spk_status status = take_list(z, k, &values);
    if (status == SPK_OK && !spk_values_are_whole(&values))
        status = fail_numbers(z, k, "holds no whole numbers");
    *n = status == SPK_OK ? values.n : 0;
    if (status == SPK_OK)
        status = spk_alloc(z->context, out, values.n, "an array");
    return status == SPK_OK ? spk_values_whole(z->context, &values, 0, values.n, *out) : status;
}

static spk_status take_real(npz *z, size_t k, uint64_t *n, double **out)
{
    spk_values values;
    spk_status status = take_list(z, k, &values);
    if (status == SPK_OK && spk_values_are_text(&values))
        status = fail_numbers(z, k, "holds no numbers");
    *n = status == SPK_OK ? values.n : 0;
    if (status == SPK_OK)
        status = spk_alloc(z->context, out, values.n, "an array");
    return status == SPK_OK ? spk_values_real(z->context, &values, 0, values.n, *out) : status;
}

/* Array k as labels, in its order. */
static spk_status take_labels(npz *z, size_t k)
{
    spk_values values;
    char text[32];
    int64_t *number = NULL;
    uint64_t n = 0;
    uint32_t unit;
    spk_status status = take_list(z, k, &values);
    if (status == SPK_OK && spk_values_are_text(&values))
        return spk_values_intern(z->context, &values, &z->labels);
    if (status == SPK_OK)
        status = take_whole(z, k, &n, &number);
    for (uint64_t i = 0; i < n && status == SPK_OK && i <= SPK_MAX_UNITS; i++) {
        int length = snprintf(text, sizeof text, "%" PRId64, number[i]);
        status = spk_labels_intern(z->context, &z->labels, text, (size_t)length, &unit);
    }
    free(number);
    return status;
}

/* ---- ours ------------------------------------------------------------------------------------ */

/* Places in `labels` become labels. */
static spk_status name_places(spk_context *context, void *user, const spk_labels *found,
                              spk_unit_choice *choice)
{
    const npz *z = user;
    for (uint32_t u = 0; u < found->n; u++) {
        const char *text = spk_labels_text(found, u);
        char *end;
        unsigned long long place = strtoull(text, &end, 10);
        if (text[0] == '-' || place >= z->labels.n)
            return spk_fail(context, SPK_ERR_FORMAT,
                            "%s: an event is of unit %s, and there are %" PRIu32
                            "; save the recording again",
                            z->archive.name, text, z->labels.n);
        choice->label[u] = spk_labels_text(&z->labels, (uint32_t)place);
    }
    return SPK_OK;
}

/* The only segment's start or stop: nobody gave it, or it is a tick, or an exact time. */
static spk_status take_bound(npz *z, const spk_values *texts, uint64_t which, const int64_t *tick)
{
    char text[256];
    spk_recording_bounds *given = &z->spikes.given;
    spk_duration *time = which == 0 ? &given->start : &given->stop;
    spk_status status = spk_values_text(z->context, texts, which, text, sizeof text);
    if (status != SPK_OK || strcmp(text, SPK_NPZ_BOUND_OPEN) == 0)
        return status;
    *(which == 0 ? &z->spikes.start : &z->spikes.stop) = tick;
    if (strcmp(text, SPK_NPZ_BOUND_TICK) == 0)
        return status;
    *(which == 0 ? &given->has_start : &given->has_stop) = true;
    return spk_duration_parse(z->context, text, strlen(text), time);
}

/* A border of several segments: a tick, or an exact time before it. */
static spk_status take_border(npz *z, const spk_values *texts, uint64_t which, int64_t tick,
                              spk_border *out)
{
    char text[256];
    spk_duration time;
    *out = spk_border_at(tick);
    spk_status status = spk_values_text(z->context, texts, which, text, sizeof text);
    if (status != SPK_OK || strcmp(text, SPK_NPZ_BOUND_OPEN) == 0 ||
        strcmp(text, SPK_NPZ_BOUND_TICK) == 0)
        return status;
    status = spk_duration_parse(z->context, text, strlen(text), &time);
    if (status == SPK_OK)
        *out = spk_border_of(time, z->spikes.rate);
    return status;
}

/* Which trials the segments are parts of, where the file says it; arrays 7 and 8. */
static spk_status take_trials(npz *z, uint64_t n)
{
    int64_t *trial = NULL, *n_trials = NULL;
    uint64_t n_given = 0, n_numbers = 0;
    spk_status status = take_whole(z, 7, &n_given, &trial);
    if (status == SPK_OK)
        status = take_whole(z, 8, &n_numbers, &n_trials);
    if (status == SPK_OK && (n_given != n || n_numbers != 1 || n_trials[0] > UINT32_MAX))
        status = fail_numbers(z, 7, "does not go with the segments and 'trials'");
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        z->exact[k].trial = (size_t)trial[k];
        if (trial[k] < 0 || trial[k] >= n_trials[0])
            status = fail_numbers(z, 7, "has a trial that does not exist");
    }
    if (status == SPK_OK)
        z->spikes.n_trials = (size_t)n_trials[0];
    free(trial);
    free(n_trials);
    return status;
}

static spk_status take_segments(npz *z, uint64_t n, const int64_t *start, const int64_t *stop,
                                const spk_values *texts)
{
    spk_status status = spk_alloc(z->context, &z->exact, n, "segments");
    for (uint64_t k = 0; k < n && status == SPK_OK; k++) {
        z->exact[k].trial = (size_t)k;
        status = take_border(z, texts, 2 * k, start[k], &z->exact[k].start);
        if (status == SPK_OK)
            status = take_border(z, texts, 2 * k + 1, stop[k], &z->exact[k].stop);
        if (status == SPK_OK && spk_border_compare(z->exact[k].start, z->exact[k].stop) > 0)
            status = fail_numbers(z, 4, "a segment stops before it starts");
    }
    z->spikes.n_trials = (size_t)n;
    if (status == SPK_OK && z->n > 7)
        status = take_trials(z, n);
    if (status != SPK_OK)
        return status;
    spk_segments_sort((size_t)n, z->exact);
    z->spikes.exact = z->exact;
    z->spikes.n_exact = (size_t)n;
    return status;
}

static spk_status take_rate(npz *z, size_t k)
{
    int64_t *rate = NULL;
    uint64_t n = 0;
    spk_status status = take_whole(z, k, &n, &rate);
    if (status == SPK_OK && (n != 2 || rate[0] <= 0 || rate[1] <= 0))
        status = fail_numbers(z, k, "is no rate, two numbers above 0");
    if (status == SPK_OK)
        z->spikes.rate = (spk_rate){(uint64_t)rate[0], (uint64_t)rate[1]};
    free(rate);
    return status;
}

static spk_status read_ours(npz *z, const spk_read_options *options, spk_recording **out)
{
    static const char *const names[] = {
        SPK_NPZ_TICKS,          SPK_NPZ_INDEX,         SPK_NPZ_LABELS,
        SPK_NPZ_RATE,           SPK_NPZ_SEGMENT_START, SPK_NPZ_SEGMENT_STOP,
        SPK_NPZ_SEGMENT_BOUNDS, SPK_NPZ_SEGMENT_TRIAL, SPK_NPZ_TRIALS};
    const bool has_trials = has(z, SPK_NPZ_SEGMENT_TRIAL);
    int64_t *border[2] = {NULL, NULL};
    uint64_t n[2] = {0, 0};
    spk_values bounds;
    spk_labels places = {.n = 0};
    spk_status status = load(z, has_trials ? 9 : 7, names);
    if (status == SPK_OK)
        status = take_pair(z);
    if (status == SPK_OK)
        status = take_labels(z, 2);
    if (status == SPK_OK)
        status = take_rate(z, 3);
    for (size_t k = 0; k < 2 && status == SPK_OK; k++)
        status = take_whole(z, 4 + k, &n[k], &border[k]);
    if (status == SPK_OK)
        status = take_list(z, 6, &bounds);
    if (status == SPK_OK && (n[0] == 0 || n[0] != n[1] || bounds.n != 2 * n[0]))
        status = fail_numbers(z, 4, "the arrays of segments are not of one length");
    for (uint64_t k = 0; k < 2 && status == SPK_OK && n[0] == 1 && !has_trials; k++)
        status = take_bound(z, &bounds, k, border[k]);
    if (status == SPK_OK && (n[0] > 1 || has_trials))
        status = take_segments(z, n[0], border[0], border[1], &bounds);
    for (uint32_t u = 0; u < z->labels.n && status == SPK_OK; u++) {
        char text[16];
        uint32_t unit;
        int length = snprintf(text, sizeof text, "%" PRIu32, u);
        status = spk_labels_intern(z->context, &places, text, (size_t)length, &unit);
    }
    z->spikes.more = &places;
    z->spikes.ticks = true;
    z->spikes.choose = name_places;
    z->spikes.user = z;
    if (status == SPK_OK)
        status = spk_spikes_read(z->context, &z->spikes, options, out);
    free(border[0]);
    free(border[1]);
    spk_labels_clear(&places);
    return status;
}

/* ---- pynapple -------------------------------------------------------------------------------- */

/* A TsGroup: t, index, keys, start, end. A Tsd: t, d in place of index, no keys. Its intervals
 * hold both their ends. */
static spk_status read_pynapple(npz *z, const spk_read_options *options, spk_recording **out)
{
    const bool group = has(z, "index");
    const char *const names[] = {"t", group ? "index" : "d", "start", "end", "keys"};
    uint64_t n[2] = {0, 0};
    spk_status status = load(z, has(z, "keys") ? 5 : 4, names);
    if (status == SPK_OK)
        status = take_pair(z);
    for (size_t k = 0; k < 2 && status == SPK_OK; k++)
        status = take_real(z, 2 + k, &n[k], &z->border[k]);
    if (status == SPK_OK && n[0] != n[1])
        status = fail_numbers(z, 2, "and 'end' are not of one length");
    if (status == SPK_OK && has(z, "keys"))
        status = take_labels(z, 4);
    z->spikes.more = &z->labels;
    z->spikes.in_seconds = true;
    z->spikes.closed = true;
    z->spikes.n_segments = n[0];
    z->spikes.segment_start = z->border[0];
    z->spikes.segment_stop = z->border[1];
    return status == SPK_OK ? spk_spikes_read(z->context, &z->spikes, options, out) : status;
}

/* ---- SpikeInterface -------------------------------------------------------------------------- */

static spk_status read_sorting(npz *z, const spk_read_options *options, spk_recording **out)
{
    static const char *const names[] = {"spike_indexes_seg0", "spike_labels_seg0",
                                        "sampling_frequency"};
    double *rate = NULL;
    uint64_t n = 0;
    if (has(z, "spike_indexes_seg1"))
        return spk_fail(z->context, SPK_ERR_FORMAT,
                        "%s: holds several segments, whose samples all count from their own begin; "
                        "save one alone, with sorting.select_segments([0])",
                        z->archive.name);
    spk_status status = load(z, 3, names);
    if (status == SPK_OK)
        status = take_pair(z);
    if (status == SPK_OK)
        status = take_real(z, 2, &n, &rate);
    if (status == SPK_OK && (n != 1 || !spk_clock_rate_of(rate[0], &z->spikes.rate)))
        status = fail_numbers(z, 2, "is no rate");
    free(rate);
    z->spikes.samples = true;
    return status == SPK_OK ? spk_spikes_read(z->context, &z->spikes, options, out) : status;
}

/* ---- one array a unit ------------------------------------------------------------------------ */

static bool is_list(const spk_member *member)
{
    const spk_npy_header *h = &member->header;
    return member->readable && h->n_fields == 0 &&
           (h->n_dimensions <= 1 ||
            (h->n_dimensions == 2 && (h->shape[0] == 1 || h->shape[1] == 1)));
}

/* Whether all arrays are lists of one kind of number. */
static bool are_units(const npz *z)
{
    const spk_archive *a = &z->archive;
    for (size_t k = 0; k < a->n_members; k++)
        if (!is_list(&a->member[k]) || strchr("iuf", a->member[k].header.type.kind) == NULL ||
            (a->member[k].header.type.kind == 'f') != (a->member[0].header.type.kind == 'f'))
            return false;
    return a->n_members > 0;
}

/* Room for all events as two arrays in memory. */
static spk_status make_joined(npz *z, uint64_t n)
{
    const char kind = z->archive.member[0].header.type.kind == 'f' ? 'f' : 'i';
    for (int k = 0; k < 2; k++) {
        spk_array *array = &z->joined[k];
        spk_npy_type type = {.kind = k == 0 ? kind : 'u', .size = k == 0 ? 8 : 4};
        *array = (spk_array){.descriptor = -1};
        array->header = (spk_npy_header){.type = type,
                                         .item_size = type.size,
                                         .n_dimensions = 1,
                                         .shape = {n},
                                         .n_items = n,
                                         .n_bytes = n * type.size};
        spk_status status = spk_strdup(z->context, &array->name, z->archive.name);
        if (status == SPK_OK)
            status = spk_alloc(z->context, &array->memory, array->header.n_bytes, "events");
        if (status != SPK_OK)
            return status;
    }
    return SPK_OK;
}

/* Adds array k to the two of all events. */
static spk_status join(void *user, size_t k, spk_array *array)
{
    npz *z = user;
    spk_values values;
    const uint64_t at = z->n_joined;
    if (!spk_array_list(array, &values) || values.n > z->joined[0].header.n_items - at)
        return spk_fail(z->context, SPK_ERR_FORMAT, "%s: has changed while it was read; try again",
                        array->name);
    double *times = (double *)(void *)z->joined[0].memory + at;
    uint32_t *units = (uint32_t *)(void *)z->joined[1].memory + at;
    for (uint64_t i = 0; i < values.n; i++)
        units[i] = (uint32_t)k;
    z->n_joined += values.n;
    return z->joined[0].header.type.kind == 'f'
               ? spk_values_real(z->context, &values, 0, values.n, times)
               : spk_values_whole(z->context, &values, 0, values.n, (int64_t *)(void *)times);
}

static spk_status read_units(npz *z, const spk_read_options *options, spk_recording **out)
{
    const spk_archive *a = &z->archive;
    uint64_t n = 0;
    spk_labels places = {.n = 0};
    bool single = false;
    spk_status status = SPK_OK;
    if (a->n_members > SPK_MAX_UNITS)
        return spk_fail(z->context, SPK_ERR_RANGE, "%s: more than %u units", a->name,
                        SPK_MAX_UNITS);
    for (size_t k = 0; k < a->n_members; k++) {
        single |= a->member[k].header.type.size <= 4;
        if (__builtin_add_overflow(n, a->member[k].header.n_items, &n) || n > SPK_MAX_EVENTS)
            return spk_fail(z->context, SPK_ERR_RANGE, "%s: more than %u events; cut it by time",
                            a->name, SPK_MAX_EVENTS);
    }
    status = make_joined(z, n);
    for (size_t k = 0; k < a->n_members && status == SPK_OK; k++) {
        char text[24];
        uint32_t unit;
        int length = snprintf(text, sizeof text, "%zu", k);
        status = spk_labels_intern(z->context, &places, text, (size_t)length, &unit);
        if (status == SPK_OK)
            status = spk_labels_intern(z->context, &z->labels, a->member[k].name,
                                       strlen(a->member[k].name), &unit);
    }
    if (status == SPK_OK)
        status = spk_archive_each(z->context, a, a->n_members, NULL, join, z);
    if (status == SPK_OK && z->labels.n != a->n_members)
        status = spk_fail(z->context, SPK_ERR_FORMAT, "%s: two arrays have one name; save it again",
                          a->name);
    z->spikes.more = &places;
    z->spikes.single = single;
    z->spikes.choose = name_places;
    z->spikes.user = z;
    if (status == SPK_OK && spk_array_list(&z->joined[0], &z->spikes.times) &&
        spk_array_list(&z->joined[1], &z->spikes.units))
        status = spk_spikes_read(z->context, &z->spikes, options, out);
    if (status == SPK_OK)
        spk_note(z->context, "%s: each of its %zu arrays is taken for a unit", a->name,
                 a->n_members);
    spk_labels_clear(&places);
    return status;
}

/* ---- pairs and tables ------------------------------------------------------------------------ */

static spk_status fail_layout(npz *z)
{
    char names[160] = "";
    size_t at = 0;
    for (size_t k = 0; k < z->archive.n_members && at < sizeof names; k++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%.40s", k > 0 ? ", " : "",
                               z->archive.member[k].name);
    return spk_fail(z->context, SPK_ERR_FORMAT,
                    "%s: cannot tell which arrays hold times and units; pass --time-column and "
                    "--unit-column with names of these: %s",
                    z->archive.name, names[0] != '\0' ? names : "(none)");
}

static spk_status read_pair(npz *z, const spk_read_options *options, const char *time,
                            const char *unit, spk_recording **out)
{
    const char *const names[] = {time, unit};
    spk_status status = load(z, 2, names);
    if (status == SPK_OK)
        status = take_pair(z);
    return status == SPK_OK ? spk_spikes_read(z->context, &z->spikes, options, out) : status;
}

static spk_status read_table(npz *z, const spk_read_options *options, spk_recording **out)
{
    const char *name = z->archive.member[0].name;
    spk_status status = load(z, 1, &name);
    if (status != SPK_OK)
        return status;
    if (!spk_array_column(&z->array[0], 0, 2, &z->spikes.times) ||
        !spk_array_column(&z->array[0], 1, 2, &z->spikes.units))
        return fail_layout(z);
    return spk_spikes_read(z->context, &z->spikes, options, out);
}

static spk_status read_any(npz *z, const spk_read_options *options, spk_recording **out)
{
    static const char *const times[] = {"times", "spike_times", "t", "time", "timestamps"};
    static const char *const units[] = {"units", "spike_clusters", "ids",    "unit",
                                        "index", "clusters",       "labels", "cluster"};
    const char *time = options->time_column, *unit = options->unit_column;
    if (time == NULL && unit == NULL && has(z, SPK_NPZ_MARK))
        return read_ours(z, options, out);
    if (time == NULL && unit == NULL && has(z, "t") && has(z, "start") && has(z, "end") &&
        (has(z, "index") || has(z, "d")))
        return read_pynapple(z, options, out);
    if (time == NULL && unit == NULL && has(z, "spike_indexes_seg0"))
        return read_sorting(z, options, out);
    time = time != NULL ? time : first_of(z, times, sizeof times / sizeof times[0]);
    unit = unit != NULL ? unit : first_of(z, units, sizeof units / sizeof units[0]);
    if (time != NULL && unit != NULL)
        return read_pair(z, options, time, unit, out);
    if (time != NULL || unit != NULL)
        return fail_layout(z);
    if (z->archive.n_members == 1 && z->archive.member[0].header.n_dimensions == 2)
        return read_table(z, options, out);
    return are_units(z) ? read_units(z, options, out) : fail_layout(z);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static void clear(npz *z)
{
    for (size_t k = 0; k < z->n; k++)
        spk_array_close(&z->array[k]);
    for (size_t k = 0; k < 2; k++) {
        free(z->border[k]);
        if (z->joined[k].name != NULL)
            spk_array_close(&z->joined[k]);
    }
    free(z->exact);
    spk_labels_clear(&z->labels);
    spk_archive_close(&z->archive);
}

static spk_status read_npz(spk_context *context, const spk_probe *probe, spk_input *input,
                           const spk_read_options *options, spk_recording **out)
{
    npz *z = NULL;
    spk_status status = spk_alloc_zero(context, &z, 1, "an archive of arrays");
    if (status != SPK_OK)
        return status;
    z->context = context;
    status = spk_archive_open(context, probe, input, &z->archive);
    z->spikes.name = z->archive.name;
    if (status == SPK_OK)
        status = read_any(z, options, out);
    if (status == SPK_OK)
        status = spk_input_digest(context, input, (*out)->facts.sha256);
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    clear(z);
    free(z);
    return status;
}

const spk_reader spk_reader_npz = {
    .name = "npz",
    .summary = "an archive of NumPy arrays: what convert writes, pynapple, times and units, or an "
               "array a unit",
    .endings = ".npz",
    .options = "time_unit time_column unit_column",
    .available = is_available,
    .recognise = recognise,
    .read = read_npz,
};
