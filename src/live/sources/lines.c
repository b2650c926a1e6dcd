/*
 * Lines of text as they come in. A line of two plain fields takes a short way, everything else
 * (quotes, comments, headers, long numbers, damage) the long one of the files' reader.
 */
#include "live/sources/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "live/sources/bytes.h"
#include "recording/read_text.h"
#include "recording/text_line.h"

/* What became of a line. */
typedef enum taken {
    TAKEN,
    WAIT, /* what was gathered before it must be handed over first */
    MORE, /* further lines are needed before this one is understood */
    FAIL
} taken;

/* Segments that were announced and have not begun: more are garbage. */
enum { MOST_SEGMENTS = 100000, GUESS_BYTES = 1 << 16 };

/* ---- life ------------------------------------------------------------------------------------ */

static spk_rate rate_of(const spk_lines *lines)
{
    return lines->time_unit == SPK_TIME_SAMPLES ? lines->samples : lines->tick;
}

static spk_status check_read(spk_context *context, const spk_read_options *read)
{
    const char *name = read->start != NULL          ? "start"
                       : read->stop != NULL         ? "stop"
                       : read->units != NULL        ? "units"
                       : read->sort                 ? "sort"
                       : read->format != NULL       ? "format"
                       : read->time_column != NULL  ? "time_column"
                       : read->unit_column != NULL  ? "unit_column"
                       : read->label_column != NULL ? "label_column"
                       : read->row_filter != NULL   ? "select"
                       : read->group != NULL        ? "group"
                       : read->unit_file != NULL    ? "unit_file"
                                                    : NULL;
    if (name == NULL)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_UNSUPPORTED,
                    "live lines of text: the option %s is for recordings that are replayed; leave "
                    "it out",
                    name);
}

spk_status spk_lines_init(spk_context *context, spk_lines *lines,
                          const spk_live_source_options *options)
{
    spk_read_options read;
    spk_status status = spk_read_options_take(context, options->read, &read);
    *lines = (spk_lines){.start = INT64_MIN, .stop = INT64_MAX, .tick = options->tick};
    if (status == SPK_OK)
        status = check_read(context, &read);
    if (status != SPK_OK)
        return status;
    lines->columns = read.columns;
    lines->columns_are_asked = read.columns != SPK_COLUMNS_GUESS;
    lines->time_unit = read.time_unit;
    lines->unit_is_asked = read.time_unit != SPK_TIME_GUESS;
    lines->samples = options->sample_rate;
    if (read.sample_rate.numerator > 0)
        lines->samples = read.sample_rate;
    else if (read.samples_per_second > 0)
        lines->samples = (spk_rate){read.samples_per_second, 1};
    if (lines->time_unit == SPK_TIME_SAMPLES && lines->samples.numerator == 0)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "times in samples need the number of samples a second; give a sample rate");
    spk_line_scale trial;
    if (!spk_line_scale_make(lines->tick, 6, &trial))
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the tick of the live source has too many digits; give one such as 1ns");
    return SPK_OK;
}

void spk_lines_clear(spk_lines *lines)
{
    spk_text_comments_clear(&lines->comments);
}

void spk_lines_renew(void *parser)
{
    spk_lines *lines = parser;
    spk_text_comments_clear(&lines->comments);
    lines->next_segment = 0;
    lines->inside = lines->due = lines->had_spike = false;
    lines->skipping = lines->headed = false;
    lines->start = INT64_MIN;
    lines->stop = INT64_MAX;
}

static void garbage(spk_collector *collector, const char *text, const char *end, const char *why)
{
    spk_collect_garbage(collector, 1, text, (size_t)(end - text), why);
}

/* ---- segments -------------------------------------------------------------------------------- */

static size_t n_waiting(const spk_lines *lines)
{
    return lines->comments.n_segments - lines->next_segment;
}

/* The bounds of the next segment; ticks as bare numbers are those of the rate in a comment, else
 * those of the times. */
static void next_bounds(const spk_lines *lines, spk_time_range *bounds, bool has[2],
                        int64_t ticks[2])
{
    const spk_text_segment *s = &lines->comments.segment[lines->next_segment];
    const spk_rate own = rate_of(lines);
    const spk_rate rate = lines->comments.rate.numerator > 0 ? lines->comments.rate : own;
    has[0] = spk_text_border_time(&s->start, rate, &bounds->start);
    has[1] = spk_text_border_time(&s->stop, rate, &bounds->stop);
    ticks[0] = has[0] ? spk_duration_first_tick(bounds->start, own) : INT64_MIN;
    ticks[1] = has[1] ? spk_duration_first_tick(bounds->stop, own) : INT64_MAX;
}

/* Whether the next segment begins without a spike behind the end of this one: it does where nobody
 * could tell otherwise. */
static bool begins_at_once(const spk_lines *lines)
{
    spk_time_range bounds;
    bool has[2];
    int64_t ticks[2];
    if (n_waiting(lines) == 0)
        return false;
    next_bounds(lines, &bounds, has, ticks);
    return !lines->inside || lines->had_spike || lines->stop == INT64_MAX ||
           ticks[0] <= lines->start;
}

/* False: what was gathered must go first. */
static bool begin_segment(spk_lines *lines, spk_collector *collector)
{
    spk_time_range bounds;
    bool has[2];
    int64_t ticks[2];
    next_bounds(lines, &bounds, has, ticks);
    if (!spk_collect_border(collector, has[0] ? &bounds.start : NULL, has[1] ? &bounds.stop : NULL))
        return false;
    const spk_text_segment *s = &lines->comments.segment[lines->next_segment++];
    if (s->numbered)
        spk_collect_trial(collector, s->trial, lines->comments.n_trials);
    if (n_waiting(lines) == 0)
        lines->next_segment = lines->comments.n_segments = 0;
    lines->inside = true;
    lines->had_spike = false;
    lines->start = ticks[0];
    lines->stop = ticks[1];
    lines->due = begins_at_once(lines);
    return true;
}

/* ---- spikes ---------------------------------------------------------------------------------- */

/* A time that the segment does not hold, or the first one of a new connection. */
static taken place_spike(spk_lines *lines, spk_collector *collector, int64_t time, uint32_t unit)
{
    if (collector->fresh && spk_collector_restarted(collector, time) &&
        !spk_collect_restart(collector, time))
        return WAIT;
    collector->fresh = false;
    while (time >= lines->stop && n_waiting(lines) > 0)
        if (!begin_segment(lines, collector))
            return WAIT;
    lines->had_spike = true;
    if (time < lines->start || time >= lines->stop)
        collector->facts.outside++;
    else
        spk_collect(collector, time, unit);
    return TAKEN;
}

static inline taken take_spike(spk_lines *lines, spk_collector *collector, int64_t time,
                               uint32_t unit)
{
    if (collector->fresh || time < lines->start || time >= lines->stop)
        return place_spike(lines, collector, time, unit);
    lines->had_spike = true;
    spk_collect(collector, time, unit);
    return TAKEN;
}

static taken fail(spk_lines *lines, spk_status status)
{
    lines->failure = status;
    return FAIL;
}

static taken take_label(spk_lines *lines, spk_collector *collector, const spk_field *field,
                        uint32_t *unit)
{
    spk_status status = SPK_OK;
    char *text = NULL;
    size_t n = 0;
    bool good;
    if (!field->escaped) {
        good = spk_collect_label(collector, field->text, field->length, unit, &status);
    } else {
        status = spk_alloc(collector->context, &text, field->length, "a unit label");
        for (size_t k = 0; k < field->length && status == SPK_OK; k++) {
            text[n++] = field->text[k];
            k += field->text[k] == '"';
        }
        good = status == SPK_OK && spk_collect_label(collector, text, n, unit, &status);
        free(text);
    }
    return good ? TAKEN : status != SPK_OK ? fail(lines, status) : MORE;
}

/* A line of two fields, any form of them. */
static taken take_fields(spk_lines *lines, spk_collector *collector, const spk_line *line,
                         const char *text, const char *end)
{
    const bool swapped = lines->columns == SPK_COLUMNS_UNIT_TIME;
    const spk_field *time = &line->field[swapped ? 1 : 0];
    const spk_field *label = &line->field[swapped ? 0 : 1];
    spk_text_time written;
    int64_t ticks = 0;
    uint32_t unit = 0;
    bool cut = false;
    const char *why = NULL;
    if (spk_text_time_parse(time->text, time->length, &written) != SPK_TEXT_TIME_OK)
        why = "its time is no number";
    else if (!spk_line_written_ticks(&lines->scale, &written, &ticks, &cut))
        why = "its time is outside of what ticks of 64 bit hold";
    if (why != NULL) {
        garbage(collector, text, end, why);
        return TAKEN;
    }
    taken result = take_label(lines, collector, label, &unit);
    if (result != TAKEN)
        return result == MORE ? TAKEN : result;
    result = take_spike(lines, collector, ticks, unit);
    collector->facts.cut_digits += cut && result == TAKEN;
    return result;
}

/* ---- comments -------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *end, const char *start)
{
    const size_t n = strlen(start);
    return (size_t)(end - text) >= n && memcmp(text, start, n) == 0;
}

static void take_samples(spk_lines *lines, spk_collector *collector, const char *text,
                         const char *end)
{
    const char *at = text + strlen(SPK_TEXT_SAMPLES_COMMENT);
    spk_rate rate;
    if (end > at && end[-1] == '\r')
        end--;
    if (spk_rate_parse(NULL, at, (size_t)(end - at), &rate) != SPK_OK) {
        garbage(collector, text, end, "no number of samples a second");
    } else if (!lines->started && !lines->unit_is_asked) {
        lines->time_unit = SPK_TIME_SAMPLES;
        lines->samples = rate;
        lines->unit_is_asked = true;
    } else if (lines->time_unit != SPK_TIME_SAMPLES || rate.numerator != lines->samples.numerator ||
               rate.denominator != lines->samples.denominator) {
        garbage(collector, text, end, "another unit of time than before, or than was asked for");
    }
}

/* Units that were announced have numbers from now on. */
static spk_status take_silent(spk_lines *lines, spk_collector *collector)
{
    const spk_labels *silent = &lines->comments.silent;
    spk_status status = SPK_OK;
    uint32_t unit = 0;
    for (uint32_t k = 0; k < silent->n && status == SPK_OK; k++) {
        const char *label = spk_labels_text(silent, k);
        (void)spk_collect_label(collector, label, strlen(label), &unit, &status);
    }
    spk_labels_clear(&lines->comments.silent);
    return status;
}

/* Whether the segment that was announced last stops behind its start. */
static bool last_has_length(const spk_lines *lines)
{
    const spk_text_segment *s = &lines->comments.segment[lines->comments.n_segments - 1];
    const spk_rate rate =
        lines->comments.rate.numerator > 0 ? lines->comments.rate : rate_of(lines);
    spk_duration start, stop;
    return !spk_text_border_time(&s->start, rate, &start) ||
           !spk_text_border_time(&s->stop, rate, &stop) || spk_duration_compare(start, stop) < 0;
}

static taken take_comment(spk_lines *lines, spk_collector *collector, const char *text,
                          const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if (text == end || !begins_with(text, end, "# spikemine "))
        return TAKEN;
    if (begins_with(text, end, SPK_TEXT_SAMPLES_COMMENT)) {
        take_samples(lines, collector, text, end);
        return TAKEN;
    }
    const size_t before = lines->comments.n_segments;
    if (n_waiting(lines) >= MOST_SEGMENTS) {
        garbage(collector, text, end, "segments without end");
        return TAKEN;
    }
    spk_status status = spk_text_comment_take(NULL, &lines->comments, "", text, end);
    if (status == SPK_OK && lines->comments.silent.n > 0)
        status = take_silent(lines, collector);
    if (status == SPK_ERR_MEMORY)
        return fail(lines, status);
    const char *why = status != SPK_OK ? "a comment of spikemine that makes no sense" : NULL;
    if (lines->comments.n_segments > before && !last_has_length(lines)) {
        lines->comments.n_segments--;
        why = "a segment that stops before it starts";
    }
    if (why != NULL)
        garbage(collector, text, end, why);
    if (lines->comments.n_segments > before && n_waiting(lines) == 1)
        lines->due = begins_at_once(lines);
    return TAKEN;
}

/* ---- the beginning --------------------------------------------------------------------------- */

static spk_text_time_result kind_of(const spk_field *field, bool *fraction)
{
    spk_text_time time;
    spk_text_time_result result = spk_text_time_parse(field->text, field->length, &time);
    *fraction = result == SPK_TEXT_TIME_OK && spk_text_time_has_fraction(&time);
    return result;
}

static bool is_header(const char *text, const char *end, spk_line *line)
{
    bool fraction;
    spk_line_cut_header(text, end, line);
    return line->problem == NULL && line->n_fields == 2 &&
           kind_of(&line->field[0], &fraction) == SPK_TEXT_TIME_NOT_A_NUMBER &&
           kind_of(&line->field[1], &fraction) == SPK_TEXT_TIME_NOT_A_NUMBER;
}

/* What the header says about the unit of time; NULL, or why that cannot be. */
static const char *take_unit_of_time(spk_lines *lines, spk_named_unit said)
{
    if (said == SPK_NAMED_NONE || (spk_time_unit)said == lines->time_unit)
        return NULL;
    if (lines->unit_is_asked || lines->started)
        return "contradicts the unit of time; correct the header, or give no unit of time";
    if (said == SPK_NAMED_OTHER)
        return "has a unit of time that is not read; send s, ms or us";
    if (said == SPK_NAMED_SAMPLES && lines->samples.numerator == 0)
        return "counts samples; how many are a second? Give the sample rate";
    lines->time_unit = (spk_time_unit)said;
    return NULL;
}

static taken take_header(spk_lines *lines, spk_collector *collector, const spk_line *line,
                         const char *text, const char *end)
{
    spk_columns columns = lines->columns;
    if (!lines->columns_are_asked) {
        columns = spk_guess_from_names(line->field);
        columns = columns == SPK_COLUMNS_GUESS ? lines->columns : columns;
    }
    const spk_field *time = &line->field[columns == SPK_COLUMNS_UNIT_TIME ? 1 : 0];
    lines->headed = true;
    const char *why = take_unit_of_time(
        lines, columns == SPK_COLUMNS_GUESS ? SPK_NAMED_NONE : spk_time_unit_of_name(time));
    if (why == NULL) {
        lines->columns = columns;
        return TAKEN;
    }
    if (lines->started) {
        garbage(collector, text, end, why);
        return TAKEN;
    }
    const int shown = (int)(time->length < 40 ? time->length : 40);
    return fail(lines,
                spk_fail(collector->context, SPK_ERR_FORMAT,
                         "live lines of text: the header '%.*s' %s", shown, time->text, why));
}

/* Which column is the time, by one line alone. */
static spk_columns guess_from_line(const spk_line *line, bool samples)
{
    bool fraction[2];
    const bool word[2] = {kind_of(&line->field[0], &fraction[0]) == SPK_TEXT_TIME_NOT_A_NUMBER,
                          kind_of(&line->field[1], &fraction[1]) == SPK_TEXT_TIME_NOT_A_NUMBER};
    if (word[0] != word[1])
        return word[1] ? SPK_COLUMNS_TIME_UNIT : SPK_COLUMNS_UNIT_TIME;
    if (fraction[0] != fraction[1])
        return fraction[samples ? 1 : 0] ? SPK_COLUMNS_TIME_UNIT : SPK_COLUMNS_UNIT_TIME;
    return SPK_COLUMNS_GUESS;
}

/* Which column is the time, by the lines [text, end); GUESS: more of them are needed. */
static spk_columns guess_columns(const spk_lines *lines, spk_context *context, const char *text,
                                 const char *end, bool urge)
{
    spk_field fields[SPK_GUESS_LINES][2];
    size_t n = 0;
    const bool samples = lines->time_unit == SPK_TIME_SAMPLES;
    const char *at = text;
    while (at < end && n < SPK_GUESS_LINES) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        spk_line line;
        if (stop == NULL)
            break;
        spk_line_cut(at, stop, &line);
        if (line.problem == NULL && line.n_fields == 2) {
            const spk_columns told = guess_from_line(&line, samples);
            if (told != SPK_COLUMNS_GUESS)
                return told;
            fields[n][0] = line.field[0];
            fields[n++][1] = line.field[1];
        }
        at = stop + 1;
    }
    if (n < SPK_GUESS_LINES && !urge && end - text < GUESS_BYTES)
        return SPK_COLUMNS_GUESS;
    const spk_columns told = spk_guess_from_content(n, (const spk_field(*)[2])fields, samples);
    if (told != SPK_COLUMNS_GUESS)
        return told;
    spk_note(context, "live lines of text: both columns are numbers; the first one is taken as the "
                      "time; name the columns if it is not");
    return SPK_COLUMNS_TIME_UNIT;
}

static taken start(spk_lines *lines, spk_collector *collector, const char *text, const char *end,
                   bool urge)
{
    if (lines->columns == SPK_COLUMNS_GUESS)
        lines->columns = guess_columns(lines, collector->context, text, end, urge);
    if (lines->columns == SPK_COLUMNS_GUESS)
        return MORE;
    if (lines->time_unit == SPK_TIME_GUESS)
        lines->time_unit = SPK_TIME_SECONDS;
    const spk_rate rate = rate_of(lines);
    const int decimals = lines->time_unit == SPK_TIME_MILLISECONDS   ? 3
                         : lines->time_unit == SPK_TIME_MICROSECONDS ? 6
                                                                     : 0;
    /* Samples are ticks as they are. */
    const spk_rate tick = lines->time_unit == SPK_TIME_SAMPLES ? (spk_rate){1, 1} : rate;
    if (!spk_line_scale_make(tick, decimals, &lines->scale))
        return fail(lines, spk_fail(collector->context, SPK_ERR_RANGE,
                                    "live lines of text: the tick is too fine"));
    lines->started = true;
    collector->rate = rate;
    return TAKEN;
}

/* ---- one line -------------------------------------------------------------------------------- */

/* A line that is no spike, and no garbage either. */
static taken count_other(spk_collector *collector, uint64_t garbage_before, taken result)
{
    collector->facts.other += result == TAKEN && collector->facts.garbage == garbage_before;
    return result;
}

/* Everything that is not a plain line; [text, stop) is the line, `end` that of all there is. */
static taken take_long_way(spk_lines *lines, spk_collector *collector, const char *text,
                           const char *stop, const char *end, bool urge)
{
    spk_line line;
    spk_line_cut(text, stop, &line);
    const uint64_t before = collector->facts.garbage;
    if (line.problem == NULL && line.n_fields == 0)
        return count_other(collector, before, take_comment(lines, collector, text, stop));
    spk_line header;
    if (!lines->headed && is_header(text, stop, &header))
        return count_other(collector, before, take_header(lines, collector, &header, text, stop));
    if (line.problem != NULL || line.n_fields != 2) {
        garbage(collector, text, stop,
                line.problem != NULL ? line.problem
                : line.n_fields == 1 ? "one column; every line needs a time and a unit"
                                     : "more than two columns; send time and unit only");
        return TAKEN;
    }
    if (!lines->started) {
        taken result = start(lines, collector, text, end, urge);
        if (result != TAKEN)
            return result;
    }
    lines->headed = true;
    while (lines->due)
        if (!begin_segment(lines, collector))
            return WAIT;
    return take_fields(lines, collector, &line, text, stop);
}

typedef struct plain {
    uint64_t digits;
    unsigned decimals;
    const char *label;
    size_t length;
} plain;

/* Digits with a point among them, from *at on as far as they go; false: none, or too many. */
static inline bool scan_number(const char **at, const char *end, plain *out)
{
    const char *p = *at;
    const char *point = NULL;
    uint64_t digits = 0;
    for (; p < end; p++) {
        const unsigned digit = (unsigned)((unsigned char)*p - '0');
        if (digit <= 9)
            digits = digits * 10 + digit;
        else if (*p == '.' && point == NULL)
            point = p;
        else
            break;
    }
    const long n = p - *at - (point != NULL);
    out->digits = digits;
    out->decimals = point != NULL ? (unsigned)(p - point - 1) : 0;
    *at = p;
    return n > 0 && n <= 18; /* so that nothing overflowed */
}

/* Plain characters of ASCII. */
static inline bool scan_label(const char **at, const char *end, plain *out)
{
    const char *p = *at;
    unsigned char all = 0;
    for (; p < end && spk_byte_class_of(*p) == SPK_BYTE_PLAIN; p++)
        all |= (unsigned char)*p;
    out->label = *at;
    out->length = (size_t)(p - *at);
    *at = p;
    return out->length > 0 && all < 0x80;
}

static inline bool separates(const char *at, const char *end)
{
    return at < end &&
           (spk_byte_class_of(*at) == SPK_BYTE_BLANK || spk_byte_class_of(*at) == SPK_BYTE_COMMA);
}

/* Two plain fields with one byte between them. */
static inline bool scan_plain(const spk_lines *lines, const char *at, const char *end, plain *out)
{
    if (end > at && end[-1] == '\r')
        end--;
    if (lines->columns == SPK_COLUMNS_TIME_UNIT)
        return scan_number(&at, end, out) && separates(at, end) && (at++, true) &&
               scan_label(&at, end, out) && at == end;
    return scan_label(&at, end, out) && separates(at, end) && (at++, true) &&
           scan_number(&at, end, out) && at == end;
}

static inline taken take_line(spk_lines *lines, spk_collector *collector, const char *text,
                              const char *stop, const char *end, bool urge)
{
    plain p;
    int64_t ticks = 0;
    uint32_t unit = 0;
    bool cut = false;
    if (!lines->started || lines->due || !scan_plain(lines, text, stop, &p) ||
        !spk_line_ticks(&lines->scale, p.digits, p.decimals, false, &ticks, &cut) ||
        !spk_labels_find(&collector->labels, p.label, p.length, &unit))
        return take_long_way(lines, collector, text, stop, end, urge);
    lines->headed = true;
    const taken result = take_spike(lines, collector, ticks, unit);
    collector->facts.cut_digits += cut && result == TAKEN;
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A line without end is garbage once, and skipped to its end. */
static const char *take_unfinished(spk_lines *lines, spk_collector *collector, const char *at,
                                   const char *end)
{
    if (!lines->skipping && end - at >= SPK_BYTES_KEPT) {
        garbage(collector, at, end, "a line of over 1 MB");
        collector->facts.messages++;
        lines->skipping = true;
    }
    return lines->skipping ? end : at;
}

spk_status spk_lines_take(void *parser, spk_collector *collector, const char *bytes, size_t n,
                          bool urge, size_t *consumed)
{
    spk_lines *lines = parser;
    const char *at = bytes;
    const char *end = bytes + n;
    taken result = TAKEN;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) {
            at = take_unfinished(lines, collector, at, end);
            break;
        }
        if (lines->skipping) {
            lines->skipping = false;
        } else {
            if (spk_collector_full(collector))
                break;
            result = take_line(lines, collector, at, stop, end, urge);
            if (result != TAKEN)
                break;
            collector->facts.messages++;
        }
        at = stop + 1;
    }
    /* A segment that was announced begins at once, not with its first spike. */
    while (result == TAKEN && lines->started && lines->due)
        if (!begin_segment(lines, collector))
            break;
    *consumed = (size_t)(at - bytes);
    return result != FAIL ? SPK_OK : lines->failure;
}
