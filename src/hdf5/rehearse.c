/* A child process reads a file first, and tells through a pipe how that ended. */
#define _GNU_SOURCE /* pipe2 */
#include "hdf5/inside.h"

#include "hdf5/library.h"

/* Fuzzers look for crashes of ours, which a child would hide. */
#if SPIKEMINE_HAVE_HDF5 && !defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 1024, WAIT_MS = 20 };

/* What the child says. */
typedef struct outcome {
    spk_status status;
    char message[MESSAGE_BYTES];
} outcome;

/* ---- the child ------------------------------------------------------------------------------- */

/* Addresses in use now, in bytes; 0 where the system does not tell. */
static rlim_t addresses(void)
{
    char line[128];
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const unsigned long pages = read ? strtoul(line, NULL, 10) : 0;
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Whether the limit lay above `most` and is now lowered. */
static bool lowered(struct rlimit *limit, rlim_t most)
{
    if (limit->rlim_cur != RLIM_INFINITY && limit->rlim_cur <= most)
        return false;
    limit->rlim_cur = most;
    return true;
}

static void take_limits(unsigned seconds)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};
    const rlim_t room = (rlim_t)2 << 30, used = addresses();
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct rlimit limit;
    if (nowhere >= 0) /* what others print of a crash; the parent tells it */
        (void)dup2(nowhere, STDERR_FILENO);
    for (size_t k = 0; k < sizeof fatal / sizeof fatal[0]; k++)
        (void)signal(fatal[k], SIG_DFL);
    if (getrlimit(RLIMIT_CORE, &limit) == 0 && lowered(&limit, 0))
        (void)setrlimit(RLIMIT_CORE, &limit);
    if (getrlimit(RLIMIT_CPU, &limit) == 0 && lowered(&limit, seconds))
        (void)setrlimit(RLIMIT_CPU, &limit);
    if (used > 0 && getrlimit(RLIMIT_AS, &limit) == 0 && lowered(&limit, used + room))
        (void)setrlimit(RLIMIT_AS, &limit);
}

static _Noreturn void act(spk_context *context, unsigned seconds, int pipe_end,
                          spk_h5_reading *read, void *user)
{
    outcome said = {.status = SPK_OK};
    take_limits(seconds);
    spk_context_set_note(context, NULL, NULL);
    spk_context_set_progress(context, NULL, NULL);
    said.status = read(context, user);
    if (said.status != SPK_OK)
        snprintf(said.message, sizeof said.message, "%s", spk_context_message(context));
    _exit(write(pipe_end, &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* Waits until the child said something or ended, or the job is cancelled; *heard: bytes of what it
 * said. */
static spk_status listen_to(spk_context *context, int pipe_end, outcome *said, size_t *heard)
{
    struct pollfd end = {.fd = pipe_end, .events = POLLIN};
    *heard = 0;
    for (;;) {
        spk_status status = spk_check_cancel(context);
        if (status != SPK_OK)
            return status;
        if (poll(&end, 1, WAIT_MS) <= 0)
            continue;
        ssize_t n = read(pipe_end, (char *)said + *heard, sizeof *said - *heard);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return SPK_OK;
        *heard += (size_t)n;
    }
}

/* A child that others ended says nothing of the file. */
static bool is_crash(int how)
{
    int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (WIFEXITED(how))
        return WEXITSTATUS(how) != 0;
    return number != 0 && number != SIGKILL && number != SIGTERM && number != SIGINT &&
           number != SIGHUP;
}

static spk_status judge(spk_context *context, const char *name, int how, const outcome *said,
                        size_t heard)
{
    if (heard == sizeof *said && said->status != SPK_OK)
        return spk_fail(context, said->status, "%s", said->message);
    if (heard == sizeof *said || !is_crash(how))
        return SPK_OK;
    return spk_fail(
        context, SPK_ERR_FORMAT,
        "%s: the HDF5 library cannot take this file (%s); it is damaged: copy it "
        "again, or repair it with h5repack",
        name, WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU ? "it finds no end" : "it crashes");
}

/* A pipe that no program has that another thread starts meanwhile; macOS closes it a moment later.
 */
static int open_pipe(int ends[2])
{
#ifdef __APPLE__
    if (pipe(ends) != 0)
        return -1;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    return fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}

spk_status spk_h5_rehearse(spk_context *context, const char *name, unsigned seconds,
                           spk_h5_reading *read, void *user)
{
    int ends[2];
    outcome said = {.status = SPK_OK};
    size_t heard = 0;
    int how = 0;
    if (open_pipe(ends) != 0)
        return SPK_OK;
    pid_t child = spk_h5_fork();
    if (child == 0)
        act(context, seconds, ends[1], read, user);
    close(ends[1]);
    spk_status status = SPK_OK;
    if (child > 0) {
        status = listen_to(context, ends[0], &said, &heard);
        if (status != SPK_OK)
            (void)kill(child, SIGKILL);
        pid_t ended = -1;
        do
            ended = waitpid(child, &how, 0);
        while (ended < 0 && errno == EINTR);
        if (ended != child) /* somebody else waited for it */
            how = 0;
    }
    close(ends[0]);
    return status == SPK_OK && child > 0 ? judge(context, name, how, &said, heard) : status;
}

#else

spk_status spk_h5_rehearse(spk_context *context, const char *name, unsigned seconds,
                           spk_h5_reading *read, void *user)
{
    (void)context, (void)name, (void)seconds, (void)read, (void)user;
    return SPK_OK;
}

#endif
