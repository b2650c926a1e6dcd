/* Reads files of episodes: the text form line by line, or a table with a column `episode`. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/list.h"
#include "recording/input.h"

enum { MAX_LINE = 1 << 20, BLOCK_BYTES = 1 << 16 };

typedef struct list_reader {
    spk_context *context;
    const spk_recording *recording;
    spk_labels *absent; /* labels that the recording lacks; NULL: they are errors */
    const char *name;   /* for messages */
    spk_input *input;
    char *bytes; /* read ahead */
    size_t at;
    size_t n_bytes;
    uint64_t line_number;
    int column; /* of the episode; -1: the whole line */
    bool header_seen;
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

/* Where the column of the episode ends; tabs in quotes, which old tables have, are part of it. */
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

/* Recognises a header by a column named `episode`. */
static bool take_header(list_reader *r, const char *line)
{
    int column = 0;
    for (const char *at = line;; at++, column++) {
        size_t n = strcspn(at, "\t");
        if (n == strlen("episode") && memcmp(at, "episode", n) == 0) {
            r->column = column;
            return true;
        }
        at += n;
        if (*at == '\0')
            return false;
    }
}

static spk_status take_line(list_reader *r, char *line, spk_episode_list *list)
{
    bool first = !r->header_seen;
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return SPK_OK;
    r->header_seen = true;
    if (first && take_header(r, line))
        return SPK_OK;
    char *text = r->column >= 0 ? column_of(line, r->column) : line;
    if (text == NULL)
        return spk_fail(r->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": there is no column 'episode'",
                        r->name, r->line_number);
    spk_status status = spk_episode_parse_absent(r->context, r->recording, r->absent, text, list);
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

static spk_status read_all(list_reader *r, spk_episode_list *list)
{
    char *line = NULL;
    spk_status status = spk_alloc(r->context, &line, MAX_LINE, "a line");
    while (status == SPK_OK && read_line(r, line, &status))
        status = take_line(r, r->line_number == 1 ? behind_mark(line) : line, list);
    if (status == SPK_OK && list->n == 0)
        status = spk_fail(r->context, SPK_ERR_FORMAT,
                          "%s: has no episodes; write one a line, for "
                          "example 56 (5ms,10ms] 49",
                          r->name);
    free(line);
    return status;
}

static spk_status read_list(spk_context *context, const spk_recording *recording, const char *path,
                            spk_labels *absent, spk_episode_list **out)
{
    *out = NULL;
    list_reader reader = {
        .context = context, .recording = recording, .absent = absent, .column = -1};
    spk_episode_list *list = NULL;
    spk_status status = spk_input_open(context, path, &reader.input);
    if (status == SPK_OK) {
        reader.name = spk_input_name(reader.input);
        status = spk_alloc(context, &reader.bytes, BLOCK_BYTES, "reading");
    }
    if (status == SPK_OK)
        status = spk_episode_list_create(context, &list);
    if (status == SPK_OK)
        status = read_all(&reader, list);
    free(reader.bytes);
    spk_input_close(reader.input);
    if (status == SPK_OK)
        *out = list;
    else
        spk_episode_list_free(list);
    return status;
}

spk_status spk_episode_list_read(spk_context *context, const spk_recording *recording,
                                 const char *path, spk_episode_list **out)
{
    return read_list(context, recording, path, NULL, out);
}

/* ---- units that the recording lacks ---------------------------------------------------------- */

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

/* Gives the list's units their numbers in the wider recording. */
static void renumber(const spk_recording *recording, const spk_recording *widened,
                     const spk_labels *absent, uint32_t *number, spk_episode_list *list)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    for (uint32_t u = 0; u < n_units + absent->n; u++) {
        const char *label =
            u < n_units ? spk_recording_label(recording, u) : spk_labels_text(absent, u - n_units);
        bool found = spk_recording_find_unit(widened, label, &number[u]);
        assert(found);
        (void)found;
    }
    for (uint64_t k = 0; k < list->n_positions; k++)
        list->unit[k] = number[list->unit[k]];
}

static spk_status widen(spk_context *context, const spk_recording *recording,
                        const spk_labels *absent, spk_episode_list *list, spk_recording **widened)
{
    uint32_t n_units = spk_recording_events(recording).n_units;
    const char **labels = NULL;
    uint32_t *number = NULL;
    spk_status status =
        spk_alloc_columns(context, "units without events", SPK_COLUMN(&labels, absent->n),
                          SPK_COLUMN(&number, (uint64_t)n_units + absent->n));
    if (status != SPK_OK)
        return status;
    for (uint32_t k = 0; k < absent->n; k++)
        labels[k] = spk_labels_text(absent, k);
    status = spk_recording_add_units(context, recording, absent->n, labels, widened);
    if (status == SPK_OK)
        renumber(recording, *widened, absent, number, list);
    free(labels);
    free(number);
    return status;
}

spk_status spk_episode_list_read_widened(spk_context *context, const spk_recording *recording,
                                         const char *path, spk_recording **widened,
                                         spk_episode_list **out)
{
    spk_labels absent = {.n = 0};
    *widened = NULL;
    spk_status status = read_list(context, recording, path, &absent, out);
    if (status == SPK_OK && absent.n > 0)
        status = widen(context, recording, &absent, *out, widened);
    if (status == SPK_OK && absent.n > 0) {
        char names[320];
        name_some(&absent, names, sizeof names);
        spk_note(context, "%s: the recording has no unit %s; episodes with %s count 0",
                 strcmp(path, "-") == 0 ? "standard input" : path, names,
                 absent.n == 1 ? "it" : "these");
    }
    if (status != SPK_OK) {
        spk_episode_list_free(*out);
        *out = NULL;
    }
    spk_labels_clear(&absent);
    return status;
}
