/* The front of all readers: which one an input is for. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/options.h"
#include "recording/read_text.h"
#include "recording/readers/list.h"
#include "recording/readers/reader.h"
#include "recording/recording.h"
#include "recording/writers/writer.h"
#include "spikemine/formats.h"

#define DECLARE(symbol) extern const spk_reader spk_reader_##symbol;
SPK_READERS(DECLARE)

#define TABLE(symbol) &spk_reader_##symbol,
static const spk_reader *const READERS[] = {SPK_READERS(TABLE)};

enum { N_READERS = sizeof READERS / sizeof READERS[0] };

/* ---- the list -------------------------------------------------------------------------------- */

size_t spk_format_count(void)
{
    return N_READERS;
}

const char *spk_format_name(size_t k)
{
    return k < N_READERS ? READERS[k]->name : NULL;
}

static bool is_available(const spk_reader *reader, const char **reason)
{
    *reason = "";
    return reader->available == NULL || reader->available(reason);
}

static const char *options_of(const spk_reader *reader)
{
    return reader->options != NULL ? reader->options : "";
}

spk_status spk_format_describe(spk_context *context, size_t k, spk_format_info *out)
{
    const char *reason = "";
    if (k >= N_READERS)
        return spk_fail(context, SPK_ERR_ARGUMENT, "there is no format %zu of %d", k,
                        (int)N_READERS);
    *out = (spk_format_info){.name = READERS[k]->name,
                             .summary = READERS[k]->summary,
                             .endings = READERS[k]->endings,
                             .options = options_of(READERS[k]),
                             .reads = true,
                             .writes = spk_writer_find(READERS[k]->name) != NULL};
    out->available = is_available(READERS[k], &reason);
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    return SPK_OK;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static spk_status by_name(spk_context *context, const char *name, const spk_reader **out)
{
    for (size_t k = 0; k < N_READERS && *out == NULL; k++)
        if (strcmp(READERS[k]->name, name) == 0)
            *out = READERS[k];
    return *out != NULL ? SPK_OK
                        : spk_fail(context, SPK_ERR_ARGUMENT, "there is no format '%s'", name);
}

/* The first that is sure, or else the first for which it is possible. */
static const spk_reader *by_content(const spk_probe *probe)
{
    const spk_reader *possible = NULL;
    for (size_t k = 0; k < N_READERS; k++) {
        spk_match match = READERS[k]->recognise(probe);
        if (match == SPK_MATCH_SURE)
            return READERS[k];
        if (match == SPK_MATCH_POSSIBLE && possible == NULL)
            possible = READERS[k];
    }
    return possible;
}

static spk_status choose(spk_context *context, const spk_probe *probe, const char *format,
                         const spk_reader **out)
{
    const char *reason = "";
    spk_status status = SPK_OK;
    *out = NULL;
    if (format != NULL)
        status = by_name(context, format, out);
    else
        *out = by_content(probe);
    if (status == SPK_OK && *out == NULL && probe->is_folder)
        status =
            spk_fail(context, SPK_ERR_IO, "%s: is a directory; give a file in it", probe->path);
    if (status == SPK_OK && *out == NULL)
        status = spk_fail(context, SPK_ERR_FORMAT,
                          "%s: looks binary, and is of no format that is known here; "
                          "`spikemine formats` lists them",
                          probe->path);
    if (status == SPK_OK && !is_available(*out, &reason))
        status =
            spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s: %s", probe->path, (*out)->name, reason);
    return status;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool heeds(const spk_reader *reader, const char *option)
{
    const char *at = options_of(reader);
    size_t length = strlen(option);
    while (*at != '\0') {
        size_t n = strcspn(at, " ");
        if (n == length && memcmp(at, option, n) == 0)
            return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

/* "unit_file" as users write it. */
static void spell(const char *option, char *text, size_t size)
{
    snprintf(text, size, "--%s", option);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '_')
            *at = '-';
}

static spk_status fail_option(spk_context *context, const spk_probe *probe,
                              const spk_reader *reader, const char *option)
{
    char spelled[40];
    char others[256] = "";
    size_t used = 0;
    spell(option, spelled, sizeof spelled);
    for (size_t k = 0; k < N_READERS; k++)
        if (heeds(READERS[k], option) && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used > 0 ? ", " : "", READERS[k]->name);
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: %s is of no use for the format %s; leave it out%s%s", probe->path, spelled,
                    reader->name, used > 0 ? ", or see --input-format: it is for " : "", others);
}

/* Refuses what was given and would have no effect. */
static spk_status check_options(spk_context *context, const spk_probe *probe,
                                const spk_reader *reader, const spk_read_options *o)
{
    const struct {
        const char *name;
        bool given;
    } checked[] = {
        {"columns", o->columns != SPK_COLUMNS_GUESS},
        {"time_unit", o->time_unit != SPK_TIME_GUESS},
        {"time_column", o->time_column != NULL},
        {"unit_column", o->unit_column != NULL},
        {"label_column", o->label_column != NULL},
        {"select", o->select != NULL},
        {"group", o->group != NULL},
        {"unit_file", o->unit_file != NULL},
    };
    for (size_t k = 0; k < sizeof checked / sizeof checked[0]; k++)
        if (checked[k].given && !heeds(reader, checked[k].name))
            return fail_option(context, probe, reader, checked[k].name);
    return SPK_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static spk_status look(spk_context *context, const char *path, spk_probe *probe, spk_input **input)
{
    struct stat info;
    bool is_there = strcmp(path, "-") != 0 && stat(path, &info) == 0;
    *probe = (spk_probe){.path = path};
    probe->is_folder = is_there && S_ISDIR(info.st_mode);
    probe->is_stream = !is_there || !(S_ISREG(info.st_mode) || probe->is_folder);
    if (probe->is_folder)
        return SPK_OK;
    spk_status status = spk_input_open(context, path, input);
    if (status == SPK_OK)
        status = spk_input_peek(context, *input, SPK_PROBE_BYTES, &probe->head, &probe->n_head);
    return status;
}

spk_status spk_recording_read(spk_context *context, const char *path, const spk_read_options *given,
                              spk_recording **out)
{
    *out = NULL;
    spk_input *input = NULL;
    spk_probe probe;
    const spk_reader *reader = NULL;
    spk_read_options options;
    spk_status status = spk_read_options_take(context, given, &options);
    if (status == SPK_OK)
        status = look(context, path, &probe, &input);
    if (status == SPK_OK)
        status = choose(context, &probe, options.format, &reader);
    if (status == SPK_OK)
        status = check_options(context, &probe, reader, &options);
    if (status == SPK_OK)
        status = reader->read(context, &probe, input, &options, out);
    if (status == SPK_OK)
        snprintf((*out)->facts.format, sizeof(*out)->facts.format, "%s", reader->name);
    spk_input_close(input);
    return status;
}

/* ---- tables of intervals --------------------------------------------------------------------- */

static spk_status fail_tables(spk_context *context, const char *path, const spk_reader *reader)
{
    char others[256] = "";
    size_t used = 0;
    for (size_t k = 0; k < N_READERS; k++)
        if (READERS[k]->intervals != NULL && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used > 0 ? ", " : "", READERS[k]->name);
    return spk_fail(context, SPK_ERR_UNSUPPORTED,
                    "%s: the format %s has no tables of trials%s%s%s; give a file with a start and "
                    "a stop on each line",
                    path, reader->name, used > 0 ? " (" : "", others, used > 0 ? " has)" : "");
}

spk_status spk_intervals_read_table(spk_context *context, const char *path,
                                    const spk_read_options *given, const char *table,
                                    spk_time_range **ranges, size_t *n_ranges)
{
    spk_input *input = NULL;
    spk_probe probe;
    const spk_reader *reader = NULL;
    spk_read_options options;
    *ranges = NULL;
    *n_ranges = 0;
    if (strcmp(path, "-") == 0)
        return spk_fail(context, SPK_ERR_UNSUPPORTED,
                        "standard input is read once: its tables of trials are not; give the file "
                        "by name");
    spk_status status = spk_read_options_take(context, given, &options);
    if (status == SPK_OK)
        status = look(context, path, &probe, &input);
    if (status == SPK_OK)
        status = choose(context, &probe, options.format, &reader);
    if (status == SPK_OK && reader->intervals == NULL)
        status = fail_tables(context, path, reader);
    if (status == SPK_OK)
        status = reader->intervals(context, &probe, table, ranges, n_ranges);
    spk_input_close(input);
    return status;
}
