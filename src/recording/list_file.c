/* Reads files of results line by line. */
#include "recording/list_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/input.h"

enum { MAX_LINE = 1 << 20, BLOCK_BYTES = 1 << 16 };

typedef struct list_reader {
    spk_context *context;
    const spk_list_file *file;
    const char *name; /* for messages */
    spk_input *input;
    char *bytes; /* read ahead */
    size_t at;
    size_t n_bytes;
    uint64_t line_number;
    int column; /* of the results; -1: the whole line */
    bool header_seen;
    bool any; /* result */
} list_reader;

static spk_status fail_line(list_reader *r, const char *problem)
{
    return spk_fail(r->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": %s", r->name, r->line_number,
                    problem);
}

/* The next byte; EOF at the end, and after a failure. */
static int next_byte(list_reader *r, spk_status *status)
{
    if (r->at == r->n_bytes) {
        r->at = 0;
        *status = spk_input_read(r->context, r->input, r->bytes, BLOCK_BYTES, &r->n_bytes);
        if (*status != SPK_OK || r->n_bytes == 0)
            return EOF;
    }
    return (unsigned char)r->bytes[r->at++];
}

/* One line into `line`, without its end; false at the end of the file. */
static bool read_line(list_reader *r, char *line, spk_status *status)
{
    size_t n = 0;
    int c = next_byte(r, status);
    r->line_number++;
    for (; c != EOF && c != '\n'; c = next_byte(r, status)) {
        if (c == '\0' || n + 1 == MAX_LINE) {
            *status = fail_line(r, c == '\0' ? "a NUL byte in the line; give a text file"
                                             : "the line is too long");
            return false;
        }
        line[n++] = (char)c;
    }
    if (*status != SPK_OK)
        return false;
    while (n > 0 && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    return c != EOF || n > 0;
}

/* Where the column of the result ends; tabs in quotes, which old tables have, are part of it. */
static char *column_end(char *at)
{
    bool quoted = false;
    for (; *at != '\0' && (quoted || *at != '\t'); at++)
        quoted ^= *at == '"';
    return at;
}

/* Column `wanted` of a tab separated line, terminated in place; NULL when there are fewer. */
static char *column_of(char *line, int wanted)
{
    for (int k = 0; k < wanted; k++) {
        line = strchr(line, '\t');
        if (line == NULL)
            return NULL;
        line++;
    }
    *column_end(line) = '\0';
    return line;
}

/* Recognises a header by the name of the column. */
static bool take_header(list_reader *r, const char *line)
{
    int column = 0;
    const char *name = r->file->column;
    for (const char *at = line;; at++, column++) {
        size_t n = strcspn(at, "\t");
        if (n == strlen(name) && memcmp(at, name, n) == 0) {
            r->column = column;
            return true;
        }
        at += n;
        if (*at == '\0')
            return false;
    }
}

/* A comment, or a result whose first label begins with '#' and lacks its quotes? A blank behind the
 * '#' tells, and so does what cannot be a result. */
static spk_status take_comment(list_reader *r, const char *line)
{
    const size_t label = strcspn(line, r->file->separators), blank = strcspn(line, " \t");
    const size_t length = label < blank ? label : blank;
    if (length < 2 || r->column > 0 || !r->file->goes_on(line + length))
        return SPK_OK;
    return spk_fail(r->context, SPK_ERR_FORMAT,
                    "%s:%" PRIu64 ": '%.200s' is a comment or a result; put a blank behind the # "
                    "of a comment, and a label that begins with # in double quotes",
                    r->name, r->line_number, line);
}

static spk_status take_line(list_reader *r, char *line)
{
    bool first = !r->header_seen;
    if (line[0] == '#')
        return take_comment(r, line);
    if (line[strspn(line, " \t")] == '\0')
        return SPK_OK;
    r->header_seen = true;
    if (first && take_header(r, line))
        return SPK_OK;
    char *text = r->column >= 0 ? column_of(line, r->column) : line;
    if (text == NULL)
        return spk_fail(r->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": there is no column '%s'",
                        r->name, r->line_number, r->file->column);
    spk_status status = r->file->take(r->file->user, text);
    r->any = true;
    if (status == SPK_OK)
        return SPK_OK;
    return spk_fail(r->context, status, "%s:%" PRIu64 ": %s", r->name, r->line_number,
                    spk_context_message(r->context));
}

/* Editors may put a byte order mark before the first line. */
static char *behind_mark(char *line)
{
    return strncmp(line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line;
}

static spk_status read_all(list_reader *r)
{
    char *line = NULL;
    spk_status status = spk_alloc(r->context, &line, MAX_LINE, "a line");
    while (status == SPK_OK && read_line(r, line, &status))
        status = take_line(r, r->line_number == 1 ? behind_mark(line) : line);
    if (status == SPK_OK && !r->any)
        status = spk_fail(r->context, SPK_ERR_FORMAT, "%s: %s", r->name, r->file->missing);
    free(line);
    return status;
}

spk_status spk_list_file_read(spk_context *context, const char *path, const spk_list_file *file)
{
    list_reader reader = {.context = context, .file = file, .column = -1};
    spk_status status = spk_input_open(context, path, &reader.input);
    if (status == SPK_OK) {
        reader.name = spk_input_name(reader.input);
        status = spk_alloc(context, &reader.bytes, BLOCK_BYTES, "reading");
    }
    if (status == SPK_OK)
        status = read_all(&reader);
    free(reader.bytes);
    spk_input_close(reader.input);
    return status;
}

/* ---- wider columns --------------------------------------------------------------------------- */

spk_status spk_unit_number(spk_context *context, const spk_recording *recording, spk_labels *absent,
                           const char *label, const char *what, const char *text, uint32_t *unit)
{
    if (spk_recording_find_unit(recording, label, unit))
        return SPK_OK;
    if (absent == NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT, "%s '%.200s': the recording has no unit '%.60s'",
                        what, text, label);
    spk_status status = spk_labels_intern(context, absent, label, strlen(label), unit);
    *unit += spk_recording_events(recording).n_units;
    return status;
}

/* "Q, Z and 3 more" */
static void name_some(const spk_labels *labels, char *buffer, size_t size)
{
    enum { SHOWN = 5 };
    size_t used = 0;
    for (uint32_t k = 0; k < labels->n && k < SHOWN && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%.40s", k > 0 ? ", " : "",
                                 spk_labels_text(labels, k));
    if (labels->n > SHOWN && used < size)
        snprintf(buffer + used, size - used, " and %" PRIu32 " more", labels->n - SHOWN);
}

static void note_absent(spk_context *context, const spk_labels *absent, const char *path,
                        const char *results)
{
    char names[320];
    name_some(absent, names, sizeof names);
    spk_note(context, "%s: the recording has no unit %s; %s with %s count 0",
             strcmp(path, "-") == 0 ? "standard input" : path, names, results,
             absent->n == 1 ? "it" : "these");
}

static void find_numbers(const spk_recording *recording, const spk_recording *widened,
                         const spk_labels *absent, uint32_t *number)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    for (uint32_t u = 0; u < n_units + absent->n; u++) {
        const char *label =
            u < n_units ? spk_recording_label(recording, u) : spk_labels_text(absent, u - n_units);
        bool found = spk_recording_find_unit(widened, label, &number[u]);
        assert(found);
        (void)found;
    }
}

spk_status spk_recording_widen(spk_context *context, const spk_recording *recording,
                               const spk_labels *absent, const char *path, const char *results,
                               uint32_t **number, spk_recording **widened)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    const char **labels = NULL;
    *number = NULL;
    *widened = NULL;
    if (absent->n == 0)
        return SPK_OK;
    spk_status status =
        spk_alloc_columns(context, "units without events", SPK_COLUMN(&labels, absent->n),
                          SPK_COLUMN(number, (uint64_t)n_units + absent->n));
    if (status != SPK_OK)
        return status;
    for (uint32_t k = 0; k < absent->n; k++)
        labels[k] = spk_labels_text(absent, k);
    status = spk_recording_add_units(context, recording, absent->n, labels, widened);
    free(labels);
    if (status == SPK_OK) {
        find_numbers(recording, *widened, absent, *number);
        note_absent(context, absent, path, results);
    } else {
        free(*number);
        *number = NULL;
    }
    return status;
}
