/* One run of a subcommand: context, signals, progress, reports. */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "energy.h"
#include "interrupt.h"
#include "say.h"
#include "segments.h"

void cli_progress_clear(cli_session *session)
{
    cli_progress_remove(&session->progress);
}

static void show_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    cli_session *session = user;
    cli_progress_show(&session->progress, session->context, what, done, total, cli_seconds());
}

static void show_note(void *user, const char *text)
{
    cli_note(user, "%s", text);
}

void cli_note(cli_session *session, const char *format, ...)
{
    if (session->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    cli_progress_clear(session);
    fputs("note: ", stderr);
    cli_say_list(format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void cli_detail(cli_session *session, const char *format, ...)
{
    if (!session->verbose)
        return;
    va_list arguments;
    va_start(arguments, format);
    cli_progress_clear(session);
    cli_say_list(format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* ---- standard output ------------------------------------------------------------------------- */

void cli_output_begin(void)
{
    cli_interrupt_prepare();
}

/* The stream does not tell why it failed before, the pipe does. */
static bool reader_left(void)
{
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

int cli_output_end(int code)
{
    errno = 0;
    bool good = fflush(stdout) == 0 && ferror(stdout) == 0;
    if (good || code != CLI_DONE || reader_left())
        return code;
    fprintf(stderr, "spikemine: standard output: writing failed: %s; is the disk full?\n",
            strerror(errno != 0 ? errno : EIO));
    return CLI_FAILED;
}

spk_status cli_allow_pipe(spk_status status)
{
    return status == SPK_ERR_PIPE ? SPK_OK : status;
}

/* ---- reports --------------------------------------------------------------------------------- */

int cli_report(cli_session *session, spk_status status)
{
    if (cli_allow_pipe(status) == SPK_OK)
        return CLI_DONE;
    cli_progress_clear(session);
    const char *message = spk_context_message(session->context);
    fprintf(stderr, "%s: %s\n", cli_program(session->command),
            message[0] != '\0' ? message : spk_status_text(status));
    if (status == SPK_ERR_CANCELLED)
        return cli_interrupt_status();
    return status == SPK_ERR_ARGUMENT ? CLI_USAGE : CLI_FAILED;
}

int cli_report_usage(cli_session *session, spk_status status)
{
    return cli_report(session, status) == CLI_DONE ? CLI_DONE : CLI_USAGE;
}

int cli_fail(cli_session *session, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_progress_clear(session);
    fprintf(stderr, "%s: ", cli_program(session->command));
    cli_say_list(format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return CLI_FAILED;
}

void cli_limit_memory(cli_session *session, uint64_t bytes)
{
    if (bytes > 0)
        spk_context_set_memory_limit(session->context, bytes);
}

/* To be freed; NULL when memory is out. */
static char *join_words(int argc, char **argv)
{
    size_t bytes = 1, used = 0;
    for (int k = 0; k < argc; k++)
        bytes += strlen(argv[k]) + 1;
    char *text = calloc(bytes, 1);
    for (int k = 0; k < argc && text != NULL; k++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", k > 0 ? " " : "", argv[k]);
    return text;
}

/* Makes the session one of a rank, whose program and words are those of all others. */
static spk_status join_ranks(cli_session *session, const spk_ranks *ranks)
{
    spk_context *context = session->context;
    if (ranks == NULL)
        return SPK_OK;
    spk_status status = spk_context_set_ranks(context, ranks);
    if (status == SPK_OK)
        status = spk_ranks_compare(context, "version of the program", spk_version());
    const char *words = strchr(session->line, ' ');
    return status == SPK_OK ? spk_ranks_compare(context, "command line", words != NULL ? words : "")
                            : status;
}

int cli_session_run(const cli_command *named, int argc, char **argv, int all_argc, char **all_argv,
                    const spk_ranks *ranks)
{
    cli_option table[CLI_MOST_OPTIONS];
    const cli_command own = cli_describe(named, table), *command = &own;
    char *line = join_words(all_argc, all_argv);
    cli_session session = {.command = command, .line = line, .ranks = ranks};
    int n_arguments = 0;
    cli_given given = {.value = {NULL}};
    cli_common common = {.quiet = false};
    void *values = calloc(1, command->values_size > 0 ? command->values_size : 1);
    if (line == NULL || values == NULL || spk_context_create(&session.context) != SPK_OK) {
        free(line);
        free(values);
        fprintf(stderr, "%s: out of memory\n", cli_program(command));
        return CLI_FAILED;
    }
    int code = cli_options_parse(command, argc, argv, values, &given, &n_arguments, &common);
    if (code == CLI_DONE && !common.version && !common.help)
        code =
            cli_options_check(command, &given, session.context, n_arguments, argv, ranks != NULL);
    session.values = values;
    session.given = &given;
    session.quiet = common.quiet;
    session.verbose = common.verbose;
    if (code == CLI_DONE && common.version) {
        printf("%s %s\n", cli_program(command), spk_version());
    } else if (code == CLI_DONE && common.help) {
        cli_help_command(stdout, command, session.verbose);
    } else if (code == CLI_DONE) {
        cli_interrupt_begin(session.context);
        spk_context_set_default_memory_limit(session.context);
        spk_context_set_note(session.context, show_note, &session);
        session.progress.enabled = cli_progress_possible() && !session.quiet;
        if (session.progress.enabled)
            spk_context_set_progress(session.context, show_progress, &session);
        code = cli_report(&session, join_ranks(&session, ranks));
        if (code == CLI_DONE)
            code = command->run(&session, values, n_arguments, argv);
        cli_progress_clear(&session);
        cli_energy_end(&session, code == CLI_DONE);
    }
    cli_interrupt_end();
    cli_values_free(command, values);
    free(line);
    free(values);
    spk_context_free(session.context);
    return code;
}

const char *cli_command_line(const cli_session *session)
{
    return session->line;
}

int cli_check_figure(cli_session *session, const char *path)
{
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    const char *reason = NULL;
    if (!spk_figure_available(&reason))
        return cli_fail(session, "--figure %s: %s", path, reason);
    size_t n = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (n > 4 && strcmp(path + n - 4, endings[k]) == 0)
            return cli_report(session, spk_figure_check(session->context, path));
    return cli_usage_error(session->command, "--figure %s: must end in .png, .svg or .pdf", path);
}

/* ---- the recording --------------------------------------------------------------------------- */

double cli_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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

bool cli_reads_transactions(const cli_recording_values *values)
{
    return values->input_format != NULL && strcmp(values->input_format, "transactions") == 0;
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

int cli_read_options(cli_session *session, const cli_recording_values *values,
                     spk_read_options *out)
{
    spk_read_options_init(out, sizeof *out);
    out->columns = (spk_columns)values->columns;
    out->sort = values->sort;
    out->units = values->units;
    out->min_rate_hz = values->min_rate;
    out->start = values->start.given ? &values->start.value : NULL;
    out->stop = values->stop.given ? &values->stop.value : NULL;
    out->format = values->input_format;
    out->time_column = values->time_column;
    out->unit_column = values->unit_column;
    out->label_column = values->label_column;
    out->select = values->select;
    out->group = values->group;
    out->unit_file = values->unit_file;
    out->part = values->segments == NULL && values->trials == NULL ? session->part : NULL;
    if (!parse_time_unit(values->time_unit, out))
        return cli_usage_error(
            session->command,
            "--time-unit %s: must be guess, s, ms, us or samples@RATE, where the "
            "rate is the number of samples a second, such as 30000, "
            "24414.0625 or 390625/16",
            values->time_unit);
    return CLI_DONE;
}

int cli_recording_try(cli_session *session, const cli_recording_values *values, const char *path,
                      spk_recording **out, spk_status *status)
{
    spk_read_options options;
    spk_context_set_max_expansion(session->context, values->max_expansion);
    int code = cli_read_options(session, values, &options);
    double start = cli_seconds();
    if (code != CLI_DONE)
        return code;
    *status = spk_recording_read(session->context, path, &options, out);
    if (*status == SPK_OK)
        code = cli_segments_cut(session, values, path, out, status);
    if (code == CLI_DONE && *status == SPK_OK)
        *status = spk_ranks_join_parts(session->context, *out);
    if (code == CLI_DONE && *status == SPK_OK)
        tell_recording(session, *out, path, cli_seconds() - start);
    return code;
}

int cli_recording_read(cli_session *session, const cli_recording_values *values, const char *path,
                       spk_recording **out)
{
    spk_status status = SPK_OK;
    int code = cli_recording_try(session, values, path, out, &status);
    return code == CLI_DONE ? cli_report(session, status) : code;
}
