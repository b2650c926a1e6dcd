/*
 * Text recordings: two columns, time and unit, and what other forms of text share. A line of
 * two plain fields takes a short way, everything else (quotes, comments, finer times, problems) the
 * long one. At no time is more kept than 12 bytes an event and the labels.
 */
#include "recording/read_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/stage.h"
#include "base/utf8.h"
#include "recording/recording.h"
#include "recording/text_reader.h"
#include "recording/text_share.h"

/* ---- order of time --------------------------------------------------------------------------- */

/* Looks after the order of the event just added. A step back to a new unit may be that of a file
 * grouped by unit: such a file is read to its end, so that the message can say so. */
static spk_status check_order(spk_text_reader *reader, bool new_unit)
{
    uint64_t n = reader->times.n;
    const int64_t *time = reader->times.ticks;
    const uint32_t *unit = reader->unit;
    if (reader->options->sort || n < 2)
        return SPK_OK;
    bool back = time[n - 1] < time[n - 2];
    if (back && reader->backwards_line == 0) {
        reader->backwards_line = reader->line;
        reader->backwards_time = time[n - 1];
        reader->backwards_before = time[n - 2];
        reader->backwards_scale = reader->times.scale;
    }
    if (reader->backwards_line == 0 || new_unit || (!back && unit[n - 1] == unit[n - 2]))
        return SPK_OK;
    return spk_text_fail_unsorted(reader);
}

/* ---- one line -------------------------------------------------------------------------------- */

/* Space for one more event, and for a copy of it. */
static spk_status reserve(spk_text_reader *reader)
{
    spk_tick_column *times = &reader->times;
    if (times->n >= SPK_MAX_EVENTS)
        return spk_fail(reader->context, SPK_ERR_RANGE,
                        "%s:%" PRIu64 ": more than %u events; cut the file by time", reader->name,
                        reader->line, SPK_MAX_EVENTS);
    if (times->n + 1 < times->capacity)
        return SPK_OK;
    return spk_grow_columns(reader->context, &times->capacity, times->n + 2, "events",
                            SPK_COLUMN(&times->ticks, 1), SPK_COLUMN(&reader->unit, 1));
}

static spk_status check_new_label(spk_text_reader *reader, const char *text, size_t length)
{
    if (!spk_utf8_is_text(text, length))
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": the unit's label is not UTF-8 text; is the file binary? "
                        "Convert other encodings, for example with iconv -t utf-8",
                        reader->name, reader->line);
    if (reader->labels.n > SPK_MAX_UNITS)
        return spk_fail(reader->context, SPK_ERR_RANGE,
                        "%s:%" PRIu64 ": more than %u different units; %s", reader->name,
                        reader->line, SPK_MAX_UNITS, reader->way->swapped);
    return SPK_OK;
}

static inline spk_status intern(spk_text_reader *reader, const char *text, size_t length,
                                uint32_t *unit, bool *is_new)
{
    uint32_t n_before = reader->labels.n;
    spk_status status = spk_labels_intern(reader->context, &reader->labels, text, length, unit);
    *is_new = reader->labels.n > n_before;
    return status == SPK_OK && *is_new ? check_new_label(reader, text, length) : status;
}

/* A label with doubled quotes in it. */
static spk_status intern_escaped(spk_text_reader *reader, const spk_field *field, uint32_t *unit,
                                 bool *is_new)
{
    char *text = NULL;
    spk_status status = spk_alloc(reader->context, &text, field->length, "a unit label");
    if (status != SPK_OK)
        return status;
    size_t n = 0;
    for (size_t k = 0; k < field->length; k++) {
        text[n++] = field->text[k];
        k += field->text[k] == '"';
    }
    status = intern(reader, text, n, unit, is_new);
    free(text);
    return status;
}

spk_status spk_text_take_label(spk_text_reader *reader, const spk_field *label, uint32_t *unit,
                               bool *is_new)
{
    return label->escaped ? intern_escaped(reader, label, unit, is_new)
                          : intern(reader, label->text, label->length, unit, is_new);
}

static inline spk_status set_unit(spk_text_reader *reader, uint32_t unit, bool is_new)
{
    assert(reader->times.n > 0);
    reader->unit[reader->times.n - 1] = unit;
    reader->data_lines++;
    return check_order(reader, is_new);
}

/* The unit of the event whose time was just added. */
static inline spk_status add_unit(spk_text_reader *reader, const char *text, size_t length)
{
    uint32_t unit = 0;
    bool is_new = false;
    spk_status status = intern(reader, text, length, &unit, &is_new);
    return status == SPK_OK ? set_unit(reader, unit, is_new) : status;
}

/* "0,5": what some programs write for 0.5. */
static bool has_decimal_comma(const spk_field *time)
{
    const char *comma = memchr(time->text, ',', time->length);
    size_t rest = comma != NULL ? time->length - (size_t)(comma - time->text) - 1 : 0;
    return rest > 0 && memchr(comma + 1, ',', rest) == NULL && spk_is_digit(comma[1]) &&
           comma > time->text && spk_is_digit(comma[-1]);
}

static spk_status fail_time(spk_text_reader *reader, const spk_field *time, const spk_field *unit,
                            spk_text_time_result result)
{
    spk_text_time other;
    int length = (int)(time->length < 40 ? time->length : 40);
    if (!spk_utf8_is_text(time->text, time->length))
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": the time is no text: looks binary; give a text file",
                        reader->name, reader->line);
    if (result == SPK_TEXT_TIME_NOT_FINITE)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": the time '%.*s' is no number; remove it", reader->name,
                        reader->line, length, time->text);
    bool swapped =
        unit != NULL && spk_text_time_parse(unit->text, unit->length, &other) == SPK_TEXT_TIME_OK;
    return spk_fail(reader->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": '%.*s' is not a time; %s",
                    reader->name, reader->line, length, time->text,
                    has_decimal_comma(time) ? "is this a decimal comma? write points"
                    : swapped               ? reader->way->swapped
                                            : "times are decimal numbers such as 0.06012");
}

static spk_status add_time(spk_text_reader *reader, const spk_field *time, const spk_field *unit)
{
    spk_text_time value;
    spk_text_time_result result = spk_text_time_parse(time->text, time->length, &value);
    int length = (int)(time->length < 40 ? time->length : 40);
    if (result != SPK_TEXT_TIME_OK)
        return fail_time(reader, time, unit, result);
    if (reader->time_unit == SPK_TIME_SAMPLES && spk_text_time_has_fraction(&value))
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": time %.*s is no whole number of samples; pass --time-unit "
                        "s, ms or us if these are no samples",
                        reader->name, reader->line, length, time->text);
    if (!spk_tick_column_append(&reader->times, &value))
        return spk_fail(reader->context, SPK_ERR_RANGE,
                        "%s:%" PRIu64
                        ": time %.*s is too large for 64 bit: even ticks of one end at "
                        "%" PRId64 "; check the line and --time-unit",
                        reader->name, reader->line, length, time->text, SPK_MAX_TICK);
    return SPK_OK;
}

spk_status spk_text_event(spk_text_reader *reader, const spk_field *time, const spk_field *unit)
{
    uint32_t number = 0;
    bool is_new = false;
    spk_status status = reserve(reader);
    if (status == SPK_OK && !spk_tick_column_append_plain(&reader->times, time->text, time->length))
        status = add_time(reader, time, unit);
    if (status == SPK_OK)
        status = spk_text_take_label(reader, unit, &number, &is_new);
    return status == SPK_OK ? set_unit(reader, number, is_new) : status;
}

spk_status spk_text_event_of(spk_text_reader *reader, const spk_field *time, uint32_t unit)
{
    spk_status status = reserve(reader);
    if (status == SPK_OK && !spk_tick_column_append_plain(&reader->times, time->text, time->length))
        status = add_time(reader, time, NULL);
    if (status == SPK_OK)
        reader->unit[reader->times.n - 1] = unit;
    return status;
}

/* The long way. */
static spk_status read_line(spk_text_reader *reader, const char *text, const char *end)
{
    spk_line line;
    if (reader->line == reader->header_line)
        return SPK_OK;
    spk_line_cut(text, end, &line);
    if (line.problem == NULL && line.n_fields == 0)
        return SPK_OK;
    if (line.problem != NULL || line.n_fields != 2)
        return spk_text_fail_line(reader, reader->line, &line, text, end);
    int which = reader->columns == SPK_COLUMNS_TIME_UNIT ? 0 : 1;
    return spk_text_event(reader, &line.field[which], &line.field[1 - which]);
}

/* Two plain fields with one separator between and nothing else: returns behind the line, NULL when
 * the line is not like that. A line end stands somewhere behind `at`. */
static inline const char *cut_plain_line(const char *at, spk_field field[2])
{
    for (int k = 0; k < 2; k++) {
        field[k].text = at;
        while (spk_byte_class_of(*at) == SPK_BYTE_PLAIN)
            at++;
        field[k].length = (size_t)(at - field[k].text);
        if (field[k].length == 0)
            return NULL;
        if (k == 0 && spk_byte_class_of(*at) != SPK_BYTE_BLANK &&
            spk_byte_class_of(*at) != SPK_BYTE_COMMA)
            return NULL;
        at += k == 0;
    }
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

/* ---- blocks of lines ------------------------------------------------------------------------- */

/* Complete lines, the last one with its line end. */
static spk_status read_lines(spk_text_reader *reader, const char *text, const char *end)
{
    const int which = reader->columns == SPK_COLUMNS_UNIT_TIME ? 1 : 0;
    const bool drops = reader->part.on && !reader->part.shared;
    while (text < end) {
        spk_field field[2];
        uint64_t n_before = reader->times.n;
        reader->line++;
        const char *next = cut_plain_line(text, field);
        spk_status status = reserve(reader);
        if (status != SPK_OK)
            return status;
        if (next != NULL && reader->line != reader->header_line &&
            spk_tick_column_append_plain(&reader->times, field[which].text, field[which].length)) {
            status = add_unit(reader, field[1 - which].text, field[1 - which].length);
        } else {
            const char *stop = memchr(text, '\n', (size_t)(end - text));
            assert(stop != NULL);
            status = read_line(reader, text, stop);
            next = stop + 1;
        }
        if (status == SPK_OK && drops && reader->times.n > n_before)
            spk_text_part_take(reader, reader->part.offset + (uint64_t)(text - reader->buffer));
        if (status != SPK_OK)
            return status;
        text = next;
    }
    return SPK_OK;
}

static spk_status take_lines(spk_text_reader *reader, const char *text, const char *end,
                             const char **rest)
{
    end = spk_text_complete(text, end);
    *rest = end;
    bool began = reader->started;
    spk_status status = began ? SPK_OK : spk_text_start(reader, text, end);
    if (status == SPK_OK && !began && reader->started) {
        spk_text_part_begin(reader);
        if (spk_text_can_share(reader))
            status = spk_text_share_begin(reader,
                                          reader->part.offset + (uint64_t)(text - reader->buffer));
    }
    if (status == SPK_OK && reader->part.jumped)
        return SPK_OK;
    if (status == SPK_OK && reader->part.shared)
        spk_text_own_lines(reader, &text, &end);
    return status == SPK_OK ? read_lines(reader, text, end) : status;
}

static const spk_text_way two_columns = {
    .take = take_lines,
    .wanted = "give lines of time and unit",
    .swapped = "are the columns swapped? pass --columns",
};

spk_status spk_recording_read_input(spk_context *context, spk_input *input,
                                    const spk_read_options *options, spk_recording **out)
{
    return spk_text_read(context, input, options, &two_columns, NULL, out);
}

spk_status spk_recording_read_text(spk_context *context, const char *path,
                                   const spk_read_options *given, spk_recording **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_read_options options;
    spk_status status = spk_read_options_take(context, given, &options);
    if (status == SPK_OK)
        status = spk_input_open(context, path, &input);
    if (status == SPK_OK)
        status = spk_recording_read_input(context, input, &options, out);
    spk_input_close(input);
    return status;
}

spk_status spk_recording_read_buffer(spk_context *context, const char *name, const void *bytes,
                                     size_t n, const spk_read_options *given, spk_recording **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_read_options options;
    spk_status status = spk_read_options_take(context, given, &options);
    if (status == SPK_OK)
        status = spk_input_open_memory(context, name, bytes, n, &input);
    if (status == SPK_OK)
        status = spk_recording_read_input(context, input, &options, out);
    spk_input_close(input);
    return status;
}

/* ---- whole files ----------------------------------------------------------------------------- */

/* The reading of a text from its options to its notes: once; twice where ranks that share it find
 * that something is wrong with it; three times where its times have more digits than ticks hold. */

/* ---- options --------------------------------------------------------------------------------- */

SPK_OPTIONS_INIT(spk_read_options, .columns = SPK_COLUMNS_GUESS, .time_unit = SPK_TIME_GUESS);

static spk_status check_options(spk_context *context, const spk_read_options *options)
{
    if (options->time_unit > SPK_TIME_GUESS)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no unit of time %d",
                        (int)options->time_unit);
    if (options->time_unit == SPK_TIME_SAMPLES && spk_sample_rate_given(options).numerator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "times in samples need the number of samples per second; it is 0");
    if (options->start != NULL && options->start->exponent == SPK_DURATION_INFINITE)
        return spk_fail(context, SPK_ERR_ARGUMENT, "start cannot be infinite; leave it out");
    if (options->start == NULL || options->stop == NULL ||
        spk_duration_compare(*options->start, *options->stop) < 0)
        return SPK_OK;
    char start[48];
    char stop[48];
    spk_duration_format(*options->start, start, sizeof start);
    spk_duration_format(*options->stop, stop, sizeof stop);
    return spk_fail(context, SPK_ERR_ARGUMENT, "start %s is not before stop %s; exchange them",
                    start, stop);
}

spk_status spk_read_options_take(spk_context *context, const spk_read_options *given,
                                 spk_read_options *own)
{
    spk_status status = SPK_OPTIONS_TAKE(context, given, own, spk_read_options);
    return status == SPK_OK ? check_options(context, own) : status;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void tell_cut(const spk_text_reader *reader)
{
    char tick[48];
    int decimals = reader->times.scale;
    for (int unit = (int)reader->time_unit; unit > 0 && unit < SPK_TIME_SAMPLES; unit--)
        decimals += 3;
    spk_duration_format((spk_duration){1, -decimals}, tick, sizeof tick);
    spk_note(reader->context,
             "%s: times were cut to whole ticks of %s, because 64 bit hold no finer ones over this "
             "range; events of one unit within a tick count once",
             reader->name, tick);
}

/* Told only when all went well: a failure is one message. */
static void tell_notes(const spk_text_reader *reader)
{
    if (reader->guessed)
        spk_note(reader->context, "%s: columns guessed from the content: %s", reader->name,
                 reader->columns == SPK_COLUMNS_TIME_UNIT ? "time,unit" : "unit,time");
    if (reader->believed != NULL)
        spk_note(reader->context, "%s: times are read in %s, as the column '%s' says", reader->name,
                 reader->time_unit == SPK_TIME_MILLISECONDS ? "ms" : "us", reader->believed);
    if (reader->way->tell != NULL)
        reader->way->tell(reader);
    if (reader->times.cut)
        tell_cut(reader);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void open_reader(spk_text_reader *reader)
{
    const spk_read_options *options = reader->options;
    reader->name = spk_input_name(reader->input);
    reader->columns = options->columns;
    reader->samples = spk_sample_rate_given(options);
    spk_tick_column_init(&reader->times, SPK_MAX_SCALE);
    spk_text_set_unit(reader,
                      options->time_unit == SPK_TIME_GUESS ? SPK_TIME_SECONDS : options->time_unit);
}

static void close_reader(spk_text_reader *reader)
{
    spk_free_all(reader->buffer, reader->times.ticks, reader->unit);
    spk_labels_clear(&reader->labels);
    spk_text_comments_clear(&reader->comments);
}

/* What follows when all lines were read. *again: it is to be read once more, without other ranks
 * (see spk_text_share), or where it was read so, as a whole. */
static spk_status end_reading(spk_text_reader *reader, spk_status status, char *hex, bool *again)
{
    if (reader->part.shared)
        return spk_text_share(reader, status, hex, again);
    /* What is wrong with the order depends on all events. */
    *again = status == SPK_OK && reader->part.on && reader->backwards_line != 0;
    if (*again)
        return status;
    if (status == SPK_OK)
        status = spk_text_check_end(reader);
    if (status == SPK_OK)
        status = spk_input_digest(reader->context, reader->input, hex);
    /* Events that were out of reach may be in reach of coarser ticks. */
    *again = status == SPK_OK && reader->part.on && reader->times.cut;
    return status;
}

/* Reads it once. */
static spk_status read_once(spk_text_reader *reader, bool *again, spk_recording **out)
{
    spk_context *context = reader->context;
    spk_recording_facts facts = {.lines = 0};
    spk_status status = spk_alloc(context, &reader->buffer, SPK_TEXT_BUFFER + 1, "reading");
    spk_stage stage = spk_stage_open(context); /* from here on needs depend on the file */
    open_reader(reader);
    if (status == SPK_OK) {
        status = spk_text_read_all(reader);
        status = end_reading(reader, status, facts.sha256, again);
    }
    facts.lines = reader->data_lines;
    facts.truncated_digits = reader->times.cut;
    if (status == SPK_OK && !*again)
        status = spk_text_finish(reader, facts, out);
    if (status == SPK_OK && !*again)
        tell_notes(reader);
    spk_stage_close(context, &stage);
    if (status == SPK_OK && !*again)
        status = spk_recording_tell_rates(context, *out, reader->name);
    return status;
}

spk_status spk_text_read(spk_context *context, spk_input *input, const spk_read_options *options,
                         const spk_text_way *way, void *own, spk_recording **out)
{
    spk_text_reader *reader = NULL;
    bool again = true;
    *out = NULL;
    spk_status status = spk_alloc_zero(context, &reader, 1, "the text reader");
    spk_text_part part = {.on = false};
    while (again && status == SPK_OK) {
        *reader = (spk_text_reader){.context = context,
                                    .options = options,
                                    .way = way,
                                    .own = own,
                                    .input = input,
                                    .part = part};
        again = false;
        if (part.alone)
            status = spk_input_rewind(context, input);
        if (status == SPK_OK)
            status = read_once(reader, &again, out);
        part.whole = again && !reader->part.shared;
        part.alone = true;
        close_reader(reader);
    }
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
    free(reader);
    return status;
}
