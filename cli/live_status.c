/* What a live run tells of itself. */
#include "live_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

/* Seconds between two lines: on a terminal, and elsewhere. */
static const double often = 0.25, seldom = 60;

enum { LINE_BYTES = 512, MOST_STATES = 10 };

/* ---- words ----------------------------------------------------------------------------------- */

/* "12,345 spikes" */
static void append_count(char *line, const char *before, uint64_t count, const char *what)
{
    char text[32];
    cli_count_text(count, text, sizeof text);
    cli_append(line, LINE_BYTES, "%s%s %s", before, text, what);
    if (count == 1 && what[strlen(what) - 1] == 's' && strchr(what, ' ') == NULL)
        line[strlen(line) - 1] = '\0'; /* "1 spike" */
}

/* "12 late, 0 lost": what is not as it should be is told always, also where it is nothing. */
static void append_faults(char *line, const spk_live_session_facts *f)
{
    append_count(line, ", ", f->counts.lost, "lost");
    append_count(line, ", ", f->counts.late, "late");
    append_count(line, ", ", f->counts.out_of_order, "out of order");
    append_count(line, ", ", f->counts.duplicates, "twice");
    append_count(line, ", ", f->source.garbage, "garbage");
}

static void make_line(const spk_live_session_facts *f, char *line)
{
    line[0] = '\0';
    append_count(line, "", f->counts.accepted, "spikes");
    cli_append(line, LINE_BYTES, ", %.0f/s, %" PRIu32 " units", f->spikes_per_s, f->n_units);
    if (f->source.duration_s > 0)
        cli_append(line, LINE_BYTES, ", at %.1f of %.1f s", f->source.position_s,
                   f->source.duration_s);
    if (f->n_episodes + f->n_patterns > 0) {
        append_count(line, ", ", f->occurrences, "occurrences");
        if (f->latency_most_ms > 0)
            cli_append(line, LINE_BYTES, ", p99 %.2f ms", f->latency_ms[1]);
    }
    if (f->partitions.due > 0) {
        append_count(line, ", ", f->partitions.mined, "partitions");
        append_count(line, ", ", f->partitions.skipped, "skipped");
    }
    append_faults(line, f);
    if (f->source.held > 0)
        append_count(line, ", ", f->source.held, "waiting for the sample rate");
}

/* ---- while it runs --------------------------------------------------------------------------- */

static void tell(cli_session *session, const char *text)
{
    if (session->quiet)
        return;
    cli_progress_clear(session);
    cli_put(stderr, text);
    fputc('\n', stderr);
}

/* A source that comes and goes would fill a terminal: ten changes are told at once, each further
 * one not before a minute has gone by. */
static void tell_state(live_status *status, const char *state)
{
    const double since = cli_seconds() - status->state_told;
    if (strcmp(status->state, state) == 0 || (status->n_told >= MOST_STATES && since < seldom))
        return;
    status->n_told = since < MOST_STATES * seldom ? status->n_told + 1 : 1;
    status->state_told = cli_seconds();
    snprintf(status->state, sizeof status->state, "%s", state);
    if (state[0] != '\0')
        tell(status->session, state);
    if (status->n_told == MOST_STATES)
        cli_note(status->session,
                 "the source changes often; from now on this is told once a minute at most");
}

static void tell_changes(live_status *status, const spk_live_session_facts *f)
{
    tell_state(status, f->source.state);
    if (!status->end_told && f->ended && f->page_url != NULL) {
        cli_note(status->session, "the source has ended; the page stays until Ctrl-C");
        status->end_told = true;
    }
}

void live_status_begin(live_status *status, const spk_live_session *live)
{
    spk_live_session_facts facts;
    spk_live_session_get_facts(live, &facts);
    if (facts.page_url == NULL)
        return;
    cli_progress_clear(status->session);
    cli_say("note: the page is at %s", facts.page_url);
    fputc('\n', stderr);
}

void live_status_show(live_status *status, const spk_live_session *live, bool now)
{
    char line[LINE_BYTES];
    spk_live_session_facts facts;
    cli_session *session = status->session;
    const double seconds = cli_seconds();
    const bool on_terminal = session->progress.enabled;
    if (status->shown <= 0 && !on_terminal)
        status->shown = seconds;
    const double since = seconds - status->shown;
    if (session->quiet || (!now && since > 0 && since < often))
        return;
    spk_live_session_get_facts(live, &facts);
    tell_changes(status, &facts);
    if (!now && since < (on_terminal ? often : seldom))
        return;
    status->shown = seconds;
    make_line(&facts, line);
    if (on_terminal)
        cli_progress_show_text(&session->progress, line);
    else
        tell(session, line);
}

bool live_status_ended(const spk_live_session *live)
{
    spk_live_session_facts facts;
    spk_live_session_get_facts(live, &facts);
    return facts.ended;
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void tell_spikes(cli_session *session, const spk_live_session_facts *f)
{
    char line[LINE_BYTES] = "";
    append_count(line, "", f->counts.accepted, "spikes");
    cli_append(line, LINE_BYTES, " of %" PRIu32 " units in %.1f s", f->n_units, f->seconds);
    if (f->counts.segments > 1)
        cli_append(line, LINE_BYTES, ", %" PRIu64 " segments", f->counts.segments);
    append_faults(line, f);
    if (f->counts.outside + f->source.outside > 0)
        append_count(line, ", ", f->counts.outside + f->source.outside, "outside");
    if (f->source.reconnects > 0)
        append_count(line, ", ", f->source.reconnects, "reconnects");
    if (f->source.cut_digits > 0)
        append_count(line, ", ", f->source.cut_digits, "times cut to a tick");
    tell(session, line);
    const uint64_t unrated = f->source.unrated + (f->begun ? 0 : f->source.held);
    if (unrated > 0)
        cli_note(session,
                 "%" PRIu64 " of the lost spikes came before the source told its sample rate; give "
                 "it with --sample-rate, or let the source send continuous data, too",
                 unrated);
    if (f->source.garbage > 0 && f->source.example[0] != '\0')
        cli_note(session, "the first garbage: %s", f->source.example);
}

static void tell_watch(cli_session *session, const spk_live_session_facts *f)
{
    char line[LINE_BYTES] = "";
    if (f->n_episodes + f->n_patterns == 0)
        return;
    append_count(line, "watching ", f->n_episodes, "episodes");
    append_count(line, " and ", f->n_patterns, "patterns");
    append_count(line, ", ", f->occurrences, "occurrences");
    if (f->latency_most_ms > 0)
        cli_append(line, LINE_BYTES,
                   "; from arrival to event out p50 %.3f ms, p99 %.3f ms, p99.9 %.3f ms, at most "
                   "%.3f ms",
                   f->latency_ms[0], f->latency_ms[1], f->latency_ms[2], f->latency_most_ms);
    tell(session, line);
}

static void tell_rest(cli_session *session, const spk_live_session_facts *f, const char *record)
{
    char line[LINE_BYTES] = "";
    if (f->partitions.due > 0) {
        append_count(line, "", f->partitions.mined - f->partitions.failed, "partitions");
        cli_append(line, LINE_BYTES, " mined");
        if (f->partitions.failed > 0)
            append_count(line, ", ", f->partitions.failed, "failed");
        append_count(line, ", ", f->partitions.skipped, "skipped");
        tell(session, line);
    }
    if (f->tests_due > 0) {
        snprintf(line, sizeof line, "tested %" PRIu64 " of %" PRIu64 "%s%s", f->partitions.tested,
                 f->tests_due, f->untested[0] != '\0' ? ": " : "", f->untested);
        tell(session, line);
    }
    if (f->skipped_why[0] != '\0')
        cli_note(session, "the last partition that was skipped: %s", f->skipped_why);
    line[0] = '\0';
    if (f->emit.served > 0) {
        append_count(line, "", f->emit.served, "clients");
        append_count(line, ", ", f->emit.dropped, "dropped because of being slow");
        tell(session, line);
    }
    if (f->emit.unsent > 0)
        cli_note(session, "%" PRIu64 " events found no place in a sink and were not sent",
                 f->emit.unsent);
    if (record != NULL && access(record, F_OK) == 0)
        cli_note(session, "the spikes are in %s", record);
}

static void tell_page(cli_session *session, const spk_live_session_facts *f)
{
    char line[LINE_BYTES] = "";
    if (f->page_url == NULL)
        return;
    append_count(line, "page: ", f->page.answers, "requests answered");
    append_count(line, ", ", f->page.refused, "refused");
    append_count(line, ", ", f->page.dropped, "clients dropped");
    append_count(line, ", ", f->page.unseen, "spikes not shown");
    tell(session, line);
}

/* Occurrences within --recent, when there is one. */
static void tell_recent(cli_session *session, spk_live_session *live,
                        const spk_live_session_facts *f)
{
    spk_live_watch *watch = spk_live_session_watch(live);
    const uint64_t n = f->n_episodes + f->n_patterns;
    uint64_t sum = 0;
    if (watch == NULL || n == 0 || !spk_live_watch_has_window(watch))
        return;
    uint64_t *counts = calloc(n, sizeof *counts);
    if (counts == NULL)
        return;
    spk_live_watch_recent(watch, counts, counts + f->n_episodes);
    for (uint64_t k = 0; k < n; k++)
        sum += counts[k];
    cli_note(session, "%" PRIu64 " occurrences within --recent at the end", sum);
    free(counts);
}

void live_status_end(live_status *status, spk_live_session *live, const char *record,
                     bool interrupted)
{
    spk_live_session_facts facts;
    cli_session *session = status->session;
    spk_live_session_get_facts(live, &facts);
    cli_progress_clear(session);
    if (session->quiet)
        return;
    if (interrupted)
        cli_note(session, "interrupted; all that came before is complete");
    tell_spikes(session, &facts);
    tell_watch(session, &facts);
    tell_recent(session, live, &facts);
    tell_page(session, &facts);
    tell_rest(session, &facts, record);
}
