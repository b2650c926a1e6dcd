/* The recording of a subcommand: read as the options say, then cut by --segments and --trials. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

/* ---- --segments and --trials ----------------------------------------------------------------- */

/* One of the two options. */
typedef struct cut {
    const char *option; /* "--trials" */
    const char *name;   /* "trials" */
    const char *where;  /* a file, or a table in that of the recording; NULL: not given */
    bool are_trials;    /* they may overlap; others leave trials what they are */
} cut;

static int compare_ranges(const void *a, const void *b)
{
    const spk_time_range *x = a, *y = b;
    return spk_duration_compare(x->start, y->start);
}

/* Refuses ranges, in order of start, that overlap. */
static int check_ordered(cli_session *session, const cut *c, size_t n, const spk_time_range *ranges)
{
    char text[4][48];
    for (size_t k = 1; k < n; k++) {
        if (spk_duration_compare(ranges[k - 1].stop, ranges[k].start) <= 0)
            continue;
        for (size_t i = 0; i < 2; i++) {
            spk_duration_format(ranges[k - 1 + i].start, text[2 * i], sizeof text[0]);
            spk_duration_format(ranges[k - 1 + i].stop, text[2 * i + 1], sizeof text[0]);
        }
        return cli_fail(session,
                        "%s %s: the segments from %s to %s and from %s to %s overlap; part them, "
                        "or pass --trials, which may overlap",
                        c->option, c->where, text[0], text[1], text[2], text[3]);
    }
    return CLI_DONE;
}

static int check_overlap(cli_session *session, const cut *c, size_t n, const spk_time_range *ranges)
{
    if (c->are_trials || n < 2)
        return CLI_DONE;
    spk_time_range *ordered = malloc(n * sizeof *ordered);
    if (ordered == NULL)
        return cli_fail(session, "out of memory");
    memcpy(ordered, ranges, n * sizeof *ordered);
    qsort(ordered, n, sizeof *ordered, compare_ranges);
    int code = check_ordered(session, c, n, ordered);
    free(ordered);
    return code;
}

/* From a file of that name, else from a table in the recording's file. */
static int read_ranges(cli_session *session, const cut *c, const char *format, const char *path,
                       const spk_recording *recording, spk_time_range **ranges, size_t *n,
                       spk_status *status)
{
    spk_read_options options;
    char problem[1024];
    if (strchr(c->where, '/') != NULL || access(c->where, F_OK) == 0) {
        *status = spk_intervals_read(session->context, recording, c->where, ranges, n);
        return CLI_DONE;
    }
    spk_read_options_init(&options, sizeof options);
    options.format = format;
    if (spk_intervals_read_table(session->context, path, &options, c->where, ranges, n) == SPK_OK)
        return CLI_DONE;
    snprintf(problem, sizeof problem, "%s", spk_context_message(session->context));
    return cli_fail(session, "%s %s: there is no such file, and no such table: %s", c->option,
                    c->where, problem);
}

/* In place of *recording. */
static spk_status cut_recording(cli_session *session, const cut *c, size_t n,
                                const spk_time_range *ranges, spk_recording **recording)
{
    spk_recording *whole = *recording;
    uint64_t before = spk_recording_events(whole).n_events;
    spk_status status = (c->are_trials ? spk_recording_cut_take : spk_recording_restrict_take)(
        session->context, whole, n, ranges, recording);
    if (status == SPK_OK && before > 0 && spk_recording_events(*recording).n_events == 0)
        cli_note(session,
                 "%s %s: none of %" PRIu64 " events lies in the %s; is the unit of their times "
                 "right?",
                 c->option, c->where, before, c->name);
    return status;
}

static int apply(cli_session *session, const cut *c, const char *format, const char *path,
                 spk_recording **recording, spk_status *status)
{
    spk_time_range *ranges = NULL;
    size_t n = 0;
    if (c->where == NULL)
        return CLI_DONE;
    int code = read_ranges(session, c, format, path, *recording, &ranges, &n, status);
    if (code == CLI_DONE && *status == SPK_OK)
        code = check_overlap(session, c, n, ranges);
    if (code == CLI_DONE && *status == SPK_OK)
        *status = cut_recording(session, c, n, ranges, recording);
    free(ranges);
    return code;
}

static int cut_segments(cli_session *session, const char *path, spk_recording **recording,
                        spk_status *status)
{
    const cli_shared *v = session->shared;
    const cut cuts[] = {{"--segments", "segments", v->segments, false},
                        {"--trials", "trials", v->trials, true}};
    int code = CLI_DONE;
    *status = SPK_OK;
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++)
        if (code == CLI_DONE && *status == SPK_OK)
            code = apply(session, &cuts[k], v->read.format, path, recording, status);
    if (code != CLI_DONE || *status != SPK_OK) {
        spk_recording_free(*recording);
        *recording = NULL;
    }
    return code;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool parse_time_unit(const char *text, spk_read_options *options)
{
    static const struct {
        const char *name;
        spk_time_unit unit;
    } units[] = {{"guess", SPK_TIME_GUESS},
                 {"s", SPK_TIME_SECONDS},
                 {"ms", SPK_TIME_MILLISECONDS},
                 {"us", SPK_TIME_MICROSECONDS}};
    static const char samples[] = "samples@";
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        if (strcmp(text, units[k].name) == 0) {
            options->time_unit = units[k].unit;
            return true;
        }
    }
    if (strncmp(text, samples, strlen(samples)) != 0)
        return false;
    text += strlen(samples);
    options->time_unit = SPK_TIME_SAMPLES;
    return spk_rate_parse(NULL, text, strlen(text), &options->sample_rate) == SPK_OK &&
           options->sample_rate.numerator / options->sample_rate.denominator <= 1000000000000u;
}

bool cli_reads_transactions(const cli_session *session)
{
    const char *format = session->shared->read.format;
    return format != NULL && strcmp(format, "transactions") == 0;
}

static void tell_recording(cli_session *session, const spk_recording *recording, const char *path,
                           double seconds)
{
    char start[48];
    char stop[48];
    uint64_t n_events = spk_recording_whole_events(recording);
    uint32_t n_units = spk_recording_events(recording).n_units;
    spk_recording_format_time(recording, spk_recording_start(recording), start, sizeof start);
    spk_recording_format_time(recording, spk_recording_stop(recording), stop, sizeof stop);
    size_t n = 0;
    char segments[48] = "";
    (void)spk_recording_segments(recording, &n);
    if (n > 1)
        snprintf(segments, sizeof segments, " in %zu segments", n);
    cli_detail(session,
               "%s: %" PRIu32 " units, %" PRIu64 " events from %s s to %s s%s, read in %.2f s",
               strcmp(path, "-") == 0 ? "standard input" : path, n_units, n_events, start, stop,
               segments, seconds);
}

int cli_read_options(cli_session *session, spk_read_options *out)
{
    const cli_shared *v = session->shared;
    *out = v->read;
    out->start = v->start.given ? &v->start.value : NULL;
    out->stop = v->stop.given ? &v->stop.value : NULL;
    out->part = v->segments == NULL && v->trials == NULL ? session->part : NULL;
    if (!parse_time_unit(v->time_unit, out))
        return cli_usage_error(
            session->command,
            "--time-unit %s: must be guess, s, ms, us or samples@RATE, where the "
            "rate is the number of samples a second, such as 30000, "
            "24414.0625 or 390625/16",
            v->time_unit);
    return CLI_DONE;
}

int cli_recording_try(cli_session *session, const char *path, spk_recording **out,
                      spk_status *status)
{
    spk_read_options options;
    spk_context_set_max_expansion(session->context, session->shared->max_expansion);
    int code = cli_read_options(session, &options);
    double start = cli_seconds();
    if (code != CLI_DONE)
        return code;
    *status = spk_recording_read(session->context, path, &options, out);
    if (*status == SPK_OK)
        code = cut_segments(session, path, out, status);
    if (code == CLI_DONE && *status == SPK_OK)
        *status = spk_ranks_join_parts(session->context, *out);
    if (code == CLI_DONE && *status == SPK_OK)
        tell_recording(session, *out, path, cli_seconds() - start);
    return code;
}

int cli_recording_read(cli_session *session, const char *path, spk_recording **out)
{
    spk_status status = SPK_OK;
    int code = cli_recording_try(session, path, out, &status);
    return code == CLI_DONE ? cli_report(session, status) : code;
}
