/* spikemine info: the report of one recording, with what looks wrong in it. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "builder.h"
#include "info.h"
#include "spikemine/describe.h"

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

/* In text a fraction is the step itself, grid_s 1/30; in JSON grid_s stays a number. */
static void put_grid(cli_builder *report, const summary *s)
{
    char text[48];
    spk_rate rate = s->d.grid.points_per_second;
    const spk_recording_facts *facts = spk_recording_get_facts(s->recording);
    const bool taken = facts->lines > 0 && facts->clock[0] != '\0'; /* of a text: it was rounded */
    if (!s->d.grid.rounded && !taken && s->d.grid.ticks > 1)
        cli_put_real(report, "grid_s", (double)s->d.grid.ticks * s->d.tick_s);
    if (!s->d.grid.rounded && !taken)
        return;
    if (s->exact)
        cli_put_real(report, "grid_s", (double)rate.denominator / (double)rate.numerator);
    cli_put_json(report, s->exact ? "grid_fraction" : "grid_s", json_string(grid_text(s, text)));
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

const char *info_text(const char *text)
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
    return cli_finish_object(report);
}

json_t *info_report(cli_session *session, const spk_recording *recording, const char *path,
                    bool exact, spk_status *status)
{
    json_t *report = NULL;
    summary s = {.recording = recording,
                 .events = spk_recording_events(recording),
                 .exact = exact,
                 .warnings = json_array()};
    *status = spk_recording_describe(session->context, recording, &s.d);
    if (*status == SPK_OK && s.warnings != NULL) {
        find_warnings(&s);
        report = s.failed ? NULL : make_report(&s, path);
    }
    json_decref(s.warnings);
    return report;
}
