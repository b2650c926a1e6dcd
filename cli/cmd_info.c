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

/* What one pass over a unit's events tells. Intervals in ticks, between successive events. */
typedef struct unit_summary {
    uint64_t n_events;
    uint64_t shortest; /* UINT64_MAX with fewer than two events */
    uint64_t n_below;  /* intervals shorter than REFRACTORY */
    int64_t first;
    int64_t last;
} unit_summary;

typedef struct summary {
    const spk_recording *recording;
    spk_events events;
    double tick_s;
    double duration_s;
    unit_summary *unit;
    double *rate;  /* events a second of every unit, ascending */
    uint64_t grid; /* greatest common divisor of all time differences, ticks; 0: none */
    uint64_t gap;  /* longest time without any event, ticks */
    int64_t gap_start;
    uint64_t refractory_ticks;
    uint64_t n_below;
    uint64_t shortest;
    uint32_t shortest_unit;
    uint32_t n_silent; /* units without events */
    uint32_t n_few;    /* units with 1 .. FEW - 1 events */
    json_t *warnings;
    bool failed; /* memory was out */
} summary;

/* Neurons do not fire twice within a millisecond: shorter intervals point at the sorting. */
static const spk_duration REFRACTORY = {1, -3};
enum { FEW = 10 };

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t apart(int64_t earlier, int64_t later)
{
    return (uint64_t)later - (uint64_t)earlier;
}

static void examine_times(summary *s)
{
    const int64_t *time = s->events.time;
    for (uint64_t i = 1; i < s->events.n_events; i++) {
        uint64_t step = apart(time[i - 1], time[i]);
        if (step == 0)
            continue;
        if (s->grid != 1)
            s->grid = greatest_divisor(step, s->grid);
        if (step > s->gap) {
            s->gap = step;
            s->gap_start = time[i - 1];
        }
    }
}

static unit_summary examine_unit(const summary *s, uint32_t u)
{
    const spk_events *e = &s->events;
    uint64_t first = e->unit_first[u];
    uint64_t end = e->unit_first[u + 1];
    unit_summary out = {.n_events = end - first, .shortest = UINT64_MAX};
    if (first == end)
        return out;
    out.first = e->time[e->by_unit[first]];
    out.last = e->time[e->by_unit[end - 1]];
    for (uint64_t k = first + 1; k < end; k++) {
        uint64_t interval = apart(e->time[e->by_unit[k - 1]], e->time[e->by_unit[k]]);
        out.shortest = interval < out.shortest ? interval : out.shortest;
        out.n_below += interval < s->refractory_ticks;
    }
    return out;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Events a second; 0 in a recording without extent. */
static double rate_of(const summary *s, uint64_t n_events)
{
    return s->duration_s > 0 ? (double)n_events / s->duration_s : 0;
}

static void examine_units(summary *s)
{
    s->shortest = UINT64_MAX;
    for (uint32_t u = 0; u < s->events.n_units; u++) {
        unit_summary *unit = &s->unit[u];
        *unit = examine_unit(s, u);
        s->rate[u] = rate_of(s, unit->n_events);
        s->n_below += unit->n_below;
        s->n_silent += unit->n_events == 0;
        s->n_few += unit->n_events > 0 && unit->n_events < FEW;
        if (unit->shortest < s->shortest) {
            s->shortest = unit->shortest;
            s->shortest_unit = u;
        }
    }
    qsort(s->rate, s->events.n_units, sizeof *s->rate, compare_doubles);
}

static double median_rate(const summary *s)
{
    uint32_t n = s->events.n_units;
    if (n == 0)
        return 0;
    return (s->rate[(n - 1) / 2] + s->rate[n / 2]) / 2;
}

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
    double median = median_rate(s);
    if (s->events.n_events > 1 && s->duration_s <= s->tick_s)
        warn(s, "all events have the same time; is the time column right?");
    else if (s->events.n_events > 1 && median > 1000)
        warn(s, "units fire %.3g times a second; is the time unit right (--time-unit)?", median);
    else if (s->events.n_events >= 100 && median < 1e-3)
        warn(s, "units fire %.3g times a second; is the time unit right (--time-unit)?", median);
    if (s->events.n_units > 100 && s->events.n_events < 2 * (uint64_t)s->events.n_units)
        warn(s, "nearly as many units as events; are the columns swapped (--columns)?");
}

static void find_warnings(summary *s)
{
    const spk_recording_facts *facts = spk_recording_get_facts(s->recording);
    warn_of_rates(s);
    if (s->n_below > 0)
        warn(s,
             "%" PRIu64
             " intervals within a unit are shorter than 1 ms; several neurons in a unit?",
             s->n_below);
    if (facts->duplicates > 0)
        warn(s, "%" PRIu64 " events repeat unit and time of another and count once",
             facts->duplicates);
    if (s->n_silent > 0)
        warn(s, "%" PRIu32 " units have no event", s->n_silent);
    if (s->n_few > 0)
        warn(s, "%" PRIu32 " units have fewer than %d events", s->n_few, FEW);
    if (s->events.n_events >= 100 && (double)s->gap * s->tick_s > 0.1 * s->duration_s)
        warn(s, "nothing happens for %.6g s from %.6g s on; was the recording interrupted?",
             (double)s->gap * s->tick_s, (double)s->gap_start * s->tick_s);
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

static void put_intervals(builder *report, const summary *s)
{
    if (s->grid > 1)
        put_real(report, "grid_s", (double)s->grid * s->tick_s);
    if (s->events.n_events > 1) {
        put_real(report, "longest_gap_s", (double)s->gap * s->tick_s);
        put_real(report, "longest_gap_from_s", (double)s->gap_start * s->tick_s);
    }
    if (s->shortest == UINT64_MAX)
        return;
    put_real(report, "shortest_interval_s", (double)s->shortest * s->tick_s);
    put(report, "shortest_interval_unit",
        json_string(spk_recording_label(s->recording, s->shortest_unit)));
    put_integer(report, "intervals_below_1ms", s->n_below);
}

static void put_rates(builder *report, const summary *s)
{
    uint32_t n = s->events.n_units;
    put_real(report, "rate_total_hz", rate_of(s, s->events.n_events));
    put_real(report, "rate_unit_min_hz", n > 0 ? s->rate[0] : 0);
    put_real(report, "rate_unit_median_hz", median_rate(s));
    put_real(report, "rate_unit_max_hz", n > 0 ? s->rate[n - 1] : 0);
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
    put_real(report, "start_s", (double)spk_recording_start(r) * s->tick_s);
    put_real(report, "stop_s", (double)spk_recording_stop(r) * s->tick_s);
    put_real(report, "duration_s", s->duration_s);
    put_rates(report, s);
    put_real(report, "tick_s", s->tick_s);
    put_intervals(report, s);
    put_integer(report, "ties", facts->ties);
    put_integer(report, "duplicates_dropped", facts->duplicates);
    put_integer(report, "outside_selection", facts->outside);
    put_integer(report, "units_without_events", s->n_silent);
    put_integer(report, "units_with_few_events", s->n_few);
    if (facts->lines > 0)
        put_integer(report, "data_lines", facts->lines);
    if (facts->sha256[0] != '\0')
        put(report, "sha256", json_string(facts->sha256));
    put(report, "warnings", json_incref(s->warnings));
    return finish_object(report);
}

static json_t *make_unit_row(const summary *s, uint32_t u)
{
    const unit_summary *unit = &s->unit[u];
    builder object = begin_object(), *row = &object;
    put(row, "unit", json_string(spk_recording_label(s->recording, u)));
    put_integer(row, "events", unit->n_events);
    put_real(row, "rate_hz", rate_of(s, unit->n_events));
    json_t *first = unit->n_events > 0 ? json_real((double)unit->first * s->tick_s) : json_null();
    json_t *last = unit->n_events > 0 ? json_real((double)unit->last * s->tick_s) : json_null();
    put(row, "first_s", first);
    put(row, "last_s", last);
    put(row, "shortest_interval_s",
        unit->shortest != UINT64_MAX ? json_real((double)unit->shortest * s->tick_s) : json_null());
    put_integer(row, "intervals_below_1ms", unit->n_below);
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
    spk_rate rate = spk_recording_rate(recording);
    summary s = {.recording = recording,
                 .events = spk_recording_events(recording),
                 .tick_s = (double)rate.denominator / (double)rate.numerator,
                 .refractory_ticks = spk_duration_ticks(REFRACTORY, rate)};
    s.duration_s =
        (double)apart(spk_recording_start(recording), spk_recording_stop(recording)) * s.tick_s;
    s.unit = calloc((size_t)s.events.n_units + 1, sizeof *s.unit);
    s.rate = calloc((size_t)s.events.n_units + 1, sizeof *s.rate);
    s.warnings = json_array();
    bool good = s.unit != NULL && s.rate != NULL && s.warnings != NULL;
    if (good) {
        examine_times(&s);
        examine_units(&s);
        find_warnings(&s);
        good = print_all(session, v, &s, arguments[0]);
    }
    if (!good)
        code = cli_fail(session, "out of memory; close other programs");
    json_decref(s.warnings);
    free(s.unit);
    free(s.rate);
    spk_recording_free(recording);
    return code;
}

static const cli_option options[] = {
    {.name = "per-unit",
     .kind = CLI_FLAG,
     .offset = offsetof(values, per_unit),
     .help = "a table with one line per unit instead (with json: in addition)"},
    {.name = "format",
     .kind = CLI_CHOICE,
     .argument = "text|json",
     .offset = offsetof(values, format),
     .fallback = "text",
     .help = "lines of key, tab, value; or one JSON object"},
    CLI_MEMORY_OPTION(values, max_memory),
    CLI_RECORDING_OPTIONS(values, recording),
    CLI_END,
};

const cli_command cli_cmd_info = {
    .name = "info",
    .arguments = "REC",
    .summary = "describe a recording and what looks wrong in it",
    .description = "Reads a recording (two columns, time and unit; - is standard input; gzip,\n"
                   "bzip2, xz and zstd are understood) and tells its units, events, extent,\n"
                   "rates, tick, the grid on which the times lie, ties and repeated events, the\n"
                   "shortest intervals and longest gaps, the digest of the file, and warnings\n"
                   "about what looks wrong.",
    .examples = "  spikemine info rec.txt\n"
                "  spikemine info rec.csv.gz --time-unit ms --per-unit\n"
                "  spikemine info rec.txt --format json | jq .rate_total_hz",
    .options = options,
    .values_size = sizeof(values),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
