/* The front of all readers: which one an input is for. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "recording/read_text.h"
#include "recording/readers/reader.h"
#include "recording/recording.h"
#include "recording/writers/writer.h"
#include "spikemine/describe.h"
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

/* An option that was given and would have no effect; NULL: there is none. */
static const char *first_unheeded(const spk_reader *reader, const spk_read_options *o)
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
        {"select", o->row_filter != NULL},
        {"group", o->group != NULL},
        {"unit_file", o->unit_file != NULL},
    };
    for (size_t k = 0; k < sizeof checked / sizeof checked[0]; k++)
        if (checked[k].given && !heeds(reader, checked[k].name))
            return checked[k].name;
    return NULL;
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

/* Whether the name of the input has one of the reader's endings. */
static bool has_ending(const spk_probe *probe, const spk_reader *reader)
{
    size_t length = strlen(probe->path);
    for (const char *at = reader->endings; *at != '\0';) {
        size_t n = strcspn(at, " ");
        if (length > n && strncasecmp(probe->path + length - n, at, n) == 0)
            return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

/* Readers that may be right, the better ones alone: those that are sure, before those with the
 * options that were given, before those with the name's ending. */
typedef struct choice {
    size_t n;
    const spk_reader *readers[N_READERS];
} choice;

typedef bool fits(const spk_probe *probe, const spk_read_options *options,
                  const spk_reader *reader);

static bool is_sure(const spk_probe *probe, const spk_read_options *options,
                    const spk_reader *reader)
{
    (void)options;
    return reader->recognise(probe) == SPK_MATCH_SURE;
}

static bool heeds_all(const spk_probe *probe, const spk_read_options *options,
                      const spk_reader *reader)
{
    (void)probe;
    return first_unheeded(reader, options) == NULL;
}

static bool is_named(const spk_probe *probe, const spk_read_options *options,
                     const spk_reader *reader)
{
    (void)options;
    return has_ending(probe, reader);
}

/* Keeps those that fit, unless none does. */
static void prefer(choice *c, fits *fit, const spk_probe *probe, const spk_read_options *options)
{
    choice better = {.n = 0};
    for (size_t k = 0; k < c->n; k++)
        if (fit(probe, options, c->readers[k]))
            better.readers[better.n++] = c->readers[k];
    if (better.n > 0)
        *c = better;
}

static spk_status fail_ambiguous(spk_context *context, const spk_probe *probe, const choice *c)
{
    char text[512] = "";
    size_t used = 0;
    for (size_t k = 0; k < c->n && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s--input-format %s (%s)",
                                 k > 0 ? ", or " : "", c->readers[k]->name, c->readers[k]->summary);
    return spk_fail(context, SPK_ERR_FORMAT, "%s: more than one format is possible; pass %s",
                    probe->path, text);
}

/* By the content, the options and the name; *out is NULL where nothing fits. */
static spk_status by_content(spk_context *context, const spk_probe *probe,
                             const spk_read_options *options, const spk_reader **out)
{
    choice c = {.n = 0};
    for (size_t k = 0; k < N_READERS; k++)
        if (READERS[k]->recognise(probe) != SPK_MATCH_NO)
            c.readers[c.n++] = READERS[k];
    prefer(&c, heeds_all, probe, options);
    prefer(&c, is_sure, probe, options);
    prefer(&c, is_named, probe, options);
    if (c.n > 1 && !is_sure(probe, options, c.readers[0]))
        return fail_ambiguous(context, probe, &c);
    *out = c.n > 0 ? c.readers[0] : NULL;
    return SPK_OK;
}

/* What no reader knows. Broken text goes to the reader of text, which names the line. */
static spk_status by_elimination(spk_context *context, const spk_probe *probe,
                                 const spk_reader **out)
{
    char endings[512] = "";
    size_t used = 0;
    for (size_t k = 0; k < N_READERS && used < sizeof endings; k++)
        used += (size_t)snprintf(endings + used, sizeof endings - used, "%s ", READERS[k]->endings);
    spk_status status = spk_foreign_refuse(context, probe, endings);
    if (status == SPK_OK)
        *out = &spk_reader_text;
    return status;
}

static spk_status choose(spk_context *context, const spk_probe *probe,
                         const spk_read_options *options, const spk_reader **out)
{
    const char *reason = "";
    spk_status status = SPK_OK;
    *out = NULL;
    if (options->format != NULL)
        status = by_name(context, options->format, out);
    else
        status = spk_foreign_refuse_early(context, probe);
    if (status == SPK_OK && *out == NULL)
        status = by_content(context, probe, options, out);
    if (status == SPK_OK && *out == NULL)
        status = by_elimination(context, probe, out);
    if (status == SPK_OK && !is_available(*out, &reason))
        status =
            spk_fail(context, SPK_ERR_UNAVAILABLE, "%s: %s: %s", probe->path, (*out)->name, reason);
    return status;
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

/* How many events are left out, and why. */
static void tell_lost(spk_context *context, const char *path, const spk_read_options *o,
                      const spk_recording *recording)
{
    const spk_recording_facts *facts = &recording->facts;
    const bool by_time = o->start != NULL || o->stop != NULL;
    const bool by_unit = o->units != NULL || o->row_filter != NULL || o->group != NULL;
    if (facts->outside > 0 && !recording->part.divided)
        spk_note(context, "%s: %" PRIu64 " event%s left out: %s", path, facts->outside,
                 facts->outside == 1 ? " is" : "s are",
                 by_time && by_unit ? "outside start and stop, or of other units"
                 : by_time          ? "outside start and stop"
                 : by_unit          ? "of other units"
                           : "outside the time that the file says was observed, or of units "
                             "that it does not call good");
    if (facts->duplicates > 0)
        spk_note(context,
                 "%s: %" PRIu64 " event%s at the time of another one of the same unit: the two "
                 "count once",
                 path, facts->duplicates, facts->duplicates == 1 ? " is" : "s are");
}

/* ---- units that fire too rarely -------------------------------------------------------------- */

/* unit[]: numbers of those that stay; returns how many. */
static uint32_t find_active(const spk_recording *recording, double least_hz, uint32_t *unit)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    uint32_t n = 0;
    for (uint32_t u = 0; u < n_units; u++) {
        spk_unit_description d;
        spk_recording_describe_unit(recording, u, &d);
        if (d.rate_hz >= least_hz)
            unit[n++] = u;
    }
    return n;
}

static spk_status keep_active(spk_context *context, const char *path, double least_hz,
                              spk_recording **recording)
{
    const uint32_t n_units = spk_recording_events(*recording).n_units;
    uint32_t *unit = NULL;
    spk_recording *left = NULL;
    spk_status status = spk_alloc(context, &unit, n_units, "units that are kept");
    if (status != SPK_OK)
        return status;
    const uint32_t n = find_active(*recording, least_hz, unit);
    if (n == 0)
        status = spk_fail(context, SPK_ERR_ARGUMENT,
                          "%s: no unit fires %g times a second or more; take a lower rate", path,
                          least_hz);
    else if (n < n_units)
        status = spk_recording_slice(context, *recording, NULL, NULL, n, unit, &left);
    if (left != NULL) {
        spk_recording_free(*recording);
        *recording = left;
        spk_note(context, "%s: %u of %u units are left out, which fire less than %g times a second",
                 path, n_units - n, n_units, least_hz);
    }
    spk_free(context, unit);
    return status;
}

static spk_status check_rate(spk_context *context, double least_hz)
{
    if (least_hz >= 0 && isfinite(least_hz))
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "a smallest rate of %g Hz: must be a number from 0 on", least_hz);
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
        status = check_rate(context, options.min_rate_hz);
    if (status == SPK_OK)
        status = look(context, path, &probe, &input);
    if (status == SPK_OK)
        status = choose(context, &probe, &options, &reader);
    const char *unheeded = status == SPK_OK ? first_unheeded(reader, &options) : NULL;
    if (unheeded != NULL)
        status = fail_option(context, &probe, reader, unheeded);
    if (status == SPK_OK)
        status = reader->read(context, &probe, input, &options, out);
    if (status == SPK_OK)
        snprintf((*out)->facts.format, sizeof(*out)->facts.format, "%s", reader->name);
    if (status == SPK_OK)
        tell_lost(context, path, &options, *out);
    if (status == SPK_OK && options.min_rate_hz > 0)
        status = keep_active(context, path, options.min_rate_hz, out);
    spk_input_close(input);
    if (status != SPK_OK) {
        spk_recording_free(*out);
        *out = NULL;
    }
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
        status = choose(context, &probe, &options, &reader);
    if (status == SPK_OK && reader->intervals == NULL)
        status = fail_tables(context, path, reader);
    if (status == SPK_OK)
        status = reader->intervals(context, &probe, table, ranges, n_ranges);
    spk_input_close(input);
    return status;
}

/* ---- the formats that are only read ---------------------------------------------------------- */

/* The format that is read under this ending and cannot be written; NULL where there is none. */
static const char *only_read(const char *path)
{
    const char *found = NULL;
    for (size_t k = 0; k < N_READERS; k++) {
        if (!spk_path_has_ending(path, READERS[k]->endings))
            continue;
        if (spk_writer_find(READERS[k]->name) != NULL)
            return NULL;
        found = READERS[k]->name;
    }
    return found;
}

/* Here and not beside the writers: endings of formats that are only read stand in the readers'
 * tables. */
spk_status spk_recording_check_write(spk_context *context, const char *path, const char *format)
{
    const char *foreign = format == NULL ? only_read(path) : NULL;
    if (foreign != NULL)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: format %s is read, not written; choose another ending, or name one of "
                        "the formats %s",
                        path, foreign, spk_writer_names());
    return spk_writer_choose(context, path, format, &(const spk_writer *){NULL});
}
