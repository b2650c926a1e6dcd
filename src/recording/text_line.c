/* Cutting lines into fields. */
#include "recording/text_line.h"

#include <assert.h>
#include <string.h>

enum { P = SPK_BYTE_PLAIN, C = SPK_BYTE_CONTROL };

/* Bytes from 128 on are parts of UTF-8 labels; labels are checked when they are first met. */
const unsigned char spk_byte_classes[256] = {
    /* 0x00 */ C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    SPK_BYTE_BLANK,
    C,
    C,
    C,
    C,
    C,
    C,
    /* 0x10 */ C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    C,
    /* 0x20 */ SPK_BYTE_BLANK,
    P,
    SPK_BYTE_QUOTE,
    SPK_BYTE_HASH,
    [','] = SPK_BYTE_COMMA,
    [';'] = SPK_BYTE_COMMA,
    [0x7f] = C,
};

static_assert(SPK_BYTE_PLAIN == 0, "bytes that the table does not name are plain");

static const char CONTROL_BYTE[] =
    "a control byte in the line: looks binary; give a text file of two columns";

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && spk_byte_class_of(*at) == SPK_BYTE_BLANK)
        at++;
    return at;
}

/* From behind the opening quote to behind the closing one; NULL without a closing one. */
static const char *take_quoted(const char *at, const char *end, spk_field *field)
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
        at = take_quoted(at + 1, end, &field);
        if (at == NULL)
            line->problem = "a double quote is not closed; close it, or write \"\" for a quote";
        else if (at < end && spk_byte_class_of(*at) == SPK_BYTE_CONTROL)
            line->problem = CONTROL_BYTE;
        else if (at < end && spk_byte_class_of(*at) != SPK_BYTE_BLANK &&
                 spk_byte_class_of(*at) != SPK_BYTE_COMMA)
            line->problem = "text follows a closing quote; write \"\" for a quote in a label";
    } else {
        at = take_plain(at, end, &field);
        if (at < end && spk_byte_class_of(*at) == SPK_BYTE_CONTROL)
            line->problem = CONTROL_BYTE;
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
