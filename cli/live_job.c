/* A live run: from the options to its end. */
#include "live_job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "numbers.h"

/* Everything that the options of the library point to. */
typedef struct setup {
    spk_live_session_options options;
    spk_live_source_options source;
    spk_live_emit_options emit;
    spk_live_page_options page;
    char token[LIVE_PAGE_MOST_TOKEN + 1];
    spk_read_options read;
    spk_recording *recording; /* to be replayed; NULL: the source is none */
    char *sinks;              /* --emit without what the table replaces */
} setup;

/* ---- options --------------------------------------------------------------------------------- */

/* Ticks a second of a tick. */
static bool rate_of_tick(spk_duration tick, spk_rate *out)
{
    uint64_t numerator = tick.divisor > 1 ? tick.divisor : 1, denominator = (uint64_t)tick.digits;
    bool fits = tick.digits > 0 && tick.exponent != SPK_DURATION_INFINITE;
    for (int32_t e = tick.exponent; e != 0 && fits; e += e > 0 ? -1 : 1)
        fits = !(e < 0 ? __builtin_mul_overflow(numerator, 10, &numerator)
                       : __builtin_mul_overflow(denominator, 10, &denominator));
    for (uint64_t k = 2; k <= 5 && fits; k += 3)
        while (numerator % k == 0 && denominator % k == 0) {
            numerator /= k;
            denominator /= k;
        }
    *out = (spk_rate){numerator, denominator};
    return fits;
}

static int take_speed(const live_job *job, double *speed)
{
    const char *text = job->values->speed;
    *speed = 0;
    if (strcmp(text, "max") == 0 || (cli_number_parse(text, 0, 1e9, speed) && *speed > 0))
        return CLI_DONE;
    return cli_usage_error(job->session->command,
                           "--speed %s: must be a number above 0, such as 1, 10 or 0.5, or max",
                           text);
}

static int make_source(live_job *job, setup *s)
{
    const live_values *v = job->values;
    cli_session *session = job->session;
    int code = cli_read_options(session, &s->read);
    spk_live_source_options_init(&s->source, sizeof s->source);
    s->source.read = &s->read;
    s->source.reconnect = !v->no_reconnect;
    s->source.reconnect_s = v->give_up;
    s->source.select = v->select;
    s->source.events_only = v->events_only;
    s->source.control_port = v->control_port;
    if (code == CLI_DONE)
        code = take_speed(job, &s->source.speed);
    if (code == CLI_DONE && !rate_of_tick(v->tick, &s->source.tick))
        code = cli_usage_error(session->command,
                               "--tick: must be a time above 0 such as 1us, with few digits");
    if (code == CLI_DONE && v->sample_rate != NULL)
        code = cli_report_usage(session,
                                spk_rate_parse(session->context, v->sample_rate,
                                               strlen(v->sample_rate), &s->source.sample_rate));
    s->options.source_options = &s->source;
    return code;
}

/* Copies the list without the sinks of this name; true where it was there. */
static bool leave_out(const char *list, const char *name, char *out)
{
    bool found = false;
    size_t used = 0;
    for (const char *at = list; *at != '\0';) {
        size_t n = strcspn(at, ",");
        if (n == strlen(name) && memcmp(at, name, n) == 0) {
            found = true;
        } else {
            used += (size_t)sprintf(out + used, "%s%.*s", used > 0 ? "," : "", (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    out[used] = '\0';
    return found;
}

static int make_sinks(live_job *job, setup *s)
{
    const live_values *v = job->values;
    const bool readable =
        v->format == LIVE_FORMAT_TABLE || (v->format == LIVE_FORMAT_AUTO && isatty(STDOUT_FILENO));
    s->sinks = calloc(strlen(v->emit) + 1, 1);
    if (s->sinks == NULL)
        return cli_fail(job->session, "out of memory");
    if (strcmp(v->emit, "none") != 0)
        memcpy(s->sinks, v->emit, strlen(v->emit) + 1);
    if (readable && leave_out(v->emit, "stdout", s->sinks))
        job->table = true;
    spk_live_emit_options_init(&s->emit, sizeof s->emit);
    s->emit.client_bytes = v->client_bytes;
    s->emit.most_episodes = job->top_given ? job->top : 0;
    s->options.emit = s->sinks;
    s->options.emit_options = &s->emit;
    if (job->table) {
        s->options.partition = live_table_partition;
        s->options.occurrence = live_table_occurrence;
        s->options.mark = live_table_mark;
        s->options.choice = live_table_choice;
        s->options.user = job;
    }
    return CLI_DONE;
}

static int check_files(const live_job *job)
{
    const live_values *v = job->values;
    char part[4096];
    const spk_live_session_options *o = &v->session;
    const char *source = job->session->arguments[0], *record = o->record;
    const bool from_stdin = strcmp(source, "-") == 0;
    if (record != NULL && strcmp(record, "-") == 0)
        return cli_usage_error(job->session->command, "--record -: give the name of a file");
    snprintf(part, sizeof part, "%s.part", record != NULL ? record : "");
    const spk_file_use use[] = {
        {cli_is_replay(source) || from_stdin ? source : NULL, SPK_FILE_INPUT, "the recording",
         NULL},
        {o->episodes, SPK_FILE_INPUT, "the list of episodes", "--episodes"},
        {o->patterns, SPK_FILE_INPUT, "the list of patterns", "--patterns"},
        {job->session->shared->read.unit_file, SPK_FILE_INPUT, "the file of units", "--unit-file"},
        {record, SPK_FILE_OUTPUT, "the recorded spikes", "--record"},
        {record != NULL ? part : NULL, SPK_FILE_OUTPUT, "the recorded spikes", "--record"},
        {o->state, SPK_FILE_CHECKPOINT, "the state", "--state"},
        {v->page_token_file, SPK_FILE_CHECKPOINT, "the token of the page", "--page-token-file"},
    };
    int code = cli_files_check(job->session, use, sizeof use / sizeof use[0]);
    if (code == CLI_DONE && record != NULL && job->session->shared->force &&
        access(part, F_OK) == 0)
        unlink(part);
    return code;
}

static int make_options(live_job *job, setup *s)
{
    const live_values *v = job->values;
    bool has_page = false;
    s->options = v->session;
    s->options.struct_size = sizeof s->options;
    s->options.source = job->session->arguments[0];
    s->options.partitions = job->partitions;
    int code = make_source(job, s);
    if (code == CLI_DONE)
        code = make_sinks(job, s);
    if (code == CLI_DONE)
        code = check_files(job);
    if (code == CLI_DONE)
        code = live_page_make(job, &s->page, s->token, &has_page);
    s->options.page = has_page ? &s->page : NULL;
    return code;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Until the source ends, or somebody ends it. */
static spk_status go_on(live_job *job, live_status *shown)
{
    spk_status status = SPK_OK;
    for (bool ended = false; status == SPK_OK && !ended;) {
        status = spk_live_session_step(job->live, 100, &ended);
        live_status_show(shown, job->live, false);
    }
    return status;
}

static int run_session(live_job *job, const spk_live_session_options *options)
{
    cli_session *session = job->session;
    live_status shown = {.session = session, .end_told = !job->values->session.stay};
    int code = cli_report(session, spk_live_session_create(session->context, options, &job->live));
    if (code != CLI_DONE || job->live == NULL)
        return code;
    cli_interrupt_keep(true);
    live_status_begin(&shown, job->live);
    spk_status status = go_on(job, &shown);
    const bool cancelled = status == SPK_ERR_CANCELLED;
    const bool interrupted = cancelled && !live_status_ended(job->live);
    if (cancelled)
        spk_context_cancel_clear(session->context);
    else
        code = cli_report(session, status);
    status = spk_live_session_end(job->live);
    if (code == CLI_DONE)
        code = cli_report(session, status);
    live_status_end(&shown, job->live, options->record, interrupted);
    spk_live_session_free(job->live);
    return interrupted && code == CLI_DONE ? cli_interrupt_status() : code;
}

int live_job_run(live_job *job)
{
    static setup s;
    cli_session *session = job->session;
    spk_context_set_max_expansion(session->context, session->shared->max_expansion);
    int code = make_options(job, &s);
    if (code == CLI_DONE && cli_is_replay(session->arguments[0]))
        code = cli_recording_read(session, session->arguments[0], &s.recording);
    s.source.recording = s.recording;
    if (code == CLI_DONE)
        code = run_session(job, &s.options);
    spk_recording_free(s.recording);
    free(s.sinks);
    return code;
}
