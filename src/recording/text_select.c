/* From what was read to a recording: start, stop, selected units, tick rate. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"
#include "base/memory.h"
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

static bounds find_bounds(const spk_text_reader *reader, spk_rate rate)
{
    const spk_read_options *o = reader->options;
    const int64_t *time = reader->times.ticks;
    assert(reader->times.n > 0); /* a file without events was refused */
    bounds b = {.start = time[0], .stop = time[0]};
    for (uint64_t i = 1; i < reader->times.n; i++) {
        b.start = time[i] < b.start ? time[i] : b.start;
        b.stop = time[i] > b.stop ? time[i] : b.stop;
    }
    b.stop++; /* below INT64_MAX: see spk_tick_column */
    b.has_from = o->start != NULL;
    b.has_before = o->stop != NULL && o->stop->exponent != SPK_DURATION_INFINITE;
    if (b.has_from)
        b.start = b.from = spk_duration_first_tick(*o->start, rate);
    if (b.has_before)
        b.stop = b.before = spk_duration_first_tick(*o->stop, rate);
    if (b.start > b.stop) { /* only one bound was given, beyond all events */
        if (b.has_from)
            b.stop = b.start;
        else
            b.start = b.stop;
    }
    return b;
}

/* ---- units ----------------------------------------------------------------------------------- */

static spk_status fail_unknown_unit(spk_text_reader *reader, const spk_field *field)
{
    const spk_labels *labels = &reader->labels;
    const char *example[3] = {"", "", ""};
    for (uint32_t k = 0; k < 3 && k < labels->n; k++)
        example[k] = spk_labels_text(labels, k);
    return spk_fail(reader->context, SPK_ERR_ARGUMENT,
                    "%s: there is no unit '%.*s'; its %" PRIu32 " units are %.40s%s%.40s%s%.40s%s",
                    reader->name, (int)(field->length < 40 ? field->length : 40), field->text,
                    labels->n, example[0], labels->n > 1 ? ", " : "", example[1],
                    labels->n > 2 ? ", " : "", example[2], labels->n > 3 ? " ..." : "");
}

/* One label of the list at `at`, as tables have it in quotes, or plain up to a comma; `text` gets
 * it. Returns where it ends, NULL when a quote is not closed. */
static const char *next_label(const char *at, char *text)
{
    if (*at == '"')
        return spk_label_take(at, ",", text);
    size_t n = strcspn(at, ",");
    memcpy(text, at, n);
    text[n] = '\0';
    return at + n;
}

/* Marks the units of options->units in `keep`. */
static spk_status mark_units(spk_text_reader *reader, bool *keep)
{
    const char *at = reader->options->units;
    char *text = NULL;
    spk_status status = spk_alloc(reader->context, &text, strlen(at) + 1, "the list of units");
    while (status == SPK_OK) {
        spk_field field = {.text = text};
        uint32_t unit = 0;
        at = next_label(at, text);
        if (at == NULL) {
            status = spk_fail(reader->context, SPK_ERR_ARGUMENT,
                              "units '%s': a quote is not closed; close it, or write \"\" for a "
                              "quote",
                              reader->options->units);
            break;
        }
        field.length = strlen(text);
        if (spk_labels_find(&reader->labels, text, field.length, &unit))
            keep[unit] = true;
        else
            status = fail_unknown_unit(reader, &field);
        if (status == SPK_OK && *at != ',' && *at != '\0')
            status = spk_fail(reader->context, SPK_ERR_ARGUMENT,
                              "units '%s': text follows a closing quote; separate labels by commas",
                              reader->options->units);
        if (*at == '\0')
            break;
        at++;
    }
    free(text);
    return status;
}

/* New numbers of the units (UINT32_MAX: dropped) and the labels of those that stay. */
static spk_status select_units(spk_text_reader *reader, uint32_t *number, const char **labels,
                               uint32_t *n_kept)
{
    bool *keep = NULL;
    spk_status status =
        spk_alloc_zero(reader->context, &keep, reader->labels.n, "a unit selection");
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

/* ---- the recording --------------------------------------------------------------------------- */

/* Keeps selected events in place; returns how many. */
static uint64_t keep_events(spk_text_reader *reader, const bounds *b, const uint32_t *number)
{
    int64_t *time = reader->times.ticks;
    uint64_t n = 0;
    for (uint64_t i = 0; i < reader->times.n; i++) {
        uint32_t unit = number[reader->unit[i]];
        if (unit == UINT32_MAX || (b->has_from && time[i] < b->from) ||
            (b->has_before && time[i] >= b->before))
            continue;
        time[n] = time[i];
        reader->unit[n++] = unit;
    }
    return n;
}

static spk_rate find_rate(const spk_text_reader *reader)
{
    static const int unit_decimals[] = {0, 3, 6};
    static_assert(sizeof unit_decimals / sizeof unit_decimals[0] == SPK_TIME_SAMPLES,
                  "one for every unit of time but samples");
    if (reader->time_unit == SPK_TIME_SAMPLES)
        return reader->samples;
    spk_rate rate = {1, 1};
    for (int k = 0; k < reader->times.scale + unit_decimals[reader->time_unit]; k++)
        rate.numerator *= 10;
    return rate;
}

spk_status spk_text_finish(spk_text_reader *reader, spk_recording_facts facts, spk_recording **out)
{
    spk_context *context = reader->context;
    spk_recording_parts parts = {.facts = facts, .rate = find_rate(reader)};
    bounds b = find_bounds(reader, parts.rate);
    const char **labels = NULL;
    uint32_t *number = NULL;
    spk_status status =
        spk_alloc_columns(context, "unit labels", SPK_COLUMN(&labels, reader->labels.n),
                          SPK_COLUMN(&number, reader->labels.n));
    if (status == SPK_OK)
        status = select_units(reader, number, labels, &parts.n_units);
    if (status == SPK_OK) {
        parts.n_events = keep_events(reader, &b, number);
        parts.facts.outside = reader->times.n - parts.n_events;
        parts.labels = labels;
        parts.start = &b.start;
        parts.given.has_start = b.has_from;
        parts.given.has_stop = b.has_before;
        parts.given.open_stop = !b.has_before;
        parts.given.start_of_events = !b.has_from;
        parts.given.stop_of_events = !b.has_before;
        if (b.has_from)
            parts.given.start = *reader->options->start;
        if (b.has_before)
            parts.given.stop = *reader->options->stop;
        parts.time_unit = reader->time_unit;
        parts.stop = &b.stop;
        parts.time = reader->times.ticks;
        parts.unit = reader->unit;
        reader->times.ticks = NULL;
        reader->unit = NULL;
        status = spk_recording_assemble(context, &parts, out);
    }
    free(labels);
    free(number);
    return status;
}
