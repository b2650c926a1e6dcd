/* What a session says: notes, errors, and the end of standard output. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "say.h"
#include "session.h"

double cli_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_clear(cli_session *session)
{
    cli_progress_remove(&session->progress);
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

spk_status cli_note_sentence(void *user, const char *text)
{
    cli_note(user, "%s", text);
    return SPK_OK;
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
