/* spikemine info REC ...: what is in recordings, and what looks wrong with them. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "builder.h"
#include "commands.h"
#include "info.h"
#include "say.h"

typedef struct values {
    int format;
    bool per_unit;
    bool units_table;
    bool suggest;
    uint64_t suggest_events;
    spk_duration suggest_time;
} values;

enum { FORMAT_TEXT, FORMAT_JSON };

/* One run of the command. */
typedef struct job {
    cli_session *session;
    const values *v;
    bool units; /* the table of units */
    bool several;
    json_t *reports;   /* of several recordings, as JSON */
    json_t *sentences; /* that begin a report as text */
    bool has_head;     /* of a table that was begun */
    int n_failed;      /* recordings */
} job;

/* ---- printing -------------------------------------------------------------------------------- */

/* A value as text; exact decimals up to 15 digits. */
static void print_value(const json_t *value)
{
    if (json_is_string(value))
        cli_put(stdout, json_string_value(value));
    else if (json_is_integer(value))
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        printf("%.15g", json_real_value(value));
    else
        putchar('-');
}

/* The value of a key in a table: warnings are counted. */
static void print_cell(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    if (json_is_array(value))
        printf("%zu", json_array_size(value));
    else
        print_value(value);
}

/* The keys of a row, or its values; NULL: nothing stands before them. */
static void print_fields(const char *first, json_t *row, bool keys)
{
    const char *separator = first != NULL ? "\t" : "";
    const char *key;
    json_t *value;
    cli_put(stdout, first != NULL ? first : "");
    json_object_foreach(row, key, value)
    {
        fputs(separator, stdout);
        if (keys)
            fputs(key, stdout);
        else
            print_value(value);
        separator = "\t";
    }
    putchar('\n');
}

/* A table in a report: each line begins with its key. */
static void print_table(const char *name, const json_t *rows)
{
    json_t *row;
    for (size_t k = 0; (row = json_array_get(rows, k)) != NULL; k++) {
        if (k == 0)
            print_fields(name, row, true);
        print_fields(name, row, false);
    }
}

/* "Three units ...", each with a full stop. */
static void print_sentences(const json_t *sentences)
{
    for (size_t k = 0; k < json_array_size(sentences); k++) {
        const char *text = json_string_value(json_array_get(sentences, k));
        printf("%c", toupper((unsigned char)text[0]));
        cli_put(stdout, text + 1);
        puts(".");
    }
    putchar('\n');
}

static void print_report(json_t *report)
{
    const char *key;
    json_t *value;
    json_object_foreach(report, key, value)
    {
        size_t k;
        json_t *text;
        if (!json_is_array(value)) {
            printf("%s\t", key);
            print_value(value);
            putchar('\n');
        } else if (json_is_object(json_array_get(value, 0))) {
            print_table(key, value);
            continue;
        }
        for (k = 0; (text = json_array_get(value, k)) != NULL; k++) {
            fputs("warning\t", stdout);
            print_value(text);
            putchar('\n');
        }
    }
}

/* The line of one of several recordings; where reading failed it has the error. */
static void print_line(job *j, const json_t *report)
{
    static const char *const keys[] = {"recording",  "format",        "units",
                                       "events",     "segments",      "start_s",
                                       "duration_s", "rate_total_hz", "rate_unit_median_hz",
                                       "tick_s",     "clock",         "warnings",
                                       "error"};
    enum { N_KEYS = sizeof keys / sizeof keys[0] };
    for (int k = 0; k < N_KEYS && !j->has_head; k++)
        printf("%s%c", keys[k], k + 1 < N_KEYS ? '\t' : '\n');
    j->has_head = true;
    for (int k = 0; k < N_KEYS; k++) {
        print_cell(report, keys[k]);
        putchar(k + 1 < N_KEYS ? '\t' : '\n');
    }
}

static void print_rows(job *j, const json_t *rows, const char *path)
{
    json_t *row;
    for (size_t k = 0; (row = json_array_get(rows, k)) != NULL; k++) {
        if (!j->has_head)
            print_fields(j->several ? "recording" : NULL, row, true);
        j->has_head = true;
        print_fields(j->several ? path : NULL, row, false);
    }
}

/* As a whole or not at all. Where memory is out jansson may leave a key empty without a word, so
 * the text is read once before it is printed. */
static bool print_json(const json_t *report)
{
    char *text = json_dumps(report, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_t *read = text != NULL ? json_loads(text, 0, NULL) : NULL;
    bool good = read != NULL;
    if (good)
        puts(text);
    json_decref(read);
    free(text);
    return good;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int fail_memory(const job *j)
{
    return cli_fail(j->session, "out of memory; close other programs");
}

/* Prints what is known of one recording, or keeps it for the end. Nothing is printed where memory
 * was out. Takes report and rows over. */
static int deliver(job *j, json_t *report, json_t *rows, const char *path)
{
    bool good = report != NULL && rows != NULL;
    cli_progress_clear(j->session);
    if (good && j->v->format == FORMAT_JSON && j->units && json_array_size(rows) > 0)
        good = json_object_set(report, "per_unit", rows) == 0;
    if (good && j->v->format == FORMAT_JSON && j->several)
        good = json_array_append(j->reports, report) == 0;
    else if (good && j->v->format == FORMAT_JSON)
        good = print_json(report);
    else if (good && j->units)
        print_rows(j, rows, path);
    else if (good && j->several)
        print_line(j, report);
    else if (good) {
        print_sentences(j->sentences);
        print_report(report);
    }
    json_decref(rows);
    json_decref(report);
    return good ? CLI_DONE : fail_memory(j);
}

/* One of several recordings that could not be read: its line says why, the others follow. */
static int deliver_failure(job *j, const char *path)
{
    cli_builder object = cli_begin_object(), *report = &object;
    j->n_failed++;
    cli_put_text(report, "recording", info_text(path));
    cli_put_text(report, "error", info_text(spk_context_message(j->session->context)));
    if (j->v->format == FORMAT_TEXT && j->units) {
        json_decref(report->json);
        return cli_fail(j->session, "%s", spk_context_message(j->session->context));
    }
    return deliver(j, cli_finish(report), json_array(), path);
}

static int describe(job *j, const spk_recording *recording, const char *path)
{
    spk_status status = SPK_OK;
    json_t *rows = NULL;
    json_t *report = info_report(j->session, recording, path, j->v->format == FORMAT_JSON,
                                 j->several ? NULL : j->sentences, &status);
    if (status == SPK_OK && j->v->suggest) {
        status =
            info_suggest(j->session, recording, j->v->suggest_events, j->v->suggest_time, report);
        if (status == SPK_ERR_CANCELLED) { /* what was tried is told */
            (void)deliver(j, report, json_array(), path);
            return cli_report(j->session, status);
        }
    }
    if (status == SPK_OK)
        rows = j->units ? info_units(j->session, recording, &status) : json_array();
    if (status == SPK_OK)
        return deliver(j, report, rows, path);
    json_decref(report);
    json_decref(rows);
    return cli_report(j->session, status);
}

static int run_one(job *j, const char *path)
{
    spk_recording *recording = NULL;
    spk_status status = SPK_OK;
    int code = cli_recording_try(j->session, path, &recording, &status);
    if (code == CLI_DONE && status != SPK_OK && (!j->several || status == SPK_ERR_CANCELLED))
        code = cli_report(j->session, status);
    else if (code == CLI_DONE && status != SPK_OK)
        return deliver_failure(j, path) == CLI_DONE || j->units ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE)
        code = describe(j, recording, path);
    spk_recording_free(recording);
    return code;
}

static int run(cli_session *session, const void *raw)
{
    const values *v = raw;
    const int n_arguments = session->n_arguments;
    job j = {.session = session,
             .v = v,
             .units = v->per_unit || v->units_table,
             .several = n_arguments > 1,
             .reports = json_array(),
             .sentences = json_array()};
    int code = j.reports != NULL && j.sentences != NULL ? CLI_DONE : fail_memory(&j);
    for (int k = 0; k < n_arguments && code == CLI_DONE; k++)
        code = run_one(&j, session->arguments[k]);
    if (code == CLI_DONE && j.several && v->format == FORMAT_JSON && !print_json(j.reports))
        code = fail_memory(&j);
    json_decref(j.reports);
    json_decref(j.sentences);
    if (code == CLI_DONE && j.n_failed > 0)
        code = cli_fail(session, "%d of %d recordings could not be read", j.n_failed, n_arguments);
    return code;
}

static const cli_option options[] = {
    CLI_OPTION("units-table", values, units_table),
    CLI_OPTION("suggest", values, suggest),
    CLI_OPTION("suggest-events", values, suggest_events),
    CLI_OPTION("suggest-time", values, suggest_time),
    CLI_OPTION("per-unit", values, per_unit),
    CLI_OPTION("format", values, format),
    CLI_SHARED("max-memory", max_memory),
    CLI_SHARED("threads", threads),
    CLI_RECORDING_OPTIONS,
    CLI_END,
};

const cli_command cli_cmd_info = {
    .name = "info",
    .arguments = "REC ...",
    .summary = "describe recordings and what looks wrong in them",
    .description =
        "Reads a recording and tells its units, events, extent, rates, tick, the grid on\n"
        "which the times lie, ties, repeated events, the shortest intervals, the longest\n"
        "gap and the digest of the file. Warnings tell what looks wrong.\n"
        "\n"
        "Several recordings make one table with a line each. A recording that cannot be\n"
        "read has the error in its line, and the exit status is 1 at the end.\n"
        "\n"
        "REC is a file or a folder in any format that spikemine formats lists. It may be\n"
        "compressed with gzip, bzip2, xz or zstd. The name - stands for standard input.",
    .examples = "  spikemine info rec.txt\n"
                "  spikemine info rec.csv.gz --time-unit ms --units-table\n"
                "  spikemine info rec.txt --suggest\n"
                "  spikemine info monday.txt tuesday.txt\n"
                "  spikemine info rec.txt --format json | jq .rate_total_hz",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = INT_MAX,
    .run = run,
};
