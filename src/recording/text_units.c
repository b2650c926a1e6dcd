/* From what was read to a recording: start, stop, the units that are kept, tick rate. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/grid.h"
#include "recording/recording.h"
#include "recording/segments.h"
#include "recording/text_reader.h"

/* ---- bounds ---------------------------------------------------------------------------------- */

typedef struct bounds {
    int64_t from; /* kept: from <= t < before, or all without the flag */
    int64_t before;
    bool has_from;
    bool has_before;
    int64_t start; /* extent of the recording */
    int64_t stop;
} bounds;

/* The first event's tick and the one behind the last event; 0 and 0 without events. */
static void extent_of_events(const spk_text_reader *reader, bounds *b)
{
    const int64_t *time = reader->times.ticks;
    for (uint64_t i = 0; i < reader->times.n; i++) {
        b->start = i == 0 || time[i] < b->start ? time[i] : b->start;
        b->stop = i == 0 || time[i] >= b->stop ? time[i] + 1 : b->stop; /* see spk_tick_column */
    }
}

/* The later start and the earlier stop of what the user and the file's comments give. */
static void narrow(const spk_text_reader *reader, spk_rate rate, spk_recording_bounds *given)
{
    const spk_read_options *o = reader->options;
    const spk_text_comments *comments = &reader->comments;
    *given = (spk_recording_bounds){.has_start = o->start != NULL};
    given->has_stop = o->stop != NULL && o->stop->exponent != SPK_DURATION_INFINITE;
    if (given->has_start)
        given->start = *o->start;
    if (given->has_stop)
        given->stop = *o->stop;
    if (comments->n_segments != 1 || spk_text_comments_cut(comments))
        return;
    spk_duration time;
    if (spk_text_border_time(&comments->segment[0].start, rate, &time) &&
        (!given->has_start || spk_duration_compare(time, given->start) > 0)) {
        given->has_start = true;
        given->start = time;
    }
    if (spk_text_border_time(&comments->segment[0].stop, rate, &time) &&
        (!given->has_stop || spk_duration_compare(time, given->stop) < 0)) {
        given->has_stop = true;
        given->stop = time;
    }
    if (given->has_start && given->has_stop && spk_duration_compare(given->start, given->stop) > 0)
        given->stop = given->start; /* the user's part and the file's have nothing in common */
}

static bounds find_bounds(const spk_text_reader *reader, spk_rate rate,
                          const spk_recording_bounds *given)
{
    bounds b = {.has_from = given->has_start, .has_before = given->has_stop};
    extent_of_events(reader, &b);
    if (b.has_from)
        b.start = b.from = spk_duration_first_tick(given->start, rate);
    if (b.has_before)
        b.stop = b.before = spk_duration_first_tick(given->stop, rate);
    if (b.start > b.stop) { /* only one bound was given, beyond all events */
        if (b.has_from)
            b.stop = b.start;
        else
            b.start = b.stop;
    }
    return b;
}

/* The segments of the file's comments, in order. */
static spk_status find_segments(spk_text_reader *reader, spk_rate rate, spk_exact_segment **out)
{
    const spk_text_comments *comments = &reader->comments;
    *out = NULL;
    if (!spk_text_comments_cut(comments))
        return SPK_OK;
    spk_status status = spk_alloc(reader->context, out, comments->n_segments, "segments");
    for (size_t k = 0; k < comments->n_segments && status == SPK_OK; k++) {
        const spk_text_segment *s = &comments->segment[k];
        bool is_open =
            s->start.kind == SPK_TEXT_BORDER_OPEN || s->stop.kind == SPK_TEXT_BORDER_OPEN;
        if (!is_open)
            (*out)[k] = (spk_exact_segment){spk_text_border_at(&s->start, rate),
                                            spk_text_border_at(&s->stop, rate), s->trial};
        if (is_open || spk_border_compare((*out)[k].start, (*out)[k].stop) > 0)
            status =
                spk_fail(reader->context, SPK_ERR_FORMAT,
                         "%s: segment %zu of the comments %s; correct the comment", reader->name,
                         k + 1, is_open ? "has no start or no stop" : "stops before it starts");
    }
    if (status == SPK_OK)
        spk_segments_sort(comments->n_segments, *out);
    return status;
}

/* ---- units ----------------------------------------------------------------------------------- */

typedef struct kept_units {
    const spk_labels *labels;
    bool *keep;
} kept_units;

static bool keep_label(void *user, const char *label)
{
    const kept_units *s = user;
    uint32_t unit = 0;
    const bool found = spk_labels_find(s->labels, label, strlen(label), &unit);
    if (found)
        s->keep[unit] = true;
    return found;
}

/* Marks the units of options->units in `keep`. */
static spk_status mark_units(spk_text_reader *reader, bool *keep)
{
    const spk_labels *labels = &reader->labels;
    const char *example[3] = {NULL};
    for (uint32_t k = 0; k < 3 && k < labels->n; k++)
        example[k] = spk_labels_text(labels, k);
    kept_units s = {.labels = labels, .keep = keep};
    return spk_unit_list_mark(reader->context,
                              &(const spk_unit_list){.list = reader->options->units,
                                                     .name = reader->name,
                                                     .n = labels->n,
                                                     .labels = example,
                                                     .mark = keep_label,
                                                     .user = &s});
}

/* New numbers of the units (UINT32_MAX: dropped) and the labels of those that stay. */
static spk_status keep_units(spk_text_reader *reader, uint32_t *number, const char **labels,
                             uint32_t *n_kept)
{
    bool *keep = NULL;
    spk_status status =
        spk_alloc_zero(reader->context, &keep, reader->labels.n, "the units that are kept");
    if (status == SPK_OK && reader->options->units != NULL)
        status = mark_units(reader, keep);
    *n_kept = 0;
    for (uint32_t u = 0; u < reader->labels.n && status == SPK_OK; u++) {
        number[u] = UINT32_MAX;
        if (reader->options->units != NULL && !keep[u])
            continue;
        labels[*n_kept] = spk_labels_text(&reader->labels, u);
        number[u] = (*n_kept)++;
    }
    free(keep);
    return status;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static bool is_in_order(const int64_t *time, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (time[i] < time[i - 1])
            return false;
    return true;
}

/* That of all times of the file, where only some events are asked for: few of them tell no grid. */
static spk_status find_whole_grid(spk_text_reader *reader, const bounds *b, spk_rate rate,
                                  spk_whole_grid *out)
{
    const uint64_t n = reader->times.n;
    const int64_t *time = reader->times.ticks;
    int64_t *sorted_time = NULL;
    uint32_t *sorted_unit = NULL;
    bool was_sorted = true;
    spk_status status = SPK_OK;
    *out = (spk_whole_grid){.rounded = false};
    if ((!b->has_from && !b->has_before && reader->options->units == NULL) || reader->part.on ||
        n == 0)
        return SPK_OK;
    if (!is_in_order(time, n)) {
        status = spk_alloc_columns(reader->context, "times in order", SPK_COLUMN(&sorted_time, n),
                                   SPK_COLUMN(&sorted_unit, n));
        if (status != SPK_OK)
            return status;
        memcpy(sorted_time, time, n * sizeof *time);
        memcpy(sorted_unit, reader->unit, n * sizeof *reader->unit);
        status = spk_sort_events(reader->context, n, sorted_time, sorted_unit, &was_sorted);
        time = sorted_time;
    }
    if (status == SPK_OK)
        spk_times_fit_grid(time, n, rate, out);
    spk_free(reader->context, sorted_time);
    spk_free(reader->context, sorted_unit);
    return status;
}

/* ---- the recording --------------------------------------------------------------------------- */

/* Keeps the events that are wanted in place; returns how many. */
static uint64_t keep_events(spk_text_reader *reader, const bounds *b, const spk_text_kept *kept,
                            const uint32_t *number)
{
    int64_t *time = reader->times.ticks;
    uint64_t n = 0;
    for (uint64_t i = kept->first; i < kept->last; i++) {
        uint32_t unit = number[reader->unit[i]];
        if (unit == UINT32_MAX || (b->has_from && time[i] < b->from) ||
            (b->has_before && time[i] >= b->before))
            continue;
        time[n] = time[i];
        reader->unit[n++] = unit;
    }
    return n;
}

bool spk_text_tells_rate(const spk_text_reader *reader)
{
    return reader->comments.rate.numerator != 0 && reader->time_unit != SPK_TIME_SAMPLES;
}

bool spk_text_told_tick(const spk_text_reader *reader, spk_rate rate, int64_t tick, int64_t *out)
{
    const spk_rate told = reader->comments.rate;
    assert(rate.denominator == 1);
    const __int128 divisor = (__int128)rate.numerator * (__int128)told.denominator;
    __int128 product = (__int128)tick * (__int128)told.numerator;
    __int128 ticks = product / divisor;
    *out = (int64_t)ticks;
    return ticks * divisor == product && ticks <= SPK_MAX_TICK && ticks >= INT64_MIN;
}

spk_status spk_text_fail_rate(const spk_text_reader *reader, uint64_t event)
{
    const spk_rate told = reader->comments.rate;
    return spk_fail(reader->context, SPK_ERR_FORMAT,
                    "%s: a comment tells ticks of %" PRIu64 "/%" PRIu64 " s, but event %" PRIu64
                    " lies between two of them; remove the comment",
                    reader->name, told.denominator, told.numerator, event + 1);
}

/* Counts times in the ticks that a comment tells, where that is exact. */
static spk_status take_rate(spk_text_reader *reader, spk_rate *rate)
{
    if (!spk_text_tells_rate(reader))
        return SPK_OK;
    for (uint64_t i = 0; i < reader->times.n; i++)
        if (!spk_text_told_tick(reader, *rate, reader->times.ticks[i], &reader->times.ticks[i]))
            return spk_text_fail_rate(reader, i);
    *rate = reader->comments.rate;
    return SPK_OK;
}

/* The units that the comments name have numbers, too. */
static spk_status add_silent_units(spk_text_reader *reader)
{
    spk_status status = SPK_OK;
    uint32_t number = 0;
    for (uint32_t k = 0; k < reader->comments.silent.n && status == SPK_OK; k++) {
        const char *label = spk_labels_text(&reader->comments.silent, k);
        status = spk_labels_intern(reader->context, &reader->labels, label, strlen(label), &number);
    }
    return status;
}

spk_status spk_text_finish(spk_text_reader *reader, spk_recording_facts facts, spk_recording **out)
{
    spk_context *context = reader->context;
    spk_recording_parts parts = {.facts = facts, .rate = spk_text_column_rate(reader)};
    const char **labels = NULL;
    uint32_t *number = NULL;
    spk_exact_segment *exact = NULL;
    spk_whole_grid whole;
    int64_t own = 0;
    spk_status status = take_rate(reader, &parts.rate);
    narrow(reader, parts.rate, &parts.given);
    bounds b = find_bounds(reader, parts.rate, &parts.given);
    if (status == SPK_OK)
        status = find_whole_grid(reader, &b, parts.rate, &whole);
    if (status == SPK_OK)
        status = add_silent_units(reader);
    if (status == SPK_OK)
        status = find_segments(reader, parts.rate, &exact);
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "unit labels", SPK_COLUMN(&labels, reader->labels.n),
                                   SPK_COLUMN(&number, reader->labels.n));
    if (status == SPK_OK)
        status = keep_units(reader, number, labels, &parts.n_units);
    if (status == SPK_OK) {
        spk_text_kept kept = spk_text_part_end(reader);
        own = kept.own;
        parts.n_events = keep_events(reader, &b, &kept, number);
        parts.facts.outside = kept.last - kept.first - parts.n_events;
        parts.labels = labels;
        parts.start = &b.start;
        parts.given.open_stop = !b.has_before;
        parts.given.start_of_events = !b.has_from;
        parts.given.stop_of_events = !b.has_before;
        parts.exact = exact;
        parts.n_exact = exact != NULL ? reader->comments.n_segments : 0;
        parts.n_trials = reader->comments.n_trials;
        parts.time_unit = reader->time_unit;
        parts.stop = &b.stop;
        parts.time = reader->times.ticks;
        parts.unit = reader->unit;
        reader->times.ticks = NULL;
        reader->unit = NULL;
        status = spk_recording_assemble(context, &parts, out);
    }
    if (status == SPK_OK && reader->part.on)
        spk_part_set(*out, reader->options->part, own);
    else if (status == SPK_OK && !spk_text_tells_rate(reader))
        status = spk_recording_settle(context, reader->name, &whole, out);
    spk_free_all(labels, number, exact);
    return status;
}
