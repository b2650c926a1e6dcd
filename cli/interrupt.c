/* Signals that end the program. */
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A second signal so soon is the same wish: timeout(1), for one, sends its signal to the program
 * and then to the whole group. */
enum { SAME_WISH_MS = 250 };

/* The one global of the program: signal handlers have no argument. */
static struct {
    spk_context *_Atomic context; /* NULL: there is no work */
    atomic_bool keep;
    atomic_int signal_number; /* the first one; 0: none yet */
    struct timespec since;
} interrupted;

static void end_at_once(int signal_number)
{
    static const char text[] = "spikemine: interrupted\n";
    spk_context_abandon_files(interrupted.context);
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
    _exit(128 + signal_number);
}

static bool is_same_wish(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long ms = (now.tv_sec - interrupted.since.tv_sec) * 1000LL +
                   (now.tv_nsec - interrupted.since.tv_nsec) / 1000000;
    return ms < SAME_WISH_MS;
}

static void on_interrupt(int signal_number)
{
    int before = errno;
    if (!interrupted.keep)
        end_at_once(signal_number);
    if (interrupted.signal_number == 0) {
        interrupted.signal_number = signal_number;
        clock_gettime(CLOCK_MONOTONIC, &interrupted.since);
        spk_context_cancel(interrupted.context);
    } else if (!is_same_wish()) {
        end_at_once(signal_number);
    }
    errno = before;
}

/* Signals that end a program on the spot do so still, after the files are gone. */
static void on_end(int signal_number)
{
    spk_context_abandon_files(interrupted.context);
    raise(signal_number); /* the default action: SA_RESETHAND */
}

/* Who ignores a signal, or handles it already, knows why. */
static void handle(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction before;
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

void cli_interrupt_prepare(void)
{
    while (true) { /* a standard stream that is closed fails still, since nothing can be written */
        int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (descriptor < 0 || descriptor > STDERR_FILENO) {
            if (descriptor >= 0)
                close(descriptor);
            break;
        }
    }
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
}

void cli_interrupt_begin(spk_context *context)
{
    static const int asks[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    static const int ends[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,    SIGILL,
                               SIGSYS,  SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};
    interrupted.context = context;
    for (size_t k = 0; k < sizeof asks / sizeof asks[0]; k++)
        handle(asks[k], on_interrupt, 0);
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        handle(ends[k], on_end, (int)SA_RESETHAND | SA_NODEFER);
}

void cli_interrupt_keep(bool keep)
{
    interrupted.keep = keep;
}

void cli_interrupt_end(void)
{
    interrupted.keep = false;
    interrupted.context = NULL;
}

int cli_interrupt_status(void)
{
    return 128 + (interrupted.signal_number != 0 ? interrupted.signal_number : SIGINT);
}
