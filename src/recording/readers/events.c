/* Events from columns of arrays: units to numbers, times to ticks, and the recording of both. */
#include "recording/readers/events.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "recording/grid.h"
#include "recording/labels.h"
#include "recording/readers/array.h"
#include "recording/recording.h"
#include "recording/segments.h"

enum { BLOCK = 1 << 15, CACHE = 1 << 15 };

/* ---- labels of units ------------------------------------------------------------------------- */

/* Numbers of whole-number units by their value: an entry is free, or of one value. */
typedef struct unit_cache {
    int64_t value[CACHE];
    uint32_t number[CACHE]; /* + 1 */
} unit_cache;

static spk_status intern(spk_event_work *work, uint64_t index, const char *text, size_t length,
                         uint32_t *number)
{
    const char *name = work->spikes->name;
    if (!spk_utf8_is_text(text, length))
        return spk_fail(work->context, SPK_ERR_FORMAT,
                        "%s: unit %" PRIu64 " (from 0) is no UTF-8 text; save the units as numbers "
                        "or text",
                        name, index);
    spk_status status = spk_labels_intern(work->context, &work->labels, text, length, number);
    if (status == SPK_OK && work->labels.n > SPK_MAX_UNITS)
        return spk_fail(work->context, SPK_ERR_RANGE,
                        "%s: more than %u different units; is this the right array?", name,
                        SPK_MAX_UNITS);
    return status;
}

static inline spk_status number_whole(spk_event_work *work, unit_cache *cache, uint64_t index,
                                      int64_t value, uint32_t *number)
{
    char text[24];
    size_t slot = (size_t)((uint64_t)value % CACHE);
    if (cache->number[slot] != 0 && cache->value[slot] == value) {
        *number = cache->number[slot] - 1;
        return SPK_OK;
    }
    int length = snprintf(text, sizeof text, "%" PRId64, value);
    spk_status status = intern(work, index, text, (size_t)length, number);
    cache->value[slot] = value;
    cache->number[slot] = *number + 1;
    return status;
}

static spk_status fail_unit(spk_event_work *work, uint64_t index, double value)
{
    return spk_fail(work->context, SPK_ERR_FORMAT,
                    "%s: unit %" PRIu64 " (from 0) is %g, no whole number; are times and units "
                    "exchanged?",
                    work->spikes->name, index, value);
}

/* ---- the pass over units --------------------------------------------------------------------- */

/* One block of units, decoded. */
typedef struct unit_block {
    unit_cache cache;
    int64_t whole[BLOCK];
    double real[BLOCK];
    unsigned char *raw; /* texts */
    char *text;
    uint64_t rows;
} unit_block;

static spk_status number_texts(spk_event_work *work, unit_block *b, uint64_t first, uint64_t n,
                               uint32_t *out)
{
    const spk_values *units = &work->spikes->units;
    spk_status status = spk_values_raw(work->context, units, first, n, b->raw);
    for (uint64_t i = 0; i < n && status == SPK_OK; i++) {
        size_t length = spk_npy_text(b->raw + i * units->type.size, &units->type, b->text);
        status = intern(work, first + i, b->text, length, &out[i]);
    }
    return status;
}

static spk_status number_block(spk_event_work *work, unit_block *b, uint64_t first, uint64_t n,
                               uint32_t *out)
{
    const spk_values *units = &work->spikes->units;
    if (spk_values_are_text(units))
        return number_texts(work, b, first, n, out);
    spk_status status = SPK_OK;
    if (spk_values_are_whole(units)) {
        status = spk_values_whole(work->context, units, first, n, b->whole);
    } else {
        status = spk_values_real(work->context, units, first, n, b->real);
        for (uint64_t i = 0; i < n && status == SPK_OK; i++) {
            if (!(fabs(b->real[i]) < 0x1p62) || b->real[i] != rint(b->real[i]))
                return fail_unit(work, first + i, b->real[i]);
            b->whole[i] = (int64_t)b->real[i];
        }
    }
    for (uint64_t i = 0; i < n && status == SPK_OK; i++)
        status = number_whole(work, &b->cache, first + i, b->whole[i], &out[i]);
    return status;
}

/* Room for a block of units; texts may be long, and then a block has few. */
static spk_status make_block(spk_event_work *work, unit_block **out)
{
    const spk_values *units = &work->spikes->units;
    spk_status status = spk_alloc_zero(work->context, out, 1, "reading units");
    if (status != SPK_OK)
        return status;
    (*out)->rows = BLOCK;
    if (!spk_values_are_text(units))
        return SPK_OK;
    if (units->type.size > 64)
        (*out)->rows = (uint64_t)64 * BLOCK / units->type.size + 1;
    return spk_alloc_columns(work->context, "reading units",
                             SPK_COLUMN(&(*out)->raw, (*out)->rows * units->type.size),
                             SPK_COLUMN(&(*out)->text, units->type.size + 4));
}

static spk_status intern_more(spk_event_work *work)
{
    const spk_labels *more = work->spikes->more;
    spk_status status = SPK_OK;
    uint32_t number;
    for (uint32_t k = 0; more != NULL && k < more->n && status == SPK_OK; k++) {
        const char *text = spk_labels_text(more, k);
        status = intern(work, k, text, strlen(text), &number);
    }
    return status;
}

spk_status spk_events_read_units(spk_event_work *work)
{
    const uint64_t n = work->spikes->units.n, end = work->first + work->n;
    unit_block *block = NULL;
    uint32_t *number = NULL;
    spk_free(work->context, work->unit);
    work->unit = NULL;
    work->columns = spk_sha256_start();
    spk_status status = make_block(work, &block);
    if (status == SPK_OK)
        status = spk_alloc_columns(work->context, "event units", SPK_COLUMN(&number, block->rows),
                                   SPK_COLUMN(&work->unit, work->n));
    if (status == SPK_OK)
        status = intern_more(work);
    for (uint64_t i = 0; i < n && status == SPK_OK; i += block->rows) {
        uint64_t rows = n - i < block->rows ? n - i : block->rows;
        spk_progress(work->context, "reading units", i, n);
        status = spk_check_cancel(work->context);
        if (status == SPK_OK)
            status = number_block(work, block, i, rows, number);
        if (status == SPK_OK && work->part)
            spk_sha256_add(&work->columns, number, (size_t)rows * sizeof *number);
        uint64_t from = i > work->first ? i : work->first, to = i + rows < end ? i + rows : end;
        if (status == SPK_OK && from < to)
            memcpy(work->unit + (from - work->first), number + (from - i),
                   (size_t)(to - from) * sizeof *number);
    }
    if (block != NULL) {
        spk_free(work->context, block->raw);
        spk_free(work->context, block->text);
    }
    spk_free(work->context, block);
    spk_free(work->context, number);
    return status;
}

/* ---- which units stay ------------------------------------------------------------------------ */

/* Of the units that stay, those of --units: new numbers and labels without the others. */
static spk_status keep_listed(spk_event_work *work)
{
    uint32_t n = 0;
    bool *keep = NULL;
    spk_status status = spk_alloc(work->context, &keep, work->n_units, "units");
    for (uint32_t u = 0; u < work->n_units && status == SPK_OK; u++)
        keep[u] = true;
    if (status == SPK_OK)
        status = spk_unit_list_apply(work->context, work->spikes->name, work->options->units,
                                     work->n_units, work->label, keep);
    for (uint32_t u = 0, k = 0; u < work->labels.n && status == SPK_OK; u++) {
        if (work->number[u] == UINT32_MAX)
            continue;
        work->number[u] = keep[k] ? n : UINT32_MAX;
        work->label[n] = work->label[k];
        n += keep[k++];
    }
    work->n_units = n;
    spk_free(work->context, keep);
    return status;
}

spk_status spk_events_choose(spk_event_work *work)
{
    const uint32_t n = work->labels.n;
    spk_unit_choice choice = {.keep = NULL};
    spk_free(work->context, work->number);
    spk_free(work->context, work->label);
    work->number = NULL;
    work->label = NULL;
    spk_status status = spk_alloc_columns(work->context, "units", SPK_COLUMN(&work->number, n),
                                          SPK_COLUMN(&work->label, n), SPK_COLUMN(&choice.keep, n));
    if (status != SPK_OK)
        return status;
    choice.label = work->label;
    for (uint32_t u = 0; u < n; u++) {
        choice.keep[u] = true;
        choice.label[u] = spk_labels_text(&work->labels, u);
    }
    if (work->spikes->choose != NULL)
        status = work->spikes->choose(work->context, work->spikes->user, &work->labels, &choice);
    work->n_units = 0;
    for (uint32_t u = 0; u < n && status == SPK_OK; u++) {
        work->number[u] = choice.keep[u] ? work->n_units : UINT32_MAX;
        work->label[work->n_units] = choice.label[u];
        work->n_units += choice.keep[u];
    }
    spk_free(work->context, choice.keep);
    if (status == SPK_OK && work->options->units != NULL)
        status = keep_listed(work);
    return status;
}

/* ---- the pass over times --------------------------------------------------------------------- */

/* A block of times as doubles or ticks; the index of a bad one is told. */
static spk_status load_times(spk_event_work *work, uint64_t first, uint64_t n, int64_t *tick,
                             double *real)
{
    const char *name = work->spikes->name;
    if (!work->real)
        return spk_values_whole(work->context, work->times, first, n, tick);
    spk_status status = spk_values_real(work->context, work->times, first, n, real);
    for (uint64_t i = 0; i < n && status == SPK_OK; i++) {
        if (!isfinite(real[i]))
            return spk_fail(work->context, SPK_ERR_FORMAT,
                            "%s: time %" PRIu64 " (from 0) is %s, no number; leave such events out",
                            name, first + i, isnan(real[i]) ? "NaN" : "infinite");
        if (work->time_unit != SPK_TIME_SAMPLES) {
            real[i] /= work->divisor;
            continue;
        }
        if (real[i] != rint(real[i]) || !(fabs(real[i]) < 0x1p62))
            return spk_fail(work->context, SPK_ERR_FORMAT,
                            "%s: time %" PRIu64 " (from 0) is %g, no whole number of samples; pass "
                            "--time-unit s, ms or us if these are no samples",
                            name, first + i, real[i]);
        tick[i] = (int64_t)real[i];
    }
    return status;
}

/* Whether times stay floating point until the clock is found. */
static bool is_clocked(const spk_event_work *work)
{
    return work->real && work->time_unit != SPK_TIME_SAMPLES;
}

/* Least and largest time, and whether any is less than one before it. */
static void look_at_ticks(spk_event_work *work, uint64_t n, const int64_t *tick)
{
    for (uint64_t i = 0; i < n; i++) {
        int64_t t = tick[i];
        work->disorder |= t < work->most;
        work->least = t < work->least ? t : work->least;
        work->most = t > work->most ? t : work->most;
    }
}

/* Appends those of the n ticks from event `at` on that are read. */
static void append_ticks(spk_event_work *work, uint64_t at, uint64_t n, const int64_t *tick,
                         const spk_segment *within)
{
    const uint64_t end = work->first + work->n;
    const uint64_t first = at > work->first ? at : work->first, last = at + n < end ? at + n : end;
    for (uint64_t i = first; i < last; i++) {
        int64_t t = tick[i - at];
        uint32_t unit = work->number[work->unit[i - work->first]];
        if (unit == UINT32_MAX || t < within->start || t >= within->stop)
            continue;
        work->time[work->kept] = t;
        work->unit[work->kept++] = unit;
    }
}

static void append_reals(spk_event_work *work, uint64_t at, uint64_t n, const double *real)
{
    for (uint64_t i = 0; i < n; i++) {
        double t = real[i];
        uint32_t unit = work->number[work->unit[at + i - work->first]];
        work->disorder |= t < work->most_s;
        work->least_s = t < work->least_s ? t : work->least_s;
        work->most_s = t > work->most_s ? t : work->most_s;
        if (unit == UINT32_MAX)
            continue;
        memcpy(&work->time[work->kept], &t, sizeof t);
        work->unit[work->kept++] = unit;
    }
}

static uint64_t count_kept(const spk_event_work *work)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < work->n; i++)
        n += work->number[work->unit[i]] != UINT32_MAX;
    return n;
}

/* Where the options have no bound, every tick is within. */
static spk_segment bounds_of(const spk_event_work *work)
{
    const spk_read_options *o = work->options;
    return (spk_segment){
        work->has_start ? spk_duration_first_tick(*o->start, work->rate) : INT64_MIN,
        work->has_stop ? spk_duration_first_tick(*o->stop, work->rate) : INT64_MAX};
}

/* The events whose times are looked at: of a part all, for their order and the extent. */
static spk_event_range looked_at(const spk_event_work *work)
{
    return work->part ? (spk_event_range){0, work->times->n}
                      : (spk_event_range){work->first, work->first + work->n};
}

/* Looks at the times in blocks, for which there is room. */
static spk_status go_through_times(spk_event_work *work, int64_t *tick, double *real)
{
    const spk_segment within = bounds_of(work);
    const spk_event_range range = looked_at(work);
    spk_status status = SPK_OK;
    for (uint64_t i = range.first; i < range.last && status == SPK_OK; i += BLOCK) {
        uint64_t rows = range.last - i < BLOCK ? range.last - i : BLOCK;
        spk_progress(work->context, "reading times", i - range.first, range.last - range.first);
        status = spk_check_cancel(work->context);
        if (status == SPK_OK)
            status = load_times(work, i, rows, tick, real);
        if (status == SPK_OK && is_clocked(work)) {
            append_reals(work, i, rows, real);
        } else if (status == SPK_OK) {
            look_at_ticks(work, rows, tick);
            if (work->part)
                spk_sha256_add(&work->columns, tick, (size_t)rows * sizeof *tick);
            append_ticks(work, i, rows, tick, &within);
        }
    }
    return status;
}

spk_status spk_events_read_times(spk_event_work *work)
{
    int64_t *tick = NULL;
    double *real = NULL;
    work->kept = 0;
    work->disorder = false;
    work->least = INT64_MAX;
    work->most = INT64_MIN;
    work->least_s = HUGE_VAL;
    work->most_s = -HUGE_VAL;
    spk_free(work->context, work->time);
    work->time = NULL;
    /* Two more for the least and the largest time, which the clock is to fit, too. */
    spk_status status = spk_alloc_columns(work->context, "event times",
                                          SPK_COLUMN(&work->time, count_kept(work) + 2),
                                          SPK_COLUMN(&tick, BLOCK), SPK_COLUMN(&real, BLOCK));
    if (status == SPK_OK)
        status = go_through_times(work, tick, real);
    spk_free(work->context, tick);
    spk_free(work->context, real);
    return status;
}

/* ---- ticks ----------------------------------------------------------------------------------- */

/* Puts the name of the recording before the message of a failure. */
static spk_status name_failure(spk_event_work *work, spk_status status)
{
    char message[256];
    if (status == SPK_OK || status == SPK_ERR_MEMORY)
        return status;
    snprintf(message, sizeof message, "%s", spk_context_message(work->context));
    return spk_fail(work->context, status, "%s: %s", work->spikes->name, message);
}

/* Finds the clock of all that was kept, turns it into ticks and drops what lies outside. */
static spk_status find_ticks(spk_event_work *work)
{
    const spk_clock_hints hints = {.rate = &work->spikes->rate,
                                   .n = work->spikes->rate.numerator > 0,
                                   .declared = work->spikes->rate.numerator > 0,
                                   .single = work->times->type.size <= 4 || work->spikes->single};
    const uint64_t n = work->kept,
                   ends = work->n > 0 && !(work->has_start && work->has_stop) ? 2 : 0;
    double *seconds = (double *)(void *)work->time;
    if (ends > 0) {
        memcpy(&seconds[n], &work->least_s, sizeof *seconds);
        memcpy(&seconds[n + 1], &work->most_s, sizeof *seconds);
    }
    spk_status status = spk_clock_find(work->context, seconds, n + ends, &hints, &work->clock);
    if (status == SPK_OK)
        status = spk_clock_ticks(work->context, work->clock.rate, seconds, n + ends);
    if (status != SPK_OK)
        return name_failure(work, status);
    work->clocked = true;
    work->rate = work->clock.rate;
    work->least = ends > 0 ? work->time[n] : 0;
    work->most = ends > 0 ? work->time[n + 1] : 0;
    const spk_segment within = bounds_of(work);
    work->kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (work->time[i] < within.start || work->time[i] >= within.stop)
            continue;
        work->time[work->kept] = work->time[i];
        work->unit[work->kept++] = work->unit[i];
    }
    return SPK_OK;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* A border of a segment: a tick where it lies on one within rounding, else a decimal of
 * nanoseconds. */
static bool border_time(const spk_event_work *work, double seconds, int64_t more, spk_duration *out)
{
    int64_t tick;
    double per_second = (double)work->rate.numerator / (double)work->rate.denominator;
    if (!spk_clock_tick(seconds, work->rate, &tick))
        return false;
    double off = fabs((double)tick / per_second - seconds);
    double rounding = 0x1p-49 * fabs(seconds) + work->clock.rounding_s;
    if (work->spikes->closed) /* pynapple rounds ends to 1 ns */
        rounding += 0.6e-9;
    if (more != 0 || off <= rounding)
        return spk_duration_of_tick(tick + more, work->rate, out);
    if (!spk_clock_tick(seconds, (spk_rate){1000000000, 1}, &tick))
        return false;
    return spk_duration_of_tick(tick, (spk_rate){1000000000, 1}, out);
}

static spk_status make_segments(spk_event_work *work, spk_time_range **out)
{
    const spk_spikes *spikes = work->spikes;
    *out = NULL;
    spk_status status = spk_alloc(work->context, out, spikes->n_segments, "segments");
    for (uint64_t k = 0; k < spikes->n_segments && status == SPK_OK; k++) {
        spk_time_range *range = &(*out)[k];
        double start = spikes->segment_start[k] / work->divisor;
        double stop = spikes->segment_stop[k] / work->divisor;
        if (!(start <= stop) || !border_time(work, start, 0, &range->start) ||
            !border_time(work, stop, spikes->closed ? 1 : 0, &range->stop))
            status = spk_fail(work->context, SPK_ERR_FORMAT,
                              "%s: segment %" PRIu64
                              " (from 0) goes from %.15g to %.15g; a segment stops "
                              "after its start",
                              spikes->name, k, start, stop);
    }
    return status;
}

/* ---- the recording --------------------------------------------------------------------------- */

/* What the recording's own start and stop are. */
static void set_own_bounds(const spk_event_work *work, spk_recording_bounds *given, int64_t *start,
                           int64_t *stop)
{
    const spk_spikes *s = work->spikes;
    const spk_event_range range = looked_at(work);
    *given = s->given;
    given->start_of_events = s->start == NULL;
    given->stop_of_events = s->stop == NULL;
    given->open_stop = s->stop == NULL;
    *start = range.first < range.last ? work->least : 0;
    *stop = range.first < range.last ? work->most + (work->most < INT64_MAX) : 0;
    if (s->start != NULL)
        *start = *s->start;
    if (s->stop != NULL)
        *stop = *s->stop;
}

static void set_bounds(const spk_event_work *work, spk_recording_parts *parts, int64_t *start,
                       int64_t *stop)
{
    const spk_read_options *o = work->options;
    spk_recording_bounds *given = &parts->given;
    set_own_bounds(work, given, start, stop);
    if (work->has_start) {
        *start = spk_duration_first_tick(*o->start, work->rate);
        given->start = *o->start;
        given->has_start = true;
        given->start_of_events = false;
    }
    if (work->has_stop) {
        *stop = spk_duration_first_tick(*o->stop, work->rate);
        given->stop = *o->stop;
        given->has_stop = true;
        given->stop_of_events = given->open_stop = false;
    }
    if (*start > *stop) { /* only one bound was given, beyond all events */
        if (work->has_start)
            *stop = *start;
        else
            *start = *stop;
    }
    parts->start = start;
    parts->stop = stop;
}

/* Units were numbered in the order of the file. */
static void set_part(spk_event_work *work, spk_recording *recording)
{
    spk_part_set(recording, work->options->part, work->own);
    for (uint32_t u = 0; u < work->labels.n; u++) {
        const char *label = spk_labels_text(&work->labels, u);
        spk_sha256_add(&work->columns, label, strlen(label) + 1);
    }
    spk_sha256_end(&work->columns, recording->part.columns);
}

spk_status spk_events_finish(spk_event_work *work, spk_recording **out)
{
    spk_recording_parts parts = {.n_units = work->n_units, .labels = work->label};
    spk_time_range *segments = NULL;
    int64_t start, stop;
    spk_status status = is_clocked(work) ? find_ticks(work) : SPK_OK;
    if (status == SPK_OK && work->spikes->n_segments > 0)
        status = make_segments(work, &segments);
    if (status != SPK_OK)
        goto done;
    set_bounds(work, &parts, &start, &stop);
    parts.rate = work->rate;
    parts.time_unit = work->spikes->ticks ? SPK_TIME_SECONDS : work->time_unit;
    parts.segments = segments;
    parts.n_segments = (size_t)work->spikes->n_segments;
    parts.exact = work->spikes->exact;
    parts.n_exact = work->spikes->n_exact;
    parts.n_trials = work->spikes->n_trials;
    parts.n_events = spk_events_in_part(work);
    parts.facts.outside = (work->part ? work->n : work->times->n) - work->kept;
    if (work->clocked)
        spk_clock_facts(&work->clock, &parts.facts);
    parts.time = work->time;
    parts.unit = work->unit;
    work->time = NULL;
    work->unit = NULL;
    status = name_failure(work, spk_recording_assemble(work->context, &parts, out));
    if (status == SPK_OK && work->part)
        set_part(work, *out);
    if (status == SPK_OK && !work->part && !work->spikes->ticks)
        status = spk_recording_settle(work->context, work->spikes->name, NULL, out);
    if (status == SPK_OK && work->clocked)
        spk_clock_tell(work->context, work->spikes->name, &work->clock, &(*out)->facts);
done:
    free(segments);
    return status;
}

void spk_events_clear(spk_event_work *work)
{
    if (work == NULL)
        return;
    spk_free_all(work->time, work->unit, work->number, work->label);
    spk_labels_clear(&work->labels);
}
