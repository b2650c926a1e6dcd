/* spikemine info REC ...: what is in recordings, and what looks wrong with them. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "builder.h"
#include "commands.h"
#include "say.h"
#include "session.h"
#include "spikemine/describe.h"

typedef struct summary {
    const spk_recording *recording;
    spk_events events;
    spk_recording_description d;
    bool exact; /* numbers are numbers: a fraction has a key of its own */
    json_t *warnings;
} summary;

/* ---- sentences ------------------------------------------------------------------------------- */

/* A spk_sentence_sink; `user` is an array. */
static spk_status add_sentence(void *user, const char *text)
{
    return json_array_append_new(user, json_string(text)) == 0 ? SPK_OK : SPK_ERR_MEMORY;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* In text a fraction is the step itself, grid_s 1/30; in JSON grid_s stays a number. */
static void put_grid(cli_builder *report, const summary *s)
{
    char text[48];
    const spk_rate rate = s->d.grid.points_per_second;
    const spk_recording_facts *facts = spk_recording_get_facts(s->recording);
    const bool taken = facts->lines > 0 && facts->clock[0] != '\0'; /* of a text: it was rounded */
    if (!s->d.grid.rounded && !taken && s->d.grid.ticks > 1)
        cli_put_real(report, "grid_s", (double)s->d.grid.ticks * s->d.tick_s);
    if (!s->d.grid.rounded && !taken)
        return;
    snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, rate.denominator, rate.numerator);
    if (s->exact)
        cli_put_real(report, "grid_s", (double)rate.denominator / (double)rate.numerator);
    cli_put_json(report, s->exact ? "grid_fraction" : "grid_s", json_string(text));
}

static void put_intervals(cli_builder *report, const summary *s)
{
    put_grid(report, s);
    if (s->events.n_events > 1) {
        cli_put_real(report, "longest_gap_s", s->d.longest_gap_s);
        cli_put_real(report, "longest_gap_from_s", s->d.longest_gap_from_s);
    }
    if (s->d.shortest_interval_s < 0)
        return;
    cli_put_real(report, "shortest_interval_s", s->d.shortest_interval_s);
    cli_put_json(report, "shortest_interval_unit",
                 json_string(spk_recording_label(s->recording, s->d.shortest_interval_unit)));
    cli_put_integer(report, "intervals_below_1ms", s->d.intervals_below_1ms);
}

static void put_segments(cli_builder *report, const summary *s)
{
    cli_put_integer(report, "segments", s->d.n_segments);
    if (s->d.n_trials > 1)
        cli_put_integer(report, "trials", s->d.n_trials);
    if (s->d.n_trials_left < s->d.n_trials)
        cli_put_integer(report, "trials_left", s->d.n_trials_left);
    if (s->d.n_segments < 2)
        return;
    cli_put_real(report, "segment_shortest_s", s->d.segment_shortest_s);
    cli_put_real(report, "segment_longest_s", s->d.segment_longest_s);
    if (s->d.events_in_segments > s->events.n_events)
        cli_put_integer(report, "events_in_segments", s->d.events_in_segments);
}

static void put_rates(cli_builder *report, const summary *s)
{
    cli_put_real(report, "rate_total_hz", s->d.rate_total_hz);
    cli_put_real(report, "rate_unit_min_hz", s->d.rate_unit_min_hz);
    cli_put_real(report, "rate_unit_median_hz", s->d.rate_unit_median_hz);
    cli_put_real(report, "rate_unit_max_hz", s->d.rate_unit_max_hz);
}

/* A path or a message as JSON can hold it. Memory that is out does not make it another one. */
static const char *info_text(const char *text)
{
    json_t *json = json_string(text);
    bool good = json != NULL || spk_text_printable(text, NULL, 0) == strlen(text);
    json_decref(json);
    return good ? text : "(not UTF-8)";
}

/* NULL where memory was out. */
static json_t *make_report(const summary *s, const char *path)
{
    const spk_recording *r = s->recording;
    const spk_recording_facts *facts = spk_recording_get_facts(r);
    cli_builder object = cli_begin_object(), *report = &object;
    cli_put_text(report, "recording", info_text(path));
    if (facts->format[0] != '\0')
        cli_put_text(report, "format", facts->format);
    cli_put_integer(report, "units", s->events.n_units);
    cli_put_integer(report, "events", s->events.n_events);
    cli_put_real(report, "start_s", s->d.start_s);
    cli_put_real(report, "stop_s", s->d.stop_s);
    cli_put_real(report, "duration_s", s->d.duration_s);
    put_segments(report, s);
    put_rates(report, s);
    cli_put_real(report, "tick_s", s->d.tick_s);
    if (facts->clock[0] != '\0') {
        cli_put_json(report, "clock", json_string(facts->clock));
        cli_put_real(report, "clock_worst_s", facts->clock_worst_s);
    }
    put_intervals(report, s);
    cli_put_integer(report, "ties", facts->ties);
    cli_put_integer(report, "duplicates_dropped", facts->duplicates);
    cli_put_integer(report, "outside_selection", facts->outside);
    cli_put_integer(report, "units_without_events", s->d.units_without_events);
    cli_put_integer(report, "units_with_few_events", s->d.units_with_few_events);
    if (facts->lines > 0)
        cli_put_integer(report, "data_lines", facts->lines);
    if (facts->sha256[0] != '\0')
        cli_put_json(report, "sha256", json_string(facts->sha256));
    cli_put_json(report, "warnings", json_incref(s->warnings));
    return cli_finish(report);
}

/* SPK_ERR_MEMORY where jansson was out of it. */
static spk_status find_sentences(spk_context *context, summary *s, json_t *sentences)
{
    spk_status status = spk_recording_describe(context, s->recording, &s->d);
    if (status == SPK_OK && s->warnings != NULL)
        status = spk_recording_tell_warnings(s->recording, &s->d, add_sentence, s->warnings);
    if (status == SPK_OK && sentences != NULL)
        status = spk_recording_tell(s->recording, &s->d, add_sentence, sentences);
    return status;
}

/* The report; NULL where *status is not SPK_OK, or memory was out. With `exact`, numbers are
 * numbers: a fraction has a key of its own. `sentences`, an array, gets three for people; NULL:
 * nobody reads them. */
static json_t *info_report(cli_session *session, const spk_recording *recording, const char *path,
                           bool exact, json_t *sentences, spk_status *status)
{
    json_t *report = NULL;
    summary s = {.recording = recording,
                 .events = spk_recording_events(recording),
                 .exact = exact,
                 .warnings = json_array()};
    *status = find_sentences(session->context, &s, sentences);
    if (*status == SPK_OK && s.warnings != NULL)
        report = make_report(&s, path);
    json_decref(s.warnings);
    return report;
}

/* ---- units ------------------------------------------------------------------------------------
 */

/* The longest step of time that still tells events apart as finely as the check of units needs. */
static double time_step_s(const spk_recording *recording)
{
    spk_time_grid grid;
    spk_rate rate = spk_recording_rate(recording);
    double tick = (double)rate.denominator / (double)rate.numerator;
    spk_recording_find_grid(recording, &grid);
    if (grid.rounded)
        return (double)grid.points_per_second.denominator /
               (double)grid.points_per_second.numerator;
    return grid.ticks > 1 ? (double)grid.ticks * tick : tick;
}

static void put_check(cli_builder *row, const spk_recording *recording,
                      const spk_unit_description *unit, const spk_unit_check *check, double step_s)
{
    enum { SHORT_US = 2000, COINCIDENT_US = 250 };
    const bool has_twin = check->twin != UINT32_MAX && step_s * 1e6 <= COINCIDENT_US;
    cli_put_real_or_null(row, "cv", check->interval_cv >= 0, check->interval_cv);
    cli_put_real_or_null(row, "share_below_2ms", check->n_intervals > 0 && step_s * 1e6 <= SHORT_US,
                         (double)check->n_short / (double)check->n_intervals);
    cli_put_json(row, "twin",
                 has_twin ? json_string(spk_recording_label(recording, check->twin)) : json_null());
    cli_put_real_or_null(row, "twin_share", has_twin,
                         (double)check->n_shared / (double)unit->n_events);
}

static json_t *make_unit(const spk_recording *recording, uint32_t u, const spk_unit_check *check,
                         double step_s)
{
    spk_unit_description unit;
    spk_recording_describe_unit(recording, u, &unit);
    cli_builder object = cli_begin_object(), *row = &object;
    cli_put_text(row, "unit", spk_recording_label(recording, u));
    cli_put_integer(row, "events", unit.n_events);
    cli_put_real(row, "rate_hz", unit.rate_hz);
    cli_put_real_or_null(row, "first_s", unit.n_events > 0, unit.first_s);
    cli_put_real_or_null(row, "last_s", unit.n_events > 0, unit.last_s);
    cli_put_real_or_null(row, "shortest_interval_s", unit.shortest_interval_s >= 0,
                         unit.shortest_interval_s);
    cli_put_integer(row, "intervals_below_1ms", unit.intervals_below_1ms);
    put_check(row, recording, &unit, check, step_s);
    return cli_finish(row);
}

/* An array with an object for each unit; NULL likewise. */
static json_t *info_units(cli_session *session, const spk_recording *recording, spk_status *status)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    cli_builder rows = cli_begin_array();
    spk_unit_check *check = calloc(n_units > 0 ? n_units : 1, sizeof *check);
    rows.failed |= check == NULL;
    if (!rows.failed)
        *status = spk_recording_check_units(session->context, recording, NULL, check);
    rows.failed |= *status != SPK_OK;
    const double step_s = rows.failed ? 0 : time_step_s(recording);
    for (uint32_t u = 0; u < n_units && !rows.failed; u++)
        cli_add_json(&rows, make_unit(recording, u, &check[u], step_s));
    free(check);
    return cli_finish(&rows);
}

/* ---- what the library suggests ----------------------------------------------------------------
 */

static json_t *make_trial(const spk_suggestion_columns *c, size_t trial)
{
    char key[32];
    const spk_delay_trial *t = &c->tried.trial[trial];
    cli_builder object = cli_begin_object(), *row = &object;
    cli_put_text(row, "delays", c->delays[trial]);
    cli_put_text(row, "jitter", c->jitter[trial]);
    cli_put_integer(row, "support", t->support);
    for (uint32_t k = 0; k < SPK_CHOOSE_SIZES; k++) {
        const spk_delay_trial_size *s = &t->size[k];
        snprintf(key, sizeof key, "found_%" PRIu32, k + 2);
        cli_put_json(row, key, s->reached ? json_integer((json_int_t)s->found) : json_null());
        snprintf(key, sizeof key, "chance_%" PRIu32, k + 2);
        cli_put_real(row, key, round(10 * s->by_chance) / 10);
    }
    return cli_finish(row);
}

/* What was tried, and what was not. */
static void put_table(cli_builder *report, const spk_suggestion_columns *c)
{
    char left_out[100];
    cli_builder rows = cli_begin_array();
    for (size_t k = 0; k < c->tried.n; k++)
        cli_add_json(&rows, make_trial(c, k));
    cli_put_json(report, "tried", cli_finish(&rows));
    cli_put_integer(report, "tried_events", c->tried.n_events);
    if (c->tried.n_left_out == 0)
        return;
    snprintf(left_out, sizeof left_out, "interrupted: %zu of %zu sets of delays are left out",
             c->tried.n_left_out, c->tried.n_sets + c->tried.n_left_out);
    cli_put_text(report, "tried_partly", left_out);
}

static void put_costs(cli_builder *report, const spk_delay_test *test)
{
    const spk_exact_estimate *estimate = &test->estimate;
    if (estimate->n_surrogates > 0) {
        cli_put_integer(report, "suggestion_tested", estimate->n_tested);
        cli_put_integer(report, "suggestion_results", estimate->n_results);
    }
    if (test->is_whole)
        cli_put_real(report, "suggestion_seconds",
                     estimate->seconds < 1 ? 1 : round(estimate->seconds));
}

static spk_status put_suggestion(const cli_session *session, const spk_suggestion_columns *c,
                                 double alpha, cli_builder *report)
{
    static const char *const flags[] = {"--suggest", "--units-table", "--per-unit", NULL};
    static const char *const values[] = {"--format", "--suggest-events", "--suggest-time", NULL};
    char why[160];
    cli_put_text(report, "finding", c->finding);
    if (c->call == NULL) {
        cli_put_text(report, "suggestion", "none");
        cli_put_text(report, "suggestion_next",
                     "number alone shows nothing here; a single sequence can still be unlikely: "
                     "test delays that you expect with --support auto --test exact, give "
                     "--suggest-events more events, or record for longer");
        return SPK_OK;
    }
    char *command = cli_again(session, c->call, flags, values);
    if (command == NULL)
        return SPK_ERR_MEMORY;
    cli_put_text(report, "suggestion", info_text(command));
    free(command);
    snprintf(why, sizeof why,
             "--alpha is %g divided by the %zu sets of delays that were tried on the same events",
             alpha, c->tried.n_sets);
    cli_put_text(report, "suggestion_alpha", why);
    put_costs(report, c->test);
    return SPK_OK;
}

/* Adds to the report sets of delays that were tried on n_events events, a command to begin with,
 * and what it will cost; what `time` suffices for.
 * SPK_ERR_CANCELLED: the report has what was done until then. */
static spk_status info_suggest(cli_session *session, const spk_recording *recording,
                               uint64_t n_events, spk_duration time, json_t *report)
{
    spk_suggest_options options;
    spk_suggestion *suggestion = NULL;
    cli_builder object = {.json = report, .failed = report == NULL};
    if (object.failed)
        return SPK_OK; /* told by the caller */
    spk_suggest_options_init(&options, sizeof options);
    options.n_events = n_events;
    options.time = time;
    spk_status status = spk_suggest_run(session->context, recording, &options, &suggestion);
    const spk_suggestion_columns *c = spk_suggestion_columns_of(suggestion);
    if (c != NULL)
        put_table(&object, c);
    if (status == SPK_OK && c != NULL)
        status = put_suggestion(session, c, options.alpha, &object);
    spk_suggestion_free(suggestion);
    return status == SPK_OK && object.failed ? SPK_ERR_MEMORY : status;
}

typedef struct values {
    int format;
    bool per_unit;
    bool units_table;
    bool suggest;
    uint64_t suggest_events;
    spk_duration suggest_time;
} values;

enum { FORMAT_TEXT, FORMAT_JSON };
enum { PRECISION = JSON_REAL_PRECISION(15) }; /* of reports */

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
        good = cli_print_json(json_incref(report), PRECISION);
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
    if (code == CLI_DONE && j.several && v->format == FORMAT_JSON &&
        !cli_print_json(json_incref(j.reports), PRECISION))
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
