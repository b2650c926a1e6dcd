/* Cutting lines into fields. */
#include "recording/text_line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "recording/segments.h"

/* The bytes 0 .. 31: all control something, but for the tab. */
#define C SPK_BYTE_CONTROL
#define CONTROLS                                                                                   \
    C, C, C, C, C, C, C, C, C, SPK_BYTE_BLANK, C, C, C, C, C, C, C, C, C, C, C, C, C, C, C, C, C,  \
        C, C, C, C, C

/* Bytes from 128 on are parts of UTF-8 labels; labels are checked when they are first met. */
const unsigned char spk_byte_classes[256] = {
    CONTROLS,
    [' '] = SPK_BYTE_BLANK,
    ['"'] = SPK_BYTE_QUOTE,
    ['#'] = SPK_BYTE_HASH,
    [','] = SPK_BYTE_COMMA,
    [';'] = SPK_BYTE_COMMA,
    [0x7f] = C,
};

static_assert(SPK_BYTE_PLAIN == 0, "bytes that the table does not name are plain");

const char *spk_control_problem(char byte)
{
    return byte == '\r' ? "a carriage return within the line: if lines end with it alone, convert "
                          "them, for example with tr '\\r' '\\n'"
                        : "a control byte in the line: looks binary; give a text file of two "
                          "columns";
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && spk_byte_class_of(*at) == SPK_BYTE_BLANK)
        at++;
    return at;
}

const char *spk_field_take_quoted(const char *at, const char *end, spk_field *field)
{
    *field = (spk_field){.text = at, .quoted = true};
    for (; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 < end && at[1] == '"') {
            field->escaped = true;
            at++;
            continue;
        }
        field->length = (size_t)(at - field->text);
        return at + 1;
    }
    return NULL;
}

static const char *take_plain(const char *at, const char *end, spk_field *field)
{
    *field = (spk_field){.text = at};
    while (at < end) {
        spk_byte_class class = spk_byte_class_of(*at);
        if (class == SPK_BYTE_BLANK || class == SPK_BYTE_COMMA || class == SPK_BYTE_CONTROL)
            break;
        at++;
    }
    field->length = (size_t)(at - field->text);
    return at;
}

/* One field at `at`, which is no blank; returns where it ends, NULL on a problem. */
static const char *take_field(const char *at, const char *end, spk_line *line)
{
    spk_field field;
    if (spk_byte_class_of(*at) == SPK_BYTE_QUOTE) {
        at = spk_field_take_quoted(at + 1, end, &field);
        if (at == NULL)
            line->problem = "a double quote is not closed; close it, or write \"\" for a quote";
        else if (at < end && spk_byte_class_of(*at) == SPK_BYTE_CONTROL)
            line->problem = spk_control_problem(*at);
        else if (at < end && spk_byte_class_of(*at) != SPK_BYTE_BLANK &&
                 spk_byte_class_of(*at) != SPK_BYTE_COMMA)
            line->problem = "text follows a closing quote; write \"\" for a quote in a label";
    } else {
        at = take_plain(at, end, &field);
        if (at < end && spk_byte_class_of(*at) == SPK_BYTE_CONTROL)
            line->problem = spk_control_problem(*at);
        else if (field.length == 0)
            line->problem = "an empty column; every line needs a time and a unit";
    }
    if (line->problem != NULL)
        return NULL;
    if (line->n_fields < SPK_LINE_FIELDS)
        line->field[line->n_fields] = field;
    line->n_fields++;
    return at;
}

void spk_line_cut(const char *text, const char *end, spk_line *line)
{
    line->n_fields = 0;
    line->problem = NULL;
    if (end > text && end[-1] == '\r')
        end--;
    const char *at = skip_blanks(text, end);
    if (at == end || *at == '#')
        return;
    for (;;) {
        at = take_field(at, end, line);
        if (at == NULL)
            return;
        const char *next = skip_blanks(at, end);
        if (next == end || (*next == '#' && next > at && line->n_fields >= 2))
            return;
        if (spk_byte_class_of(*next) == SPK_BYTE_COMMA) {
            next = skip_blanks(next + 1, end);
            if (next == end) {
                line->problem = "an empty column at the end; every line needs a time and a unit";
                return;
            }
        }
        at = next;
    }
}

void spk_line_cut_header(const char *text, const char *end, spk_line *line)
{
    spk_line_cut(text, end, line);
    if (line->problem == NULL && line->n_fields <= 2)
        return;
    if (end > text && end[-1] == '\r')
        end--;
    const char *separator = NULL;
    for (const char *at = text; at < end; at++)
        if (*at == ',' || *at == ';' || *at == '\t') {
            if (separator != NULL)
                return;
            separator = at;
        } else if (spk_byte_class_of(*at) == SPK_BYTE_CONTROL || *at == '"') {
            return;
        }
    if (separator == NULL || separator == text || separator + 1 == end)
        return;
    line->problem = NULL;
    line->n_fields = 2;
    line->field[0] = (spk_field){.text = text, .length = (size_t)(separator - text)};
    line->field[1] = (spk_field){.text = separator + 1, .length = (size_t)(end - separator - 1)};
}

/* ---- comments -------------------------------------------------------------------------------- */

/* Where a comment is read, for messages. */
typedef struct place {
    spk_context *context;
    const char *name;
} place;

static bool begins_with(const char *text, const char *end, const char *start)
{
    size_t n = strlen(start);
    return (size_t)(end - text) >= n && memcmp(text, start, n) == 0;
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool take_tick(const spk_field *field, int64_t *tick)
{
    const char *at = field->text, *end = field->text + field->length;
    bool negative = at < end && *at == '-';
    uint64_t number = 0;
    at += negative;
    if (!spk_whole_scan(&at, end, &number) || at != end ||
        number > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *tick = negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

static bool take_border(const spk_field *field, spk_text_border *out)
{
    *out = (spk_text_border){.kind = SPK_TEXT_BORDER_OPEN};
    if (field->length == 1 && field->text[0] == '-')
        return true;
    if (take_tick(field, &out->tick)) {
        out->kind = SPK_TEXT_BORDER_TICK;
        return true;
    }
    out->kind = SPK_TEXT_BORDER_TIME;
    return spk_duration_parse(NULL, field->text, field->length, &out->time) == SPK_OK &&
           out->time.exponent != SPK_DURATION_INFINITE;
}

static spk_status fail_segment(const place *p, const char *text, const char *end)
{
    return spk_fail(p->context, SPK_ERR_FORMAT,
                    "%s: the comment 'segment %.*s' gives no start and stop; write times such as "
                    "0s 1.5s, ticks such as 0 1500, with the trial as 0s 1.5s 3 12, or remove the "
                    "comment",
                    p->name, (int)(end - text < 60 ? end - text : 60), text);
}

/* The trial of a segment: two numbers, or the next one. */
static bool take_trial(const spk_line *line, spk_text_comments *comments, spk_text_segment *segment)
{
    int64_t number = (int64_t)comments->n_segments + 1, n_trials = number;
    segment->numbered = line->n_fields == 4;
    if (segment->numbered &&
        (!take_tick(&line->field[2], &number) || !take_tick(&line->field[3], &n_trials)))
        return false;
    if (number < 1 || number > n_trials || n_trials > UINT32_MAX)
        return false;
    segment->trial = (size_t)number - 1;
    if (comments->n_trials < (size_t)n_trials)
        comments->n_trials = (size_t)n_trials;
    return true;
}

static spk_status take_segment(const place *p, spk_text_comments *comments, const char *text,
                               const char *end)
{
    spk_line line;
    spk_text_segment segment;
    spk_line_cut(text, end, &line);
    if (line.problem != NULL || (line.n_fields != 2 && line.n_fields != 4) ||
        !take_border(&line.field[0], &segment.start) ||
        !take_border(&line.field[1], &segment.stop) || !take_trial(&line, comments, &segment))
        return fail_segment(p, text, end);
    spk_status status = spk_grow(p->context, &comments->segment, &comments->capacity,
                                 comments->n_segments + 1, "segments");
    if (status == SPK_OK)
        comments->segment[comments->n_segments++] = segment;
    return status;
}

bool spk_text_comments_cut(const spk_text_comments *comments)
{
    const spk_text_segment *s = comments->segment;
    return comments->n_segments > 1 ||
           (comments->n_segments == 1 && s->start.kind != SPK_TEXT_BORDER_OPEN &&
            s->stop.kind != SPK_TEXT_BORDER_OPEN);
}

spk_border spk_text_border_at(const spk_text_border *border, spk_rate rate)
{
    assert(border->kind != SPK_TEXT_BORDER_OPEN);
    return border->kind == SPK_TEXT_BORDER_TICK ? spk_border_at(border->tick)
                                                : spk_border_of(border->time, rate);
}

bool spk_text_border_time(const spk_text_border *border, spk_rate rate, spk_duration *out)
{
    *out = border->time;
    if (border->kind == SPK_TEXT_BORDER_TICK)
        return spk_duration_of_tick(border->tick, rate, out);
    return border->kind == SPK_TEXT_BORDER_TIME;
}

/* ---- units ----------------------------------------------------------------------------------- */

static spk_status take_unit(const place *p, spk_text_comments *comments, const char *text,
                            const char *end)
{
    spk_line line;
    char *label = NULL;
    uint32_t number = 0;
    spk_line_cut(text, end, &line);
    if (line.problem != NULL || line.n_fields != 1)
        return spk_fail(p->context, SPK_ERR_FORMAT,
                        "%s: the comment 'unit %.*s' names no unit; write one label, in double "
                        "quotes where it has blanks, or remove the comment",
                        p->name, (int)(end - text < 60 ? end - text : 60), text);
    const spk_field *field = &line.field[0];
    size_t n = 0;
    spk_status status = spk_alloc(p->context, &label, field->length + 1, "a unit label");
    for (size_t k = 0; k < field->length && status == SPK_OK; k++) {
        label[n++] = field->text[k];
        k += field->escaped && field->text[k] == '"';
    }
    if (status == SPK_OK)
        status = spk_labels_intern(p->context, &comments->silent, label, n, &number);
    free(label);
    return status;
}

/* ---- rate ------------------------------------------------------------------------------------ */

static spk_status take_rate(const place *p, spk_text_comments *comments, const char *text,
                            const char *end)
{
    spk_line line;
    spk_line_cut(text, end, &line);
    if (line.problem == NULL && line.n_fields == 1 &&
        spk_rate_parse(NULL, line.field[0].text, line.field[0].length, &comments->rate) == SPK_OK)
        return SPK_OK;
    return spk_fail(p->context, SPK_ERR_FORMAT,
                    "%s: the comment 'rate %.*s' is no number of ticks a second; write one such as "
                    "25000, or remove the comment",
                    p->name, (int)(end - text < 60 ? end - text : 60), text);
}

/* ---- all ------------------------------------------------------------------------------------- */

spk_status spk_text_comment_take(spk_context *context, spk_text_comments *comments,
                                 const char *name, const char *text, const char *end)
{
    const place p = {context, name};
    if (begins_with(text, end, SPK_TEXT_SEGMENT_COMMENT))
        return take_segment(&p, comments, text + strlen(SPK_TEXT_SEGMENT_COMMENT), end);
    if (begins_with(text, end, SPK_TEXT_UNIT_COMMENT))
        return take_unit(&p, comments, text + strlen(SPK_TEXT_UNIT_COMMENT), end);
    if (begins_with(text, end, SPK_TEXT_RATE_COMMENT))
        return take_rate(&p, comments, text + strlen(SPK_TEXT_RATE_COMMENT), end);
    return SPK_OK;
}

void spk_text_comments_clear(spk_text_comments *comments)
{
    free(comments->segment);
    spk_labels_clear(&comments->silent);
    *comments = (spk_text_comments){.n_segments = 0};
}
