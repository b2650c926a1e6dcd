/* spikemine info: the report of one recording, with what looks wrong in it. */
#include <inttypes.h>
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

json_t *info_report(cli_session *session, const spk_recording *recording, const char *path,
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
