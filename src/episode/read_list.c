/* Reads files of episodes: the text form line by line, or a table with a column `episode`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "episode/list.h"

enum { MAX_LINE = 1 << 20 };

typedef struct list_reader {
    spk_context *context;
    const spk_recording *recording;
    const char *name; /* for messages */
    FILE *stream;
    uint64_t line_number;
    int column; /* of the episode; -1: the whole line */
    bool header_seen;
} list_reader;

/* One line into `line`, without its end; false at the end of the file. */
static bool read_line(list_reader *r, char *line, spk_status *status)
{
    if (fgets(line, MAX_LINE, r->stream) == NULL) {
        if (ferror(r->stream))
            *status = spk_fail(r->context, SPK_ERR_IO, "%s: %s", r->name, strerror(errno));
        return false;
    }
    r->line_number++;
    size_t n = strlen(line);
    if (n + 1 == MAX_LINE) {
        *status = spk_fail(r->context, SPK_ERR_FORMAT, "%s:%" PRIu64 ": the line is too long",
                           r->name, r->line_number);
        return false;
    }
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        line[--n] = '\0';
    return true;
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
    line[strcspn(line, "\t")] = '\0';
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
    spk_status status = spk_episode_parse(r->context, r->recording, text, list);
    if (status == SPK_OK)
        return SPK_OK;
    return spk_fail(r->context, status, "%s:%" PRIu64 ": %s", r->name, r->line_number,
                    spk_context_message(r->context));
}

static spk_status read_all(list_reader *r, spk_episode_list *list)
{
    char *line = NULL;
    spk_status status = spk_alloc(r->context, &line, MAX_LINE, "a line");
    while (status == SPK_OK && read_line(r, line, &status))
        status = take_line(r, line, list);
    if (status == SPK_OK && list->n == 0)
        status = spk_fail(r->context, SPK_ERR_FORMAT,
                          "%s: has no episodes; write one a line, for "
                          "example 56 (5ms,10ms] 49",
                          r->name);
    free(line);
    return status;
}

spk_status spk_episode_list_read(spk_context *context, const spk_recording *recording,
                                 const char *path, spk_episode_list **out)
{
    *out = NULL;
    bool standard = strcmp(path, "-") == 0;
    list_reader reader = {.context = context,
                          .recording = recording,
                          .name = standard ? "standard input" : path,
                          .stream = standard ? stdin : fopen(path, "rb"),
                          .column = -1};
    if (reader.stream == NULL)
        return spk_fail(context, SPK_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    spk_episode_list *list = NULL;
    spk_status status = spk_episode_list_create(context, &list);
    if (status == SPK_OK)
        status = read_all(&reader, list);
    if (!standard)
        fclose(reader.stream);
    if (status == SPK_OK)
        *out = list;
    else
        spk_episode_list_free(list);
    return status;
}
