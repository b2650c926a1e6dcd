/* Reads files of results line by line. */
#include "recording/list_file.h"

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
