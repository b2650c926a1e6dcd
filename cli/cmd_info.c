/* spikemine info REC: what is in a recording, and what looks wrong with it. */
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "say.h"
#include "session.h"

typedef struct values {
    cli_recording_values recording;
    int format;
    bool per_unit;
    uint64_t max_memory;
} values;

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct summary {
    const spk_recording *recording;
    spk_events events;
    spk_recording_description d;
    bool exact; /* numbers are numbers: a fraction has a key of its own */
    json_t *warnings;
    bool failed; /* memory was out */
} summary;

enum { FEW = 10 };

/* ---- what looks wrong ------------------------------------------------------------------------ */

static void warn(summary *s, const char *format, ...) SPK_PRINTF(2, 3);

static void warn(summary *s, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->failed |= json_array_append_new(s->warnings, json_string(text)) != 0;
}

static void warn_of_rates(summary *s)
{
    if (s->d.rate_doubt == SPK_RATES_ONE_TIME)
        warn(s, "all events have the same time; is the time column right?");
    else if (s->d.rate_doubt != SPK_RATES_PLAUSIBLE)
        warn(s, "units fire %.3g times a second; is the time unit right (--time-unit)?",
             s->d.rate_unit_median_hz);
    if (s->events.n_units > 100 && s->events.n_events < 2 * (uint64_t)s->events.n_units)
        warn(s, "nearly as many units as events; are the columns swapped (--columns)?");
}

/* The step of the grid in seconds: "1/30". */
static const char *grid_text(const summary *s, char text[48])
{
    spk_rate rate = s->d.grid.points_per_second;
    snprintf(text, 48, "%" PRIu64 "/%" PRIu64, rate.denominator, rate.numerator);
    return text;
}

static void warn_of_grid(summary *s)
{
    char text[48];
    if (!s->d.grid.rounded)
        return;
    warn(s,
         "all times lie on a grid of %s s, rounded; put bounds of delays between its points, or "
         "number the points and pass --time-unit samples@%.9g",
         grid_text(s, text),
         (double)s->d.grid.points_per_second.numerator /
             (double)s->d.grid.points_per_second.denominator);
}

static void find_warnings(summary *s)
{
    const spk_recording_facts *facts = spk_recording_get_facts(s->recording);
    warn_of_rates(s);
    warn_of_grid(s);
    if (s->d.intervals_below_1ms > 0)
        warn(s,
             "%" PRIu64
             " intervals within a unit are shorter than 1 ms; several neurons in a unit?",
             s->d.intervals_below_1ms);
    if (facts->duplicates > 0)
        warn(s, "%" PRIu64 " events repeat unit and time of another and count once",
             facts->duplicates);
    if (s->d.units_without_events > 0)
        warn(s, "%" PRIu32 " units have no event", s->d.units_without_events);
    if (s->d.units_with_few_events > 0)
        warn(s, "%" PRIu32 " units have fewer than %d events", s->d.units_with_few_events, FEW);
    if (s->events.n_events >= 100 && s->d.longest_gap_s > 0.1 * s->d.duration_s)
        warn(s, "nothing happens for %.6g s from %.6g s on; was the recording interrupted?",
             s->d.longest_gap_s, s->d.longest_gap_from_s);
    if (!facts->sorted)
        warn(s, "the times were not in order and have been sorted");
    if (facts->truncated_digits)
        warn(s, "digits finer than a tick were cut");
}

/* ---- the report ------------------------------------------------------------------------------ */

/* A JSON object in the making. Where memory is out anything may be missing: such an object is never
 * printed. */
typedef struct builder {
    json_t *json;
    bool failed;
} builder;

static builder begin_object(void)
{
    json_t *json = json_object();
    return (builder){json, json == NULL};
}

/* Takes the value over. */
static void put(builder *report, const char *key, json_t *value)
{
    report->failed |= json_object_set_new(report->json, key, value) != 0;
}

/* The object; NULL where memory was out. */
static json_t *finish_object(builder *report)
{
    if (!report->failed)
        return report->json;
    json_decref(report->json);
    return NULL;
}

static void put_integer(builder *report, const char *key, uint64_t value)
{
    put(report, key, json_integer((json_int_t)value));
}

static void put_real(builder *report, const char *key, double value)
{
    put(report, key, json_real(value));
}

/* In text a fraction is the step itself, grid_s 1/30; in JSON grid_s stays a number. */
static void put_grid(builder *report, const summary *s)
{
    char text[48];
    spk_rate rate = s->d.grid.points_per_second;
    if (!s->d.grid.rounded && s->d.grid.ticks > 1)
        put_real(report, "grid_s", (double)s->d.grid.ticks * s->d.tick_s);
    if (!s->d.grid.rounded)
        return;
    if (s->exact)
        put_real(report, "grid_s", (double)rate.denominator / (double)rate.numerator);
    put(report, s->exact ? "grid_fraction" : "grid_s", json_string(grid_text(s, text)));
}

static void put_intervals(builder *report, const summary *s)
{
    put_grid(report, s);
    if (s->events.n_events > 1) {
        put_real(report, "longest_gap_s", s->d.longest_gap_s);
        put_real(report, "longest_gap_from_s", s->d.longest_gap_from_s);
    }
    if (s->d.shortest_interval_s < 0)
        return;
    put_real(report, "shortest_interval_s", s->d.shortest_interval_s);
    put(report, "shortest_interval_unit",
        json_string(spk_recording_label(s->recording, s->d.shortest_interval_unit)));
    put_integer(report, "intervals_below_1ms", s->d.intervals_below_1ms);
}

static void put_rates(builder *report, const summary *s)
{
    put_real(report, "rate_total_hz", s->d.rate_total_hz);
    put_real(report, "rate_unit_min_hz", s->d.rate_unit_min_hz);
    put_real(report, "rate_unit_median_hz", s->d.rate_unit_median_hz);
    put_real(report, "rate_unit_max_hz", s->d.rate_unit_max_hz);
}

/* Whether a path is UTF-8, as JSON needs. Memory that is out does not make it none. */
static bool is_text(const char *path)
{
    json_t *text = json_string(path);
    bool good = text != NULL || spk_text_printable(path, NULL, 0) == strlen(path);
    json_decref(text);
    return good;
}

/* NULL where memory was out. */
static json_t *make_report(const summary *s, const char *path)
{
    const spk_recording *r = s->recording;
    const spk_recording_facts *facts = spk_recording_get_facts(r);
    builder object = begin_object(), *report = &object;
    put(report, "recording", json_string(is_text(path) ? path : "(not UTF-8)"));
    put_integer(report, "units", s->events.n_units);
    put_integer(report, "events", s->events.n_events);
    put_real(report, "start_s", s->d.start_s);
    put_real(report, "stop_s", s->d.stop_s);
    put_real(report, "duration_s", s->d.duration_s);
    put_rates(report, s);
    put_real(report, "tick_s", s->d.tick_s);
    if (facts->clock[0] != '\0') {
        put(report, "clock", json_string(facts->clock));
        put_real(report, "clock_worst_s", facts->clock_worst_s);
    }
    put_intervals(report, s);
    put_integer(report, "ties", facts->ties);
    put_integer(report, "duplicates_dropped", facts->duplicates);
    put_integer(report, "outside_selection", facts->outside);
    put_integer(report, "units_without_events", s->d.units_without_events);
    put_integer(report, "units_with_few_events", s->d.units_with_few_events);
    if (facts->lines > 0)
        put_integer(report, "data_lines", facts->lines);
    if (facts->sha256[0] != '\0')
        put(report, "sha256", json_string(facts->sha256));
    put(report, "warnings", json_incref(s->warnings));
    return finish_object(report);
}

static json_t *real_or_null(bool given, double value)
{
    return given ? json_real(value) : json_null();
}

static json_t *make_unit_row(const summary *s, uint32_t u)
{
    spk_unit_description unit;
    spk_recording_describe_unit(s->recording, u, &unit);
    builder object = begin_object(), *row = &object;
    put(row, "unit", json_string(spk_recording_label(s->recording, u)));
    put_integer(row, "events", unit.n_events);
    put_real(row, "rate_hz", unit.rate_hz);
    put(row, "first_s", real_or_null(unit.n_events > 0, unit.first_s));
    put(row, "last_s", real_or_null(unit.n_events > 0, unit.last_s));
    put(row, "shortest_interval_s",
        real_or_null(unit.shortest_interval_s >= 0, unit.shortest_interval_s));
    put_integer(row, "intervals_below_1ms", unit.intervals_below_1ms);
    return finish_object(row);
}

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
        }
        for (k = 0; (text = json_array_get(value, k)) != NULL; k++) {
            fputs("warning\t", stdout);
            print_value(text);
            putchar('\n');
        }
    }
}

static void print_units(json_t *rows)
{
    size_t k;
    json_t *row;
    const char *key;
    json_t *value;
    for (k = 0; (row = json_array_get(rows, k)) != NULL; k++) {
        const char *separator = "";
        if (k == 0) {
            json_object_foreach(row, key, value)
            {
                printf("%s%s", separator, key);
                separator = "\t";
            }
            putchar('\n');
            separator = "";
        }
        json_object_foreach(row, key, value)
        {
            fputs(separator, stdout);
            print_value(value);
            separator = "\t";
        }
        putchar('\n');
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The rows of all units; NULL where memory was out. */
static json_t *make_rows(const summary *s)
{
    json_t *rows = json_array();
    bool good = rows != NULL;
    for (uint32_t u = 0; u < s->events.n_units && good; u++)
        good = json_array_append_new(rows, make_unit_row(s, u)) == 0;
    if (good)
        return rows;
    json_decref(rows);
    return NULL;
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

/* False where memory was out, and then nothing is printed. */
static bool print_all(cli_session *session, const values *v, const summary *s, const char *path)
{
    json_t *report = make_report(s, path);
    json_t *rows = v->per_unit ? make_rows(s) : json_array();
    bool good = report != NULL && rows != NULL && !s->failed;
    cli_progress_clear(session);
    if (good && v->format == FORMAT_JSON) {
        if (v->per_unit)
            good = json_object_set(report, "per_unit", rows) == 0;
        good = good && print_json(report);
    } else if (good && v->per_unit) {
        print_units(rows);
    } else if (good) {
        print_report(report);
    }
    json_decref(rows);
    json_decref(report);
    return good;
}

static int run(cli_session *session, const void *raw, int n_arguments, char **arguments)
{
    (void)n_arguments;
    const values *v = raw;
    spk_recording *recording = NULL;
    cli_limit_memory(session, v->max_memory);
    int code = cli_recording_read(session, &v->recording, arguments[0], &recording);
    if (code != CLI_DONE)
        return code;
    summary s = {.recording = recording,
                 .events = spk_recording_events(recording),
                 .exact = v->format == FORMAT_JSON,
                 .warnings = json_array()};
    code = cli_report(session, spk_recording_describe(session->context, recording, &s.d));
    bool good = s.warnings != NULL;
    if (code == CLI_DONE && good) {
        find_warnings(&s);
        good = print_all(session, v, &s, arguments[0]);
    }
    if (!good)
        code = cli_fail(session, "out of memory; close other programs");
    json_decref(s.warnings);
    spk_recording_free(recording);
    return code;
}

static const cli_option options[] = {
    {.name = "per-unit",
     .kind = CLI_FLAG,
     .offset = offsetof(values, per_unit),
     .help = "a table with a line for each unit in place of the report; "
             "with --format json in addition to it"},
    {.name = "format",
     .kind = CLI_CHOICE,
     .argument = "text|json",
     .offset = offsetof(values, format),
     .fallback = "text",
     .help = "form of the report: lines of key, tab and value, or one "
             "JSON object"},
    CLI_MEMORY_OPTION(values, max_memory),
    CLI_RECORDING_OPTIONS(values, recording),
    CLI_END,
};

const cli_command cli_cmd_info = {
    .name = "info",
    .arguments = "REC",
    .summary = "describe a recording and what looks wrong in it",
    .description =
        "Reads a recording and tells its units, events, extent, rates, tick, the grid on\n"
        "which the times lie, ties, repeated events, the shortest intervals, the longest\n"
        "gap and the digest of the file. Warnings tell what looks wrong.\n"
        "\n"
        "REC is a text file with two columns, time and unit. It may be compressed with\n"
        "gzip, bzip2, xz or zstd. The name - stands for standard input.",
    .examples = "  spikemine info rec.txt\n"
                "  spikemine info rec.csv.gz --time-unit ms --per-unit\n"
                "  spikemine info rec.txt --format json | jq .rate_total_hz",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
