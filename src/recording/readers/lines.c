/*
 * One line for each unit: its label, where there is one, and its times. Lines are read in blocks
 * whatever their length: only a label and a time must fit into a block.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "recording/readers/reader.h"
#include "recording/readers/text_look.h"
#include "recording/text_reader.h"

typedef enum place {
    AT_LINE,  /* before the first byte of a line */
    AT_LABEL, /* the line holds something */
    AT_TIMES,
    AT_COMMENT
} place;

typedef struct lines {
    spk_line_labels labels;
    bool guessed; /* which of them: a note tells */
    place at;
    uint32_t unit;
    uint64_t n_units; /* lines so far */
    char separator;   /* between times: ',', ';', ' '; 0: not met yet */
    char met;         /* since the last field: 0, ' ', ',' or ';' */
    bool padded;      /* an empty field was met: only empty ones may follow */
    uint64_t n_times; /* of this line */
} lines;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_comma(char c)
{
    return c == ',' || c == ';';
}

static bool ends_field(char c)
{
    return is_blank(c) || is_comma(c) || c == '\n';
}

static spk_status fail_line(spk_text_reader *reader, const char *problem)
{
    return spk_fail(reader->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s", reader->name,
                    reader->line, problem);
}

static bool has_colon(const lines *l)
{
    return l->labels == SPK_LABELS_COLON || l->labels == SPK_LABELS_TIGHT;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Ask or take what the first lines say. */
static spk_status start(spk_text_reader *reader, const char *text, const char *end)
{
    lines *l = reader->own;
    const char *asked = reader->options->unit_column;
    l->labels = spk_text_look_at(text, (size_t)(end - text), reader->at_end).labels;
    if (asked != NULL && strcmp(asked, "none") == 0)
        l->labels = SPK_LABELS_NONE;
    else if (asked != NULL && strcmp(asked, "1") == 0)
        l->labels = has_colon(l) ? l->labels : SPK_LABELS_FIRST;
    else if (asked != NULL)
        return spk_fail(reader->context, SPK_ERR_ARGUMENT,
                        "%s: --unit-column %s: of lines it is 1, where they begin with a label, or "
                        "none",
                        reader->name, asked);
    if (l->labels == SPK_LABELS_UNCLEAR)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s: does each line begin with the unit, or with its first time? pass "
                        "--unit-column 1 or --unit-column none",
                        reader->name);
    l->guessed = asked == NULL && !has_colon(l);
    reader->started = true;
    return SPK_OK;
}

/* At the last byte of the buffer nobody knows: more bytes are asked for. */
static bool ends_label(const lines *l, const char *at, const char *end)
{
    if (!has_colon(l))
        return ends_field(*at);
    return *at == ':' && (l->labels == SPK_LABELS_TIGHT || at + 1 == end || ends_field(at[1]));
}

/* Where the label at `at` ends: its colon, or what ends a field. NULL: not in the buffer. */
static const char *label_end(const lines *l, const char *at, const char *end, bool quoted)
{
    if (quoted) {
        for (at++; at < end && *at != '\n'; at++)
            if (*at == '"' && at + 1 < end && at[1] == '"')
                at++;
            else if (*at == '"')
                break;
        return at < end ? at : NULL;
    }
    while (at < end && *at != '\n' && !ends_label(l, at, end))
        at++;
    return at < end && (*at != ':' || at + 1 < end) ? at : NULL;
}

static spk_status add_label(spk_text_reader *reader, const spk_field *label)
{
    lines *l = reader->own;
    bool is_new = false;
    spk_status status = spk_text_take_label(reader, label, &l->unit, &is_new);
    if (status == SPK_OK && !is_new)
        return spk_fail(reader->context, SPK_ERR_FORMAT,
                        "%s:%" PRIu64 ": a second line of the unit '%.*s'; join the lines of a "
                        "unit, or give each label once",
                        reader->name, reader->line, (int)(label->length < 40 ? label->length : 40),
                        label->text);
    l->at = AT_TIMES;
    l->n_units++;
    reader->data_lines++;
    return status;
}

static spk_status number_line(spk_text_reader *reader)
{
    lines *l = reader->own;
    char text[24];
    spk_field label = {.text = text};
    label.length = (size_t)snprintf(text, sizeof text, "%" PRIu64, l->n_units + 1);
    return add_label(reader, &label);
}

/* Takes the label at `*at`; *at stays where it is when the label is not complete. */
static spk_status take_label(spk_text_reader *reader, const char **at, const char *end)
{
    lines *l = reader->own;
    const bool quoted = **at == '"';
    const char *stop = label_end(l, *at, end, quoted);
    if (stop == NULL)
        return SPK_OK;
    if (quoted && *stop != '"')
        return fail_line(reader, "a double quote is not closed; close it, or write \"\" for a "
                                 "quote");
    spk_field label = {.text = *at + quoted, .quoted = quoted};
    label.length = (size_t)(stop - label.text);
    label.escaped = quoted && memchr(label.text, '"', label.length) != NULL;
    while (!quoted && label.length > 0 && is_blank(label.text[label.length - 1]))
        label.length--;
    stop += quoted;
    if (has_colon(l)) {
        while (stop < end && is_blank(*stop))
            stop++;
        if (stop == end)
            return SPK_OK;
        if (*stop != ':')
            return fail_line(reader, "no colon follows the label, as in the lines before");
        stop++;
    }
    if (label.length == 0 && !quoted)
        return fail_line(reader, "the label is empty; write one");
    *at = stop;
    return add_label(reader, &label);
}

/* ---- times ----------------------------------------------------------------------------------- */

static spk_status check_order(spk_text_reader *reader)
{
    const lines *l = reader->own;
    uint64_t n = reader->times.n;
    const int64_t *ticks = reader->times.ticks;
    if (reader->options->sort || l->n_times < 2 || ticks[n - 1] >= ticks[n - 2])
        return SPK_OK;
    reader->backwards_line = reader->line;
    reader->backwards_time = ticks[n - 1];
    reader->backwards_before = ticks[n - 2];
    reader->backwards_scale = reader->times.scale;
    return spk_text_fail_order(reader, "sort the times of the line or pass --sort");
}

/* What stands between two times is the same everywhere: else a decimal comma would make two times
 * of one. */
static spk_status check_separator(spk_text_reader *reader)
{
    lines *l = reader->own;
    if (l->n_times == 0)
        return SPK_OK;
    if (l->separator == 0)
        l->separator = l->met;
    return l->separator == l->met
               ? SPK_OK
               : fail_line(reader, "different separators between times: are these decimal commas? "
                                   "write points, and blanks between times");
}

/* The field at `at`, which ends at `stop`. */
static spk_status add_time(spk_text_reader *reader, const char *at, const char *stop)
{
    lines *l = reader->own;
    spk_field time = {.text = at, .length = (size_t)(stop - at)};
    if (l->padded)
        return fail_line(reader, "a time follows an empty field; only the end of a line may have "
                                 "empty ones");
    spk_status status = check_separator(reader);
    if (status == SPK_OK)
        status = spk_text_event_of(reader, &time, l->unit);
    l->n_times++;
    l->met = 0;
    return status == SPK_OK ? check_order(reader) : status;
}

/* What ends a field or follows one. */
static void meet(lines *l, char c)
{
    if (!is_comma(c)) {
        l->met = l->met == 0 ? ' ' : l->met;
        return;
    }
    l->padded |= is_comma(l->met);
    l->met = c;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static spk_status begin_line(spk_text_reader *reader, const char **at, const char *end)
{
    lines *l = reader->own;
    const char *text = *at;
    while (text < end && is_blank(*text))
        text++;
    if (text == end)
        return SPK_OK; /* the rest decides */
    if (*text == '#') {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (stop == NULL && *at > reader->buffer)
            return SPK_OK; /* once more, from the beginning of the buffer */
        spk_status status = reader->times.n > 0 || stop == NULL
                                ? SPK_OK
                                : spk_text_take_comment(reader, text, stop);
        if (status != SPK_OK)
            return status;
    }
    *at = text;
    reader->line++;
    reader->inside = true;
    l->n_times = 0;
    l->met = 0;
    l->padded = false;
    l->at = *text == '#' ? AT_COMMENT : AT_LABEL;
    return SPK_OK;
}

/* At the line end. */
static spk_status end_line(spk_text_reader *reader)
{
    lines *l = reader->own;
    reader->inside = false;
    l->at = AT_LINE;
    return SPK_OK;
}

/* Goes as far as it can from *at on; *at stays where more bytes are needed. */
static spk_status step(spk_text_reader *reader, const char **at, const char *end)
{
    lines *l = reader->own;
    const char *stop = *at;
    switch (l->at) {
    case AT_LINE:
        return begin_line(reader, at, end);
    case AT_LABEL:
        if (l->labels == SPK_LABELS_NONE)
            return number_line(reader);
        if (**at == '\n') { /* an empty line between units */
            ++*at;
            return end_line(reader);
        }
        return take_label(reader, at, end);
    case AT_COMMENT:
        stop = memchr(*at, '\n', (size_t)(end - *at));
        *at = stop != NULL ? stop + 1 : end;
        return stop != NULL ? end_line(reader) : SPK_OK;
    default:
        break;
    }
    if (**at == '\n') {
        ++*at;
        return end_line(reader);
    }
    if (is_blank(**at) || is_comma(**at)) {
        meet(l, **at);
        ++*at;
        return SPK_OK;
    }
    while (stop < end && !ends_field(*stop))
        stop++;
    if (stop == end)
        return SPK_OK;
    spk_status status = add_time(reader, *at, stop);
    *at = stop;
    return status;
}

static spk_status take_units(spk_text_reader *reader, const char *text, const char *end,
                             const char **rest)
{
    lines *l = reader->own;
    spk_status status = reader->started ? SPK_OK : start(reader, text, end);
    while (text < end && status == SPK_OK) {
        const char *before = text;
        place at = l->at;
        status = step(reader, &text, end);
        if (text == before && at == l->at)
            break;
    }
    *rest = text;
    if (status == SPK_OK && reader->at_end && text < end)
        *rest = end; /* blanks behind the last line end */
    return status;
}

static void tell_labels(const spk_text_reader *reader)
{
    const lines *l = reader->own;
    if (!l->guessed)
        return;
    if (l->labels == SPK_LABELS_FIRST)
        spk_note(reader->context, "%s: the first field of each line is taken as the unit",
                 reader->name);
    else
        spk_note(reader->context,
                 "%s: lines begin with times; units are called by their lines, from 1",
                 reader->name);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static const spk_text_way units = {
    .take = take_units,
    .wanted = "give a line for each unit: its label, a colon and its times",
    .swapped = "is there one line for each unit?",
    .tell = tell_labels,
};

static spk_match recognise(const spk_probe *probe)
{
    switch (spk_text_look_probe(probe).form) {
    case SPK_FORM_LINES:
        return SPK_MATCH_SURE;
    case SPK_FORM_UNCLEAR:
        return SPK_MATCH_POSSIBLE;
    default:
        return SPK_MATCH_NO;
    }
}

static spk_status read_lines(spk_context *context, const spk_probe *probe, spk_input *input,
                             const spk_read_options *options, spk_recording **out)
{
    lines l = {.at = AT_LINE};
    *out = NULL;
    spk_status status = spk_text_check_input(context, probe);
    return status == SPK_OK ? spk_text_read(context, input, options, &units, &l, out) : status;
}

const spk_reader spk_reader_lines = {
    .name = "lines",
    .summary = "text with one line for each unit: its label, a colon and its times",
    .endings = ".txt .csv .tsv .dat",
    .options = "time_unit unit_column",
    .recognise = recognise,
    .read = read_lines,
};
