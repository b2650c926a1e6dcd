/* A live run: from the options to its end. */
#include "live_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "numbers.h"

enum { RANDOM_BYTES = 16, LEAST_TOKEN = 16, MOST_TOKEN = 128 }; /* of a page */

/* ---- the file of the token ------------------------------------------------------------------- */

static int fail_file(const live_job *job, const char *path, const char *what, const char *remedy)
{
    return cli_fail(job->session, "--page-token-file %s: %s: %s; %s", path, what, strerror(errno),
                    remedy);
}

static bool is_token(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t n = strlen(text);
    return n >= LEAST_TOKEN && n <= MOST_TOKEN && strspn(text, letters) == n;
}

/* One token, and white space behind it at most. */
static int read_token(const live_job *job, const char *path, int descriptor, char *token)
{
    char text[MOST_TOKEN + 16];
    struct stat facts;
    const ssize_t n = read(descriptor, text, sizeof text - 1);
    if (n < 0 || fstat(descriptor, &facts) != 0)
        return fail_file(job, path, "cannot be read", "name a file with a token, or a new one");
    text[n] = '\0';
    const size_t length = strcspn(text, " \t\r\n");
    const bool bare = length + strspn(text + length, " \t\r\n") == (size_t)n;
    text[length] = '\0';
    if (!bare || !is_token(text))
        return cli_fail(job->session,
                        "--page-token-file %s: holds no token, which has %d to %d letters, digits, "
                        "'-' and '_' on one line; remove the file, and a new one is made",
                        path, LEAST_TOKEN, MOST_TOKEN);
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        cli_note(job->session,
                 "%s: other users of this machine may reach the token in it; chmod 600 keeps it "
                 "from them",
                 path);
    memcpy(token, text, length + 1);
    return CLI_DONE;
}

static bool draw_token(char *token)
{
    unsigned char byte[RANDOM_BYTES] = {0};
    FILE *source = fopen("/dev/urandom", "rb");
    const bool drawn = source != NULL && fread(byte, sizeof byte, 1, source) == 1;
    if (source != NULL)
        fclose(source);
    for (size_t k = 0; k < sizeof byte; k++)
        snprintf(token + 2 * k, 3, "%02x", byte[k]);
    return drawn;
}

/* Puts a whole file in place, which nobody but its owner reads; one that is there stays. */
static bool write_token(const char *part, const char *path, const char *token)
{
    const int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return false;
    bool whole = dprintf(descriptor, "%s\n", token) > 0;
    whole = close(descriptor) == 0 && whole && link(part, path) == 0;
    const int problem = errno;
    unlink(part);
    errno = problem;
    return whole;
}

static int make_token(const live_job *job, const char *path, char *token)
{
    char part[4096];
    const int n = snprintf(part, sizeof part, "%s.part%ld", path, (long)getpid());
    if (!draw_token(token))
        return cli_fail(job->session, "/dev/urandom cannot be read; write a token into %s", path);
    if (n >= (int)sizeof part || !write_token(part, path, token))
        return fail_file(job, path, "cannot be made", "choose another place");
    cli_note(job->session, "%s: keeps a new token; browsers find the page again with it", path);
    return CLI_DONE;
}

static int take_token(const live_job *job, const char *path, char *token)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT ? make_token(job, path, token)
                               : fail_file(job, path, "cannot be read", "allow reading it");
    const int code = read_token(job, path, descriptor, token);
    close(descriptor);
    return code;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* The page as the options want it. `token` holds what --page-token-file has, as long as the page is
 * there; a file that is not there is made with a new token. Without --page *wanted is false. After
 * cli_files_check. CLI_DONE or an exit code. */
static int make_page(const live_job *job, spk_live_page_options *page, char token[MOST_TOKEN + 1],
                     bool *wanted)
{
    const live_values *v = job->values;
    *wanted = v->page.given;
    if (!v->page.given)
        return CLI_DONE;
    spk_live_page_options_init(page, sizeof *page);
    page->port = v->page.word ? 0 : (uint16_t)v->page.value;
    page->may_watch = true;
    page->mines = job->partitions != NULL;
    if (v->page_address != NULL)
        page->address = v->page_address;
    if (v->page_token_file == NULL)
        return CLI_DONE;
    page->token = token;
    return take_token(job, v->page_token_file, token);
}

/* Everything that the options of the library point to. */
typedef struct setup {
    spk_live_session_options options;
    spk_live_source_options source;
    spk_live_emit_options emit;
    spk_live_page_options page;
    char token[MOST_TOKEN + 1];
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
        code = make_page(job, &s->page, s->token, &has_page);
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
